"""All orders of least pairwise disagreement: O*(p), by dynamic programming over subsets (THEORY §1).

A subset is the top part of an order; the best order of a subset ends in one of its items i, and ranking i
right below the subset R costs the sum of a_ij over j in R. One pass gives the least loss of every subset,
and the steps that attain it are the edges of a graph whose paths are exactly the optimal orders.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from math import lcm
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.exact import LogRational
from consistency_lab.model.targets import order_of

MAX_ITEMS: Final = 15
"""At most this many items: the tables have 2^m columns of m entries."""

_KINDS: Final[tuple[tuple[int, Any], ...]] = ((1 << 30, np.int32), (1 << 62, np.int64))
"""Bounds of what is added up, and the fastest integers that hold it; beyond, Python's own."""

Matrix = Sequence[Sequence[Fraction]]
Table = NDArray[Any]


@final
@dataclass(frozen=True, eq=False)
class OptimalOrders:
    """The set O*(p) of optimal orders.

    Build one with `optimal_orders`.

    Parameters
    ----------
    loss
        The least loss.
    m
        The number of items.
    least, below
        Integer tables on subsets R (bit i stands for item i): the least loss of an order of R, and
        ``below[i, R]``, what it costs to rank i below R. Dearer than every loss where it is forbidden.
    """

    loss: Fraction
    m: int
    least: Table
    below: Table

    def _tight(self, layer: "_Layer") -> NDArray[np.bool_]:
        """Which last items are those of a best order, for each subset of one size."""
        reached: Table = self.below.reshape(-1).take(layer.steps) + self.least.take(layer.before)
        return np.asarray(reached == self.least.take(layer.subsets), dtype=bool)

    @cached_property
    def _alive(self) -> NDArray[np.bool_]:
        """The subsets that are the top part of some optimal order."""
        alive = np.zeros(1 << self.m, dtype=bool)
        alive[-1] = True
        for layer in reversed(_layers(self.m)):
            alive[layer.before[self._tight(layer) & alive[layer.subsets]]] = True
        return alive

    @cached_property
    def _possible(self) -> NDArray[np.bool_]:
        """Entry [i, j]: some optimal order has i above j."""
        subsets = np.flatnonzero(self._alive)
        inside = (subsets >> np.arange(self.m)[:, None] & 1).astype(np.float64)
        return np.asarray(inside @ (1 - inside).T > 0)

    def count(self) -> int:
        """How many optimal orders there are, without listing them."""
        ways = np.zeros(1 << self.m, dtype=np.int64)  # 15! < 2^63
        ways[0] = 1
        for layer in _layers(self.m):
            ways[layer.subsets] = (self._tight(layer) * ways.take(layer.before)).sum(axis=0)
        return int(ways[-1])

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
            stack.extend(
                (subset | 1 << i, (*order, i)) for i in reversed(range(self.m)) if self._continues(subset, i)
            )

    def _continues(self, subset: int, item: int) -> bool:
        after = subset | 1 << item
        return (
            after != subset
            and bool(self._alive[after])
            and bool(self.below[item, subset] + self.least[subset] == self.least[after])
        )

    def contains(self, order: Sequence[int]) -> bool:
        """Whether an order is optimal.

        Raises
        ------
        InputError
            If it is not a permutation of the items.
        """
        if sorted(order) != list(range(self.m)):
            raise InputError(f"the order {tuple(order)} must name each of the {self.m} items once")
        subset = 0
        for item in order:
            if not self._continues(subset, item):
                return False
            subset |= 1 << item
        return True

    def in_optimal_set(self, scores: Sequence[LogRational]) -> bool:
        """Whether alpha lies in A(p), that is, tau(alpha) is optimal (ties: higher index first)."""
        return self.contains(order_of(scores))

    def forced(self, i: int, j: int) -> bool:
        """Whether item i is above item j in every optimal order.

        Examples
        --------
        >>> orders = optimal_orders([[Fraction(0), Fraction(1)], [Fraction(0), Fraction(0)]])
        >>> orders.forced(0, 1), orders.forced(1, 0)
        (True, False)
        """
        return i != j and not bool(self._possible[j, i])


@final
@dataclass(frozen=True, eq=False)
class _Layer:
    """The subsets of one size; row by row, the subset without each of its items, and where `below` has it."""

    subsets: NDArray[np.intp]
    before: NDArray[np.intp]
    steps: NDArray[np.intp]


@lru_cache(maxsize=MAX_ITEMS + 1)
def _layers(m: int) -> tuple[_Layer, ...]:
    """The subsets by size; they depend on m alone, so they are kept."""
    subsets = np.arange(1 << m, dtype=np.intp)
    sizes = sum((subsets >> i & 1 for i in range(m)), np.zeros_like(subsets))
    layers = []
    for size in range(1, m + 1):
        chosen = np.flatnonzero(sizes == size)
        items = np.nonzero(chosen[:, None] >> np.arange(m) & 1)[1].reshape(len(chosen), size).T.copy()
        before = chosen ^ (1 << items)
        layers.append(_Layer(chosen, before, (items << m) + before))
    return tuple(layers)


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
    InputError
        If `a` is not square, or the pairs in `above` run in a circle.
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
    if m > MAX_ITEMS:
        raise UnsupportedError(
            f"there are {m} items; all optimal orders are found for at most {MAX_ITEMS}, "
            f"because the work grows like 2^m m"
        )
    scale = lcm(*(x.denominator for row in a for x in row))
    whole = [[x.numerator * (scale // x.denominator) for x in row] for row in a]
    # What both ways of ranking a pair cost is paid by every order: taking it out keeps the numbers small.
    rest = [[0] * m for _ in a]
    paid = 0
    for i, j in combinations(range(m), 2):
        forward, backward = whole[i][j], whole[j][i]
        shared = min(forward, backward)
        paid += shared
        rest[i][j], rest[j][i] = forward - shared, backward - shared
    forbidden = 1 + sum(map(sum, rest))
    pairs = set(above)
    largest = 2 * (len(pairs) + 1) * forbidden
    kind = next((kind for bound, kind in _KINDS if largest < bound), object)
    below = np.zeros((m, 1 << m), dtype=kind)
    table = np.array(rest, dtype=kind).reshape(m, m)
    for j in range(m):
        np.add(below[:, : 1 << j], table[:, j, None], out=below[:, 1 << j : 2 << j])
    for i, j in pairs:
        _forbid(below, m, i, j, forbidden)
    least = np.zeros(1 << m, dtype=kind)
    flat = below.reshape(-1)
    for layer in _layers(m):
        loss = flat.take(layer.steps)
        loss += least.take(layer.before)
        least[layer.subsets] = loss.min(axis=0)
    best = int(least[-1])
    if best >= forbidden:
        raise InputError("the pairs that must keep their order run in a circle; no order has them all")
    return OptimalOrders(Fraction(best + paid, scale), m, least, below)


def _forbid(below: Table, m: int, i: int, j: int, price: int) -> None:
    """Make it dearer than any loss to place j below a subset that i is not in."""
    if i == j:
        raise InputError(f"item {i} cannot be above itself")
    without = np.flatnonzero((np.arange(1 << m) >> i & 1) == 0)
    below[j, without] += price
