"""The features are those of DMJ10 §4, and know nothing that they must not know."""

from dataclasses import replace
from statistics import StatisticsError, correlation, fmean

import numpy as np
import pytest

from consistency_lab.apps.learn.experiments import ratings

AGE, (GENRE, FILM, SIMILAR, DISSIMILAR) = 0, range(20, 24)


def flags(*names):
    return [float(name in names) for name in ratings.GENRES]


TABLE = [  # users: Ann, Bob, Cid; films 0 to 4
    [5, 3, 1, 4, 0],
    [4, 3, 2, 5, 5],
    [1, 2, 4, 3, 2],
]


def by_hand():
    given = np.array(TABLE, dtype=float)
    users, films = np.nonzero(given)
    ages = np.array([1.0, 2.0, 3.0, np.nan, 6.0])
    genres = [flags("Drama"), flags("Drama", "War"), flags("War"), flags("Comedy"), flags()]
    return ratings.Ratings(users, films, given[users, films], ages, np.array(genres), "by hand")


def test_by_hand():
    """Ann gave films 1, 2 and 3 the ratings 3, 1 and 4, Bob 3, 2 and 5, and Cid 2, 4 and 3."""
    data = by_hand()
    used = np.arange(len(data.ratings)) != 0  # all but Ann's of film 0
    row = dict(zip(ratings.FEATURES, ratings.features(data, used)[0], strict=True))
    assert row["age"] == 1.0
    assert (row["Drama"], row["War"]) == (1.0, 0.0)
    assert row["genre average"] == 3.0  # of film 1, the other drama
    assert row["film average"] == 2.5  # by Bob and Cid
    assert correlation([3, 1, 4], [3, 2, 5]) > 0 > correlation([3, 1, 4], [2, 4, 3])
    assert row["similar users"] == pytest.approx(4.0)  # Bob's alone
    assert row["dissimilar users"] == pytest.approx(1.0)  # Cid's alone


def test_what_stands_in_where_there_is_nothing():
    data = by_hand()
    comedy = ratings.features(data, np.arange(len(data.ratings)) != 3)[3]  # Ann's film 3
    assert comedy[AGE] == 3.0  # the mean of 1, 2, 3 and 6
    assert comedy[GENRE] == 3.0  # no other comedy: Ann's other ratings 5, 3, 1
    film = ratings.features(data, data.films != 4)  # nobody has rated it in what is used
    others = [rating for row in TABLE for rating in row[:4]]
    assert film[13, [FILM, SIMILAR, DISSIMILAR]].tolist() == pytest.approx([fmean(others)] * 3)
    assert film[8, GENRE] == 3.5  # no genre: Bob's other ratings 4, 3, 2, 5


def definition(data, used, row, left_out=()):
    """The features of one rating, slowly, as the documentation of `features` has them."""
    u, i = int(data.users[row]), int(data.films[row])
    known = {
        (int(v), int(j)): float(r)
        for v, j, r, use in zip(data.users, data.films, data.ratings, used, strict=True)
        if use
    }

    def mean(values, otherwise):
        return fmean(values) if values else otherwise

    mine = {j: r for (v, j), r in known.items() if v == u}
    theirs = {v: r for (v, j), r in known.items() if j == i}
    others = {j: r for j, r in mine.items() if j != i or "genre average" not in left_out}
    of_user = mean(list(others.values()), fmean(known.values()))
    kin = [r for j, r in others.items() if data.genres[j] @ data.genres[i] > 0]
    raters = [r for v, r in theirs.items() if v != u or "film average" not in left_out]
    of_film = mean(raters, fmean(known.values()))
    near, far = [], []
    for v, rating in theirs.items():
        common = [j for j in mine if v != u and (v, j) in known]
        common = [j for j in common if j != i or "similar users" not in left_out]
        try:
            rho = correlation([mine[j] for j in common], [known[v, j] for j in common])
        except StatisticsError:
            continue
        weight = abs(rho) * min(len(common), ratings.TRUSTED) / ratings.TRUSTED
        if rho:
            (near if rho > 0 else far).append((weight, rating))
    weighed = [
        sum(w * r for w, r in side) / sum(w for w, _ in side) if side else of_film for side in (near, far)
    ]
    age = data.ages[i] if not np.isnan(data.ages[i]) else np.nanmean(data.ages)
    return [age, *data.genres[i], mean(kin, of_user), of_film, *weighed]


