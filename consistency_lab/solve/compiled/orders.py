"""The subset dynamic program compiled."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from consistency_lab.solve.compiled.jit import entry
from consistency_lab.solve.subsets import OrderTable

Integers = NDArray[np.int64]
_Found = tuple[int, int, NDArray[np.int32], Integers]


def fill(rest: Sequence[Sequence[int]], must: Sequence[int], dear: int) -> OrderTable:
    """Find all orders of least loss, as `plain.fill` does, where ``dear < LARGEST``.

    Time grows like 2^m m and memory is 20 bytes a subset: 20 MB for 20 items.

    Examples
    --------
    >>> found = fill([[0, 1], [0, 0]], [0, 0], 2)
    >>> found.least, found.count, list(map(int, found.after)), found.below
    (0, 1, [1, 2, 0, 0], [2, 0])
    """
    table = np.array(rest, dtype=np.int64).reshape(len(rest), len(rest))
    least, count, after, below = _sweep(table, np.array(must, dtype=np.int64), dear)
    return OrderTable(least, count, after, below.tolist())


@entry
def _sweep(rest: Integers, must: Integers, dear: int) -> _Found:
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
        best = dear
        for i in range(m):
            bit = 1 << i
            if subset & bit and not must[i] & ~subset:
                loss = least[subset ^ bit] + low[subset & small, i] + high[subset >> half, i]
                best = min(best, loss)
        least[subset] = best
    after = np.zeros(1 << m, dtype=np.int32)
    below = np.zeros(m, dtype=np.int64)
    ways = np.zeros(1 << m, dtype=np.int64)
    ways[full] = 1 if least[full] < dear else 0
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
