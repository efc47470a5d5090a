"""A confidence interval for a share."""

from math import sqrt
from typing import Final

Z: Final = 1.959963984540054
"""The 97.5 % point of the normal law."""


def wilson(failures: int, samples: int) -> tuple[float, float]:
    r"""The 95 % interval of a share by Wilson's score (1927), never outside [0, 1].

    .. math:: \frac{\hat p + z^2/2n \pm z \sqrt{\hat p (1 - \hat p)/n + z^2/4n^2}}{1 + z^2/n}

    Parameters
    ----------
    failures, samples
        So many of so many; without samples nothing is known, and the interval is [0, 1].

    Examples
    --------
    >>> [round(x, 4) for x in wilson(0, 10)], [round(x, 4) for x in wilson(5, 10)]
    ([0.0, 0.2775], [0.2366, 0.7634])
    """
    if samples == 0:
        return 0.0, 1.0
    share, z = failures / samples, Z * Z / samples
    middle = (share + z / 2) / (1 + z)
    half = Z * sqrt(share * (1 - share) / samples + z / samples / 4) / (1 + z)
    low = 0.0 if failures == 0 else max(middle - half, 0.0)
    high = 1.0 if failures == samples else min(middle + half, 1.0)
    return low, high
