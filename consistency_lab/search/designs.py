"""Aggregates at which an edge loss should go wrong, though a noise condition and a design hold.

The loss is W = sum of a_ij phi(u_i - u_j); n_ij = a_ij + a_ji is the design, P_ij = a_ij / n_ij a chance and
d_ij = a_ij - a_ji. At given scores "the slopes of W vanish" is linear in d, and so are most conditions. So
small systems and linear programs balance d at scores that have two items the wrong way round; the result is
rounded to few comparisons, and has its condition and its design exactly. Floats propose; `certify` decides.
See docs/designs.md.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import gcd
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.core.addition import is_differentiable
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.exact import LogRational
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import condition as noise_condition
from consistency_lab.model.conditions import cone, whole
from consistency_lab.model.designs import design as named_design
from consistency_lab.model.designs import schedule
from consistency_lab.model.posets import chain
from consistency_lab.model.surrogates import pair
from consistency_lab.phi import Expression, PiecewisePolynomial
from consistency_lab.solve.edges import minimize_edges
from consistency_lab.solve.lp import FloatSolver, LPStatus
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.numeric import compiled

Array = NDArray[np.float64]
Rationals = Sequence[Sequence[Fraction | int]]
Aggregate = tuple[tuple[Fraction, ...], ...]
Test = Callable[[Aggregate], bool]


@frozen
class Proposal:
    """An aggregate at which a loss should be wrong; `certify` has the last word."""

    aggregate: Aggregate  #: The a_ij.
    scores: tuple[LogRational, ...]  #: Near a minimizer; the very minimizer where `strict` is false.
    citation: str  #: Where the construction comes from.
    strict: bool  #: Whether two items are the wrong way round; otherwise they are tied.

    @property
    def comparisons(self) -> int:
        """How many comparisons there are in the same proportions, by whole numbers."""
        return sum(map(sum, whole(self.aggregate)))


# --- Conditions on the chances -----------------------------------------------------------------------------


def is_bradley_terry(a: Rationals) -> bool:
    """Whether a_ij / a_ji = s_i / s_j for some strengths s > 0, on the pairs that are compared.

    Examples
    --------
    >>> is_bradley_terry([[0, 2, 6], [1, 0, 3], [2, 2, 0]])
    False
    >>> is_bradley_terry([[0, 2, 6], [1, 0, 3], [2, 2, 0]][:2] and [[0, 2, 6], [1, 0, 3], [2, 1, 0]])
    False
    """
    m = len(a)
    if any((a[i][j] > 0) is not (a[j][i] > 0) for i, j in combinations(range(m), 2)):
        return False
    strength: dict[int, Fraction] = {}
    for root in range(m):
        stack = [] if root in strength else [root]
        strength.setdefault(root, Fraction(1))
        while stack:
            i = stack.pop()
            for j in range(m):
                if j not in strength and a[i][j]:
                    strength[j] = strength[i] * Fraction(a[j][i]) / Fraction(a[i][j])
                    stack.append(j)
    return all(a[i][j] * strength[j] == a[j][i] * strength[i] for i, j in combinations(range(m), 2))


def is_auc(a: Rationals) -> bool:
    """Whether a_ij = x_i y_j for i != j and some x, y > 0: a_ij = mu_i mu_j eta_i (1 - eta_j), 0 < eta < 1.

    Examples
    --------
    >>> is_auc([[0, 3, 6], [2, 0, 4], [2, 2, 0]]), is_auc([[0, 3, 6], [2, 0, 4], [2, 3, 0]])
    (True, False)
    """
    m = len(a)
    if any(a[i][j] <= 0 for i, j in permutations(range(m), 2)):
        return False
    if m < 3:
        return True
    # With x_0 = 1; any third item gives the rest, and then all entries are compared.
    y = [Fraction(0), *(Fraction(value) for value in a[0][1:])]
    x = [Fraction(1), *(Fraction(a[k][2 if k == 1 else 1]) / y[2 if k == 1 else 1] for k in range(1, m))]
    y[0] = Fraction(a[1][0]) / x[1]
    return all(a[i][j] == x[i] * y[j] for i, j in permutations(range(m), 2))


_SST: Final = "strong-stochastic-transitivity"
_OWN: Final = MappingProxyType({"bradley-terry": is_bradley_terry, "auc": is_auc})


def condition_test(name: str) -> Test:
    """The exact test of a condition: one of the table, ``sst``, ``bradley-terry`` or ``auc``."""
    if name in _OWN:
        return _OWN[name]
    return noise_condition(_SST if name == "sst" else name).holds


# --- The loss in floats: its slope, its minimizer, and whether that is wrong --------------------------------

_CLEAR: Final = 1e-5
"""Scores that are nearer than this are too near for a certificate of few digits."""

_SCORE_DIGITS: Final = 10**6


def _slope(phi: Expression, x: Array) -> Array:
    return np.asarray(compiled(phi)(x)[1])


def _minimizer(phi: Expression, a: Rationals) -> Array | None:
    """Scores of least W, if there are such and the solvers know the form of phi."""
    try:
        if is_differentiable(phi):
            edges = minimize_edges(phi, np.array([[float(x) for x in row] for row in a]))
            return None if edges.attained is False else edges.scores
        m = len(a)
        terms = [pair(Fraction(a[i][j]), phi, i, j) for i, j in permutations(range(m), 2) if a[i][j]]
        found = minimize(terms, m, exact=False)
    except UnsupportedError:
        return None
    return None if found.attained is False else found.scores


def _inverted(phi: Expression, a: Rationals, clear: float = _CLEAR) -> Array | None:
    """The scores of least W if they have two items clearly the wrong way round."""
    scores = _minimizer(phi, a)
    if scores is None or not np.isfinite(scores).all():
        return None
    pairs = permutations(range(len(a)), 2)
    return scores if any(a[i][j] > a[j][i] and scores[j] - scores[i] > clear for i, j in pairs) else None


def _proposal(a: Rationals, scores: Iterable[float], citation: str) -> Proposal:
    exact = tuple(LogRational(Fraction(float(x)).limit_denominator(_SCORE_DIGITS)) for x in scores)
    return Proposal(tuple(tuple(map(Fraction, row)) for row in a), exact, citation, True)


def _from_differences(n: Rationals, d: Sequence[Sequence[Fraction]]) -> Aggregate:
    """a = (n + d) / 2."""
    m = range(len(n))
    return tuple(tuple((n[i][j] + d[i][j]) / Fraction(2) if i != j else Fraction(0) for j in m) for i in m)


# --- Rounding: the fewest comparisons at which the condition holds and the order is still wrong -------------

_GRIDS: Final = (*range(2, 41), *(int(41 * 1.35**k) for k in range(45)))
_TRIED: Final = 4
"""So many of the scores are tried, those first that leave most room for rounding."""

Round = Callable[[int], Aggregate]


def _rounded(phi: Expression, at: Round, holds: Test, citation: str) -> Proposal | None:
    """On the coarsest grid that keeps no entry below 0, the condition, and the inversion."""
    for grid in _GRIDS:
        a = at(grid)
        if all(x >= 0 for row in a for x in row) and holds(a):
            scores = _inverted(phi, a)
            if scores is not None:
                return _proposal(a, scores, citation)
    return None


def _best(
    phi: Expression, found: Iterable[tuple[float, Round]], holds: Test, citation: str
) -> Iterator[Proposal]:
    """The smallest that rounding makes of the balanced ones with most room."""
    roomy = sorted(found, key=lambda one: -one[0])[:_TRIED]
    rounded = [one for _, at in roomy if (one := _rounded(phi, at, holds, citation)) is not None]
    if rounded:
        yield min(rounded, key=lambda one: one.comparisons)


# --- Additive differences: a weighted Laplacian gives the values y at which the scores are balanced ---------

_SCALES: Final = ((2.0, 1.0, 0.5), (4.0, 1 / 8, 1 / 32, 1 / 128))
_NEAR: Final = (0.5, 0.2, 0.05, 0.01)
"""Distances of the other scores from the two that are wrong; of these two, as shares of them."""


def additive(phi: Expression, n: Rationals) -> Iterator[Proposal]:
    """An additive aggregate with these counts at which phi is wrong: n_ik != n_jk for some i, j, k.

    Two items i and j differ by theta in their scores, and k stands apart. Then y is the only one that
    balances them; where phi is regular some choice of small scores inverts i and j.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> found = next(additive(parse("(1-x)**2"), [[0, 1, 2], [1, 0, 1], [2, 1, 0]]))
    >>> found.comparisons
    24
    """
    if not is_differentiable(phi):
        return
    m = len(n)
    # n_ik > n_jk is enough, for i and j may be exchanged.
    uneven = sorted(
        ((i, j, k) for i, j, k in permutations(range(m), 3) if n[i][k] > n[j][k] > 0),
        key=lambda triple: -Fraction(n[triple[0]][triple[2]]) / Fraction(n[triple[1]][triple[2]]),
    )[:_TRIED]
    counts = np.array([[float(x) for x in row] for row in n])
    test = condition_test("additive")
    for scales in _SCALES:
        found = []
        for (i, _, k), far, near, way, up in product(uneven, scales, _NEAR, (1, -1), (1, -1)):
            beta = np.zeros(m)
            beta[k], beta[i] = up * far, way * near * far
            y = _additive_values(phi, counts, beta)
            if y is not None:
                d, gaps = np.subtract.outer(y, y) / counts.max(), np.subtract.outer(beta, beta)
                room = float(np.minimum(d, -gaps).max())
                if room > 1e-9 and (np.abs(d) * counts.max() <= counts).all():
                    found.append((room, _additive_grid(n, y)))
        yielded = list(_best(phi, found, test, "Theorem A: additive under an unbalanced design"))
        yield from yielded
        if yielded:
            return


def _additive_values(phi: Expression, n: Array, beta: Array) -> Array | None:
    """The y with y_0 = 0 and d_pq = y_p - y_q at which no score is pushed."""
    x = np.subtract.outer(beta, beta)
    ahead, behind = _slope(phi, x), _slope(phi, -x)
    weight = -(ahead + behind)
    np.fill_diagonal(weight, 0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    push = (n * (ahead - behind)).sum(axis=1)
    try:
        return np.append(0.0, np.linalg.solve(laplacian[1:, 1:], push[1:]))
    except np.linalg.LinAlgError:
        return None


def _additive_grid(n: Rationals, y: Array) -> Round:
    least = float(y.min())
    most = Fraction(max(max(row) for row in n))

    def at(grid: int) -> Aggregate:
        unit = most / grid
        values = [unit * round((float(value) - least) / float(unit)) for value in y]
        return _from_differences(n, [[p - q for q in values] for p in values])

    return at


# --- Other conditions: a linear program balances the scores, with as much room as there can be --------------

Row = dict[tuple[int, int], float]


def _program(
    phi: Expression, n: Array, beta: Array, rows: Sequence[Row], strict: Sequence[Row], solver: FloatSolver
) -> tuple[float, Array] | None:
    """The largest t, and d with rows >= 0, strict rows >= t and |d| <= n that balances the scores.

    The variables are d_ij + n_ij for i < j, and t.
    """
    m = len(n)
    column = {edge: k for k, edge in enumerate(combinations(range(m), 2))}
    size = len(column) + 1
    x = np.subtract.outer(beta, beta)
    ahead, behind = _slope(phi, x), _slope(phi, -x)
    u, count = -(ahead + behind), np.array([n[edge] for edge in column])
    balance, right = np.zeros((m - 1, size)), np.zeros(m - 1)
    for i in range(m - 1):
        for j in range(m):
            if i != j:
                edge, sign = ((i, j), 1) if i < j else ((j, i), -1)
                balance[i, column[edge]] = sign * u[i, j]
                right[i] += n[i, j] * (ahead[i, j] - behind[i, j])
    below = np.zeros((len(rows) + len(strict) + len(count), size))
    for number, row in enumerate((*rows, *strict)):
        for edge, value in row.items():
            below[number, column[edge]] = -value
        below[number, -1] = float(number >= len(rows))
    below[len(rows) + len(strict) :, :-1] = np.eye(len(count))
    shift = np.append(count, 0.0)
    limits = np.concatenate((np.zeros(len(rows) + len(strict)), count))
    cost = np.append(np.zeros(len(count)), -1.0)
    found = solver.solve(cost, balance, right + balance @ shift, below, limits + below @ shift)
    if found.status is not LPStatus.OPTIMAL or found.x[-1] < 1e-9:
        return None
    d = np.zeros((m, m))
    for (i, j), k in column.items():
        d[i, j] = found.x[k] - count[k]
        d[j, i] = -d[i, j]
    return float(found.x[-1]), d


def _chance_grid(n: Rationals, d: Array, order: Sequence[int]) -> Round:
    """The chances on a grid; the items of d are those of `order`."""
    place = {item: k for k, item in enumerate(order)}
    m = len(n)

    def at(grid: int) -> Aggregate:
        a = [[Fraction(0)] * m for _ in range(m)]
        for i, j in combinations(range(m), 2):
            share = (1 + d[place[i], place[j]] / float(n[i][j])) / 2
            a[i][j] = n[i][j] * Fraction(round(share * grid), grid)
            a[j][i] = n[i][j] - a[i][j]
        return tuple(map(tuple, a))

    return at


def _transitive_rows(n: Array) -> tuple[list[Row], list[Row]]:
    """P_ik >= P_jk for i < j and all k, and P_ij > 1/2; in d."""
    m = len(n)
    rows = []
    for i, j in combinations(range(m), 2):
        for k in set(range(m)) - {i, j}:
            row: Row = {}
            for item, sign in ((i, 1), (j, -1)):
                edge = (min(item, k), max(item, k))
                row[edge] = (sign if item < k else -sign) / float(n[edge])
            rows.append(row)
    return rows, [{edge: 1 / float(n[edge])} for edge in combinations(range(m), 2)]


def transitive(phi: Expression, n: Rationals) -> Iterator[Proposal]:
    """A strongly transitive aggregate with these counts, which are no product, at which phi is wrong.

    Some i, j, k, l have n_ik n_jl != n_il n_jk. Nearly tied scores of i and j stand above those of k and l;
    that leaves P_ij > 1/2 and P_ik = P_jk possible.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> counts = [[0, 1, 4, 1], [1, 0, 1, 4], [4, 1, 0, 1], [1, 4, 1, 0]]
    >>> found = next(transitive(parse("log(1+exp(-x))"), counts))
    >>> found.strict and condition_test("sst")(found.aggregate)
    True
    """
    m = len(n)
    if m < 4 or not is_differentiable(phi) or min(n[i][j] for i, j in combinations(range(m), 2)) <= 0:
        return
    quadruples = [
        (float(Fraction(n[i][k] * n[j][h]) / Fraction(n[i][h] * n[j][k])), (i, j, k, h))
        for i, j, k, h in permutations(range(m), 4)
    ]
    # Which of two items is i, and which of the others k, is told apart only by the program.
    uneven = [four for ratio, four in sorted(quadruples, reverse=True) if ratio > 1][: 2 * _TRIED]
    solver, test = FloatSolver(), condition_test("sst")
    for scales in _SCALES:
        found = []
        for four, flip, far in product(uneven, (False, True), scales):
            first = (four[1], four[0], *four[2:]) if flip else four
            order = (*first, *(item for item in range(m) if item not in four))
            counts = np.array([[float(n[p][q]) for q in order] for p in order])
            rows, strict = _transitive_rows(counts)
            for near in _NEAR:
                beta = np.array([-near * far, 0.0, *(-far * k for k in range(1, m - 1))])
                solved = _program(phi, counts, beta, rows, strict, solver)
                if solved is not None:
                    found.append((min(solved[0], near * far), _chance_grid(n, solved[1], order)))
        yielded = list(_best(phi, found, test, "Theorem P: SST under a design that is no product"))
        yield from yielded
        if yielded:
            return


_PLACES: Final = (0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)


def net_ordered(phi: Expression, m: int) -> Iterator[Proposal]:
    """A balanced aggregate with net preferences in order at which phi is wrong: u is not constant.

    u(x) = -phi'(x) - phi'(-x). At m = 3 it takes an x > 0 with u(x) > u(0) and phi'(x) < 0; at m = 4 two x
    with different u.
    """
    if m < 3 or not is_differentiable(phi):
        return
    form = cone("net-order", chain(m), m)
    rows, strict = (
        [{edge: float(value) for edge, value in dict(one).items()} for one in part]
        for part in (form.inequalities, form.strict)
    )
    n, solver, found = np.ones((m, m)), FloatSolver(), []
    for places in product(_PLACES, repeat=min(m - 2, 2)):
        for near in _NEAR:
            rest = [places[-1] + k for k in range(1, m - 3)]
            beta = -np.array([near * min(places), 0.0, *places, *rest])
            solved = _program(phi, n, beta, rows, strict, solver)
            if solved is not None:
                room = min(solved[0], near * min(places))
                found.append((room, _chance_grid(_balanced(m), solved[1], range(m))))
    yield from _best(phi, found, condition_test("net-order"), "Net order and balanced: u is not constant")


# --- Acyclic and balanced: closed form ---------------------------------------------------------------------


def acyclic(phi: Expression) -> Iterator[Proposal]:
    """P_12 = P_13 = 1/2 + e, P_23 = 9/10: for small e every regular phi puts 2 first.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> next(acyclic(parse("exp(-x)"))).comparisons
    30
    """
    if is_differentiable(phi):
        for parts in (10, 20, 50, 100, 1000, 10**4, 10**5):
            e = Fraction(1, parts)
            up, most = Fraction(1, 2) + e, Fraction(9, 10)
            a = ((Fraction(0), up, up), (1 - up, Fraction(0), most), (1 - up, 1 - most, Fraction(0)))
            scores = _inverted(phi, a)
            if scores is not None:
                yield _proposal(a, scores, "Acyclic and balanced: item 2 beats item 3 most clearly")
                return


# --- Bradley-Terry: a ring of four --------------------------------------------------------------------------

_STRENGTHS: Final = (12, 42)
_GAP: Final = 3e-3
_RINGS: Final = 30
_FARTHEST: Final = 40.0


def _optimum_of_two(phi: Expression, odds: Array) -> Array:
    """The x that minimizes odds phi(x) + phi(-x); NaN where there is none below 40."""
    low, high = np.full_like(odds, -_FARTHEST), np.full_like(odds, _FARTHEST)
    for _ in range(60):
        x = (low + high) / 2
        rises = odds * _slope(phi, x) > _slope(phi, -x)
        low, high = np.where(rises, low, x), np.where(rises, x, high)
    return np.where(np.abs(x) < _FARTHEST * 0.999, x, np.nan)


def rings(phi: Expression, complete: bool = False) -> Iterator[Proposal]:
    """A Bradley-Terry aggregate on the ring A B X Y, AB seldom compared, at which phi is wrong.

    With x(odds) the optimum of two items, the three frequent pairs put A above B by x(A/Y) + x(Y/X) +
    x(X/B). This has the sign of log(A/B) for all strengths only if x is a multiple of the logarithm.

    Parameters
    ----------
    complete
        Whether AX and BY are to be compared too, as seldom as can be.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> [next(rings(parse(text))).comparisons for text in ("max(0,1-x)", "(1-x)**2")]
    [31, 1]
    """
    for most in _STRENGTHS:
        s = np.arange(1, most + 1, dtype=np.float64)
        x = _optimum_of_two(phi, np.divide.outer(s, s))
        with np.errstate(invalid="ignore"):
            # Of the strengths A, B, X, Y, in this order of axes.
            gap = x[:, None, None, :] + x.T[None, None, :, :] + x.T[None, :, :, None]
            worth = np.argwhere((gap < -_GAP) & (s[:, None, None, None] > s[None, :, None, None]))
        common = np.gcd.reduce(worth + 1, axis=1) == 1 if len(worth) else np.zeros(0, dtype=bool)
        worth = worth[common]
        first, second = worth[:, 0] + 1, worth[:, 1] + 1
        cost = (first + second) / np.gcd(first, second) / -gap[tuple(worth.T)]
        found = []
        for row in worth[np.argsort(cost, kind="stable")[:_RINGS]]:
            ring = _ring(phi, tuple(int(k) + 1 for k in row), complete)
            if ring is not None:
                found.append(ring)
        if found:
            yield min(found, key=lambda one: one.comparisons)
            return


def _ring(phi: Expression, strengths: tuple[int, ...], complete: bool) -> Proposal | None:
    """The fewest comparisons, the three pairs about equally often, at which A is below B."""
    kept = ((0, 1), (0, 2), (1, 3)) if complete else ((0, 1),)
    count = 4.0
    while count < 10**6:
        a = [[Fraction(0)] * 4 for _ in strengths]
        for edge, times in (*((edge, 0.0) for edge in kept), *((e, count) for e in ((0, 3), (2, 3), (1, 2)))):
            i, j = edge
            common = gcd(strengths[i], strengths[j])
            wins, losses = strengths[i] // common, strengths[j] // common
            repeated = max(1, round(times / (wins + losses)))
            a[i][j], a[j][i] = Fraction(repeated * wins), Fraction(repeated * losses)
        scores = _inverted(phi, a)
        if scores is not None and scores[1] - scores[0] > _CLEAR:
            return _proposal(a, scores, "Theorem T3: a Bradley-Terry ring of four")
        count *= 1.3
    return None


# --- Kinks: exact ties at the scores 0, 0, -x ---------------------------------------------------------------

_MOST_AT_A_TIE: Final = 12


def tied(phi: Expression, of_auc: bool) -> Iterator[Proposal]:
    """Three items, the first two tied though a_12 > a_21, for a phi with a kink at some x > 0.

    The slopes at the kink are free between those on its sides, and take up what the pair 1, 2 pushes.

    Parameters
    ----------
    of_auc
        An aggregate a_ij = x_i y_j; otherwise a balanced one with additive differences.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> [next(tied(parse("max(0,1-x)"), of_auc)).comparisons for of_auc in (False, True)]
    [0, 0]
    """
    form = PiecewisePolynomial.of(phi)
    if form is None or not form.is_convex():
        return
    here, there = form.slope(Fraction(0))
    kinks = [
        (place, *form.slope(place), form.slope(-place)[0])
        for place in form.breakpoints
        if place > 0 and len(set(form.slope(place))) == 2 and len(set(form.slope(-place))) == 1
    ]
    if here != there or here >= 0:
        return
    for a in _products() if of_auc else _additive_triples():
        for place, left, right, back in kinks:
            # The slopes at the kink that balance items 1 and 2.
            pull = (a[0][1] - a[1][0]) * here
            slopes = ((a[2][0] * back - pull) / a[0][2], (a[2][1] * back + pull) / a[1][2])
            if all(left <= slope <= right for slope in slopes):
                scores = (LogRational(Fraction(0)), LogRational(Fraction(0)), LogRational(-place))
                source = "AUC and a kink: a tie" if of_auc else "Additive, balanced and a kink: a tie"
                yield Proposal(a, scores, source, strict=False)
                return


def _products() -> Iterator[Aggregate]:
    """x_i y_j with x_1/y_1 > x_2/y_2 > x_3/y_3, fewest comparisons first."""
    sides = [(x, y) for x, y in product(range(1, 7), repeat=2)]
    found = []
    for three in permutations(sides, 3):
        (x, y), (u, v), (p, q) = three
        if x * v > u * y and u * q > p * v:
            a = [[0 if i == j else three[i][0] * three[j][1] for j in range(3)] for i in range(3)]
            found.append((sum(map(sum, a)), a))
    for _, a in sorted(found):
        yield tuple(tuple(map(Fraction, row)) for row in a)


def _additive_triples() -> Iterator[Aggregate]:
    """d_13 = d_12 + d_23, n equal, fewest comparisons first."""
    for n in range(1, 2 * _MOST_AT_A_TIE):
        for first, second in product(range(1, n + 1), repeat=2):
            if first + second <= n:
                values = [Fraction(first + second), Fraction(second), Fraction(0)]
                a = _from_differences(_balanced(3, n), [[p - q for q in values] for p in values])
                if all(x.denominator == 1 for row in a for x in row):
                    yield a


# --- What to try for a condition and a design ----------------------------------------------------------------


def _balanced(m: int, n: int = 1) -> list[list[int]]:
    return [[n * (i != j) for j in range(m)] for i in range(m)]


_RATIOS: Final = (2, 3, 4, 6)
_PRODUCTS: Final = ((2, 1), (1, 2))
"""Weights of the first item and of the second; those of the others are 1."""


def _uneven(m: int, ratio: Fraction | int) -> Iterator[list[list[Fraction | int]]]:
    """Designs of this ratio: one pair more frequent, then a path of them."""
    for frequent in ({(0, m - 1)}, {(i, i + 1) for i in range(m - 1)}):
        more = frequent | {(j, i) for i, j in frequent}
        yield [[(ratio if (i, j) in more else 1) if i != j else 0 for j in range(m)] for i in range(m)]


def _schedules(design: str | Rationals, m: int) -> list[Rationals]:
    """Counts of the design that are worth trying; the very ones, if it is none by name."""
    if not isinstance(design, str):
        return [design]
    if design.startswith("ratio:"):
        ratio = Fraction(design.removeprefix("ratio:"))
        return [n for n in _uneven(m, ratio) if ratio > 1]
    if design == "product":
        weights = [(*two, *(1 for _ in range(m - 2))) for two in _PRODUCTS]
        return [[[v * w * (i != j) for j, w in enumerate(row)] for i, v in enumerate(row)] for row in weights]
    return [n for ratio in _RATIOS for n in _uneven(m, ratio)] if design in ("complete", "any") else []


_HARD_TO_FIND: Final = tuple(
    tuple(tuple(map(Fraction, row)) for row in a)
    for a in (
        # 131 comparisons, strongly transitive: the logistic loss puts 2 above 1.
        ((0, 3, 18, 13), (2, 0, 9, 26), (12, 6, 0, 21), (2, 4, 15, 0)),
        # Net preferences in order, 14 comparisons a pair: the scores of the hinge are 0, 1, 1, 2.
        ((0, 8, 2, 7), (6, 0, 7, 3), (12, 7, 0, 0), (7, 11, 14, 0)),
    )
)
"""Aggregates that the constructions do not find, or not for every phi."""


def _examples(phi: Expression) -> Iterator[Proposal]:
    for a in _HARD_TO_FIND:
        scores = _inverted(phi, a)
        if scores is not None:
            yield _proposal(a, scores, "An example")


_FOLLOWS: Final = MappingProxyType(
    {
        "additive": ("low-noise",),
        "low-noise": ("net-order",),
        "net-order": ("acyclic",),
        "auc": ("bradley-terry",),
        "bradley-terry": ("acyclic",),
        "sst": ("acyclic",),
        "acyclic": ("any",),
    }
)
"""What follows from a condition on the aggregate, whatever the design is."""


def _follow(conditions: Iterable[str]) -> set[str]:
    found = set(conditions)
    return found if not found else found | _follow(more for name in found for more in _FOLLOWS.get(name, ()))


_Recipe = Callable[[Expression, str | Rationals, int], Iterator[Proposal]]

_RECIPES: Final[tuple[tuple[tuple[str, ...], _Recipe], ...]] = (
    (("additive",), lambda phi, design, m: (p for n in _schedules(design, m) for p in additive(phi, n))),
    (("sst",), lambda phi, design, m: (p for n in _schedules(design, m) for p in transitive(phi, n))),
    (("net-order",), lambda phi, design, m: net_ordered(phi, m)),
    (("acyclic",), lambda phi, design, m: acyclic(phi)),
    (("bradley-terry",), lambda phi, design, m: rings(phi, complete=design != "any") if m == 4 else iter(())),
    (("additive", "sst"), lambda phi, design, m: tied(phi, of_auc=False)),
    (("auc", "sst"), lambda phi, design, m: tied(phi, of_auc=True)),
    (("sst", "net-order"), lambda phi, design, m: _examples(phi)),
)
"""Conditions that the proposals of a construction have, one of them at least, and the construction."""


def constructions(
    phi: Expression, condition: str = "any", design: str | Rationals = "any", m: int | None = None
) -> Iterator[Proposal]:
    """Aggregates with the condition and the design at which phi should be wrong; of m items smallest first.

    Nothing is proved by an empty list, but where docs/designs.md says that phi is right, it is empty.

    Parameters
    ----------
    phi
        Of the loss sum of a_ij phi(u_i - u_j).
    condition
        One of `CONDITIONS`, ``sst``, ``bradley-terry`` or ``auc``.
    design
        The name of a design, or the counts n_ij themselves.
    m
        The number of items; 3 and then 4, if neither it nor the counts are given.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> logistic = parse("log(1+exp(-x))")
    >>> [one.comparisons for one in constructions(logistic, "sst")][-1]
    131
    >>> list(constructions(logistic, "sst", "product", 4))
    []
    """
    asked = "sst" if condition == _SST else condition
    has_condition = condition_test(asked)
    if isinstance(design, str):
        has_design = named_design(design).holds
    else:
        counts = [[Fraction(x) for x in row] for row in design]
        if m not in (None, len(counts)):
            raise InputError(f"the design is of {len(counts)} items, and {m} are asked for")
        m = len(counts)

        def has_design(a: Rationals) -> bool:
            return schedule(a) == counts

    for size in (3, 4) if m is None else (m,):
        found = [
            one
            for ensured, recipe in _RECIPES
            if asked in _follow(ensured)
            for one in recipe(phi, design, size)
            if len(one.aggregate) == size and has_condition(one.aggregate) and has_design(one.aggregate)
        ]
        yield from sorted(found, key=lambda one: one.comparisons)
