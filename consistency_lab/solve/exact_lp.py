"""Linear programs in rational arithmetic: HiGHS proposes a basis, exact arithmetic decides.

The basis is solved exactly, and what is returned has been checked exactly: feasibility of the point,
feasibility of the multipliers and equality of the two values (so both are optimal); Farkas multipliers where
there is no feasible point; a feasible point and a ray where the objective is unbounded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Final, final

import numpy as np
from flint import fmpq

from consistency_lab.errors import InputError
from consistency_lab.exact.linear import fraction, quotient, solve_both
from consistency_lab.solve.float_lp import FloatSolution, FloatSolver, LPStatus, solve_lp_float
from consistency_lab.solve.pivoting import optimal_basis

__all__ = [
    "FloatSolution",
    "FloatSolver",
    "LPSolution",
    "LPStatus",
    "solve_lp",
    "solve_lp_float",
]

Vector = Sequence[Fraction]
Rows = Sequence[Sequence[Fraction]]

_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)
_NOUGHT: Final = fmpq(0)
_PIVOTS: Final = 2_000
_WORK: Final = 500_000
"""Rational operations that the fallback may take, about: entries of the program times pivots."""

_COMFORTABLE: Final = 1 << 20
"""Rows whose largest entry is above this, or below its inverse, are scaled for the float solver."""


@final
@dataclass(frozen=True, slots=True)
class LPSolution:
    """A linear program's answer, exactly checked.

    Parameters
    ----------
    status
        OPTIMAL, INFEASIBLE or UNBOUNDED, each proved by the fields below; or UNDECIDED.
    x, value
        OPTIMAL: a vertex and its objective. UNBOUNDED: a feasible point and no value.
    dual_eq, dual_ub
        OPTIMAL: multipliers u and w >= 0 with ``c - A_eq.T u + A_ub.T w >= 0`` and value
        ``b_eq u - b_ub w``. INFEASIBLE: Farkas multipliers, u and w >= 0 with
        ``A_ub.T w - A_eq.T u >= 0`` and ``b_eq u - b_ub w > 0``.
    ray
        UNBOUNDED: a direction r >= 0 with A_eq r = 0, A_ub r <= 0 and c r < 0.
    """

    status: LPStatus
    x: tuple[Fraction, ...] = ()
    value: Fraction | None = None
    dual_eq: tuple[Fraction, ...] = ()
    dual_ub: tuple[Fraction, ...] = ()
    ray: tuple[Fraction, ...] = ()


def solve_lp(
    c: Vector,
    A_eq: Rows = (),
    b_eq: Vector = (),
    A_ub: Rows = (),
    b_ub: Vector = (),
    solver: FloatSolver | None = None,
) -> LPSolution:
    """Minimize c @ x subject to A_eq @ x = b_eq, A_ub @ x <= b_ub, x >= 0, in rationals.

    Parameters
    ----------
    c, A_eq, b_eq, A_ub, b_ub
        The program; rows may be missing.
    solver
        A float solver to reuse.

    Raises
    ------
    InputError
        If the shapes do not fit together.

    Examples
    --------
    >>> one, two = Fraction(1), Fraction(2)
    >>> solution = solve_lp([-one, -one], A_ub=[[one, two], [two, one]], b_ub=[one, one])
    >>> solution.value, solution.x
    (Fraction(-2, 3), (Fraction(1, 3), Fraction(1, 3)))
    >>> solve_lp([one], [[one]], [-one]).status.name
    'INFEASIBLE'
    """
    program = _Program.of(c, A_eq, b_eq, A_ub, b_ub)
    float_solver = solver or FloatSolver()
    proposal = program.proposal(float_solver)
    if proposal.status is LPStatus.OPTIMAL:
        solution = program.at(proposal.basis)
        if solution is not None:
            return solution
    # From here on HiGHS saw no optimum, or its basis is not exactly optimal. Both programs below have one.
    phase_one = program.phase_one()
    feasible = phase_one.settled(float_solver)
    if feasible is None or feasible.value is None:
        return LPSolution(LPStatus.UNDECIDED)
    if feasible.value > 0:
        return program.farkas(feasible.dual_eq, feasible.dual_ub)
    point = feasible.x[: len(c)]
    falling = program.recession().settled(float_solver)
    if falling is not None and falling.value is not None and falling.value < 0:
        return LPSolution(LPStatus.UNBOUNDED, x=point, ray=falling.x)
    return program.settled(float_solver) or LPSolution(LPStatus.UNDECIDED)


@final
@dataclass(frozen=True)
class _Program:
    """Minimize c @ x; the first `equalities` rows are equations, the others <=; x >= 0."""

    c: Vector
    rows: Rows
    right: Vector
    equalities: int

    @staticmethod
    def of(c: Vector, A_eq: Rows, b_eq: Vector, A_ub: Rows, b_ub: Vector) -> "_Program":
        rows, right = [*A_eq, *A_ub], [*b_eq, *b_ub]
        if len(A_eq) != len(b_eq) or len(A_ub) != len(b_ub):
            raise InputError(
                f"the program has {len(A_eq)} and {len(A_ub)} rows but {len(b_eq)} and {len(b_ub)} right-hand"
                " sides; each row needs one"
            )
        for row in rows:
            if len(row) != len(c):
                raise InputError(f"a row has {len(row)} entries; it must have {len(c)}, one a variable")
        return _Program(c, rows, right, len(A_eq))

    @cached_property
    def sparse(self) -> list[list[tuple[int, fmpq]]]:
        """The nonzero entries of each row, for FLINT."""
        return [[(j, quotient(value)) for j, value in enumerate(row) if value] for row in self.rows]

    @cached_property
    def limits(self) -> list[fmpq]:
        """The right-hand sides, for FLINT."""
        return list(map(quotient, self.right))

    @cached_property
    def costs(self) -> list[fmpq]:
        """The objective, for FLINT."""
        return list(map(quotient, self.c))

    def proposal(self, solver: FloatSolver) -> FloatSolution:
        """What HiGHS says of the program, its rows scaled to moderate size."""
        n, k = len(self.c), self.equalities
        table = np.array(
            [_floats((*row, b)) for row, b in zip(self.rows, self.right, strict=True)], dtype=np.float64
        ).reshape(len(self.rows), n + 1)
        costs = np.array(_floats(self.c), dtype=np.float64)
        return solver.solve(costs, table[:k, :n], table[:k, n], table[k:, :n], table[k:, n])

    def settled(self, solver: FloatSolver) -> LPSolution | None:
        """The exact optimum of a program that has one, or None if the pivots run out."""
        solution = self.at(self.proposal(solver).basis)
        if solution is not None:
            return solution
        pivots = min(_PIVOTS, _WORK // (1 + len(self.c) * len(self.rows)))
        basis = optimal_basis(self.c, self.rows, self.right, self.equalities, pivots)
        return None if basis is None else self.at(basis)

    def at(self, basis: Sequence[int]) -> LPSolution | None:
        """The solution at a basis, if exact arithmetic finds it optimal."""
        columns = sorted(j for j in basis if j >= 0)
        loose = {-1 - j for j in basis if j < 0}
        tight = [r for r in range(len(self.rows)) if r not in loose]
        if len(tight) != len(columns):
            return None
        place = {j: k for k, j in enumerate(columns)}
        solved = solve_both(
            [[(place[j], value) for j, value in self.sparse[r] if j in place] for r in tight],
            [self.limits[r] for r in tight],
            [self.costs[j] for j in columns],
        )
        if solved is None:
            return None
        x, y = [_NOUGHT] * len(self.c), [_NOUGHT] * len(self.rows)
        for j, value in zip(columns, solved[0], strict=True):
            x[j] = value
        for r, value in zip(tight, solved[1], strict=True):
            y[r] = value
        value = _dot(self.costs, x)
        optimal = self.is_feasible(x) and self.is_dual_feasible(self.costs, y)
        if not (optimal and value == _dot(self.limits, y)):
            return None
        multipliers, k = _fractions(y), self.equalities
        return LPSolution(
            LPStatus.OPTIMAL,
            _fractions(x),
            fraction(value),
            multipliers[:k],
            tuple(-u for u in multipliers[k:]),
        )

    def is_feasible(self, x: Sequence[fmpq]) -> bool:
        """Whether the point satisfies all constraints."""
        if any(value < 0 for value in x):
            return False
        for r, (row, b) in enumerate(zip(self.sparse, self.limits, strict=True)):
            activity = sum((value * x[j] for j, value in row if x[j]), _NOUGHT)
            if activity > b or (r < self.equalities and activity != b):
                return False
        return True

    def is_dual_feasible(self, c: Sequence[fmpq], y: Sequence[fmpq]) -> bool:
        """Whether c - rows.T @ y >= 0, and y <= 0 on the inequalities."""
        if any(value > 0 for value in y[self.equalities :]):
            return False
        reduced = list(c)
        for row, price in zip(self.sparse, y, strict=True):
            if price:
                for j, value in row:
                    reduced[j] -= price * value
        return all(value >= 0 for value in reduced)

    def phase_one(self) -> "_Program":
        """Minimize the total violation of the constraints: feasible, and bounded by 0 from below."""
        n, k, count = len(self.c), self.equalities, len(self.rows)
        rows = []
        for r, row in enumerate(self.rows):
            short = [_ONE if r == s else _ZERO for s in range(k)]
            long = [-_ONE if r == s else _ZERO for s in range(count)]
            rows.append([*row, *short, *long])
        return _Program([_ZERO] * n + [_ONE] * (k + count), rows, self.right, k)

    def farkas(self, dual_eq: Vector, dual_ub: Vector) -> LPSolution:
        """INFEASIBLE, after an exact check of the multipliers."""
        y = [quotient(u) for u in (*dual_eq, *(-w for w in dual_ub))]
        if not self.is_dual_feasible([_NOUGHT] * len(self.c), y) or _dot(self.limits, y) <= 0:
            return LPSolution(LPStatus.UNDECIDED)
        return LPSolution(LPStatus.INFEASIBLE, dual_eq=tuple(dual_eq), dual_ub=tuple(dual_ub))

    def recession(self) -> "_Program":
        """The steepest direction of recession, of total length at most 1."""
        rows = [*self.rows, [_ONE] * len(self.c)]
        return _Program(self.c, rows, [_ZERO] * len(self.rows) + [_ONE], self.equalities)


def _dot(left: Sequence[fmpq], right: Sequence[fmpq]) -> fmpq:
    return sum((a * b for a, b in zip(left, right, strict=True) if a and b), _NOUGHT)


def _fractions(values: Sequence[fmpq]) -> tuple[Fraction, ...]:
    return tuple(fraction(value) if value else _ZERO for value in values)


def _floats(row: Sequence[Fraction]) -> list[float]:
    """The row in floating point, divided by its largest entry if that is far from 1."""
    try:
        values = [n / d for n, d in (value.as_integer_ratio() for value in row)]
    except OverflowError:
        values = [inf]
    size = max(map(abs, values), default=1.0)
    if 1 / _COMFORTABLE <= size <= _COMFORTABLE or not any(row):
        return values
    largest = max(map(abs, row))
    return [float(value / largest) for value in row]