@pytest.mark.parametrize("variant", ["plain", "leave-one-out", "leave-films-out"])
def test_they_are_what_the_documentation_says(variant):
    data = ratings.synthetic_ratings(seed=3, users=14, films=20, rated=9)
    training = np.random.default_rng(0).random(len(data.ratings)) < 0.6
    out = ratings.VARIANTS[variant].left_out
    slowly = [definition(data, training, row, out) for row in range(len(data.ratings))]
    np.testing.assert_allclose(ratings.features(data, training, out), slowly, atol=1e-9)


def test_what_is_left_out_is_what_the_paper_says_of_others():
    assert ratings.VARIANTS["leave-one-out"].left_out == (
        "genre average",
        "similar users",
        "dissimilar users",
    )
    data = by_hand()
    everything = np.ones(len(data.ratings), bool)
    ours = ratings.features(data, everything, ratings.VARIANTS["leave-one-out"].left_out)[0]
    alone = ratings.features(data, np.arange(len(data.ratings)) != 0)[0]  # as if Ann had not rated film 0
    assert ours[FILM] == fmean([5, 4, 1]) != alone[FILM]
    np.testing.assert_allclose(np.delete(ours, FILM), np.delete(alone, FILM))


@pytest.fixture
def training(tiny):
    return np.random.default_rng(1).random(len(tiny.ratings)) < 0.6


def test_no_feature_knows_a_rating_of_another_part(tiny, training):
    others = replace(tiny, ratings=np.where(training, tiny.ratings, 6 - tiny.ratings))
    assert np.array_equal(ratings.features(tiny, training), ratings.features(others, training))


@pytest.fixture
def fold(tiny):
    return np.random.default_rng(2).integers(0, 3, len(tiny.ratings))


def test_no_feature_of_a_training_pair_knows_a_rating_of_its_fold(tiny, training, fold):
    found = ratings.described(tiny, fold, training)
    for one in range(3):
        rows = training & (fold == one)
        others = replace(tiny, ratings=np.where(rows, 6 - tiny.ratings, tiny.ratings))
        assert np.array_equal(ratings.described(others, fold, training)[rows], found[rows])
        assert not np.array_equal(ratings.described(others, fold, training)[~rows], found[~rows])
        np.testing.assert_allclose(ratings.features(tiny, training & ~rows)[rows], found[rows], rtol=1e-12)


def test_what_is_not_for_training_is_described_by_all_that_is(tiny, training, fold):
    found = ratings.described(tiny, fold, training)
    np.testing.assert_allclose(found[~training], ratings.features(tiny, training)[~training], rtol=1e-12)


def test_with_its_own_rating_a_pair_promises_more(tiny, training, fold):
    own = tiny.ratings[training]

    def told(found):
        return float(np.corrcoef(found[training, FILM], own)[0, 1])

    assert told(ratings.features(tiny, training)) > told(ratings.described(tiny, fold, training)) + 0.05


def test_to_leave_out_each_own_rating_alone_would_tell_the_higher_one():
    given = np.array([5.0, 1.0, 3.0, 4.0])
    others = (given.sum() - given) / 3
    assert np.array_equal(np.argsort(others), np.argsort(-given))
    data = ratings.Ratings(
        np.zeros(4, int), np.arange(4), given, np.ones(4), np.array([flags("Drama")] * 4), "one user"
    )
    left = ratings.features(data, np.ones(4, bool), ratings.VARIANTS["leave-one-out"].left_out)[:, GENRE]
    np.testing.assert_allclose(left, others)
    together = ratings.features(data, np.arange(4) > 1)
    assert together[0, GENRE] == together[1, GENRE] == 3.5
