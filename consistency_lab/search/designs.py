"""Aggregates at which an edge loss should go wrong, though a noise condition and a design hold.

The loss is W = sum of a_ij phi(u_i - u_j); n_ij = a_ij + a_ji is the design, P_ij = a_ij / n_ij a chance and
d_ij = a_ij - a_ji. At given scores "the slopes of W vanish" is linear in d, and so are most conditions. So
small systems and linear programs balance d at scores that have two items the wrong way round; the result is
rounded to few comparisons, and has its condition and its design exactly. Floats propose; `certify` decides.
See docs/designs.md.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import gcd
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.core.addition import falls_at_0, is_differentiable
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


@frozen
class Proposal:
    """An aggregate at which a loss should be wrong; `certify` has the last word."""

    aggregate: Aggregate  #: The a_ij.
    scores: tuple[LogRational, ...]  #: Near a minimizer; the very minimizer where `strict` is false.
    citation: str  #: Where the construction comes from.
    strict: bool = True  #: Whether two items are the wrong way round; otherwise they are tied.

    @property
    def comparisons(self) -> int:
        """How many comparisons there are, in whole numbers of the same proportions."""
        return sum(map(sum, whole(self.aggregate)))


# --- Conditions on the chances -----------------------------------------------------------------------------


def is_bradley_terry(a: Rationals) -> bool:
    """Whether a_ij / a_ji = s_i / s_j for some strengths s > 0, on the pairs that are compared.

    Examples
    --------
    >>> [is_bradley_terry([[0, 2, 6], [1, 0, 3], [2, n, 0]]) for n in (1, 2)]
    [False, True]
    """
    m = len(a)
    strength: dict[int, Fraction] = {}
    for root in range(m):
        waiting = [] if root in strength else [root]
        strength.setdefault(root, Fraction(1))
        for i in waiting:
            for j in range(m):
                if j not in strength and a[i][j] and a[j][i]:
                    strength[j] = strength[i] * Fraction(a[j][i]) / Fraction(a[i][j])
                    waiting.append(j)
    return all(a[i][j] * strength[j] == a[j][i] * strength[i] for i, j in combinations(range(m), 2))


def is_auc(a: Rationals) -> bool:
    """Whether a_ij = x_i y_j for i != j and x, y > 0: a_ij = mu_i mu_j eta_i (1 - eta_j), 0 < eta < 1.

    Examples
    --------
    >>> is_auc([[0, 3, 6], [2, 0, 4], [2, 2, 0]]), is_auc([[0, 3, 6], [2, 0, 4], [2, 3, 0]])
    (True, False)
    """
    m = len(a)
    if m < 3 or any(a[i][j] <= 0 for i, j in permutations(range(m), 2)):
        return m < 3 and min((x for row in a for x in row if x), default=0) > 0
    y = [Fraction(0), *map(Fraction, a[0][1:])]
    x = [Fraction(1), *(a[k][1 + (k == 1)] / y[1 + (k == 1)] for k in range(1, m))]
    y[0] = a[1][0] / x[1]
    return all(a[i][j] == x[i] * y[j] for i, j in permutations(range(m), 2))


_SST: Final = "strong-stochastic-transitivity"
_OWN: Final = MappingProxyType({"bradley-terry": is_bradley_terry, "auc": is_auc})


def has(name: str, a: Aggregate) -> bool:
    """The exact test of a condition: one of `CONDITIONS`, ``sst``, ``bradley-terry`` or ``auc``."""
    own = _OWN.get(name)
    return noise_condition(_SST if name == "sst" else name).holds(a) if own is None else own(a)


# --- The loss in floats: its slope, and a minimizer that is wrong -------------------------------------------

_CLEAR: Final = 1e-7
"""Scores nearer than this are too near for a certificate of few digits."""

_DENOMINATOR: Final = 10**6


def _slope(phi: Expression, x: Array) -> Array:
    return np.asarray(compiled(phi)(x)[1])


def _inverted(phi: Expression, a: Aggregate, citation: str) -> Proposal | None:
    """The aggregate, if at scores of least W two items are clearly the wrong way round."""
    m = range(len(a))
    try:
        if is_differentiable(phi):
            edges = minimize_edges(phi, np.array([[float(x) for x in row] for row in a]))
            scores, attained = edges.scores, edges.attained
        else:
            terms = [pair(a[i][j], phi, i, j) for i, j in permutations(m, 2) if a[i][j]]
            found = minimize(terms, len(a), exact=False)
            scores, attained = found.scores, found.attained
    except UnsupportedError:
        return None
    if attained is False or not np.isfinite(scores).all():
        return None
    if not any(a[i][j] > a[j][i] and scores[j] - scores[i] > _CLEAR for i, j in permutations(m, 2)):
        return None
    exact = (LogRational(Fraction(float(x)).limit_denominator(_DENOMINATOR)) for x in scores)
    return Proposal(a, tuple(exact), citation)


def _aggregate(n: Rationals, d: Rationals) -> Aggregate:
    """a = (n + d) / 2."""
    return tuple(
        tuple(Fraction(x + y) / 2 for x, y in zip(left, right, strict=True))
        for left, right in zip(n, d, strict=True)
    )


# --- Rounding: the fewest comparisons at which the condition holds and the order is still wrong -------------

_GRIDS: Final = (*range(2, 41), *(int(41 * 1.35**k) for k in range(45)))
_TRIED: Final = 4
"""So many of the balanced d are rounded, those first that leave most room for it."""

_Scale = tuple[Sequence[float], Sequence[float]]
"""Distances of the other scores from the two that are wrong; and of these two, as shares of them."""

_COARSE: Final[_Scale] = ((2.0, 1.0, 0.5), (0.5, 0.2, 0.05, 0.01))
_SCALES: Final = (_COARSE, ((4.0, 1.0, 1 / 4, 1 / 16), (1e-2, 1e-3, 1e-4, 1e-5)))
"""The finer one is for counts that hardly differ from harmless ones."""

_LEAST: Final = 1e-9

_Balanced = tuple[float, Callable[[int], Aggregate]]
"""How far d may be rounded, about; and the aggregate on a grid."""


def _rounded(
    phi: Expression, name: str, citation: str, balanced: Iterable[Iterable[_Balanced]]
) -> Iterator[Proposal]:
    """The smallest aggregate with the condition that the first scale on which there is any leads to."""
    for found in balanced:
        small = []
        for _, at in sorted(found, key=lambda one: -one[0])[:_TRIED]:
            for a in map(at, _GRIDS):
                if min(map(min, a)) >= 0 and has(name, a) and (one := _inverted(phi, a, citation)):
                    small.append(one)
                    break
        if small:
            yield min(small, key=lambda one: one.comparisons)
            return


# --- Additive differences: a weighted Laplacian gives the values y at which the scores are balanced ---------


def additive(phi: Expression, n: Rationals) -> Iterator[Proposal]:
    """An additive aggregate with these counts at which phi is wrong, if n_ik != n_jk for some i, j, k.

    All scores are equal, but for that of k and a little for that of i. One y balances them; where phi is
    regular it has i and j the wrong way round if the scores are small enough (Theorem A).

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> [one.comparisons for one in additive(parse("exp(-x)"), [[0, 1, 2], [1, 0, 1], [2, 1, 0]])]
    [72]
    """
    if not is_differentiable(phi):
        return
    m, counts = len(n), np.array([[float(x) for x in row] for row in n])
    most = counts.max()

    def ratio(triple: tuple[int, ...]) -> Fraction:
        i, j, k = triple
        return Fraction(n[i][k]) / Fraction(n[j][k])

    # n_ik > n_jk is enough, for the score of i may be above that of j or below it.
    uneven = [(i, j, k) for i, j, k in permutations(range(m), 3) if n[i][k] > n[j][k] > 0]
    uneven = sorted(uneven, key=ratio, reverse=True)[:_TRIED]

    def balanced(scale: _Scale) -> Iterator[_Balanced]:
        for (i, _, k), far, near, down, way in product(uneven, *scale, (1, -1), (1, -1)):
            beta = np.zeros(m)
            beta[k], beta[i] = down * far, way * near * far
            y = _values(phi, counts, beta)
            d, gap = np.subtract.outer(y, y), np.subtract.outer(beta, beta)
            room = float(np.minimum(d / most, -gap).max())
            if room > _LEAST and (np.abs(d) <= counts).all():
                yield room, lambda grid, y=y: at(grid, y)  # type: ignore[misc]

    def at(grid: int, y: Array) -> Aggregate:
        unit = Fraction(most) / grid
        values = [unit * round(float(value) / float(unit)) for value in y - y.min()]
        return _aggregate(n, [[p - q for q in values] for p in values])

    yield from _rounded(
        phi, "additive", "Theorem A: additive, and not every pair as often", map(balanced, _SCALES)
    )


def _values(phi: Expression, n: Array, beta: Array) -> Array:
    """The y with y_0 = 0 for which d_pq = y_p - y_q pushes no score."""
    x = np.subtract.outer(beta, beta)
    ahead, behind = _slope(phi, x), _slope(phi, -x)
    weight = -(ahead + behind)
    laplacian = (np.diag(weight.sum(axis=1)) - weight)[1:, 1:]
    return np.append(0.0, np.linalg.lstsq(laplacian, (n * (ahead - behind)).sum(axis=1)[1:])[0])


# --- Other conditions: a linear program balances the scores, with as much room as there can be --------------

_Row = dict[tuple[int, int], float]


def _program(
    phi: Expression, n: Array, beta: Array, rows: Sequence[_Row], strict: Sequence[_Row], solver: FloatSolver
) -> tuple[float, Array]:
    """The largest t, and d with rows >= 0, strict rows >= t and |d| <= n that balances the scores.

    The variables are d_ij + n_ij for i < j, and t; t = 0 if there is no such d.
    """
    m = len(n)
    column = {edge: k for k, edge in enumerate(combinations(range(m), 2))}
    x = np.subtract.outer(beta, beta)
    ahead, behind = _slope(phi, x), _slope(phi, -x)
    balance = np.zeros((m, len(column) + 1))
    below = np.zeros((len(rows) + len(strict), len(column) + 1))
    for (i, j), k in column.items():
        balance[i, k] = -(ahead[i, j] + behind[i, j])
        balance[j, k] = -balance[i, k]
    for number, row in enumerate((*rows, *strict)):
        for edge, value in row.items():
            below[number, column[edge]] = -value
    below[len(rows) :, -1] = 1
    count = np.array([n[edge] for edge in column])
    shift, right = np.append(count, 0.0), (n * (ahead - behind)).sum(axis=1)
    found = solver.solve(
        np.append(np.zeros(len(count)), -1.0),
        balance[:-1],
        (right + balance @ shift)[:-1],
        np.vstack((below, np.eye(len(count), len(count) + 1))),
        np.append(below @ shift, 2 * count),
    )
    d = np.zeros((m, m))
    if found.status is not LPStatus.OPTIMAL:
        return 0.0, d
    for (i, j), k in column.items():
        d[i, j] = found.x[k] - count[k]
        d[j, i] = -d[i, j]
    return float(found.x[-1]), d


def _chances(n: Rationals, d: Array, order: Sequence[int]) -> Callable[[int], Aggregate]:
    """The chances on a grid; item k of d is `order[k]`."""
    share = np.zeros_like(d)
    share[np.ix_(order, order)] = d
    share /= np.array([[float(x) or 1.0 for x in row] for row in n])

    def at(grid: int) -> Aggregate:
        half = np.rint((1 + np.triu(share)) / 2 * grid).astype(int)
        q = [[Fraction(2 * int(half[i, j]), grid) - 1 for j in range(len(n))] for i in range(len(n))]
        d = [[n[i][j] * (q[i][j] if i < j else -q[j][i]) for j in range(len(n))] for i in range(len(n))]
        return _aggregate(n, d)

    return at


def transitive(phi: Expression, n: Rationals) -> Iterator[Proposal]:
    """A strongly transitive aggregate with these counts, which are no product, at which phi is wrong.

    Some i, j, k, l have n_ik n_jl != n_il n_jk. Nearly tied scores of i and j stand above those of k and l;
    balance then leaves P_ij > 1/2 possible, for P_ik and P_jk need not differ (Theorem P).

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> path = [[0, 3, 1, 1], [3, 0, 3, 1], [1, 3, 0, 3], [1, 1, 3, 0]]
    >>> [one.comparisons for one in transitive(parse("log(1+exp(-x))"), path)]
    [36]
    """
    m, solver = len(n), FloatSolver()
    pairs = list(combinations(range(m), 2))
    if not is_differentiable(phi) or min(n[i][j] for i, j in pairs) <= 0:
        return

    def ratio(four: tuple[int, ...]) -> Fraction:
        i, j, k, h = four
        return Fraction(n[i][k] * n[j][h]) / Fraction(n[i][h] * n[j][k])

    uneven = sorted((four for four in permutations(range(m), 4) if ratio(four) > 1), key=ratio, reverse=True)

    def balanced(scale: _Scale) -> Iterator[_Balanced]:
        # Each is there four times: its two pairs change places, and so do the items of both at once.
        for (i, j, *two), flip in product(uneven[: 2 * _TRIED], (False, True)):
            order = [j, i, *two] if flip else [i, j, *two]
            order += [item for item in range(m) if item not in order]
            counts = np.array([[float(n[p][q]) for q in order] for p in order])
            strict = [{edge: 1 / counts[edge]} for edge in pairs]
            # P_ik >= P_jk for i < j and all other k.
            rows = []
            for (p, q), k in product(pairs, range(m)):
                if k not in (p, q):
                    up, down = 1 / counts[p, k], -1 / counts[q, k]
                    above, below = (min(p, k), max(p, k)), (min(q, k), max(q, k))
                    rows.append({above: up if p < k else -up, below: down if q < k else -down})
            for far, near in product(*scale):
                beta = np.array([-near * far, 0.0, *(-far * k for k in range(1, m - 1))])
                room, d = _program(phi, counts, beta, rows, strict, solver)
                if room > _LEAST:
                    yield min(room, near * far), _chances(n, d, order)

    yield from _rounded(phi, "sst", "Theorem P: SST, and the design is no product", map(balanced, _SCALES))


_PLACES: Final = (0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)


def net_ordered(phi: Expression, m: int) -> Iterator[Proposal]:
    """A balanced aggregate with net preferences in order at which phi is wrong.

    With u(x) = -phi'(x) - phi'(-x), it takes an x > 0 with u(x) > u(0) and phi'(x) < 0 at m = 3, and two x
    with different u at m = 4.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> [one.comparisons for text in ("exp(-x)", "(1-x)**2") for one in net_ordered(parse(text), 3)]
    [24]
    """
    if m < 3 or not is_differentiable(phi):
        return
    form, n, solver = cone("net-order", chain(m), m), _equal(m), FloatSolver()
    rows, strict = (
        [{edge: float(value) for edge, value in dict(one).items()} for one in part]
        for part in (form.inequalities, form.strict)
    )

    def balanced() -> Iterator[_Balanced]:
        for *places, near in product(*[_PLACES] * min(m - 2, 2), _COARSE[1]):
            rest = [max(places) + k for k in range(1, m - 3)]
            apart = near * min(places)
            beta = -np.array([apart, 0.0, *places, *rest])
            room, d = _program(phi, np.array(n, dtype=float), beta, rows, strict, solver)
            if room > _LEAST:
                yield min(room, apart), _chances(n, d, range(m))

    yield from _rounded(phi, "net-order", "Net order, balanced, and u is not constant", [balanced()])


def acyclic(phi: Expression) -> Iterator[Proposal]:
    """P_12 = P_13 = 1/2 + e, P_23 = 9/10, balanced: for small e every regular phi puts 2 first.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> [one.comparisons for one in acyclic(parse("exp(-x)"))]
    [30]
    """
    for parts in (10, 20, 50, 100, 1000, 10**4) if is_differentiable(phi) else ():
        e, most = Fraction(2, parts), Fraction(4, 5)
        a = _aggregate(_equal(3), [[0, e, e], [-e, 0, most], [-e, -most, 0]])
        found = _inverted(phi, a, "Acyclic and balanced: 2 beats 3 most clearly")
        if found is not None:
            yield found
            return


# --- Bradley-Terry: a ring of four --------------------------------------------------------------------------

_STRENGTHS: Final = (12, 42)
_GAP: Final = 3e-3
_RINGS: Final = 30
_FARTHEST: Final = 40.0
_FREQUENT: Final = ((0, 3), (2, 3), (1, 2))


def rings(phi: Expression, complete: bool = False) -> Iterator[Proposal]:
    """A Bradley-Terry aggregate on the ring A B X Y, AB seldom compared, at which phi is wrong.

    With x(odds) the optimum of two items, the three frequent pairs put A above B by x(A/Y) + x(Y/X) +
    x(X/B). This has the sign of log(A/B) for all strengths only if x is a multiple of the logarithm
    (Theorem T3).

    Parameters
    ----------
    complete
        Whether AX and BY are compared too, as seldom as can be.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> [[one.comparisons for one in rings(parse(text))] for text in ("max(0,1-x)", "exp(-x)")]
    [[24], []]
    """
    for most in _STRENGTHS:
        s = np.arange(1, most + 1)
        x = _optimum_of_two(phi, np.divide.outer(s, s))
        # The axes are the strengths of A, B, X, Y.
        gap = x[:, None, None, :] + x.T[None, None, :, :] + x.T[None, :, :, None]
        first, second = s[:, None, None, None], s[None, :, None, None]
        worth = np.argwhere((gap < -_GAP) & (first > second))
        worth = worth[np.gcd.reduce(worth + 1, axis=1) == 1]
        few = (worth[:, 0] + worth[:, 1] + 2) / np.gcd(worth[:, 0] + 1, worth[:, 1] + 1)
        cheap = np.argsort(few / -gap[tuple(worth.T)], kind="stable")[:_RINGS]
        found = [_ring(phi, [int(k) + 1 for k in worth[place]], complete) for place in cheap]
        small = [one for one in found if one is not None]
        if small:
            yield min(small, key=lambda one: one.comparisons)
            return


def _optimum_of_two(phi: Expression, odds: Array) -> Array:
    """The x that minimizes odds phi(x) + phi(-x); NaN where there is none below 40."""
    low, high = np.full_like(odds, -_FARTHEST), np.full_like(odds, _FARTHEST)
    for _ in range(60):
        x = (low + high) / 2
        rises = odds * _slope(phi, x) > _slope(phi, -x)
        low, high = np.where(rises, low, x), np.where(rises, x, high)
    return np.where(np.abs(x) < 0.999 * _FARTHEST, x, np.nan)


def _ring(phi: Expression, strengths: Sequence[int], complete: bool) -> Proposal | None:
    """The fewest comparisons, the three frequent pairs about equally often, at which A is below B."""
    seldom = ((0, 1), (0, 2), (1, 3)) if complete else ((0, 1),)
    count = 4.0
    while count < 10**6:
        a = [[Fraction(0)] * 4 for _ in strengths]
        for i, j in (*seldom, *_FREQUENT):
            common = gcd(strengths[i], strengths[j])
            wins, losses = strengths[i] // common, strengths[j] // common
            times = max(1, round(count / (wins + losses))) if (i, j) in _FREQUENT else 1
            a[i][j], a[j][i] = Fraction(times * wins), Fraction(times * losses)
        found = _inverted(phi, tuple(map(tuple, a)), "Theorem T3: a Bradley-Terry ring of four")
        if found is not None:
            return found
        count *= 1.3
    return None


# --- Kinks: exact ties at the scores 0, 0, -x ---------------------------------------------------------------


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
    >>> [one.comparisons for of_auc in (False, True) for one in tied(parse("max(0,1-x)"), of_auc)]
    [24, 11]
    """
    form = PiecewisePolynomial.of(phi)
    if form is None or not form.is_convex():
        return
    kinks = {x for x in form.breakpoints if len(set(form.slope(x))) == 2}
    places = sorted(x for x in kinks if x > 0 and -x not in kinks)
    middle = form.slope(Fraction(0))[0]
    if 0 in kinks:
        return
    for a, x in product(_of_auc() if of_auc else _additive_and_balanced(), places):
        (left, right), back = form.slope(x), form.slope(-x)[0]
        pull = (a[0][1] - a[1][0]) * middle
        slopes = ((a[2][0] * back - pull) / a[0][2], (a[2][1] * back + pull) / a[1][2])
        if all(left <= slope <= right for slope in slopes):
            scores = tuple(map(LogRational, (Fraction(0), Fraction(0), -x)))
            yield Proposal(a, scores, "A kink ties 1 and 2" + " of an AUC" * of_auc, strict=False)
            return


