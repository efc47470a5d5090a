"""What one rule does to one profile: its order beside the best one, and the majorities contradicted.

A majority for i over j is contradicted where j is strictly above i. Nothing is held against a tie: not in the
data, not where votes are drawn again, and not where Bradley-Terry plays.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.frozen import frozen
from consistency_lab.numbers.arrays import Counts, Floats

Order = tuple[int, ...]
Levels = Sequence[Sequence[int]]

TIED: Final = 1e-9
"""Neighboring scores closer than this share of the spread are equal."""


@frozen
class Contradiction:
    """A majority for `above` over `below` where the scores have `below` strictly above."""

    #: The items, as the majority has them.
    above: int
    below: int
    #: How often the one was preferred to the other, and the other to the one.
    votes: Fraction
    against: Fraction


def contradictions(counts: Counts, unit: Fraction, levels: Levels) -> tuple[Contradiction, ...]:
    """The majorities that items by falling score contradict, the largest difference of votes first."""
    height = np.empty(len(counts), dtype=np.intp)
    for n, items in enumerate(levels):
        height[list(items)] = -n
    i, j = np.nonzero((counts > counts.T) & (height[:, None] < height))
    found = zip(i.tolist(), j.tolist(), counts[i, j].tolist(), counts[j, i].tolist(), strict=True)
    largest = sorted(found, key=lambda one: (one[3] - one[2], *one))
    return tuple(Contradiction(above, below, a * unit, b * unit) for above, below, a, b in largest)


def disagreement(counts: Counts, unit: Fraction, order: Sequence[int]) -> Fraction:
    """How many votes an order contradicts: the sum of a_ij over i below j (docs/theory.md, Target loss)."""
    return int(np.tril(counts[np.ix_(order, order)], -1).sum()) * unit


def kendall(first: Sequence[int], second: Sequence[int]) -> int:
    """The number of pairs that two orders rank differently."""
    place = np.argsort(second)[list(first)]
    return int(np.triu(place[:, None] > place).sum())


def heights(scores: Floats) -> NDArray[np.intp]:
    """How many levels are below each item, for scores of shape (b, m): equal where the scores are tied."""
    rising = np.argsort(scores, axis=1, kind="stable")
    steps = (
        np.diff(np.take_along_axis(scores, rising, axis=1), axis=1) > TIED * np.ptp(scores, axis=1)[:, None]
    )
    levels = np.zeros(scores.shape, dtype=np.intp)
    np.put_along_axis(levels, rising[:, 1:], np.cumsum(steps, axis=1), axis=1)
    return levels


def on_top(height: NDArray[np.intp]) -> Floats:
    """Which item is first, by heights of shape (b, m); k items that are tied there have 1/k each."""
    top = height == height.max(axis=1, keepdims=True)
    return np.asarray(top / top.sum(axis=1, keepdims=True))


def levels_of(scores: Floats) -> tuple[tuple[int, ...], ...]:
    """The items by falling score, of shape (m,), tied ones together."""
    height = heights(scores[None])[0]
    return tuple(tuple(np.flatnonzero(height == n).tolist()) for n in range(int(height.max()), -1, -1))


def contradicted(wins: Floats, height: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether a majority for i over j is contradicted, shape (b, m, m), by heights of shape (b, m)."""
    found: NDArray[np.bool_] = (wins > wins.transpose(0, 2, 1)) & (height[:, :, None] < height[:, None, :])
    return found
