"""Ours: under additive differences the hinge can invert an edge strictly from four items on, not before.

It is proved in formal/theorems, HingeThreeItems.v and Hinge.v.
"""

from fractions import Fraction
from typing import Final

from consistency_lab.apps.book.risk import refuted_by_core, weights
from consistency_lab.apps.book.statement import FalseVariant, Refutation, Statement, check, false, idea
from consistency_lab.model.surrogates import surrogate

LIGHTEST: Final = weights(4, {(1, 2): 1, (1, 3): 2, (1, 4): 8, (2, 3): 1, (2, 4): 4, (3, 4): 3, (4, 1): 3})
"""Additive; all of it weighs 22 times what the inverted edge does."""

UNIQUE: Final = weights(4, {(1, 2): 1, (1, 3): 3, (1, 4): 13, (2, 3): 2, (2, 4): 7, (3, 4): 5, (4, 1): 5})
"""Additive, y = (8, 7, 5, 0); here the minimizer is unique up to shifts."""

SCORES: Final = (1, 2, 1, 0)
"""They minimize W at both."""

GRADES: Final = (8, 7, 5, 0)


def extended(m: int) -> tuple[list[list[object]], tuple[int, ...]]:
    """The four items of UNIQUE with more items below them, and scores.

    Examples
    --------
    >>> extended(5)[0][3], extended(5)[1]
    ([5, 0, 0, 0, 1], (1, 2, 1, 0, -1))
    """
    grades = [*GRADES, *range(-1, 3 - m, -1)]
    a = [
        [UNIQUE[i][j] if max(i, j) < 4 else max(grades[i] - grades[j], 0) for j in range(m)] for i in range(m)
    ]
    return a, (*SCORES, *range(-1, 3 - m, -1))


@false("With five items no minimizer inverts an edge strictly, under low noise.")
def _five() -> Refutation:
    a, scores = extended(5)
    return refuted_by_core(surrogate("hinge"), a, "low-noise", strict=True, scores=scores)


@false("With three items the hinge is never strictly wrong, with cycles too.")
def _cycle() -> Refutation:
    third = Fraction(1, 3)
    a = weights(3, {(1, 2): 1, (2, 3): 1, (3, 1): 1})
    return refuted_by_core(surrogate("hinge"), a, "any", strict=True, scores=(0, third, 2 * third))


HINGE_INVERSION: Final = Statement(
    latex=(
        r"For \(\phi(x) = \max(0, 1-x)\), \(h(a) = a\) and \(m = 3\), no minimizer of \(W(p,\cdot)\)"
        r" has \(\alpha_i < \alpha_j\) with \(d_{ij} > 0\) if the difference graph is acyclic; for every"
        r" \(m \ge 4\) there are additive differences for which every minimizer has."
    ),
    plain=(
        "Under low noise the hinge is never strictly wrong with three items, and can be with any larger "
        "number, even for additive differences."
    ),
    hypotheses=(r"\(\phi(x) = \max(0, 1-x)\), \(h(a) = a\)", r"\(m = 3\): \(\tilde G\) is a DAG"),
    citation="ours",
    check=check(
        "m = 3 (never), all m ≥ 4 (possible); h(a) = a",
        lambda: [
            idea(
                "The idea: flows of slopes that balance at every item",
                "m ≥ 4",
                "Four items are solved by flows of 1 on 14 and 23 and of 4 on 34, strictly between 0 and",
                "a_ij, so these pairs keep the difference 1 at every minimizer and α_2 − α_1 = 1. Items",
                "below, each one lower in score and in y, take no flow. With three items a short case",
                "distinction shows that no edge is inverted.",
            )
        ],
        "With three items the hinge fails by ties only, wherever the difference graph is acyclic; low "
        "noise is not needed for that.",
        "With three items in a majority cycle it can be strictly wrong.",
    ),
    variants=(
        FalseVariant(
            "With four items no minimizer inverts an edge strictly, if d is additive.",
            lambda: refuted_by_core(surrogate("hinge"), LIGHTEST, "additive", strict=True, scores=SCORES),
        ),
        _five,
        _cycle,
        FalseVariant(
            "With three items the hinge is never wrong where d is additive, not by ties either.",
            lambda: refuted_by_core(
                surrogate("hinge"), weights(3, {(1, 2): 1, (1, 3): 4, (2, 3): 1, (3, 1): 2}), "additive"
            ),
        ),
    ),
)
