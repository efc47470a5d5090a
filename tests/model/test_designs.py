"""Designs of comparison: exact tests, what implies what, and the design of a profile."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.errors import InputError
from consistency_lab.model.designs import (
    DESIGNS,
    described,
    design,
    design_implies,
    nearest_product,
    ratio,
    schedule,
)

NAMES = (*DESIGNS, "ratio:2", "ratio:3")


def counted(m, counts):
    """The schedule with these counts of the pairs, row by row."""
    left = iter(counts)
    n = [[0] * m for _ in range(m)]
    for i in range(m):
        for j in range(i + 1, m):
            n[i][j] = n[j][i] = next(left)
    return n


@given(m=st.integers(2, 5), counts=st.lists(st.integers(0, 4), min_size=10, max_size=10))
def test_what_is_implied_holds(m, counts):
    n = counted(m, counts)
    for smaller in NAMES:
        for larger in NAMES:
            if design_implies(smaller, larger) and design(smaller).test(n):
                assert design(larger).test(n)


@pytest.mark.parametrize(("smaller", "larger"), list(permutations(NAMES, 2)))
def test_what_is_not_implied_has_a_counterexample(smaller, larger):
    examples = ([1] * 6, [2, 3, 5, 6, 10, 15], [1, 2, 3, 4, 1, 1], [1, 2, 1, 1, 2, 1], [1, 1, 1, 0, 0, 0])
    schedules = [counted(4, c) for c in (*examples, [3, 1, 1, 1, 1, 3], [1, 1, 0, 1, 0, 0])]
    found = any(design(smaller).test(n) and not design(larger).test(n) for n in schedules)
    assert found != design_implies(smaller, larger)


@given(weights=st.lists(st.integers(1, 6), min_size=4, max_size=6), at=st.integers(0, 5))
def test_products_are_seen_exactly(weights, at):
    m = len(weights)
    n = [[x * y * (i != j) for j, y in enumerate(weights)] for i, x in enumerate(weights)]
    assert design("product").test(n)
    i, j = 0, 1 + at % (m - 1)
    n[i][j] += 1
    n[j][i] += 1
    assert not design("product").test(n)


@given(counts=st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_every_complete_design_on_three_items_is_a_product(counts):
    assert design("product").test(counted(3, counts))


def test_the_schedule_and_its_ratio():
    assert schedule([[0, 3, 0], [1, 0, 2], [0, 0, 0]]) == [[0, 4, 0], [4, 0, 2], [0, 2, 0]]
    assert ratio([[0, 4, 0], [4, 0, 2], [0, 2, 0]]) is None
    assert ratio(counted(3, [4, 6, 3])) == 2
    assert design("forest").test(counted(4, [5, 0, 0, 7, 0, 9]))
    assert not design("forest").test(counted(4, [5, 1, 0, 7, 0, 9]))


@given(counts=st.lists(st.integers(0, 9), min_size=6, max_size=6).filter(any))
def test_the_nearest_product_has_the_same_row_sums(counts):
    """Where one exists: an item that meets one other item alone can leave the rest without weight."""
    n = np.array(counted(4, counts), dtype=float)
    if np.count_nonzero(n) == 12:
        w = nearest_product(n)
        assert np.allclose(w * (w.sum() - w), n.sum(axis=1), rtol=1e-6)


def test_a_profile_is_described():
    found = described([[0, 4, 0, 0], [2, 0, 3, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    assert (found.pairs, found.compared, found.ratio, found.parts) == (6, 2, None, 2)
    assert found.names == ("forest", "any")
    assert found.divergence > 0
    assert described(counted(4, [2, 3, 5, 6, 10, 15])).divergence == 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("balance", "there is no design 'balance'; the designs are balanced, product"),
        ("ratio:1/2", "the ratio of a design is 1/2; it must be at least 1"),
        ("ratio:two", "the ratio of a design is 'two'"),
        ("ratio:1e400", "above 1,000,000,000"),
    ],
)
def test_other_designs_are_refused(name, words):
    with pytest.raises(InputError, match=words):
        design(name)


def test_a_ratio_of_one_is_balanced():
    assert design("ratio:1") is design("balanced")
    assert design("ratio:1.5").name == "ratio:3/2"
    assert design("ratio:3/2").holds([[0, 2, 3], [0, 0, 3], [0, 0, 0]])
    assert not design("ratio:3/2").holds([[0, 2, 4], [0, 0, 3], [0, 0, 0]])
    assert Fraction(3, 2) == ratio(counted(3, [2, 3, 3]))
