"""Bradley-Terry taken for true: which games are played again, and which are not."""

import numpy as np
import pytest

from consistency_lab.apps.audit.losses import rule
from consistency_lab.apps.audit.noise import _Rankings, bradley_terry_null, pair_tests
from consistency_lab.data.votes import UNKNOWN, Games, Orders

A, B, C = range(3)
NOT_BENT = np.zeros((20, 4, 4))


def games(counts, first, second, tied):
    """Ties are halves: a comparison that is decided counts 2 halves, one that is tied 1 for each."""
    share = [1 if even else 2 for even in tied]
    return Games(
        3, np.array(counts), np.array(first), np.array(second), np.array(share), np.array(tied), parts=2
    )


def test_ties_are_not_played_to_a_decision():
    votes = games([9, 30, 30], [A, A, B], [B, C, C], [False, True, True])
    null = bradley_terry_null(rule("logistic"), votes, 50, seed=0)
    assert (null.found, null.low, null.high, null.share, null.is_above) == (0, 0, 0, 1.0, False)


def test_ties_beside_decided_games_change_nothing():
    """A circle of 6 : 5: ties beside it change neither who plays again nor what is expected."""
    decided = games([6, 5, 6, 5, 6, 5], [A, B, B, C, C, A], [B, A, C, B, A, C], [False] * 6)
    null = bradley_terry_null(rule("logistic"), decided, 200, seed=0)
    ties = games(
        [6, 5, 6, 5, 6, 5, 40, 40, 40],
        [A, B, B, C, C, A, A, B, C],
        [B, A, C, B, A, C, B, C, A],
        [False] * 6 + [True] * 3,
    )
    beside = bradley_terry_null(rule("logistic"), ties, 200, seed=0)
    assert null.mean == pytest.approx(beside.mean)
    assert null.low < null.high


def test_a_ballot_that_is_played_is_as_long_as_it_was():
    rng = np.random.default_rng(1)
    levels = np.array([[0, 1, 2, 3], [0, 1, 1, 1], [2, 0, 1, 2], [0, UNKNOWN, 1, UNKNOWN]], dtype=np.int32)
    votes = Orders(4, np.array([5, 7, 2, 3]), levels)
    model = _Rankings.of(votes)
    for wins in model.played(np.zeros((20, 4)), NOT_BENT, rng):
        assert wins.sum() == votes.wins.sum()
        # Three of a kind know the items 0 and 2 alone, so they say nothing of 1 and 3.
        assert wins[1].sum() + wins[:, 1].sum() <= 5 * 3 + 7 * 3 + 2 * 3
    free = model.played(np.array([[9.0, 3.0, -3.0, -9.0]]), NOT_BENT, rng)[0]
    assert (np.tril(free) <= 1).all()


def test_nothing_is_said_of_ballots_that_tie_items_above_their_end():
    approvals = Orders(4, np.array([30, 20]), np.array([[0, 0, 1, 1], [1, 0, 0, 1]], dtype=np.int32))
    assert bradley_terry_null(rule("logistic"), approvals, 20, seed=0) is None


@pytest.mark.parametrize(
    "listed", [[(0, 1, 9), (1, 0, 2)], [(0, 1, 7), (1, 0, 3), (1, 2, 5), (3, 1, 2), (1, 3, 4)]]
)
def test_where_every_pair_is_fitted_alone_there_is_no_misfit(listed):
    """Two items, or a tree of pairs, of which one was won 5 : 0."""
    first, second, counts = np.array(listed).T
    votes = Games(int(second.max()) + 1, counts, first, second, np.ones_like(counts))
    null = bradley_terry_null(rule("logistic"), votes, 50, seed=0)
    assert (null.misfit, null.misfit_high, null.share, null.power) == (0.0, 0.0, 1.0, 0.0)


def test_one_large_majority_that_is_contradicted_is_a_misfit():
    """A chain that nobody doubts, and one majority of 25,152 : 24,454 that it contradicts, as in Meath."""
    m = 5
    wins = np.full((m, m), 20000) + np.triu(np.full((m, m), 10000), 1)
    wins[1, 2], wins[2, 1] = 24454, 25152
    wins[1, 3], wins[2, 3] = 32000, 30000
    np.fill_diagonal(wins, 0)
    i, j = np.nonzero(wins)
    votes = Games(m, wins[i, j], i, j, np.ones(len(i), dtype=np.int64))
    null = bradley_terry_null(rule("logistic"), votes, 200, seed=0)
    assert null.found == 1
    assert null.is_above is True and null.power is None


def in_clusters(each):
    """Prompts that all judges see alike: `each` games of a pair that end alike; and the same, not told."""
    rng = np.random.default_rng(2)
    i, j = np.array([rng.choice(8, 2, replace=False) for _ in range(200)]).T
    ones = np.ones(200, dtype=np.int64)
    told = Games(8, each * ones, i, j, ones, cluster=np.arange(200))
    wins = told.wins
    a, b = np.nonzero(wins)
    return told, Games(8, wins[a, b], a, b, np.ones(len(a), dtype=np.int64))


def test_games_of_a_cluster_are_played_together():
    told, single = in_clusters(6)
    assert (told.wins == single.wins).all()
    together = bradley_terry_null(rule("logistic"), told, 60, seed=0)
    apart = bradley_terry_null(rule("logistic"), single, 60, seed=0)
    assert together.found == apart.found
    assert together.misfit_high > 3 * apart.misfit_high and together.misfit == apart.misfit
    assert apart.is_above is True and together.is_above is False


def test_clusters_are_drawn_whole():
    told, _ = in_clusters(6)
    for wins in told.resampled(5, seed=0):
        assert (wins % 6 == 0).all() and (wins.sum(axis=(1, 2)) == told.total).all()


def test_a_cluster_is_one_vote_in_the_test_of_a_pair():
    votes = Games(2, np.array([36, 4]), np.array([0, 1]), np.array([1, 0]), np.array([1, 1]))
    each = np.full(10, 4)
    first = np.array([0] * 9 + [1])
    clusters = Games(2, each, first, 1 - first, np.ones(10, dtype=np.int64), cluster=np.arange(10))
    assert pair_tests(clusters.decided, clusters).p[0, 1] == pytest.approx(22 / 1024)
    assert pair_tests(votes.decided, votes).p[0, 1] < 1e-6


def test_clusters_of_ties_alone_say_nothing():
    ones = np.array([1, 1])
    tied = Games(
        2, ones, np.array([0, 0]), np.array([1, 1]), ones, np.array([True, True]), 2, np.array([0, 1])
    )
    assert pair_tests(tied.decided, tied).p[0, 1] == 1.0
    null = bradley_terry_null(rule("logistic"), tied, 5, seed=0)
    assert (null.found, null.high, null.misfit, null.is_above) == (0, 0, 0.0, False)
