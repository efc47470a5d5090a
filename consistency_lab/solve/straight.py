"""Piecewise linear convex risks: the minimum as a linear program, in floats or exactly.

Each function is its first line plus the largest of 0 and what its other lines exceed the first by, so W is a
linear function of the scores plus one variable z >= 0 a term:

    minimize    sum_t c_t (s_t0 <v_t, alpha> + z_t)
    subject to  z_t >= (s_tk - s_t0) (<v_t, alpha> - b_t) + i_tk - i_t0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import integer_multiple
from consistency_lab.model.surrogates import Term
from consistency_lab.solve.kinds import piecewise

if TYPE_CHECKING:
    from consistency_lab.solve.exact_lp import FloatSolver

_ZERO: Final = Fraction(0)


@final
@dataclass(frozen=True)
class ExactVertex:
    """A minimizer, exactly.

    Parameters
    ----------
    scores
        The scores, or None if W falls without bound.
    slopes
        Slopes s_t in the subdifferentials with sum_t c_t s_t v_t = 0, aligned with the terms.
    direction
        If W falls without bound: integers along which it does.
    """

    scores: tuple[Fraction, ...] | None
    slopes: tuple[Fraction, ...]
    direction: tuple[int, ...] | None


@final
@dataclass(frozen=True)
class _Program:
    """The program in rationals; scores are p - q with p, q >= 0, or p alone where shifts are free."""

    c: list[Fraction]
    rows: list[list[Fraction]]
    right: list[Fraction]
    owners: list[tuple[int, Fraction]]
    columns: int

    @staticmethod
    def of(terms: Sequence[Term], offsets: Sequence[Fraction], m: int) -> "_Program":
        free = all(sum(n for _, n in term.v) == 0 for term in terms)
        columns = m if free else 2 * m
        size = columns + len(terms)
        c = [_ZERO] * columns + [term.c for term in terms]
        rows: list[list[Fraction]] = []
        right: list[Fraction] = []
        owners: list[tuple[int, Fraction]] = []
        for t, (term, b) in enumerate(zip(terms, offsets, strict=True)):
            (start, base), *others = lines(term)
            for i, n in term.v:
                c[i] += term.c * base * n
            for constant, slope in others:
                row = [_ZERO] * size
                row[columns + t] = Fraction(-1)
                for i, n in term.v:
                    row[i] = (slope - base) * n
                rows.append(row)
                right.append((slope - base) * b - (constant - start))
                owners.append((t, slope - base))
        if not free:
            for i in range(m):
                c[m + i] = -c[i]
                for row in rows:
                    row[m + i] = -row[i]
        return _Program(c, rows, right, owners, columns)

    def scores(self, x: Sequence[Fraction], m: int) -> tuple[Fraction, ...]:
        if self.columns == m:
            return tuple(x[:m])
        return tuple(x[i] - x[m + i] for i in range(m))


def lines(term: Term) -> list[tuple[Fraction, Fraction]]:
    """(constant, slope) of the lines of a piecewise linear function, left to right."""
    form = piecewise(term.phi)
    assert form is not None  # the caller asked for its kind
    return [((*piece, _ZERO, _ZERO)[0], (*piece, _ZERO, _ZERO)[1]) for piece in form.pieces]


def rational_offsets(terms: Sequence[Term]) -> list[Fraction] | None:
    """The offsets if all are rational."""
    offsets = [term.b.as_rational() for term in terms]
    return None if None in offsets else [b for b in offsets if b is not None]


def exact_vertex(terms: Sequence[Term], m: int) -> ExactVertex | None:
    """Minimize exactly; None if an offset is irrational or the program stays undecided."""
    from consistency_lab.solve.exact_lp import LPStatus, solve_lp

    offsets = rational_offsets(terms)
    if offsets is None:
        return None
    program = _Program.of(terms, offsets, m)
    solution = solve_lp(program.c, A_ub=program.rows, b_ub=program.right)
    if solution.status is LPStatus.UNBOUNDED:
        integers, _ = integer_multiple(program.scores(solution.ray, m))
        return ExactVertex(None, (), tuple(integers))
    if solution.status is not LPStatus.OPTIMAL:
        return None
    slopes = [lines(term)[0][1] for term in terms]
    for (t, extra), multiplier in zip(program.owners, solution.dual_ub, strict=True):
        slopes[t] += extra * multiplier / terms[t].c
    return ExactVertex(program.scores(solution.x, m), tuple(slopes), None)


def float_vertex(
    terms: Sequence[Term], m: int, solver: "FloatSolver | None" = None
) -> NDArray[np.float64] | None:
    """A minimizer in floats, or None if there is none or the solver gives up."""
    from consistency_lab.solve.exact_lp import LPStatus, solve_lp_float

    offsets = [Fraction(float(term.b)) for term in terms]
    program = _Program.of(terms, offsets, m)
    size = len(program.c)
    found = solve_lp_float(
        np.array(program.c, dtype=np.float64),
        np.empty((0, size)),
        np.empty(0),
        np.array(program.rows, dtype=np.float64).reshape(len(program.rows), size),
        np.array(program.right, dtype=np.float64),
        solver,
    )
    if found.status is not LPStatus.OPTIMAL:
        return None
    return found.x[:m] if program.columns == m else found.x[:m] - found.x[m : 2 * m]
