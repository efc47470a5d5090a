"""From six digits to all: Newton steps on the smooth pieces, the active kinks held as equations."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.solve.jets import JetFunction
from consistency_lab.solve.numeric import compiled
from consistency_lab.solve.structure import RiskStructure
from consistency_lab.solve.subgradient import jumps, least_subgradient

Array = NDArray[np.float64]

_STEPS: Final = 6
_REACHES: Final = (1e-7, 1e-6, 1e-5, 1e-4)
"""How far from an argument a kink is looked for, in turn."""

_NEAR: Final = 1e-2
"""Steps that lead farther than this refine nothing."""

_HALVINGS: Final = 50


def refined(structure: RiskStructure, C: Array, scores: Array) -> Array:
    """Scores nearer to the minimizer, or the same ones if none are found.

    Parameters
    ----------
    structure, C
        The risk; C has shape (T,).
    scores
        Shape (m,): scores that are right to a few digits.
    """
    best, norm = scores, least_subgradient(structure, C, scores)
    for reach in _REACHES:
        trial = scores
        for _ in range(_STEPS):
            trial = _step(structure, C, trial, reach)
            if not (np.abs(trial - scores) <= _NEAR * (1 + np.abs(scores))).all():
                break
            reached = least_subgradient(structure, C, trial)
            if reached < norm:
                best, norm = trial, reached
    return best


def _step(structure: RiskStructure, C: Array, scores: Array, reach: float) -> Array:
    """One step of Newton's method on the equations: gradient zero, active kinks met."""
    x = structure.V @ scores - structure.b
    slope, curvature, kink = np.empty_like(x), np.empty_like(x), np.full_like(x, np.nan)
    for k, phi in enumerate(structure.functions):
        function = compiled(phi)
        for t in np.flatnonzero(structure.function_index == k):
            here = x[t : t + 1]
            _, slope[t : t + 1], curvature[t : t + 1] = function(here)
            low, high = here - reach, here + reach
            if jumps(function(low)[1], function(high)[1], reach).all():
                kink[t] = _kink(function, low, high)
    active = np.flatnonzero(~np.isnan(kink))
    slope[active] = curvature[active] = 0.0
    held = structure.V[active].astype(np.float64)
    hessian = structure.V.T @ (structure.V * (C * curvature)[:, None])
    corner = np.zeros((len(active), len(active)))
    matrix = np.block([[hessian, held.T], [held, corner]])
    right = np.concatenate([-structure.V.T @ (C * slope), (kink - x)[active]])
    return np.asarray(scores + np.linalg.lstsq(matrix, right, rcond=None)[0][: structure.m])


def _kink(function: JetFunction, low: Array, high: Array) -> float:
    """Where between two points the slope jumps, by halving."""
    below, above = function(low)[1], function(high)[1]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if function(middle)[1] - below > above - function(middle)[1]:
            high = middle
        else:
            low = middle
    return float(high[0])
