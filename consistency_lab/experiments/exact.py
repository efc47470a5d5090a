"""Minimizers of empirical risks of linear scores without sampling: what stochastic steps should reach."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import UnsupportedError
from consistency_lab.extras import need

Floats = NDArray[np.float64]

_STEPS: Final = 60
_CLOSE: Final = 1e-9


def expected_scores(wins: Floats, total: int, k: int, c: float) -> Floats:
    r"""The average log odds of k of the comparisons of a query, averaged over all choices of k.

    The regression loss of order k (DMJ13 Section 6.3) depends on the chosen comparisons through the mean of

    .. math:: s_i = \frac{1}{m} \sum_j \log \frac{N_{ij} / k + c}{N_{ji} / k + c}

    alone, so its U-statistic has the minimizer of a least squares problem with the labels E s_i. Of n
    comparisons of which n_ij say "i before j", a choice has N_ij with the hypergeometric distribution;
    hence E s_i is a sum of E log(N_ij / k + c) over j, for each of which the count n_ij alone matters.

    Parameters
    ----------
    wins
        Shape (m, m): the counts n_ij.
    total
        n, all comparisons of the query; where it is below k, all are taken.
    k
        The order.
    c
        The smoothing.

    Returns
    -------
    Shape (m,).

    Examples
    --------
    >>> expected_scores(np.array([[0.0, 3.0], [1.0, 0.0]]), 4, 4, 0.25).round(6).tolist()  # log(2)/2
    [0.346574, -0.346574]
    """
    need("scipy", "the exact minimizer")
    from scipy.special import gammaln

    if total == 0:
        return np.zeros(len(wins))
    k = min(k, total)
    counts = wins.astype(np.int64)
    n = np.arange(counts.max() + 1)[:, None]
    N = np.arange(min(counts.max(), k) + 1)[None, :]

    def log_choose(a: NDArray[np.int64], b: NDArray[np.int64]) -> Floats:
        inside = (b >= 0) & (b <= a)
        a, b = np.where(inside, a, 0), np.where(inside, b, 0)
        found: Floats = np.where(inside, gammaln(a + 1) - gammaln(b + 1) - gammaln(a - b + 1), -np.inf)
        return found

    chance = np.exp(
        log_choose(n, N) + log_choose(total - n, k - N) - log_choose(np.array(total), np.array(k))
    )
    mean = (chance * np.log(N / k + c)).sum(axis=1)
    found: Floats = (mean[counts] - mean[counts.T]).mean(axis=1)
    return found


def least_squares(X: Floats, targets: Floats, weights: Floats, lam: float) -> Floats:
    r"""The minimizer of (1/2) sum_i w_i (<x_i, theta> - t_i)^2 + (lam/2) |theta|^2.

    Parameters
    ----------
    X
        Shape (N, d).
    targets, weights
        Shape (N,).
    lam
        Above 0.
    """
    weighted = X * weights[:, None]
    curvature = weighted.T @ X + lam * np.eye(X.shape[1])
    return np.asarray(np.linalg.solve(curvature, weighted.T @ targets))


def pairwise_logistic(X: Sequence[Floats], wins: Sequence[Floats], lam: float) -> Floats:
    r"""The minimizer of sum_q sum_ij a_ij log(1 + exp(<x_j - x_i, theta>)) / sum a + (lam/2) |theta|^2.

    Newton's method; a step costs nothing more when there are more comparisons, for each query enters by its
    matrix of counts, through X^T L X with the Laplacian L of the second derivatives.

    Parameters
    ----------
    X, wins
        For each query its features, shape (m, d), and its counts a, shape (m, m).
    lam
        Above 0.

    Raises
    ------
    UnsupportedError
        If the steps do not settle.
    """
    queries, total = list(zip(X, wins, strict=True)), sum(float(a.sum()) for a in wins)

    def risk(theta: Floats) -> float:
        found = sum(float((a * np.logaddexp(0.0, -_margins(x, theta))).sum()) for x, a in queries)
        return found / total + lam / 2 * float(theta @ theta)

    theta = np.zeros(X[0].shape[1])
    for _ in range(_STEPS):
        slope, curvature = _slopes(queries, theta)
        slope, curvature = slope / total + lam * theta, curvature / total + lam * np.eye(len(theta))
        step = -np.linalg.solve(curvature, slope)
        if float(np.abs(step).max()) < _CLOSE:
            return theta + step
        before = risk(theta)
        while risk(theta + step) > before + _CLOSE:
            step = step / 2
        theta = theta + step
    raise UnsupportedError(f"the logistic risk has not settled after {_STEPS} steps; take a larger lambda")


def _margins(X: Floats, theta: Floats) -> Floats:
    scores = X @ theta
    return np.subtract.outer(scores, scores)


def _slopes(queries: Sequence[tuple[Floats, Floats]], theta: Floats) -> tuple[Floats, Floats]:
    """The gradient and the Hessian of the sum."""
    slope, curvature = np.zeros(len(theta)), np.zeros((len(theta), len(theta)))
    for X, a in queries:
        share = 1.0 / (1.0 + np.exp(_margins(X, theta)))
        pull = a * share
        slope -= X.T @ (pull.sum(axis=1) - pull.sum(axis=0))
        bend = pull * (1.0 - share)
        bend += bend.T
        curvature += X.T @ (bend.sum(axis=1)[:, None] * X - bend @ X)
    return slope, curvature
