"""Low noise: the reverse triangle inequality of DMJ10 Definition 8."""

from itertools import permutations
from typing import Any, Final

from consistency_lab.errors import InputError
from consistency_lab.model.conditions.condition import Condition, Entries, every
from consistency_lab.model.conditions.differences import differences
from consistency_lab.model.cones import Cone, form
from consistency_lab.model.posets import Relation, is_transitive, posets


def _test(a: Entries) -> Any:
    d = differences(a)
    return every(
        ((d[i][j] > 0) & (d[j][k] > 0)) <= (d[i][k] >= d[i][j] + d[j][k])
        for i, j, k in permutations(range(len(d)), 3)
    )


def low_noise_rows(relation: Relation, m: int) -> Cone:
    """d_ik >= d_ij + d_jk along every path of two edges; the relation must be transitive (InputError)."""
    if not is_transitive(relation):
        raise InputError("the relation is not transitive; a low-noise difference graph always is")
    pairs = sorted(relation)
    paths = [(i, j, k) for i, j in pairs for h, k in pairs if h == j]
    return Cone((), tuple(form({(i, k): 1, (i, j): -1, (j, k): -1}) for i, j, k in paths), ())


LOW_NOISE: Final = Condition(
    "low-noise",
    "low noise",
    r"d_{ij} > 0,\ d_{jk} > 0 \implies d_{ik} \ge d_{ij} + d_{jk}",
    "d_ij > 0 and d_jk > 0 imply d_ik ≥ d_ij + d_jk",
    "DMJ10 Definition 8",
    ("net-order",),
    _test,
    low_noise_rows,
    posets,
)
