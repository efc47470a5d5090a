"""Signs, roots and values of rational polynomials, by their factors."""

from fractions import Fraction

import pytest

from consistency_lab.numbers.shape import (
    count_roots,
    is_nonnegative,
    polynomial,
    rational_roots,
    sign,
    sign_changes,
    value,
)


def of_roots(*roots, scale=1):
    """scale (x - r_1) (x - r_2) ..."""
    found = polynomial([Fraction(scale)])
    for root in roots:
        found *= polynomial([Fraction(-root), Fraction(1)])
    return found


SQUARE_LESS_2 = polynomial([Fraction(-2), Fraction(0), Fraction(1)])
NOTHING = polynomial([])
THIRD = Fraction(1, 3)


def ends(low, high):
    return (None if low is None else Fraction(low), None if high is None else Fraction(high))


def test_values():
    assert [value(of_roots(1, 2), Fraction(x)) for x in (0, 1, 3)] == [2, 0, 2]
    assert value(NOTHING, THIRD) == 0 and value(of_roots(scale=THIRD), Fraction(7)) == THIRD


@pytest.mark.parametrize(
    ("p", "low", "high", "expected"),
    [
        (NOTHING, None, None, 0),
        (of_roots(scale=2), None, None, 1),
        (of_roots(scale=-2), 0, 1, -1),
        (of_roots(0), None, None, None),
        (of_roots(0), 0, None, 1),
        (of_roots(0), None, 0, -1),
        (of_roots(0), -1, 1, None),
        (of_roots(0), 0, 1, 1),
        (of_roots(0), -1, 0, -1),
        (of_roots(1, 1), None, None, 1),
        (of_roots(1, 1, scale=-1), 0, 2, -1),
        (of_roots(1, 1, 1), 0, 2, None),
        (of_roots(1, 1, 3), 0, 2, -1),
        (of_roots(1, 2), 1, 2, -1),
        (of_roots(1, 2), 0, 3, None),
        (of_roots(1, 2), 2, 3, 1),
        (of_roots(-2), -3, None, None),
        (of_roots(-2), None, -3, -1),
        (SQUARE_LESS_2, None, None, None),
        (SQUARE_LESS_2**2, None, None, 1),
        (SQUARE_LESS_2, 1, 2, None),
        (SQUARE_LESS_2, 2, None, 1),
        (SQUARE_LESS_2, -1, 1, -1),
        # The sign beside the interval is another one.
        (of_roots(3), 2, 3, -1),
        (of_roots(Fraction(1, 10)), 0, Fraction(1, 10), -1),
        # Zeros at every point that is tried first.
        (of_roots(THIRD, THIRD), 0, 1, 1),
        (of_roots(Fraction(1, 2), Fraction(1, 2), scale=-1), 0, 1, -1),
        (of_roots(Fraction(1, 4), Fraction(1, 4), Fraction(1, 2), Fraction(1, 2)), 0, 1, 1),
    ],
)
def test_the_one_sign_of_an_interval(p, low, high, expected):
    assert sign(p, *ends(low, high)) == expected
    assert is_nonnegative(p, *ends(low, high)) == (expected in (0, 1))


@pytest.mark.parametrize(
    ("p", "low", "high", "places"),
    [
        (of_roots(scale=1), None, None, []),
        (of_roots(2, 1, 1, 0, 0, 0), None, None, [0, 2]),
        (of_roots(2, 0), 0, 2, []),
        (of_roots(2, 0), 0, 3, [2]),
        (of_roots(2, THIRD), -1, 2, [THIRD]),
        (SQUARE_LESS_2, None, None, None),
        (SQUARE_LESS_2, 2, None, []),
        (SQUARE_LESS_2 * of_roots(5), 2, None, [5]),
        (SQUARE_LESS_2 * of_roots(5), 0, None, None),
        (SQUARE_LESS_2**2 * of_roots(-1), None, None, [-1]),
    ],
)
def test_where_the_sign_changes(p, low, high, places):
    assert sign_changes(p, *ends(low, high)) == places


@pytest.mark.parametrize(
    ("p", "low", "high", "roots"),
    [
        (NOTHING, None, None, []),
        (of_roots(scale=3), None, None, []),
        (of_roots(5), None, None, [5]),
        (of_roots(2, 1, 1, THIRD), None, None, [THIRD, 1, 2]),
        (of_roots(2, 1, 0), 0, 2, [1]),
        (SQUARE_LESS_2 * of_roots(1), None, None, [1]),
    ],
)
def test_rational_roots(p, low, high, roots):
    assert rational_roots(p, *ends(low, high)) == roots


@pytest.mark.parametrize(
    ("p", "low", "high", "count"),
    [
        (of_roots(0, 1, 2), None, None, 3),
        (of_roots(0, 1, 2), 0, None, 2),
        (of_roots(0, 1, 2), None, 2, 2),
        (of_roots(0, 1, 2), 0, 2, 1),
        (of_roots(0, 1, 2), -1, 3, 3),
        (of_roots(0, 1, 2), None, 0, 0),
        (of_roots(0, 1, 2, 3, scale=-7), 1, 3, 1),
        (SQUARE_LESS_2, None, None, 2),
        (SQUARE_LESS_2, 0, None, 1),
        (polynomial([Fraction(1), Fraction(0), Fraction(1)]), None, None, 0),
    ],
)
def test_the_number_of_roots(p, low, high, count):
    assert count_roots(p, *ends(low, high)) == count
