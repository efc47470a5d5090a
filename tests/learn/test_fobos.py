"""Steps: which terms are drawn, how often, what one step does, and where many of them lead."""

from collections import Counter
from itertools import combinations

import numba
import numpy as np
import pytest
import scipy.sparse
from scipy.optimize import minimize

from consistency_lab.apps.learn import LOSSES, compiled, u_statistic_risk
from consistency_lab.apps.learn import ranker as fobos
from consistency_lab.apps.learn.aggregate import Preferences
from consistency_lab.apps.learn.losses import loss_of
from consistency_lab.apps.learn.ranker import Walk, _scratch, features_of
from consistency_lab.apps.learn.risk import label_sets, terms
from consistency_lab.numbers import compiling

RNG = np.random.default_rng(5)
X = RNG.normal(size=(9, 3))
SAID = Preferences(
    winners=[0, 1, 2, 3, 0, 2, 4, 5, 6, 8],
    losers=[1, 2, 3, 0, 2, 1, 5, 6, 4, 7],
    queries=[0, 0, 0, 0, 1, 1, 1, 2, 2],
    labels=[0, 0, 1, 2, 3, 4, 5, 6, 7, 8],
)
LAM = 0.1


def made(name, k):
    loss, structure = loss_of(name)
    return terms(compiled.label_table(SAID, structure), loss, structure, k, 0.5)


def slope_of(one, query, labels, scores):
    slope = np.zeros(9)
    one.add(query, labels, scores, slope)
    return slope


def walk(penalty=compiled.L2, radius=1.0, curvature=0.0, seed=0, after=0):
    return Walk(3, compiled.Descent(penalty, LAM, radius, curvature, after), np.random.default_rng(seed))


def regularized(w, name, k, lam):
    value, slope = u_statistic_risk(X @ w, SAID, name, k=k, nu=0.5)
    return value + lam * (w @ w) / 2, X.T @ slope + lam * w


def test_every_set_of_labels_of_a_query_is_drawn_equally_often():
    table = made("logistic", 3).said
    count, labels, rng = 2000, np.arange(9), np.random.default_rng(0)
    met = Counter()
    for _ in range(count):
        query, begin, end = compiled._draw(table.said_start, table.label_start, labels, 3, rng)
        met[query, *sorted(labels[begin:end])] += 1
    # Queries of 5, 3 and 1 labels; the second and the third have one set each.
    share = {(0, *chosen): 5 / 9 / 10 for chosen in combinations(range(5), 3)} | {
        (1, 5, 6, 7): 3 / 9,
        (2, 8): 1 / 9,
    }
    assert met.keys() == share.keys()
    for chosen, p in share.items():
        assert abs(met[chosen] / count - p) < 5 * np.sqrt(p * (1 - p) / count)


@pytest.mark.parametrize("name", LOSSES)
def test_a_step_goes_down_the_gradient_of_one_term_and_their_mean_is_that_of_the_risk(name):
    one, features = made(name, 2), features_of(X)
    sets = list(label_sets(one.said, 2))
    ends = np.array([-X.T @ slope_of(one, query, labels, np.zeros(9)) for query, _, labels in sets])
    expected = sum(-share * end for (_, share, _), end in zip(sets, ends, strict=True))
    assert regularized(np.zeros(3), name, 2, 0.0)[1] == pytest.approx(expected)
    met = set()
    for seed in range(120):
        alone = walk(curvature=4.0, seed=seed)
        alone.go(features, one, 1, verbose=False)
        # eta = 1/(4 + LAM), and the proximal step divides by 1 + eta LAM.
        distance = np.abs(alone.weights * (4.0 + 2 * LAM) - ends).max(axis=1)
        assert distance.min() < 1e-12
        met |= set(np.flatnonzero(distance < 1e-12))
    assert met == set(range(len(sets)))


def best(name, lam, bound=None):
    limits = () if bound is None else [{"type": "ineq", "fun": bound}]
    return minimize(
        regularized, np.zeros(3), args=(name, 2, lam), jac=True, method="SLSQP", tol=1e-10, constraints=limits
    )


@pytest.mark.parametrize("name", [name for name in LOSSES if "hinge" not in name])
def test_many_steps_lead_to_the_minimum(name):
    path = walk(after=20_000)
    path.go(features_of(X), made(name, 2), 100_000, verbose=False)
    least = best(name, LAM)
    assert -1e-7 < regularized(path.mean, name, 2, LAM)[0] - least.fun < 2e-4
    assert path.mean == pytest.approx(least.x, abs=0.05)


@pytest.mark.parametrize(("penalty", "norm"), [(compiled.L1_BALL, 1), (compiled.L2_BALL, 2)])
def test_in_a_ball(penalty, norm):
    path = walk(penalty, radius=0.1)
    path.go(features_of(X), made("softmax", 2), 50_000, verbose=False)
    assert np.linalg.norm(path.weights, norm) <= 0.1 + 1e-12
    assert np.linalg.norm(best("softmax", 0.0).x, norm) > 0.12
    within = best("softmax", 0.0, lambda w: 0.1 - np.linalg.norm(w, norm))
    assert regularized(path.mean, "softmax", 2, 0.0)[0] == pytest.approx(within.fun, abs=1e-4)
    assert path.mean == pytest.approx(within.x, abs=0.01)


