"""The pairwise disagreement of orders, and its extremes over orders (DMJ10 Eq. 8).

An order with j above i pays a_ij. Orders are built from the top, one item at a time: what an item pays
depends only on the *set* of items above it, so a table over the 2^m sets gives extremes, counts and forced
pairs.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

from consistency_lab.exact import LogRational
from consistency_lab.frozen import frozen
from consistency_lab.proofs.format_1.distribution import Integers


@frozen
class Costs:
    """What each item pays for each set above it, in units of 1/`scale`; sets are bit masks."""

    m: int
    scale: int
    pays: tuple[list[int], ...]

    @staticmethod
    def of(a: Integers, scale: int) -> "Costs":
        """The table for an aggregate in units of 1/`scale`."""
        pays = []
        for line in a:
            sums = [0]
            for x in line:
                sums += [total + x for total in sums]
            pays.append(sums)
        return Costs(len(a), scale, tuple(pays))

    def loss(self, order: Sequence[int]) -> Fraction:
        """The loss of an order, items from top to bottom."""
        total = above = 0
        for item in order:
            total += self.pays[item][above]
            above |= 1 << item
        return Fraction(total, self.scale)

    def extreme(self, choose: Callable[[int, int], int], required: Sequence[int]) -> Fraction | None:
        """The least (or greatest) loss of an order in which ``required[i]`` stands above each i.

        Parameters
        ----------
        choose
            ``min`` or ``max``.
        required
            For each item a bit mask of the items that must be above it.

        Returns
        -------
        loss
            None if no order is like that.
        """
        best: list[int | None] = [None] * (1 << self.m)
        best[0] = 0
        for above, loss in enumerate(best):
            if loss is None:
                continue
            for item in range(self.m):
                if above >> item & 1 or required[item] & ~above:
                    continue
                total, larger = loss + self.pays[item][above], above | 1 << item
                known = best[larger]
                best[larger] = total if known is None else choose(known, total)
        last = best[-1]
        return None if last is None else Fraction(last, self.scale)


@frozen
class Optimum:
    """The optimal orders: loss and number, and for each item a mask of those above it in some of them."""

    loss: Fraction
    count: int
    sometimes_above: tuple[int, ...]

    @staticmethod
    def of(costs: Costs) -> "Optimum":
        """Go down the table of least losses, then back up along the optimal orders only."""
        size = 1 << costs.m
        least, ways = [0] * size, [0] * size
        ways[0] = 1
        for placed in range(1, size):
            found: dict[int, int] = {}
            for item in range(costs.m):
                if placed >> item & 1:
                    above = placed ^ 1 << item
                    loss = least[above] + costs.pays[item][above]
                    found[loss] = found.get(loss, 0) + ways[above]
            least[placed] = min(found)
            ways[placed] = found[least[placed]]
        sometimes_above, used = [0] * costs.m, bytearray(size)
        used[-1] = 1
        for placed in range(size - 1, 0, -1):
            if not used[placed]:
                continue
            for item in range(costs.m):
                above = placed ^ 1 << item
                if placed >> item & 1 and least[above] + costs.pays[item][above] == least[placed]:
                    sometimes_above[item] |= above
                    used[above] = 1
        return Optimum(Fraction(least[-1], costs.scale), ways[-1], tuple(sometimes_above))

    def forced(self, i: int, j: int) -> bool:
        """Whether i is above j in every optimal order."""
        return not self.sometimes_above[i] >> j & 1


def order_of(scores: Sequence[LogRational]) -> tuple[int, ...]:
    """tau(alpha): items by falling score, of equal scores the higher index first."""
    # The sort is stable, so going through the items backwards puts the higher index first.
    return tuple(sorted(range(len(scores) - 1, -1, -1), key=lambda i: -scores[i]))


def levels_of(scores: Sequence[LogRational], order: Sequence[int]) -> tuple[int, ...]:
    """A small integer for each item, rising as its score falls, equal for equal scores.

    Parameters
    ----------
    scores
        The scores.
    order
        Their order, as `order_of` gives it.
    """
    levels = [0] * len(scores)
    for higher, lower in pairwise(order):
        # a + log q determines a and q, so comparing the two numbers is comparing the scores.
        levels[lower] = levels[higher] + (scores[lower] != scores[higher])
    return tuple(levels)
