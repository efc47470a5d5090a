"""The theorems on tasks, as a table."""

from typing import Final

from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.tasks.conditions import TaskCondition
from consistency_lab.model.tasks.task import Task
from consistency_lab.theorems.tasks.base import Evidence, Refusal, TaskTheorem
from consistency_lab.theorems.tasks.dmj13 import DMJ13_TASK_THEOREMS
from consistency_lab.theorems.tasks.orders import (
    BORDA,
    EXCHANGE,
    EXCHANGE_LISTS,
    EXCHANGE_PAIRS,
    LOW_NOISE_RANKINGS,
)
from consistency_lab.theorems.tasks.other import MULTICLASS_THEOREMS, RELAXED_THEOREMS
from consistency_lab.theorems.tasks.rat13 import RAT13_TASK_THEOREMS

__all__ = ["TASK_THEOREMS", "Evidence", "Refusal", "TaskTheorem", "task_refusals", "task_theorem"]

TASK_THEOREMS: Final[tuple[TaskTheorem, ...]] = (
    *DMJ13_TASK_THEOREMS,
    *MULTICLASS_THEOREMS,
    *RAT13_TASK_THEOREMS,
    *RELAXED_THEOREMS,
    BORDA,
    LOW_NOISE_RANKINGS,
    EXCHANGE,
    EXCHANGE_PAIRS,
    EXCHANGE_LISTS,
)
"""In the order in which they are tried."""


def task_theorem(surrogate: TaskSurrogate, task: Task, condition: TaskCondition) -> Evidence | None:
    """The first theorem that proves calibration under the condition, or under one that contains it.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.multiclass import LeeLinWahba
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> from consistency_lab.model.tasks.conditions import TASK_CONDITIONS
    >>> task_theorem(LeeLinWahba(), target("zero-one"), TASK_CONDITIONS["any"]).scope
    'all numbers of classes'
    """
    for theorem in TASK_THEOREMS:
        answer = theorem.applies(surrogate, task, condition)
        if isinstance(answer, Evidence):
            return answer
    return None


def task_refusals(surrogate: TaskSurrogate, task: Task, condition: TaskCondition) -> tuple[Refusal, ...]:
    """Why the theorems about this family of surrogates and this target do not apply.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.pairs import PairsSurrogate
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> from consistency_lab.model.tasks.conditions import TASK_CONDITIONS
    >>> from consistency_lab.phi import named
    >>> hinge = PairsSurrogate("zhang-hinge", named("hinge").expression, "zhang")
    >>> task_refusals(hinge, target("ndcg"), TASK_CONDITIONS["any"])[0].reason
    "DMJ13 Zhang's loss assumes that phi is differentiable, which is not proved here"
    """
    answers = (t.applies(surrogate, task, condition) for t in TASK_THEOREMS if t.about(surrogate, task))
    return tuple(answer for answer in answers if isinstance(answer, Refusal))
