"""From the multipliers of a linear program to cycles that the core adds up.

The program's triangles use arcs of both directions; the core counts arcs of positive difference alone. Where
one cycle runs along i → j and another along j → i, what they prove together is proved by the cycle that is
left when the two arcs are taken out. What still runs along an arc without room proves nothing, and is
dropped.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Final

from consistency_lab.core.orders import Below, Cycles, Order, Pair

Integers = Sequence[Sequence[int]]

_DENOMINATORS: Final = (1, 2, 3, 4, 6, 12, 60, 840)
_NEAR: Final = 1e-7
_FINE: Final = 2**20


def packed(triangles: Iterable[tuple[float, Order]], d: Integers, below: Below) -> Cycles:
    """Cycles within the room of their arcs, with all that the triangles prove.

    Parameters
    ----------
    triangles
        Multipliers in floats, in units of d, on cycles.
    d
        Shape (m, m), antisymmetric, whole numbers: what an order with j above i pays more.
    below
        The forced pairs.

    Examples
    --------
    Two triangles with the arc 1 → 3, that is dear, in opposite directions:

    >>> d = [[0, 1, 0, -1], [-1, 0, 1, 0], [0, -1, 0, 1], [1, 0, -1, 0]]
    >>> packed([(1.0, (0, 1, 2)), (1.0, (0, 2, 3))], d, (0,) * 4)
    Cycles(parts=((Fraction(1, 1), (2, 3, 0, 1)),))
    """
    useful = [
        (y, cycle)
        for y, cycle in triangles
        if not any(below[j] >> i & 1 for i, j in pairwise((*cycle, cycle[0])))
    ]
    denominator = _denominator([y for y, _ in useful])
    walks = _cancelled([(n, c) for y, c in useful if (n := round(y * denominator)) > 0], below)
    return Cycles(
        tuple((Fraction(n, denominator), cycle) for n, cycle in _within(walks, d, below, denominator))
    )


def _denominator(values: Sequence[float]) -> int:
    """A common denominator: a small one, if the numbers are as good as equal to such fractions."""
    near = _NEAR * max(1.0, *values, 1.0)
    for n in _DENOMINATORS:
        if all(abs(y * n - round(y * n)) <= near * n for y in values):
            return n
    return max(1, floor(_FINE / max(1.0, min(values)))) if values else 1


def _cancelled(walks: Sequence[tuple[int, Order]], below: Below) -> list[tuple[int, Order]]:
    """Closed walks no two of which use a free pair in opposite directions."""
    size: dict[int, int] = {}
    items: dict[int, Order] = {}
    users: dict[Pair, dict[int, None]] = {}

    def add(n: int, walk: Order) -> None:
        for cycle in _simple(walk):
            name = len(size)
            size[name], items[name] = n, cycle
            for arc in pairwise((*cycle, cycle[0])):
                users.setdefault(arc, {})[name] = None

    def less(name: int, n: int) -> None:
        size[name] -= n
        if not size[name]:
            for arc in pairwise((*items[name], items[name][0])):
                users[arc].pop(name, None)

    for n, walk in walks:
        add(n, walk)
    for i, j in sorted({(min(arc), max(arc)) for arc in users}):
        if below[i] >> j & 1 or below[j] >> i & 1:
            continue
        ahead, back = users.get((i, j), {}), users.get((j, i), {})
        while ahead and back:
            first, second = next(iter(ahead)), next(iter(back))
            n = min(size[first], size[second])
            walk = (*_from_arc(items[first], i, j), *_from_arc(items[second], j, i)[1:-1])
            less(first, n)
            less(second, n)
            add(n, walk)
    return [(n, items[name]) for name, n in size.items() if n]


def _from_arc(walk: Order, i: int, j: int) -> Order:
    """The closed walk as a sequence that begins with j and ends with i, for an arc i → j of it."""
    k = next(k for k, arc in enumerate(pairwise((*walk, walk[0]))) if arc == (i, j))
    return (*walk[k + 1 :], *walk[: k + 1])


def _simple(walk: Order) -> list[Order]:
    """The cycles of a closed walk, without those of one item or two."""
    found: list[Order] = []
    path: list[int] = []
    for item in walk:
        if item in path:
            k = path.index(item)
            found.append(tuple(path[k:]))
            del path[k:]
        path.append(item)
    return [cycle for cycle in (*found, tuple(path)) if len(cycle) > 2]


def _within(
    walks: Sequence[tuple[int, Order]], d: Integers, below: Below, denominator: int
) -> list[tuple[int, Order]]:
    """The walks with no more of each than their free arcs have room for, in units of 1/denominator."""
    used: Counter[Pair] = Counter()
    found = []
    for n, walk in walks:
        arcs = Counter(arc for arc in pairwise((*walk, walk[0])) if not below[arc[0]] >> arc[1] & 1)
        n = min([n, *((d[i][j] * denominator - used[i, j]) // times for (i, j), times in arcs.items())])
        if n > 0:
            found.append((n, walk))
            used.update({arc: n * times for arc, times in arcs.items()})
    return found
