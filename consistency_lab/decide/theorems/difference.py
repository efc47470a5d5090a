"""Losses of edges and of the difference graph (DMJ13 section 5.3): what is right, and what ties."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Final

from consistency_lab.decide.theorems.base import (
    HAS_NEGATIVE_SLOPE,
    IS_BOUNDED_BELOW,
    IS_CONVEX,
    IS_NONINCREASING,
    Hypothesis,
    Theorem,
)
from consistency_lab.model.surrogates import DifferenceSurrogate, EdgeSurrogate, Surrogate
from consistency_lab.numbers.exact import LogRational, certainly_less
from consistency_lab.numbers.phi import PiecewisePolynomial, enclose_value, is_line_plus_even
from consistency_lab.solve.connectivity import Trend, growth, strong_components
from consistency_lab.solve.kinds import is_convex

Matrix = Sequence[Sequence[Fraction | int]]

# --- What the loss of the difference graph needs of phi --------------------------------------------------

_FAR: Final = tuple(Fraction(2) ** n for n in range(-4, 7))


def _falls_after_zero(surrogate: DifferenceSurrogate, target: None) -> str | None:
    phi = surrogate.functions[0]
    start = enclose_value(phi, LogRational(Fraction(0)))
    for x in _FAR:
        if certainly_less(enclose_value(phi, LogRational(x)), start):
            return f"interval arithmetic: phi({x}) < phi(0)"
    return None


FALLS_AFTER_ZERO: Final = Hypothesis(r"\(\phi(0) > \inf \phi\)", _falls_after_zero)


# --- DMJ13 §5.3: the loss on the difference graph is consistent wherever that graph is acyclic -----------
# The theorem book proves it (dmj13-difference). Convexity is not used, and phi'(0) < 0 only to have phi(0) >
# inf phi; so the same holds for the sigmoid and ramp losses. That phi is nonincreasing is used: the square
# loss penalizes large correct differences and fails.

CONVEX_DIFFERENCE: Final = Theorem(
    name="DMJ13 §5.3",
    statement="dmj13-difference",
    citation="DMJ13 §5.3",
    families=(DifferenceSurrogate,),
    conditions=("acyclic",),
    hypotheses=(IS_CONVEX, IS_NONINCREASING, IS_BOUNDED_BELOW, HAS_NEGATIVE_SLOPE),
)

MONOTONE_DIFFERENCE: Final = replace(
    CONVEX_DIFFERENCE,
    name="DMJ13 §5.3 without convexity",
    citation="DMJ13 §5.3 (its proof does not use convexity)",
    hypotheses=(IS_NONINCREASING, IS_BOUNDED_BELOW, FALLS_AFTER_ZERO),
)


# --- The square loss on the difference graph, where each item has a number -------------------------------
# It is not nonincreasing, so DMJ13 §5.3 does not cover it, and it does fail with four items, even for low
# noise. But differences w_i w_j t(y_i - y_j) with a log-concave t give it no room: see square-difference in
# the book. Additive ones have w = 1 and t(s) = s, those of AUC w = mu, y = eta, whatever the counts are.


def _falling_parabola(surrogate: Surrogate, target: None) -> str | None:
    form = PiecewisePolynomial.of(surrogate.functions[0])
    if form is None or len(form.pieces) != 1 or len(form.pieces[0]) != 3:
        return None
    _, slope, curvature = form.pieces[0]
    return f"a = {curvature}, b = {slope}" if curvature > 0 > slope else None


IS_PARABOLA: Final = Hypothesis(r"\(\phi(x) = a x^2 + b x + c\) with \(a > 0 > b\)", _falling_parabola)

SQUARE_ON_NUMBERS: Final = Theorem(
    name="Square loss on the difference graph",
    statement="square-difference",
    citation="ours (square-difference in the theorem book)",
    families=(DifferenceSurrogate,),
    conditions=("additive", "auc"),
    hypotheses=(IS_PARABOLA,),
)
SQUARE_ON_STRENGTHS: Final = replace(SQUARE_ON_NUMBERS, conditions=("bradley-terry",), design="product")


# --- Two items that W does not tell apart, though the votes do (docs/theory.md, Exchangeable items) ---------

EXCHANGE: Final = "exchangeable items (docs/theory.md, Exchangeable items)"


def exchangeable(surrogate: Surrogate, a: Matrix) -> tuple[int, int] | None:
    """Items i, j, a_ij > a_ji, that may be tied at the infimum (docs/theory.md, Exchangeable items)."""
    h = _weights(surrogate, a)
    phi = surrogate.functions[0]
    if h is None or not (is_convex(phi) and is_line_plus_even(phi)):
        return None
    for part in parts_apart(surrogate, a) or [tuple(range(len(h)))]:
        net = {i: sum(h[i][k] - h[k][i] for k in part) for i in part}
        for i, j in combinations(part, 2):
            if net[i] != net[j] or a[i][j] == a[j][i]:
                continue
            if all(h[i][k] + h[k][i] == h[j][k] + h[k][j] for k in part if k not in (i, j)):
                return (i, j) if a[i][j] > a[j][i] else (j, i)
    return None


def parts_apart(surrogate: Surrogate, a: Matrix) -> list[tuple[int, ...]] | None:
    """Sets of items whose own terms alone matter near the infimum (docs/theory.md, Components)."""
    h = _weights(surrogate, a)
    if h is None:
        return None
    trend = growth(surrogate.functions[0])
    if (trend.ahead, trend.behind) != (Trend.FADES, Trend.GROWS):
        return None
    arcs = ((i, j) for i, row in enumerate(h) for j, x in enumerate(row) if x and i != j)
    return sorted(strong_components(arcs, len(h)))


def _weights(surrogate: Surrogate, a: Matrix) -> Matrix | None:
    """The weight of phi(u_i - u_j) in W."""
    m = len(a)
    if type(surrogate) is DifferenceSurrogate:
        return [[max(a[i][j] - a[j][i], 0) for j in range(m)] for i in range(m)]
    return a if type(surrogate) is EdgeSurrogate and surrogate.of_aggregate else None
