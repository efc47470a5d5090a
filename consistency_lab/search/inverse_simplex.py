"""Thousands of small linear programs over one simplex, in machine code.

    maximize c x  subject to  A x = 0,  D x <= 0,  x_1 + ... + x_n = 1,  x >= 0.

All right-hand sides but one are zero, so every basis without the last row is feasible: the equations are
eliminated first, then the last row picks a ray of the cone, and from there on it is the simplex method on a
dense tableau. What it finds is a proposal; programs on which it gives up are NaN.
"""

from typing import Final

import numpy as np

from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.compiling import entry

_TINY: Final = 1e-10
_SLACK: Final = 1e-12
_EAGER: Final = 40
"""Steepest pivots before switching to Bland's rule, which never cycles."""

_PIVOTS: Final = 400


def maximize(cost: Floats, equal: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """The optimal values of programs, and points: -inf where none is feasible, NaN where it gave up."""
    values, points = np.full(len(cost), np.nan), np.zeros_like(cost)
    _maximize_all(cost, equal, upper, values, points)
    return values, points


@entry
def _maximize_all(cost: Floats, equal: Floats, upper: Floats, values: Floats, points: Floats) -> None:
    n, k, loose = cost.shape[1], equal.shape[1], len(upper)
    last, gain, width = k + loose, k + loose + 1, n + loose
    tableau = np.empty((gain + 1, width + 1))
    basis = np.empty(last + 1, dtype=np.int64)
    for program in range(len(cost)):
        tableau[:] = 0.0
        basis[:] = -1
        for r in range(k):
            size = 0.0
            for j in range(n):
                size = max(size, abs(equal[program, r, j]))
            for j in range(n):
                tableau[r, j] = equal[program, r, j] / size if size > 0.0 else 0.0
        for r in range(loose):
            tableau[k + r, :n] = upper[r]
            tableau[k + r, n + r] = 1.0
            basis[k + r] = n + r
        tableau[last, :n] = 1.0
        tableau[last, width] = 1.0
        tableau[gain, :n] = cost[program]
        eliminated = 0
        started = False
        for pivots in range(_PIVOTS):
            row = column = -1
            most = _TINY
            if eliminated < k:
                row = eliminated
                eliminated += 1
                for j in range(n):
                    if abs(tableau[row, j]) > most:
                        most, column = abs(tableau[row, j]), j
                if column < 0:  # it follows from the rows above
                    tableau[row] = 0.0
                    continue
            else:
                goal = gain if started else last
                for j in range(width):
                    if tableau[goal, j] > most:
                        most, column = tableau[goal, j], j
                        if pivots > _EAGER:
                            break
                if column < 0:
                    values[program] = -tableau[gain, width] if started else -np.inf
                    break
                # Of the rows that allow the shortest step but for rounding, the one with the largest entry.
                least = np.inf
                for r in range(last + 1):
                    if tableau[r, column] > _TINY:
                        least = min(least, (max(tableau[r, width], 0.0) + _SLACK) / tableau[r, column])
                for r in range(last + 1):
                    if tableau[r, column] > _TINY and tableau[r, width] <= least * tableau[r, column]:
                        first = (
                            basis[r] < basis[row]
                            if pivots > _EAGER
                            else tableau[r, column] > tableau[row, column]
                        )
                        if row < 0 or first:
                            row = r
                if row < 0:  # only by rounding: the points of the program are bounded
                    break
                started = started or row == last
            lead = 1.0 / tableau[row, column]
            for j in range(width + 1):
                tableau[row, j] *= lead
            for r in range(gain + 1):
                factor = tableau[r, column]
                if r != row and factor != 0.0:
                    for j in range(width + 1):
                        tableau[r, j] -= factor * tableau[row, j]
                    tableau[r, column] = 0.0
            basis[row] = column
        for r in range(last + 1):
            if 0 <= basis[r] < n:
                points[program, basis[r]] = max(tableau[r, width], 0.0)
