"""The statements that are checked, as a table."""

from typing import Final

from consistency_lab.model.conditions import condition
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.theorems.base import Evidence, Refusal, Theorem
from consistency_lab.theorems.difference import CONVEX_DIFFERENCE, MONOTONE_DIFFERENCE, SQUARE_ON_ADDITIVE
from consistency_lab.theorems.everywhere import EVERYWHERE
from consistency_lab.theorems.linear import COROLLARY_15, THEOREM_6, THEOREM_13

__all__ = ["THEOREMS", "Evidence", "Refusal", "Theorem", "consistency_theorem", "refusals"]

THEOREMS: Final[tuple[Theorem, ...]] = (
    COROLLARY_15,
    THEOREM_13,
    THEOREM_6,
    CONVEX_DIFFERENCE,
    MONOTONE_DIFFERENCE,
    SQUARE_ON_ADDITIVE,
    *EVERYWHERE,
)
"""In the order in which they are tried."""


def consistency_theorem(surrogate: Surrogate, condition_name: str, m: int | None = None) -> Evidence | None:
    """The first theorem that proves consistency under the condition, or under one that contains it.

    Parameters
    ----------
    surrogate, condition_name
        The question.
    m
        The number of items, where only one is asked about.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> consistency_theorem(surrogate("difference-logistic"), "low-noise").citation
    'DMJ13 §5.3'
    >>> consistency_theorem(surrogate("difference-square"), "low-noise") is None
    True
    """
    for theorem in THEOREMS:
        answer = theorem.applies(surrogate, condition_name, m)
        if isinstance(answer, Evidence):
            return answer
    return None


def refusals(surrogate: Surrogate, condition_name: str) -> tuple[Refusal, ...]:
    """Why the theorems about this family of surrogates do not apply.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> refusals(surrogate("difference-square"), "acyclic")[0].reason
    'DMJ13 §5.3 assumes that phi is nonincreasing, which is not proved here'
    """
    name = condition(condition_name).name
    answers = (theorem.applies(surrogate, name) for theorem in THEOREMS if type(surrogate) is theorem.family)
    return tuple(answer for answer in answers if isinstance(answer, Refusal))
