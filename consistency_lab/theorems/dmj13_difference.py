r"""DMJ13 §5.3: the loss on the difference graph is consistent wherever that graph is acyclic.

The proof, for phi nonincreasing and bounded below with phi(0) > inf phi. Let the difference graph be acyclic,
so that (DMJ10 Lemma 16) A(p) asks for alpha_i > alpha_j, or for alpha_i >= alpha_j if i > j, on each edge
i → j, and

    W(p, alpha) = sum over edges i → j of d_ij phi(alpha_i - alpha_j).

Spreading the scores along a topological order sends every alpha_i - alpha_j on an edge to infinity, so
W*(p) = sum d_ij inf phi. A score vector outside A(p) has an edge with alpha_i - alpha_j <= 0, where phi is at
least phi(0), so W exceeds W*(p) by at least d_ij (phi(0) - inf phi). There are finitely many edges, so the
infimum outside A(p) exceeds W*(p) by at least the smallest of these numbers, which is positive.

Convexity is not used, and phi'(0) < 0 only to have phi(0) > inf phi; so the same holds for the sigmoid and
ramp losses. That phi is nonincreasing is used: the square loss penalizes large correct differences and fails.
"""

from typing import Final

from consistency_lab.model.surrogates import DifferenceSurrogate
from consistency_lab.theorems.base import Theorem
from consistency_lab.theorems.scalar import (
    FALLS_AFTER_ZERO,
    HAS_NEGATIVE_SLOPE,
    IS_BOUNDED_BELOW,
    IS_CONVEX,
    IS_NONINCREASING,
)

_LOSS: Final = r"\(\sum_{i,j} [d_{ij}]_+ \phi(\alpha_i - \alpha_j)\)"

CONVEX_DIFFERENCE: Final = Theorem(
    name="DMJ13 §5.3",
    statement=(
        f"If the difference graph is acyclic, then {_LOSS} is consistent for pairwise disagreement when"
        r" \(\phi\) is convex, nonincreasing and bounded below with \(\phi'(0) < 0\)."
    ),
    citation="DMJ13 §5.3",
    family=DifferenceSurrogate,
    condition="acyclic",
    hypotheses=(IS_CONVEX, IS_NONINCREASING, IS_BOUNDED_BELOW, HAS_NEGATIVE_SLOPE),
)

MONOTONE_DIFFERENCE: Final = Theorem(
    name="DMJ13 §5.3 without convexity",
    statement=(
        f"If the difference graph is acyclic, then {_LOSS} is consistent for pairwise disagreement when"
        r" \(\phi\) is nonincreasing and bounded below with \(\phi(0) > \inf \phi\)."
    ),
    citation="DMJ13 §5.3 (its proof does not use convexity)",
    family=DifferenceSurrogate,
    condition="acyclic",
    hypotheses=(IS_NONINCREASING, IS_BOUNDED_BELOW, FALLS_AFTER_ZERO),
)
