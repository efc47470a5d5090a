"""Farkas multipliers: exact evidence that linear inequalities have no solution."""

from collections.abc import Sequence
from fractions import Fraction

from consistency_lab.core.messages import shown
from consistency_lab.errors import RejectedError

Row = Sequence[Fraction]


def check_farkas(
    rows: Sequence[Row], right: Row, equal_rows: Sequence[Row], equal_right: Row, y: Row, z: Row
) -> None:
    """Check that {x >= 0 : A x <= b, E x = f} is empty.

    The evidence is y >= 0 and z with y A + z E >= 0 and y b + z f < 0, for a solution x would give
    0 <= (y A + z E) x <= y b + z f < 0.

    Parameters
    ----------
    rows, right
        A and b.
    equal_rows, equal_right
        E and f.
    y, z
        One multiplier for each row of A, and of E.

    Raises
    ------
    RejectedError
        If the multipliers do not fit the system or do not prove it.

    Examples
    --------
    x_1 <= -1 has no nonnegative solution:

    >>> check_farkas([[Fraction(1)]], [Fraction(-1)], [], [], [Fraction(1)], [])
    """
    if not len(rows) == len(right) == len(y) or not len(equal_rows) == len(equal_right) == len(z):
        raise RejectedError("the system needs one right-hand side and one multiplier for each row")
    all_rows, multipliers = [*rows, *equal_rows], [*y, *z]
    if len({len(row) for row in all_rows}) > 1:
        raise RejectedError("the rows of the system differ in length")
    for number, multiplier in enumerate(y, start=1):
        if multiplier < 0:
            raise RejectedError(
                f"the multiplier of inequality {number} is {shown(multiplier)}; it must be at least 0"
            )
    for column, entries in enumerate(zip(*all_rows, strict=True), start=1):
        total = _dot(multipliers, entries)
        if total < 0:
            raise RejectedError(
                f"the multipliers give the unknown {column} the factor {shown(total)}; it must be at least 0"
            )
    value = _dot(multipliers, [*right, *equal_right])
    if value >= 0:
        raise RejectedError(f"the multipliers give the right-hand side {shown(value)}; it must be negative")


def _dot(left: Row, right: Row) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))