def _of_auc() -> list[Aggregate]:
    """x_i y_j with x_1/y_1 > x_2/y_2 > x_3/y_3, fewest comparisons first."""
    found = [
        tuple(tuple(Fraction(0 if i == j else i[0] * j[1]) for j in three) for i in three)
        for three in permutations(product(range(1, 7), repeat=2), 3)
        if all(x * v > u * y for (x, y), (u, v) in pairwise(three))
    ]
    return sorted(found, key=lambda a: sum(map(sum, a)))


def _additive_and_balanced() -> Iterator[Aggregate]:
    """In whole numbers, fewest comparisons first."""
    for n in range(2, 48, 2):
        for e, f in product(range(2, n, 2), repeat=2):
            if e + f <= n:
                yield _aggregate(_equal(3, n), [[0, e, e + f], [-e, 0, f], [-e - f, -f, 0]])


def _equal(m: int, n: Fraction | int = 1) -> list[list[Fraction | int]]:
    return [[n * (i != j) for j in range(m)] for i in range(m)]


# --- What to try for a condition and a design ---------------------------------------------------------------


_RATIOS: Final = (3, 6)
_FOLLOWS: Final = MappingProxyType(
    {
        "additive": "low-noise",
        "low-noise": "net-order",
        "net-order": "acyclic",
        "auc": "bradley-terry",
        "bradley-terry": "acyclic",
        "sst": "acyclic",
        "acyclic": "any",
    }
)
"""What follows from a condition at once, under every design."""

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
    """Uneven counts of a design that are worth trying; the very ones, if it has no name."""
    if not isinstance(design, str):
        return [design]
    if design in ("balanced", "forest"):
        return []
    ratios: Sequence[Fraction | int] = _RATIOS
    if design.startswith("ratio:"):
        ratios = [Fraction(design.removeprefix("ratio:"))]
    one, path = {(0, m - 1)}, {(i, i + 1) for i in range(m - 1)}
    star = {(0, i) for i in range(1, m)}
    found: list[Rationals] = []
    for ratio, frequent in product(ratios, (star,) if design == "product" else (one, path)):
        n = _equal(m)
        for i, j in frequent:
            n[i][j] = n[j][i] = ratio
        found.append(n)
    return found


