"""What a decoder may return at given scores: ties go any way, so closed cells are meant.

A decoder sorts (the prediction is an order of the coordinates in which the scores do not rise), or it is
written out:
for each prediction one or more cells {u : <row, u> + b >= 0 for all its rows}.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import final

from consistency_lab.core.reals import Real, compare, plus, sign, times, total
from consistency_lab.core.risk import form
from consistency_lab.exact import LogRational

Scores = Sequence[LogRational] | Sequence[Real]
"""Exact scores, or numbers that are at least enclosed."""

Row = tuple[tuple[Fraction, ...], Fraction]
"""(row, b)."""

Cell = tuple[Row, ...]


@final
@dataclass(frozen=True, slots=True)
class Sort:
    """The orders in which the scores do not rise."""


@final
@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of each prediction, by its number."""

    of: Mapping[int, tuple[Cell, ...]]

    def may_return(self, scores: Scores) -> tuple[int, ...]:
        """The predictions with a cell that the scores lie in.

        Raises
        ------
        RejectedError
            If a sign is not certain.

        Examples
        --------
        >>> one, nought = Fraction(1), Fraction(0)
        >>> cells = Cells({0: ((((one,), nought),),), 1: ((((-one,), nought),),)})
        >>> cells.may_return([Fraction(-2)]), cells.may_return([nought])
        ((1,), (0, 1))
        """
        return tuple(n for n, cells in self.of.items() if any(_inside(cell, scores) for cell in cells))


Decoder = Sort | Cells


def _inside(cell: Cell, scores: Scores) -> bool:
    return all(_sign(row, b, scores) >= 0 for row, b in cell)


def _sign(row: Sequence[Fraction], b: Fraction, scores: Scores) -> int:
    exact = [score for score in scores if isinstance(score, LogRational)]
    if len(exact) == len(scores):
        return form([(k, n) for k, n in enumerate(row) if n], exact, LogRational(b)).sign()
    enclosed = [score for score in scores if not isinstance(score, LogRational)]
    products = (times(n, u) for n, u in zip(row, enclosed, strict=True))
    return sign(plus(b, total(products)), "a row of a cell")


def levels(scores: Scores) -> tuple[int, ...]:
    """A small integer for each score, in their order, equal for equal ones.

    Raises
    ------
    RejectedError
        If balls do not tell.

    Examples
    --------
    >>> levels([Fraction(3), Fraction(1, 2), Fraction(3)])
    (1, 0, 1)
    >>> levels([LogRational.parse("log(3)"), LogRational.parse("1")])
    (1, 0)
    """

    def against(i: int, j: int) -> int:
        return _against(scores[i], scores[j])

    rising = sorted(range(len(scores)), key=cmp_to_key(against))
    level = dict.fromkeys(rising, 0)
    for i, j in pairwise(rising):
        level[j] = level[i] + against(j, i)
    return tuple(level[k] for k in range(len(scores)))


def _against(x: LogRational | Real, y: LogRational | Real) -> int:
    if isinstance(x, LogRational) and isinstance(y, LogRational):
        return (x - y).sign()
    assert not isinstance(x, LogRational) and not isinstance(y, LogRational)
    return compare(x, y, "the difference of two scores")
