"""Decide a surrogate for a target loss on labels, under each condition that is asked for."""

from collections.abc import Sequence

from consistency_lab.checked import checked
from consistency_lab.decide.answers import Decision, Verdict
from consistency_lab.decide.tasks.case import Case
from consistency_lab.decide.tasks.prescribe import prescriptions
from consistency_lab.errors import InputError
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate, unknown
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.surrogates.tasks.regression import Regression
from consistency_lab.model.tasks.catalogue import DEFINITIONS, target
from consistency_lab.model.tasks.conditions import TASK_CONDITIONS, task_condition
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort, as_effort


@checked
def decide_task(
    surrogate: TaskSurrogate | Surrogate | str,
    task: Task | str,
    conditions: Sequence[str] | str | None = None,
    *,
    larger: Sequence[Task] = (),
    effort: Effort | float | None = None,
    command: str = "",
    seed: int = 0,
    prescribe: bool = True,
) -> Decision:
    """Decide a surrogate on a finite task, under each condition.

    Parameters
    ----------
    surrogate, task
        The question: what `task_surrogate` and `target` return, or their names.
    conditions
        Names of conditions, or one; the usual ones of the target if not given.
    larger
        Tasks with more items, searched where this one has no witness and no theorem speaks for all of them.
    effort
        Budget of the searches, or its seconds.
    command
        The command that repeats this, for the witness file.
    seed
        Of the searches.
    prescribe
        Whether to look for a surrogate that is consistent where this one is not.

    Raises
    ------
    InputError
        If surrogate, decoder, task and conditions do not fit together.

    Examples
    --------
    >>> str(decide_task(Regression("gain/Z"), "ndcg", "any").verdict)
    'CONSISTENT'
    """
    surrogate, task = understood(surrogate, task)
    surrogate.check(task)
    decoder_for(surrogate, task)
    conditions = [conditions] if isinstance(conditions, str) else conditions
    names = DEFINITIONS[task.target].usual if conditions is None else conditions
    chosen = {name: task_condition(name, task.space) for name in names}
    asked = [chosen[name] for name in TASK_CONDITIONS if name in chosen]
    if not asked:
        raise InputError("conditions is empty; name one, or leave it out for those usual for the target")
    if any(condition.needs_f for condition in asked) and not isinstance(surrogate, Regression):
        raise InputError(f"the condition p-f is about a regression on f, and {surrogate.name} is none")
    case = Case(surrogate, (task, *larger), tuple(asked), as_effort(effort), seed, command)
    answers = case.settled()
    wrong = [a.condition for a in answers if a.verdict is Verdict.INCONSISTENT]
    remedies = prescriptions(surrogate, task, wrong) if prescribe else ()
    return Decision(surrogate, task, answers, case.effort, remedies)


def understood(surrogate: object, task: object) -> tuple[TaskSurrogate, Task]:
    """A surrogate and a target, or their names; refused is what neither a theorem nor the core can speak of.

    Raises
    ------
    InputError
        If they are something else.
    """
    surrogate = task_surrogate(surrogate) if isinstance(surrogate, str) else surrogate
    task = target(task) if isinstance(task, str) else task
    if not isinstance(surrogate, TaskSurrogate):
        raise InputError(
            f"a surrogate of labels is asked for, and a {type(surrogate).__name__} is given; pass "
            "task_surrogate(NAME) or the name, and check(...) for surrogates of preference graphs"
        )
    if not isinstance(task, Task):
        raise InputError(
            f"a target is asked for, and a {type(task).__name__} is given; pass target(NAME) or the name"
        )
    own = unknown(surrogate, task)
    if own is not None:
        raise InputError(
            f"{own} is a class of your own, of which neither a theorem nor the core can speak; a loss of "
            "your own is decided for preference graphs: derive from GraphSurrogate, and pass it to check"
        )
    return surrogate, task
