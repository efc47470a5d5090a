"""Net preferences in order: the condition of DMJ10 Eq. 16."""

from itertools import permutations
from typing import Any, Final

from consistency_lab.model.conditions.condition import Condition, Entries, every, only_chain
from consistency_lab.model.conditions.differences import differences
from consistency_lab.model.cones import Cone, net_gap
from consistency_lab.model.posets import Relation, orientations


def _test(a: Entries) -> Any:
    d = differences(a)
    nets = [sum(row) for row in d]
    return every((d[i][k] > 0) <= (nets[i] > nets[k]) for i, k in permutations(range(len(d)), 2))


def _rows(relation: Relation, m: int) -> Cone:
    """sum_j d_ij > sum_j d_kj on every edge (i, k)."""
    gaps = tuple(net_gap(i, k, m) for i, k in sorted(relation))
    return Cone((), gaps, gaps)


NET_ORDER: Final = Condition(
    "net-order",
    "net preferences in order",
    r"d_{ik} > 0 \implies \sum_j d_{ij} > \sum_j d_{kj}",
    "d_ik > 0 implies sum_j d_ij > sum_j d_kj",
    "DMJ10 Eq. 16; RAT13 Theorem 6 with f_i = sum_j (y_ij - y_ji)",
    ("acyclic",),
    _test,
    _rows,
    orientations,
    only_chain,
)
