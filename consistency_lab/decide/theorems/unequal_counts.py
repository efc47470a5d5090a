"""How unequal counts may be: the worst regret of three items with counts n_ij within a factor r.

Let phi be regular with u(x) = -phi'(x) - phi'(-x) constant wherever phi'(x) < 0, d low-noise or additive, and
all n_ij at most r times another. Then only an adjacent pair can be wrong, say 1 and 2, and then its regret D
is at most n_12 and, with tau = 1 + 2 phi'/u,

    3 D <= (n_13 - n_23) tau,    D <= n_23 (1 - tau),    so    D <= n_23 (n_13 - n_23) / (n_13 + 2 n_23),

with equality at a tie of 1 and 2. With y = n_23/n_13 and n_13 = 1 one variable is left (docs/theory.md,
Unequal counts).
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, sqrt
from typing import Final

from flint import arb

from consistency_lab.decide.theorems.base import CLASSIFYING, IS_NONINCREASING, Hypothesis
from consistency_lab.decide.theorems.linear import OWN_WEIGHTS
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.designs import design as named_design
from consistency_lab.model.surrogates import EdgeSurrogate, Surrogate
from consistency_lab.numbers.exact import ONE, Ball, as_fraction, enclose, rational_text, working_precision
from consistency_lab.numbers.reflection import Push, odd_slope, push

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


# --- The worst regret at several ratios ------------------------------------------------------------------

RATIOS: Final = tuple(map(Fraction, ("1", "6/5", "3/2", "2", "3", "5", "8", "12")))


@frozen
class Ends:
    """What is proved of the worst regret at one ratio."""

    surrogate: str  #: Its name.
    m: int
    ratio: Fraction
    lower: Fraction  #: Shown by a witness that the core accepts; 0 if there is none.
    upper: Fraction | None  #: Proved; None if nothing is.


def nested(ends: Sequence[Ends]) -> list[Ends]:
    """The ends by rising ratio, tightened by each other: what a ratio allows, larger ones allow too."""
    risen = [replace(end, lower=max(one.lower for one in ends[: k + 1])) for k, end in enumerate(ends)]
    return [
        replace(end, upper=min((one.upper for one in ends[k:] if one.upper is not None), default=None))
        for k, end in enumerate(risen)
    ]


@frozen
class OverRatio:
    """The worst regrets of some surrogates and numbers of items, each at the same ratios."""

    condition: str
    ends: tuple[Ends, ...]  #: By surrogate, number of items and ratio.

    @property
    def curves(self) -> dict[tuple[str, int], list[Ends]]:
        """The ends of each surrogate and number of items."""
        curves: dict[tuple[str, int], list[Ends]] = {}
        for end in self.ends:
            curves.setdefault((end.surrogate, end.m), []).append(end)
        return curves


# --- Which question is which theorem's, and the rule for practitioners ------------------------------------

_ROWS: Final = ("additive", "low-noise")


def ratio_of(design: str) -> Fraction | None:
    """The number R of ``ratio:R``, 1 for balanced, None for any; other designs are refused."""
    known = named_design(design)
    if known.ratio is None and known.name != "any":
        raise InputError(f"the worst regret is known for balanced, ratio:R and any, not for {design}")
    return known.ratio


def of_three(surrogate: Surrogate, condition: str, m: int) -> bool:
    """Whether `unequal_counts` is proved to be the answer."""
    return m == 3 and condition in _ROWS and _has_constant_push(surrogate)


def _has_constant_push(surrogate: Surrogate) -> bool:
    """Whether phi is regular, with u constant where phi' < 0, and differences stay in that range."""
    if type(surrogate) is not EdgeSurrogate or not _has(surrogate, OWN_WEIGHTS, *CLASSIFYING):
        return False
    falls = _has(surrogate, IS_NONINCREASING) or odd_slope(surrogate.phi) is not None
    return falls and push(surrogate.phi) is Push.CONSTANT


def _has(surrogate: Surrogate, *asked: Hypothesis) -> bool:
    return all(one.check(surrogate, None) is not None for one in asked)


def conjectured(surrogate: Surrogate, condition: str, ratio: Fraction, m: int) -> tuple[str, float] | None:
    """A regret on four items under low noise, and its decimals: perhaps the largest, unproved."""
    # Items 1, 2 are tied, and 3, 4, with n_14 = r, n_13 = n_24 = s, all others 1.
    if m != 4 or condition != "low-noise" or not _has_constant_push(surrogate):
        return None
    s = sqrt((ratio + 1) / 2)
    where = f"s = sqrt((r+1)/2) at r = {rational_text(ratio)}"
    if ratio <= 7:
        return f"(s-1)/(s^2+s+1), {where}", (s - 1) / (s * s + s + 1)
    if (ratio - 5) ** 2 <= 32:
        return f"(s-1)/(s^2+2*s-1), {where}", (s - 1) / (s * s + 2 * s - 1)
    return "(2-sqrt(2))/4", (2 - sqrt(2)) / 4


def harmless_ratio(g: Fraction, m: int) -> Fraction:
    """Counts that differ by a smaller factor are harmless if each pair is won with 1/2 + g or more.

    Under low noise, of the edge losses with a regular, nonincreasing phi and u constant, such as the logistic
    loss (docs/theory.md, Unequal counts): 1 + 2gm/(m-2) for any m. Three items stand (1 + 4g)/(1 - 2g) as
    long as that is at most 1 + sqrt(3), and no more.
    """
    if not 0 < g <= Fraction(1, 2):
        raise InputError(f"the margin is {g}; it must be above 0 and at most 1/2, since P >= 1/2 + g")
    if m < 3:
        raise InputError(f"there are {m} items; ratios of counts need at least 3")
    plain = 1 + 2 * g * m / (m - 2)
    if m > 3:
        return plain
    if g < Fraction(1, 2) and (exact := (1 + 4 * g) / (1 - 2 * g)) <= _CLOSE:
        return exact
    return max(plain, _CLOSE)


_CLOSE: Final = Fraction(30, 11)
"""Just below 1 + sqrt(3)."""


def harmless_margin(surrogate: Surrogate, condition: str, ratio: Fraction, m: int) -> Fraction | None:
    """The g above which `harmless_ratio` is larger than the ratio; None if the rule does not apply."""
    if m < 3 or condition not in _ROWS or type(surrogate) is not EdgeSurrogate:
        return None
    if odd_slope(surrogate.phi) is None or not _has(surrogate, OWN_WEIGHTS, *CLASSIFYING, IS_NONINCREASING):
        return None
    plain = (ratio - 1) * (m - 2) / (2 * m)
    margin = (ratio - 1) / (ratio + 2) / 2 if m == 3 and ratio <= _CLOSE else plain
    return margin if margin < Fraction(1, 2) else None
