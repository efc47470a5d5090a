"""Other data that might have been: votes drawn again, or games of a model that is taken for true."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_AT_ONCE: Final = 4_000_000
"""So many numbers are drawn at once."""


@final
@dataclass(frozen=True, eq=False, slots=True)
class Votes:
    """Kinds of votes, and how many there are of each.

    Parameters
    ----------
    counts
        Shape (D,), whole numbers: how many voters cast this ballot, or how many comparisons ended so.
    pairs
        Shape (D, m * m): what one vote adds to the matrix of wins.
    m
        The number of items.
    """

    counts: NDArray[np.int64]
    pairs: Floats
    m: int

    @property
    def wins(self) -> Floats:
        """Shape (m, m): how often i was preferred to j."""
        found: Floats = (self.counts @ self.pairs).reshape(self.m, self.m)
        return found

    def resampled(self, count: int, seed: int) -> Iterator[Floats]:
        """The wins of as many votes drawn with replacement, `count` times, in blocks of shape (b, m, m).

        The same seed gives the same votes.

        Examples
        --------
        >>> votes = Votes(np.array([3, 1]), np.array([[0, 1, 0, 0], [0, 0, 1, 0.0]]), 2)
        >>> [block.sum(axis=(1, 2)).tolist() for block in votes.resampled(2, seed=0)]
        [[4.0, 4.0]]
        """
        generator = np.random.default_rng(seed)
        total = int(self.counts.sum())
        shares = self.counts / total
        block = max(1, _AT_ONCE // max(len(self.counts), self.m * self.m))
        for start in range(0, count, block):
            size = min(block, count - start)
            drawn = generator.multinomial(total, shares, size=size)
            yield (drawn.astype(np.float64) @ self.pairs).reshape(size, self.m, self.m)


def games_of(probabilities: Floats, totals: NDArray[np.int64], count: int, seed: int) -> Iterator[Floats]:
    """Wins in as many games as were played, if i beats j with these probabilities, in blocks (b, m, m).

    Parameters
    ----------
    probabilities
        Shape (m, m), those of (i, j) and (j, i) adding up to 1.
    totals
        Shape (m, m), symmetric: games of each pair.
    count, seed
        How many times, and the seed of all.

    Examples
    --------
    >>> even = np.full((2, 2), 0.5)
    >>> blocks = list(games_of(even, np.array([[0, 7], [7, 0]]), 3, seed=0))
    >>> (blocks[0] + blocks[0].transpose(0, 2, 1))[:, 0, 1].tolist()
    [7.0, 7.0, 7.0]
    """
    generator = np.random.default_rng(seed)
    m = len(totals)
    rows, columns = np.triu_indices(m, 1)
    games, chances = totals[rows, columns], probabilities[rows, columns]
    block = max(1, _AT_ONCE // (m * m))
    for start in range(0, count, block):
        size = min(block, count - start)
        upper = generator.binomial(games, chances, size=(size, len(games)))
        wins = np.zeros((size, m, m))
        wins[:, rows, columns] = upper
        wins[:, columns, rows] = games - upper
        yield wins
