"""Linear programs in floating point: HiGHS on small dense arrays, one solver object for many calls.

The quick half of `exact_lp`: what it says is a proposal, never a proof.
"""

from dataclasses import dataclass
from enum import Enum, unique
from typing import TYPE_CHECKING, Any, Final, final

import highspy
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

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


@unique
class LPStatus(Enum):
    """What is known of a linear program; the value is a phrase for people."""

    OPTIMAL = "solved"
    INFEASIBLE = "no point satisfies the constraints"
    UNBOUNDED = "the objective falls without bound"
    UNDECIDED = "the solver gave up"


@final
@dataclass(frozen=True, slots=True)
class FloatSolution:
    """What HiGHS says.

    Parameters
    ----------
    status
        Its verdict, unproved. All else means something only if it is OPTIMAL.
    x, value
        The point (n,) and its objective.
    dual_eq, dual_ub
        Multipliers of the equalities (free) and of the inequalities (>= 0):
        ``c - A_eq.T @ dual_eq + A_ub.T @ dual_ub >= 0``.
    basis
        The basic variables: j for column j, -1 - r for row r (equalities first).
    """

    status: LPStatus
    x: "Array"
    value: float
    dual_eq: "Array"
    dual_ub: "Array"
    basis: tuple[int, ...]


@final
class FloatSolver:
    """A HiGHS object that is reused from call to call; make one for each thread.

    Examples
    --------
    >>> solver = FloatSolver()
    >>> one = np.ones(1)
    >>> nothing = np.empty((0, 1))
    >>> float(solver.solve(-one, nothing, np.empty(0), np.ones((1, 1)), 2 * one).value)
    -2.0
    """

    def __init__(self) -> None:
        # highspy declares itself typed, but this constructor and the dense passModel are not.
        self._highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in _OPTIONS:
            self._highs.setOptionValue(name, value)

    def solve(self, c: "Array", A_eq: "Array", b_eq: "Array", A_ub: "Array", b_ub: "Array") -> FloatSolution:
        """Minimize c @ x subject to A_eq @ x = b_eq, A_ub @ x <= b_ub, x >= 0.

        Parameters
        ----------
        c
            Costs, shape (n,).
        A_eq, b_eq
            Equalities, shapes (k, n) and (k,); k may be 0.
        A_ub, b_ub
            Inequalities, shapes (l, n) and (l,); l may be 0.
        """
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
        status = _status(self._highs.getModelStatus())
        solution = self._highs.getSolution()
        x = np.array(solution.col_value, dtype=np.float64)
        duals = np.array(solution.row_dual, dtype=np.float64)
        return FloatSolution(
            status,
            x,
            float(c @ x),
            duals[:k],
            -duals[k:],
            _basis(self._highs.getBasis()),
        )


def solve_lp_float(
    c: "Array",
    A_eq: "Array",
    b_eq: "Array",
    A_ub: "Array",
    b_ub: "Array",
    solver: FloatSolver | None = None,
) -> FloatSolution:
    """Solve one program; hand over a `FloatSolver` when there are many to solve."""
    return (solver or FloatSolver()).solve(c, A_eq, b_eq, A_ub, b_ub)


def _basis(basis: Any) -> tuple[int, ...]:
    """The basic variables (HiGHS's own list of them crashes on a program whose matrix is zero)."""
    basic = highspy.HighsBasisStatus.kBasic
    columns = [j for j, status in enumerate(basis.col_status) if status == basic]
    return (*columns, *(-1 - r for r, status in enumerate(basis.row_status) if status == basic))


def _status(status: object) -> LPStatus:
    if status in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kModelEmpty):
        return LPStatus.OPTIMAL
    if status == highspy.HighsModelStatus.kInfeasible:
        return LPStatus.INFEASIBLE
    if status == highspy.HighsModelStatus.kUnbounded:
        return LPStatus.UNBOUNDED
    return LPStatus.UNDECIDED
