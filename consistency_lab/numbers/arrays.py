"""Types of arrays, one name for each kind of number; the core does not use them."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Codes = NDArray[np.int32]
"""Numbers that stand for texts, or places of them."""
Indices = NDArray[np.intp]
Booleans = NDArray[np.bool_]
