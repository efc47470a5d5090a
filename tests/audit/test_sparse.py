"""Audits of thousands of items: the fit and the intervals are those of dense arrays."""

import numpy as np
import pytest

from consistency_lab import Profile
from consistency_lab.apps.audit.losses import rule
from consistency_lab.apps.audit.noise import stability
from consistency_lab.apps.audit.sparse import _Sums, leaderboard
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


def test_an_item_that_never_loses_has_no_score():
    profile = Profile.from_pairs([*[("A", "B"), ("B", "A")] * 30, ("top", "A"), ("top", "B")])
    found = leaderboard(profile, 40, 0)
    assert [profile.items[item] for item in found.items][-1] == "top"
    assert np.isnan(found.scores).tolist() == [False, False, True]
    assert found.rows[-1]["score"] is None


def test_ballots_are_refused():
    with pytest.raises(UnsupportedError, match="only counted comparisons are audited"):
        leaderboard(Profile.from_rankings([["A", "B", "C"]]), 40, 0)
