r"""Surrogates whose excess risk is a squared distance: H(eps) = c eps^2.

With N_i = sum_j d_ij, completing the square gives

- linear, r(x) = q x^2 + b x + const with q > 0: W = sum_i (nu r(alpha_i) - N_i alpha_i). In
  beta = 2 q nu alpha + nu b, which has the order of alpha, the excess is |beta - N|^2 / (4 q nu). For
  r = x^2/2 it is (nu/2) |alpha - N/nu|^2.
- regression on the net preference: the excess is |alpha - N|^2 (RAT13 Theorem 6).

Both are jointly convex in (d, alpha) and homogeneous of degree 2, so c = factor * D with D the
least |beta - N|^2 at regret 1 (`distance`). D is known in closed form, except for low noise.

Additive, any m: D = 3m/(m^2 - 1). If beta_i <= beta_k on a wrong pair i → k, then with u = beta - N
u_k - u_i >= N_i - N_k = m d_ik. Summed over the set S of wrong pairs: <u, v> >= m eps, where
v = sum over S of (e_k - e_i). This v lies in the sum of the segments [-1, 1] (e_k - e_i) over all pairs,
whose vertices are the permutations of (m-1, m-3, ..., 1-m), so |v|^2 <= m (m^2 - 1)/3. Hence
|u|^2 >= 3 m eps^2/(m^2 - 1), with equality for equal steps y_i - y_{i+1} and all scores tied.

Low noise, any m: N_i - N_k >= 2 d_ik (the proof of DMJ10 Lemma 14) gives <u, v> >= 2 eps in the same way, so
12/(m (m^2 - 1)) <= D <= 3m/(m^2 - 1); where the quadratic programs are solved (m <= 5), D is the upper bound.

Net order, m >= 3: D = 0. With d_12 = 2, d_23 = 1 the net preferences are (2, -1, -1): the tie of 2 and 3
costs nothing and has regret 1. It lies in the closure of the condition only: at each of its distributions
the loss is right (DMJ10 Theorem 13), but H is an infimum over all of them, and no function of the excess
bounds the regret. The same d shows D = 0 for an acyclic difference graph, and for no condition.

See docs/theory.md, How wrong and how often.
"""

from fractions import Fraction
from typing import Final

from consistency_lab.measure.calibration.distance import Nearest, least_distance
from consistency_lab.measure.calibration.result import (
    BRACKET,
    CLOSED_FORM,
    EXACT,
    Attained,
    Calibration,
    Law,
)
from consistency_lab.model.conditions import implies
from consistency_lab.model.distribution import Matrix
from consistency_lab.model.surrogates import LinearSurrogate, RegressionSurrogate, Surrogate
from consistency_lab.phi import PiecewisePolynomial
from consistency_lab.search.effort import Effort

PROGRAMS_UP_TO: Final = 5
"""For more items there are too many posets and orders."""

_ZERO: Final = Fraction(0)
_BOUNDARY: Final = "the condition holds nearby, but not at this limit, where two net preferences are equal"
_NOT_UNIFORM: Final = (
    "The surrogate is right at each distribution of the condition, but not uniformly: near this limit the "
    "regret is 1 at an excess surrogate risk as small as you like, so no function of the excess bounds it."
)
_WRONG: Final = "The minimizer itself has this regret under the tie rule: the surrogate is not consistent."


def is_quadratic(surrogate: Surrogate) -> bool:
    """Whether the excess risk is a multiple of a squared distance.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> is_quadratic(surrogate("linear")), is_quadratic(surrogate("linear", r="x**4"))
    (True, False)
    """
    return type(surrogate) is RegressionSurrogate or _parabola(surrogate) is not None


