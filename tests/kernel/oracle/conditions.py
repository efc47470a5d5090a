"""The noise conditions on the difference matrix d, each inside the next (DMJ10 §2.2 and Eq. 16, RAT13).

They do not change when d is multiplied by a positive number, so they are decided on integers.
"""

from collections.abc import Callable, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import permutations, product
from types import MappingProxyType
from typing import Final

from consistency_lab.proofs.format_1.distribution import Integers


def _additive(d: Integers) -> bool:
    """d_ij = y_i - y_j for some y, that is, d_ij = d_i1 - d_j1."""
    return all(x == line[0] - other[0] for line in d for x, other in zip(line, d, strict=True))


def _low_noise(d: Integers) -> bool:
    """Edges i → j and j → k imply d_ik >= d_ij + d_jk (DMJ10 Definition 8)."""
    return all(
        d[i][k] >= d[i][j] + d[j][k]
        for i, j, k in permutations(range(len(d)), 3)
        if d[i][j] > 0 and d[j][k] > 0
    )


def _net_order(d: Integers) -> bool:
    """An edge i → k implies sum_j d_ij > sum_j d_kj (DMJ10 Eq. 16)."""
    net = [sum(line) for line in d]
    return all(net[i] > net[k] for i, k in product(range(len(d)), repeat=2) if d[i][k] > 0)


def _acyclic(d: Integers) -> bool:
    """The difference graph has no cycle."""
    try:
        TopologicalSorter({i: [j for j, x in enumerate(line) if x > 0] for i, line in enumerate(d)}).prepare()
    except CycleError:
        return False
    return True


def _any(d: Integers) -> bool:
    return True


CONDITIONS: Final[Mapping[str, Callable[[Integers], bool]]] = MappingProxyType(
    {
        "additive": _additive,
        "low-noise": _low_noise,
        "net-order": _net_order,
        "acyclic": _acyclic,
        "any": _any,
    }
)
"""Tests by name, from the narrowest to the widest."""
