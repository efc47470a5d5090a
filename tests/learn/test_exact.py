"""Minimizers of empirical risks, against enumeration and against the stationarity of what they minimize."""

from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from consistency_lab import Distribution, UnsupportedError, minimize
from consistency_lab.apps.learn.aggregate import BTLLogOdds
from consistency_lab.apps.learn.experiments.exact import (
    expected_leads,
    expected_scores,
    least_squares,
    pairwise_logistic,
)

SAID = [(0, 1), (0, 1), (1, 0), (0, 2), (2, 1), (2, 1), (2, 1)]


def _wins(said):
    wins = np.zeros((3, 3))
    for pair in said:
        wins[pair] += 1
    return wins


@pytest.mark.parametrize("k", [1, 3, 7, 8])
def test_expected_scores_are_the_mean_over_all_choices(k):
    structure = BTLLogOdds(c=0.3)
    chosen = [list(one) for one in combinations(SAID, min(k, len(SAID)))]
    assert len(chosen) == comb(7, min(k, 7))
    mean = np.mean([structure.scores(_wins(one), total=min(k, 7)) for one in chosen], axis=0)
    assert expected_scores(_wins(SAID), 7, k, 0.3) == pytest.approx(mean)


@pytest.mark.parametrize("k", [1, 3, 7, 8])
def test_expected_leads_are_the_mean_over_all_choices(k):
    chosen = [_wins(list(one)) / min(k, 7) for one in combinations(SAID, min(k, 7))]
    mean = np.mean([np.maximum(one - one.T, 0) for one in chosen], axis=0)
    assert expected_leads(_wins(SAID), k, total=7) == pytest.approx(mean)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_expected_leads_of_independent_judges(k):
    chosen = [_wins(list(one)) / k for one in product(SAID, repeat=k)]
    mean = np.mean([np.maximum(one - one.T, 0) for one in chosen], axis=0)
    assert expected_leads(_wins(SAID) / 7, k) == pytest.approx(mean)


def test_leads_tend_from_the_frequencies_to_the_difference_graph():
    a = _wins(SAID) / 7
    assert expected_leads(a, 1) == pytest.approx(a)
    assert expected_leads(a, 400) == pytest.approx(np.maximum(a - a.T, 0), abs=5e-3)


def test_without_comparisons_the_scores_are_zero():
    assert expected_scores(np.zeros((3, 3)), 0, 5, 1.0).tolist() == [0, 0, 0]


def test_least_squares_is_stationary():
    rng = np.random.default_rng(0)
    X, t, w = rng.standard_normal((20, 4)), rng.standard_normal(20), rng.random(20)
    theta = least_squares(X, t, w, 0.3)
    assert X.T @ (w * (X @ theta - t)) + 0.3 * theta == pytest.approx(np.zeros(4), abs=1e-12)


def test_pairwise_logistic_is_the_engines_minimizer_where_features_are_names():
    a = np.array([[0, 3, 8], [2, 0, 1], [4, 3, 0.0]])
    theta = pairwise_logistic([np.eye(3)], [a], 1e-10)
    engine = minimize("logistic", Distribution.from_aggregate(a.astype(int).tolist())).scores
    assert theta - theta.mean() == pytest.approx(engine - engine.mean(), abs=1e-6)


def test_pairwise_logistic_is_stationary_over_several_queries():
    rng = np.random.default_rng(1)
    X = [rng.standard_normal((m, 3)) for m in (4, 5)]
    a = [rng.integers(0, 4, (m, m)) * (1.0 - np.eye(m)) for m in (4, 5)]
    theta = pairwise_logistic(X, a, 0.05)
    slope = 0.05 * theta
    for x, counts in zip(X, a, strict=True):
        for i, j in zip(*np.nonzero(counts), strict=True):
            margin = (x[i] - x[j]) @ theta
            slope -= counts[i, j] * (x[i] - x[j]) / (1 + np.exp(margin)) / sum(one.sum() for one in a)
    assert slope == pytest.approx(np.zeros(3), abs=1e-8)


def test_a_risk_without_minimum_is_refused():
    with pytest.raises(UnsupportedError, match="larger lambda"):
        pairwise_logistic([np.array([[1e-3], [0.0]])], [np.array([[0, 1.0], [0, 0]])], 1e-40)
