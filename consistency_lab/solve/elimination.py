"""Small linear algebra for a whole batch: matrices as rows of numbers, the batch as the last axis."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SERIAL: Final = 1 << 17
"""Larger products wake the threads of the linear algebra library, which wait for each other longer than
they work, and far longer on a busy machine."""

_LONGEST: Final = 100.0
"""Steps are cut to this many times the size of the scores."""

_SINGULAR: Final = 1e-13
"""A pivot that keeps so little of its diagonal entry is rounding."""

_FORCELESS: Final = 1e-13
"""So is a gradient of this size, the largest coefficient being 1."""


def product(left: Array, right: Array, out: Array | None = None) -> Array:
    """``left @ right`` in slices of the batch, each small enough to be multiplied by one thread."""
    columns = right.shape[1]
    result = np.empty((len(left), columns)) if out is None else out
    width = max(1, _SERIAL // max(1, left.size))
    for start in range(0, columns, width):
        np.matmul(left, right[:, start : start + width], out=result[:, start : start + width])
    return result


def newton_direction(triangle: Array, gradient: Array, alpha: Array) -> Array:
    """Solve ``hessian @ step == -gradient`` for every risk by L D L^T.

    Parameters
    ----------
    triangle
        Shape (n (n + 1) / 2, B): the lower triangles of the Hessians, column after column; overwritten.
    gradient, alpha
        Shape (n, B).
    """
    n = len(gradient)
    starts = np.cumsum([0, *range(n, 0, -1)])
    diagonal = np.abs(triangle[starts[:-1]])
    step = -gradient
    reach = 1.0 + np.abs(alpha).max(axis=0)
    for k in range(n):
        pivot, column = triangle[starts[k]], triangle[starts[k] + 1 : starts[k + 1]]
        _refill(pivot, diagonal[k], step[k], reach)
        np.reciprocal(pivot, out=pivot)
        share = column * pivot
        for j in range(k + 1, n):
            triangle[starts[j] : starts[j + 1]] -= column[j - k - 1 :] * share[j - k - 1]
        column[:] = share
        step[k + 1 :] -= share * step[k]
    for k in reversed(range(n)):
        step[k] *= triangle[starts[k]]
        if k + 1 < n:
            step[k] -= np.einsum("nb,nb->b", triangle[starts[k] + 1 : starts[k + 1]], step[k + 1 :])
    size = np.abs(step).max(axis=0)
    if not (size <= _LONGEST * reach).all():
        step *= np.minimum(1.0, _LONGEST * reach / size)
        lost = ~np.isfinite(step).all(axis=0)  # the curvature left the range of floats: plain descent
        steepest = np.abs(gradient[:, lost]).max(axis=0)
        step[:, lost] = -gradient[:, lost] / np.where(steepest > 0, steepest, 1.0)
    return step


def _refill(pivot: Array, diagonal: Array, residual: Array, reach: Array) -> None:
    """Replace a pivot that vanishes, or is negative, so that the step there is as long as `reach`.

    Where no force is left there either, the step is zero: any point along that direction is as good.
    """
    vanishing = pivot <= _SINGULAR * diagonal
    if vanishing.any():
        force = np.abs(residual)
        pivot[vanishing] = np.where(force > _FORCELESS, force / reach, np.inf)[vanishing]
