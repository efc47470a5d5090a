r"""How many scores the construction of RAT13 Theorem 3 needs at least: ranks.

Let ``l(y, t) = <alpha_y, beta_t> + c_y + b_t`` with vectors in R^d, L the n x k matrix of losses, P and Q the
projections of R^n and R^k that take away the mean.

- With c_y and b_t the least d is rank(P L Q). If L = A B^T + c 1^T + 1 b^T with d columns in A and B, then
  P L Q = P A B^T Q, whose rank is at most d, because Q 1 = 0 = P 1. Conversely, factor the double differences
  l(y,t) - l(y,0) - l(0,t) + l(0,0), a matrix of the same rank, as A B^T, with c_y = l(y,0) and
  b_t = l(0,t) - l(0,0). (It has that rank: differences to the first row, or the mean taken away, are linear
  maps with the same kernel, the constants; likewise for columns.)
- With c_y alone it is rank(L Q), that of the differences l(y,t) - l(y,0), in the same way.
- With one constant c it is the least rank of L - c 1 1^T. Let M be a nonsingular submatrix of L of full rank
  and s the sum of the entries of M^-1. If the vectors 1 lie in the column space and in the row space of L,
  then L = U V of full rank with U x = 1 and y^T V = 1^T for some x, y, y^T x = s, and
  L - c 1 1^T = U (I - c x y^T) V has rank(L) - 1 if c s = 1, else rank(L). If one of the two vectors lies
  outside, no c lowers the rank.

What is least here is the dimension of this construction. Other convex surrogates may need fewer scores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Final, final

from consistency_lab.exact.factorization import (
    common_denominator,
    independent_minor,
    integer_rank,
    inverse_sum,
)
from consistency_lab.model.tasks.loss_matrix import LossMatrix

_LONG: Final = 32
"""Bits of a constant that would spoil all the numbers of a factorization, where c_y leaves them short."""


class Offsets(StrEnum):
    """What is added to <alpha_y, beta_t>; each may do what the ones before it may."""

    NONE = "none"
    CONSTANT = "constant"
    LABEL = "label"
    BOTH = "both"


@final
@dataclass(frozen=True, slots=True)
class Dimensions:
    """The least dimension with each kind of offsets.

    Parameters
    ----------
    of
        By kind.
    constant
        The constant c that gives the least dimension of its kind; 0 if none lowers it.
    """

    of: Mapping[Offsets, int]
    constant: Fraction

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
    """The least dimension for each kind of offsets, all of them ranks; see the proof above.

    Raises
    ------
    UnsupportedError
        If the losses have no common denominator of moderate length.

    Examples
    --------
    >>> rows = tuple(tuple(Fraction(y != t) for t in range(4)) for y in range(4))
    >>> found = least_dimensions(LossMatrix(tuple("abcd"), tuple("abcd"), rows))
    >>> [found.of[kind] for kind in Offsets], found.constant
    ([4, 3, 3, 3], Fraction(3, 4))
    """
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
    return Dimensions(MappingProxyType(of), constant)


def across(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """The differences to the first column."""
    return [[x - row[0] for x in row] for row in rows]


def down(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """The differences to the first row."""
    return [[x - first for x, first in zip(row, rows[0], strict=True)] for row in rows]
