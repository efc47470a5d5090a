"""Inverse search: the distributions for which given scores are optimal form a polytope."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice, permutations, product
from random import Random
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.core.orders import Pair
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, cone, fewest_shapes
from consistency_lab.model.posets import LinearForm, Relation
from consistency_lab.model.surrogates import Surrogate, Term
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.compiling import is_installed, is_loaded
from consistency_lab.numbers.exact import LogRational, integer_multiple
from consistency_lab.numbers.phi import PiecewisePolynomial, exact_slopes
from consistency_lab.search.effort import Effort
from consistency_lab.search.size import TermTable, sees_difference_only
from consistency_lab.solve.kinds import Kind, kind_of
from consistency_lab.solve.lp import FloatSolver, LPStatus, solve_lp
from consistency_lab.solve.numeric import compiled
from consistency_lab.solve.stationary import Scores, argument

# --- Where to put the scores of an inverse search: grids on which slopes are exact, if there is one ------


_QUARTERS: Final = tuple(LogRational(Fraction(n, 4)) for n in (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16))
_WHOLE: Final = range(5)
_LOGS: Final = tuple(
    LogRational(Fraction(0), Fraction(q))
    for q in ("1", "5/4", "3/2", "2", "5/2", "3", "4", "6", "8", "12", "20")
)
_PROBES: Final = (
    ("rational", LogRational(Fraction(1, 3))),
    ("log-rational", LogRational(Fraction(0), Fraction(2))),
)
_LARGEST: Final = 4000


@frozen
class ScoreGrid:
    """Candidate scores."""

    name: str  #: "corners", "rational", "log-rational" or "floating" (slopes not exact anywhere we know).
    values: tuple[LogRational, ...]  #: The values that a score may take, increasing from 0.

    @property
    def exact(self) -> bool:
        """Whether slopes are rational on it."""
        return self.name != "floating"

    def scores(self, m: int) -> Iterator[Scores]:
        """All score vectors with least score 0, fewer values for more items, ties included."""
        values = self.values
        while len(values) ** m > _LARGEST * m and len(values) > m:
            values = values[:-1]
        zero = LogRational(Fraction(0))
        return (s for s in product(values, repeat=m) if zero in s)


def grid_for(terms: Sequence[Term]) -> ScoreGrid:
    """The finest grid on which all terms have rational slopes; multiples of the one kink, if that is all."""
    corner = _corner(terms)
    if corner is not None:
        multiples = (corner.times(Fraction(n)) for n in _WHOLE)
        return ScoreGrid("corners", tuple(value for value in multiples if value is not None))
    for name, probe in _PROBES:
        if all(None not in exact_slopes(term.phi, probe - term.b) for term in terms):
            return ScoreGrid(name, _LOGS if name == "log-rational" else _QUARTERS)
    return ScoreGrid("floating", _QUARTERS)


def _corner(terms: Sequence[Term]) -> LogRational | None:
    """The one positive score difference at which all terms have their kink, if there is one."""
    corners = set()
    for term in terms:
        form = PiecewisePolynomial.of(term.phi)
        if form is None or form.degree > 1 or len(form.breakpoints) != 1 or len(term.v) != 2:
            return None
        corners.add(LogRational(form.breakpoints[0]) + term.b)
    corner = corners.pop() if len(corners) == 1 else None
    return corner if corner is not None and corner.sign() > 0 else None


# --- The condition, cut into polyhedral cones: one for each shape of the differences ---------------------


@frozen
class ShapeRows:
    """The rows that do not depend on the scores: the condition on one shape of the difference graph."""

    m: int  #: The number of items.
    #: The pairs (i, j) with d_ij >= 0, d being 0 on the others; None if nothing is known of the signs.
    relation: frozenset[Pair] | None
    #: Linear forms in d that are 0, and at most 0.
    equal: list[LinearForm]
    upper: list[LinearForm]


def shapes(surrogate: Surrogate, condition: str, m: int) -> Iterator[ShapeRows]:
    """The condition, cut into polyhedral cones, the largest shapes first; none if it has no cones."""
    if not CONDITIONS[condition].of_differences:
        return
    relations = closed_shapes(condition, m)
    if relations is not None:
        for relation in relations:
            rows = cone(condition, relation, m)
            yield ShapeRows(m, relation, list(rows.equalities), [_negative(row) for row in rows.inequalities])
        return
    best = [_negative(row) for row in identity_is_best(m)]
    if not sees_difference_only(surrogate):
        yield ShapeRows(m, None, [], best)
        return
    for choice in product(*(((i, j), (j, i)) for i, j in combinations(range(m), 2))):
        signs = [_negative({pair: Fraction(1)}) for pair in choice]
        yield ShapeRows(m, frozenset(choice), [], signs + best)


def closed_shapes(condition: str, m: int) -> list[Relation] | None:
    """Relations whose closed cones hold all d of a condition but 0, the largest first; None for "any"."""
    relations = fewest_shapes(condition, m)
    return None if relations is None else sorted(filter(None, relations), key=len, reverse=True)


def on_edges(form: LinearForm, pairs: Sequence[Pair]) -> list[Fraction]:
    """A linear form in d written in the edges a: d_ij = a_ij - a_ji."""
    zero = Fraction(0)
    return [form.get((i, j), zero) - form.get((j, i), zero) for i, j in pairs]


def identity_is_best(m: int) -> Iterator[LinearForm]:
    """loss(sigma) - loss(identity) >= 0 for every order sigma, as forms in d."""
    for order in permutations(range(m)):
        place = {item: k for k, item in enumerate(order)}
        row = {(i, j): Fraction(1) for i, j in combinations(range(m), 2) if place[i] > place[j]}
        if row:
            yield row


def _negative(form: LinearForm) -> LinearForm:
    return {pair: -c for pair, c in form.items()}


# --- The programs of the inverse search in floats: the worst distributions for many scores at once -------
# The unknowns are edges; where a slope has a kink at the scores, an edge comes once for each extreme slope.
#
# See docs/theory.md, Inverse search.

_BESIDE: Final = 1e-9
_KINK: Final = 1e-7
"""A slope that changes by more than this between such close points has a kink between them."""


@final
@dataclass(frozen=True, eq=False)
class Worst:
    """The worst distributions for given scores, in floats."""

    regret: Floats
    a: Floats  #: Shape (B, m, m): aggregates that attain it.


@final
@dataclass(frozen=True, eq=False)
class InversePrograms:
    """The programs for one surrogate and one shape of the difference graph."""

    table: TermTable  #: The terms of the surrogate.
    shape: ShapeRows  #: The condition on one shape.

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The edges that may carry weight."""
        everything = permutations(range(self.table.m), 2)
        only = self.shape.relation if self.table.difference else None
        return [pair for pair in everything if only is None or pair in only]

    @cached_property
    def rows(self) -> tuple[Floats, Floats]:
        """The condition over the pairs: what is 0, and what is at most 0."""
        equal, upper = (
            np.array([on_edges(row, self.pairs) for row in block], dtype=float).reshape(-1, len(self.pairs))
            for block in (self.shape.equal, self.shape.upper)
        )
        return equal, upper

    def wrong(self, scores: Floats, *, ties: bool) -> Floats:
        """The regret of scores (B, m) as linear forms in the edges, shape (B, pairs)."""
        relation = self.shape.relation
        forms = np.zeros((len(scores), len(self.pairs)))
        for k, (i, j) in enumerate(self.pairs):
            if relation is not None and (i, j) not in relation and (j, i) not in relation:
                continue
            above, below = scores[:, min(i, j)], scores[:, max(i, j)]
            inverted = (above <= below) if ties else (above < below)
            forms[:, k] = np.where(inverted, 1.0 if i < j else -1.0, 0.0)
        return forms

    def solve(self, scores: Floats, *, ties: bool, machine_code: bool | None = None) -> Worst:
        """The worst distributions for scores of shape (B, m), in which equal scores are exactly equal."""
        m = self.table.m
        chosen, gradient = self._columns(scores)
        equal, upper = self.rows
        cost = self.wrong(scores, ties=ties)[:, chosen]
        rows = np.concatenate(
            (gradient, np.broadcast_to(equal[:, chosen], (len(scores), len(equal), len(chosen)))), axis=1
        )
        known = np.isfinite(rows).all(axis=(1, 2))
        values, points = np.full(len(scores), np.nan), np.zeros(cost.shape)
        fast = is_loaded() if machine_code is None else machine_code
        find = _compiled if fast and is_installed() else _one_by_one
        values[known], points[known] = find(cost[known], rows[known], np.ascontiguousarray(upper[:, chosen]))
        a = np.zeros((len(scores), m, m))
        for column, k in enumerate(chosen):
            a[:, self.pairs[k][0], self.pairs[k][1]] += points[:, column]
        return Worst(values, a)

    @np.errstate(over="ignore", invalid="ignore")
    def _columns(self, scores: Floats) -> tuple[Sequence[int], Floats]:
        """For each column the number of its pair, and what it adds to the gradient: shape (B, m, columns)."""
        structure, m = self.table.structure, self.table.m
        at = scores @ structure.V.T - structure.b
        left, right = np.empty_like(at), np.empty_like(at)
        kinked = np.zeros(len(structure.V), dtype=bool)
        for k, phi in enumerate(structure.functions):
            own, slope = structure.function_index == k, compiled(phi)
            if kind_of(phi) in (Kind.SMOOTH, Kind.STRAIGHT):
                left[:, own] = right[:, own] = slope(at[:, own])[1]
                continue
            left[:, own], right[:, own] = slope(at[:, own] - _BESIDE)[1], slope(at[:, own] + _BESIDE)[1]
            kinked[own] = (right[:, own] - left[:, own] > _KINK).any(axis=0)
        chosen: list[int] = []
        shares, sides = [], []
        for k, (i, j) in enumerate(self.pairs):
            share = self.table.matrix[i * m + j]
            ends = [(False, True) if c and bent else (False,) for c, bent in zip(share, kinked, strict=True)]
            for side in product(*ends):
                chosen.append(k)
                shares.append(share)
                sides.append(side)
        slopes = np.where(np.array(sides), right[:, None, :], left[:, None, :]) * np.array(shares)
        return chosen, np.ascontiguousarray((slopes @ structure.V).transpose(0, 2, 1))


