"""The statements that are checked, as one table, and which of them speaks of a question."""

from typing import Final

from consistency_lab.decide.theorems.base import Evidence, Refusal, Theorem
from consistency_lab.decide.theorems.designs import DESIGN_THEOREMS, SINGLE_ANSWERS
from consistency_lab.decide.theorems.difference import (
    CONVEX_DIFFERENCE,
    MONOTONE_DIFFERENCE,
    SQUARE_ON_ADDITIVE,
)
from consistency_lab.decide.theorems.dmj13 import DMJ13_THEOREMS
from consistency_lab.decide.theorems.everywhere import (
    GRAPHS_EVERYWHERE,
    MULTICLASS_THEOREMS,
    RELAXED_THEOREMS,
    WON_BESIDE_PAIRS,
)
from consistency_lab.decide.theorems.linear import COROLLARY_15, THEOREM_6, THEOREM_13
from consistency_lab.decide.theorems.orders import ORDER_THEOREMS
from consistency_lab.decide.theorems.rat13 import RAT13_THEOREMS
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.model.tasks.task import Task

__all__ = ["THEOREMS", "Evidence", "Refusal", "Theorem", "consistency_theorem", "refusals"]

THEOREMS: Final[tuple[Theorem, ...]] = (
    # Preference graphs.
    COROLLARY_15,
    THEOREM_13,
    THEOREM_6,
    CONVEX_DIFFERENCE,
    MONOTONE_DIFFERENCE,
    SQUARE_ON_ADDITIVE,
    *GRAPHS_EVERYWHERE,
    *DESIGN_THEOREMS,
    SINGLE_ANSWERS,
    WON_BESIDE_PAIRS,
    # Labels.
    *DMJ13_THEOREMS,
    *MULTICLASS_THEOREMS,
    *RAT13_THEOREMS,
    *RELAXED_THEOREMS,
    *ORDER_THEOREMS,
)
"""In the order in which they are tried."""


def consistency_theorem(
    surrogate: Loss, condition: str, target: Task | None = None, m: int | None = None, design: str = "any"
) -> Evidence | None:
    """The first theorem that proves consistency under the condition, or under one that contains it."""
    for theorem in THEOREMS:
        answer = theorem.applies(surrogate, condition, target, m, design)
        if isinstance(answer, Evidence):
            return answer
    return None


def refusals(surrogate: Loss, condition: str, target: Task | None = None) -> tuple[Refusal, ...]:
    """Why the theorems about this family of surrogates and this target do not apply."""
    about = (t.applies(surrogate, condition, target) for t in THEOREMS if t.about(surrogate, target))
    return tuple(answer for answer in about if isinstance(answer, Refusal))
