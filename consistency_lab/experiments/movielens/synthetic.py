"""Ratings of the shape of MovieLens 100k that nobody gave, for trying the experiment without the data."""

import numpy as np

from consistency_lab.experiments.movielens.ratings import GENRES, Ratings


def synthetic_ratings(seed: int = 0, users: int = 120, films: int = 200, rated: int = 40) -> Ratings:
    """Films have a quality, users a taste in three directions; ratings are both and noise.

    Parameters
    ----------
    seed
        The same seed gives the same ratings.
    users, films, rated
        Numbers: of users, of films, and of the films that each user rates, the better ones more often.
    """
    random = np.random.default_rng(seed)
    genres = (random.random((films, len(GENRES))) < 0.1).astype(float)
    genres[np.arange(films), random.integers(1, len(GENRES), films)] = 1.0
    quality = random.normal(size=films)
    taste = random.normal(size=(users, 3)) @ random.normal(size=(3, films)) / 2
    liked = quality + taste + random.normal(size=(users, films))
    chance = np.exp(quality / 2) / np.exp(quality / 2).sum()
    chosen = np.stack([random.choice(films, rated, replace=False, p=chance) for _ in range(users)])
    given = np.clip(np.rint(3.5 + 0.7 * np.take_along_axis(liked, chosen, axis=1)), 1, 5)
    ages = random.exponential(10, films)
    ages[0] = np.nan
    who = np.repeat(np.arange(users), rated)
    return Ratings(who, chosen.ravel(), given.ravel(), ages, genres, f"synthetic ratings (seed {seed})")
