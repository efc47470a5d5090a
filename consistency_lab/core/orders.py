"""What orders and decoded predictions cost, and bounds on the cost that anyone can add up."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import combinations, pairwise
from typing import Final, TypeVar

from consistency_lab.core.reading import Names, Reader, array, entries, fraction, many, row
from consistency_lab.core.risk import form
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.balls import Real, minus, plus, shown, sign, times, total
from consistency_lab.numbers.exact import LogRational, exact_sum, integer_multiple

# --- What orders of the items cost, and bounds on it that anyone can add up ------------------------------
# An order that puts j above i pays a_ij (DMJ10 Eq. 8 up to the rule for ties). Some pairs may be *forced*: i
# above j. Then every order pays at least
#
#     sum over forced i above j of a_ji, and over the other pairs of min(a_ij, a_ji),
#
# and more on cycles: no order keeps all arcs i → j of a cycle, and the first one that it inverts costs a_ij -
# a_ji more. So multipliers y >= 0 on cycles whose sum on each free arc is at most a_ij - a_ji add up to a
# further sum of y. Where cycles do not suffice, the bound is split into two cases: i above j, and j above i.

Order = tuple[int, ...]
"""Items from top to bottom."""

Pair = tuple[int, int]
Costs = Mapping[Pair, Fraction]
"""a_ij > 0 by (i, j): what an order with j above i pays."""

Level = TypeVar("Level", int, tuple[int, int])

Below = tuple[int, ...]
"""For each item a bit mask of the items that are forced to stand below it."""

DEEPEST: Final = 40
"""Most cases inside each other."""

_MOST_WORK: Final = 20_000_000
"""Most cases times pairs of items."""


@frozen
class Cycles:
    """Multipliers on cycles of items; each item is to stand above the next, and the last above the first."""

    parts: tuple[tuple[Fraction, Order], ...] = ()


@frozen
class Split:
    """Two cases: the first item of the pair above the second, or below it."""

    pair: Pair
    above: "Evidence"
    below: "Evidence"


Evidence = Cycles | Split

NO_CYCLES: Final = Cycles()


def read_evidence(items: Names) -> Reader[Evidence]:
    """The reader of cycles, or of two cases."""

    def cycle(value: object, where: str) -> tuple[Fraction, Order]:
        y, some = row(value, where, 2)
        return fraction(y, where), items.different(some, where, 2)

    def read(value: object, where: str, depth: int = 0) -> Evidence:
        def case(value: object, where: str) -> Evidence:
            return read(value, where, depth + 1)

        if isinstance(value, dict) and "split" in value:
            if depth == DEEPEST:
                raise InputError(f"{where} has more than {DEEPEST} cases inside each other")
            return Split(*entries(value, where, {"split": items.pair, "above": case, "below": case}).values())
        return Cycles(entries(value, where, {"cycles": many(cycle)})["cycles"])

    return read


def cost(costs: Costs, order: Sequence[int]) -> Fraction:
    """What an order pays."""
    place = {item: n for n, item in enumerate(order)}
    return exact_sum(x for (i, j), x in costs.items() if place[j] < place[i])


def reversed_costs(costs: Costs) -> Costs:
    """Costs under which an order pays what it saves: the two sums are the total for every order."""
    return {(j, i): x for (i, j), x in costs.items()}


def lower_bound(costs: Costs, below: Below, evidence: Evidence) -> Fraction:
    """A number that every order with the forced pairs pays at least.

    Parameters
    ----------
    costs
        The costs of pairs.
    below
        The forced pairs, see `closure`.
    evidence
        Cycles, or a split into two cases.

    RejectedError if the multipliers exceed what an arc has, or the evidence is too long.

    Examples
    --------
    A cycle of three: an order inverts one of its arcs.

    >>> one = Fraction(1)
    >>> cyclic = {(0, 1): one, (1, 2): one, (2, 0): 2 * one}
    >>> lower_bound(cyclic, closure(3, []), Cycles(((one, (0, 1, 2)),)))
    Fraction(1, 1)
    >>> lower_bound(cyclic, closure(3, [(0, 1), (1, 2)]), NO_CYCLES)
    Fraction(2, 1)
    """
    if _leaves(evidence) * len(below) ** 2 > _MOST_WORK:
        raise RejectedError("the evidence on the costs of orders has too many cases")
    numbers, scale = integer_multiple(costs.values())
    return _bound(dict(zip(costs, numbers, strict=True)), below, evidence, scale) / scale


def _leaves(evidence: Evidence) -> int:
    return 1 if isinstance(evidence, Cycles) else _leaves(evidence.above) + _leaves(evidence.below)


def _bound(costs: Mapping[Pair, int], above: Below, evidence: Evidence, scale: Fraction) -> Fraction | int:
    """The bound for costs that are whole multiples of 1/scale, times the scale."""
    if isinstance(evidence, Split):
        i, j = evidence.pair
        if (above[i] >> j | above[j] >> i) & 1:
            raise RejectedError(f"cases are made of the items {i + 1} and {j + 1}, whose order is forced")
        return min(
            _bound(costs, with_pair(above, i, j), evidence.above, scale),
            _bound(costs, with_pair(above, j, i), evidence.below, scale),
        )
    m, room = len(above), dict[Pair, Fraction | int]()
    bound: Fraction | int = 0
    for i, j in combinations(range(m), 2):
        keeps, breaks = costs.get((j, i), 0), costs.get((i, j), 0)
        if above[i] >> j & 1:
            bound += keeps
        elif above[j] >> i & 1:
            bound += breaks
        else:
            arc, less, more = ((i, j), keeps, breaks) if breaks > keeps else ((j, i), breaks, keeps)
            bound += less
            room[arc] = more - less
    for y, cycle in evidence.parts:
        if y < 0:
            raise RejectedError(f"the multiplier of a cycle is {shown(y)}; it must be at least 0")
        for i, j in pairwise((*cycle, cycle[0])):
            if above[i] >> j & 1:
                continue
            left = room.get((i, j), 0) - y * scale
            if left < 0:
                raise RejectedError(
                    f"the cycles take more of the arc {i + 1} → {j + 1} than its difference of preferences"
                )
            room[i, j] = left
        bound += y * scale
    return bound


def closure(m: int, forced: Iterable[Pair]) -> Below:
    """For each item a bit mask of the items that stand below it in every order with these pairs.

    RejectedError if the pairs contradict each other.

    Examples
    --------
    >>> [bin(mask) for mask in closure(3, [(0, 1), (1, 2)])]
    ['0b110', '0b100', '0b0']
    """
    below = [0] * m
    for i, j in forced:
        below[i] |= 1 << j
    for k in range(m):  # Warshall's algorithm
        for i in range(m):
            if below[i] >> k & 1:
                below[i] |= below[k]
    if any(mask >> k & 1 for k, mask in enumerate(below)):
        raise RejectedError("no order has all the forced pairs: they contradict each other")
    return tuple(below)


def by_levels(level: Sequence[Level]) -> Below:
    """The same where items of a higher level stand above those of a lower one."""
    lower: dict[Level, int] = {}
    masks = dict.fromkeys(sorted(set(level)), 0)
    for k, n in enumerate(level):
        masks[n] |= 1 << k
    seen = 0
    for n, mask in masks.items():
        lower[n], seen = seen, seen | mask
    return tuple(lower[n] for n in level)


def with_pair(below: Below, i: int, j: int) -> Below:
    """The closure with one more pair, i above j, that does not contradict it."""
    gained = below[j] | 1 << j
    return tuple(mask | gained if k == i or mask >> i & 1 else mask for k, mask in enumerate(below))


def extends(order: Order, below: Below) -> bool:
    """Whether an order has all the forced pairs."""
    above = 0
    for k in order:
        if above & below[k]:
            return False
        above |= 1 << k
    return True


def extensions(below: Below, most: int) -> Iterator[Order]:
    """All orders with the forced pairs, as a mask for each item says.

    RejectedError after `most` of them.

    Examples
    --------
    >>> list(extensions(closure(3, [(2, 0)]), 10))
    [(1, 2, 0), (2, 0, 1), (2, 1, 0)]
    """
    count = 0
    stack: list[Order] = [()]
    while stack:
        head = stack.pop()
        if len(head) == len(below):
            count += 1
            if count > most:
                raise RejectedError(f"more than {most} orders would have to be gone through")
            yield head
            continue
        rest = [k for k in range(len(below)) if k not in head]
        free = [k for k in rest if not any(below[other] >> k & 1 for other in rest)]
        stack += [(*head, k) for k in reversed(free)]


# --- What a decoder may return at given scores: ties go any way, so closed cells are meant ---------------
# A decoder sorts (the prediction is an order of the coordinates in which the scores do not rise), or it is
# written out:
# for each prediction one or more cells {u : <row, u> + b >= 0 for all its rows}.

HalfSpace = tuple[tuple[Fraction, ...], Fraction]
"""(row, b): the u with <row, u> + b >= 0."""

Cell = tuple[HalfSpace, ...]


@frozen
class Sort:
    """The orders in which the scores do not rise."""


@frozen
class Cells:
    """The cells of each prediction, by its number."""

    of: Mapping[int, tuple[Cell, ...]]

    def may_return(self, scores: Sequence[Real]) -> tuple[int, ...]:
        """The predictions with a cell that the scores lie in.

        RejectedError if a sign is not certain.

        Examples
        --------
        >>> one, nought = Fraction(1), Fraction(0)
        >>> cells = Cells({0: ((((one,), nought),),), 1: ((((-one,), nought),),)})
        >>> [cells.may_return([LogRational(Fraction(u))]) for u in (-2, 0)]
        [(1,), (0, 1)]
        """
        return tuple(n for n, cells in self.of.items() if any(_inside(cell, scores) for cell in cells))


StatedDecoder = Sort | Cells


def read_cells(coordinates: Names, predictions: Names) -> Reader[Cells]:
    """The reader of the cells of each prediction."""

    def line(value: object, where: str) -> HalfSpace:
        normal, b = row(value, where, 2)
        return coordinates.each(fraction)(normal, f"{where}[0]"), fraction(b, f"{where}[1]")

    def read(value: object, where: str) -> Cells:
        if not isinstance(value, dict):
            raise InputError('decoder must be "sort", or an object with the cells of each prediction')
        found = {predictions.one(k, where): array(v, f"{where}.{k}", many(line)) for k, v in value.items()}
        return Cells(found)

    return read


def _inside(cell: Cell, scores: Sequence[Real]) -> bool:
    return all(_sign(row, LogRational(b), scores) >= 0 for row, b in cell)


def _sign(row: Sequence[Fraction], b: LogRational, scores: Sequence[Real]) -> int:
    exact = [score for score in scores if isinstance(score, LogRational)]
    if len(exact) == len(scores):
        return form([(k, n) for k, n in enumerate(row) if n], exact, b).sign()
    products = (times(LogRational(n), u) for n, u in zip(row, scores, strict=True))
    return sign(plus(b, total(products)), "a row of a cell")


def levels(scores: Sequence[Real]) -> tuple[int, ...]:
    """A small integer for each score, in their order, equal for equal ones.

    RejectedError if balls do not tell.
    """

    def against(i: int, j: int) -> int:
        return sign(minus(scores[i], scores[j]), "the difference of two scores")

    rising = sorted(range(len(scores)), key=cmp_to_key(against))
    level = dict.fromkeys(rising, 0)
    for i, j in pairwise(rising):
        level[j] = level[i] + against(j, i)
    return tuple(level[k] for k in range(len(scores)))
