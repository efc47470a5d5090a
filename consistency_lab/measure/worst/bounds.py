"""Upper bounds of the regret on boxes of score gaps, by linear programming duality; and their exact check.

For scores in an order, with every gap between neighbors in an interval, each subgradient g_ij of phi at
alpha_i - alpha_j lies between two numbers. Where the scores minimize W, some w_ij = a_ij g_ij have
sum_j w_ij = sum_j w_ji at every item (docs/theory.md, Inverse search), and lo a_ij <= w_ij <= hi a_ij:
linear in (a, w). So any multipliers pi of the items and lambda >= 0 of the condition's forms f_r >= 0 show
that the regret c of the order, where sum of a = 1, is at most

    max over pairs of  c_ij + sum_r lambda_r f_r,ij - (pi_i - pi_j) g,    g = lo or hi,

provided that pi_i <= pi_j where lo is minus infinity, and pi_i >= pi_j where hi is infinity: with
g = -(large) the term -(pi_i - pi_j) g must not grow.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import UnsupportedError
from consistency_lab.measure.worst.pieces import Order, Piece
from consistency_lab.measure.worst.simplex import solve_stack
from consistency_lab.measure.worst.slopes import UNIT, SlopeTable

Floats = NDArray[np.float64]
Objects = NDArray[Any]

GRAIN: Final = 60
"""Multipliers are rounded to units of 2^-60."""

WHOLE: Final = 1 << (GRAIN + UNIT)
"""A regret of 1, in the units of `proved`."""

_TO_INT: Final = np.frompyfunc(int, 1, 1)
_SCALE: Final = float(1 << UNIT)
_STEEP: Final = _SCALE * (1 << 16)


@final
@dataclass(frozen=True)
class Cell:
    """One piece of the condition and one order of the scores (ties included on its boundary)."""

    piece: Piece
    order: Order

    @cached_property
    def spans(self) -> tuple[tuple[int, int, int], ...]:
        """For each pair (i, j): the places that it spans, from above to below, and 1 if i stands above j."""
        place = {item: k for k, item in enumerate(self.order)}
        ends = [(place[i], place[j]) for i, j in self.piece.pairs]
        return tuple((min(p, q), max(p, q), 1 if p < q else -1) for p, q in ends)

    @cached_property
    def cost(self) -> Floats:
        """The regret of the order as a form in a, shape (pairs,); whole numbers."""
        return _array([self.piece.on_pairs(self.piece.regret(self.order))]).reshape(-1)

    @cached_property
    def forms(self) -> Floats:
        """The condition's forms >= 0, equalities twice with both signs, shape (forms, pairs)."""
        piece = self.piece
        equal = [piece.on_pairs(form) for form in piece.equal]
        both = equal + [[-x for x in row] for row in equal]
        return _array([*both, *map(piece.on_pairs, piece.least)]).reshape(-1, len(piece.pairs))

    @cached_property
    def balance(self) -> Floats:
        """+1 at the upper end of a pair and -1 at its lower end, shape (m, pairs)."""
        table = np.zeros((self.piece.m, len(self.piece.pairs)))
        for k, (i, j) in enumerate(self.piece.pairs):
            table[i, k], table[j, k] = 1.0, -1.0
        return table

    def slopes(self, low: Floats, high: Floats, table: SlopeTable) -> tuple[Objects, Objects]:
        """Bounds of all subgradients on boxes of gaps (B, m - 1), each of shape (B, pairs)."""
        near = np.stack([low[:, p:q].sum(axis=1) for p, q, _ in self.spans], axis=1)
        far = np.stack([high[:, p:q].sum(axis=1) for p, q, _ in self.spans], axis=1)
        down = np.array([sign > 0 for _, _, sign in self.spans])
        return table.bounds(np.where(down, near, -far), np.where(down, far, -near))


@final
@dataclass(frozen=True)
class Proposal:
    """Multipliers for boxes of one cell, and what the float solver says besides.

    Parameters
    ----------
    pi, forms
        Whole numbers of 2^-60 of shapes (B, m) and (B, forms).
    values
        The float values.
    optimal
        Where the solver came to its end.
    used
        The float aggregate, shape (B, pairs); means nothing where the solver stopped early.
    """

    pi: Objects
    forms: Objects
    values: Floats
    optimal: NDArray[np.bool_]
    used: Floats


