"""Exact linear algebra over the rationals (FLINT does the elimination)."""

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq, fmpq_mat

Matrix = Sequence[Sequence[Fraction]]


def _matrix(rows: Matrix, columns: int) -> fmpq_mat:
    entries = [fmpq(x.numerator, x.denominator) for row in rows for x in row]
    return fmpq_mat(len(rows), columns, entries)


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def rank(rows: Matrix) -> int:
    """Rank of a rational matrix."""
    if not rows:
        return 0
    return int(_matrix(rows, len(rows[0])).rref()[1])


def solve_linear(rows: Matrix, right: Sequence[Fraction]) -> list[Fraction] | None:
    """One solution x of ``rows @ x == right``, with zeros at the free variables, or None.

    Examples
    --------
    >>> one = Fraction(1)
    >>> solve_linear([[one, one], [one, -one]], [Fraction(3), one])
    [Fraction(2, 1), Fraction(1, 1)]
    """
    if not rows:
        return []
    columns = len(rows[0])
    reduced, pivots = _reduce([[*row, b] for row, b in zip(rows, right, strict=True)], columns + 1)
    if columns in pivots:
        return None
    solution = [Fraction(0)] * columns
    for row, pivot in enumerate(pivots):
        solution[pivot] = _fraction(reduced[row, columns])
    return solution


def null_space(rows: Matrix, columns: int) -> list[list[Fraction]]:
    """A basis of {x : rows @ x = 0}, one vector a free variable.

    Examples
    --------
    >>> null_space([[Fraction(1), Fraction(-2)]], 2)
    [[Fraction(2, 1), Fraction(1, 1)]]
    """
    reduced, pivots = _reduce(rows, columns)
    basis = []
    for free in (column for column in range(columns) if column not in pivots):
        vector = [Fraction(0)] * columns
        vector[free] = Fraction(1)
        for row, pivot in enumerate(pivots):
            vector[pivot] = -_fraction(reduced[row, free])
        basis.append(vector)
    return basis


def _reduce(rows: Matrix, columns: int) -> tuple[fmpq_mat, list[int]]:
    """Reduced row echelon form and its pivot columns."""
    reduced, count = _matrix(rows, columns).rref()
    pivots: list[int] = []
    for row in range(count):
        start = pivots[-1] + 1 if pivots else 0
        pivots.append(next(c for c in range(start, columns) if reduced[row, c] != 0))
    return reduced, pivots
