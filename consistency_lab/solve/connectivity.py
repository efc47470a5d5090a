"""Is the minimum of W attained, and is it unique? Connectivity of the support, growth of phi."""

from collections.abc import Iterable, Sequence
from enum import Enum, unique
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates import Term
from consistency_lab.numbers.exact import Ball, LogRational, certainly_less, enclose, lower_decimal
from consistency_lab.numbers.exact.linear import rank
from consistency_lab.numbers.phi import Expression, enclose_slopes, facts
from consistency_lab.solve.kinds import Kind, is_analytic, is_convex, kind_of, piecewise
from consistency_lab.solve.numeric import compiled
from consistency_lab.solve.stationary import Slopes, argument

# --- How a convex function behaves far out: does it grow, come to rest, or fall forever? -----------------

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


@frozen
class Growth:
    """Both ends of one function."""

    #: Its trend towards plus and minus infinity.
    ahead: Trend
    behind: Trend
    #: Lower bounds of the recession slopes phi'_inf(1) and phi'_inf(-1), ``inf`` if they are infinite, None
    #: if nothing is known.
    rise_ahead: Fraction | float | None
    rise_behind: Fraction | float | None


@lru_cache(maxsize=512)
def growth(phi: Expression) -> Growth:
    """The growth of a function; everything that is said is proved."""
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
    """A short rational that is certainly not above a slope; None for one far below zero."""
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
    from consistency_lab.model.limits import towards

    end = towards(phi, side)
    if end.slope is None or end.value is None:
        return Trend.UNKNOWN, rise
    if end.slope.sign:
        return (Trend.GROWS, rise) if end.slope.sign > 0 else (Trend.FALLS, rise)
    return (_fading(phi, side) if end.value.finite else Trend.UNKNOWN), Fraction(0)


# --- Is the minimum of W attained? Strong connectivity of its support, and the direction of escape -------
# Moving along z changes the argument of term t by y_t = <v_t, z>. Where phi_t grows in that direction y_t
# must have the other sign or be zero, which for v_t = e_i - e_j is an arc between two items. If these arcs
# connect all items strongly there is no z but shifts, W is coercive and its minimum is attained. Otherwise
# the strong components move apart, and whether that lowers W forever is a matter of how the functions end. A
# term of a single item is an arc to a ground whose score is fixed at zero.
#
# See docs/theory.md, Attainment.

Arc = tuple[int, int]


@frozen
class Attainment:
    """What is proved about the infimum of W."""

    attained: bool | None  #: True, False, or None if this test does not decide it.
    #: If not attained: integers z, one per item, along which W falls forever from every point.
    direction: tuple[int, ...] | None
    #: The strong components of the support, those that escape upwards first.
    components: tuple[tuple[int, ...], ...]


def attainment(terms: Sequence[Term], m: int) -> Attainment:
    """Whether the minimum of W over m items is attained; terms with coefficient 0 are ignored."""
    used = [term for term in terms if term.c]
    ends = [_ends(term, m) for term in used]
    everything = (tuple(range(m)),)
    if any(end is None for end in ends):
        return Attainment(_dominated(used, m) or None, None, everything)
    arcs = [end for end in ends if end is not None]
    grounded = any(m in arc for arc in arcs)
    trends = [growth(term.phi) for term in used]
    # An arc (i, j) says that z_i <= z_j.
    rising = [arc for arc, trend in zip(arcs, trends, strict=True) if trend.ahead is Trend.GROWS]
    rising += [(j, i) for (i, j), trend in zip(arcs, trends, strict=True) if trend.behind is Trend.GROWS]
    levels, parts = condensed(rising, m + grounded)
    components = tuple(tuple(i for i in part if i < m) for part in parts)
    components = tuple(part for part in components if part)
    unclear = {Trend.FALLS, Trend.UNKNOWN}
    if any(unclear & {trend.ahead, trend.behind} for trend in trends):
        return Attainment(_dominated(used, m) or None, None, components)
    if any(
        (trend.ahead if levels[i] > levels[j] else trend.behind) is Trend.FADES
        for (i, j), trend in zip(arcs, trends, strict=True)
        if levels[i] != levels[j]
    ):
        ground = levels[m] if grounded else 0
        return Attainment(False, tuple(level - ground for level in levels[:m]), components)
    return Attainment(True, None, components)


