"""Audits of thousands of items: the fit and the intervals are those of dense arrays."""

from itertools import pairwise

import numpy as np
import pytest

from consistency_lab import Profile
from consistency_lab.apps.audit.losses import rule
from consistency_lab.apps.audit.noise import stability
from consistency_lab.apps.audit.sparse import _Sums, leaderboard, leaderboard_lines
from consistency_lab.data.votes import Games
from consistency_lab.errors import UnsupportedError


def some_games(m=12, n=3000):
    draw = np.random.default_rng(3)
    u = draw.normal(size=m)
    i, j = draw.integers(0, m, n), draw.integers(1, m, n)
    j = (i + j) % m
    up = draw.random(n) < 1 / (1 + np.exp(u[j] - u[i]))
    pairs = [
        (f"x{a}", f"x{b}") if first else (f"x{b}", f"x{a}") for a, b, first in zip(i, j, up, strict=True)
    ]
    return Profile.from_pairs(pairs)


def test_scores_and_intervals_are_those_of_dense_arrays():
    profile = some_games()
    found, dense = leaderboard(profile, 200, 0), rule("logistic")
    scores = dense.scores(profile.votes.wins[None].astype(float))[0]
    assert np.abs(scores[list(found.items)] - found.scores).max() < 1e-6
    drawn = stability([dense], profile.votes, 200, 1)[0].drawn.scores  # other draws of the same law
    reach = 1.96 * drawn.std(axis=0)[list(found.items)]
    assert np.abs((found.high - found.low) / (2 * reach) - 1).max() < 0.25
    assert [row["rank"] for row in found.rows] == list(range(1, 13))


@pytest.mark.parametrize("clustered", [False, True])
def test_wins_are_added_up_as_in_dense_arrays(clustered):
    draw = np.random.default_rng(5)
    first, second = (part.ravel() for part in np.indices((7, 7)))
    apart = np.flatnonzero(first != second)
    kinds = np.concatenate([apart, apart])
    ties = np.arange(len(kinds)) >= len(apart)
    share, cluster = np.where(ties, 1, 2), np.arange(len(kinds)) % 5 if clustered else None
    counts = draw.integers(0, 4, len(kinds))
    votes = Games(7, counts, first[kinds], second[kinds], share, ties, 2, cluster)
    assert np.array_equal(_Sums(votes).wins(counts).toarray(), votes.wins / 2)


def both_ways(*names):
    return [pair for i, j in pairwise(names) for pair in ((i, j), (j, i))] * 30


def test_items_without_a_score_are_above_below_or_apart():
    pairs = [
        *both_ways("A", "B", "C"),
        ("A", "B"),
        ("B", "C"),
        ("top", "A"),
        ("A", "low"),
        *both_ways("X", "Y"),
        ("top", "X"),
    ]
    profile = Profile.from_pairs(pairs)
    found = leaderboard(profile, 40, 0)
    assert [len(found.at(place)) for place in ("above", "", "below", "apart")] == [1, 3, 1, 2]
    assert (found.at("above"), found.at("below"), sorted(found.at("apart"))) == (["top"], ["low"], ["X", "Y"])
    assert [row["rank"] for row in found.rows] == [None, 2, 3, 4, None, None, None]
    assert found.rows[0]["score"] is None and not np.isnan(found.scores[1:4]).any()
    told = " ".join(line.strip() for line in map(str, leaderboard_lines(found, False)))
    assert "Above all with a score: top. No chain of wins leads back to it. Of the 3 items with" in told


def test_items_of_one_score_are_level_whatever_their_order():
    pairs = [(a, b) for a, b in (("A", "C"), ("B", "C"), ("C", "A"), ("C", "B")) for _ in range(40)]
    pairs += [("A", "C"), ("B", "C"), ("A", "B"), ("B", "A")] * 10
    for order in (pairs, pairs[::-1], [(b, a) for a, b in pairs]):
        found = leaderboard(Profile.from_pairs(order), 40, 0)
        ranks = dict(zip(found.at(""), found.ranks.tolist(), strict=True))
        assert sorted(ranks.values()) in ([1, 1, 3], [1, 2, 2]) and ranks["A"] == ranks["B"]
        told = " ".join(map(str, leaderboard_lines(found, False)))
        assert ("are level at the top" in told) == (ranks["A"] == 1)


def test_no_group_is_picked_among_equals():
    for pairs, why in (
        ([*both_ways("A", "B"), *both_ways("X", "Y")], "groups of 2 items or less, of which there are 2"),
        ([("A", "B"), ("B", "C")], "no two items beat each other"),
    ):
        with pytest.raises(UnsupportedError, match=why):
            leaderboard(Profile.from_pairs(pairs), 40, 0)


def test_ballots_are_refused():
    with pytest.raises(UnsupportedError, match="only counted comparisons are audited"):
        leaderboard(Profile.from_rankings([["A", "B", "C"]]), 40, 0)
