"""The three ways of DMJ10 §4 to learn the weights w of linear scores from pairs."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.experiments.movielens.pairs import Pairs

Array = NDArray[np.float64]

NU: Final = 1e-4
"""The weight of the values in the linear loss (DMJ10 §4)."""

LAMBDAS: Final = tuple(10.0**k for k in range(-2, 7))
"""Among which the validation part chooses; at the largest, w is about a multiple of sum a (d_i - d_j)."""

STEPS: Final = 200_000
"""Of stochastic gradient; the mean of the second half is taken."""

ROUNDED: Final = 1e-2
"""Over what width the batch solver rounds the kink of the hinge."""


def path(
    method: str,
    features: Array,
    users: NDArray[np.int64],
    pairs: Pairs,
    lambdas: Sequence[float],
    solver: str,
) -> list[Array]:
    r"""What a method learns for each λ: with φ the hinge or the logistic function, it minimizes this.

    .. math:: \sum_{i,j,u} a^u_{ij} φ(w^T (d(x_i, u) - d(x_j, u))) + λ \|w\|^2

    Parameters
    ----------
    method
        "hinge", "logistic", or "linear", for which see `linear`.
    features, users
        Shapes (R, D) and (R,): what is known of each rating, and who gave it.
    pairs, lambdas
        The n pairs to learn from, and each λ.
    solver
        Of the hinge and the logistic loss: "sgd" or "batch".
    """
    if method == "linear":
        return linear(features, pairs, lambdas)
    if solver == "batch":
        return batch(method, features, pairs, lambdas)
    from consistency_lab.aggregate import Preferences
    from consistency_lab.learn import StructureRanker

    said = Preferences(pairs.winners, pairs.losers, users, weights=pairs.weights)
    found = list[Array]()
    for lam in lambdas:
        mean = (
            2 * lam / len(pairs.weights)
        )  # its objective is the mean over pairs, and half of this times |w|^2
        ranker = StructureRanker(loss=method, k=1, lam=mean, steps=STEPS, average=STEPS // 2, random_state=0)
        found.append(ranker.fit(features, said).coef_)
    return found


def linear(features: Array, pairs: Pairs, lambdas: Sequence[float]) -> list[Array]:
    r"""The weights of the value-regularized linear loss (DMJ10 Eq. 14, §4) for each λ, in closed form.

    .. math:: \sum_{i,j,u} a^u_{ij} w^T (d(x_j, u) - d(x_i, u)) + ν \sum_{i,u} (w^T d(x_i, u))^2 + λ \|w\|^2

    is least at :math:`w = (ν D^T D + λ I)^{-1} \sum a^u_{ij} (d(x_i, u) - d(x_j, u)) / 2`, where D has a row
    for each rating in a pair. If λ and ν grow alike, w shrinks and orders films as before: ν is but a unit.

    Examples
    --------
    >>> pair = Pairs(np.array([0]), np.array([1]), np.array([2.0]), np.array([True]))
    >>> linear(np.array([[1.0, 0.0], [0.0, 1.0]]), pair, [0.5])[0].round(4).tolist()
    [1.9996, -1.9996]
    """
    rows = features[np.union1d(pairs.winners, pairs.losers)]
    pull = pairs.weights @ (features[pairs.winners] - features[pairs.losers]) / 2
    bend = NU * rows.T @ rows
    return [np.asarray(np.linalg.solve(bend + lam * np.eye(len(bend)), pull), float) for lam in lambdas]


def batch(method: str, features: Array, pairs: Pairs, lambdas: Sequence[float]) -> list[Array]:
    """The weights of the hinge or the logistic loss for each λ by L-BFGS, which sees all pairs at once.

    The kink of the hinge is rounded over `ROUNDED`, which changes a term by at most half of that times a.
    """
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    apart = features[pairs.winners] - features[pairs.losers]
    share = pairs.weights / len(apart)

    def objective(w: Array, lam: float) -> tuple[float, Array]:
        value, slope = _SCALAR[method](apart @ w)
        return float(share @ value + lam * w @ w), (share * slope) @ apart + 2 * lam * w

    limits = {"maxiter": 1000, "ftol": 1e-9, "gtol": 1e-5}  # far below what the choice of pairs changes
    found, w = dict[float, Array](), np.zeros(features.shape[1])
    with threadpool_limits(1):  # on a busy machine, two threads on 24 weights took ten times as long and more
        for lam in sorted(lambdas, reverse=True):  # each starts at the last one's; the largest λ's is near 0
            asked = (lam / len(apart),)  # of the mean, whose size does not depend on the number of pairs
            w = minimize(objective, w, asked, jac=True, method="L-BFGS-B", options=limits).x
            found[lam] = w
    return [found[lam] for lam in lambdas]


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