def propose(cell: Cell, least: Objects, most: Objects, enough: Floats | None = None) -> Proposal:
    """Multipliers that the stacked simplex method proposes for boxes.

    Parameters
    ----------
    least, most
        The slopes of `Cell.slopes`.
    enough
        As in `solve_stack`.
    """
    batch, pairs = least.shape
    m = cell.piece.m
    rows = np.zeros((batch, m - 1 + len(cell.forms), 2 * pairs))
    weights, costs = np.empty((batch, 2 * pairs)), np.empty((batch, 2 * pairs))
    for half, slopes in enumerate((least, most)):
        g = slopes.astype(float) / _SCALE
        finite = np.isfinite(g)
        size = 1.0 / np.maximum(1.0, np.abs(np.where(finite, g, 1.0)))
        columns = slice(half * pairs, (half + 1) * pairs)
        weight = np.where(finite, size, 0.0)
        weights[:, columns] = weight
        costs[:, columns] = cell.cost * weight
        w = np.where(finite, np.where(finite, g, 0.0) * size, np.sign(g))
        rows[:, : m - 1, columns] = cell.balance[None, :-1] * w[:, None]
        rows[:, m - 1 :, columns] = -cell.forms[None] * weight[:, None]
    found = solve_stack(costs, rows, m - 1, weights, enough)
    pi = np.hstack((found.y[:, : m - 1], np.zeros((batch, 1))))
    _repair(cell, pi, least, most)
    lambdas = np.maximum(found.y[:, m - 1 :], 0.0)
    mass = found.x * weights
    used = mass[:, :pairs] + mass[:, pairs:]
    return Proposal(_whole(pi), _whole(lambdas), found.values, found.optimal, used)


def proved(cell: Cell, proposal: Proposal, least: Objects, most: Objects) -> Objects:
    """The exact bounds that multipliers prove, in units of 2^-(60+40); 1 where they prove nothing.

    Only whole numbers are added and multiplied. A negative multiplier of a form proves nothing.
    """
    cost, forms = _exact(cell.cost), _exact(cell.forms)
    base = cost * WHOLE + (proposal.forms @ forms if len(forms) else 0) * (1 << UNIT)
    upper = [i for i, _ in cell.piece.pairs]
    lower = [j for _, j in cell.piece.pairs]
    pull = proposal.pi[:, upper] - proposal.pi[:, lower]
    endless_low, endless_high = np.isinf(least.astype(float)), np.isinf(most.astype(float))
    # On the side of an infinite slope the term falls without bound, or does not depend on g at all.
    low = np.where(endless_low, np.where(endless_high, 0, most), least)
    high = np.where(endless_high, low, most)
    terms = np.maximum(base - pull * low, base - pull * high)
    bad = (endless_low & (pull > 0)) | (endless_high & (pull < 0))
    worthless = bad.any(axis=1) | (proposal.forms < 0).any(axis=1)
    bound = np.maximum(terms.max(axis=1), 0)
    return np.where(worthless, WHOLE, np.minimum(bound, WHOLE))


def as_fraction(bound: int) -> Fraction:
    """A bound of `proved` as a rational."""
    return Fraction(int(bound), WHOLE)


def _repair(cell: Cell, pi: Floats, least: Objects, most: Objects) -> None:
    """Make pi fit endless (or very steep) slopes, in place: it must not rise from above to below there."""
    endless = (least.astype(float) < -_STEEP) | (most.astype(float) > _STEEP)
    m = cell.piece.m
    for upper in range(m - 1):
        for lower in range(upper + 1, m):
            top, bottom = cell.order[upper], cell.order[lower]
            for k, (p, q, _) in enumerate(cell.spans):
                if (p, q) == (upper, lower):
                    pi[:, bottom] = np.where(
                        endless[:, k], np.minimum(pi[:, top], pi[:, bottom]), pi[:, bottom]
                    )


def _whole(values: Floats) -> Objects:
    modest = np.clip(np.nan_to_num(values), -_SCALE, _SCALE)
    return np.asarray(_TO_INT(np.ldexp(modest, GRAIN)), dtype=object)


def _exact(values: Floats) -> Objects:
    return values.astype(np.int64).astype(object)


def _array(rows: list[list[Fraction]]) -> Floats:
    """Forms with whole coefficients, which floats hold exactly."""
    if any(x.denominator > 1 for row in rows for x in row):
        raise UnsupportedError("a form of the condition has a coefficient that is no whole number")
    return np.array([[float(x) for x in row] for row in rows])
