"""Our own draws: the same ones for ever, of the distributions that they are called after."""

import numpy as np
import pytest
from scipy.stats import binom, chi2, kstest, norm

from consistency_lab.data.draws import Stream

DRAWS = 40_000
SURE = 1e-6
"""Seeds are fixed, so a p-value below this is an error, not bad luck."""


def test_a_seed_gives_the_same_draws_for_ever():
    """Written down once: whatever changes them changes published answers."""
    stream = Stream(7)
    assert stream.random(2).tolist() == [0.6250954666046671, 0.8972138009695756]
    assert stream.normal(2).round(12).tolist() == [0.757703305852, -0.754724371743]
    assert stream.binomial([5, 40, 10**6, 10**12], [0.2, 0.9, 0.5, 1e-9]).tolist() == [0, 34, 499710, 1033]
    drawn = stream.multinomial(1000, [1, 2, 0, 3, 4], size=2).tolist()
    assert drawn == [[101, 194, 0, 317, 388], [96, 191, 0, 315, 398]]


@pytest.mark.parametrize("p", [0.001, 0.3, 0.5, 0.99])
@pytest.mark.parametrize("n", [1, 19, 21, 400, 10**9, 10**15])
def test_binomials_have_their_probabilities(n, p):
    drawn = Stream(n).binomial(np.full(DRAWS, n), p)
    ends = np.unique([-1, *binom.ppf(np.linspace(0.0, 1.0, 31)[1:-1], n, p), n])
    expected = DRAWS * np.diff(binom.cdf(ends, n, p))
    found = np.histogram(drawn, ends + 0.5)[0]
    there = expected > 0
    assert not found[~there].any()
    score = float(((found - expected)[there] ** 2 / expected[there]).sum())
    assert found.sum() == DRAWS and chi2.sf(score, there.sum() - 1 or 1) > SURE


def test_draws_without_chance():
    drawn = Stream(0).binomial([0, 0, 0, 5, 10**9, 5, 10**9], [0.0, 0.5, 1.0, 0.0, 0.0, 1.0, 1.0])
    assert drawn.tolist() == [0, 0, 0, 0, 0, 5, 10**9]
    assert Stream(0).binomial(np.zeros((0, 3), dtype=np.int64), 0.5).shape == (0, 3)
    assert Stream(0).multinomial(9, [0.0, 3.0, 0.0]).tolist() == [0, 9, 0]
    assert Stream(0).multinomial(np.zeros(0, dtype=np.int64), np.zeros((0, 3))).shape == (0, 3)
    assert Stream(0).multinomial(9, [2.0], size=2).tolist() == [[9], [9]]


def test_normals_and_uniforms():
    assert kstest(Stream(1).normal(DRAWS), norm.cdf).pvalue > SURE
    assert kstest(Stream(2).random((2, DRAWS // 2)).ravel(), "uniform").pvalue > SURE


@pytest.mark.parametrize("columns", [2, 3, 7, 64])
def test_the_parts_of_a_multinomial(columns):
    """Their means and covariances: n p, and n (diag p - p p')."""
    weights, n = np.arange(columns, dtype=float), 300
    drawn = Stream(columns).multinomial(n, weights, size=DRAWS)
    p = weights / weights.sum()
    assert (drawn.sum(axis=1) == n).all() and not drawn[:, 0].any()
    error = np.sqrt(n * p * (1 - p) / DRAWS)
    assert (np.abs(drawn.mean(axis=0) - n * p) <= 5 * error).all()
    covariance = n * (np.diag(p) - np.outer(p, p))
    assert np.abs(np.cov(drawn.T) - covariance).max() <= 0.06 * covariance.max()


def test_rows_of_a_multinomial_have_weights_of_their_own():
    drawn = Stream(3).multinomial([4, 10**6], [[0, 1, 0], [1, 1, 2]])
    assert drawn[0].tolist() == [0, 4, 0] and drawn[1].sum() == 10**6
    assert np.abs(drawn[1] - [250_000, 250_000, 500_000]).max() < 3_000
