"""Thurstone's model of comparisons (1927, case V), fitted in floats."""

from math import pi, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.audits.apart import Parts, apart, parts_of
from consistency_lab.phi import named
from consistency_lab.solve.edges import EdgeRisk, minimize_edges

Floats = NDArray[np.float64]

_LOGISTIC: Final = named("logistic").expression
_ROOT: Final = sqrt(2.0 * pi)


def thurstone(wins: Floats) -> Floats:
    r"""Scores of greatest likelihood where i beats j with probability :math:`\Phi(u_i - u_j)`.

    They minimize :math:`-\sum_{ij} w_{ij} \log \Phi(u_i - u_j)`, which is convex. Where no scores do,
    because some items never lose to others, components of items are placed one above the other, as for the
    logistic loss, which grows and fades at the same ends.

    Parameters
    ----------
    wins
        Shape (m, m).

    Examples
    --------
    >>> u = thurstone(np.array([[0, 3.0], [1, 0]]))
    >>> from scipy.stats import norm
    >>> round(float(norm.cdf(u[0] - u[1])), 9)
    0.75
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    if connected_components(csr_array(wins), connection="strong")[0] > 1:
        levels = minimize_edges(_LOGISTIC, wins).levels
        together = np.equal.outer(levels, levels)
        return apart(_fitted(np.where(together, wins, 0.0)), levels)
    return _fitted(wins)


def thurstone_parts(wins: Floats) -> Parts | None:
    """Components of items whose distance is left open by wins of shape (m, m), as by the logistic loss."""
    return parts_of(minimize_edges(_LOGISTIC, wins))


def _fitted(wins: Floats) -> Floats:
    i, j = np.nonzero(wins)
    return EdgeRisk(_probit, len(wins), i, j, wins[i, j], np.zeros(len(wins))).descend()


def _probit(x: Floats) -> tuple[Floats, Floats, Floats]:
    """-log Phi(x) with its first and second derivative."""
    from scipy.special import log_ndtr

    value = -log_ndtr(x)
    hazard = np.exp(value - x * x / 2.0) / _ROOT
    return value, -hazard, hazard * (hazard + x)
