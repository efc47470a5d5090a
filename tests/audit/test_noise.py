"""The tests of single majorities, against sums of binomial coefficients."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from consistency_lab import InputError, Profile
from consistency_lab.apps.audit.audit import audit
from consistency_lab.apps.audit.board import Drawn, certain_majorities
from consistency_lab.apps.audit.noise import FEWEST, Stability, holm, pair_tests, sign_flips
from consistency_lab.apps.audit.screen import more_needed
from consistency_lab.apps.audit.words import Facts, answer
from consistency_lab.data.rows import Compared, PairCounts
from consistency_lab.data.votes import Games


def exactly(k, n):
    """Twice the probability of at most k heads in n throws, 1 at most."""
    return min(1.0, 2 * sum(comb(n, j) for j in range(k + 1)) / 2**n)


@pytest.mark.parametrize(
    ("won", "lost"), [(0, 0), (1, 0), (0, 7), (5, 5), (6, 5), (29, 50), (310, 250), (3, 900)]
)
def test_the_binomial_test_is_a_sum_of_binomial_coefficients(won, lost):
    found = pair_tests(np.array([[0, won], [lost, 0]]))
    assert found.p[0, 1] == found.p[1, 0] == pytest.approx(exactly(min(won, lost), won + lost), rel=1e-12)
    assert found.p[0, 0] == found.p[1, 1] == 1.0
    assert found.corrected[0, 1] == found.p[0, 1]  # of one pair there is nothing to correct


def test_the_correction_keeps_the_order_and_counts_pairs_that_met():
    found = pair_tests(np.array([[0, 9, 8], [1, 0, 0], [1, 0, 0]]))
    met = [exactly(1, 10), exactly(1, 9)]
    assert [found.corrected[0, 1], found.corrected[0, 2]] == pytest.approx([2 * met[0], 2 * met[0]])
    assert holm(np.array([0.5, 0.01, 0.02])) == pytest.approx([0.5, 0.03, 0.04])


def rejected(p, level):
    """Holm (1979): go up the p-values, and stop at the first that is not below its share of the level."""
    falling = sorted(range(len(p)), key=lambda k: p[k])
    left = len(p)
    for n, k in enumerate(falling):
        if p[k] * left > level:
            return set(falling[:n])
        left -= 1
    return set(falling)


def test_a_corrected_value_is_the_least_level_that_rejects():
    rng = np.random.default_rng(2)
    for _ in range(40):
        p = np.round(rng.random(rng.integers(1, 9)) ** 4, 3)  # some are equal
        corrected = holm(p)
        for level in (0.001, 0.01, 0.05, 0.2, 0.7, *(corrected[corrected < 1] * (1 + 1e-12))):
            assert set(np.flatnonzero(corrected <= level).tolist()) == rejected(p.tolist(), level)


def test_ties_say_nothing_of_which_is_preferred():
    counts, ties = ((0, 1, 9), (1, 0, 1)), ((0, 1, 40),)
    for share in (Fraction(0), Fraction(1, 2), Fraction(1)):
        contents = PairCounts("comparisons", "", ("A", "B"), Compared.of(counts), Compared.of(ties), share)
        found = audit(Profile.of(contents), ["borda"], resamples=0, simulations=0)
        assert found.tests.p[0, 1] == pytest.approx(exactly(1, 10))


def test_games_with_signs_thrown_by_cluster_are_binomial_where_clusters_are_single_games():
    for won, lost in ((9, 1), (5, 5), (30, 12), (0, 7)):
        margins = np.array([1] * won + [-1] * lost)
        assert sign_flips(margins) == pytest.approx(exactly(min(won, lost), won + lost))
    rng = np.random.default_rng(3)
    margins = rng.integers(-4, 5, 10)
    signs = np.array(list(product((-1, 1), repeat=10)))
    share = np.mean(np.abs(signs @ margins) >= abs(margins.sum()))
    assert sign_flips(margins) == pytest.approx(share)


def stable(sizes, drawn=4000, units=10**6):
    """Independent pairs, each contradicted by so many standard errors; the majorities; the scores."""
    m = 2 * len(sizes)
    scores, majorities = np.zeros(m), np.zeros((m, m), dtype=bool)
    scores[1::2] = sizes
    majorities[np.arange(0, m, 2), np.arange(1, m, 2)] = True
    again = np.zeros((drawn, m))
    again[:, 1::2] = sizes + np.random.default_rng(4).normal(size=(drawn, len(sizes)))
    kept = Drawn(again, np.zeros(again.shape, np.int64), units)
    return Stability(drawn, np.zeros((m, m)), np.zeros(m), kept), majorities, scores


def found(sizes, drawn=4000, units=10**6):
    one, majorities, scores = stable(sizes, drawn, units)
    return one.standing(majorities, scores)[0][majorities].tolist()


def test_the_order_is_corrected_for_all_majorities_in_question():
    """The largest of eight normal variables exceeds 2.73 in 2.5 %, one exceeds 1.96."""
    assert found([2.2]) == [True] and found([1.7]) == [False]
    assert found([2.2, *[0.0] * 7]) == [False] * 8
    assert found([3.2, *[0.0] * 7]) == [True] + [False] * 7
    assert found([2.2, *[-4.0] * 7])[0]  # the others are not in question
    assert found([4.0, 4.0, 4.0, 4.0, 2.2]) == [True] * 5  # one by one, those found before do not count


def test_the_order_by_few_units_is_taken_for_students_distribution():
    assert found([2.6]) == [True] and found([2.6], units=6) == [False] and found([4.0], units=6) == [True]


@pytest.mark.parametrize("resamples", [FEWEST, 200])
def test_as_many_contradictions_as_there_are_can_be_above_noise(resamples):
    """Of 70 each is certain; a p-value of each, from so many resamples and times 70, would be none."""
    assert found([9.0] * 70, resamples) == [True] * 70


def circle(m, lift):
    """Each item beats the next half, 0.6 : 0.4, and all are level, unless they are lifted."""
    ahead = (np.arange(m)[None] - np.arange(m)[:, None]) % m
    u = lift * np.linspace(-0.5, 0.5, m)
    return 0.5 + np.where(ahead == 0, 0, np.where(ahead <= m // 2, 0.1, -0.1)) + u[:, None] - u


def test_an_audit_finds_more_than_fifty_contradictions_above_noise():
    wins = np.rint(10_000 * (circle(13, 0.15) - 0.5 * np.eye(13))).astype(int).tolist()
    (finding,) = audit(Profile.from_matrix(wins), ["linear"], resamples=200, simulations=0).findings
    assert finding.above_noise.sum() == len(finding.contradictions) > 50


def test_it_says_when_the_number_of_resamples_cannot_decide():
    """One of 40 resamples without the contradiction may be 1 % of them or 10 %."""
    one, majorities, scores = stable([2.0], FEWEST)
    one.drawn.scores[:, 1] = 2.0 + np.where(np.arange(FEWEST) == 0, -2.5, 0.1)
    above, still_open = one.standing(majorities, scores)
    assert (above[0, 1], still_open[0, 1]) == (False, True)
    one.drawn.scores[:, 1] = 2.0 + np.where(np.arange(FEWEST) < 10, -2.5, 0.8)
    assert not one.standing(majorities, scores)[1].any()
    profile = Profile.from_matrix([[0, 600, 400], [400, 0, 680], [600, 320, 0]])
    unknown = audit(profile, ["linear"], resamples=FEWEST, simulations=0)
    assert unknown.findings[0].above_noise is None
    told = "with only 40 resamples it is unknown whether that is noise."
    assert answer(Facts(unknown)).endswith(told)


@pytest.mark.parametrize("resamples", [1, FEWEST - 1])
def test_numbers_of_resamples_that_never_tell_anything_from_noise_are_refused(resamples):
    with pytest.raises(InputError, match=f"resamples is {resamples}; pass 0 or a whole number from 40 to"):
        audit(Profile.from_matrix([[0, 1], [1, 0]]), resamples=resamples)


def test_the_comparisons_asked_for_have_a_power_of_80_percent():
    one = Games(2, np.array([110, 90]), np.array([0, 1]), np.array([1, 0]), np.array([1, 1]))
    found = more_needed(one, 1, 0)
    assert (found.above, found.share, found.more) == (0, 0.55, 583)
    rng, total = np.random.default_rng(0), 200 + found.more
    shown = [
        pair_tests(np.array([[0, won], [total - won, 0]])).p[0, 1] < 0.05
        for won in rng.binomial(total, 0.55, 500)
    ]
    assert 0.75 < np.mean(shown) < 0.85
    first = np.repeat([0, 1], [22, 18])
    again = Games(2, np.full(40, 5), first, 1 - first, np.ones(40, np.int64), cluster=np.arange(40))
    asked = more_needed(again, 0, 1)
    assert 200 + asked.more == pytest.approx(5 * total, abs=5)


def test_where_no_number_would_show_a_majority_none_is_asked_for():
    for won, lost in ((50, 50), (9, 0), (900, 100), (50_001, 50_000)):
        votes = Games(2, np.array([won, lost]), np.array([0, 1]), np.array([1, 0]), np.array([1, 1]))
        assert more_needed(votes, 0, 1) is None


def test_certain_majorities_put_items_in_order_and_open_ones_do_not():
    wins = np.array([[0.0, 60, 55], [40, 0, 60], [45, 40, 0]])
    real = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]], bool)
    assert certain_majorities(wins, real).tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    real[0, 2] = real[2, 0] = False
    assert not certain_majorities(wins, real).any()
