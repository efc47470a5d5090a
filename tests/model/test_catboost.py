"""The formulas of CatBoost's losses, compared with the derivatives that the installed CatBoost takes.

One tree with a leaf for each item and without regularization steps, by the method Gradient, by the mean
derivative of each item, which CatBoost takes of what is to be maximized.
"""

import json
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import lcm, log, log2, pi, sqrt
from pathlib import Path

import catboost
import catboost.utils
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from consistency_lab.model.surrogates.tasks.fields import field
from consistency_lab.model.surrogates.tasks.libraries import entry, library_losses
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.show.script import of_least_loss
from tests.gradients import curvature, gradient

ROOT = Path(__file__).parents[2]
ANSWERS = json.loads((ROOT / "docs" / "libraries.json").read_text(encoding="utf-8"))
ALWAYS = {"bootstrap_type": "No", "random_strength": 0, "thread_count": 1, "random_seed": 0}
ALWAYS |= {"allow_writing_files": False, "logging_level": "Silent"}
RNG = np.random.default_rng(20)
LISTS = [(np.array(s), RNG.normal(size=4)) for s in ((2, 0, 1, 1), (0, 1, 2, 0), (1, 2, 2, 0))]
BINARY = [(np.array(s), RNG.normal(size=4)) for s in ((1, 0, 1, 1), (0, 0, 1, 0))]


def step(loss, grades, scores, method="Gradient", **given):
    """What one tree adds to the scores of the items of one list."""
    m = len(grades)
    pool = catboost.Pool(np.eye(m), grades, group_id=[0] * m, baseline=scores)
    chosen = {} if method is None else {"leaf_estimation_method": method}
    tree = {"iterations": 1, "learning_rate": 1, "l2_leaf_reg": 0, "depth": m}
    tree["leaf_estimation_iterations"] = 1
    parameters = {"loss_function": loss, **ALWAYS, **tree, **chosen, **given}
    return catboost.CatBoost(parameters).fit(pool).predict(np.eye(m))


def trained(loss, lists, **given):
    """The scores of the items after training on lists, each so often."""
    grades = [y for y, n in lists for _ in range(n)]
    m, groups = len(grades[0]), np.repeat(range(len(grades)), len(grades[0]))
    pool = catboost.Pool(np.tile(np.eye(m), (len(grades), 1)), np.ravel(grades), group_id=groups)
    return catboost.CatBoost({"loss_function": loss, **ALWAYS, **given}).fit(pool).predict(np.eye(m))


def sigma(x):
    return 1 / (1 + np.exp(-x))


def softmax(u):
    return np.exp(u) / np.exp(u).sum()


def pairs(s, u, weight=lambda i, j: 1.0):
    """The gradient and the second derivatives of the weighted logistic loss of pairs."""
    found, slopes = np.zeros(len(s)), np.zeros(len(s))
    for i, j in permutations(range(len(s)), 2):
        if s[i] > s[j]:
            force = weight(i, j) * sigma(u[j] - u[i])
            found[i], found[j] = found[i] - force, found[j] + force
            slopes[[i, j]] += force * sigma(u[i] - u[j])
    return found, slopes


def assert_newton(found, gradient, slopes):
    """Steps of losses of pairs are shifted to have the mean 0; items without pairs share others' leaves."""
    used = slopes > 0
    assert np.ptp((found + gradient / np.where(used, slopes, 1))[used]) < 1e-4


