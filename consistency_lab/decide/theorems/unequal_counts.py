"""How unequal counts may be: the worst regret of three items with counts n_ij within a factor r.

Let phi be regular with u(x) = -phi'(x) - phi'(-x) constant wherever phi'(x) < 0, and d low-noise or additive.
Only an adjacent pair can be wrong, with regret D <= n_23 (n_13 - n_23) / (n_13 + 2 n_23) and D <= n_12: with
y = n_23/n_13 and n_13 = 1 one variable is left (docs/theory.md, Unequal counts).
"""

from fractions import Fraction
from math import ceil
from typing import Final

from flint import arb

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact import ONE, Ball, as_fraction, enclose, rational_text, working_precision

UNEQUAL_COUNTS: Final = "Unequal counts (docs/theory.md)"
"""Where the proof is."""

_BITS: Final = 256
_PLACES: Final = 10**12
_DENOMINATOR: Final = 10_000
"""The largest denominator of y, so that the witness has short numbers."""


@frozen
class UnequalCounts:
    """The supremum of the normalized regret, and an aggregate near it."""

    ratio: Fraction  #: r.
    regret: Ball  #: The supremum over all p with these counts, a tie counted as wrong.
    #: The aggregate: scores (0, 0, -x) are stationary, and ties count as wrong.
    a: tuple[tuple[Fraction, ...], ...]
    tau: Fraction  #: 1 + 2 phi'(x)/u at that tie; the logistic loss has x = log((1 + tau)/(1 - tau)).
    #: The normalized regret there, which is that, or less by at most 10^-7.
    reached: Fraction
    upper: Fraction  #: The supremum if it is rational by the formula, else at most 10^-12 more.
    formula: str  #: The supremum in r.


def unequal_counts(ratio: Fraction) -> UnequalCounts:
    """The worst normalized regret of three items under low noise, counts at most `ratio` >= 1 apart."""
    if ratio < 1:
        raise InputError(f"the ratio is {ratio}; it must be at least 1")
    with working_precision(_BITS):
        best: tuple[Ball, Ball, bool, str] | None = None
        for y, least, formula in _candidates(ratio):
            regret = _regret(y, enclose(1 / ratio) if least else _bound(y))
            if best is None or regret > best[0]:
                best = (regret, y, least, formula)
        assert best is not None
        regret, y, least, formula = best
        near = min(max(as_fraction(y.mid()).limit_denominator(_DENOMINATOR), 1 / ratio), ONE)
        bound = near * (1 - near) / (1 + 2 * near)
        middle = 1 / ratio if least else max(bound, 1 / ratio)
        worst = min(bound, middle)
        tau = 1 - worst / near
        a = _aggregate(middle, near, worst, tau)
        upper = (ratio - 1) / (ratio + 2) ** 2
        if formula == _PLAIN:
            formula = str(upper)
        else:
            upper = Fraction(ceil(as_fraction(regret.upper()) * _PLACES), _PLACES)
            formula = formula.replace("R", rational_text(ratio))
        return UnequalCounts(ratio, regret, a, tau, worst / (1 + near + middle), upper, formula)


def _bound(y: Ball) -> Ball:
    """The largest D at n_13 = 1, n_23 = y."""
    return y * (1 - y) / (1 + 2 * y)


def _regret(y: Ball, middle: Ball) -> Ball:
    """D over the sum of all counts, n_12 being `middle`."""
    bound = _bound(y)
    return (bound if bound < middle else middle if middle < bound else bound.max(middle)) / (1 + y + middle)


_PLAIN: Final = "(r-1)/(r+2)^2"


def _candidates(ratio: Fraction) -> list[tuple[Ball, bool, str]]:
    """The y at which the regret may be largest, whether n_12 is as small as may be, and the regret in r."""
    c, r = enclose(1 / ratio), enclose(ratio)
    candidates = [(c, True, _PLAIN)]
    # n_12 = c: the derivative of y (1-y) / ((1 + 2y)(1 + c + y)) is 0.
    inner = (((1 + c) * (6 + 3 * c)).sqrt() - (1 + c)) / (5 + 2 * c)
    if not (inner < c or _bound(inner) > c):
        candidates.append((inner, True, "r*(5*r+4-2*sqrt(3*(r+1)*(2*r+1)))/(r+2)^2 at r = R"))
    # D = n_12 = c: r y (1-y) = 1 + 2y, the smaller y.
    if ratio > 8 or (r - 2) ** 2 >= 4 * r:
        smaller = ((r - 2) - ((r - 2) ** 2 - 4 * r).sqrt()) / (2 * r)
        candidates.append((smaller, True, "1/(r+1+r*y) at r = R, y the smaller root of r*y*(1-y) = 1+2*y"))
    # n_12 = D: the derivative of y (1-y) / (1 + 4y + y^2) is 0.
    free = (arb(6).sqrt() - 1) / 5
    if not (free < c or _bound(free) < c):
        candidates.append((free, False, "1/2-1/sqrt(6)"))
    return candidates


def _aggregate(
    middle: Fraction, y: Fraction, worst: Fraction, tau: Fraction
) -> tuple[tuple[Fraction, ...], ...]:
    """The a with n = (middle, 1, y) and d_12 = D = `worst` at which 1 and 2 are tied."""
    n = {(0, 1): middle, (0, 2): ONE, (1, 2): y}
    d = {(0, 1): worst, (0, 2): tau - worst, (1, 2): y * tau + worst}
    a = [[Fraction(0)] * 3 for _ in range(3)]
    for (i, j), count in n.items():
        a[i][j], a[j][i] = (count + d[i, j]) / 2, (count - d[i, j]) / 2
    return tuple(map(tuple, a))
