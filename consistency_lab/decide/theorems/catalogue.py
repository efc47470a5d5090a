"""The statements that are checked, as one table, and which of them speaks of a question."""

from functools import cache
from typing import Final

from consistency_lab.decide.theorems.base import Evidence, Refusal, Theorem
from consistency_lab.decide.theorems.designs import DESIGN_THEOREMS, SINGLE_ANSWERS
from consistency_lab.decide.theorems.difference import (
    CONVEX_DIFFERENCE,
    MONOTONE_DIFFERENCE,
    SQUARE_ON_NUMBERS,
    SQUARE_ON_STRENGTHS,
)
from consistency_lab.decide.theorems.everywhere import (
    GRAPHS_EVERYWHERE,
    MULTICLASS_THEOREMS,
    RELAXED_THEOREMS,
    WON_BESIDE_PAIRS,
)
from consistency_lab.decide.theorems.linear import COROLLARY_15, THEOREM_6, THEOREM_13
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.model.tasks.task import Task

__all__ = ["Evidence", "Refusal", "Theorem", "consistency_theorem", "refusals", "theorems"]

ON_GRAPHS: Final[tuple[Theorem, ...]] = (
    COROLLARY_15,
    THEOREM_13,
    THEOREM_6,
    CONVEX_DIFFERENCE,
    MONOTONE_DIFFERENCE,
    SQUARE_ON_NUMBERS,
    SQUARE_ON_STRENGTHS,
    *GRAPHS_EVERYWHERE,
    *DESIGN_THEOREMS,
    *SINGLE_ANSWERS,
    WON_BESIDE_PAIRS,
)
"""Of preference graphs, in the order in which they are tried."""


@cache
def on_labels() -> tuple[Theorem, ...]:
    """Those about a target, loaded when there is one, in the order in which they are tried."""
    from consistency_lab.decide.theorems.dmj13 import DMJ13_THEOREMS
    from consistency_lab.decide.theorems.orders import ORDER_THEOREMS
    from consistency_lab.decide.theorems.rat13 import RAT13_THEOREMS

    return (*DMJ13_THEOREMS, *MULTICLASS_THEOREMS, *RAT13_THEOREMS, *RELAXED_THEOREMS, *ORDER_THEOREMS)


def theorems() -> tuple[Theorem, ...]:
    """All of them."""
    return (*ON_GRAPHS, *on_labels())


def consistency_theorem(
    surrogate: Loss, condition: str, target: Task | None = None, m: int | None = None, design: str = "any"
) -> Evidence | None:
    """The first theorem that proves consistency under the condition, or under one that contains it."""
    for theorem in ON_GRAPHS if target is None else on_labels():
        answer = theorem.applies(surrogate, condition, target, m, design)
        if isinstance(answer, Evidence):
            return answer
    return None


def refusals(surrogate: Loss, condition: str, target: Task | None = None) -> tuple[Refusal, ...]:
    """Why the theorems about this family of surrogates and this target do not apply."""
    about = (t.applies(surrogate, condition, target) for t in theorems() if t.about(surrogate, target))
    return tuple(answer for answer in about if isinstance(answer, Refusal))
