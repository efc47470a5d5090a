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


def test_things_drawn_again_are_multinomial():
    """Of 1,000 kinds and more by tables of Poisson numbers: the numbers of a kind are binomial."""
    counts = np.tile([0, 1, 2, 5, 60, 700, 1023], 150)
    total, kept = int(counts.sum()), []
    for drawn in Stream(4).redrawn(counts, (100, 200)):
        assert (drawn.sum(axis=1) == total).all() and not drawn[:, counts == 0].any()
        kept.append(drawn)
    drawn = np.concatenate(kept)
    for n in np.unique(counts)[1:].tolist():
        ends = np.unique([-1, *binom.ppf(np.linspace(0.0, 1.0, 21)[1:-1], total, n / total), total])
        expected = drawn[:, counts == n].size * np.diff(binom.cdf(ends, total, n / total))
        found = np.histogram(drawn[:, counts == n], ends + 0.5)[0]
        assert chi2.sf(float(((found - expected) ** 2 / expected).sum()), len(expected) - 1) > SURE
    groups = drawn.reshape(300, 150, 7).sum(axis=2)  # of 150 alike, each pair has the covariance -N/150^2
    covariance = np.cov(groups.T)
    off = covariance[~np.eye(150, dtype=bool)]
    assert abs(off.mean() + total / 150**2) <= 5 * off.std() / np.sqrt(150)


def test_a_seed_draws_things_again_for_ever():
    counts = np.tile([3, 40], 500)
    (first,) = Stream(7).redrawn(counts, [2])
    assert first[:, :4].tolist() == [[1, 36, 4, 49], [2, 45, 2, 47]]
    (few,) = Stream(7).redrawn(np.array([100, 200, 0]), [1])
    assert few.tolist() == Stream(7).multinomial(300, [1 / 3, 2 / 3, 0.0], size=1).tolist()
    (huge,) = Stream(7).redrawn(np.full(1000, 2**21), [1])
    assert huge.sum() == 1000 * 2**21
