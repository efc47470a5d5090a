"""Means of repeated runs, with confidence bands."""

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np


@final
class Band(NamedTuple):
    """A mean and the 90 % confidence interval around it."""

    mean: float
    low: float
    high: float


def band(values: Sequence[float]) -> Band:
    """The mean of independent runs with the interval of Student's t; of one run the mean alone.

    Examples
    --------
    >>> [round(x, 4) for x in band([1.0, 2.0, 3.0])]  # t = 2.92 with two degrees of freedom
    [2.0, 0.3141, 3.6859]
    """
    from scipy.special import stdtrit

    runs = np.asarray(values, dtype=np.float64)
    mean = float(runs.mean())
    if len(runs) < 2:
        return Band(mean, mean, mean)
    half = float(stdtrit(len(runs) - 1, 0.95)) * float(runs.std(ddof=1)) / len(runs) ** 0.5
    return Band(mean, mean - half, mean + half)
