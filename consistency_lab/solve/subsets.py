"""The subset dynamic program behind `solve.optimal`, in plain integers, and what it finds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# --- What the dynamic program finds: the least loss, and a graph whose paths are the optimal orders ------

LARGEST: Final = 1 << 61
"""Losses below this leave room for the sum of two of them in 64 bits."""


@final
@dataclass(frozen=True, eq=False, slots=True)
class OrderTable:
    """The optimal orders as the paths of a graph on subsets (bit i stands for item i)."""

    least: int  #: The least loss; not below the price of what is forbidden if no order is allowed.
    count: int  #: How many orders attain it.
    #: For each subset, the items that some optimal order has right below it as its top part.
    after: "Sequence[int] | NDArray[np.int32]"
    below: Sequence[int]  #: For each item, the items that some optimal order has below it.


# --- The subset dynamic program in Python's integers -----------------------------------------------------
# Of any size, and the quickest start for a few items.

_BLOCK: Final = 10
"""Prices are written down for the subsets of so many items at a time, so that memory does not grow with m."""


def fill(rest: Sequence[Sequence[int]], must: Sequence[int], dear: int) -> OrderTable:
    """Find all orders of least loss.

    Parameters
    ----------
    rest
        What it costs to rank i below j; zeros on the diagonal.
    must
        For each item, the items (bits) that have to be above it.
    dear
        More than any order costs.

    Examples
    --------
    >>> found = fill([[0, 1], [0, 0]], [0, 0], 2)
    >>> found.least, found.count, found.after, found.below
    (0, 1, [1, 2, 0, 0], [2, 0])
    """
    m = len(rest)
    block = 1 << min(m, _BLOCK)
    low = [_sums(row[:_BLOCK]) for row in rest]
    high = [_sums(row[_BLOCK:]) for row in rest]
    least = [0] * (1 << m)
    for start in range(0, 1 << m, block):
        more = [sums[start >> _BLOCK] for sums in high]
        prices = [
            (1 << i, [x + more[i] for x in sums] if more[i] else sums, must[i]) for i, sums in enumerate(low)
        ]
        for subset in range(start or 1, start + block):
            best = dear
            for bit, price, needed in prices:
                if (
                    subset & bit
                    and not needed & ~subset
                    and (loss := least[subset ^ bit] + price[subset - start]) < best
                ):
                    best = loss
            least[subset] = best
    # Down from the whole set, along the steps that attain the least loss; size by size.
    full = (1 << m) - 1
    after = [0] * (1 << m)
    below = [0] * m
    ways = {full: 1} if least[full] < dear else {}
    for _ in range(m):
        smaller: dict[int, int] = {}
        for subset, count in ways.items():
            for i in range(m):
                bit = 1 << i
                if not subset & bit:
                    continue
                below[i] |= full ^ subset
                before = subset ^ bit
                loss = least[before] + low[i][subset & (block - 1)] + high[i][subset >> _BLOCK]
                if loss == least[subset] and not must[i] & ~subset:
                    after[before] |= bit
                    smaller[before] = smaller.get(before, 0) + count
        ways = smaller
    return OrderTable(least[full], ways.get(0, 0), after, below)


def _sums(row: Sequence[int]) -> list[int]:
    """The sum of the entries in every subset."""
    sums = [0]
    for x in row:
        sums += [y + x for y in sums]
    return sums
