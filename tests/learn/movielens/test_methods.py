"""The weights that the three methods find are those that minimize what DMJ10 §4 minimizes."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from consistency_lab.apps.learn.experiments import movielens as methods
from consistency_lab.apps.learn.experiments.movielens import LAMBDAS, NU, ROUNDED, batch, linear, path
from consistency_lab.apps.learn.experiments.ratings import Pairs, Ratings, features, sample

SCALAR = {"hinge": lambda t: np.maximum(0, 1 - t), "logistic": lambda t: np.log1p(np.exp(-t))}


@pytest.fixture(scope="module")
def problem(tiny: Ratings) -> tuple[np.ndarray, Pairs]:
    """Standardized features of the columns that differ, and pairs."""
    everything = np.arange(len(tiny.ratings))
    found = features(tiny, np.ones(len(everything), bool))
    found = found[:, found.std(0) > 0]
    return (found - found.mean(0)) / found.std(0), sample(tiny, everything, 300, np.random.default_rng(5))


def objective(method: str, x: np.ndarray, pairs: Pairs, lam: float, w: np.ndarray) -> float:
    """As the paper writes it: a sum, a pair after the other, and lam |w|^2."""
    total = 0.0
    for i, j, a in zip(pairs.winners, pairs.losers, pairs.weights, strict=True):
        total += a * (w @ (x[j] - x[i]) if method == "linear" else SCALAR[method](w @ (x[i] - x[j])))
    if method == "linear":
        total += NU * sum((w @ x[i]) ** 2 for i in {*pairs.winners.tolist(), *pairs.losers.tolist()})
    return total + lam * w @ w


@pytest.mark.parametrize("lam", [1e-3, 10])
def test_the_closed_form_is_the_minimum(problem: tuple[np.ndarray, Pairs], lam: float) -> None:
    x, pairs = problem
    (w,) = linear(x, pairs, [lam])
    least = objective("linear", x, pairs, lam, w)
    random = np.random.default_rng(0)
    for _ in range(5):  # a quadratic: what a step costs is the same in both directions at its minimum alone
        step = random.normal(size=w.shape) * np.linalg.norm(w) / 10
        there, back = (objective("linear", x, pairs, lam, w + s) for s in (step, -step))
        assert there > least
        assert there - back == pytest.approx(0, abs=1e-6 * (there - least))


def test_nu_is_a_unit(problem: tuple[np.ndarray, Pairs], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever multiplies ν and λ by 10 divides w by 10, and no order changes."""
    x, pairs = problem
    (before,) = linear(x, pairs, [0.1])
    monkeypatch.setattr(methods, "NU", 10 * NU)
    np.testing.assert_allclose(linear(x, pairs, [1])[0], before / 10, rtol=1e-9)


@pytest.mark.parametrize("method", ["hinge", "logistic"])
@pytest.mark.parametrize("lam", [1, 100])
def test_the_batch_solver_finds_the_minimum(
    problem: tuple[np.ndarray, Pairs], method: str, lam: float
) -> None:
    """Beside liblinear and a general solver; the rounded kink costs at most half its width a unit of a."""
    x, pairs = problem
    _, w, _ = batch(method, x, pairs, [lam / 10, lam, lam * 10])  # in the order asked for
    apart = x[pairs.winners] - x[pairs.losers]
    if method == "hinge":
        sign = np.where(np.arange(len(apart)) % 2, 1.0, -1.0)
        machine = LinearSVC(loss="hinge", C=1 / (2 * lam), fit_intercept=False, max_iter=100_000)
        other = machine.fit(apart * sign[:, None], sign, pairs.weights).coef_[0]
        room = ROUNDED / 2 * pairs.weights.sum()
    else:
        value = lambda v: pairs.weights @ SCALAR[method](apart @ v) + lam * v @ v  # noqa: E731
        other, room = minimize(value, np.zeros(len(w))).x, 1e-4
    ours, theirs = (objective(method, x, pairs, lam, v) for v in (w, other))
    assert ours <= theirs + room
    assert theirs <= ours + 0.03


@pytest.mark.parametrize("method", ["hinge", "logistic"])
def test_stochastic_gradient_comes_near_the_minimum(
    problem: tuple[np.ndarray, Pairs], tiny: Ratings, method: str
) -> None:
    x, pairs = problem
    (w,) = path(method, x, tiny.users, pairs, [15], "sgd")
    assert np.array_equal(w, path(method, x, tiny.users, pairs, [15], "sgd")[0])
    least = objective(method, x, pairs, 15, batch(method, x, pairs, [15])[0])
    assert objective(method, x, pairs, 15, w) < 1.002 * least


def test_under_the_largest_penalty_all_methods_order_alike(
    problem: tuple[np.ndarray, Pairs], tiny: Ratings
) -> None:
    """w is then about a multiple of sum a (d_i - d_j), of which hinge and logistic take the same share."""
    x, pairs = problem
    pull = pairs.weights @ (x[pairs.winners] - x[pairs.losers])
    for method in ("hinge", "logistic", "linear"):
        w = path(method, x, tiny.users, pairs, LAMBDAS, "batch")[-1]
        assert w @ pull / np.linalg.norm(w) / np.linalg.norm(pull) > 0.999999
