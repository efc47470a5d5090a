"""Which vertices of many small graphs are joined by paths."""

import numpy as np
from numpy.typing import NDArray

Booleans = NDArray[np.bool_]


def reachable(arcs: Booleans) -> Booleans:
    """Entry [b, i, j]: in graph b a path leads from i to j; one of no arcs leads from i to i.

    Parameters
    ----------
    arcs
        Shape (B, m, m): the arcs i → j of each graph.

    Examples
    --------
    >>> path = np.array([[[0, 1, 0], [0, 0, 1], [0, 0, 0]]], dtype=bool)
    >>> reachable(path)[0].astype(int).tolist()
    [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    """
    m = arcs.shape[1]
    reach = arcs | np.eye(m, dtype=bool)
    for _ in range(m.bit_length()):
        reach = np.matmul(reach.astype(np.uint8), reach.astype(np.uint8)) > 0
    return np.asarray(reach)
