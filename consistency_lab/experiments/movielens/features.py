"""The features d(x_i, u) of DMJ10 §4, made of the ratings of the training part alone."""

from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.experiments.movielens.ratings import GENRES, Ratings

FEATURES: Final = ("age", *GENRES, "genre average", "film average", "similar users", "dissimilar users")
"""The columns."""

TRUSTED: Final = 50
"""From so many common films on a correlation counts fully; below, in proportion (Herlocker et al. 1999)."""

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


def features(
    data: Ratings,
    used: NDArray[np.bool_],
    left_out: Collection[str] = (),
    rows: NDArray[np.bool_] | slice = slice(None),
) -> Array:
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
    left_out
        Columns into which a rating that is used does not enter all the same where they describe itself
        ("similar users" stands for "dissimilar users" too: the correlation is then over other films).
    rows
        Which of the ratings are described, if not all.

    Returns
    -------
    ndarray
        Shape (R, 24), with the columns `FEATURES`; fewer rows if so asked.
    """
    given, rated = np.zeros(data.shape), np.zeros(data.shape)
    given[data.users[used], data.films[used]] = data.ratings[used]
    rated[data.users[used], data.films[used]] = 1.0
    u, i, r = data.users[rows], data.films[rows], data.ratings[rows]

    def own(column: str) -> Array:
        return np.where(used[rows] & (column in left_out), 1.0, 0.0)

    kinds, kind = np.unique(data.genres, axis=0, return_inverse=True)
    kin = (data.genres @ kinds.T > 0).astype(float)
    overall = np.full(len(u), data.ratings[used].mean())
    out = own("genre average")
    of_user = _mean(given.sum(1)[u] - out * r, rated.sum(1)[u] - out, overall)
    akin = out * kin[i, kind[i]]
    of_genre = _mean((given @ kin)[u, kind[i]] - akin * r, (rated @ kin)[u, kind[i]] - akin, of_user)
    out = own("film average")
    of_film = _mean(given.sum(0)[i] - out * r, rated.sum(0)[i] - out, overall)
    near, far = _neighbors(u, i, r * own("similar users"), own("similar users"), given, rated, of_film)
    ages = np.where(np.isnan(data.ages), np.nanmean(data.ages), data.ages)
    return np.column_stack([ages[i], data.genres[i], of_genre, of_film, near, far])


def described(data: Ratings, fold: Numbers, training: NDArray[np.bool_]) -> Array:
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
    found = np.empty((len(fold), len(FEATURES)))
    found[~training] = features(data, training, rows=~training)
    for one in np.unique(fold):
        rows = training & (fold == one)
        found[rows] = features(data, training & ~rows, rows=rows)
    return found


def _mean(total: Array, count: Array, otherwise: Array) -> Array:
    return np.where(count > 0, total / np.where(count > 0, count, 1), otherwise)


def _neighbors(
    users: Numbers, films: Numbers, own: Array, out: Array, given: Array, rated: Array, of_film: Array
) -> tuple[Array, Array]:
    """Films' means by similar and by dissimilar users; where out is 1, the own rating is taken out."""
    from scipy.sparse import csr_array

    one, r = csr_array(rated), csr_array(given)
    n, product = (one @ one.T).toarray(), (r @ r.T).toarray()
    x, xx = (r @ one.T).toarray(), (r**2 @ one.T).toarray()  # [u, v]: u of films that v has rated too
    near, far = of_film.copy(), of_film.copy()
    order = np.argsort(films, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(films[order])) + 1):
        u, v = users[rows, None], np.flatnonzero(rated[:, films[rows[0]]])
        o, mine, theirs = out[rows, None], own[rows, None], given[v, films[rows[0]]]
        common = n[u, v] - o
        a, aa = x[u, v] - mine, xx[u, v] - mine**2
        b, bb = x.T[u, v] - o * theirs, xx.T[u, v] - o * theirs**2
        spread = (common * aa - a**2) * (common * bb - b**2)  # of whole numbers, so that 0 is 0
        found = common * (product[u, v] - mine * theirs) - a * b
        found /= np.sqrt(np.where(spread > 0, spread, np.inf))
        found *= np.minimum(common / TRUSTED, 1) * (u != v)
        for side, weights in ((near, np.maximum(found, 0)), (far, np.maximum(-found, 0))):
            side[rows] = _mean(weights @ theirs, weights.sum(1), of_film[rows])
    return near, far
