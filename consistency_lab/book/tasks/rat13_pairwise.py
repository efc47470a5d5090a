"""Pairwise disagreement in RAT13 §7: Algorithm 1, the sets P_f and P_DAG, and some scores f of a label."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from types import MappingProxyType
from typing import Final

from consistency_lab.book.tasks.rat13_laws import Law
from consistency_lab.model.conditions import condition
from consistency_lab.model.tasks.conditions import TASK_CONDITIONS, differences
from consistency_lab.model.tasks.labels import Label, LabelSpace
from consistency_lab.model.tasks.task import Prediction

Matrix = Sequence[Sequence[Fraction]]
Feature = Callable[[Label], Sequence[Fraction]]
Edges = frozenset[tuple[int, int]]

_ZERO = Fraction(0)


def in_p_dag(space: LabelSpace, p: Law) -> bool:
    """Whether the edges with d_ij > 0 have no cycle."""
    return condition("acyclic").holds(differences(space, p))


def in_p_f(space: LabelSpace, p: Law, f: Feature) -> bool:
    """Whether d_ij > 0 implies E f_i > E f_j."""
    return TASK_CONDITIONS["p-f"].holds(space, p, f)


def expected(p: Law, f: Feature) -> list[Fraction]:
    """E f(Y), the minimizer of least squares on f."""
    rows = [[weight * x for x in f(label)] for label, weight in p.items()]
    return [sum(column, _ZERO) for column in zip(*rows, strict=True)]


def net_feature(space: LabelSpace) -> Feature:
    """f_i(y) = Σ_j (y_ij − y_ji), with which Theorem 6 is about the loss of DMJ10 Eq. 15."""
    return lambda label: [sum(row, _ZERO) for row in differences(space, {label: Fraction(1)})]


def _wins(space: LabelSpace) -> Feature:
    return lambda label: [
        sum((w for i, _, w in space.preferences(label) if i == item), _ZERO) for item in range(space.m)
    ]


def _losses(space: LabelSpace) -> Feature:
    return lambda label: [
        -sum((w for _, j, w in space.preferences(label) if j == item), _ZERO) for item in range(space.m)
    ]


def _depth(space: LabelSpace) -> Feature:
    def longest(label: Label, item: int) -> int:
        return max((1 + longest(label, j) for i, j, _ in space.preferences(label) if i == item), default=0)

    return lambda label: [Fraction(longest(label, item)) for item in range(space.m)]


SCORES: Final[Mapping[str, Callable[[LabelSpace], Feature]]] = MappingProxyType(
    {"wins − losses": net_feature, "wins": _wins, "−losses": _losses, "longest path down": _depth}
)
"""Scores f of a preference graph that come to mind."""


def topological_orders(edges: Edges, m: int) -> Iterator[Prediction]:
    """The orders of m items along all edges; none if there is a cycle.

    Examples
    --------
    >>> list(topological_orders(frozenset({(0, 1), (2, 1)}), 3))
    [(0, 2, 1), (2, 0, 1)]
    """
    for order in permutations(range(m)):
        place = {item: k for k, item in enumerate(order)}
        if all(place[i] < place[j] for i, j in edges):
            yield order


def upside_down(d: Matrix, rival: Prediction) -> Fraction:
    """Σ d_ij over the i < j that the rival has upside down: what it loses to 1 > 2 > … > r.

    Examples
    --------
    >>> print(upside_down([[0, Fraction(2)], [Fraction(-2), 0]], (1, 0)))
    2
    """
    return sum((d[i][j] for j, i in combinations(rival, 2) if i < j), _ZERO)


def edges_of(d: Matrix) -> str:
    """The positive entries of d, items numbered from 1.

    Examples
    --------
    >>> edges_of([[Fraction(0), Fraction(1, 2)], [Fraction(-1, 2), Fraction(0)]])
    'd_12 = 1/2'
    """
    pairs = permutations(range(len(d)), 2)
    return ", ".join(f"d_{i + 1}{j + 1} = {d[i][j]}" for i, j in pairs if d[i][j] > 0)
