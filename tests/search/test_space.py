"""The integer distributions of a condition: complete, and only those."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.distribution import difference
from consistency_lab.search.forward import space


def exact(a):
    return [[Fraction(int(x)) for x in row] for row in a]


@pytest.mark.parametrize("condition", list(CONDITIONS))
def test_every_listed_aggregate_fulfils_the_condition(condition):
    aggregates = space(condition, 3, True)
    seen = 0
    for total in range(1, 7):
        for block in aggregates.of_weight(total):
            for a in block:
                assert a.sum() == total
                assert CONDITIONS[condition].holds(exact(a))
                seen += 1
    assert seen > (0 if condition == "auc" else 10)  # all six weights are positive, 6 in all


@pytest.mark.parametrize("condition", [name for name in CONDITIONS if name != "any"])
def test_none_is_left_out(condition):
    """Against brute force over all 3-item matrices whose differences run along the item order."""
    total = 5
    listed = {tuple(a.ravel()) for block in space(condition, 3, True).of_weight(total) for a in block}
    brute = set()
    for entries in product(range(total + 1), repeat=6):
        if sum(entries) != total or np.gcd.reduce(entries) != 1:
            continue
        a = np.zeros((3, 3), dtype=int)
        a[0, 1], a[0, 2], a[1, 0], a[1, 2], a[2, 0], a[2, 1] = entries
        d = difference(exact(a))
        if min(d[0][1], d[0][2], d[1][2]) >= 0 and CONDITIONS[condition].holds(exact(a)):
            brute.add(tuple(a.ravel()))
    assert listed == brute


def test_count_agrees_with_listing():
    aggregates = space("low-noise", 3, True)
    vectors = [n for n in product(range(5), repeat=6) if int(np.dot(n, aggregates.costs)) == 4]
    assert aggregates.count(4) == len(vectors)
