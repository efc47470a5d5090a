"""The features d(x_i, u) of DMJ10 §4, made of the ratings of the training part alone."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.experiments.movielens.ratings import GENRES, Ratings

FEATURES: Final = ("age", *GENRES, "genre average", "film average", "similar users", "dissimilar users")
"""The columns."""

TRUSTED: Final = 50
"""From so many common films on a correlation counts fully; below, in proportion (Herlocker et al. 1999)."""

Array = NDArray[np.float64]


def features(data: Ratings, used: NDArray[np.bool_]) -> Array:
    r"""The features of every rated pair of a user u and a film, made of some of the ratings.

    - The age of the film in years (the mean age where there is no date), and its genres, 0 or 1.
    - The mean rating by u of films that share a genre with it, else of all films.
    - The mean rating of the film, else that of all films.
    - The mean rating of the film by the users v similar to u (:math:`ρ_{uv} > 0`), and by those dissimilar
      from u (:math:`ρ_{uv} < 0`), weighted by :math:`|ρ_{uv}| \min(n_{uv}, 50)/50`, else that of the film.
      Here :math:`ρ_{uv}` is the correlation of both users' ratings of the :math:`n_{uv}` films that both
      have rated.

    A rating that is not used does not enter its own features; `described` makes use of that.

    Parameters
    ----------
    data
        R ratings.
    used
        Shape (R,): of which of them the features are made.

    Returns
    -------
    ndarray
        Shape (R, 24), with the columns `FEATURES`.
    """
    given, rated = np.zeros(data.shape), np.zeros(data.shape)
    u, i = data.users, data.films
    given[u[used], i[used]], rated[u[used], i[used]] = data.ratings[used], 1.0

    def mean(total: Array, count: Array, otherwise: Array) -> Array:
        return np.where(count > 0, total / np.where(count > 0, count, 1), otherwise)

    kinds, kind = np.unique(data.genres, axis=0, return_inverse=True)
    kin = (data.genres @ kinds.T > 0).astype(float)
    overall = np.full(len(u), data.ratings[used].mean())
    of_user = mean(given.sum(1)[u], rated.sum(1)[u], overall)
    of_genre = mean((given @ kin)[u, kind[i]], (rated @ kin)[u, kind[i]], of_user)
    of_film = mean(given.sum(0)[i], rated.sum(0)[i], overall)
    weights = _likeness(given, rated)
    near, far = (
        mean((part @ given)[u, i], (part @ rated)[u, i], of_film)
        for part in (np.maximum(weights, 0), np.maximum(-weights, 0))
    )
    ages = np.where(np.isnan(data.ages), np.nanmean(data.ages), data.ages)
    return np.column_stack([ages[i], data.genres[i], of_genre, of_film, near, far])


def described(data: Ratings, fold: NDArray[np.int64], training: NDArray[np.bool_]) -> Array:
    """The features for learning: no rating is described by its own fold of the training ratings.

    Any other rating is described by all training ratings. So of a training pair within a fold neither rating
    enters the features, as none of a test pair does. To leave out each one's own would not do: then the mean
    of the user beside the higher rating of a pair lacks this one, the mean beside the lower rating lacks that
    one, and the difference of the two tells which is which.

    Parameters
    ----------
    data, fold, training
        R ratings, the fold of each, and which ones may be used.

    Returns
    -------
    ndarray
        Shape (R, 24), with the columns `FEATURES`.
    """
    found = features(data, training)
    for one in np.unique(fold):
        rows = training & (fold == one)
        found[rows] = features(data, training & ~rows)[rows]
    return found


def _likeness(given: Array, rated: Array) -> Array:
    """The correlation of any two users, less where they have few common films; 0 of a user with itself."""
    from scipy.sparse import csr_array

    one, r = csr_array(rated), csr_array(given)
    n, product = (one @ one.T).toarray(), (r @ r.T).toarray()
    x, xx = (
        (r @ one.T).toarray(),
        (r**2 @ one.T).toarray(),
    )  # [u, v]: u of films of v
    spread = (n * xx - x**2) * (n * xx.T - x.T**2)  # of whole numbers, so that 0 is 0
    found: Array = (n * product - x * x.T) / np.sqrt(np.where(spread > 0, spread, np.inf))
    found *= np.minimum(n / TRUSTED, 1)
    np.fill_diagonal(found, 0.0)
    return found
