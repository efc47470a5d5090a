"""The files of MovieLens 100k are read; how pairs are drawn, and what scores cost on them."""

from collections import Counter
from dataclasses import replace
from math import comb

import numpy as np
import pytest

from consistency_lab.apps.learn.experiments.ratings import GENRES, Pairs, Ratings, read_movielens, sample
from consistency_lab.errors import InputError


def test_what_is_written_is_read(folder, tiny):
    found = read_movielens(folder)
    assert found.shape == (40, 60)
    assert found.source == "MovieLens 100k"
    for name in ("users", "films", "ratings", "genres"):
        assert np.array_equal(getattr(found, name), getattr(tiny, name))
    assert np.isnan(found.ages).tolist() == [True] + [False] * 59
    assert np.nanmax(abs(found.ages - tiny.ages)) < 1 / 365


def test_an_age_is_counted_to_the_last_day_of_the_ratings(folder):
    lines = (folder / "u.item").read_text("latin-1").splitlines()
    lines[0] = "1|Toy Story (1995)|22-Apr-1994||" + "|0" * len(GENRES)
    (folder / "u.item").write_text("\n".join(lines), "latin-1")
    assert read_movielens(folder).ages[0] == 1461 / 365.25 == 4.0


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("u.data", "1,2,3,4", "line 1 is '1,2,3,4'; it must be user, film, rating and time"),
        ("u.data", "1\t2\t4.5\t0", r"line 1 is '1\\t2\\t4.5\\t0'; it must be user"),
        ("u.data", "1\t2\t²\t0", "line 1 is .*; it must be user"),
        ("u.data", "1\t61\t3\t0", "line 1 gives film 61 the rating 3; films must be 1 to 60"),
        ("u.data", "1\t2\t6\t0", "line 1 gives film 2 the rating 6; .* ratings 1 to 5"),
        ("u.item", "7|" + "|".join(["", "", "", *"0" * 19]), "line 1 must be film 1: number, title"),
        ("u.item", "1|x|01-Jan-1995||u|" + "|".join("0" * 18), "line 1 must be film 1: .* 19 genres"),
        ("u.item", "1|x|01-Jan-1995||u|" + "|".join("2" * 19), "line 1 must be film 1: .* 19 genres"),
        ("u.item", "1|x|1995||u|" + "|".join("0" * 19), "line 1 has the date '1995'; it must be like"),
    ],
)
def test_a_bad_line_is_named(folder, name, line, said):
    _, *others = (folder / name).read_text("latin-1").splitlines()
    (folder / name).write_text("\n".join([line, *others]), "latin-1")
    with pytest.raises(InputError, match=f"{name}, {said}"):
        read_movielens(folder)


def test_a_film_is_rated_once(folder):
    text = (folder / "u.data").read_text()
    user, film, rating, _ = text.splitlines()[0].split("\t")
    (folder / "u.data").write_text(text + f"{user}\t{film}\t{rating}\t1\n")
    assert len(read_movielens(folder).ratings) == 1200
    (folder / "u.data").write_text(text + f"{user}\t{film}\t{int(rating) % 5 + 1}\t1\n")
    with pytest.raises(InputError, match=f"line 1201 rates film {film} again, differently; a user must"):
        read_movielens(folder)


def test_a_missing_file_is_named(folder):
    (folder / "u.item").unlink()
    with pytest.raises(InputError, match=r"u\.item cannot be read: no such file"):
        read_movielens(folder)
    with pytest.raises(InputError, match="nowhere is not a folder; give the MovieLens 100k folder"):
        read_movielens("nowhere")


def test_an_empty_file_is_named(folder):
    (folder / "u.data").write_bytes(b"")
    with pytest.raises(InputError, match=r"u\.data is empty; expected a file of MovieLens 100k"):
        read_movielens(folder)


def few():
    """User 0 has 2 pairs of different ratings and one of equal ones, user 1 has 6, user 2 none."""
    users, films = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2]), np.array([2, 0, 1, 0, 1, 2, 3, 0, 1])
    ratings = np.array([3.0, 3, 5, 1, 2, 3, 4, 4, 4])
    return Ratings(users, films, ratings, np.zeros(4), np.zeros((4, 19)), "a few ratings")


ALL = np.arange(9)


def test_pairs_are_of_one_user_and_the_higher_rating_is_first(tiny):
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
def test_users_and_their_pairs_are_drawn_alike(options, shares):
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


def test_pairs_are_drawn_within_a_fold_if_asked_and_users_are_drawn_alike():
    """User 0 has then one pair, and user 1 has two, one in each fold."""
    data, within, count = few(), np.array([0, 1, 1, 0, 0, 1, 1, 0, 0]), 20_000
    pairs = sample(data, ALL, count, np.random.default_rng(3), within=within)
    assert np.array_equal(within[pairs.winners], within[pairs.losers])
    seen = Counter(map(frozenset, zip(pairs.winners.tolist(), pairs.losers.tolist(), strict=True)))
    shares = {frozenset({1, 2}): 1 / 2, frozenset({3, 4}): 1 / 4, frozenset({5, 6}): 1 / 4}
    assert seen.keys() == shares.keys()
    for pair, share in shares.items():
        assert abs(seen[pair] / count - share) < 4 * (share * (1 - share) / count) ** 0.5


@pytest.mark.parametrize("rows", [ALL[7:], ALL[[0, 3]], ALL[:2]])
def test_without_different_ratings_there_is_no_pair(rows):
    with pytest.raises(InputError, match="a part of a few ratings has no user with two different ratings"):
        sample(few(), rows, 1, np.random.default_rng(0))


def test_the_loss_is_that_of_equation_7():
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


def test_the_best_and_the_worst_order(tiny):
    pairs = sample(tiny, np.arange(len(tiny.ratings)), 500, np.random.default_rng(0))
    assert pairs.loss(tiny.ratings) == 0
    assert pairs.loss(-tiny.ratings) == pytest.approx(pairs.weights.mean())
    assert pairs.loss(2 * tiny.ratings + 1) == 0
    doubled = replace(pairs, weights=2 * pairs.weights)
    assert doubled.loss(-tiny.ratings) == pytest.approx(2 * pairs.loss(-tiny.ratings))
