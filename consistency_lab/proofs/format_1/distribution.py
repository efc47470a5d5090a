"""The distribution of a witness: reading, what makes it one, and its aggregate."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from math import lcm
from typing import Final, TypeVar

from consistency_lab.core.numbers import shown
from consistency_lab.core.reading import array, fraction, name, record, row, text
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.frozen import frozen

Matrix = tuple[tuple[Fraction, ...], ...]
Integers = tuple[tuple[int, ...], ...]
Items = Mapping[str, int]

Number = TypeVar("Number", int, Fraction)

MAX_ITEMS: Final = 15
"""Most items of the first format, of which all 2^m sets were gone through."""


@frozen
class Graph:
    """A preference graph with its probability; edges (i, j, weight) sorted by (i, j)."""

    probability: Fraction
    edges: tuple[tuple[int, int, Fraction], ...]


def read_items(value: object, where: str) -> dict[str, int]:
    """The names of the items, each with its index."""
    names = array(value, where, name)
    index = {name: i for i, name in enumerate(names)}
    if len(index) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{where} has {twice!r} twice; the names of items must differ")
    if not 2 <= len(names) <= MAX_ITEMS:
        raise InputError(
            f"{where} has {len(names)} entries; files of this format have 2 to {MAX_ITEMS} items, "
            "since all sets of items are gone through"
        )
    return index


def read_item(value: object, where: str, items: Items) -> int:
    """The index of an item given by name."""
    word = text(value, where)
    if word not in items:
        raise InputError(f"{where} is {word[:40]!r}, which is not among the items")
    return items[word]


def read_graph(value: object, where: str, items: Items) -> Graph:
    """One graph: ``{"probability": "1/2", "edges": [[preferred, over, weight], ...]}``."""

    def edge(value: object, where: str) -> tuple[int, int, Fraction]:
        preferred, over, weight = row(value, where, 3)
        return read_item(preferred, where, items), read_item(over, where, items), fraction(weight, where)

    fields = record(value, where, ("probability", "edges"))
    edges = array(fields["edges"], f"{where}.edges", edge)
    return Graph(fraction(fields["probability"], f"{where}.probability"), tuple(sorted(edges)))


def read_matrix(value: object, where: str) -> Matrix:
    """A matrix of rationals."""
    return array(value, where, lambda line, place: array(line, place, fraction))


def check_distribution(graphs: tuple[Graph, ...], names: tuple[str, ...]) -> None:
    """Positive probabilities that sum to 1, on acyclic graphs with positive weights.

    Raises
    ------
    RejectedError
        If it is anything else.
    """
    total = sum((graph.probability for graph in graphs), Fraction(0))
    if total != 1:
        raise RejectedError(f"the probabilities sum to {shown(total)}, not to 1")
    for number, graph in enumerate(graphs, start=1):
        if graph.probability.numerator <= 0:
            raise RejectedError(
                f"graph {number} has probability {shown(graph.probability)}; it must be positive"
            )
        before: dict[int, set[int]] = {}
        for i, j, weight in graph.edges:
            label = f"the edge {names[i]} → {names[j]} of graph {number}"
            if i in before.setdefault(j, set()):
                raise RejectedError(f"{label} stands twice")
            if weight.numerator <= 0:
                raise RejectedError(f"{label} has weight {shown(weight)}; it must be positive")
            before[j].add(i)
        try:
            TopologicalSorter(before).prepare()
        except CycleError as error:
            cycle = " → ".join(names[i] for i in error.args[1])
            raise RejectedError(f"graph {number} runs in a circle, {cycle}; it must be acyclic") from None


def aggregate(graphs: tuple[Graph, ...], m: int) -> Matrix:
    """a_ij = sum over G of p_G a^G_ij (DMJ10 Eq. 8)."""
    a = [[Fraction(0)] * m for _ in range(m)]
    for graph in graphs:
        for i, j, weight in graph.edges:
            a[i][j] += graph.probability * weight
    return tuple(map(tuple, a))


def integers(a: Matrix) -> tuple[Integers, int]:
    """The least common denominator, and a times it: what is homogeneous in a can be decided on integers."""
    scale = lcm(*(x.denominator for line in a for x in line))
    return tuple(tuple(x.numerator * (scale // x.denominator) for x in line) for line in a), scale


def difference(a: Sequence[Sequence[Number]]) -> tuple[tuple[Number, ...], ...]:
    """d_ij = a_ij - a_ji."""
    return tuple(
        tuple(x - y for x, y in zip(line, column, strict=True))
        for line, column in zip(a, zip(*a, strict=True), strict=True)
    )