@pytest.mark.parametrize("seed", range(6))
def test_the_projection_is_the_nearest_point(seed):
    rng = np.random.default_rng(seed)
    given, radius = rng.normal(size=6), 0.1 + 2 * rng.random()
    for penalty, norm in ((compiled.L1_BALL, 1), (compiled.L2_BALL, 2)):
        found = given.copy()
        compiled._project(found, radius, penalty)
        assert np.linalg.norm(found, norm) == pytest.approx(min(radius, np.linalg.norm(given, norm)))
        # <given - found, other - found> <= 0 for all of the ball, mixtures of extreme points.
        others = np.r_[np.eye(6), -np.eye(6)] * radius if norm == 1 else rng.normal(size=(500, 6))
        if norm == 2:
            others *= radius / np.linalg.norm(others, axis=1, keepdims=True)
        assert ((others - found) @ (given - found)).max() < 1e-12


def test_a_projection_ends_where_rounding_reaches_the_ball():
    for radius, given in ((1e-30, [1.0, -1.0]), (1e-30, [1.0]), (1.0, [1e17, 1e17, 1e17])):
        found = np.array(given)
        compiled._project(found, radius, compiled.L1_BALL)
        assert np.abs(found).sum() <= radius
    endless = np.array([np.inf, 1.0])
    compiled._project(endless, 1.0, compiled.L1_BALL)
    assert endless.tolist() == [np.inf, 1.0]


def test_the_mean_of_the_iterates():
    features, one = features_of(X), made("logistic", 2)
    path, late, iterates = walk(curvature=3.0), walk(curvature=3.0, after=4), []
    for _ in range(7):
        for each in (path, late):
            each.go(features, one, 1, verbose=False)
        iterates.append(path.weights.copy())
    assert path.mean == pytest.approx(np.mean(iterates, axis=0))
    assert late.mean == pytest.approx(np.mean(iterates[4:], axis=0))


@pytest.mark.parametrize("name", LOSSES)
def test_all_labels_of_a_query_are_aggregated_once(name, monkeypatch):
    features, paths = features_of(X), (walk(), walk())
    one = made(name, None)
    assert (np.diff(_scratch(one).kept_start) > 0).all()
    # Queries of 5, 3 and 1 labels: the terms of the first one differ.
    assert (np.diff(_scratch(made(name, 3)).kept_start) > 0).tolist() == [False, True, True]
    paths[0].go(features, one, 200, verbose=False)
    monkeypatch.setattr(fobos, "MOST_KEPT", 0)
    assert not _scratch(one).kept.size
    paths[1].go(features, one, 200, verbose=False)
    assert (paths[0].weights == paths[1].weights).all() and paths[0].weights.any()


def test_step_sizes():
    features, one = features_of(X), made("linear", None)
    for penalty, eta in (
        (compiled.L2, lambda t: 1 / (5.0 + LAM * t)),
        (compiled.NO_PENALTY, lambda t: 1 / (5.0 * np.sqrt(t))),
    ):
        path = walk(penalty, curvature=5.0)
        for t in range(1, 6):
            before = path.weights.copy()
            path.go(features, one, 1, verbose=False)
            possible = [
                (before - eta(t) * X.T @ slope_of(one, query, labels, X @ before))
                / (1 + eta(t) * LAM * (penalty == compiled.L2))
                for query, _, labels in label_sets(one.said, 9)
            ]
            assert np.abs(np.array(possible) - path.weights).max(axis=1).min() < 1e-12


@pytest.mark.parametrize("name", ["logistic", "regression"])
def test_sparse_features_are_the_same_features(name):
    thin = X * (np.abs(X) > 0.5)
    dense, sparse = features_of(thin), features_of(scipy.sparse.csr_array(thin))
    assert dense.dense and not sparse.dense and sparse.data.size < dense.data.size
    paths = walk(), walk()
    for path, features in zip(paths, (dense, sparse), strict=True):
        path.go(features, made(name, 2), 1000, verbose=False)
    assert paths[0].weights == pytest.approx(paths[1].weights, rel=1e-9)
    assert paths[0].curvature == pytest.approx(paths[1].curvature)


def test_sparse_features_without_an_entry():
    path = walk()
    path.go(features_of(scipy.sparse.csr_array((9, 3))), made("logistic", 2), 10, verbose=False)
    assert path.weights.tolist() == [0.0, 0.0, 0.0]


def test_a_bound_of_the_curvature():
    # One pair of weight 1: in its direction the loss has at 0 the second derivative |x_i - x_j|^2 / 4.
    loss, structure = loss_of("logistic")
    one = terms(compiled.label_table(Preferences([0], [1], [0, 0]), structure), loss, structure, 1, 0.0)
    path = walk()
    path.go(features_of(X[:2]), one, 1, verbose=False)
    assert path.curvature == pytest.approx(((X[0] - X[1]) ** 2).sum() / 4)


def test_a_bar_is_shown_to_who_asks_for_it(capsys):
    features, one = features_of(X), made("difference-logistic", 2)
    paths = walk(), walk()
    assert len(paths[0].go(features, one, 1000, verbose=True)) == 20
    assert "1000/1000" in capsys.readouterr().err
    assert len(paths[1].go(features, one, 1000, verbose=False)) == 20
    assert capsys.readouterr().err == ""
    assert (paths[0].weights == paths[1].weights).all()
    assert len(paths[0].go(features, one, 7, verbose=False)) == 7
    assert paths[0].done == 1007


def test_what_another_version_has_kept_is_compiled_again(monkeypatch):
    compile_it = numba.njit

    def njit(cache=False, **options):
        if cache:
            raise ModuleNotFoundError("No module named 'consistency_lab.gone'")
        return compile_it(**options)

    monkeypatch.setattr(numba, "njit", njit)
    twice = compiling.entry(lambda x: 2.0 * x, (numba.float64,))
    assert twice(3.0) == 6.0
    assert len(twice.signatures) == 1