GRADIENTS = {
    "QuerySoftMax": lambda s, u: s.sum() * softmax(u) - s,
    "QueryRMSE": lambda s, u: u - s - np.mean(u - s),
    "RMSE": lambda s, u: u - s,
    "CrossEntropy": lambda s, u: sigma(u) - s,
    "GroupQuantile": lambda s, u: np.sign(u - s - np.mean(u - s)) / 2,
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_a_step_is_the_negative_gradient_of_the_formula(name):
    for s, u in BINARY if entry(f"catboost:{name}").binary else LISTS:
        assert step(name, s, u) == pytest.approx(-GRADIENTS[name](s, u), abs=1e-6)


def test_pairlogit_takes_the_newton_steps_of_its_formula():
    for s, u in LISTS:
        assert_newton(step("PairLogit", s, u, None), *pairs(s, u))


def test_cross_entropy_refuses_other_labels():
    with pytest.raises(catboost.CatBoostError, match="target greater than 1"):
        step("CrossEntropy", *LISTS[0])


SAME = [
    (line.objective, goal)
    for line in library_losses("catboost")
    for goal in ("ndcg", "pairwise")
    if line.shipped == "same" and line.plain is not None and not (line.binary and goal == "pairwise")
]


@pytest.mark.parametrize(("name", "goal"), SAME)
def test_each_loss_of_the_catalogue_learns_a_wrong_order_from_its_witness(name, goal):
    line = entry(f"catboost:{name}")
    answer = ANSWERS[f"{goal}-{'01' if line.binary else '012'}-{line.plain.name}"]
    document = json.loads((ROOT / answer["witness"]).read_text(encoding="utf-8"))
    shares = [Fraction(label["probability"]) for label in document["proof"]["labels"]]
    whole = lcm(*(p.denominator for p in shares))
    weights = {tuple(y): p for y, p in zip(document["named"]["labels"], shares, strict=True)}
    lists = [(y, int(p * whole)) for y, p in weights.items()]
    scores = trained(name, lists, iterations=200, learning_rate=0.3, l2_leaf_reg=1e-6, depth=3)
    learned = tuple(map(int, np.argsort(-scores)))
    task = target(goal, items=3, labels=(0, 1) if line.binary else (0, 1, 2))
    assert learned not in of_least_loss(task, weights)


@pytest.mark.long
def test_pairlogitpairwise_ends_where_pairlogit_does():
    lists, many = [((0, 1, 0), 7), ((2, 0, 1), 8)], {"iterations": 1000, "learning_rate": 0.3, "depth": 3}
    plain, other = (trained(name, lists, **many) for name in ("PairLogit", "PairLogitPairwise"))
    assert other - other[0] == pytest.approx(plain - plain[0], abs=1e-3)


def test_query_cross_entropy_is_its_formula_and_is_not_trained_on_this_machine():
    s, u = np.array([1, 0, 1, 0]), np.array([0.3, -0.2, 0.5, 1.0])

    def loss(t):
        return float(np.mean(np.log1p(np.exp(u + t)) - s * (u + t)))

    for alpha in (0.0, 0.5, 0.95, 1.0):
        metric = f"QueryCrossEntropy:alpha={alpha}"
        (found,) = catboost.utils.eval_metric(s, u, metric, group_id=[0] * 4)
        expected = (1 - alpha) * loss(0) + alpha * minimize_scalar(loss).fun
        assert found == pytest.approx(expected, abs=1e-6)
    (one_label,) = catboost.utils.eval_metric(np.ones(4), u, "QueryCrossEntropy", group_id=[0] * 4)
    assert one_label == pytest.approx(0.05 * float(np.mean(np.log1p(np.exp(-u)))), abs=1e-6)
    with pytest.raises(catboost.CatBoostError, match="not supported for CPU"):
        step("QueryCrossEntropy", s, u, None)


def test_by_default_groupquantile_ends_at_medians():
    found = trained("GroupQuantile", [((0, 1), 4), ((2, 0), 5)], iterations=300, learning_rate=0.3)
    assert found == pytest.approx([2, 0], abs=1e-3)


# --- LambdaMart -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{}, {"norm": False}, {"sigma": 2}], ids=str)
def test_lambdamart_takes_the_newton_steps_of_the_field_and_the_gradient_steps_backwards(given):
    shipped = field("catboost:LambdaMart", **given)
    loss = "LambdaMart" + "".join(f":{key}={str(x).lower()}" for key, x in given.items())
    for s, u in LISTS:
        label = tuple(map(int, s))
        pull = gradient(shipped, label, u)
        slopes = curvature(shipped.piece(label, tuple(map(int, np.argsort(-u)))), u[None])[0]
        assert step(loss, s, u, None) == pytest.approx(-pull / slopes, abs=1e-5)
        assert step(loss, s, u, "Gradient") == pytest.approx(pull, abs=1e-6)


@pytest.mark.parametrize(
    ("given", "learned"),
    [({}, [0, 2, 1]), ({"leaf_estimation_method": "Gradient"}, [1, 2, 0]), ({"l2_leaf_reg": 3}, [1, 2, 0])],
    ids=str,
)
def test_lambdamart_learns_the_reverse_order_where_the_note_says_so(given, learned):
    scores = trained("LambdaMart", [((2, 0, 1), 1)], iterations=50, **given)
    assert list(np.argsort(-scores)) == learned


# --- YetiRank -------------------------------------------------------------------------------------------

DECAY = 0.85


def neighbors(mode, s, order):
    """What the neighbors of a ranking weigh; grades are probabilities for ERR."""
    found, look, relevant = {}, 1.0, False
    ideal = sum(x / log2(2 + k) for k, x in enumerate(sorted(s, reverse=True)))
    for k, (i, j) in enumerate(pairwise(order), start=1):
        apart, one = abs(s[i] - s[j]), (s[i] > 0) != (s[j] > 0)
        dcg = apart * (1 / log2(1 + k) - 1 / log2(2 + k))
        found[frozenset((i, j))] = {
            "Classic": 0.15 * DECAY ** (k - 1) * apart,
            "DCG": dcg,
            "NDCG": dcg / ideal,
            "MRR": (not relevant) * one * (1 / k - 1 / (k + 1)),
            "ERR": look * apart * (1 / k - 1 / (k + 1)),
            "MAP": one / k,
        }[mode]
        relevant, look = relevant or s[i] > 0, look * (1 - s[i])
    return found


@pytest.mark.parametrize("mode", ["Classic", "DCG", "NDCG", "MRR", "ERR", "MAP"])
def test_without_noise_yetirank_weighs_the_neighbors_of_the_ranking(mode):
    for s, u in LISTS:
        grades = s / 4 if mode == "ERR" else s.astype(float)
        weights = neighbors(mode, grades, list(map(int, np.argsort(-u))))
        found = step(f"YetiRank:mode={mode};noise=No", grades, u, None)
        assert_newton(found, *pairs(grades, u, lambda i, j, w=weights: w.get(frozenset((i, j)), 0.0)))


def test_the_noise_of_yetirank_is_logistic():
    s, u = np.array([2.0, 0, 1]), np.array([0.4, -0.3, 0.1])
    draws = 200_000
    noise = np.random.default_rng(0).logistic(size=(draws, 3))
    orders, counts = np.unique(np.argsort(-(u + noise), axis=1), axis=0, return_counts=True)
    weights = {}
    for order, count in zip(orders, counts, strict=True):
        for pair, weight in neighbors("Classic", s, list(map(int, order))).items():
            weights[pair] = weights.get(pair, 0) + weight * count / draws
    found = step(f"YetiRank:permutations={draws}", s, u, None)
    gradient, slopes = pairs(s, u, lambda i, j: weights[frozenset((i, j))])
    expected = -gradient / slopes
    assert found - found[1] == pytest.approx(expected - expected[1], rel=0.01)


@pytest.mark.parametrize("name", ["YetiRank", "YetiRankPairwise"])
def test_two_items_are_always_neighbors(name):
    """Weights 2 and 1 a list, 3 lists against 1: sigma(u_1 - u_2) = 6/7."""
    scores = trained(name, [((2, 0), 3), ((0, 1), 1)], iterations=1500, learning_rate=0.1)
    assert scores[0] - scores[1] == pytest.approx(log(6), abs=1e-2)


# --- Losses whose gradient is sampled ----------------------------------------------------------------------


def test_stochasticfilter_climbs_the_mean_gain_of_the_kept_items():
    s, u = np.array([1.0, 0, 2]), np.array([0.4, -0.3, 0.1])
    mean = np.zeros(3)
    for kept in product((0, 1), repeat=3):
        x, p = np.array(kept), sigma(u)
        gain = float((x * s / np.maximum(np.cumsum(x), 1)).sum())
        mean += float(np.prod(np.where(x, p, 1 - p))) * gain * (x - p)
    assert step("StochasticFilter:num_estimations=400000", s, u) == pytest.approx(mean, abs=0.005)


METRICS = {"DCG": 2 - 2 / log2(3), "NDCG": 1 - 1 / log2(3), "MRR": 1 / 2}
"""What the first of two items with grades 2 and 0 adds to a metric by standing first."""


@pytest.mark.parametrize("metric", METRICS)
def test_stochasticrank_climbs_the_smoothed_metric(metric):
    """With two items the noise of the difference is normal with variance 2; mu = 1/10 shifts it by 2/10."""
    s, u = np.array([2.0, 0]), np.array([0.7, 0.2])
    d = u[0] - u[1] - 0.2
    slope = METRICS[metric] * np.exp(-(d**2) / 4) / sqrt(4 * pi)
    found = step(f"StochasticRank:metric={metric};mu=0.1;num_estimations=400000", s, u)
    assert found == pytest.approx([slope, -slope], abs=0.002)


@pytest.mark.parametrize("metric", ["DCG", "NDCG", "PFound", "ERR", "MRR"])
def test_the_steps_of_stochasticrank_have_no_part_along_the_scores(metric):
    s, u = np.array([1.0, 0, 0.5]), np.array([1.4, -0.9, 0.1])
    found = step(f"StochasticRank:metric={metric};nu=1e-9", s, u)
    assert np.abs(found).max() > 1e-3
    assert abs(found @ (u - u.mean())) < 1e-5
    assert abs(found.sum()) < 1e-5