def _proposals(phi: Expression, asked: str, design: str | Rationals, m: int) -> Iterator[Proposal]:
    """Of each construction whose condition implies the one that is asked for, whatever design results."""

    def implied(*ensured: str) -> bool:
        return any(name == asked or (name in _FOLLOWS and implied(_FOLLOWS[name])) for name in ensured)

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
    if m == 3 and implied("auc", "sst"):
        yield from tied(phi, of_auc=True)
    if m == 3 and implied("additive", "sst"):
        yield from tied(phi, of_auc=False)
    if m == 3 and implied("acyclic"):
        yield from acyclic(phi)
    if implied("net-order"):
        yield from net_ordered(phi, m)
    for a in _HARD_TO_FIND if m == 4 and implied("sst", "net-order") else ():
        found = _inverted(phi, a, "An example")
        if found is not None:
            yield found


def constructions(
    phi: Expression, condition: str = "any", design: str | Rationals = "any", m: int | None = None
) -> Iterator[Proposal]:
    """Aggregates with the condition and the design at which phi should be wrong; of m items, smallest first.

    That there are none proves nothing.

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
    >>> square = parse("(1-x)**2")
    >>> next(constructions(square, "sst")).comparisons, list(constructions(square, "sst", "product", 4))
    (21, [])
    """
    asked = "sst" if condition == _SST else condition
    if isinstance(design, str):
        counts, of_design = None, named_design(design).holds
        sizes = (3, 4) if m is None else (m,)
    else:
        counts = [[Fraction(x) for x in row] for row in design]
        of_design, sizes = (lambda a: schedule(a) == counts), (len(counts),)
        if m not in (None, *sizes):
            raise InputError(f"the design is of {len(counts)} items, and {m} are asked for")
        design = "balanced" if named_design("balanced").test(counts) else counts
    for size in sizes if design != "forest" and falls_at_0(phi) else ():
        found = list(_proposals(phi, asked, design, size))
        if counts is not None:
            found = [_scaled(one, counts[0][1]) for one in found]
        fit = (one for one in found if of_design(one.aggregate) and has(asked, one.aggregate))
        yield from sorted(fit, key=lambda one: one.comparisons)


def _scaled(one: Proposal, count: Fraction) -> Proposal:
    """The same proportions, with so many comparisons of the first two items."""
    factor = count / (one.aggregate[0][1] + one.aggregate[1][0])
    return replace(one, aggregate=tuple(tuple(factor * x for x in row) for row in one.aggregate))
