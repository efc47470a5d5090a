"""Forward search: minimize W for whole-number distributions, all the small ones or many random ones."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from math import factorial
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, numbered
from consistency_lab.numbers.arrays import Booleans, Floats, Whole
from consistency_lab.numbers.exact import integer_multiple
from consistency_lab.numbers.phi import facts
from consistency_lab.search.effort import LARGEST, SINGLY, Effort
from consistency_lab.search.size import TermTable, reachable
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.machine import in_pieces, pays

# --- Compare many float minimizers with the true optimal orders at once (a proposal, not a verdict) ------

_Losses = tuple[Floats, Floats, Floats]
"""Of the scores, of the best order, and of the best order that only breaks their ties."""

TIE_GAP: Final = 1e-7
"""Scores closer than this count as tied until exact arithmetic decides."""


@frozen
class WrongOrders:
    """For each of B distributions: is the order of the scores wrong?"""

    wrong: Booleans  #: Wrong under the paper's tie rule.
    strict: Booleans  #: Wrong however ties are broken.
    regret: Floats  #: loss of the scores less the optimum.


@lru_cache(maxsize=LARGEST)
def _orders(m: int) -> tuple[Booleans, Floats]:
    """above[o, i, j]: i stands above j in order o; cost[o, i*m+j] = 1 where j stands above i."""
    above = np.zeros((int(np.prod(np.arange(1, m + 1))), m, m), dtype=bool)
    for o, order in enumerate(permutations(range(m))):
        for place, i in enumerate(order):
            above[o, i, order[place + 1 :]] = True
    cost = above.transpose(0, 2, 1).reshape(len(above), -1).astype(float)
    return above, cost


def compare_with_optimum(
    a: NDArray[np.generic], scores: Floats, *, compiled: bool | None = None
) -> WrongOrders:
    """Compare the orders of scores (B, m) with the best ones at aggregates (B, m, m), m at most `LARGEST`."""
    a = np.asarray(a)
    wanted = pays(scores.shape[1], len(a)) if compiled is None else compiled
    own, best, refined = (_by_subsets if wanted else _by_orders)(a, scores)
    slack = 1e-9 * (1.0 + np.abs(best))
    return WrongOrders(own > best + slack, refined > best + slack, own - best)


def _by_orders(a: NDArray[np.generic], scores: Floats) -> _Losses:
    batch, m = scores.shape
    above, cost = _orders(m)
    losses = np.asarray(a, dtype=float).reshape(batch, -1) @ cost.T
    gap = scores[:, :, None] - scores[:, None, :]
    upper = ~np.tri(m, k=0, dtype=bool)
    tied = np.abs(gap) <= TIE_GAP
    under = (gap < -TIE_GAP) | (tied & upper)  # i not above j: a tie puts the higher index first
    own = (np.asarray(a, dtype=float) * under).sum(axis=(1, 2))
    clear = gap > TIE_GAP
    possible = ~np.einsum("bij,oji->bo", clear, above).astype(bool)
    return own, losses.min(axis=1), np.where(possible, losses, np.inf).min(axis=1)


def _by_subsets(a: NDArray[np.generic], scores: Floats) -> _Losses:
    from consistency_lab.solve.order_kernels import judge as judge_rows

    own, best, refined = np.empty((3, len(a)))
    a, scores = np.ascontiguousarray(a), np.ascontiguousarray(scores)
    in_pieces(lambda start, stop: judge_rows(a, scores, TIE_GAP, start, stop, own, best, refined), len(a))
    return own, best, refined


# --- The integer distributions of a noise condition, smallest first --------------------------------------
# A condition's aggregates are non-negative integer combinations of a few generators: steps of the difference
# d along the item order, and pairs of opposite edges, which leave d as it is.


_CHUNK: Final = 20_000
_PRESENT: Final = 0.85


@frozen
class Space:
    """Integer aggregates a = sum_k n_k g_k over m items with n_k >= 0."""

    m: int  #: Number of items.
    condition: str  #: The noise condition that the aggregates fulfil after `keep`.
    generators: Whole  #: Shape (K, m, m), entries 0 or 1.
    #: Whether all renamings of the items are in it too; without them it is meant up to renaming.
    renamed: bool = False

    @property
    def costs(self) -> Whole:
        """Total weight of each generator, shape (K,)."""
        return np.asarray(self.generators.sum(axis=(1, 2)))

    def aggregates(self, vectors: Whole) -> Whole:
        """Shape (B, m, m) from coordinates of shape (B, K)."""
        return np.tensordot(vectors, self.generators, axes=1)

    def count(self, total: int) -> int:
        """How many coordinate vectors have this total weight, times the number of renamings."""
        ways = [1] + [0] * total
        for cost in (int(c) for c in self.costs):
            for weight in range(cost, total + 1):
                ways[weight] += ways[weight - cost]
        return ways[total] * (factorial(self.m) if self.renamed else 1)

    def of_weight(self, total: int) -> Iterator[Whole]:
        """The aggregates of this total weight, without multiples of smaller ones, in chunks (B, m, m)."""
        nothing = np.zeros((1, 0), dtype=np.int64)
        for vectors in _compositions(nothing, np.array([total]), tuple(map(int, self.costs))):
            a = self._kept(vectors)
            for names in permutations(range(self.m)) if self.renamed else ():
                yield _renamed(a, np.array(names))
            if not self.renamed:
                yield a

    def sample(self, generator: np.random.Generator, size: int) -> Whole:
        """At most `size` aggregates, their coordinates of any order of magnitude from 1 to 100, some zero."""
        shape = (size, len(self.generators))
        vectors = np.exp(generator.uniform(0.0, np.log(100.0), shape)).astype(np.int64)
        a = self._kept(vectors * (generator.random(shape) < _PRESENT))
        return (
            _renamed(a, generator.permuted(np.tile(np.arange(self.m), (len(a), 1)), axis=1))
            if self.renamed
            else a
        )

    def _kept(self, vectors: Whole) -> Whole:
        a = self.aggregates(vectors)
        primitive = np.gcd.reduce(a.reshape(len(a), -1), axis=1) == 1
        a = a[primitive]
        return np.asarray(a[_has(self.condition, a)])


def _renamed(a: Whole, names: NDArray[np.intp]) -> Whole:
    """The aggregates (B, m, m) with item names[k] in the place of k; one renaming, or one for each."""
    if names.ndim == 1:
        return np.asarray(a[:, names[:, None], names])
    rows = np.arange(len(a))[:, None, None]
    return np.asarray(a[rows, names[:, :, None], names[:, None, :]])


def space(condition: str, m: int, both_ways: bool, *, renamed: bool = False) -> Space:
    """The space of a condition."""
    known = CONDITIONS[condition]
    forward = list(combinations(range(m), 2))
    single = forward if numbered(condition) else permutations(range(m), 2)
    edges = [[edge] for edge in single] if known.steps is None else known.steps(m)
    if numbered(condition) and (both_ways or not known.of_differences):
        edges += [[(i, j), (j, i)] for i, j in forward]
    generators = np.zeros((len(edges), m, m), dtype=np.int64)
    for k, group in enumerate(edges):
        for i, j in group:
            generators[k, i, j] = 1
    return Space(m, condition, generators, renamed)


def fulfilling(condition: str, a: Whole) -> Whole:
    """The aggregates (B, m, m) that fulfill the condition, with items numbered as in its `space`."""
    good = _has(condition, a)
    if numbered(condition):
        good &= (np.triu(a - a.transpose(0, 2, 1), k=1) >= 0).all(axis=(1, 2))
    return np.asarray(a[good])


def _smaller(condition: str, a: Whole) -> Iterator[Whole]:
    """Aggregates near one: lower a share to nothing, to half, or by one; or divide all."""
    for generator in space(condition, len(a), True).generators:
        share = int(a[generator > 0].min())
        for less in sorted({share, share - share // 2, 1} - {0}):
            if less <= share:
                yield a - less * generator
    for divisor in (2, 3, 5, 10):
        yield a // divisor


def _compositions(begun: Whole, left: Whole, costs: tuple[int, ...]) -> Iterator[Whole]:
    """All n >= 0 with costs . n = total that go on from the coordinates begun; `left` is to be used."""
    k = begun.shape[1]
    cost = costs[k]
    if k + 1 == len(costs):
        whole = left % cost == 0
        if whole.any():
            yield np.column_stack((begun[whole], left[whole] // cost))
        return
    counts = left // cost + 1
    rows = np.repeat(np.arange(len(begun)), counts)
    values = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    longer, left = np.column_stack((begun[rows], values)), left[rows] - cost * values
    for start in range(0, len(longer), _CHUNK):
        yield from _compositions(longer[start : start + _CHUNK], left[start : start + _CHUNK], costs)


def _has(condition: str, a: Whole) -> NDArray[np.bool_]:
    """Which of the aggregates (B, m, m) fulfill the condition: its exact test, on all of them at once."""
    entries: Any = np.ascontiguousarray(np.moveaxis(a, 0, -1))
    return np.array(np.broadcast_to(CONDITIONS[condition].test(entries), len(a)))


# --- Whole-number distributions whose minimizers look wrong: all the small ones, or many random ones -----

_CONVERGED: Final = 1e-7
_ROUND: Final = 20_000
_PLENTY: Final = 20


@frozen
class Suspect:
    """A whole-number aggregate whose float minimizer looks wrong."""

    a: tuple[tuple[Fraction, ...], ...]  #: The aggregate.
    strict: bool  #: Whether every way of breaking ties is wrong.


def suspects_of_weight(aggregates: Space, total: int, table: TermTable, effort: Effort) -> Iterator[Suspect]:
    """All suspects of one total weight, strict ones and those with fewer edges first."""
    blocks: list[_Wrong] = []
    for a in aggregates.of_weight(total):
        if effort.expired:
            break
        blocks.append(_wrong(a, table, effort))
    return _listed(blocks, lambda wrong: -wrong.regret)


def sampled_suspects(
    aggregates: Space, table: TermTable, effort: Effort, seed: int, rounds: int
) -> list[Suspect]:
    """Suspects among random distributions: so many rounds of thousands, strict ones first."""
    generator = np.random.default_rng(seed)
    blocks: list[_Wrong] = []
    for _ in range(rounds):
        if effort.expired or sum(len(wrong.a) for wrong in blocks) >= _PLENTY:
            break
        blocks.append(_wrong(aggregates.sample(generator, _ROUND), table, effort))
    return list(_listed(blocks, lambda wrong: -wrong.regret))


def shrunk_suspects(
    a: Sequence[Sequence[Fraction]], condition: str, table: TermTable, effort: Effort
) -> list[Suspect]:
    """Suspects that remain when coordinates of an aggregate are lowered, the smallest first."""
    whole = np.array(integer_multiple([x for row in a for x in row])[0], dtype=np.int64).reshape(table.m, -1)
    different = {one.tobytes(): one for one in _smaller(condition, whole)}
    block = fulfilling(condition, np.stack(list(different.values())))
    return list(_listed([_wrong(block, table, effort)], lambda wrong: wrong.a.sum(axis=(1, 2))))


@final
@dataclass(frozen=True, eq=False, slots=True)
class _Wrong:
    """Suspects as arrays, one a row; the names are those of `Suspect`."""

    a: NDArray[np.int64]
    strict: NDArray[np.bool_]
    regret: NDArray[np.float64]  #: A share of the total weight.


def _wrong(a: NDArray[np.int64], table: TermTable, effort: Effort) -> _Wrong:
    # Machine code is loaded after interpreted work that costs as much as loading it.
    compiled = pays(table.m, len(a) + effort.distributions)
    effort.count(steps=len(a))
    a = a[surely_attained(a, table, compiled=compiled)]
    if not len(a):
        return _Wrong(a, np.zeros(0, dtype=bool), np.zeros(0))
    minimum = minimize_batch(table.structure, table.coefficients(a), compiled=compiled)
    effort.count(distributions=len(a), each=1 if table.batched else SINGLY)
    verdict = compare_with_optimum(a, minimum.scores, compiled=compiled)
    weight = a.sum(axis=(1, 2))
    good = minimum.converged | (minimum.gradient_norm <= _CONVERGED * (1.0 + weight))
    chosen = np.flatnonzero(verdict.wrong & good)
    return _Wrong(a[chosen], verdict.strict[chosen], verdict.regret[chosen] / weight[chosen])


def _listed(blocks: Sequence[_Wrong], third: Callable[[_Wrong], NDArray[np.generic]]) -> Iterator[Suspect]:
    """All, strict ones first, then those with few edges, then by a third key and by the aggregate."""
    blocks = [block for block in blocks if len(block.a)]
    if not blocks:
        return iter(())
    every = _Wrong(*(np.concatenate([getattr(block, name) for block in blocks]) for name in _Wrong.__slots__))
    entries = np.moveaxis(every.a, 0, -1).reshape(-1, len(every.a))
    edges = np.count_nonzero(every.a, axis=(1, 2))
    order = np.lexsort((*entries[::-1], third(every), edges, ~every.strict))
    # Few of them are used again, and exact numbers are slow to make.
    return (
        Suspect(tuple(tuple(map(Fraction, row)) for row in every.a[k].tolist()), bool(every.strict[k]))
        for k in order
    )


def surely_attained(a: NDArray[np.int64], table: TermTable, *, compiled: bool = False) -> NDArray[np.bool_]:
    """Where the minimum need not be looked for at infinity (docs/theory.md, Attainment)."""
    falling = all(facts(phi).nonincreasing for phi in table.structure.functions)
    if not falling or any(len(term.v) != 2 for term in table.terms):
        return np.ones(len(a), dtype=bool)
    if compiled:
        from consistency_lab.solve.order_kernels import connect

        rows, connected = np.ascontiguousarray(a), np.empty(len(a), dtype=bool)
        in_pieces(lambda start, stop: connect(rows, table.difference, start, stop, connected), len(a))
        return connected
    used = np.maximum(a - a.transpose(0, 2, 1), 0) if table.difference else a
    return np.asarray(reachable(used > 0).all(axis=(1, 2)))
