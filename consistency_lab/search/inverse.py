"""Inverse search: the distributions for which given scores are optimal form a polytope (THEORY §5).

For fixed scores alpha, both stationarity and the condition are linear in the aggregate a, and so is the
regret of alpha: the worst distribution for these scores is one small linear program.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations, product
from random import Random
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import Ball, LogRational, integer_multiple
from consistency_lab.model.conditions import cone, orientations_for
from consistency_lab.model.posets import chain
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.phi import Expression, enclose_slopes, exact_slopes
from consistency_lab.search.effort import Effort
from consistency_lab.search.grids import Scores, grid_for
from consistency_lab.search.realize import TermTable, sees_difference_only
from consistency_lab.solve.exact_lp import FloatSolution, FloatSolver, LPStatus, solve_lp
from consistency_lab.solve.stationary import argument

Pair = tuple[int, int]
Row = Mapping[Pair, Fraction]
Floats = NDArray[np.float64]

_WORTH: Final = 1e-6
_PROGRAMS: Final = 4_000
_PER_SHAPE: Final = 1_000
"""At most so many programs in all, and for one shape of the difference graph."""


@final
@dataclass(frozen=True)
class Candidate:
    """A distribution at which the scores are stationary and in a wrong order.

    Parameters
    ----------
    a
        The aggregate in whole numbers; without common divisor, and stationary, if `exact`.
    scores
        The scores.
    regret
        Their regret, a share of the total weight, as a float.
    strict
        Whether the regret counts strict inversions only.
    """

    a: tuple[tuple[Fraction, ...], ...]
    scores: Scores
    regret: float
    strict: bool
    exact: bool


@final
@dataclass(frozen=True)
class _Columns:
    """The unknowns for given scores: an edge, and an extreme choice of slopes at kinks.

    A unit of column k adds `gradient[k]` to the gradient of W.
    """

    pairs: list[Pair]
    gradient: list[tuple[Fraction, ...]]

    def only(self, relation: frozenset[Pair]) -> "_Columns":
        """The columns on the pairs of a relation."""
        kept = [k for k, pair in enumerate(self.pairs) if pair in relation]
        return _Columns([self.pairs[k] for k in kept], [self.gradient[k] for k in kept])

    @cached_property
    def floats(self) -> Floats:
        """The gradients as an array of shape (m, columns)."""
        return np.array(self.gradient, dtype=float).T


@final
@dataclass(frozen=True)
class _Shape:
    """The rows that do not depend on the scores: the condition on one shape of the difference graph."""

    m: int
    relation: frozenset[Pair] | None
    equal: list[Row]
    upper: list[Row]

    @cached_property
    def floats(self) -> tuple[Floats, Floats]:
        """The rows over all ordered pairs, in floats."""
        pairs = list(permutations(range(self.m), 2))
        rows = [
            np.array([_on_edges(row, pairs) for row in block], dtype=float).reshape(-1, len(pairs))
            for block in (self.equal, self.upper)
        ]
        return rows[0], rows[1]


def inverse_search(
    surrogate: Surrogate, condition: str, m: int, effort: Effort, *, ties: bool, seed: int = 0
) -> Iterator[Candidate]:
    """Candidates in order of discovery, each the worst distribution for its scores.

    The scores are tried in an order that the seed determines.

    Parameters
    ----------
    surrogate
        One whose risk is linear in the aggregate's edges (every family; the difference graph on a given
        orientation).
    condition, m
        Where to look.
    effort
        Budget and counters.
    ties
        Count a tie on an edge i → j, i < j, as wrong, as the paper's rule does; else strict inversions only.
    seed
        Of the order of trial.
    """
    table = TermTable(surrogate, m)
    grid = grid_for(table.terms)
    solver = FloatSolver()
    place = {pair: k for k, pair in enumerate(permutations(range(m), 2))}
    order = list(grid.scores(m))
    Random(seed).shuffle(order)
    prepared: dict[Scores, _Columns | None] = {}
    known: Known = {}
    solved = 0
    for shape in _shapes(surrogate, condition, m):
        solved_here = 0
        for scores in order:
            if effort.expired or solved_here >= _PER_SHAPE or solved >= _PROGRAMS:
                break
            wrong = _wrong(scores, shape.relation, m, ties)
            if not wrong:
                continue
            if scores not in prepared:
                prepared[scores] = _columns(table, scores, grid.exact, known)
            columns = prepared[scores]
            if columns is None:
                continue
            if table.difference and shape.relation is not None:
                columns = columns.only(shape.relation)
            effort.programs += 1
            solved += 1
            solved_here += 1
            worst = _solve_float(columns, shape, wrong, place, solver)
            if worst is None or worst.value > -_WORTH:
                continue
            x = _solve_exact(columns, shape, wrong) if grid.exact else _floats_to_fractions(worst.x)
            if x is not None:
                yield Candidate(_aggregate(columns, x, m), scores, -worst.value, not ties, grid.exact)


def _shapes(surrogate: Surrogate, condition: str, m: int) -> Iterator[_Shape]:
    """The condition, cut into polyhedral cones; the largest shapes first."""
    if condition != "any":
        # The closed cone of an acyclic chain contains those of all other shapes.
        relations = [chain(m)] if condition == "acyclic" else orientations_for(condition, m) or ()
        for relation in sorted(relations, key=len, reverse=True):
            rows = cone(condition, relation, m)
            yield _Shape(m, relation, list(rows.equalities), [_negative(row) for row in rows.inequalities])
        return
    best = [_negative(row) for row in _identity_is_best(m)]
    if not sees_difference_only(surrogate):
        yield _Shape(m, None, [], best)
        return
    for choice in product(*(((i, j), (j, i)) for i, j in combinations(range(m), 2))):
        signs = [_negative({pair: Fraction(1)}) for pair in choice]
        yield _Shape(m, frozenset(choice), [], signs + best)


Known = dict[tuple[Expression, LogRational], tuple[Fraction, ...] | None]


def _columns(table: TermTable, scores: Scores, exact: bool, known: Known) -> _Columns | None:
    """All columns for these scores, or None where a slope is not known; slopes are looked up in `known`."""
    m = table.m
    slopes: list[tuple[Fraction, ...]] = []
    for term in table.terms:
        point = term.phi, argument(term, scores)
        if point not in known:
            known[point] = _extremes(*point, exact)
        extremes = known[point]
        if extremes is None:
            return None
        slopes.append(extremes)
    columns = _Columns([], [])
    for i, j in permutations(range(m), 2):
        used = [t for t, c in enumerate(table.exact[i * m + j]) if c]
        for choice in product(*(slopes[t] for t in used)):
            gradient = [Fraction(0)] * m
            for t, slope in zip(used, choice, strict=True):
                for item, n in table.terms[t].v:
                    gradient[item] += table.exact[i * m + j][t] * n * slope
            columns.pairs.append((i, j))
            columns.gradient.append(tuple(gradient))
    return columns


def _extremes(phi: Expression, at: LogRational, exact: bool) -> tuple[Fraction, ...] | None:
    """The slope of phi, or the two one-sided ones at a kink."""
    left: Fraction | None
    right: Fraction | None
    if exact:
        left, right = exact_slopes(phi, at)
    else:
        left, right = (_middle(ball) for ball in enclose_slopes(phi, at))
    if left is None or right is None:
        return None
    return (left, right) if left < right else (left,)


def _middle(ball: Ball) -> Fraction | None:
    value = float(ball)
    return Fraction(value).limit_denominator(10**9) if np.isfinite(value) else None


def _wrong(scores: Scores, relation: frozenset[Pair] | None, m: int, ties: bool) -> Row:
    """The regret against the order 0, 1, ..., m-1 as a linear form in d."""
    form: dict[Pair, Fraction] = {}
    for i, j in combinations(range(m), 2):
        sign = (scores[i] - scores[j]).sign()
        if (sign < 0 or (sign == 0 and ties)) and (
            relation is None or (i, j) in relation or (j, i) in relation
        ):
            form[i, j] = Fraction(1)
    return form


def _identity_is_best(m: int) -> Iterator[Row]:
    """loss(sigma) - loss(identity) >= 0 for every order sigma, as forms in d."""
    for order in permutations(range(m)):
        place = {item: k for k, item in enumerate(order)}
        row = {(i, j): Fraction(1) for i, j in combinations(range(m), 2) if place[i] > place[j]}
        if row:
            yield row


def _negative(form: Row) -> Row:
    return {pair: -c for pair, c in form.items()}


def _on_edges(form: Row, pairs: Sequence[Pair]) -> list[Fraction]:
    """A linear form in d written in the edges a: d_ij = a_ij - a_ji."""
    zero = Fraction(0)
    return [form.get((i, j), zero) - form.get((j, i), zero) for i, j in pairs]


def _solve_float(
    columns: _Columns, shape: _Shape, wrong: Row, place: Mapping[Pair, int], solver: FloatSolver
) -> FloatSolution | None:
    """Maximize the regret of the scores over the distributions of total weight 1 that make them optimal."""
    index = [place[pair] for pair in columns.pairs]
    equal, upper = shape.floats
    rows = np.vstack((columns.floats, np.ones((1, len(index))), equal[:, index]))
    right = np.zeros(len(rows))
    right[shape.m] = 1.0
    cost = np.array([-float(x) for x in _on_edges(wrong, columns.pairs)])
    solution = solver.solve(cost, rows, right, upper[:, index], np.zeros(len(upper)))
    return solution if solution.status is LPStatus.OPTIMAL else None


def _solve_exact(columns: _Columns, shape: _Shape, wrong: Row) -> Sequence[Fraction] | None:
    """The same program in rationals."""
    zero = Fraction(0)
    rows = [[gradient[k] for gradient in columns.gradient] for k in range(shape.m)]
    rows.append([Fraction(1)] * len(columns.pairs))
    rows += [_on_edges(row, columns.pairs) for row in shape.equal]
    right = [zero] * len(rows)
    right[shape.m] = Fraction(1)
    solution = solve_lp(
        [-x for x in _on_edges(wrong, columns.pairs)],
        rows,
        right,
        [_on_edges(row, columns.pairs) for row in shape.upper],
        [zero] * len(shape.upper),
    )
    return solution.x if solution.status is LPStatus.OPTIMAL else None


def _floats_to_fractions(x: Floats) -> list[Fraction]:
    return [Fraction(max(float(value), 0.0)).limit_denominator(10**6) for value in x]


def _aggregate(columns: _Columns, x: Sequence[Fraction], m: int) -> tuple[tuple[Fraction, ...], ...]:
    """The aggregate in whole numbers."""
    a = [[Fraction(0)] * m for _ in range(m)]
    for (i, j), value in zip(columns.pairs, integer_multiple(x)[0], strict=True):
        a[i][j] += value
    return tuple(map(tuple, a))
