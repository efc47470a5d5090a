"""Feedback arc sets of small digraphs, by trying sets of arcs: no dynamic program, unlike in `solve`."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations, product
from random import Random

Arc = tuple[int, int]
Arcs = tuple[Arc, ...]


def topological_order(arcs: Iterable[Arc], m: int) -> tuple[int, ...] | None:
    """An order in which every arc leads down, or None if there is a cycle (Kahn's algorithm).

    Examples
    --------
    >>> topological_order([(2, 0), (0, 1)], 3), topological_order([(0, 1), (1, 0)], 2)
    ((2, 0, 1), None)
    """
    left, remaining = list(arcs), set(range(m))
    order: list[int] = []
    while remaining:
        ends = {j for _, j in left}
        free = [i for i in sorted(remaining) if i not in ends]
        if not free:
            return None
        order += free
        remaining -= set(free)
        left = [(i, j) for i, j in left if i in remaining]
    return tuple(order)


def least_feedback(arcs: Sequence[Arc], m: int) -> frozenset[Arc]:
    """A smallest set of arcs without which there is no cycle: all sets are tried, small ones first.

    Examples
    --------
    >>> len(least_feedback([(0, 1), (1, 0), (1, 2), (2, 0)], 3))
    1
    """
    for size in range(len(arcs) + 1):
        for removed in combinations(arcs, size):
            if topological_order([arc for arc in arcs if arc not in removed], m) is not None:
                return frozenset(removed)
    raise AssertionError("without any arcs there is no cycle")


def least_feedback_vertices(arcs: Sequence[Arc], m: int) -> int:
    """The size of a smallest set of vertices without which there is no cycle."""
    return next(
        size
        for size in range(m + 1)
        for removed in combinations(range(m), size)
        if topological_order([(i, j) for i, j in arcs if i not in removed and j not in removed], m)
        is not None
    )


def digraphs(m: int) -> Iterator[Arcs]:
    """All digraphs without loops on 0..m-1; opposite arcs are allowed.

    Examples
    --------
    >>> sum(1 for _ in digraphs(3))
    64
    """
    places = list(permutations(range(m), 2))
    for chosen in product((False, True), repeat=len(places)):
        yield tuple(arc for arc, used in zip(places, chosen, strict=True) if used)


def unlabeled_digraphs(m: int) -> list[Arcs]:
    """One of each class of isomorphic digraphs.

    Examples
    --------
    >>> [len(unlabeled_digraphs(m)) for m in (1, 2, 3)]
    [1, 3, 16]
    """
    places = {arc: n for n, arc in enumerate(permutations(range(m), 2))}
    moves = [[1 << places[order[i], order[j]] for i, j in places] for order in permutations(range(m))]
    seen: set[int] = set()
    found = []
    for arcs in digraphs(m):
        numbers = [places[arc] for arc in arcs]
        if sum(1 << n for n in numbers) not in seen:
            seen |= {sum(move[n] for n in numbers) for move in moves}
            found.append(arcs)
    return found


def random_digraph(rng: Random, m: int, size: int) -> Arcs:
    """A digraph with this many arcs."""
    return tuple(sorted(rng.sample(list(permutations(range(m), 2)), size)))


def weak_orders(m: int) -> Iterator[tuple[int, ...]]:
    """Scores 0, 1, ... for every ranking of m items with ties.

    Examples
    --------
    >>> [sum(1 for _ in weak_orders(m)) for m in (1, 2, 3, 4)]
    [1, 3, 13, 75]
    """
    return (s for s in product(range(m), repeat=m) if set(s) == set(range(max(s) + 1)))
