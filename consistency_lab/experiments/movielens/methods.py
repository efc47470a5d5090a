"""The three ways of DMJ10 §4 to learn the weights w of linear scores from pairs."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.experiments.movielens.pairs import Pairs

Array = NDArray[np.float64]

NU: Final = 1e-4
"""The weight of the values in the linear loss (DMJ10 §4)."""

LAMBDAS: Final[Mapping[str, tuple[float, ...]]] = MappingProxyType(
    {
        "hinge": (1e-3, 1e-2, 1e-1, 1.0, 10.0),
        "logistic": (1e-3, 1e-2, 1e-1, 1.0, 10.0),
        "linear": (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2),
    }
)
"""Among which the validation part chooses; at the largest, w is about a multiple of sum a (d_i - d_j)."""

STEPS: Final = 200_000
"""Of stochastic gradient; the mean of the second half is taken."""

ROUNDED: Final = 1e-3
"""Over what width the batch solver rounds the kink of the hinge."""


def fit(
    method: str, features: Array, users: NDArray[np.int64], pairs: Pairs, lam: float, solver: str = "sgd"
) -> Array:
    r"""The weights that a method learns; with φ the hinge or the logistic function, they minimize this.

    .. math:: \frac1n \sum_{i,j,u} a^u_{ij} φ(w^T (d(x_i, u) - d(x_j, u))) + \frac λ2 \|w\|^2

    Parameters
    ----------
    method
        "hinge", "logistic", or "linear", for which see `linear`.
    features, users
        Shapes (R, D) and (R,): what is known of each rating, and who gave it.
    pairs, lam
        The n pairs to learn from, and λ.
    solver
        Of the hinge and the logistic loss: "sgd" or "batch".
    """
    if method == "linear":
        return linear(features, pairs, lam)
    if solver == "batch":
        return batch(method, features, pairs, lam)
    from consistency_lab.aggregate import Preferences
    from consistency_lab.learn import StructureRanker

    said = Preferences(pairs.winners, pairs.losers, users, weights=pairs.weights)
    ranker = StructureRanker(loss=method, k=1, lam=lam, steps=STEPS, average=STEPS // 2, random_state=0)
    found: Array = ranker.fit(features, said).coef_
    return found


def linear(features: Array, pairs: Pairs, lam: float) -> Array:
    r"""The weights of the value-regularized linear loss (DMJ10 Eq. 14, §4), in closed form.

    .. math:: \frac1n \Bigl(\sum_{i,j,u} a^u_{ij} w^T (d(x_j, u) - d(x_i, u))
        + ν \sum_{i,u} (w^T d(x_i, u))^2\Bigr) + \frac λ2 \|w\|^2

    is least at :math:`w = (2ν D^T D + nλ I)^{-1} \sum a^u_{ij} (d(x_i, u) - d(x_j, u))`, where D has a row
    for each rating in a pair. If λ and ν grow alike, w shrinks and orders films as before: ν is but a unit.

    Examples
    --------
    >>> pair = Pairs(np.array([0]), np.array([1]), np.array([2.0]), np.array([True]))
    >>> linear(np.array([[1.0, 0.0], [0.0, 1.0]]), pair, 1.0).round(4).tolist()
    [1.9996, -1.9996]
    """
    rows = features[np.union1d(pairs.winners, pairs.losers)]
    pull = pairs.weights @ (features[pairs.winners] - features[pairs.losers])
    bend = 2 * NU * rows.T @ rows + len(pairs.weights) * lam * np.eye(features.shape[1])
    return np.asarray(np.linalg.solve(bend, pull), dtype=float)


def batch(method: str, features: Array, pairs: Pairs, lam: float) -> Array:
    """The weights of the hinge or the logistic loss by L-BFGS, which sees all pairs at once.

    The kink of the hinge is rounded over `ROUNDED`, which changes a term by at most half of that times a.
    """
    from scipy.optimize import minimize

    apart = features[pairs.winners] - features[pairs.losers]

    def objective(w: Array) -> tuple[float, Array]:
        value, slope = _SCALAR[method](apart @ w)
        down = (pairs.weights * slope) @ apart / len(apart) + lam * w
        return float(pairs.weights @ value) / len(apart) + lam / 2 * float(w @ w), down

    limits = {"maxiter": 1000, "ftol": 1e-12, "gtol": 1e-7}
    start = np.zeros(features.shape[1])
    found: Array = minimize(objective, start, jac=True, method="L-BFGS-B", options=limits).x
    return found


def _logistic(margin: Array) -> tuple[Array, Array]:
    return np.logaddexp(0, -margin), -np.exp(-np.logaddexp(0, margin))


def _hinge(margin: Array) -> tuple[Array, Array]:
    short = np.maximum(1 - margin, 0)
    inside = np.minimum(short, ROUNDED)
    return inside**2 / (2 * ROUNDED) + (short - inside), -inside / ROUNDED


_SCALAR: Final[Mapping[str, Callable[[Array], tuple[Array, Array]]]] = MappingProxyType(
    {"hinge": _hinge, "logistic": _logistic}
)
"""Value and slope of φ."""
