"""Krawczyk's test: a box of scores certainly contains a zero of an averaged gradient field."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from flint import arb, arb_mat

from consistency_lab.exact import Ball, enclose, working_precision
from consistency_lab.model.surrogates.tasks.fields import Dual, Piece
from consistency_lab.model.surrogates.tasks.fields.dual import constant, variables
from consistency_lab.model.surrogates.tasks.fields.written import whole

Box = tuple[tuple[Fraction, Fraction], ...]
"""An interval for each score but the last, which is 0."""

_PRECISION: Final = 128


@final
@dataclass(frozen=True, slots=True)
class Averaged:
    """sum_y p_y g(y, u) in one order of the scores, without the last item: the gradients add up to zero."""

    pieces: tuple[Piece, ...]
    probabilities: tuple[Fraction, ...]

    def balls(self, free: Sequence[Ball]) -> tuple[Dual, ...]:
        """The mean gradient and its slopes, enclosed; `free` are the scores but the last."""
        n = len(free)
        scores = (*variables(free), constant(0, n))
        found = [constant(0, n)] * n
        for piece, p in zip(self.pieces, self.probabilities, strict=True):
            for i, entry in enumerate(piece.entries(scores)[:n]):
                found[i] += entry.scaled(whole(p))
        return tuple(found)


def box_around(center: Sequence[Fraction], radius: Fraction) -> Box:
    """The cube around a point.

    Examples
    --------
    >>> box_around([Fraction(1, 2)], Fraction(1, 4))
    ((Fraction(1, 4), Fraction(3, 4)),)
    """
    return tuple((x - radius, x + radius) for x in center)


def holds_zero(field: Averaged, box: Box) -> bool:
    """Whether c - Y f(c) + (1 - Y f'(X)) (X - c) lies inside the box X, so that f has a zero there.

    Y is any matrix, here about the inverse of f'(c); c is the center (Krawczyk 1969; Neumaier 1990, §5.1).
    The box must lie inside one strict order of the scores.
    """
    with working_precision(_PRECISION):
        center = [enclose((low + high) / 2) for low, high in box]
        apart = arb_mat(
            [[enclose(low).union(enclose(high)) - c] for (low, high), c in zip(box, center, strict=True)]
        )
        slopes = jacobian(field, box)
        n = len(box)
        try:
            near = arb_mat([[slopes[i, j].mid() for j in range(n)] for i in range(n)]).inv()
        except ZeroDivisionError:
            return False
        near = arb_mat([[near[i, j].mid() for j in range(n)] for i in range(n)])
        value = arb_mat([[entry.value] for entry in field.balls(center)])
        unit = arb_mat([[arb(int(i == j)) for j in range(n)] for i in range(n)])
        image = (unit - near * slopes) * apart - near * value
        return all(
            enclose(low) < center[i] + image[i, 0] and center[i] + image[i, 0] < enclose(high)
            for i, (low, high) in enumerate(box)
        )


def attracts(field: Averaged, box: Box) -> bool:
    """Whether the symmetric part of the Jacobian is positive definite on the whole box (L D L^T has D > 0).

    Then two solutions of u' = -f(u) come closer while they stay in the box. Since gradients add up to zero
    and do not see a common shift, it holds for all m scores, orthogonally to the shift.
    """
    with working_precision(_PRECISION):
        slopes = jacobian(field, box)
        n = len(box)
        rest = [[(slopes[i, j] + slopes[j, i]) / 2 for j in range(n)] for i in range(n)]
        for k in range(n):
            if not rest[k][k] > 0:
                return False
            for i in range(k + 1, n):
                ratio = rest[i][k] / rest[k][k]
                for j in range(k + 1, n):
                    rest[i][j] = rest[i][j] - ratio * rest[k][j]
        return True


def jacobian(field: Averaged, box: Box) -> arb_mat:
    """An enclosure of the slopes of the field on the box."""
    values = field.balls([enclose(low).union(enclose(high)) for low, high in box])
    return arb_mat([list(entry.slopes) for entry in values])
