"""exp and log as polynomials: inlined, they let the loops around them run over whole vector registers.

A call of the mathematical library in a loop would keep it to one number at a time.
"""

from math import factorial
from typing import Final

import numpy as np

from consistency_lab.solve.compiled.jit import inlined

_LARGEST_EXPONENT: Final = 700.0
_ROUNDER: Final = 1.5 * 2.0**52
"""Adding it leaves the nearest whole number in the lowest bits."""

_PER_LOG_2: Final = 1.4426950408889634
_LOG_2: Final = (0.6931471803691238, 1.9082149292705877e-10)
"""log 2 as a sum whose first part has zeros at its end: a small multiple of it is exact."""

_ONE: Final = 1023 << 52
_TAYLOR: Final = tuple(1.0 / factorial(k) for k in range(13, -1, -1))
_ATANH_HIGH: Final = tuple(2.0 / (2 * k + 1) for k in range(16, 7, -1))
_ATANH_LOW: Final = tuple(2.0 / (2 * k + 1) for k in range(7, -1, -1))


@inlined
def exponential(x: float) -> float:
    """exp(x) = 2**k exp(r) with |r| <= log(2) / 2, as a Taylor polynomial."""
    x = max(-_LARGEST_EXPONENT, min(_LARGEST_EXPONENT, x))
    rounded = x * _PER_LOG_2 + _ROUNDER
    k = rounded - _ROUNDER
    r = x - k * _LOG_2[0] - k * _LOG_2[1]
    total = _TAYLOR[0]
    for c in _TAYLOR[1:]:
        total = total * r + c
    bits = (np.float64(rounded).view(np.int64) << 52) + _ONE
    return total * float(np.int64(bits).view(np.float64))


@inlined
def logarithm(z: float) -> float:
    """log(1 + z) = 2 artanh(z / (2 + z)) for 0 <= z <= 1."""
    s = z / (2.0 + z)
    square = s * s
    total = 0.0
    for c in _ATANH_HIGH:
        total = total * square + c
    for c in _ATANH_LOW:
        total = total * square + c
    return total * s
