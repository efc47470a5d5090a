from fractions import Fraction

import pytest

from consistency_lab.core.inequalities import check_farkas
from consistency_lab.errors import RejectedError


def f(*values):
    return [Fraction(value) for value in values]


ROWS, RIGHT = [f(-1, -1)], f(-3)  # x + y >= 3
EQUAL_ROWS, EQUAL_RIGHT = [f(2, 2)], f(4)  # x + y = 2


def test_contradictions_and_an_empty_system_that_is_solvable():
    check_farkas(ROWS, RIGHT, EQUAL_ROWS, EQUAL_RIGHT, f(2), f(1))
    check_farkas([], [], [f(1, 1)], f(-1), [], f(1))
    with pytest.raises(RejectedError, match="must be negative"):
        check_farkas([], [], [], [], [], [])


@pytest.mark.parametrize(
    ("y", "z", "message"),
    [
        (f(-2), f(-1), "the multiplier of inequality 1 is -2"),
        ([Fraction(-1, 2)], f(-1), "the multiplier of inequality 1 is -1/2"),
        ([Fraction(9, 4)], f(1), "give the unknown 1 the factor -1/4"),
        (f(2), f(0), "give the unknown 1 the factor -2"),
        (f(2), f(2), "give the right-hand side 2; it must be negative"),
        (f(0), f(0), "give the right-hand side 0"),
        (f(2, 1), f(1), "one multiplier for each row"),
        (f(2), f(), "one multiplier for each row"),
    ],
)
def test_multipliers_that_prove_nothing(y, z, message):
    with pytest.raises(RejectedError, match=message):
        check_farkas(ROWS, RIGHT, EQUAL_ROWS, EQUAL_RIGHT, y, z)


def test_rows_of_one_length():
    with pytest.raises(RejectedError, match="differ in length"):
        check_farkas([f(1), f(1, 1)], f(-1, -1), [], [], f(1, 1), [])
