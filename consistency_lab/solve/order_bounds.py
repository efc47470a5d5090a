r"""Slopes that show, for any number of items, that W is larger wherever two neighboring items change places.

Let s be slopes of W = sum_t c_t phi(<v_t, u>) near those at the minimizer that balance exactly, sum_t c_t s_t
v_t = 0. For neighbors, i above j, it is enough to change the slopes of a path of comparisons from i to j: a
flow lambda > 0 along it leaves sum_t c_t s_t v_t = lambda (e_j - e_i), so on {u_j >= u_i}

    W(u) >= W(scores) + lambda (scores_i - scores_j) - sum_t c_t (phi(x_t) + phi^*(s_t) - s_t x_t),

x_t being the arguments at the scores. The last sum is nearly zero for the slopes of the minimizer, and for
the few others it is less than what lambda brings. So m - 1 bounds have m(m-1) slopes in common.

See docs/theory.md, Separation.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from math import isfinite, lcm, log10
from typing import Final, final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, dijkstra, minimum_spanning_tree

from consistency_lab.core.orders import Pair, closure, with_pair
from consistency_lab.frozen import frozen
from consistency_lab.numbers.arrays import Floats, Indices
from consistency_lab.numbers.exact import Matrix
from consistency_lab.numbers.phi import Expression, facts
from consistency_lab.solve.edges import EdgeMinimum
from consistency_lab.solve.kinds import piecewise
from consistency_lab.solve.numeric import ScalarFunction, compiled

Bracket = tuple[Fraction, Fraction]
_Fallen = tuple[list[int], list[int], list[Fraction], list[float], Fraction]

_TIED: Final = 1e-6
_SCORES: Final = 12
"""Decimals of the scores."""

_SLOPES: Final = 15
"""Decimals of slopes that need not balance."""

_ROUNDING: Final = 1e-15
_WIDEST: Final = 64.0
_WIDER: Final = 16.0
_HALVINGS: Final = 60
_SHARES: Final = 12
_STEEPER: Final = 4.0
_APART: Final = 50.0
"""How far components without a common minimum are placed from each other, see `minimize`."""

_ALMOST: Final = 1 - 1e-6
_ALL_BUT: Final = 1 - Fraction(1, 10**9)
_CLOSEST: Final = 1e-11
"""Radii are not less than this: the scores are rounded."""

_LEAST: Final = 1e-300
_UNSURE: Final = 1e-14
"""By so much of a coefficient floats may err in a flow."""


@frozen
class Slope:
    """A slope s with phi'(at - radius) <= s <= phi'(at + radius); without a radius 0, that at infinity."""

    value: Fraction
    at: Fraction
    radius: Fraction | None

    @property
    def bracket(self) -> Bracket | None:
        return None if self.radius is None else (self.at - self.radius, self.at + self.radius)


@frozen
class Pull:
    """The slopes that are changed to keep one pair of items apart."""

    #: The pair.
    above: int
    below: int
    multiplier: Fraction  #: lambda > 0.
    changes: Mapping[int, Slope]  #: The slopes that differ, by the place of their term.
    #: By how much W is larger where the pair is not kept, in floats and a little less than is proved.
    gap: float


@frozen
class OrderBounds:
    """The order of the minimizer, and how to prove it; a proposal until exact arithmetic has seen it."""

    levels: tuple[tuple[int, ...], ...]  #: The items by falling score, nearly equal ones together.
    scores: tuple[Fraction, ...]  #: Rational; where no minimizer exists the components stand far apart.
    pairs: tuple[Pair, ...]  #: The pair (i, j) of each term, c_t = h_ij.
    #: The common slopes, which balance exactly, and how far from the terms' arguments at the scores they are
    #: attained, as in `Slope`.
    slopes: tuple[Fraction, ...]
    radii: tuple[Fraction | None, ...]
    #: For each item of a level and each of the next, then for pairs further apart that were compared and do
    #: not follow from those; None for a pair that cannot be kept apart.
    pulls: tuple[Pull | None, ...]

    def slopes_of(self, pull: Pull) -> list[Slope]:
        common = zip(self.pairs, self.slopes, self.radii, strict=True)
        return [
            pull.changes.get(t) or Slope(slope, self.scores[i] - self.scores[j], radius)
            for t, ((i, j), slope, radius) in enumerate(common)
        ]


def order_bounds(phi: Expression, h: Matrix, minimum: EdgeMinimum, paths: int = 1) -> OrderBounds | None:
    """Propose bounds that tell the order of a minimum of sum h_ij phi(u_i - u_j) from `minimize_edges`.

    Up to `paths` paths of at most two comparisons carry the flow of a pair: one is enough for a proof, more
    give larger gaps. Where no such path exists the best longer one is taken. None if slopes could not be
    found, because floats are too coarse.
    """
    work = _Work(phi, h, minimum)
    slopes = work.balanced()
    radii = None if slopes is None else work.radii(np.array(list(map(float, slopes))))
    if slopes is None or radii is None:
        return None
    neighbors = [ends for upper, lower in pairwise(work.levels) for ends in product(upper, lower)]
    pulls = work.pulls(radii, [work.flow(slopes, i, j, paths) for i, j in neighbors])
    compared = work.compared([(pull.above, pull.below) for pull in pulls if pull is not None])
    pulls += work.pulls(radii, [work.flow(slopes, i, j, paths) for i, j in compared])
    return OrderBounds(work.levels, work.scores, work.pairs, slopes, radii, pulls)


@frozen
class _Flow:
    """A flow that leaves balanced slopes, and for each slope that it changes how far its argument may go."""

    above: int
    below: int
    multiplier: Fraction
    changes: tuple[tuple[int, Fraction, float], ...]


@final
class _Work:
    def __init__(self, phi: Expression, h: Matrix, minimum: EdgeMinimum) -> None:
        self._phi: ScalarFunction = compiled(phi)
        self._in_pieces = piecewise(phi) is not None
        self._m = len(h)
        levels = np.array(minimum.levels)
        places = np.array(minimum.scores)
        if minimum.attained is False:
            places += (_APART + float(np.ptp(places))) * levels
        self.levels = _levels(places.tolist())
        self.scores = tuple(Fraction(round(x * 10**_SCORES), 10**_SCORES) for x in places.tolist())
        self.pairs = tuple((i, j) for i, row in enumerate(h) for j, x in enumerate(row) if x and i != j)
        self._counts = [h[i][j] for i, j in self.pairs]
        self._c = np.array([float(x) for x in self._counts])
        self._i, self._j = np.array(self.pairs, dtype=np.intp).reshape(-1, 2).T
        self._term = np.full((self._m, self._m), -1)
        self._term[self._i, self._j] = np.arange(len(self.pairs))
        self._u = places
        self._x = self._u[self._i] - self._u[self._j]
        self._values, self._slopes, self._curvatures = self._phi(self._x)
        # Between components that move apart forever the slope is that at infinity, 0.
        self._inside = (minimum.attained is not False) | (levels[self._i] == levels[self._j])
        lower = facts(phi).lower
        self._lower = -np.inf if lower is None else float(lower)
        if lower is not None:
            # A slope with no decimals to be written in is taken for the one at infinity too.
            self._inside &= (self._slopes == 0) | (np.abs(self._slopes) >= 10.0**-_SLOPES)

    def balanced(self) -> tuple[Fraction, ...] | None:
        """Slopes near those at the scores that balance exactly."""
        unit = 10**_SLOPES
        whole = [round(s) for s in (self._slopes * self._inside * unit).tolist()]
        scale = lcm(*{c.denominator for c in self._counts})
        counts = [c.numerator * (scale // c.denominator) for c in self._counts]
        left = [0] * self._m
        for (i, j), c, s in zip(self.pairs, counts, whole, strict=True):
            left[i] += c * s
            left[j] -= c * s
        values = [Fraction(s, unit) for s in whole]
        for child, parent, t in self._tree():
            rest = left[child] if self.pairs[t][0] == child else -left[child]
            values[t] -= Fraction(rest, counts[t] * unit)
            left[parent] += left[child]
            left[child] = 0
        if any(left):
            return None
        return tuple(values)

    def compared(self, kept: Sequence[Pair]) -> list[Pair]:
        """Compared pairs of different levels whose order does not follow from the pairs that are kept.

        Where components move apart forever, neighboring levels need not be related.
        """
        if not self.pairs:
            return []
        level = np.empty(self._m, dtype=np.intp)
        for n, items in enumerate(self.levels):
            level[list(items)] = n
        drop = level[self._j] - level[self._i]
        known, found = closure(self._m, kept), []
        for t in np.argsort(np.abs(drop), kind="stable").tolist():
            i, j = self.pairs[t] if drop[t] > 0 else self.pairs[t][::-1]
            if drop[t] and not known[i] >> j & 1:
                known = with_pair(known, i, j)
                found.append((i, j))
        return found

    def radii(self, slopes: Floats) -> tuple[Fraction | None, ...] | None:
        """How far from the arguments at the scores these slopes are attained; None if that is not found."""
        radius = self._radius(slopes, self._x)
        if not np.isfinite(radius[self._inside]).all():
            return None
        decades = {r: _decade(r) for r in set(radius[self._inside].tolist())}
        return tuple(
            decades[r] if inside else None
            for r, inside in zip(radius.tolist(), self._inside.tolist(), strict=True)
        )

    def _tree(self) -> Iterator[tuple[int, int, int]]:
        """(child, parent, term) of the stiffest spanning forest, children first."""
        stiff = self._c * self._curvatures * self._inside
        bends = np.flatnonzero(stiff > _LEAST)
        ends = (self._i[bends], self._j[bends])
        forest = minimum_spanning_tree(coo_array((1 / stiff[bends], ends), shape=(self._m, self._m)).tocsr())
        seen: set[int] = set()
        for root in range(self._m):
            if root in seen:
                continue
            order, parents = breadth_first_order(forest, root, directed=False)
            seen.update(order.tolist())
            for child in order[:0:-1].tolist():
                parent = int(parents[child])
                yield child, parent, max(self._terms(child, parent), key=lambda t: stiff[t])

    def _terms(self, i: int, j: int) -> list[int]:
        """The terms of two items, that of (i, j) first."""
        return [t for t in self._term[[i, j], [j, i]].tolist() if t >= 0]

    def flow(self, slopes: Sequence[Fraction], i: int, j: int, paths: int) -> _Flow | None:
        """A flow from j to i that is about as large as it can be where the two items meet."""
        far = float(self._u[i] - self._u[j])
        terms = self._term
        first, second = self._conducts(terms[i], terms[:, i], far), self._conducts(terms[:, j], terms[j], far)
        with np.errstate(divide="ignore", over="ignore"):
            through = 1 / (1 / first + 1 / second)
        through[j] = first[j]  # directly
        ways = [
            ((i, j) if k == j else (i, k, j))
            for k in np.argsort(-through, kind="stable")[:paths].tolist()
            if through[k] > _LEAST
        ] or self._long_way(i, j)
        multiplier, changes = Fraction(0), []
        for way in ways:
            carried = self._along(slopes, way, far)
            if carried is not None:
                multiplier += carried[0]
                changes += carried[1]
        return _Flow(i, j, multiplier, tuple(changes)) if changes else None

    def _conducts(self, ahead: Indices, back: Indices, far: float) -> Floats:
        """The flow between pairs, of their terms ahead and back, per unit that their difference falls by."""
        total = np.zeros(len(ahead))
        for terms, step in ((ahead, -far), (back, far)):
            t = terms[terms >= 0]
            # Bounded: a step away from the minimum where the slope is at its limit anyway.
            total[terms >= 0] += self._c[t] * np.abs(self._phi(self._x[t] + step)[1] - self._slopes[t])
        return np.where(np.isfinite(total), total, 0.0) / far

    def _long_way(self, i: int, j: int) -> list[tuple[int, ...]]:
        """The path that resists least, if there is one."""
        before = dijkstra(self._resistances, indices=i, return_predecessors=True)[1].tolist()
        way = [j]
        while way[-1] != i:
            if before[way[-1]] < 0:
                return []
            way.append(before[way[-1]])
        return [tuple(reversed(way))]

    @cached_property
    def _resistances(self) -> csr_array:
        """How strongly each pair of items resists a flow."""
        rows = np.array([self._conducts(self._term[k], self._term[:, k], 1.0) for k in range(self._m)])
        starts, ends = np.nonzero(rows > _LEAST)
        return csr_array((1 / rows[starts, ends], (starts, ends)), shape=rows.shape)

    def _along(
        self, slopes: Sequence[Fraction], way: Sequence[int], far: float
    ) -> tuple[Fraction, list[tuple[int, Fraction, float]]] | None:
        """A flow along a path, and the slopes that it changes: (term, slope, the end of its argument)."""
        conducts = self._conducts(*self._along_terms(way), far)
        if conducts.min() <= _LEAST:  # all slopes are at their limits so far away
            return None
        resistance = 1 / conducts
        for _ in range(_SHARES):
            falls = far * resistance / resistance.sum()
            flat = self._flat(slopes, way, falls)
            if not flat.any():
                break
            # Where a slope stays the same at first, more of the fall is needed.
            resistance = np.where(flat, _STEEPER * resistance, resistance)
        edges = [self._fallen(slopes, *edge) for edge in zip(pairwise(way), falls.tolist(), strict=True)]
        # A little less than all, so that rounding leads no slope out of its range.
        multiplier = Fraction(int(min(most for *_, most in edges) * _ALL_BUT * 10**_SLOPES), 10**_SLOPES)
        if multiplier <= 0:
            return None
        changes = []
        for terms, sign, aims, ends, most in edges:
            left = multiplier
            last = max(terms, key=lambda t: self._c[t] * abs(float(slopes[t]) - float(aims[terms.index(t)])))
            for t, n, aim, end in zip(terms, sign, aims, ends, strict=True):
                if t == last:
                    continue
                moved = _decimal(float((aim - slopes[t]) * multiplier / most))
                left += self._counts[t] * n * moved
                changes.append((t, slopes[t] + moved, end))
            n, end = sign[terms.index(last)], ends[terms.index(last)]
            changes.append((last, slopes[last] - n * left / self._counts[last], end))
        return multiplier, changes

    def _along_terms(self, way: Sequence[int]) -> tuple[Indices, Indices]:
        """Of each step of a path the term ahead and that back; -1 where there is none."""
        ends = np.array(way)
        return self._term[ends[:-1], ends[1:]], self._term[ends[1:], ends[:-1]]

    def _flat(self, slopes: Sequence[Fraction], way: Sequence[int], falls: Floats) -> NDArray[np.bool_]:
        """Where nothing flows when the steps of a path fall so; floats say it unless rounding matters."""
        flow, noise = np.zeros((2, len(falls)))
        for t, sign in zip(self._along_terms(way), (1, -1), strict=True):
            there = t >= 0
            known = np.array([float(slopes[k]) for k in t.tolist()])
            aims = np.rint(self._phi(self._x[t] - sign * falls)[1] * 10.0**_SLOPES) / 10.0**_SLOPES
            flow += np.where(there, sign * self._c[t] * (known - aims), 0.0)
            moved = there & ((known != 0) | (aims != 0))
            noise += np.where(moved, self._c[t] * (_UNSURE + _UNSURE * np.abs(known)), 0.0)
        flat: NDArray[np.bool_] = flow <= 0
        for k in np.flatnonzero(~(np.abs(flow) > noise) & (noise > 0)).tolist():
            flat[k] = self._fallen(slopes, (way[k], way[k + 1]), float(falls[k]))[-1] <= 0
        return flat

    def _fallen(self, slopes: Sequence[Fraction], edge: Pair, fall: float) -> _Fallen:
        """The slopes that two items can have when the first comes closer to the second."""
        terms = self._terms(*edge)
        signs = [1 if self.pairs[t] == edge else -1 for t in terms]
        ends = self._x[terms] - np.array(signs) * fall
        aims = [_decimal(s) for s in self._phi(ends)[1].tolist()]
        flow = sum(
            (self._counts[t] * n * (slopes[t] - aim) for t, n, aim in zip(terms, signs, aims, strict=True)),
            Fraction(0),
        )
        return terms, signs, aims, ends.tolist(), flow

    def pulls(
        self, radii: Sequence[Fraction | None], flows: Sequence[_Flow | None]
    ) -> tuple[Pull | None, ...]:
        """The flows with the points at which their slopes are attained, and the gaps that they prove."""
        parts = [(n, *change) for n, flow in enumerate(flows) if flow is not None for change in flow.changes]
        owner, terms = (np.array([part[k] for part in parts], dtype=np.intp) for k in (0, 1))
        slopes = np.array([float(s) for _, _, s, _ in parts])
        at = self._attained(slopes, self._x[terms], np.array([end for *_, end in parts]))
        radius = self._radius(slopes, at)
        common = self._common_losses(radii)
        with np.errstate(invalid="ignore"):  # a slope that is nowhere attained costs infinitely much
            own = self._losses(terms, slopes, at, radius) - common[terms]
            lost = np.bincount(owner, own, len(flows)) + common.sum()
        changes: list[dict[int, Slope]] = [{} for _ in flows]
        for (n, t, s, _), y, r in zip(parts, at.tolist(), radius.tolist(), strict=True):
            if isfinite(r):
                changes[n][t] = Slope(s, Fraction(round(y * 10**_SCORES), 10**_SCORES), _decade(r))
        answers: list[Pull | None] = []
        for flow, loss, found in zip(flows, lost.tolist(), changes, strict=True):
            if flow is None or len(found) < len(flow.changes):
                answers.append(None)
                continue
            far = self.scores[flow.above] - self.scores[flow.below]
            gap = (float(flow.multiplier * far) - loss) * _ALMOST
            pull = Pull(flow.above, flow.below, flow.multiplier, found, gap)
            answers.append(pull if gap > 0 else None)
        return tuple(answers)

    def _attained(self, slopes: Floats, start: Floats, end: Floats) -> Floats:
        """Where the function has these slopes, between two points, by bisection."""
        low, high = np.minimum(start, end), np.maximum(start, end)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            beyond = self._phi(middle)[1] >= slopes
            low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
        return (low + high) / 2

    def _radius(self, slopes: Floats, at: Floats) -> Floats:
        """How far away the slopes are certainly attained, a power of ten; infinite if that is not found."""
        _, found, curvature = self._phi(at)
        with np.errstate(divide="ignore", invalid="ignore"):
            wanted = (2 * np.abs(found - slopes) + _ROUNDING * np.abs(slopes)) / curvature
        radius = np.where(np.isfinite(wanted), wanted, 0.0) + _CLOSEST
        # Where a slope is the same all along a piece, it is so exactly.
        noise = np.where(self._in_pieces & (found == slopes), 0.0, _ROUNDING * np.abs(slopes))
        while True:
            low, high = self._phi(at - radius)[1], self._phi(at + radius)[1]
            good = (low + noise <= slopes) & (high - noise >= slopes)
            if good.all() or radius[~good].min() > _WIDEST:
                return np.where(good, 10.0 ** np.ceil(np.log10(radius)), np.inf)
            radius = np.where(good, radius, radius * _WIDER)

    def _common_losses(self, radii: Sequence[Fraction | None]) -> Floats:
        """Bounds of c (phi(x) + phi^*(s) - s x) for the common slopes, which floats cannot evaluate."""
        radius = np.array([0.0 if r is None else float(r) for r in radii])
        rise = self._phi(self._x + radius)[1] - self._phi(self._x - radius)[1]
        return self._c * np.where(self._inside, 2 * radius * rise, self._values - self._lower)

    def _losses(self, terms: Indices, slopes: Floats, at: Floats, radius: Floats) -> Floats:
        """These bounds for other slopes, with the tangents at both ends for phi^*."""
        radius = np.where(np.isfinite(radius), radius, 0.0)
        left = at - radius
        value, slope, _ = self._phi(left)
        rise, line = self._values[terms] - value, slopes * (self._x[terms] - left)
        size = np.abs(self._values[terms]) + np.abs(value) + np.abs(line)
        loss = rise - line + 2 * radius * (slopes - slope) + 4 * _ROUNDING * size
        return self._c[terms] * loss


def _levels(scores: Sequence[float]) -> tuple[tuple[int, ...], ...]:
    falling = sorted(range(len(scores)), key=lambda k: (-scores[k], k))
    levels = [[falling[0]]] if falling else []
    for upper, lower in pairwise(falling):
        if scores[upper] - scores[lower] > _TIED:
            levels.append([])
        levels[-1].append(lower)
    return tuple(tuple(sorted(level)) for level in levels)


def _decimal(x: float) -> Fraction:
    return Fraction(round(x * 10**_SLOPES), 10**_SLOPES)


def _decade(x: float) -> Fraction:
    return Fraction(10) ** round(log10(x))
