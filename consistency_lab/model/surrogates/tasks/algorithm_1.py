"""RAT13 Algorithm 1: the lightest edges go until no cycle is left; then any order along the rest."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from typing import Final

from consistency_lab.model.tasks.task import Prediction

Face = tuple[tuple[Fraction, ...], Fraction]
"""w and b of the half-space <w, u> + b >= 0."""

Scores = Sequence[Fraction]
Edge = tuple[int, int]

_ONE: Final = Fraction(1)


def algorithm_1(u: Scores, m: int) -> tuple[Prediction, ...]:
    """What may be returned, with every way to break ties.

    Parameters
    ----------
    u
        u_ij for i != j, row by row.
    m
        The number of items.

    Examples
    --------
    >>> one = Fraction(1)
    >>> algorithm_1([one, 0 * one, 0 * one, 2 * one, 3 * one, 0 * one], 3)  # 1 → 2 → 3 → 1, weights 1, 2, 3
    ((1, 2, 0),)
    """
    return tuple(sorted({t for _, _, orders in _endings(u, m) for t in orders}))


def algorithm_1_cell(u: Scores, prediction: Prediction) -> tuple[Face, ...]:
    """A polyhedron that holds the scores, in which a prediction may be returned that may be so at the scores.

    Where no edge (u_ij - u_ji)_+ runs against the prediction, that is all it says. Otherwise edges were
    deleted: it says that those without weight come first, then these in their order, then the others. Inside
    it the algorithm deletes the same edges, and leaves the same.

    Examples
    --------
    Item 1 goes before item 2 where u_12 - u_21 >= 0:

    >>> algorithm_1_cell([Fraction(1), Fraction(0)], (0, 1)) == (((1, -1), 0),)
    True
    """
    m = len(prediction)
    number = {pair: k for k, pair in enumerate(permutations(range(m), 2))}

    def weight(i: int, j: int) -> list[Fraction]:
        row = [Fraction(0)] * len(number)
        row[number[i, j]], row[number[j, i]] = _ONE, -_ONE
        return row

    along = list(combinations(prediction, 2))
    deleted, kept, _ = next(ending for ending in _endings(u, m) if prediction in ending[2])
    if not deleted:
        return tuple((tuple(weight(*pair)), Fraction(0)) for pair in along)
    flat = [(i, j) for i, j in along if u[number[i, j]] == u[number[j, i]]]
    rising = [weight(*edge) for edge in (*flat, *deleted)]
    above = [(low, high) for low, high in pairwise(rising)]
    above += [(rising[-1], weight(*edge)) for edge in sorted(kept)]
    rows = [rising[0], *([y - x for x, y in zip(low, high, strict=True)] for low, high in above)]
    return tuple((tuple(row), Fraction(0)) for row in rows)


def _endings(u: Scores, m: int) -> Iterator[tuple[tuple[Edge, ...], frozenset[Edge], list[Prediction]]]:
    """Edges deleted one after the other, the edges that are left, and the orders along these."""
    weight = dict(zip(permutations(range(m), 2), u, strict=True))
    edges = {(i, j): weight[i, j] - weight[j, i] for i, j in weight if weight[i, j] > weight[j, i]}
    seen: set[frozenset[Edge]] = set()
    waiting: list[tuple[tuple[Edge, ...], frozenset[Edge]]] = [((), frozenset(edges))]
    while waiting:
        deleted, kept = waiting.pop()
        if kept in seen:
            continue
        seen.add(kept)
        orders = [t for t in permutations(range(m)) if _sorted(t, kept)]
        if orders:
            yield deleted, kept, orders
        else:
            least = min(edges[edge] for edge in kept)
            waiting += [((*deleted, edge), kept - {edge}) for edge in kept if edges[edge] == least]


def _sorted(t: Prediction, edges: frozenset[Edge]) -> bool:
    return not any((b, a) in edges for a, b in combinations(t, 2))