def _compiled(cost: Floats, equal: Floats, upper: Floats) -> tuple[Floats, Floats]:
    from consistency_lab.search.inverse_simplex import maximize

    values, points = maximize(cost, equal, upper)
    rest = np.flatnonzero(np.isnan(values))
    values[rest], points[rest] = _one_by_one(cost[rest], equal[rest], upper)
    return values, points


def _one_by_one(cost: Floats, equal: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Solve the programs by HiGHS, when they are too few to justify a compiler."""
    solver = FloatSolver()
    values, points = np.full(len(cost), -np.inf), np.zeros_like(cost)
    ones, none = np.ones((1, cost.shape[1])), np.zeros(len(upper))
    for k, (c, rows) in enumerate(zip(cost, equal, strict=True)):
        right = np.zeros(len(rows) + 1)
        right[-1] = 1.0
        solution = solver.solve(-c, np.vstack((rows, ones)), right, upper, none)
        if solution.status is LPStatus.OPTIMAL:
            values[k], points[k] = -solution.value, solution.x
    return values, points


# --- Inverse search: the distributions for which given scores are optimal form a polytope ----------------
# For fixed scores alpha, both stationarity and the condition are linear in the aggregate a, and so is the
# regret of alpha: the worst distribution for these scores is one small linear program.
#
# See docs/theory.md, Inverse search.

_WORTH: Final = 1e-6
_PROGRAMS: Final = 4_000
_PER_SHAPE: Final = 1_000
"""The most programs in all, and for one shape of the difference graph."""

_FIRST: Final = 32
"""The first batch; each later batch is twice as large until something stops the search."""

_WORTH_LOADING: Final = 1_000
"""Programs solved before loading the compiler; they take as long as loading it."""


@frozen
class Candidate:
    """A distribution at which the scores are stationary and in a wrong order."""

    #: The aggregate in whole numbers; without common divisor, and stationary, if `exact`.
    a: tuple[tuple[Fraction, ...], ...]
    scores: Scores  #: The scores.
    regret: float  #: Their regret, a share of the total weight, as a float.
    strict: bool  #: Whether the regret counts strict inversions only.
    exact: bool


def inverse_search(
    surrogate: Surrogate, condition: str, m: int, effort: Effort, *, ties: bool, seed: int = 0
) -> Iterator[Candidate]:
    """Candidates, each the worst distribution for scores that are tried in an order the seed determines."""
    table = TermTable(surrogate, m)
    grid = grid_for(table.terms)
    order = list(grid.scores(m))
    Random(seed).shuffle(order)
    rough = {value: float(value) for value in grid.values}
    solved = 0
    for shape in shapes(surrogate, condition, m):
        programs = InversePrograms(table, shape)
        left, size, room = iter(order), _FIRST, min(_PER_SHAPE, _PROGRAMS - solved)
        while room and (block := list(islice(left, size))):
            if effort.expired:
                return
            at = np.array([[rough[value] for value in scores] for scores in block])
            wrong = np.flatnonzero(programs.wrong(at, ties=ties).any(axis=1))[:room]
            worst = programs.solve(at[wrong], ties=ties, machine_code=solved >= _WORTH_LOADING or None)
            effort.count(programs=len(wrong), steps=len(block))
            solved, room, size = solved + len(wrong), room - len(wrong), 2 * size
            for k in np.flatnonzero(worst.regret > _WORTH):
                scores = block[wrong[k]]
                a = _exactly(programs, scores, ties) if grid.exact else _in_fractions(worst.a[k])
                if a is not None:
                    yield Candidate(a, scores, float(worst.regret[k]), not ties, grid.exact)


def _exactly(
    programs: InversePrograms, scores: Scores, ties: bool
) -> tuple[tuple[Fraction, ...], ...] | None:
    """The worst aggregate for these scores in whole numbers, or None where a slope is not rational."""
    table, shape = programs.table, programs.shape
    m, zero = table.m, Fraction(0)
    slopes: list[tuple[Fraction, ...]] = []
    for term in table.terms:
        left, right = exact_slopes(term.phi, argument(term, scores))
        if left is None or right is None:
            return None
        slopes.append((left, right) if left < right else (left,))
    pairs: list[Pair] = []
    gradients: list[list[Fraction]] = []
    cost: list[Fraction] = []
    # Equal scores are equal as floats too, and others of a grid differ by far.
    wrong = programs.wrong(np.array([[float(score) for score in scores]]), ties=ties)[0]
    for (i, j), form in zip(programs.pairs, wrong.tolist(), strict=True):
        used = [(t, c) for t, c in enumerate(table.exact[i * m + j]) if c]
        for choice in product(*(slopes[t] for t, _ in used)):
            gradient = [zero] * m
            for (t, c), slope in zip(used, choice, strict=True):
                for item, n in table.terms[t].v:
                    gradient[item] += c * n * slope
            pairs.append((i, j))
            gradients.append(gradient)
            cost.append(Fraction(-form))
    rows = [list(row) for row in zip(*gradients, strict=True)] or [[] for _ in range(m)]
    rows += [[Fraction(1)] * len(pairs), *(on_edges(row, pairs) for row in shape.equal)]
    solution = solve_lp(
        cost,
        rows,
        [Fraction(k == m) for k in range(len(rows))],
        [on_edges(row, pairs) for row in shape.upper],
        [zero] * len(shape.upper),
    )
    if solution.status is not LPStatus.OPTIMAL:
        return None
    a = [[zero] * m for _ in range(m)]
    for (i, j), value in zip(pairs, integer_multiple(solution.x)[0], strict=True):
        a[i][j] += value
    return tuple(map(tuple, a))


def _in_fractions(a: NDArray[np.float64]) -> tuple[tuple[Fraction, ...], ...]:
    """The aggregate in whole numbers, nearly."""
    m = len(a)
    flat = [Fraction(max(value, 0.0)).limit_denominator(10**6) for value in a.ravel().tolist()]
    whole = integer_multiple(flat)[0]
    return tuple(tuple(map(Fraction, whole[i * m : (i + 1) * m])) for i in range(m))
