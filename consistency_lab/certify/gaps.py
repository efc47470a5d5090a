"""The gap of a separation certificate in floats: a proposal; the core has the last word."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isfinite
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.certify.separation import Dual
from consistency_lab.core import risk as core
from consistency_lab.core.separation import PRECISIONS, Bound, margins
from consistency_lab.errors import RejectedError
from consistency_lab.exact import LogRational, certainly_positive, lower_decimal
from consistency_lab.model.surrogates import Term
from consistency_lab.solve.kinds import Kind, kind_of
from consistency_lab.solve.numeric import compiled

Floats = NDArray[np.float64]
Pair = tuple[int, int]

_CERTAIN: Final = 1e-9
"""Differences below this share of the sizes that go into them are left to exact arithmetic."""

_LEAST_GAP: Final = Fraction(1, 10**300)
"""Smaller gaps have no text in the format."""

_DOWN: Final = Context(prec=6, rounding=ROUND_FLOOR)


def proposed_gap(
    terms: Sequence[Term], scores: Sequence[LogRational], duals: Sequence[Dual]
) -> Decimal | None:
    """How far the dual bounds lie above W at the scores, to six digits, rounded down.

    Returns
    -------
    Decimal or None
        Not positive where a bound is surely not above; None where floats cannot tell.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from consistency_lab.model.surrogates import pair
    >>> from consistency_lab.phi import parse
    >>> phi, zero = parse("exp(-x)"), Fraction(0)
    >>> terms = [pair(Fraction(3), phi, 0, 1), pair(Fraction(1), phi, 1, 0)]
    >>> tied = Dual(Fraction(2), (Fraction(-1),) * 2, ((zero, zero),) * 2)  # W >= 4 if item 1 is above
    >>> proposed_gap(terms, [LogRational.parse("1/2"), LogRational(zero)], [tied])
    Decimal('0.531686')
    """
    if not terms or any(kind_of(term.phi) not in (Kind.SMOOTH, Kind.STRAIGHT) for term in terms):
        return None
    c = np.array([float(term.c) for term in terms])
    b = np.array([float(term.b) for term in terms])
    alpha = [float(score) for score in scores]
    at = np.array([sum(n * alpha[item] for item, n in term.v) for term in terms]) - b
    below = c * _jets(terms, at)[0]
    gap, size = np.inf, np.abs(below).sum()
    for dual in duals:
        if None in dual.brackets:
            return None
        s = np.array([float(slope) for slope in dual.slopes])
        left, right = np.array([(float(x[0]), float(x[1])) for x in dual.brackets if x is not None]).T
        value, slope = _jets(terms, left)
        parts = c * (s * (b + left) - value + (s - slope) * (right - left))
        gap = min(gap, -parts.sum() - below.sum())
        size = max(size, np.abs(c * value).sum() + np.abs(c * s * (b + left)).sum())
    if not isfinite(size) or abs(gap) <= _CERTAIN * size:
        return None
    # The quotient has no zeros at its end, like the gap that the core finds.
    numerator, denominator = _DOWN.create_decimal_from_float(float(gap)).as_integer_ratio()
    return Decimal(numerator) / Decimal(denominator)


def certain_gap(
    terms: Sequence[Term], scores: Sequence[LogRational], duals: Mapping[Pair, Dual]
) -> Decimal | None:
    """The same by enclosures: a decimal of six digits that certainly all bounds reach; None if there is none.

    Parameters
    ----------
    terms, scores
        W, and where it is compared.
    duals
        A dual for each pair (above, below).
    """
    atoms = [core.Term(t.c, t.phi, tuple((k, Fraction(n)) for k, n in t.v), t.b) for t in terms]
    bounds = [Bound(i, j, dual.slopes, dual.brackets) for (i, j), dual in duals.items()]
    names = [str(k + 1) for k in range(len(scores))]
    for bits in PRECISIONS:
        try:
            found = margins(atoms, bounds, scores, bits, names)
        except RejectedError:
            continue
        if all(certainly_positive(margin) and margin.is_finite() for margin in found):
            gap = min(map(lower_decimal, found))
            # Six digits and a power of ten: the quotient of two such decimals is exact.
            return Decimal(gap.numerator) / Decimal(gap.denominator) if gap > _LEAST_GAP else None
        if any(margin < 0 for margin in found):
            return None
    return None


def _jets(terms: Sequence[Term], at: Floats) -> tuple[Floats, Floats]:
    """Values and slopes of the terms' functions, each at its own point."""
    value, slope = np.empty((2, len(terms)))
    for phi in {term.phi for term in terms}:
        own = np.array([term.phi == phi for term in terms])
        value[own], slope[own], _ = compiled(phi)(at[own])
    return value, slope
