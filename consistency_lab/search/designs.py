"""Aggregates at which an edge loss should go wrong, though a noise condition and a design hold.

The loss is W = sum of a_ij phi(u_i - u_j); n_ij = a_ij + a_ji is the design, P_ij = a_ij / n_ij a chance and
d_ij = a_ij - a_ji. At given scores "the slopes of W vanish" is linear in d, and so are most conditions. So
small systems and linear programs find d for scores that have two items the wrong way round; the result is
rounded to few comparisons, and has its condition and its design exactly. Floats propose; `certify` decides.
See docs/designs.md.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise, permutations, product
from math import gcd
from typing import Final

import numpy as np

from consistency_lab.core.addition import falls_at_0
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import condition as named_condition
from consistency_lab.model.conditions import implies, whole
from consistency_lab.model.designs import design as named_design
from consistency_lab.model.designs import schedule
from consistency_lab.model.surrogates import pair
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.exact import LogRational, Matrix
from consistency_lab.numbers.phi import Expression, PiecewisePolynomial
from consistency_lab.numbers.reflection import is_differentiable
from consistency_lab.solve.edges import minimize_edges
from consistency_lab.solve.lp import FloatSolver, LPStatus
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.numeric import compiled

Rationals = Sequence[Sequence[Fraction | int]]


@frozen
class Proposal:
    """An aggregate at which a loss should be wrong; `certify` decides."""

    aggregate: Matrix  #: The a_ij.
    scores: tuple[LogRational, ...]  #: Near a minimizer; the minimizer itself if `strict` is false.
    citation: str  #: Where the construction comes from.
    strict: bool = True  #: Whether two items are the wrong way round; otherwise they are tied.

    @property
    def comparisons(self) -> int:
        """How many comparisons there are, in whole numbers of the same proportions."""
        return sum(map(sum, whole(self.aggregate)))


# --- The loss in floats: its slope, and a minimizer that is wrong -------------------------------------------

_CLEAR: Final = 1e-7
"""Scores closer than this are too close for a certificate of few digits."""

_DENOMINATOR: Final = 10**6


def _slope(phi: Expression, x: Floats) -> Floats:
    return np.asarray(compiled(phi)(x)[1])


def _inverted(phi: Expression, a: Matrix, citation: str) -> Proposal | None:
    """The aggregate, if the minimizer clearly inverts two items."""
    m = range(len(a))
    try:
        if is_differentiable(phi):
            edges = minimize_edges(phi, _floats(a))
            scores, attained = edges.scores, edges.attained
        else:
            terms = [pair(a[i][j], phi, i, j) for i, j in permutations(m, 2) if a[i][j]]
            minimum = minimize(terms, len(a), exact=False)
            scores, attained = minimum.scores, minimum.attained
    except UnsupportedError:
        return None
    if attained is False or not np.isfinite(scores).all():
        return None
    if not any(a[i][j] > a[j][i] and scores[j] - scores[i] > _CLEAR for i, j in permutations(m, 2)):
        return None
    exact = (LogRational(Fraction(float(x)).limit_denominator(_DENOMINATOR)) for x in scores)
    return Proposal(a, tuple(exact), citation)


def _floats(a: Rationals) -> Floats:
    return np.array([[float(x) for x in row] for row in a])


def _aggregate(n: Rationals, d: Rationals) -> Matrix:
    """a = (n + d) / 2."""
    return tuple(tuple(Fraction(x + d[i][j]) / 2 for j, x in enumerate(row)) for i, row in enumerate(n))


# --- Rounding: the fewest comparisons at which the condition holds and the order is still wrong -------------

_GRIDS: Final = (*range(2, 41), *(int(41 * 1.35**k) for k in range(45)))
_TRIED: Final = 4
"""So many of the aggregates that leave scores still are rounded, those first that leave most room for it."""

_Scale = tuple[Sequence[float], Sequence[float]]
"""Distances of the other scores, in units, from the two that are wrong; and of these, as shares of them."""

_COARSE: Final[_Scale] = ((2.0, 1.0, 0.5), (0.5, 0.2, 0.05, 0.01))
_SCALES: Final = (_COARSE, ((4.0, 1.0, 1 / 4, 1 / 16), (1e-2, 1e-3, 1e-4, 1e-5)))
"""The finer one is for counts that hardly differ from harmless ones."""

_LEAST: Final = 1e-9

_Still = tuple[float, Callable[[int], Matrix]]
"""An aggregate at which given scores stand still: how far it may be rounded, about; and it, on a grid."""


def _unit(phi: Expression) -> float:
    """A distance of scores that fits the loss: the optimum of two items at odds of 3 to 1, or 1."""
    optimum = float(_optimum_of_two(phi, np.array([3.0]))[0])
    return optimum if optimum > 0 else 1.0


def _rounded(
    phi: Expression, name: str, citation: str, still: Iterable[Iterable[_Still]]
) -> Iterator[Proposal]:
    """The smallest aggregate with the condition, from the first scale that leads to any."""
    for found in still:
        small = []
        for _, at in sorted(found, key=lambda one: -one[0])[:_TRIED]:
            for a in map(at, _GRIDS):
                fits = min(map(min, a)) >= 0 and named_condition(name).holds(a)
                if fits and (one := _inverted(phi, a, citation)):
                    small.append(one)
                    break
        if small:
            yield min(small, key=lambda one: one.comparisons)
            return


# --- Additive differences: a weighted Laplacian gives the values y at which the scores stand still --------


def additive(phi: Expression, n: Rationals) -> Iterator[Proposal]:
    """An additive aggregate with these counts at which phi is wrong, if n_ik != n_jk for some i, j, k."""
    # All scores are equal, but for that of k and a little for that of i. They stand still for one y; where
    # phi is regular and they are small enough, it has i and j the wrong way round (docs/theory.md, Designs).
    m, counts, unit = len(n), _floats(n), _unit(phi)
    # n_ik > n_jk is enough, for the score of i may be above that of j or below it.
    uneven = [(i, j, k) for i, j, k in permutations(range(m), 3) if n[i][k] > n[j][k] > 0]
    uneven = sorted(uneven, key=lambda one: counts[one[1], one[2]] / counts[one[0], one[2]])[:_TRIED]

    def still(scale: _Scale) -> Iterator[_Still]:
        for (i, _, k), far, near, down, way in product(uneven, *scale, (1, -1), (1, -1)):
            beta = np.zeros(m)
            beta[k], beta[i] = unit * down * far, unit * way * near * far
            y = _values(phi, counts, beta)
            d, gap = np.subtract.outer(y, y), np.subtract.outer(beta, beta)
            room = float(np.minimum(d / counts.max(), -gap / unit).max())
            if room > _LEAST and (np.abs(d) <= counts).all():
                yield room, partial(_from_values, n, y)

    if is_differentiable(phi):
        yield from _rounded(
            phi, "additive", "docs/theory.md, Designs: additive, n not balanced", map(still, _SCALES)
        )


def _values(phi: Expression, n: Floats, beta: Floats) -> Floats:
    """The least y >= 0 for which d_pq = y_p - y_q pushes no score."""
    slope = _slope(phi, np.subtract.outer(beta, beta))
    weight = -(slope + slope.T)
    push = (n * (slope - slope.T)).sum(axis=1)
    y = np.linalg.lstsq(np.diag(weight.sum(axis=1)) - weight, push)[0]
    return np.asarray(y - y.min())


def _from_values(n: Rationals, y: Floats, grid: int) -> Matrix:
    unit = max(Fraction(max(row)) for row in n) / grid
    values = [unit * round(float(value) / float(unit)) for value in y]
    return _aggregate(n, [[p - q for q in values] for p in values])


# --- Other conditions: a linear program, with as much room as there can be ----------------------------------


def _program(
    phi: Expression, n: Rationals, beta: Floats, rows: Sequence[Floats], strict: Sequence[Floats]
) -> tuple[float, Floats]:
    """The largest t and an aggregate with these counts, rows >= 0, strict >= t, where beta stands still."""
    m, e = len(n), _units(len(n))
    slope = _slope(phi, np.subtract.outer(beta, beta))
    pulls = [sum(e[i, k] * slope[i, k] - e[k, i] * slope[k, i] for k in range(m)) for i in range(m - 1)]
    pairs = list(combinations(range(m), 2))
    equal = np.array([*pulls, *(e[pair] + e[pair[::-1]] for pair in pairs)])
    right = np.array([0.0] * (m - 1) + [float(n[i][j]) for i, j in pairs])
    at_least = np.column_stack((-np.array([*rows, *strict]), [0.0] * len(rows) + [1.0] * len(strict)))
    solution = FloatSolver().solve(
        np.append(np.zeros(m * m), -1.0),
        np.column_stack((equal, np.zeros(len(equal)))),
        right,
        at_least,
        np.zeros(len(at_least)),
    )
    if solution.status is not LPStatus.OPTIMAL:
        return 0.0, np.zeros((m, m))
    return float(solution.x[-1]), solution.x[:-1].reshape(m, m)


def _units(m: int) -> Floats:
    """Entry [i, j] picks a_ij from the entries of a in a row."""
    return np.eye(m * m).reshape(m, m, m * m)


def _from_chances(n: Rationals, near: Floats, grid: int) -> Matrix:
    a = [[Fraction(0)] * len(n) for _ in n]
    for i, j in combinations(range(len(n)), 2):
        share = near[i, j] / float(n[i][j])
        a[i][j] = n[i][j] * Fraction(round(share * grid), grid)
        a[j][i] = n[i][j] - a[i][j]
    return tuple(map(tuple, a))


def transitive(phi: Expression, n: Rationals) -> Iterator[Proposal]:
    """A strongly transitive aggregate with these counts, which are no product, at which phi is wrong."""
    # Some i, j, k, l have n_ik n_jl != n_il n_jk; nearly tied scores of i and j stand above those of k and l
    # and can stand still with P_ij > 1/2 and P_ik = P_jk (docs/theory.md, Designs).
    m, counts, e, unit = len(n), _floats(n), _units(len(n)), _unit(phi)
    if not is_differentiable(phi) or not (counts + np.eye(m)).all():
        return
    p = e / (counts + np.eye(m))[:, :, None]

    def ratio(four: tuple[int, ...]) -> Fraction:
        i, j, k, h = four
        return Fraction(n[i][k] * n[j][h]) / Fraction(n[i][h] * n[j][k])

    uneven = sorted((four for four in permutations(range(m), 4) if ratio(four) > 1), key=ratio, reverse=True)

    def still(scale: _Scale) -> Iterator[_Still]:
        # Each is there four times: its two pairs change places, and so do the items of both at once.
        for (i, j, *two), flip in product(uneven[: 2 * _TRIED], (False, True)):
            order = [j, i, *two] if flip else [i, j, *two]
            order += [item for item in range(m) if item not in order]
            pairs = list(combinations(order, 2))
            rows = [p[x, k] - p[y, k] for x, y in pairs for k in order if k not in (x, y)]
            strict = [p[x, y] - p[y, x] for x, y in pairs]
            for far, near in product(*scale):
                beta = np.zeros(m)
                beta[order] = [-near * far, *(-far * k for k in range(m - 1))]
                room, a = _program(phi, n, unit * beta, rows, strict)
                if room > _LEAST:
                    yield min(room, near * far), partial(_from_chances, n, a)

    yield from _rounded(phi, "sst", "docs/theory.md, Designs: SST, n not a product", map(still, _SCALES))


_PLACES: Final = (0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)


def net_ordered(phi: Expression, m: int) -> Iterator[Proposal]:
    """A balanced aggregate with net preferences in order at which phi is wrong."""
    # It takes an x > 0 with u(x) > u(0), phi'(x) < 0 at m = 3, and two x with different u at m = 4.
    n, e, unit = _equal(m), _units(m), _unit(phi)
    d = e - e.transpose(1, 0, 2)
    net, pairs = d.sum(axis=1), list(combinations(range(m), 2))
    strict = [d[pair] for pair in pairs] + [net[i] - net[j] for i, j in pairs]

    def still() -> Iterator[_Still]:
        for *places, near in product(*[_PLACES] * min(m - 2, 2), _COARSE[1]):
            apart, rest = near * min(places), [max(places) + k for k in range(1, m - 3)]
            room, a = _program(phi, n, -unit * np.array([apart, 0.0, *places, *rest]), [], strict)
            if room > _LEAST:
                yield min(room, apart), partial(_from_chances, n, a)

    if m > 2 and is_differentiable(phi):
        yield from _rounded(phi, "net-order", "Net order, balanced, and u is not constant", [still()])


def acyclic(phi: Expression) -> Iterator[Proposal]:
    """P_12 = P_13 = 1/2 + e, P_23 = 9/10, balanced: for small e every regular phi puts 2 first."""
    for parts in (10, 20, 50, 100, 1000, 10**4) if is_differentiable(phi) else ():
        e, most = Fraction(2, parts), Fraction(4, 5)
        a = _aggregate(_equal(3), [[0, e, e], [-e, 0, most], [-e, -most, 0]])
        proposal = _inverted(phi, a, "Acyclic and balanced: 2 beats 3 most clearly")
        if proposal is not None:
            yield proposal
            return


# --- Bradley-Terry: a ring of four --------------------------------------------------------------------------

_STRENGTHS: Final = (12, 42)
_GAP: Final = 3e-3
_RINGS: Final = 30
_FARTHEST: Final = 40.0
_FREQUENT: Final = ((0, 3), (2, 3), (1, 2))


def rings(phi: Expression, complete: bool = False) -> Iterator[Proposal]:
    """A Bradley-Terry aggregate on the ring A B X Y, AB seldom compared, at which phi is wrong."""
    # The frequent pairs put A above B by x(A/Y) + x(Y/X) + x(X/B), x(odds) the optimum of two items; this has
    # the sign of log(A/B) for all strengths only if x is a multiple of the logarithm (Theorem T3).
    # Kinks beside curves are minimized slowly.
    quick = is_differentiable(phi) or PiecewisePolynomial.of(phi) is not None
    for most in _STRENGTHS:
        s = np.arange(1, most + 1)
        x = _optimum_of_two(phi, np.divide.outer(s, s))
        # The axes are the strengths of A, B, X, Y.
        gap = x[:, None, None, :] + x.T[None, None, :, :] + x.T[None, :, :, None]
        first, second = s[:, None, None, None], s[None, :, None, None]
        worth = np.argwhere((gap < -_GAP) & (first > second))
        worth = worth[np.gcd.reduce(worth + 1, axis=1) == 1]
        few = (worth[:, 0] + worth[:, 1] + 2) / np.gcd(worth[:, 0] + 1, worth[:, 1] + 1)
        cheap = np.argsort(few / -gap[tuple(worth.T)], kind="stable")[: _RINGS if quick else _TRIED]
        best: Proposal | None = None
        for place in cheap:
            fewer = 10**6 if best is None else best.comparisons
            best = _ring(phi, [int(k) + 1 for k in worth[place]], complete, fewer) or best
        if best is not None:
            yield best
            return


def _optimum_of_two(phi: Expression, odds: Floats) -> Floats:
    """The x that minimizes odds phi(x) + phi(-x); NaN where there is none below 40."""
    low, high = np.full_like(odds, -_FARTHEST), np.full_like(odds, _FARTHEST)
    for _ in range(60):
        x = (low + high) / 2
        rises = odds * _slope(phi, x) > _slope(phi, -x)
        low, high = np.where(rises, low, x), np.where(rises, x, high)
    return np.where(np.abs(x) < 0.999 * _FARTHEST, x, np.nan)


def _ring(phi: Expression, strengths: Sequence[int], complete: bool, fewer: int) -> Proposal | None:
    """The fewest comparisons, the three frequent pairs about equally often, at which A is below B."""
    seldom = ((0, 1), (0, 2), (1, 3)) if complete else ((0, 1),)
    count = 4.0
    while True:
        a = [[Fraction(0)] * 4 for _ in strengths]
        for i, j in (*seldom, *_FREQUENT):
            common = gcd(strengths[i], strengths[j])
            wins, losses = strengths[i] // common, strengths[j] // common
            times = max(1, round(count / (wins + losses))) if (i, j) in _FREQUENT else 1
            a[i][j], a[j][i] = Fraction(times * wins), Fraction(times * losses)
        if sum(map(sum, a)) >= fewer:
            return None
        proposal = _inverted(phi, tuple(map(tuple, a)), "Theorem T3: a Bradley-Terry ring of four")
        if proposal is not None:
            return proposal
        count *= 1.3


# --- Kinks: exact ties at the scores 0, 0, -x ---------------------------------------------------------------


def tied(phi: Expression, aggregates: Iterable[Matrix]) -> Iterator[Proposal]:
    """The first of the aggregates of three items at which a kink ties 1 and 2, though a_12 > a_21."""
    # Slopes at a kink x > 0 are free between those on its sides, and take up what the pair 1, 2 pushes.
    form = PiecewisePolynomial.of(phi)
    if form is None or not form.is_convex():
        return
    kinks = {x for x in form.breakpoints if len(set(form.slope(x))) == 2}
    places = sorted(x for x in kinks if x > 0 and -x not in kinks)
    middle = form.slope(Fraction(0))[0]
    if 0 in kinks:
        return
    for a, x in product(aggregates, places):
        (left, right), back = form.slope(x), form.slope(-x)[0]
        pull = (a[0][1] - a[1][0]) * middle
        slopes = ((a[2][0] * back - pull) / a[0][2], (a[2][1] * back + pull) / a[1][2])
        if all(left <= slope <= right for slope in slopes):
            scores = tuple(map(LogRational, (Fraction(0), Fraction(0), -x)))
            yield Proposal(a, scores, "A kink ties 1 and 2", strict=False)
            return


def auc() -> list[Matrix]:
    """x_i y_j with x_1/y_1 > x_2/y_2 > x_3/y_3, fewest comparisons first."""
    found = [
        tuple(tuple(Fraction(0 if i == j else i[0] * j[1]) for j in three) for i in three)
        for three in permutations(product(range(1, 7), repeat=2), 3)
        if all(x * v > u * y for (x, y), (u, v) in pairwise(three))
    ]
    return sorted(found, key=lambda a: sum(map(sum, a)))


def auc_and_balanced() -> Iterator[Matrix]:
    """Strengths s, all pairs compared equally often; three items have x_i y_j = s_i/(s_i + s_j) then."""
    for z, y, x in combinations(range(1, 10), 3):
        yield tuple(tuple(Fraction(i * (i != j), i + j) for j in (x, y, z)) for i in (x, y, z))


def additive_and_balanced() -> Iterator[Matrix]:
    """Additive and balanced aggregates in whole numbers, fewest comparisons first."""
    for n in range(2, 48, 2):
        for e, f in product(range(2, n, 2), repeat=2):
            if e + f <= n:
                yield _aggregate(_equal(3, n), [[0, e, e + f], [-e, 0, f], [-e - f, -f, 0]])


def _equal(m: int, n: Fraction | int = 1) -> list[list[Fraction | int]]:
    return [[n * (i != j) for j in range(m)] for i in range(m)]


# --- What to try for a condition and a design ---------------------------------------------------------------

_RATIOS: Final = (3, 6)
_HARD_TO_FIND: Final = tuple(
    tuple(tuple(map(Fraction, row)) for row in a)
    for a in (
        # 131 comparisons, strongly transitive: the logistic loss puts 2 above 1.
        ((0, 3, 18, 13), (2, 0, 9, 26), (12, 6, 0, 21), (2, 4, 15, 0)),
        # Net preferences in order, 14 comparisons a pair: the scores of the hinge are 0, 1, 1, 2.
        ((0, 8, 2, 7), (6, 0, 7, 3), (12, 7, 0, 0), (7, 11, 14, 0)),
    )
)


def _schedules(design: str | Rationals, m: int) -> list[Rationals]:
    """Uneven counts of a design that are worth trying; only the given ones, if it has no name."""
    if not isinstance(design, str):
        return [design]
    if design in ("balanced", "forest"):
        return []
    ratios: Sequence[Fraction | int] = _RATIOS
    if design.startswith("ratio:"):
        most = Fraction(design.removeprefix("ratio:"))  # a witness of a smaller one serves as well
        ratios = [most, *(ratio for ratio in _RATIOS if ratio < most)]
    one, path = {(0, m - 1)}, {(i, i + 1) for i in range(m - 1)}
    star = {(0, i) for i in range(1, m)}
    schedules: list[Rationals] = []
    for ratio, frequent in product(ratios, (star,) if design == "product" else (one, path)):
        n = _equal(m)
        for i, j in frequent:
            n[i][j] = n[j][i] = ratio
        schedules.append(n)
    return schedules


def _proposals(phi: Expression, asked: str, design: str | Rationals, m: int) -> Iterator[Proposal]:
    """The results of each construction whose condition implies the requested one, for any design."""

    def implied(*ensured: str) -> bool:
        return any(implies(name, asked) for name in ensured)

    for n in _schedules(design, m):
        if implied("additive"):
            yield from additive(phi, n)
        if implied("sst"):
            yield from transitive(phi, n)
    free = design in ("any", "complete")
    if m == 4 and free and implied("bradley-terry"):
        yield from rings(phi, complete=design != "any")
    elif m == 4 and free and implied("sst") and not is_differentiable(phi):
        yield from rings(phi, complete=True)
    kinds = (("auc", auc), ("auc", auc_and_balanced), ("additive", additive_and_balanced))
    for name, aggregates in kinds if m == 3 else ():
        if implied(name, "sst"):
            yield from tied(phi, aggregates())
    if m == 3 and implied("acyclic"):
        yield from acyclic(phi)
    if implied("net-order"):
        yield from net_ordered(phi, m)
    for a in _HARD_TO_FIND if m == 4 and implied("sst", "net-order") else ():
        proposal = _inverted(phi, a, "An example")
        if proposal is not None:
            yield proposal


def constructions(
    phi: Expression, condition: str = "any", design: str | Rationals = "any", m: int | None = None
) -> Iterator[Proposal]:
    """Aggregates with the condition and the design at which phi should be wrong, smallest first."""
    asked = named_condition(condition)
    if isinstance(design, str):
        counts, of_design = None, named_design(design).holds
        sizes = (3, 4) if m is None else (m,)
    else:
        counts = [[Fraction(x) for x in row] for row in design]
        of_design, sizes = (lambda a: schedule(a) == counts), (len(counts),)
        if m not in (None, *sizes):
            raise InputError(f"the design has {len(counts)} items, but m is {m}")
        if any(len(row) != len(counts) or row[i] for i, row in enumerate(counts)) or counts != [
            list(row) for row in zip(*counts, strict=False)
        ]:
            raise InputError("the counts of a design must be symmetric, with zeros on the diagonal")
        design = "balanced" if named_design("balanced").test(counts) else counts
    for size in sizes if design != "forest" and falls_at_0(phi) else ():
        proposals = list(_proposals(phi, asked.name, design, size))
        if counts is not None and design == "balanced":
            proposals = [_scaled(one, counts[0][1]) for one in proposals]
        fit = (one for one in proposals if of_design(one.aggregate) and asked.holds(one.aggregate))
        yield from sorted(fit, key=lambda one: one.comparisons)


def _scaled(one: Proposal, count: Fraction) -> Proposal:
    """A proposal in the same proportions, with this many comparisons of the first two items."""
    factor = count / (one.aggregate[0][1] + one.aggregate[1][0])
    return replace(one, aggregate=tuple(tuple(factor * x for x in row) for row in one.aggregate))


# --- Losses of single answers ------------------------------------------------------------------------------

_MET_OFTEN: Final = (
    # Strengths 4, 3, 1; 1 meets 2 in 7 comparisons and 2 meets 3 in 28.
    ((0, 4, 0), (3, 0, 21), (0, 7, 0)),
    # The same strengths, drawn with the popularities 1, 4, 3: 665 comparisons, in whole numbers.
    ((0, 80, 84), (60, 0, 315), (21, 105, 0)),
    # A forest with net wins 2, 1, -3, 0: 2 wins the larger share, for 1 often meets 4, its equal.
    ((0, 2, 0, 5), (0, 0, 3, 0), (0, 0, 0, 0), (5, 0, 0, 0)),
    # 1,620 comparisons a pair; 1 wins one more than 2, of which more against those far below (cpo-simpo).
    ((0, 811, 810, 1620), (809, 0, 912, 1519), (810, 708, 0, 1620), (0, 101, 0, 0)),
)
"""Aggregates in which 2 seems better than 1, who is better; Bradley-Terry strengths first."""


def met_often(condition: str, design: str, sizes: Sequence[int]) -> Iterator[Matrix]:
    """Aggregates of so many items with the condition and the design that mislead losses of single answers."""
    wanted, schedules = named_condition(condition), named_design(design)
    for rows in (rows for rows in _MET_OFTEN if len(rows) in sizes):
        a = tuple(tuple(map(Fraction, row)) for row in rows)
        if wanted.holds(a) and schedules.holds(a):
            yield a
