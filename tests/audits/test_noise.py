"""The tests of single majorities, against sums of binomial coefficients."""

from math import comb

import numpy as np
import pytest

from consistency_lab.audits.noise import holm, pair_tests


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
