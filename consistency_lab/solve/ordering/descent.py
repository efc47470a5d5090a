"""Good orders by insertion: take one item out, put it where it costs least, until no item wants to move."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Order = NDArray[np.intp]

_SMALL: Final = 1e-12
"""Gains below this share of the largest difference are rounding."""

_KICKED: Final = 3


def descend(d: Array, order: Order) -> Order:
    """An order that no insertion of one item improves.

    Parameters
    ----------
    d
        Shape (m, m), antisymmetric: what an order with j above i pays more than one with i above j.
    order
        Where to begin.

    Examples
    --------
    >>> d = np.array([[0.0, 1, 1], [-1, 0, 1], [-1, -1, 0]])
    >>> descend(d, np.array([2, 1, 0])).tolist()
    [0, 1, 2]
    """
    m, order = len(d), order.copy()
    least = _SMALL * float(np.abs(d).max(initial=0.0)) * m
    places = np.arange(m)
    later = places > places[:, None]
    while m:
        # Item p behind item q costs the sum of d[p, p+1..q] more, before it the sum of -d[p, q..p-1].
        sums = np.zeros((m, m + 1))
        np.cumsum(d[np.ix_(order, order)], axis=1, out=sums[:, 1:])
        own = sums[places, places][:, None]
        change = np.where(later, sums[:, 1:], sums[:, :-1]) - own
        p, q = divmod(int(change.argmin()), m)
        if change[p, q] >= -least:
            break
        order = np.insert(np.delete(order, p), q, order[p])
    return order


def excess(d: Array, order: Order) -> float:
    """What the order pays for pairs that it inverts: the sum of d_ij > 0 with j above i."""
    below = np.tril(d[np.ix_(order, order)], -1)
    return float(below[below > 0].sum())


def kicked(d: Array, order: Order, kicks: int) -> Order:
    """The best of many descents, each from the last order with a few items put elsewhere, by a fixed seed."""
    rng, m = np.random.default_rng(0), len(d)
    least = excess(d, order)
    for _ in range(kicks if m > 2 else 0):
        trial = order
        for _ in range(_KICKED):
            p, q = rng.integers(m, size=2)
            trial = np.insert(np.delete(trial, p), q, trial[p])
        trial = descend(d, trial)
        found = excess(d, trial)
        if found <= least:
            least, order = found, trial
    return order
