"""Posets and acyclic orientations up to isomorphism: the shapes that a difference graph can have.

The low-noise condition forces the difference graph to be transitive, so its shape is a poset (OEIS A000112);
under the net-order condition and for acyclic difference graphs it is any acyclic digraph (OEIS A003087).
Every shape is given once, *naturally labeled*: an edge (i, j) has i < j.
"""

from collections.abc import Iterator
from functools import cache
from itertools import groupby, permutations, product
from typing import Final

from consistency_lab.errors import InputError, UnsupportedError

Relation = frozenset[tuple[int, int]]
"""Pairs (i, j), i < j, of items 0..m-1: i stands above j."""

MAX_POSET_ITEMS: Final = 6
MAX_ORIENTATION_ITEMS: Final = 5

_Columns = tuple[int, ...]
"""A relation as bit masks: entry j holds the items above j."""


def posets(m: int) -> tuple[Relation, ...]:
    """All posets on 0..m-1 up to isomorphism, fewest pairs first, the chain last.

    Raises
    ------
    InputError
        If m is below 1.
    UnsupportedError
        If m is above 6.

    Examples
    --------
    >>> [len(posets(m)) for m in range(1, 6)]
    [1, 2, 5, 16, 63]
    >>> sorted(posets(3)[-1])
    [(0, 1), (0, 2), (1, 2)]
    """
    _check(m, MAX_POSET_ITEMS, "posets")
    return _relations(m, transitive=True)


def orientations(m: int) -> tuple[Relation, ...]:
    """All acyclic digraphs on 0..m-1 up to isomorphism, fewest edges first.

    Raises
    ------
    InputError
        If m is below 1.
    UnsupportedError
        If m is above 5.

    Examples
    --------
    >>> [len(orientations(m)) for m in range(1, 5)]
    [1, 2, 6, 31]
    """
    _check(m, MAX_ORIENTATION_ITEMS, "acyclic digraphs")
    return _relations(m, transitive=False)


def chain(m: int) -> Relation:
    """The total order 0 above 1 above ... above m-1.

    Examples
    --------
    >>> sorted(chain(3))
    [(0, 1), (0, 2), (1, 2)]
    """
    return frozenset((i, j) for j in range(m) for i in range(j))


def is_transitive(relation: Relation) -> bool:
    """Whether (i, j) and (j, k) always come with (i, k).

    Examples
    --------
    >>> is_transitive(frozenset({(0, 1), (1, 2)}))
    False
    """
    return all((i, k) in relation for i, j in relation for h, k in relation if h == j)


def _check(m: int, limit: int, what: str) -> None:
    if m < 1:
        raise InputError(f"there are {m} items; {what} need at least 1")
    if m > limit:
        raise UnsupportedError(f"{what} on {m} items are too many to go through; the limit is {limit} items")


# A memo of a pure function of one small integer: the shapes are needed again for every surrogate.
@cache
def _relations(m: int, *, transitive: bool) -> tuple[Relation, ...]:
    found = _classes(m, transitive=transitive)
    relations = [_pairs(columns) for columns in found]
    return tuple(sorted(relations, key=lambda pairs: (len(pairs), sorted(pairs))))


@cache
def _classes(m: int, *, transitive: bool) -> tuple[_Columns, ...]:
    """One relation of each class: a smaller one, and a new lowest item under some of its items."""
    if m == 0:
        return ((),)
    seen: dict[_Columns, _Columns] = {}
    for smaller in _classes(m - 1, transitive=transitive):
        for above in range(1 << (m - 1)):
            if transitive and not _up_closed(above, smaller):
                continue
            columns = (*smaller, above)
            seen.setdefault(_canonical(columns), columns)
    return tuple(seen.values())


def _up_closed(items: int, columns: _Columns) -> bool:
    return all(above & ~items == 0 for j, above in enumerate(columns) if items >> j & 1)


def _pairs(columns: _Columns) -> Relation:
    return frozenset((i, j) for j, above in enumerate(columns) for i in range(j) if above >> i & 1)


def _canonical(columns: _Columns) -> _Columns:
    """The least relabeling that keeps items sorted by a label that no relabeling changes."""
    labels = _labels(columns)
    order = sorted(range(len(columns)), key=lambda item: labels[item])
    blocks = [tuple(block) for _, block in groupby(order, key=lambda item: labels[item])]
    return min(_relabeled(columns, arrangement) for arrangement in _arrangements(blocks))


def _labels(columns: _Columns) -> list[int]:
    """Number of items above and below, refined by those of the neighbors until nothing splits."""
    m = len(columns)
    above = [[i for i in range(m) if columns[j] >> i & 1] for j in range(m)]
    below = [[j for j in range(m) if columns[j] >> i & 1] for i in range(m)]
    labels = [0] * m
    while True:
        signs = [
            (labels[i], sorted(labels[k] for k in above[i]), sorted(labels[k] for k in below[i]))
            for i in range(m)
        ]
        ranks = sorted(signs)
        refined = [ranks.index(sign) for sign in signs]
        if refined == labels:
            return labels
        labels = refined


def _arrangements(blocks: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    for parts in product(*(permutations(block) for block in blocks)):
        yield tuple(item for part in parts for item in part)


def _relabeled(columns: _Columns, arrangement: tuple[int, ...]) -> _Columns:
    place = {item: position for position, item in enumerate(arrangement)}
    return tuple(
        sum(1 << place[i] for i in range(len(columns)) if columns[item] >> i & 1) for item in arrangement
    )
