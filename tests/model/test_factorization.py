"""Rank factorizations: least, exact, and the same by another engine."""

from fractions import Fraction
from itertools import combinations

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.errors import UnsupportedError
from consistency_lab.model.tasks.construction import (
    Factors,
    inverse_sum,
    is_product,
    largest_distance,
    rank_factorization,
)
from consistency_lab.numbers.exact.linear import common_denominator, independent_minor, integer_rank


@st.composite
def products(draw):
    """An n x k matrix that is a product with an inner dimension, so that its rank is often less than full."""
    n, k, d = (draw(st.integers(1, 6)) for _ in range(3))
    entries = st.integers(-4, 4)
    left = [[draw(entries) for _ in range(d)] for _ in range(n)]
    right = [[draw(entries) for _ in range(k)] for _ in range(d)]
    return [[sum(row[i] * right[i][t] for i in range(d)) for t in range(k)] for row in left]


@given(products())
def test_a_factorization_is_exact_and_of_least_dimension(rows):
    factors = rank_factorization(rows)
    rank = sp.Matrix(rows).rank()
    assert integer_rank(rows) == len(factors.left[0]) == len(factors.right[0]) == rank
    assert is_product(factors, rows)
    for y, row in enumerate(rows):
        for t, loss in enumerate(row):
            assert sum(a * b for a, b in zip(factors.left[y], factors.right[t], strict=True)) == loss


@given(products())
def test_a_minor_of_full_rank(rows):
    chosen, columns = independent_minor(rows)
    assert len(chosen) == len(columns) == integer_rank(rows)
    if chosen:
        square = [[rows[y][t] for t in columns] for y in chosen]
        minor = sp.Matrix(square)
        assert minor.det() != 0
        total = inverse_sum(square)
        assert sum(minor.inv()) == sp.Rational(total.numerator, total.denominator)


@given(products(), st.data())
def test_a_wrong_entry_is_noticed(rows, data):
    factors = rank_factorization(rows)
    y, t = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(rows[0]) - 1))
    changed = [list(row) for row in rows]
    changed[y][t] += 1
    assert not is_product(factors, changed)


def test_a_wide_and_a_tall_matrix_have_small_numbers():
    """Elimination along the longer side would make numbers of hundreds of digits."""
    wide = [[(7 * y * y + 3 * t * t + 5 * y * t) % 23 for t in range(500)] for y in range(40)]
    tall = [list(column) for column in zip(*wide, strict=True)]
    for rows in (wide, tall):
        factors = rank_factorization(rows)
        assert factors.largest() <= 8
        assert is_product(factors, rows)


@given(st.lists(st.tuples(*[st.fractions(-3, 3, max_denominator=4)] * 2), min_size=1, max_size=9))
def test_the_largest_distance(points):
    def apart(i, j):
        return sum(((a - b) ** 2 for a, b in zip(points[i], points[j], strict=True)), Fraction(0))

    squared, (first, second) = largest_distance(points)
    assert squared == max((apart(i, j) for i, j in combinations(range(len(points)), 2)), default=0)
    assert apart(first, second) == squared


def test_more_points_than_are_treated_at_once():
    points = [(Fraction(n), Fraction(n % 7)) for n in range(200)]
    assert largest_distance(points) == (199**2 + 3**2, (0, 199))


def test_nothing_to_factor():
    factors = rank_factorization([[0, 0, 0], [0, 0, 0]])
    assert factors == Factors(((), ()), ((), (), ()))
    assert is_product(factors, [[0, 0, 0], [0, 0, 0]])
    assert not is_product(factors, [[0, 0, 0], [0, 1, 0]])
    assert largest_distance(factors.right) == (0, (0, 0))
    assert independent_minor([[0]]) == ([], [])


def test_a_common_denominator_without_end():
    numbers = [Fraction(1, 10**500 + n) for n in (1, 3, 7, 9, 13)]
    with pytest.raises(UnsupportedError, match="more than 2000 digits"):
        common_denominator([numbers])
