"""Rigorous bounds of the slope of a convex phi on intervals, as whole multiples of 2^-40.

phi' increases, so on [low, high] every subgradient lies between the left derivative at `low` and the right
derivative at `high`; at the ends of the line the recession slopes phi'_inf take their place (Rockafellar,
Convex Analysis, Theorem 24.1).
"""

from fractions import Fraction
from math import ceil, floor, inf, isinf
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import Ball, LogRational
from consistency_lab.model.limits import towards
from consistency_lab.phi import Expression, PiecewisePolynomial, enclose_slopes, facts

Floats = NDArray[np.float64]
Slope = int | float
"""A whole number of units, or plus or minus infinity."""

UNIT: Final = 40
"""Slopes are counted in units of 2^-40."""

_STEEPEST: Final = 100
"""Slopes above 2^100 are as good as infinite."""

_FLATTEST: Final = Ball(2) ** -_STEEPEST
"""Slopes below 2^-100 are less than one unit, and are not written out."""


@final
class SlopeTable:
    """The slopes of one convex function; what was worked out once is remembered.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> table = SlopeTable(parse("max(0, 1-x)"))
    >>> [s / 2**UNIT for s in (table.least(0.0), table.most(0.0), table.most(1.0), table.least(-inf))]
    [-1.0, -1.0, 0.0, -1.0]
    """

    def __init__(self, phi: Expression) -> None:
        self._phi = phi
        self._known: dict[float, tuple[Slope, Slope]] = {}

    def least(self, x: float) -> Slope:
        """A lower bound of the subgradients at all points from x on."""
        return self._at(x)[0]

    def most(self, x: float) -> Slope:
        """An upper bound of the subgradients at all points up to x."""
        return self._at(x)[1]

    def bounds(self, low: Floats, high: Floats) -> tuple[NDArray[Any], NDArray[Any]]:
        """Bounds on intervals [low, high] of any shape, as arrays of whole numbers or infinities."""
        points, place = np.unique(np.concatenate((low.ravel(), high.ravel())), return_inverse=True)
        table = np.empty((len(points), 2), dtype=object)
        for k, point in enumerate(points):
            table[k, 0], table[k, 1] = self._at(float(point))
        count = low.size
        return (
            table[place[:count], 0].reshape(low.shape),
            table[place[count:], 1].reshape(high.shape),
        )

    def _at(self, x: float) -> tuple[Slope, Slope]:
        if x not in self._known:
            self._known[x] = self._end(x) if isinf(x) else self._inside(x)
        return self._known[x]

    def _inside(self, x: float) -> tuple[Slope, Slope]:
        left, right = enclose_slopes(self._phi, LogRational(Fraction(x)))
        return _units(left, -1), _units(right, 1)

    def _end(self, x: float) -> tuple[Slope, Slope]:
        side = 1 if x > 0 else -1
        slope = _recession(self._phi, side)
        if slope is None:
            return (-inf, inf)
        if isinf(slope):
            return (inf, inf) if side > 0 else (-inf, -inf)
        # phi'_inf(-1) is the recession slope outwards, so the slope of phi is its negative.
        exact = Fraction(slope) * side * (1 << UNIT)
        return floor(exact), ceil(exact)


def _units(ball: Ball, side: int) -> Slope:
    """The ball's lower (side -1) or upper end, rounded outwards."""
    end = (ball.upper() if side > 0 else ball.lower()) if ball.is_finite() else None
    if end is None:
        return side * inf
    if abs(end) < _FLATTEST:
        return side * int((end > 0) == (side > 0) and end != 0)
    mantissa, exponent = end.man_exp()
    if abs(end) > 2**_STEEPEST:
        return side * inf if (end > 0) == (side > 0) else -side * (1 << _STEEPEST + UNIT)
    exact = Fraction(int(mantissa)) * Fraction(2) ** (int(exponent) + UNIT)
    return ceil(exact) if side > 0 else floor(exact)


def _recession(phi: Expression, side: int) -> Fraction | float | None:
    """phi'_inf(side) if it is known: from the normal form, the rules, or SymPy's limit."""
    form = PiecewisePolynomial.of(phi)
    if form is not None:
        ahead, behind = form.recession()
        return ahead if side > 0 else behind
    known = facts(phi)
    falling = known.nonincreasing if side > 0 else known.nondecreasing
    if falling and known.lower is not None:
        return Fraction(0)
    found = towards(phi, side).slope
    if found is None:
        return None
    if not found.finite:
        return inf if found.sign > 0 else -inf
    try:
        return Fraction(found.text)
    except ValueError:
        return None
