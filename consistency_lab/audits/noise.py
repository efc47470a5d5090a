"""Is a contradicted majority noise? Exact binomial tests, corrected for the number of pairs."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False, slots=True)
class PairTests:
    """Two-sided tests of "i and j are preferred equally often", one for each ordered pair.

    Parameters
    ----------
    p
        Shape (m, m): the exact binomial p-value, symmetric; 1 where nothing was compared.
    corrected
        Shape (m, m): the same after the correction of Holm for all pairs that were compared.
    """

    p: Floats
    corrected: Floats


def pair_tests(wins: Counts) -> PairTests:
    r"""Test for each pair that its majority is more than chance.

    Under the hypothesis that the n = k + l comparisons of a pair go either way with probability 1/2,

    .. math:: p = \min(1, 2 \Pr[\mathrm{Bin}(n, 1/2) \le \min(k, l)]),

    and Pr[Bin(n, 1/2) <= k] is the incomplete beta function I_1/2(n - k, k + 1) (DLMF 8.17.5); to import the
    distributions of SciPy would take longer than all tests.

    Parameters
    ----------
    wins
        Shape (m, m): how often i was preferred to j, whole numbers; ties, which say nothing of it, left out.

    Examples
    --------
    >>> found = pair_tests(np.array([[0, 9, 5], [1, 0, 5], [5, 5, 0]]))
    >>> float(found.p[0, 1]), float(found.p[0, 2])  # 22/1024
    (0.021484375, 1.0)
    >>> float(found.corrected[0, 1])  # three pairs
    0.064453125
    """
    from scipy.special import betainc

    wins = np.asarray(wins, dtype=np.int64)
    total, fewer = wins + wins.T, np.minimum(wins, wins.T)
    p = np.where(total > 0, np.minimum(1.0, 2.0 * betainc(np.maximum(total - fewer, 1), fewer + 1, 0.5)), 1.0)
    rows, columns = np.triu_indices(len(wins), 1)
    compared = total[rows, columns] > 0
    rows, columns = rows[compared], columns[compared]
    corrected = np.ones_like(p)
    corrected[rows, columns] = corrected[columns, rows] = holm(p[rows, columns])
    return PairTests(p, corrected)


def holm(p: Floats) -> Floats:
    """p-values corrected by Holm's step-down procedure (1979), which needs no independence.

    The k-th smallest of n is multiplied by n - k + 1; none becomes smaller than one before it, or larger than
    1.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    rising = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    stepped = np.minimum(1.0, np.maximum.accumulate(p[rising] * factors))
    corrected = np.empty_like(stepped)
    corrected[rising] = stepped
    return corrected
