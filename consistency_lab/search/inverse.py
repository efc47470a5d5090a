"""Inverse search: the distributions for which given scores are optimal form a polytope.

For fixed scores alpha, both stationarity and the condition are linear in the aggregate a, and so is the
regret of alpha: the worst distribution for these scores is one small linear program.

See docs/theory.md, Inverse search.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice, product
from random import Random
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import integer_multiple
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.phi import exact_slopes
from consistency_lab.search.effort import Effort
from consistency_lab.search.grids import Scores, grid_for
from consistency_lab.search.inverse_programs import InversePrograms
from consistency_lab.search.inverse_shapes import Pair, Row, Shape, on_edges, shapes
from consistency_lab.search.realize import TermTable
from consistency_lab.solve.exact_lp import LPStatus, solve_lp
from consistency_lab.solve.stationary import argument

_WORTH: Final = 1e-6
_PROGRAMS: Final = 4_000
_PER_SHAPE: Final = 1_000
"""At most so many programs in all, and for one shape of the difference graph."""

_FIRST: Final = 32
"""So many are solved at once at first, and twice as many each time nothing stops the search."""

_WORTH_LOADING: Final = 1_000
"""After so many programs a compiler is loaded: they take as long as loading it."""


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
    """The worst aggregate for these scores, or None where a slope is not rational."""
    m, shape = programs.table.m, programs.shape
    columns = _columns(programs.table, scores, programs.pairs)
    if columns is None:
        return None
    x = _solve_exact(columns, shape, _wrong(scores, shape.relation, m, ties))
    return None if x is None else _aggregate(columns, x, m)


def _columns(table: TermTable, scores: Scores, pairs: Sequence[Pair]) -> _Columns | None:
    """All columns for these scores, or None where a slope is not rational."""
    m = table.m
    slopes: list[tuple[Fraction, ...]] = []
    for term in table.terms:
        left, right = exact_slopes(term.phi, argument(term, scores))
        if left is None or right is None:
            return None
        slopes.append((left, right) if left < right else (left,))
    columns = _Columns([], [])
    for i, j in pairs:
        used = [t for t, c in enumerate(table.exact[i * m + j]) if c]
        for choice in product(*(slopes[t] for t in used)):
            gradient = [Fraction(0)] * m
            for t, slope in zip(used, choice, strict=True):
                for item, n in table.terms[t].v:
                    gradient[item] += table.exact[i * m + j][t] * n * slope
            columns.pairs.append((i, j))
            columns.gradient.append(tuple(gradient))
    return columns


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


def _solve_exact(columns: _Columns, shape: Shape, wrong: Row) -> Sequence[Fraction] | None:
    """The same program in rationals."""
    zero = Fraction(0)
    rows = [[gradient[k] for gradient in columns.gradient] for k in range(shape.m)]
    rows.append([Fraction(1)] * len(columns.pairs))
    rows += [on_edges(row, columns.pairs) for row in shape.equal]
    right = [zero] * len(rows)
    right[shape.m] = Fraction(1)
    solution = solve_lp(
        [-x for x in on_edges(wrong, columns.pairs)],
        rows,
        right,
        [on_edges(row, columns.pairs) for row in shape.upper],
        [zero] * len(shape.upper),
    )
    return solution.x if solution.status is LPStatus.OPTIMAL else None


def _in_fractions(a: NDArray[np.float64]) -> tuple[tuple[Fraction, ...], ...]:
    """The aggregate in whole numbers, nearly."""
    m = len(a)
    flat = [Fraction(max(value, 0.0)).limit_denominator(10**6) for value in a.ravel().tolist()]
    whole = integer_multiple(flat)[0]
    return tuple(tuple(map(Fraction, whole[i * m : (i + 1) * m])) for i in range(m))


def _aggregate(columns: _Columns, x: Sequence[Fraction], m: int) -> tuple[tuple[Fraction, ...], ...]:
    """The aggregate in whole numbers."""
    a = [[Fraction(0)] * m for _ in range(m)]
    for (i, j), value in zip(columns.pairs, integer_multiple(x)[0], strict=True):
        a[i][j] += value
    return tuple(map(tuple, a))
