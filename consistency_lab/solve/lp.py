"""Linear programs: HiGHS proposes in floats, exact arithmetic decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Final, final

import highspy
import numpy as np
from flint import fmpq

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact import ONE, ZERO, Matrix, Vector
from consistency_lab.numbers.exact.linear import solve_both
from consistency_lab.numbers.exact.rational import fraction, quotient

if TYPE_CHECKING:
    from consistency_lab.numbers.arrays import Floats


# --- Floats: HiGHS on small dense arrays; what it says is a proposal, never a proof ----------------------

_OPTIONS: Final = (
    ("output_flag", False),
    ("presolve", "off"),
    ("solver", "simplex"),
    ("parallel", "off"),  # not "threads": HiGHS refuses to run if another caller has set another number
    ("primal_feasibility_tolerance", 1e-9),
    ("dual_feasibility_tolerance", 1e-9),
)
_ROWWISE: Final = 2
_MINIMIZE: Final = 1


@final
class _Quiet(highspy.Highs):
    """A solver that never speaks: the callbacks that its constructor sets print a banner on stdout."""

    def enableCallbacks(self) -> None:
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]


def new_highs() -> Any:
    """A quiet simplex solver whose answers depend neither on presolve nor on threads."""
    # highspy declares itself typed, but this constructor and the dense passModel are not.
    highs: Any = _Quiet()  # type: ignore[no-untyped-call]
    for name, value in _OPTIONS:
        highs.setOptionValue(name, value)
    return highs


@unique
class LPStatus(Enum):
    """The status of a linear program; the value is a phrase for people."""

    OPTIMAL = "solved"
    INFEASIBLE = "no point satisfies the constraints"
    UNBOUNDED = "the objective falls without bound"
    UNDECIDED = "the solver gave up"


@frozen
class FloatSolution:
    """The answer of HiGHS."""

    status: LPStatus  #: Its verdict, unproved. All else means something only if it is OPTIMAL.
    #: The point (n,) and its objective.
    x: "Floats"
    value: float
    #: Multipliers of the equalities (free) and of the inequalities (>= 0): ``c - A_eq.T @ dual_eq + A_ub.T @
    #: dual_ub >= 0``.
    dual_eq: "Floats"
    dual_ub: "Floats"
    basis: tuple[int, ...]  #: The basic variables: j for column j, -1 - r for row r (equalities first).


@final
class FloatSolver:
    """A HiGHS object that is reused from call to call; make one for each thread."""

    def __init__(self) -> None:
        self._highs = new_highs()

    def solve(
        self, c: "Floats", A_eq: "Floats", b_eq: "Floats", A_ub: "Floats", b_ub: "Floats"
    ) -> FloatSolution:
        """Minimize c @ x subject to A_eq @ x = b_eq, A_ub @ x <= b_ub, x >= 0; blocks may be empty."""
        n, k = len(c), len(b_eq)
        rows = np.vstack((A_eq, A_ub))
        upper = np.concatenate((b_eq, b_ub))
        lower = np.concatenate((b_eq, np.full(len(b_ub), -np.inf)))
        count = len(rows)
        self._highs.passModel(
            n,
            count,
            count * n,
            _ROWWISE,
            _MINIMIZE,
            0.0,
            c,
            np.zeros(n),
            np.full(n, np.inf),
            lower,
            upper,
            np.arange(count + 1, dtype=np.int32) * np.int32(n),
            np.tile(np.arange(n, dtype=np.int32), count),
            rows.ravel(),
            np.zeros(n, dtype=np.int32),
        )
        self._highs.run()
        solution = self._highs.getSolution()
        x = np.array(solution.col_value, dtype=np.float64)
        duals = np.array(solution.row_dual, dtype=np.float64)
        status = _STATUS.get(self._highs.getModelStatus(), LPStatus.UNDECIDED)
        basis = _basis(self._highs.getBasis())
        return FloatSolution(status, x, float(c @ x), duals[:k], -duals[k:], basis)


def _basis(basis: Any) -> tuple[int, ...]:
    """The basic variables (HiGHS's own list of them crashes on a program whose matrix is zero)."""
    basic = highspy.HighsBasisStatus.kBasic
    columns = [j for j, status in enumerate(basis.col_status) if status == basic]
    return (*columns, *(-1 - r for r, status in enumerate(basis.row_status) if status == basic))


_STATUS: Final = {
    highspy.HighsModelStatus.kOptimal: LPStatus.OPTIMAL,
    highspy.HighsModelStatus.kModelEmpty: LPStatus.OPTIMAL,
    highspy.HighsModelStatus.kInfeasible: LPStatus.INFEASIBLE,
    highspy.HighsModelStatus.kUnbounded: LPStatus.UNBOUNDED,
}


# --- Rationals: the simplex method for the rare program on which floats go astray ------------------------
# Bland's rule, so it ends; a dense tableau, so it is for small programs. `solve_lp` asks it for a basis only
# after HiGHS's basis has failed the exact check.


def optimal_basis(
    c: Sequence[Fraction],
    rows: Sequence[Sequence[Fraction]],
    right: Sequence[Fraction],
    equalities: int,
    pivots: int,
) -> list[int] | None:
    """An optimal basis of: minimize c @ x, rows @ x = right (first `equalities` rows) or <= right, x >= 0.

    There j is column j and -1 - r is row r. None after this many `pivots`, or if there is no solution.
    """
    n, count = len(c), len(rows)
    names = [*range(n), *(-1 - r for r in range(equalities, count)), *(-1 - r for r in range(count))]
    width = n + count - equalities
    tableau = []
    for r, (row, b) in enumerate(zip(rows, right, strict=True)):
        slack = [Fraction(r == s) for s in range(equalities, count)]
        sign = -1 if b < 0 else 1
        artificial = [Fraction(r == s) for s in range(count)]
        tableau.append([sign * a for a in (*row, *slack)] + artificial + [sign * b])
    basic = list(range(width, width + count))
    first = [Fraction(0)] * width + [Fraction(1)] * count
    left = _descend(tableau, basic, first, width + count, pivots)
    if left is None or any(tableau[r][-1] for r, column in enumerate(basic) if column >= width):
        return None
    for r, column in enumerate(basic):
        replacement = next((j for j in range(width) if tableau[r][j]), None)
        if column >= width and replacement is not None:
            _pivot(tableau, basic, r, replacement)
    second = [*c, *([Fraction(0)] * (width - n + count))]
    left = _descend(tableau, basic, second, width, left)
    return None if left is None else [names[column] for column in basic]


def _descend(
    tableau: list[list[Fraction]], basic: list[int], cost: list[Fraction], width: int, pivots: int
) -> int | None:
    """Pivot until no column below `width` has negative reduced cost; the pivots that are left, or None."""
    for left in range(pivots, 0, -1):
        used = [(cost[column], row) for column, row in zip(basic, tableau, strict=True) if cost[column]]
        candidates = (j for j in range(width) if j not in basic)
        entering = next((j for j in candidates if cost[j] < sum(price * row[j] for price, row in used)), None)
        if entering is None:
            return left
        ratios = [
            (row[-1] / row[entering], basic[r], r) for r, row in enumerate(tableau) if row[entering] > 0
        ]
        if not ratios:
            return None
        _pivot(tableau, basic, min(ratios)[2], entering)
    return None


def _pivot(tableau: list[list[Fraction]], basic: list[int], r: int, entering: int) -> None:
    lead = tableau[r][entering]
    tableau[r] = pivot = [value / lead for value in tableau[r]]
    for s, row in enumerate(tableau):
        factor = row[entering]
        if s != r and factor:
            tableau[s] = [value - factor * p if p else value for value, p in zip(row, pivot, strict=True)]
    basic[r] = entering


# --- HiGHS proposes a basis, exact arithmetic decides ----------------------------------------------------
# The basis is solved exactly, and what is returned has been checked exactly: feasibility of the point,
# feasibility of the multipliers and equality of the two values (so both are optimal); Farkas multipliers
# where there is no feasible point; a feasible point and a ray where the objective is unbounded.


_NOUGHT: Final = fmpq(0)
_PIVOTS: Final = 2_000
_WORK: Final = 500_000
"""Rational operations that the fallback may take, about: entries of the program times pivots."""

_COMFORTABLE: Final = 1 << 20
"""Rows whose largest entry is above this, or below its inverse, are scaled for the float solver."""


@frozen
class LPSolution:
    """A linear program's answer, exactly checked."""

    status: LPStatus  #: OPTIMAL, INFEASIBLE or UNBOUNDED, each proved by the fields below; or UNDECIDED.
    #: OPTIMAL: a vertex and its objective. UNBOUNDED: a feasible point and no value.
    x: tuple[Fraction, ...] = ()
    value: Fraction | None = None
    #: OPTIMAL: multipliers u and w >= 0 with ``c - A_eq.T u + A_ub.T w >= 0`` and value ``b_eq u - b_ub w``.
    #: INFEASIBLE: Farkas multipliers, u and w >= 0 with ``A_ub.T w - A_eq.T u >= 0`` and ``b_eq u - b_ub w >
    #: 0``.
    dual_eq: tuple[Fraction, ...] = ()
    dual_ub: tuple[Fraction, ...] = ()
    ray: tuple[Fraction, ...] = ()  #: UNBOUNDED: a direction r >= 0 with A_eq r = 0, A_ub r <= 0 and c r < 0.


def solve_lp(
    c: Vector,
    A_eq: Matrix = (),
    b_eq: Vector = (),
    A_ub: Matrix = (),
    b_ub: Vector = (),
    solver: FloatSolver | None = None,
) -> LPSolution:
    """Minimize c @ x subject to A_eq @ x = b_eq, A_ub @ x <= b_ub, x >= 0, in rationals."""
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
    rows: Matrix
    right: Vector
    equalities: int

    @staticmethod
    def of(c: Vector, A_eq: Matrix, b_eq: Vector, A_ub: Matrix, b_ub: Vector) -> "_Program":
        rows, right = [*A_eq, *A_ub], [*b_eq, *b_ub]
        if len(A_eq) != len(b_eq) or len(A_ub) != len(b_ub):
            raise InputError(
                f"the program has {len(A_eq)} and {len(A_ub)} rows but {len(b_eq)} and {len(b_ub)} right-hand"
                " sides; each row needs one"
            )
        for row in rows:
            if len(row) != len(c):
                raise InputError(f"a row has {len(row)} entries; expected {len(c)}, one per variable")
        return _Program(c, rows, right, len(A_eq))

    @cached_property
    def sparse(self) -> list[list[tuple[int, fmpq]]]:
        """The nonzero entries of each row, for FLINT."""
        return [[(j, quotient(value)) for j, value in enumerate(row) if value] for row in self.rows]

    @cached_property
    def limits(self) -> list[fmpq]:
        return list(map(quotient, self.right))

    @cached_property
    def costs(self) -> list[fmpq]:
        return list(map(quotient, self.c))

    def proposal(self, solver: FloatSolver) -> FloatSolution:
        """The answer of HiGHS to the program, its rows scaled to moderate size."""
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
        dual_ub = tuple(-u for u in multipliers[k:])
        return LPSolution(LPStatus.OPTIMAL, _fractions(x), fraction(value), multipliers[:k], dual_ub)

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
            short = [ONE if r == s else ZERO for s in range(k)]
            long = [-ONE if r == s else ZERO for s in range(count)]
            rows.append([*row, *short, *long])
        return _Program([ZERO] * n + [ONE] * (k + count), rows, self.right, k)

    def farkas(self, dual_eq: Vector, dual_ub: Vector) -> LPSolution:
        """INFEASIBLE, after an exact check of the multipliers."""
        y = [quotient(u) for u in (*dual_eq, *(-w for w in dual_ub))]
        if not self.is_dual_feasible([_NOUGHT] * len(self.c), y) or _dot(self.limits, y) <= 0:
            return LPSolution(LPStatus.UNDECIDED)
        return LPSolution(LPStatus.INFEASIBLE, dual_eq=tuple(dual_eq), dual_ub=tuple(dual_ub))

    def recession(self) -> "_Program":
        """The steepest direction of recession, of total length at most 1."""
        rows = [*self.rows, [ONE] * len(self.c)]
        return _Program(self.c, rows, [ZERO] * len(self.rows) + [ONE], self.equalities)


def _dot(left: Sequence[fmpq], right: Sequence[fmpq]) -> fmpq:
    return sum((a * b for a, b in zip(left, right, strict=True) if a and b), _NOUGHT)


def _fractions(values: Sequence[fmpq]) -> tuple[Fraction, ...]:
    return tuple(fraction(value) if value else ZERO for value in values)


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
