"""Exact linear algebra over the rationals and the integers, by FLINT."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Final

from flint import fmpq, fmpq_mat, fmpz_mat, nmod_mat

from consistency_lab.errors import UnsupportedError
from consistency_lab.numbers.exact.rational import MAX_DIGITS, Matrix, fraction, quotient

# --- Exact linear algebra over the rationals (FLINT does the elimination) --------------------------------

SparseRows = Sequence[Sequence[tuple[int, fmpq]]]


def _matrix(rows: Matrix, columns: int) -> fmpq_mat:
    return fmpq_mat(len(rows), columns, [quotient(x) for row in rows for x in row])


def rank(rows: Matrix) -> int:
    """Rank of a rational matrix."""
    return int(_matrix(rows, len(rows[0])).rank()) if rows else 0


def pivot_columns(rows: Matrix) -> list[int]:
    """The columns that no columns before them span: from left to right, the first basis."""
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
    """A basis of {x : rows @ x = 0}, one vector a free variable."""
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
    return reduced, leading(reduced, count)


def leading(reduced: fmpq_mat | fmpz_mat | nmod_mat, rank: int) -> list[int]:
    """Where each of the first rows of a row echelon form has its first entry that is not 0."""
    found = [-1]
    for row in range(rank):
        found.append(next(c for c in range(found[-1] + 1, reduced.ncols()) if reduced[row, c] != 0))
    return found[1:]


# --- Integer matrices ------------------------------------------------------------------------------------

Integers = Sequence[Sequence[int]]

_PRIME: Final = 2**61 - 1


def common_denominator(rows: Sequence[Sequence[Fraction]]) -> tuple[list[list[int]], int]:
    """The integers ``rows[y][t] * scale``, and the least positive scale for which they are integers.

    UnsupportedError if the scale has more than `MAX_DIGITS` digits.
    """
    scale = 1
    for denominator in {x.denominator for row in rows for x in row}:
        scale = lcm(scale, denominator)
        if scale > 10**MAX_DIGITS:
            raise UnsupportedError(f"the common denominator of the numbers has more than {MAX_DIGITS} digits")
    return [[x.numerator * (scale // x.denominator) for x in row] for row in rows], scale


def integer_rank(rows: Integers) -> int:
    """The rank of an integer matrix."""
    return int(fmpz_mat(rows).rank())


def independent_minor(rows: Integers) -> tuple[list[int], list[int]]:
    """As many rows and columns as the rank whose square submatrix is not singular."""
    matrix = fmpz_mat(rows)
    if matrix.nrows() > matrix.ncols():
        found = independent_minor([[int(x) for x in line] for line in matrix.transpose().tolist()])
        return found[1], found[0]
    chosen = _pivots(matrix.transpose())
    if not chosen:
        return [], []
    kept = [rows[y] for y in chosen]
    # Columns that are independent modulo a prime are independent; the converse fails for few primes only.
    residues, rank = nmod_mat(fmpz_mat(kept), _PRIME).rref()
    columns = leading(residues, rank)
    return chosen, columns if rank == len(chosen) else _pivots(fmpz_mat(kept))


def _pivots(matrix: fmpz_mat) -> list[int]:
    reduced, _, rank = matrix.rref()
    return leading(reduced, rank)
