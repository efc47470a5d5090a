"""Least costly orders of many items: a linear program over triples, branching, and evidence."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count, pairwise
from math import floor, gcd, lcm
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.core.orders import (
    DEEPEST,
    NO_CYCLES,
    Below,
    Cycles,
    Evidence,
    Order,
    Pair,
    Split,
    closure,
    cost,
    lower_bound,
    with_pair,
)
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.exact import Matrix
from consistency_lab.numbers.exact.linear import Integers
from consistency_lab.solve.connectivity import strong_components
from consistency_lab.solve.lp import new_highs

# --- Good orders by insertion ----------------------------------------------------------------------------
# Take one item out, put it where it costs least, until no item wants to move.

Positions = NDArray[np.intp]

_SMALL: Final = 1e-12
"""Gains below this share of the largest difference are rounding."""

_KICKED: Final = 3


def by_insertion(d: Floats, order: Positions) -> Positions:
    """An order that no insertion of one item improves, found from the given one.

    The antisymmetric ``d[i, j]`` is what an order with j above i pays more than one with i above j.
    """
    m, order = len(d), order.copy()
    least = _SMALL * float(np.abs(d).max(initial=0.0)) * m
    places = np.arange(m)
    later = places > places[:, None]
    # Item p behind item q costs the sum of d[p, p+1..q] more, before it the sum of -d[p, q..p-1].
    sums, change = np.zeros((m, m + 1)), np.empty((m, m))
    low, high = 0, m
    while m:
        # What has moved are the places from low to before high: sums up to these, and beyond, are the same.
        np.cumsum(d[np.ix_(order, order[low:high])], axis=1, out=sums[:, low + 1 : high + 1])
        sums[:, low + 1 : high + 1] += sums[:, low, None]
        own = sums[places, places][:, None]
        for rows, columns in ((slice(None), slice(low, high)), (slice(low, high), slice(None))):
            after, before = sums[rows, 1:][:, columns], sums[rows, :-1][:, columns]
            change[rows, columns] = np.where(later[rows, columns], after, before) - own[rows]
        p, q = divmod(int(change.argmin()), m)
        if change[p, q] >= -least:
            break
        low, high = min(p, q), max(p, q) + 1
        moved = np.insert(np.delete(places, p), q, p)[low:high]
        order[low:high], sums[low:high] = order[moved], sums[moved]
    return order


def excess(d: Floats, order: Positions) -> float:
    """The cost of the pairs that an order inverts: the sum of d_ij > 0 with j above i."""
    below = np.tril(d[np.ix_(order, order)], -1)
    return float(below[below > 0].sum())


def kicked(d: Floats, order: Positions, kicks: int) -> Positions:
    """The best of many descents, each from the last order with a few items put elsewhere, by a fixed seed."""
    rng, m = np.random.default_rng(0), len(d)
    least = excess(d, order)
    for _ in range(kicks if m > 2 else 0):
        trial = order
        for _ in range(_KICKED):
            p, q = rng.integers(m, size=2)
            trial = np.insert(np.delete(trial, p), q, trial[p])
        trial = by_insertion(d, trial)
        paid = excess(d, trial)
        if paid <= least:
            least, order = paid, trial
    return order


# --- From the multipliers of a linear program to cycles that the core adds up ----------------------------
# The program's triangles use arcs of both directions; the core counts arcs of positive difference alone.
# Where one cycle runs along i → j and another along j → i, what they prove together is proved by the cycle
# that is left when the two arcs are taken out. What still runs along an arc without room proves nothing, and
# is dropped.


_DENOMINATORS: Final = (1, 2, 3, 4, 6, 12, 60, 840)
_NEAR: Final = 1e-7
_FINE: Final = 2**20


def packed_cycles(triangles: Iterable[tuple[float, Order]], d: Integers, below: Below) -> Cycles:
    """Cycles within the room of their arcs, with all that the triangles prove.

    The triangles have multipliers in floats, in units of d; the pairs in `below` are forced.
    """
    useful = [
        (y, cycle)
        for y, cycle in triangles
        if not any(below[j] >> i & 1 for i, j in pairwise((*cycle, cycle[0])))
    ]
    denominator = _denominator([y for y, _ in useful])
    walks = _cancelled([(n, c) for y, c in useful if (n := round(y * denominator)) > 0], below)
    return Cycles(
        tuple((Fraction(n, denominator), cycle) for n, cycle in _within(walks, d, below, denominator))
    )


def _denominator(values: Sequence[float]) -> int:
    """A common denominator: a small one if the numbers are nearly equal to such fractions."""
    near = _NEAR * max(1.0, *values, 1.0)
    for n in _DENOMINATORS:
        if all(abs(y * n - round(y * n)) <= near * n for y in values):
            return n
    return max(1, floor(_FINE / max(1.0, min(values)))) if values else 1


def _cancelled(walks: Sequence[tuple[int, Order]], below: Below) -> list[tuple[int, Order]]:
    """Closed walks no two of which use a free pair in opposite directions."""
    size: dict[int, int] = {}
    items: dict[int, Order] = {}
    users: dict[Pair, dict[int, None]] = {}

    def add(n: int, walk: Order) -> None:
        for cycle in _simple(walk):
            name = len(size)
            size[name], items[name] = n, cycle
            for arc in pairwise((*cycle, cycle[0])):
                users.setdefault(arc, {})[name] = None

    def less(name: int, n: int) -> None:
        size[name] -= n
        if not size[name]:
            for arc in pairwise((*items[name], items[name][0])):
                users[arc].pop(name, None)

    for n, walk in walks:
        add(n, walk)
    for i, j in sorted({(min(arc), max(arc)) for arc in users}):
        if below[i] >> j & 1 or below[j] >> i & 1:
            continue
        ahead, back = users.get((i, j), {}), users.get((j, i), {})
        while ahead and back:
            first, second = next(iter(ahead)), next(iter(back))
            n = min(size[first], size[second])
            walk = (*_from_arc(items[first], i, j), *_from_arc(items[second], j, i)[1:-1])
            less(first, n)
            less(second, n)
            add(n, walk)
    return [(n, items[name]) for name, n in size.items() if n]


def _from_arc(walk: Order, i: int, j: int) -> Order:
    """The closed walk as a sequence that begins with j and ends with i, for an arc i → j of it."""
    k = next(k for k, arc in enumerate(pairwise((*walk, walk[0]))) if arc == (i, j))
    return (*walk[k + 1 :], *walk[: k + 1])


def _simple(walk: Order) -> list[Order]:
    """The cycles of a closed walk, without those of one item or two."""
    cycles: list[Order] = []
    path: list[int] = []
    for item in walk:
        if item in path:
            k = path.index(item)
            cycles.append(tuple(path[k:]))
            del path[k:]
        path.append(item)
    return [cycle for cycle in (*cycles, tuple(path)) if len(cycle) > 2]


def _within(
    walks: Sequence[tuple[int, Order]], d: Integers, below: Below, denominator: int
) -> list[tuple[int, Order]]:
    """The walks with no more of each than their free arcs have room for, in units of 1/denominator."""
    used: Counter[Pair] = Counter()
    kept = []
    for n, walk in walks:
        arcs = Counter(arc for arc in pairwise((*walk, walk[0])) if not below[arc[0]] >> arc[1] & 1)
        n = min([n, *((d[i][j] * denominator - used[i, j]) // times for (i, j), times in arcs.items())])
        if n > 0:
            kept.append((n, walk))
            used.update({arc: n * times for arc, times in arcs.items()})
    return kept


# --- The linear ordering relaxation: x_ij + x_ji = 1, and x_ij + x_jk + x_ki <= 2 as they are needed -----

Triple = tuple[int, int, int]

_VIOLATED: Final = 1e-6
_PER_PAIR: Final = 3
"""At most this many new rows per round share a pair: the others may turn out not to be needed."""

_SAME: Final = 6
"""Violations that agree to this many digits are equally bad."""

_TIGHT: Final = 1e-10


@final
@dataclass(frozen=True, eq=False, slots=True)
class Relaxed:
    """The solution of the program, in floats."""

    excess: float  #: What every order pays at least for inverted pairs, in units of d.
    x: Floats  #: Shape (m, m): how far i is above j; 0 and 1 only, if it is an order.
    #: (y, (i, j, k)) with y > 0, in units of d, on cycles i → j → k → i that no order keeps.
    triangles: tuple[tuple[float, Triple], ...]


@final
class Relaxation:
    """One program, solved again and again with more rows and other fixed pairs (d as in `by_insertion`).

    What is known is returned after this many simplex `iterations` in all.
    """

    def __init__(self, d: Floats, iterations: int) -> None:
        self._m = m = len(d)
        self._pairs = np.triu_indices(m, 1)
        weights = d[self._pairs]
        self._unit = float(np.abs(weights).max(initial=0.0)) or 1.0
        self._most = float(np.maximum(weights, 0).sum())
        self._column = np.zeros((m, m), dtype=np.int32)
        count = len(weights)
        self._column[self._pairs] = np.arange(count)
        self._rows: list[Triple] = []
        self.iterations = iterations
        self._highs = new_highs()
        self._highs.addVars(count, np.zeros(count), np.ones(count))
        self._highs.changeColsCost(count, np.arange(count, dtype=np.int32), -weights / self._unit)

    def solve(self, below: Below, enough: float, before: Relaxed | None = None) -> Relaxed:
        """The relaxation where some pairs are forced, up to a bound of `enough`.

        What was found `before` more were forced stands until more is known: the iterations may end too early.
        """
        self._force(below)
        while True:
            relaxed = self._run()
            if before is None or relaxed.excess >= before.excess:
                before = relaxed
            if relaxed.excess >= enough - _TIGHT * self._most or self.iterations <= 0:
                return before
            rows = _violated(relaxed.x)
            if not len(rows):
                return before
            self._add(rows)

    def _force(self, below: Below) -> None:
        m = self._m
        above = np.array([[mask >> j & 1 for j in range(m)] for mask in below], dtype=np.float64)
        lower, upper = above[self._pairs], 1.0 - above.T[self._pairs]
        self._highs.changeColsBounds(len(lower), np.arange(len(lower), dtype=np.int32), lower, upper)

    def _run(self) -> Relaxed:
        self._highs.setOptionValue("simplex_iteration_limit", max(self.iterations, 0))
        self._highs.run()
        self.iterations -= max(1, self._highs.getInfo().simplex_iteration_count)
        solution = self._highs.getSolution()
        x = np.zeros((self._m, self._m))
        x[self._pairs] = np.clip(np.array(solution.col_value), 0, 1)
        x += np.tril(1.0 - x.T, -1)
        # At a lower side i above j above k is what the row asks for, at an upper side the other way round.
        duals = np.array(solution.row_dual) * self._unit
        triangles = tuple(
            (abs(y), (i, j, k) if y < 0 else (k, j, i))
            for y, (i, j, k) in zip(duals.tolist(), self._rows, strict=True)
            if abs(y) > _TIGHT * self._unit
        )
        value = self._highs.getInfo().objective_function_value * self._unit
        return Relaxed(self._most + value, x, triangles)

    def _add(self, rows: NDArray[np.intp]) -> None:
        i, j, k = rows.T
        count = len(rows)
        columns = np.stack((self._column[i, j], self._column[j, k], self._column[i, k]), axis=1)
        self._highs.addRows(
            count,
            np.zeros(count),
            np.ones(count),
            3 * count,
            3 * np.arange(count, dtype=np.int32),
            columns.ravel(),
            np.tile([1.0, 1.0, -1.0], count),
        )
        self._rows.extend((int(i), int(j), int(k)) for i, j, k in rows)


def _violated(x: Floats) -> NDArray[np.intp]:
    """Triples i < j < k without 0 <= x_ij + x_jk - x_ik <= 1, the worst first, few with a common pair."""
    m, triples, sizes = len(x), [np.empty((0, 3), dtype=np.intp)], [np.empty(0)]
    for i in range(m - 2):
        row = x[i, i + 1 :]
        beyond = np.abs(np.triu(row[:, None] + x[i + 1 :, i + 1 :] - row - 0.5, 1)) - 0.5
        j, k = np.nonzero(beyond > _VIOLATED)
        triples.append(np.stack((np.full(len(j), i), j + i + 1, k + i + 1), axis=1))
        sizes.append(beyond[j, k])
    every, size = np.concatenate(triples), np.concatenate(sizes)
    # A fixed shuffle among equals: the first triples in the order of the items would share their items.
    shuffle = np.random.default_rng(0).permutation(len(every))
    every, size = every[shuffle], size[shuffle]
    falling = np.argsort(-np.round(size, _SAME), kind="stable")
    used = np.zeros((m, m), dtype=np.intp).tolist()
    chosen = [t for t in falling.tolist() if _take(used, every[t].tolist())]
    return every[chosen]


def _take(used: list[list[int]], triple: Sequence[int]) -> bool:
    i, j, k = triple
    if max(used[i][j], used[j][k], used[i][k]) >= _PER_PAIR:
        return False
    used[i][j] += 1
    used[j][k] += 1
    used[i][k] += 1
    return True


# --- Branch and bound over forced pairs ------------------------------------------------------------------
# Where triangles do not suffice, both ways of a pair are tried.
#
# The case with the least bound goes first, so the bound of all rises as fast as it can, and a number of cases
# is all the effort there is: no clock decides how far the search goes.

KICKS: Final = 100
_ROUNDING: Final = 1e-9


@frozen
class Effort:
    """How far the search may go; counted, so that the same question has the same answer everywhere."""

    cases: int = 500  #: How many linear programs are solved, for pairs that are forced.
    iterations: int = 60_000  #: How many iterations of the simplex method all of them take together.


def worthwhile(m: int) -> Effort:
    """How far to go where the best order is one answer of many: above 100 items an order and a bracket."""
    if m > _NO_PROGRAM:  # one with all triples would take hours
        return Effort(0, 0)
    return Effort() if m <= _MANY else Effort(iterations=_STEPS // m)


_MANY: Final = 100
_STEPS: Final = 1_500_000
_NO_PROGRAM: Final = 300


@final
@dataclass(eq=False, slots=True)
class _Case:
    """Some forced pairs, what the program says of them, and the pair that is tried both ways, if any."""

    below: Below
    depth: int
    relaxed: Relaxed
    proved: Cycles | None = None
    split: "tuple[Pair, _Case, _Case] | None" = None


def branched(d: Integers, effort: Effort, deepest: int) -> tuple[Order, Evidence]:
    """A good order of items, and evidence of what all orders cost; the best order if the two agree.

    The differences d, as in `descend`, are whole numbers; cases are nested at most `deepest` deep.
    """
    search = _Search(d, effort, deepest)
    search.run()
    return tuple(search.best.tolist()), search.evidence(search.root)


@final
class _Search:
    def __init__(self, d: Integers, effort: Effort, deepest: int) -> None:
        self._deepest = deepest
        self._d = d
        self._floats = np.array(d, dtype=np.float64)
        self._costs = {(i, j): Fraction(x) for i, row in enumerate(d) for j, x in enumerate(row) if x > 0}
        self._relaxation = Relaxation(self._floats, effort.iterations)
        self._left = effort.cases
        self.best = by_insertion(self._floats, np.argsort(-self._floats.sum(axis=1), kind="stable"))
        self.least = excess(self._floats, self.best)
        self.root = self._case((0,) * len(d))

    def run(self) -> None:
        """Split cases, the one with the least bound first, until none can hold a better order."""
        waiting: list[tuple[float, int, _Case]] = [(self.root.relaxed.excess, 0, self.root)]
        names = count(1)
        while waiting and self._left > 0 and self._relaxation.iterations > 0:
            _, _, case = heappop(waiting)
            if case is self.root and not self._is_closed(case):
                self._improve(kicked(self._floats, self.best, KICKS))
            pair = None if self._is_closed(case) else self._pair(case)
            if pair is None:
                continue
            (i, j), cases = pair, []
            for above, below in ((i, j), (j, i)):
                cases.append(self._case(with_pair(case.below, above, below), case))
                heappush(waiting, (cases[-1].relaxed.excess, next(names), cases[-1]))
            case.split = (pair, cases[0], cases[1])

    def evidence(self, case: _Case) -> Evidence:
        """The evidence about a case, from those that it was split into."""
        if case.split is not None:
            pair, above, below = case.split
            return Split(pair, self.evidence(above), self.evidence(below))
        return case.proved or packed_cycles(case.relaxed.triangles, self._d, case.below)

    def _case(self, below: Below, before: _Case | None = None) -> _Case:
        relaxed = self._relaxation.solve(below, self.least, before and before.relaxed)
        self._left -= 1
        self._improve(by_insertion(self._floats, np.argsort(-relaxed.x.sum(axis=1), kind="stable")))
        return _Case(below, 0 if before is None else before.depth + 1, relaxed)

    def _improve(self, order: Positions) -> None:
        paid = excess(self._floats, order)
        if paid < self.least:
            self.best, self.least = order, paid

    def _is_closed(self, case: _Case) -> bool:
        """Whether evidence shows that the case holds no order better than the best one."""
        if case.proved is None and case.relaxed.excess >= self.least * (1 - _ROUNDING):
            proved = packed_cycles(case.relaxed.triangles, self._d, case.below)
            if lower_bound(self._costs, case.below, proved) >= round(self.least):
                case.proved = proved
        return case.proved is not None

    def _pair(self, case: _Case) -> Pair | None:
        """The free pair on which the program is least decided, the most costly of several."""
        if case.depth >= self._deepest:
            return None
        m, d, x = len(self._d), self._d, case.relaxed.x.tolist()
        free = [
            (i, j)
            for i in range(m)
            for j in range(i + 1, m)
            if not (case.below[i] >> j | case.below[j] >> i) & 1
        ]
        return max(
            free,
            key=lambda pair: (
                round(min(x[pair[0]][pair[1]], x[pair[1]][pair[0]]), 6),
                abs(d[pair[0]][pair[1]]),
            ),
            default=None,
        )


# --- An order of least pairwise disagreement for any number of items, with evidence of how good it is ----
# Strong components of the difference graph are ordered alone, each by `branched`; what lies between two
# components costs nothing more, because no order inside them contradicts it.


_MOST_WORK: Final = 10_000_000
"""Most cases times pairs of items in one piece of evidence: the core adds up no more than twice as many."""


@frozen
class KemenyOrder:
    """A good order, and what every order is proved to cost at least."""

    order: Order  #: Items from top to bottom.
    cost: Fraction  #: What it costs.
    lower: Fraction  #: What every order costs at least, as `core.orders.lower_bound` adds up the evidence.
    evidence: Evidence  #: Multipliers on cycles, and cases.
    #: The costs of two orders differ by a multiple of it: it divides all a_ij - a_ji. 0 if it is not known.
    unit: Fraction = Fraction(0)

    @property
    def at_least(self) -> Fraction:
        """A lower bound of the cost of every order: the least cost from `lower` up that an order can have."""
        return self.cost - (self.cost - self.lower) // self.unit * self.unit if self.unit else self.lower

    @property
    def is_optimal(self) -> bool:
        return self.cost == self.at_least


def kemeny(a: Matrix, effort: Effort | None = None) -> KemenyOrder:
    """An order of little pairwise disagreement, the least there is if `is_optimal`.

    An order with j above i pays ``a[i][j]``; `effort` says how far to go where triangles do not suffice.
    """
    m = len(a)
    if any(len(row) != m for row in a) or any(x < 0 for row in a for x in row):
        raise InputError("the aggregate must be a square matrix of numbers of at least 0")
    d, unit = _differences(a)
    order: list[int] = []
    evidence: Evidence = NO_CYCLES
    effort, leaves, depth = effort or Effort(), 1, 0
    for part in strong_components(((i, j) for i in range(m) for j in range(m) if d[i][j] > 0), m):
        if len(part) < 3:
            order += part
            continue
        # The components' cases multiply.
        most = max(1, _MOST_WORK // (leaves * m * m))
        inside = [[d[i][j] for j in part] for i in part]
        best, found = branched(inside, replace(effort, cases=min(effort.cases, most)), DEEPEST - depth)
        order += [part[k] for k in best]
        evidence = _together(evidence, _renamed(found, part, unit))
        leaves, depth = leaves * _leaves(found), depth + _depth(found)
    costs = {(i, j): x for i, row in enumerate(a) for j, x in enumerate(row) if x and i != j}
    lower = lower_bound(costs, closure(m, ()), evidence)
    return KemenyOrder(tuple(order), cost(costs, order), lower, evidence, unit)


def _differences(a: Matrix) -> tuple[list[list[int]], Fraction]:
    """a_ij - a_ji as whole multiples of a unit, the largest that there is."""
    scale = lcm(*{x.denominator for row in a for x in row})
    whole = [[x.numerator * (scale // x.denominator) for x in row] for row in a]
    d = [[x - whole[j][i] for j, x in enumerate(row)] for i, row in enumerate(whole)]
    common = gcd(*(x for row in d for x in row)) or 1
    return [[x // common for x in row] for row in d], Fraction(common, scale)


def _renamed(evidence: Evidence, part: Sequence[int], unit: Fraction) -> Evidence:
    if isinstance(evidence, Split):
        i, j = evidence.pair
        above, below = (_renamed(case, part, unit) for case in (evidence.above, evidence.below))
        return Split((part[i], part[j]), above, below)
    return Cycles(tuple((y * unit, tuple(part[k] for k in cycle)) for y, cycle in evidence.parts))


def _together(first: Evidence, second: Evidence) -> Evidence:
    """Evidence on two sets of items with no pair in common."""
    if isinstance(first, Split):
        return Split(first.pair, _together(first.above, second), _together(first.below, second))
    if isinstance(second, Split):
        return Split(second.pair, _together(first, second.above), _together(first, second.below))
    return Cycles(first.parts + second.parts)


def _leaves(evidence: Evidence) -> int:
    return 1 if isinstance(evidence, Cycles) else _leaves(evidence.above) + _leaves(evidence.below)


def _depth(evidence: Evidence) -> int:
    return 0 if isinstance(evidence, Cycles) else 1 + max(_depth(evidence.above), _depth(evidence.below))
