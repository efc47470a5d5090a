r"""How far scores of a given regret are from the net preferences: exact convex quadratic programs.

With N_i = sum_j d_ij, the quantity is

    D = inf { |beta - N(d)|^2 : d in the condition, the order of beta has regret 1 at d }.

Over one case (`cases`) this is a convex quadratic program: d in a polyhedral cone, sum of the wrong d_ij
equal to 1 (more regret only costs more, by scaling), beta in the closed cone of an order. Floats propose
u = beta - N. Then exact arithmetic decides, whatever u is:

- Lower bound. If the partial sums of u along the order are at least 0, and the total is 0, then
  <u, beta> >= 0 for all beta of that order; with g = min <u, -N(d)>, a linear program in d, Cauchy and
  Schwarz give |beta - N(d)| >= <u, beta - N(d)> / |u| >= g / |u| if g > 0.
- Upper bound. If some d of the case has N(d) + u in the order, which is another linear program, then
  |beta - N(d)|^2 = |u|^2 there.

At the optimum of the program both are |u|^2, and u is rational, since it solves linear equations with
rational coefficients. Both linear programs are solved exactly, with multipliers that are checked.

Cases that differ by the names of the items have the same least distance; so have a case and its mirror image,
all edges and all scores turned around: no condition tells d from -d, and N(-d) = -N(d). One of each such
class is settled for all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final, final

import numpy as np

from consistency_lab.extras import need
from consistency_lab.measure.calibration.cases import Case, cases
from consistency_lab.search.effort import EXACT, Effort
from consistency_lab.solve.exact_lp import FloatSolver, LPSolution, LPStatus, solve_lp

if TYPE_CHECKING:
    from numpy.typing import NDArray

Vector = tuple[Fraction, ...]

_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)
_DENOMINATORS: Final = (24, 500, 10_000, 10**7)
"""The float proposal is read as rationals with denominators up to these, the simplest first."""


@final
@dataclass(frozen=True, slots=True)
class Nearest:
    """Differences and scores at which a distance is attained.

    Parameters
    ----------
    case
        Shape and order.
    d
        The differences on the pairs of the shape, of least total weight; the regret is 1.
    u
        beta - N(d).
    """

    case: Case
    d: Vector
    u: Vector

    @property
    def squared(self) -> Fraction:
        """|u|^2."""
        return _dot(self.u, self.u)

    @property
    def beta(self) -> Vector:
        """The scores N(d) + u, in the order of the case or tied."""
        return tuple(_dot(row, self.d) + x for row, x in zip(self.case.shape.nets, self.u, strict=True))


@final
@dataclass(frozen=True, slots=True)
class Distance:
    """Proved bounds on D.

    Parameters
    ----------
    lower
        A lower bound: it holds in every case.
    nearest
        Where the upper bound, its `squared`, is attained; None if no point was found.
    cases
        How many cases there were.
    """

    lower: Fraction
    nearest: Nearest | None
    cases: int

    @property
    def exact(self) -> bool:
        """Whether the bounds agree."""
        return self.nearest is not None and self.nearest.squared == self.lower


def least_distance(condition: str, m: int, effort: Effort) -> Distance:
    """The least D over all cases of a condition, proved.

    When the budget ends before the last case, or the user interrupts, the lower bound is 0.

    Raises
    ------
    UnsupportedError
        If the condition has too many shapes for so many items.

    Examples
    --------
    >>> least_distance("low-noise", 3, Effort()).lower
    Fraction(9, 8)
    """
    solver = FloatSolver()
    lower: Fraction | None = None
    best: Nearest | None = None
    count = 0
    try:
        for case, alike in _hardest_first(condition, m):
            if effort.expired:
                return Distance(_ZERO, best, count)
            count += alike
            effort.say(f"calibration, {condition}, {m} items, case {count}")
            bound, found = _settled(case, best, solver)
            effort.count(programs=1, each=EXACT)
            lower = bound if lower is None else min(lower, bound)
            if found is not None and (best is None or found.squared < best.squared):
                best = found
            if best is not None and best.squared == 0:
                return Distance(_ZERO, best, count)
    except KeyboardInterrupt:
        effort.interrupted = True
        return Distance(_ZERO, best, count)
    return Distance(lower or _ZERO, best, count)


def _hardest_first(condition: str, m: int) -> Iterator[tuple[Case, int]]:
    """One case of each class, and how many there are in it.

    The reversed order on the chain comes first and gives a good upper bound at once.
    """
    alike: dict[frozenset[tuple[int, int]], int] = {}
    first: dict[frozenset[tuple[int, int]], Case] = {}
    for case in sorted(cases(condition, m), key=lambda case: sum(case.wrong), reverse=True):
        key = _class(case)
        first.setdefault(key, case)
        alike[key] = alike.get(key, 0) + 1
    yield from ((case, alike[key]) for key, case in first.items())


def _class(case: Case) -> frozenset[tuple[int, int]]:
    """The edges by the places of their ends in the order; of a case and its mirror image the lesser."""
    last, place = case.shape.m - 1, {item: k for k, item in enumerate(case.order)}
    edges = frozenset((place[i], place[j]) for i, j in case.shape.pairs)
    return min(edges, frozenset((last - j, last - i) for i, j in edges), key=sorted)


def _settled(case: Case, best: Nearest | None, solver: FloatSolver) -> tuple[Fraction, Nearest | None]:
    """A lower bound of the case, and a point that improves on `best`, if there is one.

    It stops at a lower bound as large as the best distance so far: such a case is not the least.
    """
    at_zero = _point(case, (_ZERO,) * case.shape.m, solver)
    if at_zero is not None:
        return _ZERO, at_zero
    proposal = _proposal(case)
    bound, found = _ZERO, None
    for u in _recognized(case, proposal):
        bound = max(bound, _lower(case, u, solver))
        if best is not None and bound >= best.squared:
            break
        if found is None or _dot(u, u) < found.squared:
            found = _point(case, u, solver) or found
        if found is not None and found.squared == bound:
            break
    return bound, found


def _recognized(case: Case, proposal: "NDArray[np.float64]") -> Iterator[Vector]:
    """Rational vectors near a proposal whose partial sums along the order are at least 0, their total 0."""
    sums = np.cumsum(proposal[list(case.order)])[:-1]
    for largest in _DENOMINATORS:
        rounded = [max(Fraction(float(x)).limit_denominator(largest), _ZERO) for x in sums]
        u = [_ZERO] * case.shape.m
        for item, (before, after) in zip(case.order, pairwise([_ZERO, *rounded, _ZERO]), strict=True):
            u[item] = after - before
        if any(u):
            yield tuple(u)


def _lower(case: Case, u: Vector, solver: FloatSolver) -> Fraction:
    """The proved lower bound that u gives, 0 if none."""
    costs = [-_dot(column, u) for column in zip(*case.shape.nets, strict=True)]
    solution = _program(case, costs, (), (), solver)
    if solution.status is not LPStatus.OPTIMAL or solution.value is None or solution.value <= 0:
        return _ZERO
    return solution.value**2 / _dot(u, u)


def _point(case: Case, u: Vector, solver: FloatSolver) -> Nearest | None:
    """Differences of the case with N(d) + u in its order, of least total weight."""
    nets = case.shape.nets
    rows = [[y - x for x, y in zip(nets[i], nets[k], strict=True)] for i, k in pairwise(case.order)]
    right = [u[i] - u[k] for i, k in pairwise(case.order)]
    solution = _program(case, [_ONE] * len(case.shape.pairs), rows, right, solver)
    return Nearest(case, solution.x, u) if solution.status is LPStatus.OPTIMAL else None


def _program(
    case: Case,
    costs: Sequence[Fraction],
    rows: Sequence[Sequence[Fraction]],
    right: Sequence[Fraction],
    solver: FloatSolver,
) -> LPSolution:
    """Minimize over the differences of the case at which the regret is 1."""
    shape = case.shape
    return solve_lp(
        costs,
        [*shape.equal, case.wrong],
        [_ZERO] * len(shape.equal) + [_ONE],
        [*([-x for x in row] for row in shape.above), *rows],
        [_ZERO] * len(shape.above) + [*right],
        solver,
    )


def _proposal(case: Case) -> "NDArray[np.float64]":
    """u = beta - N(d) at the optimum of the quadratic program, in floats."""
    need("clarabel", "the calibration function of this surrogate")
    import clarabel
    from scipy import sparse

    shape, m = case.shape, case.shape.m
    place = np.argsort(case.order)
    # The scores are sums of multiples >= 0 of "the first t items of the order", made to add up to 0.
    steps = np.array([(place < t) - t / m for t in range(1, m)]).T
    equal = np.array([*shape.equal, case.wrong], dtype=float)
    above = np.array(shape.above, dtype=float)
    to_u = np.hstack([-np.array(shape.nets, dtype=float), steps])
    rows = np.vstack(
        [
            np.hstack([equal, np.zeros((len(equal), m - 1))]),
            np.hstack([-above, np.zeros((len(above), m - 1))]),
            np.hstack([np.zeros((m - 1, len(shape.pairs))), -np.eye(m - 1)]),
        ]
    )
    right = np.zeros(len(rows))
    right[len(equal) - 1] = 1.0
    cones = [clarabel.ZeroConeT(len(equal)), clarabel.NonnegativeConeT(len(rows) - len(equal))]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    quadratic = sparse.csc_matrix(np.triu(to_u.T @ to_u))
    costs = np.zeros(to_u.shape[1])
    solver = clarabel.DefaultSolver(quadratic, costs, sparse.csc_matrix(rows), right, cones, settings)
    return np.asarray(to_u @ np.array(solver.solve().x))


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(left, right, strict=True) if x and y), _ZERO)
