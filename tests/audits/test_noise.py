"""The tests of single majorities, against sums of binomial coefficients."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest

from consistency_lab.audits.audit import audit
from consistency_lab.audits.noise import Stability, holm, pair_tests, sign_flips
from consistency_lab.data.profile import Profile
from consistency_lab.data.rows import PairCounts


def exactly(k: int, n: int) -> float:
    """Twice the probability of at most k heads in n throws, 1 at most."""
    return min(1.0, 2 * sum(comb(n, j) for j in range(k + 1)) / 2**n)


@pytest.mark.parametrize(
    ("won", "lost"), [(0, 0), (1, 0), (0, 7), (5, 5), (6, 5), (29, 50), (310, 250), (3, 900)]
)
def test_the_binomial_test_is_a_sum_of_binomial_coefficients(won: int, lost: int) -> None:
    found = pair_tests(np.array([[0, won], [lost, 0]]))
    assert found.p[0, 1] == found.p[1, 0] == pytest.approx(exactly(min(won, lost), won + lost), rel=1e-12)
    assert found.p[0, 0] == found.p[1, 1] == 1.0
    assert found.corrected[0, 1] == found.p[0, 1]  # of one pair there is nothing to correct


def test_a_majority_of_st_johnsbury_is_no_more_than_chance() -> None:
    """777 : 752 (docs/audit.md)."""
    assert round(float(pair_tests(np.array([[0, 777], [752, 0]])).p[0, 1]), 2) == 0.54


def test_the_correction_keeps_the_order_and_counts_pairs_that_met() -> None:
    found = pair_tests(np.array([[0, 9, 8], [1, 0, 0], [1, 0, 0]]))
    met = [exactly(1, 10), exactly(1, 9)]
    assert [found.corrected[0, 1], found.corrected[0, 2]] == pytest.approx([2 * met[0], 2 * met[0]])
    assert holm(np.array([0.5, 0.01, 0.02])) == pytest.approx([0.5, 0.03, 0.04])


def test_it_is_the_test_of_scipy() -> None:
    rng = np.random.default_rng(1)
    for won, lost in rng.integers(0, 400, (60, 2)).tolist():
        found = pair_tests(np.array([[0, won], [lost, 0]])).p[0, 1]
        assert found == pytest.approx(binomtest(won, won + lost).pvalue if won + lost else 1.0, rel=1e-9)


def rejected(p: list[float], level: float) -> set[int]:
    """Holm (1979): go up the p-values, and stop at the first that is not below its share of the level."""
    falling = sorted(range(len(p)), key=lambda k: p[k])
    left = len(p)
    for n, k in enumerate(falling):
        if p[k] * left > level:
            return set(falling[:n])
        left -= 1
    return set(falling)


def test_a_corrected_value_is_the_least_level_that_rejects() -> None:
    rng = np.random.default_rng(2)
    for _ in range(40):
        p = np.round(rng.random(rng.integers(1, 9)) ** 4, 3)  # some are equal
        corrected = holm(p)
        for level in (0.001, 0.01, 0.05, 0.2, 0.7, *(corrected[corrected < 1] * (1 + 1e-12))):
            assert set(np.flatnonzero(corrected <= level).tolist()) == rejected(p.tolist(), level)


def test_ties_say_nothing_of_which_is_preferred() -> None:
    """Nine games of ten are decided for A; that there were forty ties too changes no p-value."""
    counts, ties = ((0, 1, 9), (1, 0, 1)), ((0, 1, 40),)
    for share in (Fraction(0), Fraction(1, 2), Fraction(1)):
        contents = PairCounts("comparisons", "", ("A", "B"), counts, ties, share)
        found = audit(Profile.of(contents), ["borda"], resamples=0, simulations=0)
        assert found.tests is not None
        assert found.tests.p[0, 1] == pytest.approx(exactly(1, 10))


def test_games_with_signs_thrown_by_cluster_are_binomial_where_clusters_are_single_games() -> None:
    for won, lost in ((9, 1), (5, 5), (30, 12), (0, 7)):
        margins = np.array([1] * won + [-1] * lost)
        assert sign_flips(margins) == pytest.approx(exactly(min(won, lost), won + lost))
    rng = np.random.default_rng(3)
    margins = rng.integers(-4, 5, 10)
    signs = np.array(list(product((-1, 1), repeat=10)))
    share = np.mean(np.abs(signs @ margins) >= abs(margins.sum()))
    assert sign_flips(margins) == pytest.approx(share)


def test_the_order_is_corrected_for_all_majorities_that_may_be_contradicted() -> None:
    """Eight pairs that the loss ties: each is contradicted in 97 % of the resamples by chance once in 33."""
    pairs = np.zeros((16, 16))
    pairs[0, 1] = 0.97
    real = np.zeros((16, 16), dtype=bool)
    real[np.arange(0, 16, 2), np.arange(1, 16, 2)] = True
    alone = Stability(1000, pairs, np.zeros(16))
    assert alone.standing(real)[0, 1]
    for k in range(1, 8):
        pairs[2 * k, 2 * k + 1] = 0.5
    assert not Stability(1000, pairs, np.zeros(16)).standing(real).any()
    pairs[0, 1] = 0.999
    assert Stability(1000, pairs, np.zeros(16)).standing(real).sum() == 1


def test_without_resamples_nothing_is_above_noise() -> None:
    wins = [[0, 600, 400], [400, 0, 700], [600, 300, 0]]
    profile = Profile.from_matrix(wins)
    assert audit(profile, ["linear"], resamples=0, simulations=0).findings[0].above_noise is None