def _ends(term: Term, m: int) -> Arc | None:
    """(i, j) if <v, alpha> is a positive multiple of alpha_i - alpha_j; the ground is item m."""
    match term.v:
        case ((i, n), (j, k)) if n == -k:
            return (i, j) if n > 0 else (j, i)
        case ((i, n),):
            return (i, m) if n > 0 else (m, i)
    return None


def condensed(arcs: Iterable[Arc], n: int) -> tuple[list[int], list[tuple[int, ...]]]:
    """Levels, equal within strong components and growing along all other arcs; the components, top first."""
    parts = strong_components(arcs, n)
    place = {i: k for k, part in enumerate(parts) for i in part}
    level = [0] * len(parts)
    # The components come in topological order, so each one's level is settled before it is passed on.
    across = sorted({(place[i], place[j]) for i, j in arcs if place[i] != place[j]})
    for low, high in across:
        level[high] = max(level[high], level[low] + 1)
    order = sorted(range(len(parts)), key=lambda k: (-level[k], parts[k]))
    return [level[place[i]] for i in range(n)], [parts[k] for k in order]


def strong_components(arcs: Iterable[Arc], n: int) -> list[tuple[int, ...]]:
    """The strong components of a graph on 0..n-1, each sorted, sources first (in topological order)."""
    reach = [1 << i for i in range(n)]
    for i, j in arcs:
        reach[i] |= 1 << j
    for k in range(n):
        for i in range(n):
            if reach[i] >> k & 1:
                reach[i] |= reach[k]
    parts = {tuple(j for j in range(n) if reach[i] >> j & 1 and reach[j] >> i & 1) for i in range(n)}
    # A component reaches strictly more than those after it.
    return sorted(parts, key=lambda part: (-reach[part[0]].bit_count(), part))


def _dominated(terms: Sequence[Term], m: int) -> bool:
    """Whether functions of single items certainly outgrow whatever falls: then W is coercive.

    With rise_i the least slope at which item i's own terms grow, and fall_t the steepest descent of term t,
    W grows along z at least like sum_i |z_i| (rise_i - sum_t c_t fall_t |v_ti|).
    """
    up: list[Fraction | float] = [Fraction(0)] * m
    down: list[Fraction | float] = [Fraction(0)] * m
    fall: list[Fraction | float] = [Fraction(0)] * m
    for term in terms:
        trend = growth(term.phi)
        if trend.rise_ahead is None or trend.rise_behind is None:
            return False
        if len(term.v) == 1:
            (i, n) = term.v[0]
            ahead, behind = trend.rise_ahead, trend.rise_behind
            if n < 0:
                ahead, behind = behind, ahead
            up[i] += _times(term.c * abs(n), ahead)
            down[i] += _times(term.c * abs(n), behind)
            continue
        steepest = max(Fraction(0), -trend.rise_ahead, -trend.rise_behind)
        for i, n in term.v:
            fall[i] += _times(term.c * abs(n), steepest)
    return all(min(up[i], down[i]) > fall[i] for i in range(m))


def _times(c: Fraction, slope: Fraction | float) -> Fraction | float:
    return slope if slope in (inf, -inf) else c * slope


# --- Is a minimizer the only one, up to a shift of all scores? -------------------------------------------
# Along z, W stays at its minimum if and only if every term keeps to its tangent there: phi_t must be a
# straight line, with the slope that the certificate gives it, on the side to which <v_t, z> moves its
# argument. Those conditions are arcs z_i <= z_j between items; if they connect all items strongly only shifts
# are left.

_NEAR: Final = 1e-6
_CURVED: Final = 1e-8
_KINK_PROBES: Final = (-4, -1, 0, 1, 4)


@frozen
class _Freedom:
    """Whether the argument of a term may grow, or fall, without W leaving its minimum; None if unknown."""

    grow: bool | None
    fall: bool | None


