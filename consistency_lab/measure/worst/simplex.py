"""Thousands of tiny linear programs of one shape at once: a dual simplex method on stacked tableaus.

    maximize c x  subject to  A x = 0,  D x <= 0,  s x <= 1,  x >= 0

with s >= 0. It starts at a dual feasible basis and stays dual feasible, so its multipliers give an upper
bound whenever it stops. They are proposals: `bounds` turns them into proofs.
"""

from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TINY: Final = 1e-9
_NUDGE: Final = 1e-8
_STEPS: Final = 120


@final
@dataclass(frozen=True, slots=True)
class Stack:
    """The answers of a stack of programs.

    Parameters
    ----------
    y
        The multipliers of the rows, shape (B, R).
    x
        The basic solution, shape (B, K); not feasible where the program stopped early.
    values
        What the multipliers are worth, shape (B,).
    optimal
        Where the method came to its end.
    """

    y: Floats
    x: Floats
    values: Floats
    optimal: NDArray[np.bool_]


def solve_stack(
    costs: Floats, rows: Floats, equalities: int, weights: Floats, enough: Floats | None = None
) -> Stack:
    """Solve a stack of programs.

    Parameters
    ----------
    costs
        c, shape (B, K).
    rows
        A above D, shape (B, R, K); the first `equalities` rows are those of A.
    weights
        s, shape (B, K); c = 0 wherever s = 0.
    enough
        Shape (B,): a program may stop as soon as its bound is at most this.

    Examples
    --------
    >>> one = np.ones((1, 2))
    >>> found = solve_stack(np.array([[1.0, 0.0]]), np.array([[[1.0, -1.0]]]), 1, one)
    >>> found.y.round(6), found.values.round(6), found.x.round(6)
    (array([[0.5]]), array([0.5]), array([[0.5, 0.5]]))
    """
    batch, count, width = rows.shape
    generator = np.random.default_rng(0)
    nudge = _NUDGE * (1.0 + generator.random(width))
    tableau, basis = _start(costs + nudge * (weights > 0), rows, weights)
    y, values, x = np.zeros((batch, count)), np.zeros(batch), np.zeros((batch, tableau.shape[2]))
    optimal = np.zeros(batch, dtype=bool)
    alive = np.arange(batch)
    limit = np.full(batch, -np.inf) if enough is None else enough
    for step in range(_STEPS + 1):
        right = tableau[:, :-1, -1]
        artificial = (basis >= width) & (basis < width + equalities)
        gap = np.where(artificial, np.abs(right), -right)
        row = gap.argmax(axis=1)
        end = gap[np.arange(len(alive)), row] < _TINY
        entering, possible = _entering(tableau, row, equalities, width)
        done = end | (-tableau[:, -1, -1] <= limit) | ~possible | (step == _STEPS)
        if done.any():
            where = alive[done]
            y[where] = -tableau[done, -1, width : width + count]
            values[where] = -tableau[done, -1, -1]
            x[where[:, None], basis[done]] = right[done]
            optimal[where] = end[done]
            if done.all():
                break
            keep = ~done
            tableau, basis, alive, limit = tableau[keep], basis[keep], alive[keep], limit[keep]
            row, entering = row[keep], entering[keep]
        _pivot(tableau, row, entering)
        basis[np.arange(len(alive)), row] = entering
    return Stack(y, x[:, :width], values, optimal)


def _start(costs: Floats, rows: Floats, weights: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The tableau (rows, sum row, reduced costs) and its basis, dual feasible by one pivot in the sum row."""
    batch, count, width = rows.shape
    tableau = np.zeros((batch, count + 2, width + count + 2))
    tableau[:, :count, :width] = rows
    tableau[:, count, :width] = weights
    tableau[:, range(count + 1), range(width, width + count + 1)] = 1.0
    tableau[:, count, -1] = 1.0
    tableau[:, -1, :width] = costs
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(weights > 0, costs / weights, -np.inf)
    best = share.argmax(axis=1)
    gains = share[np.arange(batch), best] > 0
    if gains.any():
        part = tableau[gains]
        _pivot(part, np.full(len(part), count), best[gains])
        tableau[gains] = part
    basis = np.tile(np.arange(width, width + count + 1), (batch, 1))
    basis[gains, count] = best[gains]
    return tableau, basis


def _entering(
    tableau: Floats, row: NDArray[np.int64], equalities: int, width: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The ratio test: which column keeps the reduced costs at most 0, and whether there is one."""
    each = np.arange(len(tableau))
    line = tableau[each, row]
    line = np.where(line[:, -1:] < 0, line, -line)[:, :-1]
    line[:, width : width + equalities] = 0.0
    possible = line < -_TINY
    price = np.minimum(tableau[:, -1, :-1], 0.0)
    ratio = np.where(possible, price / np.where(possible, line, 1.0), np.inf)
    return ratio.argmin(axis=1), np.asarray(possible.any(axis=1))


def _pivot(tableau: Floats, row: NDArray[np.int64], column: NDArray[np.int64]) -> None:
    """One pivot in every tableau, in place."""
    each = np.arange(len(tableau))
    lead = tableau[each, row, column]
    line = tableau[each, row] / lead[:, None]
    factor = tableau[each, :, column]
    factor[each, row] = 0.0
    tableau -= factor[:, :, None] * line[:, None, :]
    tableau[each, row] = line
