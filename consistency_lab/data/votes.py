"""Votes as arrays: how often i was preferred to j, and the same of votes drawn again."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

UNKNOWN: Final = -1
"""The level of an item of which a ballot says nothing."""

_AT_ONCE: Final = 4_000_000
"""So many numbers are drawn at once."""


@dataclass(frozen=True, eq=False)
class Votes(ABC):
    """Votes of some kinds, and how many there are of each.

    Parameters
    ----------
    m
        The number of items.
    counts
        Shape (K,): how many votes of each kind, whole numbers of at least 0.
    """

    m: int
    counts: Whole

    @property
    def total(self) -> int:
        """How many votes there are."""
        return int(self.counts.sum())

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
        found: Whole = self.added(self.counts[None])[0]
        return found

    @property
    def decided(self) -> Whole:
        """How often i was preferred to j, votes left out that are for both alike; shape (m, m)."""
        return self.wins

    @property
    def aggregate(self) -> list[list[Fraction]]:
        """How often i was preferred to j, exactly."""
        return [[Fraction(int(x), self.denominator) for x in row] for row in self.wins]

    def resampled(self, count: int, seed: int) -> Iterator[Floats]:
        """The wins of as many votes drawn with replacement, `count` times, in blocks of shape (b, m, m).

        The same seed gives the same votes.

        Examples
        --------
        >>> votes = Games(2, np.array([3, 1]), np.array([0, 1]), np.array([1, 0]), np.array([1, 1]))
        >>> [block.sum(axis=(1, 2)).tolist() for block in votes.resampled(2, seed=0)]
        [[4.0, 4.0]]
        """
        generator = np.random.default_rng(seed)
        shares = self.counts / self.total
        block = max(1, _AT_ONCE // max(len(self.counts), self.m * self.m))
        for start in range(0, count, block):
            drawn = generator.multinomial(self.total, shares, size=min(block, count - start))
            yield self.added(drawn) / self.denominator


@final
@dataclass(frozen=True, eq=False)
class Orders(Votes):
    """Ballots: weak orders of items.

    Parameters
    ----------
    levels
        Shape (K, m): the level of each item, 0 at the top; `UNKNOWN` where nothing is said.
    """

    levels: NDArray[np.int32]

    @staticmethod
    def of(m: int, ballots: Sequence[tuple[int, Sequence[Sequence[int]]]]) -> "Orders":
        """Ballots as (count, levels from the top); nothing is known of an item in no level.

        Examples
        --------
        >>> Orders.of(3, [(2, [[1], [0, 2]]), (1, [[0], [1]])]).wins.tolist()
        [[0, 1, 0], [2, 0, 2], [0, 0, 0]]
        """
        levels = np.full((len(ballots), m), UNKNOWN, dtype=np.int32)
        for k, (_, order) in enumerate(ballots):
            for level, items in enumerate(order):
                levels[k, list(items)] = level
        return Orders(m, np.array([count for count, _ in ballots], dtype=np.int64), levels)

    def added(self, counts: Whole) -> Whole:
        wins = np.zeros((len(counts), self.m, self.m), dtype=np.int64)
        # Products of floats are many times faster, and exact for whole numbers below 2^53.
        votes = counts.astype(np.float64)
        known = self.levels != UNKNOWN
        for i in range(self.m):
            mine = self.levels[:, i, None]
            above = (mine < self.levels) & known & known[:, i, None]
            wins[:, i, :] = np.rint(votes @ above.astype(np.float64))
        return wins

    def dot(self, weights: Floats) -> Floats:
        known = self.levels != UNKNOWN
        found = np.zeros(len(self.levels))
        for i in range(self.m):
            mine = self.levels[:, i, None]
            found += ((mine < self.levels) & known & known[:, i, None]) @ weights[i]
        return found


@final
@dataclass(frozen=True, eq=False)
class Games(Votes):
    """Comparisons of two items.

    Parameters
    ----------
    first, second
        Shape (K,): the two items.
    share
        Shape (K,): what the first one gets of a comparison, in units of 1/`unit`; the second one gets as much
        if `tied`, and else nothing.
    tied
        Shape (K,), bool.
    unit
        2 where ties are halves.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    share: Whole
    tied: NDArray[np.bool_] | None = None
    unit: int = 1

    @property
    def denominator(self) -> int:
        return self.unit

    def added(self, counts: Whole) -> Whole:
        flat = np.zeros((len(counts), self.m * self.m), dtype=np.int64)
        given = counts * self.share
        # A pair has one kind of vote for each outcome, so no place is met twice in one of these.
        tied = np.zeros(len(self.first), dtype=bool) if self.tied is None else self.tied
        flat[:, (self.first * self.m + self.second)[~tied]] = given[:, ~tied]
        flat[:, (self.first * self.m + self.second)[tied]] += given[:, tied]
        flat[:, (self.second * self.m + self.first)[tied]] += given[:, tied]
        return flat.reshape(-1, self.m, self.m)

    @property
    def decided(self) -> Whole:
        counts = self.counts if self.tied is None else np.where(self.tied, 0, self.counts)
        found: Whole = self.added(counts[None])[0] // self.denominator
        return found

    def dot(self, weights: Floats) -> Floats:
        tied = np.zeros(len(self.first), dtype=bool) if self.tied is None else self.tied
        found = weights[self.first, self.second] + tied * weights[self.second, self.first]
        return np.asarray(self.share / self.unit * found)
