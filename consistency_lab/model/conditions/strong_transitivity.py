"""Strong stochastic transitivity, on the shares P_ij = a_ij / (a_ij + a_ji) of a pair's comparisons.

It is about ratios of entries of the aggregate, so it is no union of cones in the differences d, and its
searches go by the exact test alone. "P_ij >= 1/2" is then a total preorder, hence the difference graph is
acyclic. Neither does it imply net-order, nor do additive differences imply it: how often a pair is compared
is free in the first, and d says nothing of it in the second.
"""

from itertools import combinations, permutations
from typing import Any, Final

from consistency_lab.model.conditions.condition import Condition, Entries, every
from consistency_lab.model.conditions.differences import differences


def _test(a: Entries) -> Any:
    """The inequality of fractions P_ik >= P_ij is a_ik a_ji >= a_ij a_ki."""
    d, m = differences(a), len(a)
    compared = every(a[i][j] + a[j][i] > 0 for i, j in combinations(range(m), 2))
    return compared & every(
        ((d[i][j] >= 0) & (d[j][k] >= 0))
        <= ((a[i][k] * a[j][i] >= a[i][j] * a[k][i]) & (a[i][k] * a[k][j] >= a[j][k] * a[k][i]))
        for i, j, k in permutations(range(m), 3)
    )


STRONG_TRANSITIVITY: Final = Condition(
    "strong-stochastic-transitivity",
    "strong stochastic transitivity",
    r"P_{ij} \ge 1/2,\ P_{jk} \ge 1/2 \implies P_{ik} \ge \max(P_{ij}, P_{jk}),"
    r"\ P_{ij} = a_{ij}/(a_{ij} + a_{ji}), \text{ every pair being compared}",
    "P_ij ≥ 1/2 and P_jk ≥ 1/2 imply P_ik ≥ max(P_ij, P_jk), P_ij = a_ij/(a_ij + a_ji), "
    "every pair being compared",
    "Davidson and Marschak 1959",
    ("acyclic",),
    _test,
    usual=False,
)
