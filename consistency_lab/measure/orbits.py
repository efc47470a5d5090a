"""Whole-number aggregates of a condition by total weight, each once up to relabeling of the items."""

from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consistency_lab.search.judge import LARGEST
from consistency_lab.search.space import Space

Integers = NDArray[np.int64]


def orbits_of_weight(aggregates: Space, total: int) -> Integers:
    """One aggregate of each class, shape (B, m, m), in a fixed order.

    Multiples of smaller aggregates are the same distributions and are left out. A condition does not depend
    on the names of the items, and neither does what DMJ10 Definition 2 says of p: the closure of the
    complement of A(p) consists of the closed cones of the orders that are not optimal, however ties are
    broken.

    Parameters
    ----------
    aggregates
        The aggregates of a condition, from `search.space.space`.
    total
        Their total weight.

    Examples
    --------
    >>> from consistency_lab.search.space import space
    >>> len(orbits_of_weight(space("additive", 3, True), 4))
    6
    """
    found = [block for block in aggregates.of_weight(total) if len(block)]
    if not found:
        return np.zeros((0, aggregates.m, aggregates.m), dtype=np.int64)
    block = np.concatenate(found)
    _, first = np.unique(_representatives(block), axis=0, return_index=True)
    return np.asarray(block[np.sort(first)])


def relabeled(a: NDArray[Any], order: tuple[int, ...]) -> NDArray[Any]:
    """The aggregates (B, m, m) with item order[k] renamed to k."""
    where = np.array(order)
    return np.asarray(a[:, where[:, None], where])


@lru_cache(maxsize=LARGEST)
def relabelings(m: int) -> tuple[tuple[int, ...], ...]:
    """All orders of m items, m at most `LARGEST`."""
    return tuple(permutations(range(m)))


def _representatives(a: Integers) -> Integers:
    """The lexicographically least relabeling of each, shape (B, m * m)."""
    best = a.reshape(len(a), -1)
    for order in relabelings(a.shape[1])[1:]:
        trial = relabeled(a, order).reshape(len(a), -1)
        differs = trial != best
        first = differs.argmax(axis=1)
        rows = np.arange(len(a))
        smaller = differs[rows, first] & (trial[rows, first] < best[rows, first])
        best = np.where(smaller[:, None], trial, best)
    return best
