"""How a convex function behaves far out: does it grow, come to rest, or fall forever?"""

from dataclasses import dataclass
from enum import Enum, unique
from fractions import Fraction
from functools import lru_cache
from typing import Final, final

from consistency_lab.exact import Ball, LogRational, certainly_less, enclose, lower_decimal
from consistency_lab.model.limits import towards
from consistency_lab.phi import Expression, enclose_slopes, facts
from consistency_lab.solve.kinds import is_analytic, is_convex, piecewise

_STEEP: Final = Fraction(1 << 100)
_STEEP_BALL: Final = enclose(_STEEP)
_FLAT: Final = 1 / _STEEP
_FLAT_BALL: Final = enclose(_FLAT)
_PROBES: Final = tuple(Fraction(4) ** k for k in range(-2, 5))


@unique
class Trend(Enum):
    """The behavior of a convex function towards one end of the line; the value is a phrase for people."""

    GROWS = "grows without bound"
    RESTS = "is constant from some point on"
    FADES = "falls forever towards a bound"
    FALLS = "falls without bound"
    UNKNOWN = "is not known"


@final
@dataclass(frozen=True, slots=True)
class Growth:
    """Both ends of one function.

    Parameters
    ----------
    ahead, behind
        Its trend towards plus and minus infinity.
    rise_ahead, rise_behind
        Lower bounds of the recession slopes phi'_inf(1) and phi'_inf(-1), ``inf`` if they are infinite,
        None if nothing is known.
    """

    ahead: Trend
    behind: Trend
    rise_ahead: Fraction | float | None
    rise_behind: Fraction | float | None


@lru_cache(maxsize=512)
def growth(phi: Expression) -> Growth:
    """The growth of a function; everything that is said is proved.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> found = growth(parse("log(1+exp(-x))"))
    >>> found.ahead.name, found.behind.name
    ('FADES', 'GROWS')
    """
    if not is_convex(phi):
        return Growth(Trend.UNKNOWN, Trend.UNKNOWN, None, None)
    form = piecewise(phi)
    if form is not None:
        forwards, backwards = form.recession()
        return Growth(_of_slope(forwards), _of_slope(backwards), forwards, backwards)
    if phi.op == "add":
        total = _sum(growth(phi.args[0]), growth(phi.args[1]))
        if Trend.UNKNOWN not in (total.ahead, total.behind):
            return total
    (ahead, rise_ahead), (behind, rise_behind) = (_side(phi, side) for side in (1, -1))
    return Growth(ahead, behind, rise_ahead, rise_behind)


def _sum(u: Growth, v: Growth) -> Growth:
    return Growth(
        _together(u.ahead, v.ahead),
        _together(u.behind, v.behind),
        None if u.rise_ahead is None or v.rise_ahead is None else u.rise_ahead + v.rise_ahead,
        None if u.rise_behind is None or v.rise_behind is None else u.rise_behind + v.rise_behind,
    )


def _together(u: Trend, v: Trend) -> Trend:
    """The trend of a sum: the stronger of two that do not pull in different directions."""
    for unclear in (Trend.UNKNOWN, Trend.FALLS):
        if unclear in (u, v):
            return unclear if u is v or Trend.GROWS not in (u, v) else Trend.UNKNOWN
    return next((trend for trend in (Trend.GROWS, Trend.FADES) if trend in (u, v)), Trend.RESTS)


def _of_slope(recession: Fraction | float) -> Trend:
    # A polynomial piece whose recession slope is zero is constant.
    if recession == 0:
        return Trend.RESTS
    return Trend.GROWS if recession > 0 else Trend.FALLS


def _steepest(phi: Expression, side: int) -> Fraction | None:
    """The largest certain slope outwards at the probes: phi'_inf(side) is at least that."""
    best: Fraction | None = None
    for x in _PROBES:
        left, right = enclose_slopes(phi, LogRational(side * x))
        outward = left if side > 0 else -right
        if not outward.is_finite():
            continue
        bound = _below(outward)
        if bound is not None:
            best = bound if best is None else max(best, bound)
    return best


def _below(slope: Ball) -> Fraction | None:
    """A short rational that is certainly not above a slope; None for one far below zero.

    Slopes as large as a tower of exponentials, or as close to zero, are not written out.
    """
    low = slope.lower()
    if not low > -_STEEP_BALL:
        return None
    if low > _STEEP_BALL:
        return _STEEP
    if abs(low) < _FLAT_BALL:
        return Fraction(0) if low >= 0 else -_FLAT
    return lower_decimal(slope)


def _side(phi: Expression, side: int) -> tuple[Trend, Fraction | float | None]:
    rise = _steepest(phi, side)
    if rise is not None and rise > 0:
        return Trend.GROWS, rise
    known = facts(phi)
    falling = known.nonincreasing if side > 0 else known.nondecreasing
    if falling and known.lower is not None:
        return _fading(phi, side), Fraction(0)
    return _by_limits(phi, side, rise)


def _fading(phi: Expression, side: int) -> Trend:
    """A convex function that never rises and is bounded. Analytic, it is constant nowhere or everywhere."""
    zero = enclose(0)
    moves = any(
        certainly_less(side * slope, zero)
        for x in (*_PROBES, *(-x for x in _PROBES))
        for slope in enclose_slopes(phi, LogRational(x))
    )
    return Trend.FADES if moves and is_analytic(phi) else Trend.UNKNOWN


def _by_limits(phi: Expression, side: int, rise: Fraction | None) -> tuple[Trend, Fraction | float | None]:
    """The last resort: limits by SymPy. A convex function whose recession slope is 0 never rises."""
    end = towards(phi, side)
    if end.slope is None or end.value is None:
        return Trend.UNKNOWN, rise
    if end.slope.sign:
        return (Trend.GROWS, rise) if end.slope.sign > 0 else (Trend.FALLS, rise)
    return (_fading(phi, side) if end.value.finite else Trend.UNKNOWN), Fraction(0)
