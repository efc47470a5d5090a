"""The integer distributions of a noise condition, smallest first.

A condition's aggregates are non-negative integer combinations of a few generators: steps of the difference
d along the item order, and pairs of opposite edges, which leave d as it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from math import factorial
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.model.conditions import CONDITIONS, numbered

Integers = NDArray[np.int64]

_CHUNK: Final = 20_000
_PRESENT: Final = 0.85


@final
@dataclass(frozen=True)
class Space:
    """Integer aggregates a = sum_k n_k g_k over m items with n_k >= 0.

    Parameters
    ----------
    m
        Number of items.
    condition
        The noise condition that the aggregates fulfil after `keep`.
    generators
        Shape (K, m, m), entries 0 or 1.
    renamed
        Whether all renamings of the items are in it too; without them it is meant up to renaming.
    """

    m: int
    condition: str
    generators: Integers
    renamed: bool = False

    @property
    def costs(self) -> Integers:
        """Total weight of each generator, shape (K,)."""
        return np.asarray(self.generators.sum(axis=(1, 2)))

    def aggregates(self, vectors: Integers) -> Integers:
        """Shape (B, m, m) from coordinates of shape (B, K)."""
        return np.tensordot(vectors, self.generators, axes=1)

    def count(self, total: int) -> int:
        """How many coordinate vectors have this total weight, times the number of renamings.

        Examples
        --------
        >>> space("additive", 3, True).count(4)
        15
        """
        ways = [1] + [0] * total
        for cost in (int(c) for c in self.costs):
            for weight in range(cost, total + 1):
                ways[weight] += ways[weight - cost]
        return ways[total] * (factorial(self.m) if self.renamed else 1)

    def of_weight(self, total: int) -> Iterator[Integers]:
        """All aggregates of this total weight that fulfil the condition, in chunks of shape (B, m, m).

        Multiples of smaller ones are left out.
        """
        nothing = np.zeros((1, 0), dtype=np.int64)
        for vectors in _compositions(nothing, np.array([total]), tuple(map(int, self.costs))):
            a = self._kept(vectors)
            for names in permutations(range(self.m)) if self.renamed else ():
                yield _renamed(a, np.array(names))
            if not self.renamed:
                yield a

    def sample(self, generator: np.random.Generator, size: int) -> Integers:
        """Aggregates with coordinates between 1 and 100 of any order of magnitude, some of them zero.

        At most `size` of them: those that do not fulfil the condition, or are empty, are left out.
        """
        shape = (size, len(self.generators))
        vectors = np.exp(generator.uniform(0.0, np.log(100.0), shape)).astype(np.int64)
        a = self._kept(vectors * (generator.random(shape) < _PRESENT))
        return (
            _renamed(a, generator.permuted(np.tile(np.arange(self.m), (len(a), 1)), axis=1))
            if self.renamed
            else a
        )

    def _kept(self, vectors: Integers) -> Integers:
        a = self.aggregates(vectors)
        primitive = np.gcd.reduce(a.reshape(len(a), -1), axis=1) == 1
        a = a[primitive]
        return np.asarray(a[_has(self.condition, a)])


def _renamed(a: Integers, names: NDArray[np.intp]) -> Integers:
    """The aggregates (B, m, m) with item names[k] in the place of k; one renaming, or one for each."""
    if names.ndim == 1:
        return np.asarray(a[:, names[:, None], names])
    rows = np.arange(len(a))[:, None, None]
    return np.asarray(a[rows, names[:, :, None], names[:, None, :]])


def space(condition: str, m: int, both_ways: bool, *, renamed: bool = False) -> Space:
    """The space of a condition.

    Parameters
    ----------
    condition
        A name of `model.conditions`.
    m
        Number of items; they are numbered along the difference graph, so d_ij >= 0 for i < j, if the
        condition keeps it acyclic.
    both_ways
        Whether opposite edges matter to the surrogate; if neither to it nor to the condition, they are left
        out.
    renamed
        Whether the surrogate treats items unequally, so that every renaming is to be looked at.

    Examples
    --------
    >>> space("additive", 3, True).generators.shape
    (5, 3, 3)
    """
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


def fulfilling(condition: str, a: Integers) -> Integers:
    """Those of shape (B, m, m) that fulfil the condition, their items numbered as in its `space`."""
    good = _has(condition, a)
    if numbered(condition):
        good &= (np.triu(a - a.transpose(0, 2, 1), k=1) >= 0).all(axis=(1, 2))
    return np.asarray(a[good])


def steps(condition: str, a: Integers) -> Iterator[Integers]:
    """Smaller aggregates near one: lower a share to nothing, to half, or by one; or divide all."""
    for generator in space(condition, len(a), True).generators:
        share = int(a[generator > 0].min())
        for less in sorted({share, share - share // 2, 1} - {0}):
            if less <= share:
                yield a - less * generator
    for divisor in (2, 3, 5, 10):
        yield a // divisor


def _compositions(begun: Integers, left: Integers, costs: tuple[int, ...]) -> Iterator[Integers]:
    """All n >= 0 with costs . n = total that go on from the coordinates begun, in lexicographic order.

    One coordinate is added to thousands at once; `left` says how much of the total each has not used.
    """
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


def _has(condition: str, a: Integers) -> NDArray[np.bool_]:
    """Which of the aggregates (B, m, m) fulfil the condition: its exact test, on all of them at once."""
    entries: Any = np.ascontiguousarray(np.moveaxis(a, 0, -1))
    return np.array(np.broadcast_to(CONDITIONS[condition].test(entries), len(a)))
