"""Scores and ranks of items, and their intervals; test_levels.py counts how often these hold the truth."""

from dataclasses import replace

import numpy as np
import pytest

from consistency_lab import Profile
from consistency_lab.apps.audit.audit import audit
from consistency_lab.apps.audit.board import board
from consistency_lab.apps.audit.losses import rule
from consistency_lab.apps.audit.noise import stability
from consistency_lab.apps.audit.screen import audit_lines
from consistency_lab.apps.audit.words import unbounded
from consistency_lab.data.votes import Games
from consistency_lab.show.text import rendered

LOGISTIC = rule("logistic")
RESAMPLES = 100
STRENGTHS = np.array([1.0, 0.5, 0.5, 0.0, -0.6, -1.4])


def games(seed, clusters, size):
    """Bradley-Terry is true; all that a cluster says of a pair is said by its first game."""
    draw, m = np.random.default_rng(seed), len(STRENGTHS)
    chance = 1 / (1 + np.exp(STRENGTHS - STRENGTHS[:, None]))
    said = {}
    for cluster in range(clusters):
        up = draw.random((m, m)) < chance
        for _ in range(size):
            i, j = sorted(draw.choice(m, 2, replace=False).tolist())
            key = (i, j, cluster) if up[i, j] else (j, i, cluster)
            said[key] = said.get(key, 0) + 1
    first, second, cluster_of = np.array(list(said)).T
    counts = np.array(list(said.values()))
    return Games(m, counts, first, second, np.ones_like(counts), cluster=cluster_of)


@pytest.mark.long
def test_uneven_clusters_tell_as_much_as_fewer_even_ones():
    """One judge with 60 games beside 39 with 3."""
    one = games(0, 40, 3)
    sizes = np.where(one.cluster == 0, 20, 1) * one.counts
    uneven = Games(one.m, sizes, one.first, one.second, one.share, cluster=one.cluster)
    total = np.bincount(uneven.cluster, uneven.counts)
    assert sorted(set(total.tolist())) == [3, 60]
    assert (one.units, uneven.units) == (40, pytest.approx((39 * 3 + 60) ** 2 / (39 * 9 + 3600)))

    def factor(votes):
        """What Student's distribution adds: the interval against that of the same resamples of many units."""
        wins, drawn = votes.wins.astype(float), stability([LOGISTIC], votes, RESAMPLES, 0)[0].drawn
        scores = LOGISTIC.scores(wins[None])[0]
        few, many = (
            board(LOGISTIC, range(votes.m), scores, wins, one) for one in (drawn, replace(drawn, units=1e9))
        )
        return float((few.high[0] - few.scores[0]) / (many.high[0] - many.scores[0]))

    assert factor(one) == pytest.approx(2.0227 / 1.96 * (40 / 39) ** 0.5, rel=1e-3)
    assert factor(uneven) > 1.2 * factor(one)


def test_who_never_loses_has_no_score_and_no_certain_rank():
    pairs = [("A", "B")] * 9 + [("B", "C")] * 5 + [("C", "B")] * 4
    found = audit(Profile.from_pairs(pairs), ["logistic"], resamples=50, simulations=0)
    (board_,) = found.boards
    assert np.isnan(board_.scores).tolist() == [True, False, False]
    assert board_.scores[1:] == pytest.approx([np.log(5 / 4) / 2, -np.log(5 / 4) / 2])
    assert (board_.best.tolist(), board_.worst.tolist()) == ([1, 1, 1], [3, 3, 3])
    assert unbounded(found, board_).startswith("No finite score: A; no chain of wins leads")


def test_of_items_that_never_lose_to_those_below_none_has_a_score():
    found = audit(Profile.from_pairs([("A", "B"), ("B", "C")]), ["logistic"], resamples=50, simulations=0)
    assert np.isnan(found.boards[0].scores).all()
    assert unbounded(found, found.boards[0]).startswith("By logistic scores have no limit here;")


def test_an_item_that_may_lose_all_its_games_leaves_the_others_their_intervals():
    """D wins one of sixty games, so none in 36 % of the resamples."""
    wins = [[0, 12, 14, 19], [8, 0, 11, 20], [6, 9, 0, 20], [1, 0, 0, 0]]
    found = audit(Profile.from_matrix(wins, list("ABCD")), ["logistic"], resamples=400, simulations=0)
    (seen,) = found.boards
    assert np.isfinite(seen.low).tolist() == np.isfinite(seen.high).tolist() == [True] * 3 + [False]
    assert seen.scores[:3].sum() == pytest.approx(0) and np.isfinite(seen.scores).all()
    assert (seen.high - seen.low)[:3].max() < 2
    assert (seen.ranks[3], seen.best[3], seen.worst[3]) == (4, 4, 4)
    assert seen.worst[:3].max() == 3
    assert seen.away[3] == pytest.approx((59 / 60) ** 60, abs=0.1) and not seen.away[:3].any()
    told = f"No interval: D ({100 * seen.away[3]:.1f}".removesuffix(".0")
    assert unbounded(found, seen).startswith(told)
    assert " ".join(unbounded(found, seen).split()) in " ".join(
        " ".join(rendered(audit_lines(found))).split()
    )


def test_without_resamples_there_are_scores_and_no_intervals():
    pairs = [("A", "B")] * 3 + [("B", "A")]
    (found,) = audit(Profile.from_pairs(pairs), ["logistic"], resamples=0, simulations=0).boards
    assert found.scores == pytest.approx([np.log(3) / 2, -np.log(3) / 2])
    assert np.isnan(found.low).all() and found.items == (0, 1) and found.worst.tolist() == [2, 2]


def test_items_that_are_level_have_one_rank():
    pairs = [("A", "B")] * 4 + [("B", "A")] * 2 + [("X", "Y"), ("Y", "X")]
    found = audit(Profile.from_pairs(pairs), ["logistic"], resamples=40, simulations=0).boards
    assert [one.ranks.tolist() for one in found] == [[1, 2], [1, 1]]


@pytest.mark.parametrize("swapped", [False, True])
def test_an_item_that_resamples_leave_alone_has_no_interval_in_any_order(swapped):
    """Two items, 1 : 1: half of the resamples have one winner of all, so neither score has an interval."""
    wins = [[0, 1], [1, 0]]
    names = ["Wu", "Lee"] if swapped else ["Lee", "Wu"]
    found = audit(Profile.from_matrix(wins, names), ["logistic"], resamples=199, simulations=19)
    (one,) = found.boards
    assert not np.isfinite(one.low).any() and not np.isfinite(one.high).any()
    assert (one.away > 0.05).all()
