"""Calibration functions that are known (DMJ10 Eq. 3): H(eps) = c eps^k, exactly or with bounds on c."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from typing import TYPE_CHECKING, Final

import numpy as np

from consistency_lab.apps.measure.cones import pieces
from consistency_lab.apps.measure.worst_bounds import OrderedPiece
from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.difference import MONOTONE_DIFFERENCE
from consistency_lab.errors import InputError, UnsupportedError, need
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, implies
from consistency_lab.model.conditions import condition as known_condition
from consistency_lab.model.limits import towards
from consistency_lab.model.surrogates import (
    DifferenceSurrogate,
    EdgeSurrogate,
    LinearSurrogate,
    RegressionSurrogate,
    Surrogate,
)
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.balls import ORIGIN, Real, at_most, below, minus, plus, times
from consistency_lab.numbers.balls import ball as enclosed
from consistency_lab.numbers.balls import rational as known
from consistency_lab.numbers.exact import (
    ONE,
    ZERO,
    Ball,
    LogRational,
    Matrix,
    Vector,
    certainly_less,
    working_precision,
)
from consistency_lab.numbers.phi import (
    Expression,
    PiecewisePolynomial,
    X,
    convexity_proof,
    enclose_value,
    exact_value,
    facts,
    is_differentiable,
)
from consistency_lab.numbers.values import jet
from consistency_lab.search.effort import EXACT, Effort
from consistency_lab.search.effort import LARGEST as MOST_ITEMS
from consistency_lab.solve.lp import FloatSolver, LPSolution, LPStatus, solve_lp

if TYPE_CHECKING:
    from numpy.typing import NDArray


# --- The cases of a calibration function: a shape of the difference graph and an order of the scores -----
# See docs/theory.md, Calibration functions.


def cases(condition: str, m: int) -> Iterator[OrderedPiece]:
    """All shapes with all orders that have some pair wrong; for "any", those of acyclic differences."""
    name = condition if implies(condition, "acyclic") else "acyclic"
    for piece in sorted(pieces(name, m, differences=True), key=lambda piece: len(piece.pairs)):
        for order in permutations(range(m)):
            if piece.regret(order):
                yield OrderedPiece(piece, order)


# --- What is known of a calibration function, exactly or between bounds ----------------------------------
# DMJ10 Eq. 3 takes the infimum over distributions p on graphs whose weights are given, so regret is in the
# units of the weights, and these are free. Here the graphs have any weights, and a law H(eps) = c eps^k is
# stated for all eps >= 0 with regret in these units. If the total weight sum_ij a_ij is 1 at most, as it is
# where regret is a share of all preferences, then there are fewer distributions: H(eps) >= c eps^k still, and
# equality is proved up to the `reach` of the law.

Constant = Fraction | LogRational


@frozen
class Attained:
    """Where a law holds with equality, or where it is approached."""

    d: Matrix  #: The differences, in units of the regret: the regret is 1.
    #: Scores with this regret whose excess surrogate risk is c, exactly or in the limit; None where some of
    #: them tend to infinity.
    scores: Vector | None
    order: tuple[int, ...]  #: The order to which they are assigned, best item first.
    approached: str = ""  #: Why it is a limit, one clause; "" if it is attained.

    @property
    def reach(self) -> Fraction:
        """The largest regret at which such a distribution has total weight 1 or less."""
        return 1 / sum((max(x, Fraction(0)) for row in self.d for x in row), Fraction(0))


@frozen
class PowerLaw:
    """H(eps) = c eps^degree for all eps, the total weight being free."""

    degree: int  #: 1 or 2.
    #: Proved bounds on c, lower <= c <= upper; None where there is none above.
    lower: Fraction
    upper: Fraction | None
    c: Constant | None  #: The constant itself, if it is known exactly.
    attained: Attained | None  #: Where c, or `upper`, comes from.
    cases: int = 0  #: How many convex programs `lower` rests on; 0 for a proof on paper.


@frozen
class Calibration:
    """A calibration function H_m (DMJ10 Eq. 3) under a condition."""

    #: The question.
    surrogate: Surrogate
    condition: str
    m: int
    kind: str  #: "exact", "closed form", "bracket" or "none".
    law: PowerLaw | None = None  #: H(eps) = c eps^k; None if no such law is known.
    note: str = ""  #: What else matters, in sentences.


# --- How far scores of a given regret are from the net preferences: exact convex quadratic programs ------
# How D = inf |beta - N(d)|^2 at regret 1 is bounded: docs/theory.md, Calibration functions. Cases that
# differ by the names of the items have the same least distance; so have a case and its mirror image, all
# edges and all scores turned around: no condition tells d from -d, and N(-d) = -N(d). One of each such class
# is settled for all of them.


_DENOMINATORS: Final = (24, 500, 10_000, 10**7)
"""The float proposal is rounded to rationals with denominators up to these, the simplest first."""


@frozen
class Nearest:
    """Differences and scores at which a distance is attained."""

    case: OrderedPiece  #: Shape and order.
    d: Vector  #: The differences on the pairs of the shape, of least total weight; the regret is 1.
    u: Vector  #: beta - N(d).

    @property
    def squared(self) -> Fraction:
        """|u|^2."""
        return _dot(self.u, self.u)

    @property
    def beta(self) -> Vector:
        """The scores N(d) + u, in the order of the case or tied."""
        return tuple(_dot(row, self.d) + x for row, x in zip(self.case.piece.nets, self.u, strict=True))


@frozen
class Distance:
    """Proved bounds on D."""

    lower: Fraction  #: A lower bound: it holds in every case.
    nearest: Nearest | None  #: Where the upper bound, its `squared`, is attained; None if no point was found.
    cases: int  #: How many cases there were.

    @property
    def exact(self) -> bool:
        """Whether the bounds agree."""
        return self.nearest is not None and self.nearest.squared == self.lower


def least_distance(condition: str, m: int, effort: Effort) -> Distance:
    """The least D over all cases of a condition, proved.

    When the budget ends before the last case, or the user interrupts, the lower bound is 0.
    """
    solver = FloatSolver()
    lower: Fraction | None = None
    best: Nearest | None = None
    count = 0
    try:
        for case, alike in _hardest_first(condition, m):
            if effort.expired:
                return Distance(ZERO, best, count)
            count += alike
            effort.say(f"calibration, {condition}, {m} items, case {count}")
            bound, point = _settled(case, best, solver)
            effort.count(programs=1, each=EXACT)
            lower = bound if lower is None else min(lower, bound)
            if point is not None and (best is None or point.squared < best.squared):
                best = point
            if best is not None and best.squared == 0:
                return Distance(ZERO, best, count)
    except KeyboardInterrupt:
        effort.interrupted = True
        return Distance(ZERO, best, count)
    return Distance(lower or ZERO, best, count)


def _hardest_first(condition: str, m: int) -> Iterator[tuple[OrderedPiece, int]]:
    """One case of each class, and how many there are in it."""
    alike: dict[frozenset[tuple[int, int]], int] = {}
    first: dict[frozenset[tuple[int, int]], OrderedPiece] = {}
    for case in sorted(cases(condition, m), key=lambda case: -sum(case.wrong)):
        key = _class(case)
        first.setdefault(key, case)
        alike[key] = alike.get(key, 0) + 1
    yield from ((case, alike[key]) for key, case in first.items())


def _class(case: OrderedPiece) -> frozenset[tuple[int, int]]:
    """The edges by the places of their ends in the order; of a case and its mirror image the lesser."""
    last, place = case.piece.m - 1, {item: k for k, item in enumerate(case.order)}
    edges = frozenset((place[i], place[j]) for i, j in case.piece.pairs)
    return min(edges, frozenset((last - j, last - i) for i, j in edges), key=sorted)


def _settled(
    case: OrderedPiece, best: Nearest | None, solver: FloatSolver
) -> tuple[Fraction, Nearest | None]:
    """A lower bound of the case, and a point that improves on `best`, if there is one."""
    at_zero = _point(case, (ZERO,) * case.piece.m, solver)
    if at_zero is not None:
        return ZERO, at_zero
    proposal = _proposal(case)
    bound, point = ZERO, None
    for u in _recognized(case, proposal):
        bound = max(bound, _lower(case, u, solver))
        if best is not None and bound >= best.squared:
            break
        if point is None or _dot(u, u) < point.squared:
            point = _point(case, u, solver) or point
        if point is not None and point.squared == bound:
            break
    return bound, point


def _recognized(case: OrderedPiece, proposal: "NDArray[np.float64]") -> Iterator[Vector]:
    """Rational vectors near a proposal whose partial sums along the order are at least 0, their total 0."""
    sums = np.cumsum(proposal[list(case.order)])[:-1]
    for largest in _DENOMINATORS:
        rounded = [max(Fraction(float(x)).limit_denominator(largest), ZERO) for x in sums]
        u = [ZERO] * case.piece.m
        for item, (before, after) in zip(case.order, pairwise([ZERO, *rounded, ZERO]), strict=True):
            u[item] = after - before
        if any(u):
            yield tuple(u)


def _lower(case: OrderedPiece, u: Vector, solver: FloatSolver) -> Fraction:
    """The proved lower bound that u gives, 0 if none."""
    costs = [-_dot(column, u) for column in zip(*case.piece.nets, strict=True)]
    solution = _program(case, costs, (), (), solver)
    if solution.status is not LPStatus.OPTIMAL or solution.value is None or solution.value <= 0:
        return ZERO
    return solution.value**2 / _dot(u, u)


def _point(case: OrderedPiece, u: Vector, solver: FloatSolver) -> Nearest | None:
    """Differences of the case with N(d) + u in its order, of least total weight."""
    nets = case.piece.nets
    rows = [[Fraction(y - x) for x, y in zip(nets[i], nets[k], strict=True)] for i, k in pairwise(case.order)]
    right = [u[i] - u[k] for i, k in pairwise(case.order)]
    solution = _program(case, [ONE] * len(case.piece.pairs), rows, right, solver)
    return Nearest(case, solution.x, u) if solution.status is LPStatus.OPTIMAL else None


def _program(
    case: OrderedPiece,
    costs: Sequence[Fraction],
    rows: Sequence[Sequence[Fraction]],
    right: Sequence[Fraction],
    solver: FloatSolver,
) -> LPSolution:
    """Minimize over the differences of the case at which the regret is 1."""
    piece = case.piece
    return solve_lp(
        costs,
        [*map(piece.on_pairs, piece.equal), case.wrong],
        [ZERO] * len(piece.equal) + [ONE],
        [*([-x for x in piece.on_pairs(form)] for form in piece.least), *rows],
        [ZERO] * len(piece.least) + [*right],
        solver,
    )


def _proposal(case: OrderedPiece) -> "NDArray[np.float64]":
    """u = beta - N(d) at the optimum of the quadratic program, in floats."""
    need("clarabel", "the calibration function of this surrogate")
    import clarabel
    from scipy import sparse

    piece, m = case.piece, case.piece.m
    place = np.argsort(case.order)
    # The scores are sums of multiples >= 0 of "the first t items of the order", made to add up to 0.
    steps = np.array([(place < t) - t / m for t in range(1, m)]).T
    size = len(piece.pairs)
    equal = np.array([*map(piece.on_pairs, piece.equal), case.wrong], dtype=float)
    least = np.array([*map(piece.on_pairs, piece.least)], dtype=float).reshape(-1, size)
    above = np.vstack([np.eye(size), least])
    to_u = np.hstack([-np.array(piece.nets, dtype=float), steps])
    rows = np.vstack(
        [
            np.hstack([equal, np.zeros((len(equal), m - 1))]),
            np.hstack([-above, np.zeros((len(above), m - 1))]),
            np.hstack([np.zeros((m - 1, size)), -np.eye(m - 1)]),
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


def _dot(left: Sequence[Fraction | int], right: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(left, right, strict=True) if x and y), ZERO)


# --- Surrogates whose excess risk is a squared distance: H(eps) = c eps^2 --------------------------------
# The excess is a multiple of |beta - N|^2: docs/theory.md, Calibration functions.

PROGRAMS_UP_TO: Final = 5
"""For more items there are too many posets and orders."""

_BOUNDARY: Final = "the condition holds nearby, but not at this limit, where two net preferences are equal"
_NOT_UNIFORM: Final = (
    "The surrogate is right at each distribution of the condition, but not uniformly: near this limit the "
    "regret is 1 at an arbitrarily small excess surrogate risk, so no function of the excess bounds it."
)
_WRONG: Final = "The minimizer itself has this regret under the tie rule: the surrogate is not consistent."


def is_quadratic(surrogate: Surrogate) -> bool:
    """Whether the excess risk is a multiple of a squared distance."""
    return type(surrogate) is RegressionSurrogate or _parabola(surrogate) is not None


def quadratic_calibration(surrogate: Surrogate, condition: str, m: int, effort: Effort) -> Calibration:
    """H for a surrogate that `is_quadratic`."""
    if m == 2 or condition == "additive":
        return _law(surrogate, condition, m, distance := additive_distance(m), distance, _equal_steps(m))
    if not implies(condition, "low-noise"):
        consistent = implies(condition, "net-order")
        point = _tied_nets(m, _BOUNDARY if consistent else "")
        return _law(surrogate, condition, m, ZERO, ZERO, point, _NOT_UNIFORM if consistent else _WRONG)
    lower, upper = Fraction(12, m * (m * m - 1)), additive_distance(m)
    if m > PROGRAMS_UP_TO:
        note = (
            f"The quadratic programs are solved for at most {PROGRAMS_UP_TO} items; these bounds are proved."
        )
        return _law(surrogate, condition, m, lower, upper, _equal_steps(m), note)
    nearest = least_distance(condition, m, effort)
    if nearest.nearest is None or not nearest.exact:
        note = f"Not all quadratic programs were settled ({nearest.cases} tried); these bounds are proved."
        return _law(surrogate, condition, m, max(lower, nearest.lower), upper, _equal_steps(m), note)
    point = _from_program(nearest.nearest)
    return _law(surrogate, condition, m, nearest.lower, nearest.lower, point, cases=nearest.cases)


def additive_distance(m: int) -> Fraction:
    """D = 3m/(m^2 - 1) for additive differences."""
    return Fraction(3 * m, m * m - 1)


def _law(
    surrogate: Surrogate,
    condition: str,
    m: int,
    lower: Fraction,
    upper: Fraction,
    point: Attained,
    note: str = "",
    cases: int = 0,
) -> Calibration:
    """The law for a proved lower <= D <= upper; the scores of the point are still beta."""
    curvature, slope, nu = _parabola(surrogate) or (Fraction(1, 2), ZERO, Fraction(1))
    factor = Fraction(1) if type(surrogate) is RegressionSurrogate else 1 / (4 * curvature * nu)
    assert point.scores is not None
    scores = tuple((beta / nu - slope) / (2 * curvature) for beta in point.scores)
    at = Attained(point.d, scores, point.order, point.approached)
    c = factor * lower if lower == upper else None
    kind = "bracket" if c is None else "exact" if cases else "closed form"
    law = PowerLaw(2, factor * lower, factor * upper, c, at, cases)
    return Calibration(surrogate, condition, m, kind, law, note=note)


def _parabola(surrogate: Surrogate) -> tuple[Fraction, Fraction, Fraction] | None:
    """q, b and nu, if r(x) = q x^2 + b x + const with q > 0."""
    form = PiecewisePolynomial.of(surrogate.r) if type(surrogate) is LinearSurrogate else None
    if form is None or len(form.pieces) != 1 or len(form.pieces[0]) != 3:
        return None
    _, slope, curvature = form.pieces[0]
    assert type(surrogate) is LinearSurrogate
    return (curvature, slope, surrogate.nu) if curvature > 0 else None


def _equal_steps(m: int) -> Attained:
    """d_ij = (j - i) t with sum over pairs 1, and all scores tied."""
    step = Fraction(6, m * (m * m - 1))
    d = tuple(tuple((j - i) * step for j in range(m)) for i in range(m))
    return Attained(d, (ZERO,) * m, tuple(reversed(range(m))))


def _tied_nets(m: int, approached: str) -> Attained:
    """d_12 = 2, d_23 = 1: the scores N = (2, -1, -1, 0, ...) tie 2 and 3."""
    d = [[ZERO] * m for _ in range(m)]
    for i, k, weight in ((0, 1, 2), (1, 2, 1)):
        d[i][k], d[k][i] = Fraction(weight), Fraction(-weight)
    scores = tuple(sum(row, ZERO) for row in d)
    return Attained(tuple(map(tuple, d)), scores, (0, *range(3, m), 2, 1), approached)


def _from_program(nearest: Nearest) -> Attained:
    m = nearest.case.piece.m
    d = [[ZERO] * m for _ in range(m)]
    for (i, k), value in zip(nearest.case.piece.pairs, nearest.d, strict=True):
        d[i][k], d[k][i] = value, -value
    return Attained(tuple(map(tuple, d)), nearest.beta, nearest.case.order)


# --- Losses on the difference graph: H(eps) = (phi(0) - inf phi) eps -------------------------------------
# See docs/theory.md, Calibration functions.

_FAR: Final = LogRational(Fraction(64))
_BITS: Final = 256
_DIGITS: Final = 9
_LIMIT: Final = "the other scores fall to minus infinity, so that phi tends to its infimum on their edges"


def has_linear_law(surrogate: Surrogate, condition: str, m: int) -> bool:
    """Whether the hypotheses of the closed form are proved."""
    if type(surrogate) is not DifferenceSurrogate or not (m == 2 or implies(condition, "acyclic")):
        return False
    return isinstance(MONOTONE_DIFFERENCE.applies(surrogate, "acyclic"), Evidence)


def linear_calibration(surrogate: Surrogate, condition: str, m: int) -> Calibration:
    """H for a surrogate that `has_linear_law`."""
    law = drop(surrogate.functions[0])
    others = range(2, m) if condition == "additive" else range(0)
    below = {1, *others}
    d = tuple(
        tuple(Fraction((i == 0 and k in below) - (k == 0 and i in below)) for k in range(m)) for i in range(m)
    )
    at = Attained(d, None, (1, 0, *range(2, m)), _LIMIT)
    kind = "bracket" if law.c is None else "closed form"
    return Calibration(surrogate, condition, m, kind, PowerLaw(1, law.lower, law.upper, law.c, at))


def drop(phi: Expression) -> PowerLaw:
    """phi(0) - inf phi of a nonincreasing, bounded function: the constant, and rational bounds."""
    start, least = exact_value(phi, ORIGIN), _infimum(phi)
    c = None if start is None or least is None else start - LogRational(least)
    with working_precision(_BITS):
        at_zero = enclose_value(phi, ORIGIN)
        lower = _rounded(at_zero - enclose_value(phi, _FAR), down=True)
        bound = least if least is not None else facts(phi).lower
        upper = None if bound is None else _rounded(at_zero - LogRational(bound).ball(), down=False)
    exact = None if c is None else c.as_rational()
    if exact is not None:
        return PowerLaw(1, exact, exact, exact, None)
    return PowerLaw(1, max(lower, Fraction(0)), upper, c, None)


def _infimum(phi: Expression) -> Fraction | None:
    """inf phi = lim phi(x) as x grows, where a lower bound that is proved is also the limit."""
    form = PiecewisePolynomial.of(phi)
    if form is not None:
        return form.infimum()
    proved, limit = facts(phi).lower, towards(phi, 1).value
    if proved is None or limit is None or not limit.finite:
        return None
    return proved if limit.text == str(proved) else None


def _rounded(value: Ball, *, down: bool) -> Fraction:
    """A decimal on the outer side of a ball."""
    scale = 10**_DIGITS
    guess = Fraction(round(float(value.mid()) * scale), scale)
    while not certainly_less(
        LogRational(guess).ball() if down else value, value if down else LogRational(guess).ball()
    ):
        guess += Fraction(-1 if down else 1, scale)
    return guess


# --- One pair of items whose scores differ by at most b (the book's page bounded_scores) -----------------

REGRETS: Final = tuple(Fraction(k, 10) for k in range(1, 11))
_HALVINGS: Final = 100


@frozen
class BoundedCalibration:
    """H_b(eps) = phi(0) - min over |t| <= b of ((1 + eps) phi(t) + (1 - eps) phi(-t)) / 2, of one pair."""

    surrogate: Surrogate
    b: Fraction
    slope: Fraction  #: A bound on |phi'(0)|: H_b(eps) is at most this times b eps.
    rows: tuple[tuple[Fraction, Fraction, Fraction], ...]  #: eps, and proved bounds on H_b(eps).


def bounded_calibration(surrogate: Surrogate | str, b: Fraction) -> BoundedCalibration:
    """H_b of an edge loss, where a pair of scores differs by at most b and the total weight is 1.

    UnsupportedError unless h(a) = a, phi is proved convex, and differentiable at 0 with a negative slope.

    Examples
    --------
    >>> [str(lower) for _, lower, upper in bounded_calibration("hinge", Fraction(1, 2)).rows[:3]]
    ['1/20', '1/10', '3/20']
    """
    surrogate = as_surrogate(surrogate)
    if b <= 0:
        raise InputError(f"--class bounded:{b} must have a bound above 0")
    if type(surrogate) is not EdgeSurrogate or surrogate.h != X:
        raise UnsupportedError(
            f"{surrogate.name} is no edge loss with h(a) = a, of which bounded classes are known"
        )
    phi = surrogate.phi
    if convexity_proof(phi) is None or not is_differentiable(phi, ORIGIN):
        raise UnsupportedError(f"{surrogate.name}: phi is not known to be convex and differentiable at 0")
    with working_precision(_BITS):
        slope = jet(phi, ORIGIN)[1]
        if not below(slope, ORIGIN):
            raise UnsupportedError(f"{surrogate.name}: phi does not fall at 0")
        rows = tuple((eps, *_bounded(phi, eps, b)) for eps in REGRETS)
        steepest = _outward(-slope, down=False)
    return BoundedCalibration(surrogate, b, steepest, rows)


def _bounded(phi: Expression, eps: Fraction, b: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds on H_b(eps): C(t) is convex and falls at 0, so its zero of the slope is enclosed in [0, b]."""

    def mean(x: Real, y: Real) -> Real:
        return plus(times(LogRational((1 + eps) / 2), x), times(LogRational((1 - eps) / 2), y))

    def at(t: Fraction) -> tuple[Real, Real, Real]:
        above, left, right = jet(phi, LogRational(t))
        under, mirrored_left, mirrored_right = jet(phi, LogRational(-t))
        return mean(above, under), mean(left, -mirrored_right), mean(right, -mirrored_left)

    start, form = at(ZERO)[0], PiecewisePolynomial.of(phi)
    kinks = sorted({abs(x) for x in form.breakpoints if 0 < abs(x) < b} if form else ())
    low, high, halvings = ZERO, b, 0
    candidates = iter((*kinks, b))
    while halvings < _HALVINGS:
        t = next(candidates, None)
        if t is None:
            t, halvings = (low + high) / 2, halvings + 1
        elif not low < t <= high:
            continue
        value, left, right = at(t)
        if at_most(left, ORIGIN) and (t == b or at_most(ORIGIN, right)):
            return _outward(minus(start, value), down=True), _outward(minus(start, value), down=False)
        if below(right, ORIGIN):
            low = t
        elif below(ORIGIN, left):
            high = t
        else:  # the slope is 0 as far as balls tell
            break
    value, _, right = at(low)
    slack = times(right, LogRational(low - high))
    best = minus(start, value)
    return _rounded(enclosed(best), down=True), _rounded(enclosed(plus(best, slack)), down=False)


