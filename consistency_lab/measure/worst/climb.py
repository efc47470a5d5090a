"""The lower end of a worst case in floats: the best scores of each order, on a grid that zooms."""

from dataclasses import dataclass
from itertools import product
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.measure.worst.bounds import WHOLE, Cell, propose, proved
from consistency_lab.measure.worst.slopes import SlopeTable
from consistency_lab.search.effort import Effort

Floats = NDArray[np.float64]

_MARKS: Final = (
    (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0),
    (0.0, 0.5, 1.0, 1.5, 2.0, 4.0),
    (0.0, 1.0, 2.0),
)
"""Grids of gaps, the first one that is not too large for the number of items."""

_MANY: Final = 250
_STARTS: Final = 8
_PER_CELL: Final = 2
_ROUNDS: Final = 200
_FINEST: Final = 2.0**-34
_NOTHING: Final = 1e-7
"""Float regrets below this are 0."""


@final
@dataclass(frozen=True, slots=True)
class Summit:
    """The best scores that the floats found in one cell.

    Parameters
    ----------
    cell
        The piece and the order.
    gaps
        From above to below; 0 is a tie.
    regret
        The normalized regret of the worst distribution at these scores, a float.
    """

    cell: Cell
    gaps: tuple[float, ...]
    regret: float


def climb(
    cells: tuple[Cell, ...], table: SlopeTable, effort: Effort, *, least_gap: float = 0.0
) -> tuple[Summit, ...]:
    """The best scores of each cell on a grid, improved for the most promising cells, best first.

    Parameters
    ----------
    cells
        Where to look.
    table
        The slopes of phi.
    effort
        The budget.
    least_gap
        All gaps are at least this; above 0, so that no scores tie.
    """
    summits = []
    for cell in cells:
        steps = cell.piece.m - 1
        marks = next((marks for marks in _MARKS if len(marks) ** steps <= _MANY), _MARKS[-1])
        grid = np.maximum(np.array(list(product(marks, repeat=steps))), least_gap)
        summits.append((cell, grid, regrets(cell, grid, table, effort)))
        if effort.expired:
            break
    starts = [
        (float(values[k]), cell, grid[k])
        for cell, grid, values in summits
        for k in np.argsort(-values)[:_PER_CELL]
        if values[k] > _NOTHING
    ]
    starts.sort(key=lambda start: -start[0])
    found = [zoom(cell, point, table, effort, least_gap=least_gap) for _, cell, point in starts[:_STARTS]]
    return tuple(sorted(found, key=lambda summit: -summit.regret))


def regrets(cell: Cell, gaps: Floats, table: SlopeTable, effort: Effort) -> Floats:
    """The worst normalized regret at each vector of gaps, shape (B, m - 1), as the floats see it."""
    least, most = cell.slopes(gaps, gaps, table)
    effort.count(programs=len(gaps))
    found = propose(cell, least, most)
    # The value of the rounded multipliers is closer than the solver's, whose costs are perturbed.
    exact = (proved(cell, found, least, most) / WHOLE).astype(float)
    return np.where(found.optimal, np.minimum(found.values, exact), 0.0)


def zoom(cell: Cell, start: Floats, table: SlopeTable, effort: Effort, *, least_gap: float = 0.0) -> Summit:
    """A pattern search from `start`: all neighbors at one step, the step halved where none is better."""
    moves = np.array(list(product((-1.0, 0.0, 1.0), repeat=len(start))))
    here, value, step = start, -np.inf, 0.25
    for _ in range(_ROUNDS):
        around = np.maximum(here + step * moves, least_gap)
        values = regrets(cell, around, table, effort)
        k = int(values.argmax())
        if values[k] > value + 1e-14:
            here, value = around[k], float(values[k])
        else:
            step /= 2
        if step < _FINEST or effort.expired:
            break
    return Summit(cell, tuple(map(float, here)), value)
