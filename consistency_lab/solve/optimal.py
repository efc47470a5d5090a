"""All orders of least pairwise disagreement: O*(p), by dynamic programming over subsets.

The aggregate is scaled to whole numbers, so every loss is exact. See docs/theory.md, Target loss.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Final, final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.checked import checked
from consistency_lab.model.distribution import order_of
from consistency_lab.numbers.compiling import is_installed, is_loaded
from consistency_lab.numbers.exact import LogRational, Matrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# --- The dynamic program over subsets, in Python's integers ----------------------------------------------
# Whole numbers of any size, and the quickest start for a few items.

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


_BLOCK: Final = 10
"""Prices are tabulated for the subsets of this many items at a time, so that memory does not grow with m."""


def fill(rest: Sequence[Sequence[int]], must: Sequence[int], forbidden: int) -> OrderTable:
    """Find all orders of least loss, ranking i below j costing ``rest[i][j]``.

    The items (bits) of ``must[i]`` have to be above item i; every order costs less than `forbidden`.
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
            best = forbidden
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
    ways = {full: 1} if least[full] < forbidden else {}
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


# --- All optimal orders of an aggregate ------------------------------------------------------------------

MAX_ITEMS: Final = 20
"""At most this many items: the tables have an entry for each of the 2^m subsets, and 21! orders could
not be counted in 64 bits."""

_WORTH_CALLING: Final = 4
_WORTH_LOADING: Final = 12
"""The compiled program is quicker from 4 items on, but loading the compiler takes as long as dozens of calls
with 12 items: below that it is used only if something else has loaded it."""


@final
@dataclass(frozen=True, eq=False, slots=True)
class OptimalOrders:
    """The set O*(p) of optimal orders.

    Build one with `optimal_orders`.
    """

    loss: Fraction  #: The least loss.
    m: int  #: The number of items.
    table: OrderTable  #: The graph whose paths are the optimal orders.

    def count(self) -> int:
        """How many optimal orders there are, without listing them."""
        return self.table.count

    @checked
    def orders(self, limit: int | None = None) -> Iterator[tuple[int, ...]]:
        """The optimal orders, items from top to bottom, in lexicographic order, at most `limit`.

        Examples
        --------
        >>> a = [[Fraction(0)] * 3 for _ in range(3)]
        >>> list(optimal_orders(a).orders(2))
        [(0, 1, 2), (0, 2, 1)]
        """
        full = (1 << self.m) - 1
        left = limit
        stack: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while stack and (left is None or left > 0):
            subset, order = stack.pop()
            if subset == full:
                left = None if left is None else left - 1
                yield order
                continue
            after = int(self.table.after[subset])
            stack.extend((subset | 1 << i, (*order, i)) for i in reversed(range(self.m)) if after >> i & 1)

    @checked
    def contains(self, order: Sequence[int]) -> bool:
        """Whether an order is optimal."""
        if sorted(order) != list(range(self.m)):
            raise InputError(f"the order {tuple(order)} must name each of the {self.m} items once")
        subset = 0
        for item in order:
            if not int(self.table.after[subset]) >> item & 1:
                return False
            subset |= 1 << item
        return True

    @checked
    def in_optimal_set(self, scores: Sequence[LogRational]) -> bool:
        """Whether alpha lies in A(p), that is, tau(alpha) is optimal (ties: higher index first)."""
        return self.contains(order_of(scores))

    @checked
    def forced(self, i: int, j: int) -> bool:
        """Whether item i is above item j in every optimal order.

        Examples
        --------
        >>> orders = optimal_orders([[Fraction(0), Fraction(1)], [Fraction(0), Fraction(0)]])
        >>> orders.forced(0, 1), orders.forced(1, 0)
        (True, False)
        """
        if not (0 <= i < self.m and 0 <= j < self.m):
            raise InputError(f"expected two of the items 0 to {self.m - 1}, got {i} and {j}")
        return i != j and not self.table.below[j] >> i & 1


@checked
def optimal_orders(a: Matrix, above: Iterable[tuple[int, int]] = ()) -> OptimalOrders:
    """Find the least pairwise disagreement and all orders that attain it, exactly.

    Parameters
    ----------
    a
        The m x m aggregate, rational.
    above
        Pairs (i, j): only orders with i above j count. Without them the answer is O*(p).

    Raises
    ------
    UnsupportedError
        If there are more than `MAX_ITEMS` items.

    Examples
    --------
    A majority cycle of three: any rotation of it is optimal.

    >>> one, zero = Fraction(1), Fraction(0)
    >>> best = optimal_orders([[zero, one, zero], [zero, zero, one], [one, zero, zero]])
    >>> best.loss, best.count(), list(best.orders())
    (Fraction(1, 1), 3, [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
    """
    m = len(a)
    if any(len(row) != m for row in a):
        raise InputError(f"the aggregate must be a square matrix, with {m} entries in each of its {m} rows")
    if not m:
        raise InputError("the aggregate is empty; it needs a row and a column for each item")
    if m > MAX_ITEMS:
        raise UnsupportedError(
            f"there are {m} items; all optimal orders are found for at most {MAX_ITEMS}, "
            f"because the work grows like 2^m m"
        )
    ratios = [[x.as_integer_ratio() for x in row] for row in a]
    scale = lcm(*{denominator for row in ratios for _, denominator in row})
    # What both ways of ranking a pair cost is paid by every order: taking it out keeps the numbers small.
    rest = [[0] * m for _ in a]
    paid = 0
    for i, row in enumerate(ratios):
        for j in range(i):
            n, denominator = row[j]
            forward = n * (scale // denominator)
            n, denominator = ratios[j][i]
            backward = n * (scale // denominator)
            if forward > backward:
                rest[i][j] = forward - backward
                paid += backward
            else:
                rest[j][i] = backward - forward
                paid += forward
    must = [0] * m
    for i, j in above:
        if not (0 <= i < m and 0 <= j < m):
            raise InputError(f"expected two of the items 0 to {m - 1}, got the pair ({i}, {j})")
        if i == j:
            raise InputError(f"item {i} cannot be above itself")
        must[j] |= 1 << i
    forbidden = 1 + sum(map(sum, rest))
    if m < (_WORTH_CALLING if is_loaded() else _WORTH_LOADING) or forbidden >= LARGEST or not is_installed():
        table = fill(rest, must, forbidden)
    else:
        from consistency_lab.solve import order_kernels

        table = OrderTable(*order_kernels.fill(rest, must, forbidden))
    if table.least >= forbidden:
        raise InputError("the required pairs form a cycle, so no order satisfies them all")
    return OptimalOrders(Fraction(table.least + paid, scale), m, table)
