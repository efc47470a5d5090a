"""Exact linear algebra over the rationals (FLINT does the elimination)."""

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq, fmpq_mat

Matrix = Sequence[Sequence[Fraction]]
SparseRows = Sequence[Sequence[tuple[int, fmpq]]]


def quotient(value: Fraction) -> fmpq:
    """The same number for FLINT, whose arithmetic is several times as fast."""
    return fmpq(*value.as_integer_ratio())


def fraction(value: fmpq) -> Fraction:
    """The same number for Python."""
    return Fraction(int(value.p), int(value.q))


def _matrix(rows: Matrix, columns: int) -> fmpq_mat:
    return fmpq_mat(len(rows), columns, [quotient(x) for row in rows for x in row])


def rank(rows: Matrix) -> int:
    """Rank of a rational matrix."""
    if not rows:
        return 0
    return int(_matrix(rows, len(rows[0])).rref()[1])


def pivot_columns(rows: Matrix) -> list[int]:
    """The columns that no columns before them span: from left to right, the first basis.

    Examples
    --------
    >>> one, zero = Fraction(1), Fraction(0)
    >>> pivot_columns([[one, one, zero], [one, one, one]])
    [0, 2]
    """
    return _reduce(rows, len(rows[0]))[1] if rows else []


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
        solution[pivot] = fraction(reduced[row, columns])
    return solution


def solve_both(
    rows: SparseRows, right: Sequence[fmpq], left: Sequence[fmpq]
) -> tuple[list[fmpq], list[fmpq]] | None:
    """The x with ``rows @ x == right`` and the y with ``y @ rows == left``, or None if the rows are singular.

    Parameters
    ----------
    rows
        A square matrix: for each row, its entries that are not zero, with their columns.
    right, left
        One number a row, and one a column.

    Examples
    --------
    >>> two, three = fmpq(2), fmpq(3)
    >>> solve_both([[(0, two)], [(0, two), (1, three)]], [two, two], [two, three])
    ([1, 0], [0, 1])
    """
    n = len(rows)
    square = fmpq_mat(n, n)
    for k, row in enumerate(rows):
        for j, value in row:
            square[k, j] = value
    try:
        x = square.solve(fmpq_mat(n, 1, list(right)))
        y = square.transpose().solve(fmpq_mat(n, 1, list(left)))
    except ZeroDivisionError:
        return None
    return x.entries(), y.entries()


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
            vector[pivot] = -fraction(reduced[row, free])
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
