"""Acyclic difference graphs, and no condition at all."""

from typing import Any, Final

from consistency_lab.model.conditions.condition import Condition, Entries, only_chain
from consistency_lab.model.conditions.differences import differences, has_no_cycle
from consistency_lab.model.cones import Cone
from consistency_lab.model.posets import Relation, orientations


def _test(a: Entries) -> Any:
    return has_no_cycle(differences(a))


def _no_rows(relation: Relation, m: int) -> Cone:
    """Nothing beyond the shape."""
    return Cone((), (), ())


def _always(a: Entries) -> Any:
    return True


ACYCLIC: Final = Condition(
    "acyclic",
    "acyclic difference graph",
    r"\{(i,j) : d_{ij} > 0\} \text{ is acyclic}",
    "the difference graph of the preferences has no cycle",
    "DMJ10 Theorem 13; RAT13 Theorem 7 (P_DAG)",
    ("any",),
    _test,
    _no_rows,
    orientations,
    only_chain,
)

ANY: Final = Condition(
    "any",
    "no condition",
    r"\text{every } d",
    "it asks for nothing",
    "DMJ10 Definition 2",
    (),
    _always,
    _no_rows,
)
