"""The programs of the inverse search in floats: the worst distributions for many scores at once.

The unknowns are edges; where a slope has a kink at the scores, an edge comes once for each extreme slope.

See docs/theory.md, Inverse search.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.search.inverse_shapes import Shape
from consistency_lab.search.realize import TermTable
from consistency_lab.solve.compiler import is_installed, is_loaded
from consistency_lab.solve.exact_lp import FloatSolver, LPStatus
from consistency_lab.solve.kinds import Kind, kind_of
from consistency_lab.solve.numeric import compiled

Floats = NDArray[np.float64]

_BESIDE: Final = 1e-9
_KINK: Final = 1e-7
"""A slope that changes by more than this between two points so near has a kink between them."""


@final
@dataclass(frozen=True, eq=False)
class Worst:
    """The worst distributions for given scores, in floats.

    Parameters
    ----------
    regret
        Shape (B,): the largest regret of a distribution of total weight 1 at which the scores are stationary;
        -inf if there is no such distribution under the condition, NaN where a slope is not finite.
    a
        Shape (B, m, m): aggregates that attain it.
    """

    regret: Floats
    a: Floats


@final
@dataclass(frozen=True, eq=False)
class InversePrograms:
    """The programs for one surrogate and one shape of the difference graph.

    Parameters
    ----------
    table
        The terms of the surrogate.
    shape
        The condition on one shape.
    """

    table: TermTable
    shape: Shape

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The edges that may carry weight."""
        everything = permutations(range(self.table.m), 2)
        only = self.shape.relation if self.table.difference else None
        return [pair for pair in everything if only is None or pair in only]

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
        """The worst distributions for scores of shape (B, m), in which equal scores are exactly equal.

        Parameters
        ----------
        scores
            The scores.
        ties
            Count a tie on an edge i → j, i < j, as wrong, as the paper's rule does; else inversions only.
        machine_code
            Whether to load the compiler; by default it is used if something else has loaded it.
        """
        m = self.table.m
        chosen, gradient = self._columns(scores)
        equal, upper = self.shape.on(self.pairs)
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
        """For each column the number of its pair, and what it adds to the gradient: shape (B, m, columns).

        Where slopes leave the range of floats that is not finite, and `solve` leaves those scores out.
        """
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
    """The same by HiGHS, for so few programs that a compiler would not pay."""
    solver = FloatSolver()
    values, points = np.full(len(cost), -np.inf), np.zeros_like(cost)
    ones, none = np.ones((1, cost.shape[1])), np.zeros(len(upper))
    for k, (c, rows) in enumerate(zip(cost, equal, strict=True)):
        right = np.zeros(len(rows) + 1)
        right[-1] = 1.0
        found = solver.solve(-c, np.vstack((rows, ones)), right, upper, none)
        if found.status is LPStatus.OPTIMAL:
            values[k], points[k] = -found.value, found.x
    return values, points
