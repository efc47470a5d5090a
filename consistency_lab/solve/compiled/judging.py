"""The judgment of many orders in machine code, and the screening for strongly connected supports."""

import numpy as np
from numpy.typing import NDArray

from consistency_lab.solve.compiled.jit import entry

Array = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Numbers = NDArray[np.generic]


@entry
def judge(
    a: Numbers, scores: Array, tie: float, start: int, stop: int, own: Array, best: Array, refined: Array
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
def connect(a: Numbers, difference: bool, start: int, stop: int, connected: Booleans) -> None:
    """Whether the positive entries of each row, or of its differences, connect all items strongly.

    Warshall's closure, a set of items being the bits of a number.
    """
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
