"""Types of arrays, one name for each kind of number, and sorting by codes; the core does not use them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Codes = NDArray[np.int32]
"""Numbers that stand for texts, or places of them."""
Indices = NDArray[np.intp]
Booleans = NDArray[np.bool_]


def in_order(codes: NDArray[np.integer[Any]]) -> Indices:
    """The places of numbers from 0, the least first and equal ones as they stand.

    NumPy sorts those of 16 bits by their digits, six times as fast as larger ones.
    """
    return np.argsort(codes.astype(np.min_scalar_type(codes.max(initial=0))), kind="stable")
