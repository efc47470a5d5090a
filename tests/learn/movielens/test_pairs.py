"""How pairs are drawn, and what scores cost on them."""

from collections import Counter
from dataclasses import replace
from math import comb

import numpy as np
import pytest

from consistency_lab.apps.learn.experiments.ratings import Pairs, Ratings, sample
from consistency_lab.errors import InputError


def few() -> Ratings:
    """User 0 has 2 pairs of different ratings and one of equal ones, user 1 has 6, user 2 none."""
    users, films = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2]), np.array([2, 0, 1, 0, 1, 2, 3, 0, 1])
    ratings = np.array([3.0, 3, 5, 1, 2, 3, 4, 4, 4])
    return Ratings(users, films, ratings, np.zeros(4), np.zeros((4, 19)), "a few ratings")


ALL = np.arange(9)


def test_pairs_are_of_one_user_and_the_higher_rating_is_first(tiny: Ratings) -> None:
    rows = np.flatnonzero(np.random.default_rng(0).random(len(tiny.ratings)) < 0.3)
    pairs = sample(tiny, rows, 5000, np.random.default_rng(1))
    assert np.array_equal(tiny.users[pairs.winners], tiny.users[pairs.losers])
    assert set(pairs.winners) | set(pairs.losers) <= set(rows)
    assert np.array_equal(pairs.weights, tiny.ratings[pairs.winners] - tiny.ratings[pairs.losers])
    assert pairs.weights.min() >= 1
    assert np.array_equal(pairs.first, tiny.films[pairs.winners] < tiny.films[pairs.losers])


@pytest.mark.parametrize(
    ("options", "shares"),
    [
        ({}, {0: 1 / 2, 1: 1 / 2}),
        ({"by": "pair"}, {0: 2 / 8, 1: 6 / 8}),
        ({"ties": True}, {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}),
        ({"by": "pair", "ties": True}, {0: 3 / 10, 1: 6 / 10, 2: 1 / 10}),
    ],
)
def test_users_and_their_pairs_are_drawn_alike(options: dict[str, object], shares: dict[int, float]) -> None:
    """Within 4 standard deviations, for a seed."""
    data, count = few(), 20_000
    pairs = sample(data, ALL, count, np.random.default_rng(2), **options)
    drawn = Counter(data.users[pairs.winners].tolist())
    assert drawn.keys() == shares.keys()
    for user, share in shares.items():
        assert abs(drawn[user] / count - share) < 4 * (share * (1 - share) / count) ** 0.5
    seen = Counter(map(frozenset, zip(pairs.winners.tolist(), pairs.losers.tolist(), strict=True)))
    mine = [number for pair, number in seen.items() if data.users[min(pair)] == 1]
    assert len(mine) == comb(4, 2)
    each = count * shares[1] / 6
    assert all(abs(number - each) < 4 * each**0.5 for number in mine)


def test_pairs_are_drawn_within_a_fold_if_asked_and_users_are_drawn_alike() -> None:
    """User 0 has then one pair, and user 1 has two, one in each fold."""
    data, within, count = few(), np.array([0, 1, 1, 0, 0, 1, 1, 0, 0]), 20_000
    pairs = sample(data, ALL, count, np.random.default_rng(3), within=within)
    assert np.array_equal(within[pairs.winners], within[pairs.losers])
    seen = Counter(map(frozenset, zip(pairs.winners.tolist(), pairs.losers.tolist(), strict=True)))
    shares = {frozenset({1, 2}): 1 / 2, frozenset({3, 4}): 1 / 4, frozenset({5, 6}): 1 / 4}
    assert seen.keys() == shares.keys()
    for pair, share in shares.items():
        assert abs(seen[pair] / count - share) < 4 * (share * (1 - share) / count) ** 0.5


def test_ties_weigh_nothing() -> None:
    pairs = sample(few(), ALL, 100, np.random.default_rng(0), ties=True)
    equal = few().ratings[pairs.winners] == few().ratings[pairs.losers]
    assert equal.any()
    assert np.array_equal(pairs.weights == 0, equal)


@pytest.mark.parametrize("rows", [ALL[7:], ALL[[0, 3]], ALL[:2]])
def test_without_different_ratings_there_is_no_pair(rows: np.ndarray) -> None:
    with pytest.raises(InputError, match="a part of a few ratings has no user with two different ratings"):
        sample(few(), rows, 1, np.random.default_rng(0))


def test_the_loss_is_that_of_equation_7() -> None:
    """a_12 = 2, a_13 = 1 and a_32 = 1: three pairs; a tie costs where the winner has the smaller number."""
    pairs = Pairs(
        np.array([0, 0, 2]), np.array([1, 2, 1]), np.array([2.0, 1.0, 1.0]), np.array([True, True, False])
    )
    for scores, cost in [
        ((3, 1, 2), 0),
        ((1, 2, 3), 3),
        ((1, 3, 2), 4),
        ((0, 0, 0), 3),  # of 3 over 2 the tie costs nothing
        ((1, 0, 1), 1),
    ]:
        assert pairs.loss(np.array(scores, dtype=float)) == pytest.approx(cost / 3)


def test_the_best_and_the_worst_order(tiny: Ratings) -> None:
    """The ratings themselves contradict nothing, their opposites everything."""
    pairs = sample(tiny, np.arange(len(tiny.ratings)), 500, np.random.default_rng(0))
    assert pairs.loss(tiny.ratings) == 0
    assert pairs.loss(-tiny.ratings) == pytest.approx(pairs.weights.mean())
    assert pairs.loss(2 * tiny.ratings + 1) == 0
    doubled = replace(pairs, weights=2 * pairs.weights)
    assert doubled.loss(-tiny.ratings) == pytest.approx(2 * pairs.loss(-tiny.ratings))
