"""What conditions say about: the differences d_ij = a_ij - a_ji, their graph and their sums."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from consistency_lab.model.conditions.condition import Entries

Differences = Sequence[Sequence[Fraction]]
"""The antisymmetric matrix d."""


def edges(d: Differences) -> Iterator[tuple[int, int]]:
    """The edges (i, j) of the difference graph, where d_ij > 0, in index order."""
    return ((i, j) for i, row in enumerate(d) for j, value in enumerate(row) if value > 0)


def net(d: Differences) -> list[Fraction]:
    """The net preference of each item, sum over j of d_ij (the scores of DMJ10 Eq. 15 increase with it)."""
    return [sum(row, Fraction(0)) for row in d]


def differences(a: Entries) -> list[list[Any]]:
    """The matrix d of an aggregate.

    Examples
    --------
    >>> differences([[0, 3], [1, 0]])
    [[0, 2], [-2, 0]]
    """
    return [[x - a[j][i] for j, x in enumerate(row)] for i, row in enumerate(a)]


def has_no_cycle(d: Entries) -> Any:
    """Whether the difference graph is acyclic: no item is reached from itself (Warshall's algorithm).

    Examples
    --------
    >>> has_no_cycle([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    False
    """
    everyone = range(len(d))
    reached = [[x > 0 for x in row] for row in d]
    for k in everyone:
        for i in everyone:
            passes = reached[i][k]
            if passes is not False:
                reached[i] = [x | (passes & y) for x, y in zip(reached[i], reached[k], strict=True)]
    cyclic: Any = False
    for i in everyone:
        cyclic = cyclic | reached[i][i]
    return cyclic <= False
