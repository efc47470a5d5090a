"""Additive differences: d is the difference of values of the items."""

from itertools import combinations, product
from typing import Any, Final

from consistency_lab.model.conditions.condition import Condition, Entries, Pair, every, only_chain
from consistency_lab.model.conditions.differences import differences
from consistency_lab.model.cones import Cone, form
from consistency_lab.model.posets import Relation


def _test(a: Entries) -> Any:
    """It is enough to try y_i = d_i0."""
    d = differences(a)
    return every(value == row[0] - d[j][0] for row in d for j, value in enumerate(row))


def _rows(relation: Relation, m: int) -> Cone:
    """d_ij + d_jk = d_ik on all triples i < j < k."""
    triples = combinations(range(m), 3)
    return Cone(tuple(form({(i, j): 1, (j, k): 1, (i, k): -1}) for i, j, k in triples), (), ())


def weak_orders(m: int) -> tuple[Relation, ...]:
    """The relations of items in levels, numbered level by level.

    Examples
    --------
    >>> [sorted(relation) for relation in weak_orders(2)]
    [[(0, 1)], []]
    """
    found = []
    for ties in product((False, True), repeat=m - 1):
        level = [sum(not tie for tie in ties[:i]) for i in range(m)]
        found.append(frozenset((i, j) for i, j in combinations(range(m), 2) if level[i] < level[j]))
    return tuple(found)


def _steps(m: int) -> list[list[Pair]]:
    """The first k items above the others by one step."""
    return [[(i, j) for i in range(k) for j in range(k, m)] for k in range(1, m)]


ADDITIVE: Final = Condition(
    "additive",
    "additive differences",
    r"d_{ij} = y_i - y_j \text{ for some } y \in \mathbf{R}^m",
    "d_ij = y_i - y_j for some y",
    "DMJ10 §3.1",
    ("low-noise",),
    _test,
    _rows,
    only_chain,
    opened=weak_orders,
    steps=_steps,
)
