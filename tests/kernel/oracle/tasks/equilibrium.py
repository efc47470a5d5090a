"""Equilibria of gradient fields: a box of scores certainly holds a zero of sum_y p_y g(y, u).

The interval Newton step: let J enclose the slopes of F on the box X with center c, and let every solution of
A v = F(c) with a matrix A of J have c - v in X. Then F has a zero in X: F(u) = F(c) + A(u) (u - c) with A(u)
of J, and u -> c - A(u)^-1 F(c) maps X continuously into X (Brouwer).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from flint import arb_mat

from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import Ball, enclose, working_precision

from .fields import Field, read_field
from .labels import Label

_BITS: Final = 192

Box = Sequence[tuple[Fraction, Fraction]]
"""An interval for each score but the last, which is 0."""


def check_equilibrium(
    field: Mapping[str, object],
    labels: Sequence[Label],
    probabilities: Sequence[Fraction],
    m: int,
    box: Box,
) -> bool:
    """Whether the zero in the box attracts; that there is one is proved.

    The gradients add up to zero and do not see a common shift, so that the last item needs no equation and
    its score may be 0. If the symmetric part of the Jacobian is positive definite on the whole box, any two
    solutions of u' = -F(u) in it come closer: gradient descent in the scores is drawn to the zero.

    Parameters
    ----------
    field
        The ``surrogate`` entry.
    labels, probabilities
        The distribution.
    m
        The number of items.
    box
        Must lie inside one strict order of the scores.

    Raises
    ------
    InputError
        If the entry does not describe a field that is known here, or the box is not of m - 1 intervals,
        or a label not of m grades.
    RejectedError
        If the box is not inside one order, or the zero is not proved.
    """
    known = read_field(field)
    if len(box) != m - 1 or any(low > high for low, high in box):
        raise InputError(f"the box must have {m - 1} intervals with their lower ends first")
    for label in labels:
        known.check_label(label, m)
    ranking = order_of(box)
    with working_precision(_BITS):
        center = [enclose((low + high) / 2) for low, high in box]
        value, _ = _mean(known, labels, probabilities, ranking, center)
        whole = [enclose(low).union(enclose(high)) for low, high in box]
        _, slopes = _mean(known, labels, probabilities, ranking, whole)
        try:
            step = arb_mat(slopes).solve(arb_mat([[entry] for entry in value]))
        except ZeroDivisionError:
            raise RejectedError("the slopes of the field are not certainly regular on the box") from None
        for i, (low, high) in enumerate(box):
            moved = center[i] - step[i, 0]
            if not (enclose(low) <= moved <= enclose(high)):
                raise RejectedError(f"score {i + 1} of the zero is not proved to lie in the box")
        return _positive_definite(slopes)


def order_of(box: Box) -> tuple[int, ...]:
    """The items from top to bottom, the same at every point of the box.

    Raises
    ------
    RejectedError
        If two scores may be equal or change places.

    Examples
    --------
    >>> order_of([(Fraction(-2), Fraction(-1)), (Fraction(1), Fraction(2))])
    (1, 2, 0)
    """
    intervals = [*box, (Fraction(0), Fraction(0))]
    ranking = sorted(range(len(intervals)), key=lambda item: -intervals[item][0])
    for upper, lower in pairwise(ranking):
        if intervals[upper][0] <= intervals[lower][1]:
            raise RejectedError(f"the scores of items {upper + 1} and {lower + 1} overlap in the box")
    return tuple(ranking)


def _mean(
    field: Field,
    labels: Sequence[Label],
    probabilities: Sequence[Fraction],
    ranking: Sequence[int],
    free: Sequence[Ball],
) -> tuple[list[Ball], list[list[Ball]]]:
    """sum_y p_y g(y, u) and its slopes, without the last item."""
    n = len(free)
    value = [Ball(0)] * n
    slopes = [[Ball(0)] * n for _ in range(n)]
    for label, p in zip(labels, probabilities, strict=True):
        gradient, jacobian = field.forces.pull(label, ranking, [*free, Ball(0)])
        share = enclose(p)
        value = [value[i] + share * gradient[i] for i in range(n)]
        slopes = [[slopes[i][j] + share * jacobian[i][j] for j in range(n)] for i in range(n)]
    return value, slopes


def _positive_definite(slopes: Sequence[Sequence[Ball]]) -> bool:
    """Whether the leading minors of the symmetric part are certainly positive (Sylvester)."""
    n = len(slopes)
    part = [[(slopes[i][j] + slopes[j][i]) / 2 for j in range(n)] for i in range(n)]
    return all(arb_mat([row[:k] for row in part[:k]]).det() > 0 for k in range(1, n + 1))
