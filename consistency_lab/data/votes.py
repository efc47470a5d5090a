"""Votes as arrays: how often i was preferred to j, and the same of votes drawn again."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.data.draws import Stream
from consistency_lab.numbers.arrays import Floats, Whole

UNKNOWN: Final = -1
"""The level of an item that a ballot does not mention."""

_AT_ONCE: Final = 4_000_000
"""Numbers drawn at a time."""


@dataclass(frozen=True, eq=False)
class Votes(ABC):
    """Votes of some kinds, and how many there are of each."""

    m: int  #: The number of items.
    counts: Whole  #: Shape (K,): how many votes of each kind, whole numbers of at least 0.

    @property
    def total(self) -> int:
        """How many votes there are."""
        return int(self.counts.sum())

    @property
    def unit(self) -> str:
        """What is drawn with replacement, in the plural."""
        return "whole ballots"

    @property
    def units(self) -> float:
        """How many of these are drawn; of uneven ones, how many of one size tell as much."""
        return self.total

    @property
    def denominator(self) -> int:
        """Wins are whole multiples of 1 over this number: 2 where a tie is half a win for each."""
        return 1

    @abstractmethod
    def added(self, counts: Whole) -> Whole:
        """`denominator` times the wins of so many votes of each kind: shape (b, K) to (b, m, m)."""

    @abstractmethod
    def dot(self, weights: Floats) -> Floats:
        """For one vote of each kind, the sum of its wins with weights of shape (m, m); shape (K,)."""

    @property
    def wins(self) -> Whole:
        """`denominator` times how often i was preferred to j, exactly; shape (m, m)."""
        wins: Whole = self.added(self.counts[None])[0]
        return wins

    @property
    def decided(self) -> Whole:
        """How often i was preferred to j, votes left out that are for both alike; shape (m, m)."""
        return self.wins

    @property
    def aggregate(self) -> list[list[Fraction]]:
        """How often i was preferred to j, exactly."""
        return [[Fraction(int(x), self.denominator) for x in row] for row in self.wins]

    def resampled(self, count: int, seed: int) -> Iterator[Floats]:
        """The wins of units drawn again, `count` times, in blocks of shape (b, m, m); the same for a seed."""
        block = max(1, _AT_ONCE // max(len(self.counts), self.m * self.m))
        sizes = (min(block, count - start) for start in range(0, count, block))
        for drawn in self.drawn(seed, sizes):
            yield self.added(drawn) / self.denominator

    def drawn(self, seed: int, sizes: Iterable[int]) -> Iterator[Whole]:
        """How many votes of each kind there are when units are drawn again; shape (size, K) a block."""
        return Stream(seed).redrawn(self.counts, sizes)


@final
@dataclass(frozen=True, eq=False)
class Orders(Votes):
    """Ballots: weak orders of items."""

    #: Shape (K, m): the level of each item, 0 at the top; `UNKNOWN` for items not mentioned.
    levels: NDArray[np.int32]

    @staticmethod
    def of(m: int, ballots: Sequence[tuple[int, Sequence[Sequence[int]]]]) -> "Orders":
        """Ballots as (count, levels from the top); nothing is known of an item in no level."""
        levels = np.full((len(ballots), m), UNKNOWN, dtype=np.int32)
        for k, (_, order) in enumerate(ballots):
            for level, items in enumerate(order):
                levels[k, list(items)] = level
        return Orders(m, np.array([count for count, _ in ballots], dtype=np.int64), levels)

    def added(self, counts: Whole) -> Whole:
        wins = np.zeros((len(counts), self.m, self.m), dtype=np.int64)
        # Products of floats are many times faster, and exact for whole numbers below 2^53.
        votes = counts.astype(np.float64)
        for i in range(self.m):
            wins[:, i, :] = np.rint(votes @ self._below(i).astype(np.float64))
        return wins

    def dot(self, weights: Floats) -> Floats:
        sums = np.zeros(len(self.levels))
        for i in range(self.m):
            sums += self._below(i) @ weights[i]
        return sums

    def _below(self, i: int) -> NDArray[np.bool_]:
        """Which items each ballot ranks below item i; as `UNKNOWN` is the least level, it is below none."""
        mine = self.levels[:, i, None]
        return np.asarray((mine < self.levels) & (mine != UNKNOWN))


@final
@dataclass(frozen=True, eq=False)
class Games(Votes):
    """Comparisons of two items."""

    #: Shape (K,): the two items.
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    #: Shape (K,): what the first one gets of a comparison, in units of 1/`parts`; the second one gets as much
    #: if `tied`, and else nothing.
    share: Whole
    tied: NDArray[np.bool_] | None = None  #: Shape (K,), bool.
    parts: int = 1  #: 2 where ties are halves.
    #: Shape (K,): the cluster of each kind, from 0; None where all comparisons are independent.
    cluster: NDArray[np.intp] | None = None

    @property
    def unit(self) -> str:
        return "single comparisons" if self.cluster is None else "clusters of comparisons"

    @property
    def units(self) -> float:
        if self.cluster is None:
            return self.total
        sizes = np.bincount(self.cluster, self.counts)
        return float(sizes.sum() ** 2 / (sizes**2).sum())

    @property
    def denominator(self) -> int:
        return self.parts

    def drawn(self, seed: int, sizes: Iterable[int]) -> Iterator[Whole]:
        if self.cluster is None:
            return super().drawn(seed, sizes)
        once = np.ones(int(self.cluster.max()) + 1, dtype=np.int64)
        return (self.counts * times[:, self.cluster] for times in Stream(seed).redrawn(once, sizes))

    @property
    def ties(self) -> NDArray[np.bool_]:
        """Shape (K,): which of them are for both alike."""
        return np.zeros(len(self.first), dtype=bool) if self.tied is None else self.tied

    def margins(self) -> Iterator[tuple[int, int, Whole]]:
        """Of each pair i < j that was compared what each cluster (or kind) has for i more than for j."""
        decided = ~self.ties
        i, j, counts = self.first[decided], self.second[decided], self.counts[decided]
        if not len(i):
            return
        clusters = np.arange(len(self.counts)) if self.cluster is None else self.cluster
        pair = np.minimum(i, j) * self.m + np.maximum(i, j)
        unit, place = np.unique(np.stack([pair, clusters[decided]]), axis=1, return_inverse=True)
        sums = np.bincount(place.ravel(), np.where(i < j, counts, -counts), unit.shape[1])
        pairs, starts = np.unique(unit[0], return_index=True)
        for code, margins in zip(pairs.tolist(), np.split(sums.astype(np.int64), starts[1:]), strict=True):
            yield *divmod(code, self.m), margins

    def added(self, counts: Whole) -> Whole:
        flat = np.zeros((len(counts), self.m * self.m), dtype=np.int64)
        given = counts * self.share
        if self.cluster is not None:
            return self._gathered(given)
        # A pair has one kind of vote for each outcome, so no place is met twice in one of these.
        tied = self.ties
        flat[:, (self.first * self.m + self.second)[~tied]] = given[:, ~tied]
        flat[:, (self.first * self.m + self.second)[tied]] += given[:, tied]
        flat[:, (self.second * self.m + self.first)[tied]] += given[:, tied]
        return flat.reshape(-1, self.m, self.m)

    def _gathered(self, given: Whole) -> Whole:
        """What each kind gives, shape (b, K), at its place and, if tied, at the one opposite."""
        from scipy.sparse import csr_array

        tied = np.flatnonzero(self.ties)
        kinds = np.concatenate([np.arange(len(self.first)), tied])
        places = np.concatenate(
            [self.first * self.m + self.second, (self.second * self.m + self.first)[tied]]
        )
        # Products of whole numbers below 2^53 are exact in floats.
        shape = (self.m * self.m, len(self.first))
        sums = csr_array((np.ones(len(kinds)), (places, kinds)), shape=shape) @ given.T.astype(np.float64)
        wins: Whole = np.rint(sums.T).astype(np.int64).reshape(-1, self.m, self.m)
        return wins

    @property
    def decided(self) -> Whole:
        wins: Whole = self.added(np.where(self.ties, 0, self.counts)[None])[0] // self.denominator
        return wins

    def dot(self, weights: Floats) -> Floats:
        sums = weights[self.first, self.second] + self.ties * weights[self.second, self.first]
        return np.asarray(self.share / self.parts * sums)
