"""Types of arrays, one name for each kind of number, and arrays of exact numbers; nothing for the core."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consistency_lab.numbers.exact import integer_multiple

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Codes = NDArray[np.int32]
"""Numbers that stand for texts, or places of them."""
Indices = NDArray[np.intp]
Booleans = NDArray[np.bool_]
Counts = NDArray[Any]
"""Whole numbers: 64 bits where no sum of all can be larger, else those of Python."""


def in_order(codes: NDArray[np.integer[Any]]) -> Indices:
    """The places of numbers from 0, the least first and equal ones as they stand.

    NumPy sorts those of 16 bits by their digits, six times as fast as larger ones.
    """
    return np.argsort(codes.astype(np.min_scalar_type(codes.max(initial=0))), kind="stable")


def counted(a: Sequence[Sequence[Fraction | int]]) -> tuple[Counts, Fraction]:
    """The smallest whole numbers in the proportions of a square matrix, and what one of them stands for."""
    numbers, scale = integer_multiple(x if isinstance(x, Fraction) else Fraction(x) for row in a for x in row)
    small = len(numbers) * max(map(abs, numbers), default=0) < 2**62
    return np.array(numbers, dtype=np.int64 if small else object).reshape(len(a), len(a)), 1 / scale
