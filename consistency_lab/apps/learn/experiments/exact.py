"""Exact minimizers of empirical risks of linear scores, which stochastic steps should reach."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import UnsupportedError
from consistency_lab.numbers.arrays import Floats

_STEPS: Final = 60
_CLOSE: Final = 1e-9


def expected_scores(wins: Floats, total: int, k: int, c: float) -> Floats:
    r"""The average log odds of k of the comparisons of a query, averaged over all choices of k.

    The regression loss of order k (DMJ13 Section 6.3) depends on the chosen comparisons through the mean of

    .. math:: s_i = \frac{1}{m} \sum_j \log \frac{N_{ij} / k + c}{N_{ji} / k + c}

    alone, so its U-statistic has the minimizer of a least squares problem with the labels E s_i. Of n
    comparisons of which n_ij say "i before j", a choice has N_ij with the hypergeometric distribution;
    hence E s_i is a sum of E log(N_ij / k + c) over j, for each of which the count n_ij alone matters.
    """
    if total == 0:
        return np.zeros(len(wins))
    k = min(k, total)
    counts = wins.astype(np.int64)
    n = np.arange(counts.max() + 1)[:, None]
    N = np.arange(min(counts.max(), k) + 1)[None, :]
    chance = np.exp(_choices(n, N) + _choices(total - n, k - N) - _choices(total, k))
    mean = (chance * np.log(N / k + c)).sum(axis=1)
    scores: Floats = (mean[counts] - mean[counts.T]).mean(axis=1)
    return scores


def expected_leads(a: Floats, k: int, total: int | None = None) -> Floats:
    """How far i is ahead of j among k comparisons, averaged over all choices of k.

    With s the average of k comparisons, the difference-graph loss sum_ij [s_ij - s_ji]_+ phi(a_i - a_j)
    (DMJ13 Section 5.3) has an expectation in which s enters through

    .. math:: w_{ij} = E [N_{ij} - N_{ji}]_+ / k,

    so its U-statistic is an edge loss with these weights. For k = 1 they are the frequencies themselves, and
    it is the pairwise loss; as k grows they tend to [a_ij - a_ji]_+.

    `a` says how often one comparison says "i before j"; or counts, if k of `total` comparisons are drawn
    without replacement. Without a total k judges are independent.
    """
    leads = np.zeros(a.shape)
    k = k if total is None else min(k, total)
    for i, j in zip(*np.nonzero(np.triu(a + a.T)), strict=True):
        p, q = float(a[i, j]), float(a[j, i])
        most = (k, k) if total is None else (min(k, int(p)), min(k, int(q)))
        N, M = np.ogrid[: most[0] + 1, : most[1] + 1]
        if total is None:
            chance = np.exp(
                _choices(k, N)
                + _choices(k - N, M)
                + _power(p, N)
                + _power(q, M)
                + _power(1 - p - q, k - N - M)
            )
        else:
            rest = total - int(p) - int(q)
            chance = np.exp(
                _choices(int(p), N) + _choices(int(q), M) + _choices(rest, k - N - M) - _choices(total, k)
            )
        leads[i, j] = (chance * np.maximum(N - M, 0)).sum() / k
        leads[j, i] = (chance * np.maximum(M - N, 0)).sum() / k
    return leads


def _choices(n: NDArray[np.int64] | int, k: NDArray[np.int64] | int) -> Floats:
    """The logarithm of the binomial coefficient, -inf where it is 0."""
    from scipy.special import gammaln

    n, k = np.broadcast_arrays(n, k)
    able = (k >= 0) & (k <= n)
    n, k = np.where(able, n, 0), np.where(able, k, 0)
    logs: Floats = np.where(able, gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1), -np.inf)
    return logs


def _power(p: float, k: NDArray[np.int64]) -> Floats:
    """The logarithm of p^k, with 0^0 = 1; where k is negative it does not matter."""
    return k * np.log(p) if p > 0 else np.where(k == 0, 0.0, -np.inf)


def least_squares(X: Floats, targets: Floats, weights: Floats, lam: float) -> Floats:
    r"""The minimizer of (1/2) sum_i w_i (<x_i, theta> - t_i)^2 + (lam/2) |theta|^2."""
    weighted = X * weights[:, None]
    curvature = weighted.T @ X + lam * np.eye(X.shape[1])
    return np.asarray(np.linalg.solve(curvature, weighted.T @ targets))


def pairwise_logistic(X: Sequence[Floats], wins: Sequence[Floats], lam: float) -> Floats:
    """The minimizer of sum_q sum_ij a_ij log(1 + exp(<x_j - x_i, theta>)) / sum a + (lam/2) |theta|^2.

    Newton's method; a step costs nothing more when there are more comparisons, for each query enters by its
    matrix of counts, through X^T L X with the Laplacian L of the second derivatives.
    """
    queries, total = list(zip(X, wins, strict=True)), sum(float(a.sum()) for a in wins)
    if not total:
        return np.zeros(X[0].shape[1])

    def risk(theta: Floats) -> float:
        losses = sum(float((a * np.logaddexp(0.0, -_margins(x, theta))).sum()) for x, a in queries)
        return losses / total + lam / 2 * float(theta @ theta)

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
    raise UnsupportedError(f"the logistic risk did not converge in {_STEPS} steps; use a larger lambda")


def disagreement(weights: Floats, scores: Floats, same: float = 0.0) -> float:
    """The weight of the pairs that scores contradict; tied pairs count half."""
    ahead = np.subtract.outer(scores, scores)
    return float((weights * np.where(ahead < -same, 1.0, np.where(ahead > same, 0.0, 0.5))).sum())


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
