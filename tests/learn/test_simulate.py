"""Simulated judges follow their models exactly, and a seed repeats them."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from consistency_lab.apps.learn.aggregate import BTLLogOdds, CascadeMLE
from consistency_lab.apps.learn.experiments.judges import Judged, cascade_sessions, click_chances
from consistency_lab.errors import InputError

RELEVANCE = np.array([2.0, 0.0, 1.0, 4.0, 4.0, 3.0])
QUERIES = np.array([0, 0, 0, 1, 2, 2])
JUDGED = Judged(RELEVANCE, QUERIES)


def test_frequencies_are_those_of_bradley_and_terry():
    found = JUDGED.btl_frequencies(0)
    assert found.sum() == pytest.approx(1.0)
    odds = found / found.T.clip(1e-300)
    for i, j in permutations(range(3), 2):
        assert odds[i, j] == pytest.approx(np.exp(RELEVANCE[i] - RELEVANCE[j]))
        assert found[i, j] + found[j, i] == pytest.approx(1 / 3)  # pairs are equally likely


def test_many_pairs_are_as_frequent_as_the_model_says():
    n = 60_000
    said = JUDGED.btl_pairs(n, np.random.default_rng(1))
    for query, rows in ((0, [0, 1, 2]), (2, [4, 5])):
        wins = np.zeros((6, 6))
        np.add.at(wins, (said.winners, said.losers), 1.0)
        chance = JUDGED.btl_frequencies(query) / 2  # the query with one row is never drawn
        found = wins[np.ix_(rows, rows)] / n
        assert np.abs(found - chance).max() < 5 * np.sqrt(0.25 / n)
        assert not found[chance == 0].any()


def test_limiting_scores_are_what_the_log_odds_become_without_end():
    """With the frequencies in place of counts, and a smoothing that vanishes, as 1/k does."""
    assert JUDGED.limiting_scores().tolist() == [1.0, -1.0, 0.0, 0.0, 0.5, -0.5]
    for query in (0, 2):
        limit = JUDGED.limiting_scores()[query == QUERIES]
        gaps = [
            np.abs(BTLLogOdds(c=c).scores(JUDGED.btl_frequencies(query), total=1.0) - limit).max()
            for c in (1e-4, 1e-8, 1e-12)
        ]
        assert gaps[0] < 1e-2 and gaps[1] < 1e-6 and gaps[2] < 1e-10


def test_queries_must_be_numbered_in_order():
    with pytest.raises(InputError, match="numbered 0, 1"):
        Judged(np.zeros(3), np.array([0, 1, 0]))
    with pytest.raises(InputError, match="one number per row"):
        Judged(np.zeros(2), np.array([0, 0, 0]))
    with pytest.raises(InputError, match="needs two"):
        Judged(np.zeros(2), np.array([0, 1])).btl_pairs(1, np.random.default_rng(0))


P = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 8))


@pytest.mark.parametrize("shown", list(permutations(range(3))))
def test_clicks_of_the_cascade_model_by_enumeration(shown):
    """Whether each row would satisfy is decided by a coin of its own; the first that does is clicked."""
    chance = [Fraction(0)] * 4
    for satisfied in range(8):
        coins = [satisfied >> k & 1 for k in range(3)]
        weight = Fraction(1)
        for coin, p in zip(coins, P, strict=True):
            weight *= p if coin else 1 - p
        chance[next((t for t, row in enumerate(shown) if coins[row]), 3)] += weight
    found = click_chances(np.array([float(p) for p in P]), np.array(shown))
    assert found.tolist() == [float(x) for x in chance]  # dyadic, so exact in floats


def test_clicks_over_examinations_are_the_chances_exactly_in_expectation():
    """The structure of the cascade model: expected clicks / expected examinations = p, whatever is shown."""
    p = np.array([0.5, 0.25, 0.125])
    lists = [np.array([2, 1, 0]), np.array([1, 0, 2])]
    clicks, examined = np.zeros(3), np.zeros(3)
    for weight, shown in zip((0.75, 0.25), lists, strict=True):
        chance = click_chances(p, shown)
        clicks[shown] += weight * chance[:-1]
        examined[shown] += weight * (1 - np.cumsum(chance[:-1]) + chance[:-1])
    assert CascadeMLE().scores(clicks, examined) == pytest.approx(p)
    n = 20_000
    drawn = cascade_sessions(p, lists, np.array([0.75, 0.25]), n, np.random.default_rng(5)).counts()
    assert np.abs(np.array(drawn) / n - np.array([clicks, examined])).max() < 5 * np.sqrt(0.25 / n)


def test_a_chance_is_at_most_one():
    with pytest.raises(InputError, match="from 0 to 1"):
        cascade_sessions(np.array([1.5]), [np.array([0])], np.array([1.0]), 1, np.random.default_rng(0))
