"""Is the minimum of W attained? Strong connectivity of its support, and the direction of escape.

Moving along z changes the argument of term t by y_t = <v_t, z>. Where phi_t grows in that direction y_t must
have the other sign or be zero, which for v_t = e_i - e_j is an arc between two items. If these arcs connect
all items strongly there is no z but shifts, W is coercive and its minimum is attained. Otherwise the strong
components move apart, and whether that lowers W forever is a matter of how the functions end. A term of a
single item is an arc to a ground whose score is fixed at zero.

See docs/theory.md, Attainment.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import final

from consistency_lab.model.surrogates import Term
from consistency_lab.solve.growth import Growth, Trend, growth

Arc = tuple[int, int]


@final
@dataclass(frozen=True, slots=True)
class Attainment:
    """What is proved about the infimum of W.

    Parameters
    ----------
    attained
        True, False, or None if this test does not decide it.
    direction
        If not attained: integers z, one an item, along which W falls forever from every point.
    components
        The strong components of the support, those that escape upwards first.
    """

    attained: bool | None
    direction: tuple[int, ...] | None
    components: tuple[tuple[int, ...], ...]


def attainment(terms: Sequence[Term], m: int) -> Attainment:
    """Whether the minimum of W over m items is attained.

    Parameters
    ----------
    terms
        The terms of W; those with coefficient 0 are ignored.
    m
        The number of items.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import pair
    >>> from consistency_lab.phi import parse
    >>> logistic, hinge = parse("log(1+exp(-x))"), parse("max(0,1-x)")
    >>> attainment([pair(Fraction(1), logistic, 1, 0)], 2)
    Attainment(attained=False, direction=(0, 1), components=((1,), (0,)))
    >>> attainment([pair(Fraction(1), hinge, 1, 0)], 2).attained
    True
    """
    used = [term for term in terms if term.c]
    ends = [_ends(term, m) for term in used]
    everything = (tuple(range(m)),)
    if any(end is None for end in ends):
        return Attainment(_dominated(used, m) or None, None, everything)
    arcs = [end for end in ends if end is not None]
    grounded = any(m in arc for arc in arcs)
    trends = [growth(term.phi) for term in used]
    levels, parts = condensed(_constraints(zip(arcs, trends, strict=True)), m + grounded)
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


def is_graph(terms: Iterable[Term], m: int) -> bool:
    """Whether every direction is a multiple of e_i - e_j or e_i."""
    return all(_ends(term, m) is not None for term in terms)


def arcs_of(terms: Iterable[Term], m: int) -> list[Arc]:
    """The ends (i, j) of each direction n (e_i - e_j), n > 0, item m standing for a fixed zero."""
    return [arc for term in terms if (arc := _ends(term, m)) is not None]


def _constraints(pairs: Iterable[tuple[Arc, Growth]]) -> set[Arc]:
    """Arcs (i, j) that say z_i <= z_j."""
    found: set[Arc] = set()
    for (i, j), trend in pairs:
        if trend.ahead is Trend.GROWS:
            found.add((i, j))
        if trend.behind is Trend.GROWS:
            found.add((j, i))
    return found


def condensed(arcs: Iterable[Arc], n: int) -> tuple[list[int], list[tuple[int, ...]]]:
    """Levels, equal within strong components and growing along all other arcs; the components, top first.

    Examples
    --------
    >>> condensed([(0, 1), (1, 2), (2, 1)], 3)
    ([0, 1, 1], [(1, 2), (0,)])
    """
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
    """The strong components of a graph on 0..n-1, each sorted, sources first (in topological order).

    Examples
    --------
    >>> strong_components([(0, 1), (1, 0), (1, 2)], 3)
    [(0, 1), (2,)]
    """
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
        found = growth(term.phi)
        if found.rise_ahead is None or found.rise_behind is None:
            return False
        if len(term.v) == 1:
            (i, n) = term.v[0]
            ahead, behind = found.rise_ahead, found.rise_behind
            if n < 0:
                ahead, behind = behind, ahead
            up[i] += _times(term.c * abs(n), ahead)
            down[i] += _times(term.c * abs(n), behind)
            continue
        steepest = max(Fraction(0), -found.rise_ahead, -found.rise_behind)
        for i, n in term.v:
            fall[i] += _times(term.c * abs(n), steepest)
    return all(min(up[i], down[i]) > fall[i] for i in range(m))


def _times(c: Fraction, slope: Fraction | float) -> Fraction | float:
    return slope if slope in (inf, -inf) else c * slope
