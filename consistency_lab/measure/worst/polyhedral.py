"""Worst cases that are known exactly: piecewise linear phi, whose slopes change at finitely many gaps."""

from fractions import Fraction
from math import floor
from typing import Final

import numpy as np

from consistency_lab.measure.worst.bounds import WHOLE, Cell
from consistency_lab.measure.worst.branch import BOX, Boxes, bounded
from consistency_lab.measure.worst.nearby import worst_between
from consistency_lab.measure.worst.slopes import UNIT, SlopeTable
from consistency_lab.search.effort import EXACT, Effort

_PROGRAMS: Final = 400


def is_exactly(cells: tuple[Cell, ...], table: SlopeTable, lower: Fraction, effort: Effort) -> int:
    """Prove that no regret in the cells is above a rational, by exact programs on boxes of gaps.

    Returns
    -------
    int
        How many boxes the proof took; 0 if it did not end within the budget, which refutes nothing.
    """
    goal, programs, count = floor(lower * WHOLE), 0, 0
    for cell in cells:
        waiting = Boxes.everything(cell.piece.m)
        while len(waiting.axis):
            halves = bounded(cell, waiting.halves(), table, goal)
            count += len(halves.axis)
            effort.count(steps=BOX * len(halves.axis))
            still = halves.bounds > goal
            for k in np.flatnonzero(still):
                programs += 1
                if programs > _PROGRAMS or effort.expired:
                    return 0
                effort.count(programs=1, each=EXACT)
                still[k] = not _settled(cell, halves, int(k), table, lower)
            waiting = halves.where(still)
    return count


def _settled(cell: Cell, boxes: Boxes, k: int, table: SlopeTable, lower: Fraction) -> bool:
    least, most = cell.slopes(boxes.low[k : k + 1], boxes.high[k : k + 1], table)
    pairs = list(zip(least[0], most[0], strict=True))
    if any(isinstance(slope, float) for pair in pairs for slope in pair):
        return False
    slopes = [(Fraction(low, 1 << UNIT), Fraction(high, 1 << UNIT)) for low, high in pairs]
    solution = worst_between(cell, slopes)
    return solution is not None and solution[1] <= lower
