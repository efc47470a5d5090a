"""The minimizers of one edge loss at many aggregates, as of votes that are drawn again and again."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.phi import Expression
from consistency_lab.solve.compiled.packing import Packed
from consistency_lab.solve.compiled.running import minimizers, pays
from consistency_lab.solve.compiled.shapes import shape_of

Array = NDArray[np.float64]

MOST_ITEMS: Final = 128
"""The Hessians of 64 risks side by side no longer stay in the cache: of 300 items that is twice slower."""

_SAVED: Final = 1e-3
"""Seconds that machine code saves on each risk of more items than the batch in NumPy takes."""

_TOLERANCE: Final = 1e-10
_ITERATIONS: Final = 100


def refitted(
    phi: Expression, h: Array, compiled: bool | None = None
) -> tuple[Array, NDArray[np.bool_]] | None:
    """Minimize sum of h_ij phi(alpha_i - alpha_j) for each of many matrices h, side by side in machine code.

    Parameters
    ----------
    phi
        A function of the catalogue.
    h
        Shape (b, m, m), at least 0, the diagonals 0.
    compiled
        Whether to do so at all; by default, where these alone repay the start of the machine code.

    Returns
    -------
    scores
        Shape (b, m), with mean zero.
    converged
        Shape (b,): where not, the scores may be anything. It does not say that a minimum is attained;
        where none is, items that no comparisons order may stand otherwise than after `minimize_edges`.

    None where one after the other is as good: for few matrices or many items, or if the machine code does not
    know the function.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> scores, _ = refitted(parse("log(1+exp(-x))"), np.array([[[0, 3.0], [1, 0]]]), compiled=True)
    >>> bool(abs(scores[0, 0] - np.log(3) / 2) < 1e-12)
    True
    """
    b, m = h.shape[:2]
    wanted = (m <= MOST_ITEMS and pays(m, b, _SAVED)) if compiled is None else compiled
    shape = shape_of(phi) if wanted else None
    if shape is None:
        return None
    i, j = np.triu_indices(m, 1)
    # The coefficients are the matrices as they are: entry (i, j) stands at i m + j.
    risks = Packed(m, shape, np.stack((i, j, i * m + j, j * m + i), axis=1).astype(np.int64))
    scores, _, norm = minimizers(risks, np.ascontiguousarray(h.reshape(b, m * m)), _TOLERANCE, _ITERATIONS)
    return scores, norm <= _TOLERANCE