def _outward(value: Real, *, down: bool) -> Fraction:
    exact = known(value)
    return _rounded(enclosed(value), down=down) if exact is None else exact


# --- One question, two laws: a squared distance, or a drop of phi ----------------------------------------

_UNKNOWN: Final = (
    "One is known for linear losses with a quadratic r, for regression, and for nonincreasing losses of the "
    "difference graph under conditions without cycles. For every loss H is 0 below the worst case, which "
    "measure --worst brackets."
)


def calibration(
    surrogate: Surrogate | str, condition: str, m: int, *, effort: Effort | None = None
) -> Calibration:
    """The calibration function H_m of a surrogate under a condition (DMJ10 Eq. 3), if a law is known.

    As for every infimum, the condition stands for its closure.
    """
    surrogate = as_surrogate(surrogate)
    name = known_condition(condition).name
    if not 2 <= m <= MOST_ITEMS:
        raise InputError(f"there are {m} items; calibration functions are computed for 2 to {MOST_ITEMS}")
    if not CONDITIONS[name].of_differences:
        raise UnsupportedError(
            "calibration functions are computed only for conditions on the differences a_ij - a_ji; "
            f"{name} depends on more"
        )
    if is_quadratic(surrogate):
        return quadratic_calibration(surrogate, name, m, effort or Effort())
    if has_linear_law(surrogate, name, m):
        return linear_calibration(surrogate, name, m)
    return Calibration(surrogate, name, m, "none", note=_UNKNOWN)
