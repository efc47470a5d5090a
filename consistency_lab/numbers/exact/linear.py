"""Exact linear algebra over the rationals, and rank factorizations, by FLINT."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Final

from flint import fmpq, fmpq_mat, fmpz_mat, nmod_mat

from consistency_lab.errors import UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact.rational import MAX_DIGITS, fraction, integer_multiple, quotient

# --- Exact linear algebra over the rationals (FLINT does the elimination) --------------------------------

Matrix = Sequence[Sequence[Fraction]]
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
    return reduced, _leading(reduced, count)


def _leading(reduced: fmpq_mat | fmpz_mat | nmod_mat, rank: int) -> list[int]:
    """Where each of the first rows of a row echelon form has its first entry that is not 0."""
    found = [-1]
    for row in range(rank):
        found.append(next(c for c in range(found[-1] + 1, reduced.ncols()) if reduced[row, c] != 0))
    return found[1:]


# --- Exact rank factorizations of integer matrices, and distances between rational points, by FLINT ------

Integers = Sequence[Sequence[int]]

_PRIME: Final = 2**61 - 1
_BOTH_WAYS: Final = 50_000
"""Up to so many numbers a factorization is made by rows and by columns, and the smaller one is kept."""

_BLOCK: Final = 64


@frozen
class Factors:
    """A factorization ``rows[y][t] = <left[y], right[t]>`` with the least number of coordinates, the rank."""

    #: A vector of integers for each row; the integers of one coordinate have no divisor in common.
    left: tuple[tuple[int, ...], ...]
    right: tuple[tuple[Fraction, ...], ...]  #: A vector of rationals for each column.

    def largest(self) -> int:
        """Bits of the largest numerator or denominator."""
        left = (x.bit_length() for vector in self.left for x in vector)
        right = (max(x.numerator.bit_length(), x.denominator.bit_length()) for v in self.right for x in v)
        return max((*left, *right), default=0)


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
    columns = _leading(residues, rank)
    return chosen, columns if rank == len(chosen) else _pivots(fmpz_mat(kept))


def rank_factorization(rows: Integers) -> Factors:
    """A factorization of least dimension with small numbers.

    Let I be the first rows of full rank. Then ``rows = left @ rows[I]`` for one matrix left, that is the
    identity on I. The same by columns gives another one. Of two small ones that with the smaller largest
    number is taken, of large ones that along the side with fewer different lines.

    Examples
    --------
    >>> rank_factorization([[0, 0], [2, 4], [1, 2]])
    Factors(left=((0,), (2,), (1,)), right=((Fraction(1, 1),), (Fraction(2, 1),)))
    """
    n, k = len(rows), len(rows[0])
    # Lines that are not chosen get coordinates, which may be long; so the side with fewer lines is chosen.
    by_rows_first = _different(rows) <= _different(list(zip(*rows, strict=True)))
    first = _by_rows(rows) if by_rows_first else _by_columns(rows)
    if len(first.left[0]) * (n + k) > _BOTH_WAYS:
        return first
    second = _by_columns(rows) if by_rows_first else _by_rows(rows)
    by_rows, by_columns = (first, second) if by_rows_first else (second, first)
    return by_rows if by_rows.largest() <= by_columns.largest() else by_columns


def is_product(factors: Factors, rows: Integers) -> bool:
    """Whether ``rows[y][t] = <left[y], right[t]>`` for all y and t, exactly."""
    if not factors.left[0]:
        return not any(map(any, rows))
    scales = [lcm(*(x.denominator for x in vector)) for vector in factors.right]
    right = [[int(x * s) for x in vector] for vector, s in zip(factors.right, scales, strict=True)]
    expected = [[x * s for x, s in zip(row, scales, strict=True)] for row in rows]
    return bool(fmpz_mat(factors.left) * fmpz_mat(right).transpose() == fmpz_mat(expected))


def inverse_sum(square: Integers) -> Fraction:
    """The sum of all entries of the inverse of a matrix that is not singular."""
    solution = fmpz_mat(square).solve(fmpz_mat([[1]] * len(square)))
    return sum((Fraction(int(x.p), int(x.q)) for x in solution.entries()), Fraction(0))


def largest_distance(points: Sequence[Sequence[Fraction]]) -> tuple[Fraction, tuple[int, int]]:
    """The largest squared distance between two of the points, and the first two points that have it."""
    first: dict[tuple[Fraction, ...], int] = {}
    for number, point in enumerate(points):
        first.setdefault(tuple(point), number)
    places = list(first.values())
    best, pair = 0, (places[0], places[0])
    if len(places) == 1 or not points[0]:
        return Fraction(0), pair
    integers, scale = common_denominator(list(first))
    norms = [sum(x * x for x in point) for point in integers]
    columns = fmpz_mat(integers).transpose()
    for start in range(0, len(places), _BLOCK):
        products = fmpz_mat(integers[start : start + _BLOCK]) * columns
        for i, row in enumerate(products.tolist(), start):
            distances = [norm - 2 * int(x) for norm, x in zip(norms[i:], row[i:], strict=True)]
            farthest = max(distances)
            if norms[i] + farthest > best:
                best = norms[i] + farthest
                pair = (places[i], places[i + distances.index(farthest)])
    return Fraction(best, scale**2), pair


def _different(lines: Integers) -> int:
    """How many different lines there are, lines of zeros not counted."""
    return len({tuple(line) for line in lines if any(line)})


def _by_rows(rows: Integers) -> Factors:
    reduced, denominator, rank = fmpz_mat(rows).transpose().rref()
    chosen = _leading(reduced, rank)
    left, right = [], []
    for number, y in enumerate(chosen):
        coordinates = [Fraction(int(reduced[number, t]), int(denominator)) for t in range(len(rows))]
        whole, scale = integer_multiple(coordinates)
        left.append(whole)
        right.append([Fraction(x) / scale for x in rows[y]])
    return _factors(left, right, len(rows), len(rows[0]))


def _by_columns(rows: Integers) -> Factors:
    reduced, denominator, rank = fmpz_mat(rows).rref()
    left, right = [], []
    for number, t in enumerate(_leading(reduced, rank)):
        whole, scale = integer_multiple([Fraction(row[t]) for row in rows])
        left.append(whole)
        coordinates = (Fraction(int(reduced[number, s]), int(denominator)) for s in range(len(rows[0])))
        right.append([x / scale for x in coordinates])
    return _factors(left, right, len(rows), len(rows[0]))


def _factors(left: list[list[int]], right: list[list[Fraction]], n: int, k: int) -> Factors:
    """From one list a coordinate to one vector a row and a column."""
    if not left:
        return Factors(((),) * n, ((),) * k)
    return Factors(tuple(zip(*left, strict=True)), tuple(zip(*right, strict=True)))


def _pivots(matrix: fmpz_mat) -> list[int]:
    reduced, _, rank = matrix.rref()
    return _leading(reduced, rank)
