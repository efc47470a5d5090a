"""Optimal orders, judgments and connectivity of many small aggregates in machine code."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from consistency_lab.numbers.arrays import Booleans, Floats, Whole
from consistency_lab.numbers.compiling import entry

Costs = NDArray[np.generic]


def fill(
    rest: Sequence[Sequence[int]], must: Sequence[int], forbidden: int
) -> tuple[int, int, NDArray[np.int32], list[int]]:
    """The fields of the `OrderTable` that `optimal.fill` finds, where ``forbidden < LARGEST``.

    Time grows like 2^m m and memory is 20 bytes a subset: 20 MB for 20 items.
    """
    table = np.array(rest, dtype=np.int64).reshape(len(rest), len(rest))
    least, count, after, below = _sweep(table, np.array(must, dtype=np.int64), forbidden)
    return least, count, after, below.tolist()


@entry
def _sweep(rest: Whole, must: Whole, forbidden: int) -> tuple[int, int, NDArray[np.int32], Whole]:
    """Go up through all subsets, then down through those that are the top part of an optimal order."""
    m = len(rest)
    full = (1 << m) - 1
    half = m // 2
    small = (1 << half) - 1
    # The price of an item below a subset, in two parts: both tables stay in the fastest memory.
    low = np.zeros((1 << half, m), dtype=np.int64)
    high = np.zeros((1 << (m - half), m), dtype=np.int64)
    for start, part in ((0, low), (half, high)):
        for subset in range(1, len(part)):
            lowest = start
            while not subset >> (lowest - start) & 1:
                lowest += 1
            for i in range(m):
                part[subset, i] = part[subset & (subset - 1), i] + rest[i, lowest]
    least = np.empty(1 << m, dtype=np.int64)
    least[0] = 0
    for subset in range(1, 1 << m):
        best = forbidden
        for i in range(m):
            bit = 1 << i
            if subset & bit and not must[i] & ~subset:
                loss = least[subset ^ bit] + low[subset & small, i] + high[subset >> half, i]
                best = min(best, loss)
        least[subset] = best
    after = np.zeros(1 << m, dtype=np.int32)
    below = np.zeros(m, dtype=np.int64)
    ways = np.zeros(1 << m, dtype=np.int64)
    ways[full] = 1 if least[full] < forbidden else 0
    for subset in range(full, 0, -1):
        if ways[subset] == 0:
            continue
        for i in range(m):
            bit = 1 << i
            if not subset & bit:
                continue
            below[i] |= full ^ subset
            loss = least[subset ^ bit] + low[subset & small, i] + high[subset >> half, i]
            if not must[i] & ~subset and loss == least[subset]:
                after[subset ^ bit] |= bit
                ways[subset ^ bit] += ways[subset]
    return least[full], ways[0], after, below


@entry
def judge(
    a: Costs, scores: Floats, tie: float, start: int, stop: int, own: Floats, best: Floats, refined: Floats
) -> None:
    """Three losses of each row: of its scores, the least of all orders, and the least that breaks its ties.

    One pass over the subsets: an order of a subset ends in one of its items, and what it costs to put item i
    below the others is the sum of a_ij over them (docs/theory.md, Target loss).
    """
    m = scores.shape[1]
    least, free = np.zeros(1 << m), np.zeros(1 << m)
    price = np.zeros((m, 1 << m))
    above = np.zeros(m, dtype=np.int64)
    for row in range(start, stop):
        own[row] = 0.0
        for i in range(m):
            above[i] = 0
            for j in range(m):
                gap = scores[row, i] - scores[row, j]
                if gap > tie:
                    above[i] |= 1 << j
                if gap < -tie or (gap <= tie and i < j):
                    own[row] += a[row, i, j]
        for subset in range(1, 1 << m):
            lowest = 0
            while not subset >> lowest & 1:
                lowest += 1
            least[subset] = free[subset] = np.inf
            for i in range(m):
                rest = subset & ~(1 << i)
                price[i, subset] = price[i, subset & (subset - 1)] + a[row, i, lowest]
                if rest != subset:
                    least[subset] = min(least[subset], least[rest] + price[i, rest])
                    if not above[i] & rest:
                        free[subset] = min(free[subset], free[rest] + price[i, rest])
        best[row], refined[row] = least[-1], free[-1]


@entry
def connect(a: Costs, difference: bool, start: int, stop: int, connected: Booleans) -> None:
    """Whether the positive entries of each row, or of its differences, connect all items strongly."""
    m = a.shape[1]
    reach = np.zeros(m, dtype=np.int64)
    for row in range(start, stop):
        for i in range(m):
            reach[i] = 1 << i
            for j in range(m):
                if a[row, i, j] > (a[row, j, i] if difference else 0):
                    reach[i] |= 1 << j
        for k in range(m):
            for i in range(m):
                if reach[i] >> k & 1:
                    reach[i] |= reach[k]
        connected[row] = True
        for i in range(m):
            connected[row] &= reach[i] == (1 << m) - 1
