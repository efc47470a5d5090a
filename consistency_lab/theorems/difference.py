"""Losses of edges and of the difference graph (DMJ13 section 5.3): what is right, and what ties."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from consistency_lab.exact import LogRational, certainly_less
from consistency_lab.model.surrogates import DifferenceSurrogate, EdgeSurrogate, Surrogate
from consistency_lab.phi import PiecewisePolynomial, enclose_value, is_line_plus_even
from consistency_lab.solve.connectivity import Trend, growth, strong_components
from consistency_lab.solve.kinds import is_convex
from consistency_lab.theorems.base import (
    HAS_NEGATIVE_SLOPE,
    IS_BOUNDED_BELOW,
    IS_CONVEX,
    IS_NONINCREASING,
    Hypothesis,
    Theorem,
)

# --- What the loss of the difference graph asks of phi ---------------------------------------------------

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
# The proof, for phi nonincreasing and bounded below with phi(0) > inf phi. Let the difference graph be
# acyclic, so that (DMJ10 Lemma 16) A(p) asks for alpha_i > alpha_j, or for alpha_i >= alpha_j if i > j, on
# each edge i → j, and
#
#     W(p, alpha) = sum over edges i → j of d_ij phi(alpha_i - alpha_j).
#
# Spreading the scores along a topological order sends every alpha_i - alpha_j on an edge to infinity, so
# W*(p) = sum d_ij inf phi. A score vector outside A(p) has an edge with alpha_i - alpha_j <= 0, where phi is
# at least phi(0), so W exceeds W*(p) by at least d_ij (phi(0) - inf phi). There are finitely many edges, so
# the infimum outside A(p) exceeds W*(p) by at least the smallest of these numbers, which is positive.
#
# Convexity is not used, and phi'(0) < 0 only to have phi(0) > inf phi; so the same holds for the sigmoid and
# ramp losses. That phi is nonincreasing is used: the square loss penalizes large correct differences and
# fails.

_LOSS: Final = r"\(\sum_{i,j} [d_{ij}]_+ \phi(\alpha_i - \alpha_j)\)"

CONVEX_DIFFERENCE: Final = Theorem(
    name="DMJ13 §5.3",
    statement=(
        f"If the difference graph is acyclic, then {_LOSS} is consistent for pairwise disagreement when"
        r" \(\phi\) is convex, nonincreasing and bounded below with \(\phi'(0) < 0\)."
    ),
    citation="DMJ13 §5.3",
    families=(DifferenceSurrogate,),
    conditions=("acyclic",),
    hypotheses=(IS_CONVEX, IS_NONINCREASING, IS_BOUNDED_BELOW, HAS_NEGATIVE_SLOPE),
)

MONOTONE_DIFFERENCE: Final = Theorem(
    name="DMJ13 §5.3 without convexity",
    statement=(
        f"If the difference graph is acyclic, then {_LOSS} is consistent for pairwise disagreement when"
        r" \(\phi\) is nonincreasing and bounded below with \(\phi(0) > \inf \phi\)."
    ),
    citation="DMJ13 §5.3 (its proof does not use convexity)",
    families=(DifferenceSurrogate,),
    conditions=("acyclic",),
    hypotheses=(IS_NONINCREASING, IS_BOUNDED_BELOW, FALLS_AFTER_ZERO),
)


# --- The square loss on the difference graph is consistent where the differences are additive ------------
# It is not nonincreasing, so DMJ13 §5.3 does not cover it, and it does fail with four items, even for low
# noise (d = 9, 15, 72, 6, 7, 1 on 12, 13, 14, 23, 24, 34). But additive differences d_ij = y_i - y_j give it
# no room.
#
# The proof. Let phi(x) = a x^2 + b x + c with a > 0 > b; by scaling scores and risk, phi(x) = (1 - x)^2. If
# all y_i are equal, W is constant and A(p) holds all scores. Otherwise W is strictly convex and coercive up
# to shifts, as every item has an edge to or from the items of another value, and its minimizer alpha
# satisfies
#
#     sum_j |y_i - y_j| (alpha_i - alpha_j) = sum_j (y_i - y_j)    for every i.
#
# That is alpha_i = u(y_i) / v(y_i) with the functions u(y) = sum_j (y - y_j) + sum_j |y - y_j| alpha_j and
# v(y) = sum_j |y - y_j| > 0. Both are linear between neighboring values, so K = u' v - u v' is constant
# there. At a value y_i that k items share, u' jumps by 2 k alpha_i and v' by 2 k, so K jumps by
# 2 k (alpha_i v(y_i) - u(y_i)) = 0: it is one constant. Above all values K = m sum_j (y_j - mean) alpha_j,
# which by the equations is the sum over pairs of |y_i - y_j| (alpha_i - alpha_j)^2, so K > 0. Hence
# (u/v)' = K/v^2 > 0: the scores increase strictly with y, and alpha lies inside A(p). As W is coercive up to
# shifts and has no other minimizer up to shifts, its infimum outside A(p) is above W*(p).


def _falling_parabola(surrogate: DifferenceSurrogate, target: None) -> str | None:
    form = PiecewisePolynomial.of(surrogate.functions[0])
    if form is None or len(form.pieces) != 1 or len(form.pieces[0]) != 3:
        return None
    _, slope, curvature = form.pieces[0]
    return f"a = {curvature}, b = {slope}" if curvature > 0 > slope else None


SQUARE_ON_ADDITIVE: Final = Theorem(
    name="Square loss on additive differences",
    statement=(
        r"If \(d_{ij} = y_i - y_j\), then \(\sum_{i,j} [d_{ij}]_+ \phi(\alpha_i - \alpha_j)\) is consistent"
        r" for pairwise disagreement when \(\phi(x) = a x^2 + b x + c\) with \(a > 0 > b\)."
    ),
    citation="consistency_lab, theorems/difference.py (with proof)",
    families=(DifferenceSurrogate,),
    conditions=("additive",),
    hypotheses=(Hypothesis(r"\(\phi(x) = a x^2 + b x + c\) with \(a > 0 > b\)", _falling_parabola),),
)


# --- Two items that W does not tell apart, though the votes do (docs/theory.md, Exchangeable items) ---------

EXCHANGE: Final = "exchangeable items (docs/theory.md, Exchangeable items)"


def exchangeable(surrogate: Surrogate, a: Sequence[Sequence[Fraction]]) -> tuple[int, int] | None:
    r"""Items (i, j) with :math:`a_{ij} > a_{ji}` that may be tied near the infimum of W, which is wrong then.

    Let phi be convex, a line plus an even function, and W the sum of :math:`h_{ij} \phi(u_i - u_j)`. If

    .. math:: h_{ik} + h_{ki} = h_{jk} + h_{kj} \text{ for all } k, \quad
        \textstyle\sum_k (h_{ik} - h_{ki}) = \sum_k (h_{jk} - h_{kj}),

    W is the same when the two scores change places. Where phi falls forever towards a bound on one side and
    grows without bound on the other, k may run through the strong component of both.

    Parameters
    ----------
    surrogate
        An edge loss of the aggregate or a difference loss; of others nothing is said.
    a
        The aggregate.

    Examples
    --------
    Each of three items beats the next by one vote:

    >>> from consistency_lab.model.surrogates import surrogate
    >>> a = [[Fraction(x) for x in row] for row in ([0, 2, 1], [1, 0, 2], [2, 1, 0])]
    >>> exchangeable(surrogate("difference-logistic"), a), exchangeable(surrogate("exponential"), a)
    ((0, 1), None)
    """
    h = _weights(surrogate, a)
    phi = surrogate.functions[0]
    if h is None or not (is_convex(phi) and is_line_plus_even(phi)):
        return None
    for part in parts_apart(surrogate, a) or [tuple(range(len(h)))]:
        net = {i: sum((h[i][k] - h[k][i] for k in part), Fraction(0)) for i in part}
        for i, j in combinations(part, 2):
            if net[i] != net[j] or a[i][j] == a[j][i]:
                continue
            if all(h[i][k] + h[k][i] == h[j][k] + h[k][j] for k in part if k not in (i, j)):
                return (i, j) if a[i][j] > a[j][i] else (j, i)
    return None


def parts_apart(surrogate: Surrogate, a: Sequence[Sequence[Fraction]]) -> list[tuple[int, ...]] | None:
    """Sets of items whose own terms alone matter near the infimum: docs/theory.md, Components.

    None for other losses than those on edges or differences, convex, that fall forever towards a bound ahead
    and grow without bound behind.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> a = [[Fraction(x) for x in row] for row in ([0, 1, 1], [0, 0, 0], [2, 0, 0])]
    >>> parts_apart(surrogate("logistic"), a), parts_apart(surrogate("hinge"), a)
    ([(0, 2), (1,)], None)
    """
    h = _weights(surrogate, a)
    if h is None:
        return None
    trend = growth(surrogate.functions[0])
    if (trend.ahead, trend.behind) != (Trend.FADES, Trend.GROWS):
        return None
    arcs = ((i, j) for i, row in enumerate(h) for j, x in enumerate(row) if x and i != j)
    return sorted(strong_components(arcs, len(h)))


def _weights(surrogate: Surrogate, a: Sequence[Sequence[Fraction]]) -> list[list[Fraction]] | None:
    """What W weighs phi(u_i - u_j) by."""
    m = len(a)
    if type(surrogate) is DifferenceSurrogate:
        return [[max(a[i][j] - a[j][i], Fraction(0)) for j in range(m)] for i in range(m)]
    return [list(row) for row in a] if type(surrogate) is EdgeSurrogate and surrogate.of_aggregate else None
