"""Scores where no minimizer exists: components one above the other, as they escape."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def apart(scores: Floats, levels: Sequence[int]) -> Floats:
    """Scores of items by the levels of their components first, as in `solve.edges.EdgeMinimum`.

    Examples
    --------
    >>> apart(np.array([0.0, 1.0, -1.0]), [1, 0, 0]).tolist()
    [3.0, 1.0, -1.0]
    """
    spread = 1.0 + 2.0 * float(np.abs(scores).max(initial=0.0))
    placed: Floats = scores + spread * np.array(levels, dtype=np.float64)
    return placed