def quadratic_calibration(surrogate: Surrogate, condition: str, m: int, effort: Effort) -> Calibration:
    """H for a surrogate that `is_quadratic`.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> found = quadratic_calibration(surrogate("linear"), "low-noise", 3, Effort())
    >>> found.kind, found.law.c
    ('exact', Fraction(9, 16))
    """
    if m == 2 or condition == "additive":
        return _law(surrogate, condition, m, distance := additive_distance(m), distance, _equal_steps(m))
    if not implies(condition, "low-noise"):
        consistent = implies(condition, "net-order")
        point = _tied_nets(m, _BOUNDARY if consistent else "")
        return _law(surrogate, condition, m, _ZERO, _ZERO, point, _NOT_UNIFORM if consistent else _WRONG)
    lower, upper = Fraction(12, m * (m * m - 1)), additive_distance(m)
    if m > PROGRAMS_UP_TO:
        note = (
            f"The quadratic programs are solved for at most {PROGRAMS_UP_TO} items; these bounds have proofs."
        )
        return _law(surrogate, condition, m, lower, upper, _equal_steps(m), note)
    found = least_distance(condition, m, effort)
    if found.nearest is None or not found.exact:
        note = f"Not all quadratic programs were settled ({found.cases} looked at); these bounds have proofs."
        return _law(surrogate, condition, m, max(lower, found.lower), upper, _equal_steps(m), note)
    point = _from_program(found.nearest)
    return _law(surrogate, condition, m, found.lower, found.lower, point, cases=found.cases)


def additive_distance(m: int) -> Fraction:
    """D = 3m/(m^2 - 1) for additive differences.

    Examples
    --------
    >>> [str(additive_distance(m)) for m in (2, 3, 4, 5)]
    ['2', '9/8', '4/5', '5/8']
    """
    return Fraction(3 * m, m * m - 1)


def _law(
    surrogate: Surrogate,
    condition: str,
    m: int,
    lower: Fraction,
    upper: Fraction,
    point: Attained,
    note: str = "",
    cases: int = 0,
) -> Calibration:
    """The law for a proved lower <= D <= upper; the scores of the point are still beta."""
    curvature, slope, nu = _parabola(surrogate) or (Fraction(1, 2), _ZERO, Fraction(1))
    factor = Fraction(1) if type(surrogate) is RegressionSurrogate else 1 / (4 * curvature * nu)
    assert point.scores is not None
    scores = tuple((beta / nu - slope) / (2 * curvature) for beta in point.scores)
    at = Attained(point.d, scores, point.order, point.approached)
    c = factor * lower if lower == upper else None
    kind = BRACKET if c is None else EXACT if cases else CLOSED_FORM
    law = Law(2, factor * lower, factor * upper, c, at, cases)
    return Calibration(surrogate, condition, m, kind, law, note=note)


def _parabola(surrogate: Surrogate) -> tuple[Fraction, Fraction, Fraction] | None:
    """q, b and nu, if r(x) = q x^2 + b x + const with q > 0."""
    form = PiecewisePolynomial.of(surrogate.r) if type(surrogate) is LinearSurrogate else None
    if form is None or len(form.pieces) != 1 or len(form.pieces[0]) != 3:
        return None
    _, slope, curvature = form.pieces[0]
    assert type(surrogate) is LinearSurrogate
    return (curvature, slope, surrogate.nu) if curvature > 0 else None


def _equal_steps(m: int) -> Attained:
    """d_ij = (j - i) t with sum over pairs 1, and all scores tied."""
    step = Fraction(6, m * (m * m - 1))
    d = tuple(tuple((j - i) * step for j in range(m)) for i in range(m))
    return Attained(d, (_ZERO,) * m, tuple(reversed(range(m))))


def _tied_nets(m: int, approached: str) -> Attained:
    """d_12 = 2, d_23 = 1: the scores N = (2, -1, -1, 0, ...) tie 2 and 3."""
    d = [[_ZERO] * m for _ in range(m)]
    for i, k, weight in ((0, 1, 2), (1, 2, 1)):
        d[i][k], d[k][i] = Fraction(weight), Fraction(-weight)
    scores = tuple(sum(row, _ZERO) for row in d)
    return Attained(tuple(map(tuple, d)), scores, (0, *range(3, m), 2, 1), approached)


def _from_program(nearest: Nearest) -> Attained:
    return Attained(_antisymmetric(nearest), nearest.beta, nearest.case.order)


def _antisymmetric(nearest: Nearest) -> Matrix:
    m = nearest.case.shape.m
    d = [[_ZERO] * m for _ in range(m)]
    for (i, k), value in zip(nearest.case.shape.pairs, nearest.d, strict=True):
        d[i][k], d[k][i] = value, -value
    return tuple(map(tuple, d))