_FIXED: Final = _Freedom(False, False)
_UNKNOWN: Final = _Freedom(None, None)


def is_unique_exactly(
    terms: Sequence[Term], m: int, scores: Sequence[LogRational], slopes: Slopes
) -> bool | None:
    """Whether an exact minimizer, with slopes that sum to zero, is the only one; None if not decided."""
    pairs = zip(terms, slopes, strict=True)
    return _decided(terms, m, [_freedom_exactly(term, argument(term, scores), s) for term, s in pairs])


def is_unique(terms: Sequence[Term], m: int, scores: NDArray[np.float64]) -> bool | None:
    """Whether a float minimizer is the only one, as far as floats can tell; None if they cannot."""
    at = (sum(n * float(scores[item]) for item, n in term.v) - float(term.b) for term in terms)
    return _decided(terms, m, [_freedom_at(term, x) for term, x in zip(terms, at, strict=True)])


def _freedom_exactly(term: Term, at: LogRational, slope: Fraction) -> _Freedom:
    form, x = piecewise(term.phi), at.as_rational()
    if form is None and not is_analytic(term.phi):
        return _UNKNOWN  # its curvature would be a matter of floats
    if form is None or x is None:
        return _freedom_at(term, float(at))
    left, right = form.slope(x)
    before = form.pieces[sum(b < x for b in form.breakpoints)]
    after = form.pieces[sum(b <= x for b in form.breakpoints)]
    return _Freedom(slope == right and len(after) <= 2, slope == left and len(before) <= 2)


def _freedom_at(term: Term, x: float) -> _Freedom:
    kind = kind_of(term.phi)
    if kind is Kind.STRAIGHT:
        return _Freedom(True, True)
    if not is_convex(term.phi):
        return _UNKNOWN
    if is_analytic(term.phi):
        return _FIXED if _bends(term.phi) else _UNKNOWN
    form = piecewise(term.phi)
    if form is not None:
        if any(abs(float(b) - x) <= _NEAR * (1 + abs(x)) for b in form.breakpoints):
            return _UNKNOWN
        straight = len(form.pieces[sum(float(b) <= x for b in form.breakpoints)]) <= 2
        return _Freedom(straight, straight)
    sides = compiled(term.phi)(np.array([x - _NEAR, x + _NEAR]))[2]
    return _FIXED if (sides > _CURVED).all() else _UNKNOWN


@lru_cache(maxsize=512)
def _bends(phi: Expression) -> bool:
    """Whether a convex and analytic function is certainly not a line: then it is strictly convex."""
    slopes = [enclose_slopes(phi, LogRational(Fraction(x))) for x in _KINK_PROBES]
    return any(certainly_less(low, high) for (_, low), (high, _) in pairwise(slopes))


def _decided(terms: Sequence[Term], m: int, freedoms: Sequence[_Freedom]) -> bool | None:
    if _pinned(terms, m, freedoms, (False,)):
        return True
    if all(_ends(term, m) for term in terms) and not _pinned(terms, m, freedoms, (False, None)):
        return False
    return None


def _pinned(
    terms: Sequence[Term], m: int, freedoms: Sequence[_Freedom], fixed: Sequence[bool | None]
) -> bool:
    """Whether only shifts are left if the sides whose freedom is `fixed` may not be taken."""
    shift = all(sum(n for _, n in term.v) == 0 for term in terms)
    ends = [_ends(term, m) for term in terms]
    if None not in ends:
        ways = [(end, free) for end, free in zip(ends, freedoms, strict=True) if end is not None]
        arcs = [end for end, free in ways if free.grow in fixed]
        arcs += [(j, i) for (i, j), free in ways if free.fall in fixed]
        return len(strong_components(arcs, m if shift else m + 1)) == 1
    rows = []
    for term, free in zip(terms, freedoms, strict=True):
        if free.grow in fixed and free.fall in fixed:
            along = dict(term.v)
            rows.append([Fraction(along.get(item, 0)) for item in range(m)])
    return rank(rows) == m - shift
