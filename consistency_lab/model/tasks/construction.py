"""The low-rank construction of RAT13 Theorem 3, of the least dimension."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from math import lcm, log2
from typing import Final

from flint import fmpz_mat

from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.tasks.discrete import LossMatrix
from consistency_lab.numbers.exact import MAX_DIGITS, integer_multiple
from consistency_lab.numbers.exact.linear import (
    Integers,
    common_denominator,
    independent_minor,
    integer_rank,
    leading,
)

# --- Exact rank factorizations of integer matrices, and distances between rational points, by FLINT ------

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


def rank_factorization(rows: Integers) -> Factors:
    """A factorization of least dimension with small numbers: by rows or by columns, whichever is smaller."""
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
    chosen = leading(reduced, rank)
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
    for number, t in enumerate(leading(reduced, rank)):
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


# --- How many scores the construction of RAT13 Theorem 3 needs at least: ranks ---------------------------
# With c_y and b_t it is the rank of the double differences, with c_y alone that of the differences to the
# first column, with one constant c that of the losses or 1 less: the page rat13-theorem-3 of the book proves
# it. What is least is the dimension of this construction; other convex surrogates may need fewer scores.

_LONG: Final = 32
"""Bits of a constant that would spoil all the numbers of a factorization, where c_y leaves them short."""


class Offsets(StrEnum):
    """What is added to <alpha_y, beta_t>; each may do what the ones before it may."""

    NONE = "none"
    CONSTANT = "constant"
    LABEL = "label"
    BOTH = "both"


@frozen
class Dimensions:
    """The least dimension with each kind of offsets."""

    of: Mapping[Offsets, int]  #: By kind.
    constant: Fraction  #: The constant c that gives the least dimension of its kind; 0 if none lowers it.

    @property
    def fewest(self) -> Offsets:
        """The fewest offsets with which the dimension is least; a long constant is passed over."""
        long = max(self.constant.numerator.bit_length(), self.constant.denominator.bit_length()) > _LONG
        return next(
            kind
            for kind in Offsets
            if self.of[kind] == self.of[Offsets.BOTH] and not (kind is Offsets.CONSTANT and long)
        )


def least_dimensions(matrix: LossMatrix) -> Dimensions:
    """The least dimension for each kind of offsets, all of them ranks."""
    rows, scale = common_denominator(matrix.rows)
    minor = independent_minor(rows)
    plain = len(minor[0])
    label, prediction = integer_rank(across(rows)), integer_rank(down(rows))
    both = integer_rank(down(across(rows)))
    constant = Fraction(0)
    # Taking the mean away lowers the rank of the rows if and only if they span the constants.
    if label < plain and prediction < plain:
        total = inverse_sum([[rows[y][t] for t in minor[1]] for y in minor[0]])
        constant = 1 / (total * scale) if total else Fraction(0)
    of = {
        Offsets.NONE: plain,
        Offsets.CONSTANT: plain - 1 if constant else plain,
        Offsets.LABEL: label,
        Offsets.BOTH: both,
    }
    return Dimensions(of, constant)


def across(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """The differences to the first column."""
    return [[x - row[0] for x in row] for row in rows]


def down(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """The differences to the first row."""
    return [[x - first for x, first in zip(row, rows[0], strict=True)] for row in rows]


# --- The low-rank construction of RAT13 Theorem 3, of the least dimension, for any exact loss matrix -----
# Let ``l(y, t) = <alpha_y, beta_t> + c_y + b_t`` with vectors in R^d, and define
#
#     psi(y, u) = sum_i (u_i - alpha_yi)^2,    pred(u) in argmin_t <u, beta_t> + b_t,
#
# whatever pred does with ties. It is calibrated for all p: with u_p = sum_y p_y alpha_y and D the largest
# distance of two beta, H(e) >= e^2 / D^2 (the page rat13-theorem-3 of the book). RAT13 has one constant c
# and b = 0; an offset c_y drops out of every regret, and the decoder can add a known b_t: both may save
# dimensions.

_MAX_BITS: Final = int(MAX_DIGITS * log2(10))


@frozen
class Construction:
    """A surrogate and a decoder for a loss matrix, as in RAT13 Theorem 3."""

    matrix: LossMatrix  #: The loss.
    offsets: Offsets  #: The kind of offsets.
    dimensions: Dimensions  #: What dimension each kind needs.
    factors: Factors  #: ``left[y]`` is alpha_y and ``right[t]`` is beta_t.
    #: c_y and b_t.
    label_offsets: tuple[Fraction, ...]
    prediction_offsets: tuple[Fraction, ...]
    #: The largest squared distance of two beta, and two predictions that have it.
    squared_distance: Fraction
    farthest: tuple[int, int]

    @property
    def dimension(self) -> int:
        """The number d of scores."""
        return len(self.factors.left[0])

    def psi(self, label: int, scores: Sequence[Fraction]) -> Fraction:
        """The surrogate loss of the scores where a label, given by number, is true."""
        return sum(((u - a) ** 2 for u, a in zip(scores, self.factors.left[label], strict=True)), Fraction(0))

    def decode(self, scores: Sequence[Fraction]) -> tuple[int, ...]:
        """The numbers of all predictions that the decoder may return."""
        costs = [
            sum((u * x for u, x in zip(scores, beta, strict=True)), offset)
            for beta, offset in zip(self.factors.right, self.prediction_offsets, strict=True)
        ]
        least = min(costs)
        return tuple(t for t, cost in enumerate(costs) if cost == least)

    def minimizer(self, probabilities: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """u_p, the expected alpha, which minimizes the expected psi."""
        return tuple(
            sum((p * a for p, a in zip(probabilities, column, strict=True)), Fraction(0))
            for column in zip(*self.factors.left, strict=True)
        )

    def recheck(self) -> None:
        """Check everything again, exactly."""
        self._recheck_offsets()
        self.recheck_identity()
        if self.dimensions != least_dimensions(self.matrix):
            raise RejectedError("a dimension is not the least with its kind of offsets")
        if self.dimension != self.dimensions.of[self.offsets]:
            raise RejectedError(
                f"there are {self.dimension} scores, but {self.dimensions.of[self.offsets]} are enough"
            )
        if (self.squared_distance, self.farthest) != largest_distance(self.factors.right):
            raise RejectedError(f"the largest squared distance of two beta is not {self.squared_distance}")

    def recheck_identity(self) -> None:
        """Check that the loss is <alpha_y, beta_t> + c_y + b_t, exactly."""
        rows, scale = common_denominator([*self.matrix.rows, self.label_offsets, self.prediction_offsets])
        *losses, by_label, by_prediction = rows
        rest = [
            [x - c - b for x, b in zip(row, by_prediction, strict=True)]
            for row, c in zip(losses, by_label, strict=True)
        ]
        right = tuple(tuple(x * scale for x in beta) for beta in self.factors.right)
        if not is_product(Factors(self.factors.left, right), rest):
            raise RejectedError("the loss is not the inner product of alpha and beta plus the offsets")

    def _recheck_offsets(self) -> None:
        if self.offsets is not Offsets.BOTH and any(self.prediction_offsets):
            raise RejectedError("a prediction has an offset, which this kind of construction has not")
        constants = {Offsets.NONE: {Fraction(0)}, Offsets.CONSTANT: {self.dimensions.constant}}
        allowed = constants.get(self.offsets)
        if allowed is not None and set(self.label_offsets) != allowed:
            raise RejectedError("the labels do not all have the one offset of this kind of construction")


def construct(matrix: LossMatrix, offsets: Offsets | None = None) -> Construction:
    """The construction of least dimension, with the fewest offsets unless their kind is given."""
    if not matrix.rows or not matrix.rows[0]:
        raise InputError("the loss matrix is empty; it must have at least one label and one prediction")
    dimensions = least_dimensions(matrix)
    kind = dimensions.fewest if offsets is None else offsets
    rows, scale = common_denominator(matrix.rows)
    zero = Fraction(0)
    by_label, by_prediction = (zero,) * len(rows), (zero,) * len(rows[0])
    match kind:
        case Offsets.NONE:
            pass
        case Offsets.CONSTANT:
            constant = dimensions.constant
            by_label = (constant,) * len(rows)
            rows = [[x * constant.denominator - constant.numerator * scale for x in row] for row in rows]
            scale *= constant.denominator
        case Offsets.LABEL:
            by_label = tuple(row[0] for row in matrix.rows)
            rows = across(rows)
        case Offsets.BOTH:
            by_label = tuple(row[0] for row in matrix.rows)
            by_prediction = tuple(x - matrix.rows[0][0] for x in matrix.rows[0])
            rows = down(across(rows))
    found = rank_factorization(rows)
    if found.largest() > _MAX_BITS:
        raise UnsupportedError(f"the factorization needs numbers of more than {MAX_DIGITS} digits")
    right = tuple(tuple(x / scale for x in beta) for beta in found.right)
    construction = Construction(
        matrix,
        kind,
        dimensions,
        Factors(found.left, right),
        by_label,
        by_prediction,
        *largest_distance(right),
    )
    construction.recheck_identity()
    return construction
