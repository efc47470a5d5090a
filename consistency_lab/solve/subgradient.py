"""How far from stationary float scores are: the size of the least subgradient."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.solve.kinds import Kind, kind_of
from consistency_lab.solve.numeric import compiled
from consistency_lab.solve.structure import RiskStructure

Array = NDArray[np.float64]

_NEAR: Final = 1e-7
_JUMP: Final = 100.0
"""A slope that changes so much faster than its argument has jumped, and is not just curved."""


def least_subgradient(structure: RiskStructure, C: Array, scores: Array) -> float:
    """The largest entry of the smallest subgradient of W at the scores, over the largest coefficient.

    Next to a kink any slope between those on its two sides is allowed.

    Parameters
    ----------
    structure, C
        The risk; C has shape (T,).
    scores
        Shape (m,).
    """
    x = structure.V @ scores - structure.b
    low, high = np.empty_like(x), np.empty_like(x)
    for k, phi in enumerate(structure.functions):
        chosen = structure.function_index == k
        here, slope = x[chosen], compiled(phi)
        if kind_of(phi) in (Kind.SMOOTH, Kind.STRAIGHT):
            low[chosen] = high[chosen] = slope(here)[1]
        else:
            before, at, after = (slope(here + shift)[1] for shift in (-_NEAR, 0.0, _NEAR))
            kink = jumps(before, after, _NEAR)
            low[chosen] = np.where(kink, before, at)
            high[chosen] = np.where(kink, after, at)
    scale = float(C.max(initial=0.0)) or 1.0
    columns = structure.V.T * (C / scale)
    gradient = columns @ low
    free = np.flatnonzero(high > low)
    if len(free):
        gradient = _least(gradient, columns[:, free] * (high - low)[free])
    return float(np.abs(gradient).max(initial=0.0))


def jumps(before: Array, after: Array, reach: float) -> NDArray[np.bool_]:
    """Whether the slope has a jump between two points at this distance from the middle."""
    return after - before > _JUMP * reach * (1 + np.minimum(np.abs(before), np.abs(after)))


def _least(gradient: Array, moves: Array) -> Array:
    """The vector gradient + moves @ u, 0 <= u <= 1, of least largest entry: a linear program in u and t."""
    from consistency_lab.solve.exact_lp import LPStatus, solve_lp_float

    rows, columns = moves.shape
    below = -np.ones((rows, 1))
    upper = np.hstack([np.eye(columns), np.zeros((columns, 1))])
    found = solve_lp_float(
        np.append(np.zeros(columns), 1.0),
        np.empty((0, columns + 1)),
        np.empty(0),
        np.vstack([np.hstack([moves, below]), np.hstack([-moves, below]), upper]),
        np.concatenate([-gradient, gradient, np.ones(columns)]),
    )
    return gradient + moves @ found.x[:columns] if found.status is LPStatus.OPTIMAL else gradient
