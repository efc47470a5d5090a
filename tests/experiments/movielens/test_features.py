"""The features are those of DMJ10 §4, and know nothing that they must not know."""

from dataclasses import replace
from statistics import StatisticsError, correlation, fmean

import numpy as np
import pytest

from consistency_lab.experiments.movielens.features import FEATURES, TRUSTED, features
from consistency_lab.experiments.movielens.ratings import GENRES, Ratings
from consistency_lab.experiments.movielens.synthetic import synthetic_ratings

AGE, (GENRE, FILM, SIMILAR, DISSIMILAR) = 0, range(20, 24)


def flags(*names: str) -> list[float]:
    return [float(name in names) for name in GENRES]


TABLE = [  # users: Ann, Bob, Cid; films 0 to 4
    [5, 3, 1, 4, 0],
    [4, 3, 2, 5, 5],
    [1, 2, 4, 3, 2],
]


def by_hand() -> Ratings:
    given = np.array(TABLE, dtype=float)
    users, films = np.nonzero(given)
    ages = np.array([1.0, 2.0, 3.0, np.nan, 6.0])
    genres = [flags("Drama"), flags("Drama", "War"), flags("War"), flags("Comedy"), flags()]
    return Ratings(users, films, given[users, films], ages, np.array(genres), "by hand")


def test_by_hand() -> None:
    """Ann gave films 1, 2 and 3 the ratings 3, 1 and 4, Bob 3, 2 and 5, and Cid 2, 4 and 3."""
    data = by_hand()
    row = dict(zip(FEATURES, features(data, np.ones(len(data.ratings), bool))[0], strict=True))
    assert row["age"] == 1.0
    assert (row["Drama"], row["War"]) == (1.0, 0.0)
    assert row["genre average"] == 3.0  # of film 1, the other drama
    assert row["film average"] == 2.5  # by Bob and Cid
    assert correlation([3, 1, 4], [3, 2, 5]) > 0 > correlation([3, 1, 4], [2, 4, 3])
    assert row["similar users"] == pytest.approx(4.0)  # Bob's alone
    assert row["dissimilar users"] == pytest.approx(1.0)  # Cid's alone


def test_what_stands_in_where_there_is_nothing() -> None:
    data = by_hand()
    found = features(data, np.ones(len(data.ratings), bool))
    comedy, plain = found[3], found[8]  # Ann's film 3, Bob's film 4
    assert comedy[AGE] == 3.0  # the mean of 1, 2, 3 and 6
    assert comedy[GENRE] == 3.0  # no other comedy: Ann's other ratings 5, 3, 1
    assert plain[GENRE] == 3.5  # no genre: Bob's other ratings 4, 3, 2, 5
    film = features(data, data.films != 4)[13]  # nobody has rated it in the training part
    others = [rating for row in TABLE for rating in row[:4]]
    assert film[[FILM, SIMILAR, DISSIMILAR]].tolist() == pytest.approx([fmean(others)] * 3)


def definition(data: Ratings, training: np.ndarray, row: int) -> list[float]:
    """The features of one rating, slowly, as the documentation of `features` has them."""
    u, i = int(data.users[row]), int(data.films[row])
    known = {
        (int(v), int(j)): float(r)
        for v, j, r, use in zip(data.users, data.films, data.ratings, training, strict=True)
        if use and (v, j) != (u, i)
    }

    def mean(values: list[float], otherwise: float) -> float:
        return fmean(values) if values else otherwise

    mine = {j: r for (v, j), r in known.items() if v == u}
    theirs = {v: r for (v, j), r in known.items() if j == i}
    of_user = mean(list(mine.values()), fmean(known.values()))
    kin = [r for j, r in mine.items() if data.genres[j] @ data.genres[i] > 0]
    of_film = mean(list(theirs.values()), fmean(known.values()))
    near, far = [], []
    for v, rating in theirs.items():
        common = [j for j in mine if j != i and (v, j) in known]
        try:
            rho = correlation([mine[j] for j in common], [known[v, j] for j in common])
        except StatisticsError:
            continue
        weight = abs(rho) * min(len(common), TRUSTED) / TRUSTED
        if rho:
            (near if rho > 0 else far).append((weight, rating))
    weighed = [
        sum(w * r for w, r in side) / sum(w for w, _ in side) if side else of_film for side in (near, far)
    ]
    age = data.ages[i] if not np.isnan(data.ages[i]) else np.nanmean(data.ages)
    return [age, *data.genres[i], mean(kin, of_user), of_film, *weighed]


def test_they_are_what_the_documentation_says() -> None:
    data = synthetic_ratings(seed=3, users=14, films=20, rated=9)
    training = np.random.default_rng(0).random(len(data.ratings)) < 0.6
    slowly = [definition(data, training, row) for row in range(len(data.ratings))]
    np.testing.assert_allclose(features(data, training), slowly, atol=1e-9)


@pytest.fixture
def training(tiny: Ratings) -> np.ndarray:
    return np.random.default_rng(1).random(len(tiny.ratings)) < 0.6


def test_no_feature_knows_a_rating_of_another_part(tiny: Ratings, training: np.ndarray) -> None:
    others = replace(tiny, ratings=np.where(training, tiny.ratings, 6 - tiny.ratings))
    assert np.array_equal(features(tiny, training), features(others, training))


def test_no_feature_of_a_pair_knows_its_own_rating(tiny: Ratings, training: np.ndarray) -> None:
    before = features(tiny, training)
    for row in np.flatnonzero(training)[::60]:
        ratings = tiny.ratings.copy()
        ratings[row] = 6 - ratings[row] if ratings[row] != 3 else 5
        after = features(replace(tiny, ratings=ratings), training)
        np.testing.assert_allclose(after[row], before[row], atol=1e-12)
        assert not np.array_equal(after, before)


def test_a_training_pair_is_described_as_if_it_were_a_test_pair(tiny: Ratings, training: np.ndarray) -> None:
    """This is why nothing that is learned of training pairs misleads on test pairs."""
    found = features(tiny, training)
    for row in np.flatnonzero(training)[::60]:
        without = training.copy()
        without[row] = False
        np.testing.assert_allclose(features(tiny, without)[row], found[row], atol=1e-9)


def test_with_its_own_rating_a_pair_is_described_otherwise(tiny: Ratings, training: np.ndarray) -> None:
    left, kept = features(tiny, training), features(tiny, training, leave_out=False)
    assert np.array_equal(left[~training], kept[~training])
    own = tiny.ratings[training]

    def told(found: np.ndarray) -> float:
        return float(np.corrcoef(found[training, FILM], own)[0, 1])

    assert told(kept) > told(left)
