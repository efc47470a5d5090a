"""The two programs for optimal orders, plain and compiled, agree; beyond 64 bits only one is asked."""

from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.solve import optimal as plain
from consistency_lab.solve import order_kernels
from consistency_lab.solve.optimal import LARGEST, OrderTable, optimal_orders


def compiled_fill(rest, must, dear):
    return OrderTable(*order_kernels.fill(rest, must, dear))


def contents(table):
    return table.least, table.count, list(map(int, table.after)), list(table.below)


@st.composite
def questions(draw, most, largest):
    """One price a pair (zero for a tie) and a few precedences, which may run in a circle."""
    m = draw(st.integers(0, most))
    rest = [[0] * m for _ in range(m)]
    for i in range(m):
        for j in range(i):
            price = draw(st.integers(-largest, largest))
            rest[i][j], rest[j][i] = max(price, 0), max(-price, 0)
    must = [0] * m
    pairs = st.tuples(st.integers(0, m - 1), st.integers(0, m - 1)).filter(lambda pair: pair[0] != pair[1])
    for i, j in draw(st.lists(pairs, max_size=3)) if m > 1 else []:
        must[j] |= 1 << i
    return rest, must


@given(st.one_of(questions(7, 1), questions(7, 50), questions(7, LARGEST // 64)))
def test_both_programs_find_the_same_table(question):
    rest, must = question
    dear = 1 + sum(map(sum, rest))
    assert contents(plain.fill(rest, must, dear)) == contents(compiled_fill(rest, must, dear))


@pytest.mark.parametrize(("m", "largest"), [(9, 1), (11, 10**6), (12, 9)])
def test_they_agree_also_where_the_prices_are_written_down_in_blocks(m, largest):
    price = np.random.default_rng(m).integers(-largest, largest, (m, m), endpoint=True)
    rest = np.maximum(np.triu(price, 1) - np.triu(price, 1).T, 0).tolist()
    dear = 1 + sum(map(sum, rest))
    free = [0] * m
    assert contents(plain.fill(rest, free, dear)) == contents(compiled_fill(rest, free, dear))


@given(st.integers(1, 10**6), st.data())
def test_weights_beyond_64_bits_are_exact(unit, data):
    """Multiplying an aggregate by 2^80 + unit multiplies the loss, and leaves the optimal orders."""
    m = data.draw(st.integers(4, 5))
    entries = st.integers(0, 3).map(Fraction)
    a = [[data.draw(entries) for _ in range(m)] for _ in range(m)]
    factor = (1 << 80) + unit
    small, large = optimal_orders(a), optimal_orders([[x * factor for x in row] for row in a])
    assert large.loss == small.loss * factor
    assert list(large.orders()) == list(small.orders())


def test_one_unit_beside_2_to_the_70_decides_among_twelve_items():
    """Floats, and integers of 64 bits, would lose the unit."""
    huge = Fraction(1 << 70)
    a = [[huge] * 12 for _ in range(12)]
    a[11][0] += 1
    found = optimal_orders(a)
    assert found.loss == huge * 66
    assert found.count() == factorial(12) // 2
    assert found.forced(11, 0)
    assert not found.forced(0, 11)


def test_a_cycle_of_twenty_items_is_cut_anywhere():
    """The difference graph is one cycle: its 20 arcs are the least feedback arc sets."""
    m = 20
    a = [[Fraction(int((i + 1) % m == j)) for j in range(m)] for i in range(m)]
    found = optimal_orders(a)
    assert found.loss == 1
    rotations = {tuple((k + n) % m for n in range(m)) for k in range(m)}
    assert set(found.orders()) == rotations
    assert found.count() == m
