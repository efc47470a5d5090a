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


def features(data: Ratings, training: NDArray[np.bool_], *, leave_out: bool = True) -> Array:
    r"""The features of every rated pair of a user u and a film.

    - The age of the film in years (the mean age where there is no date), and its genres, 0 or 1.
    - The mean rating by u of other films that share a genre with it, else of all other films.
    - The mean rating of the film by other users, else that of all films.
    - The mean rating of the film by the users v similar to u (:math:`ρ_{uv} > 0`), and by those dissimilar
      from u (:math:`ρ_{uv} < 0`), weighted by :math:`|ρ_{uv}| \min(n_{uv}, 50)/50`, else that of the film.
      Here :math:`ρ_{uv}` is the correlation of both users' ratings of the :math:`n_{uv}` *other* films that
      both have rated.

    The rating of the pair itself enters nowhere, so a training pair is described just as a test pair is.

    Parameters
    ----------
    data
        R ratings.
    training
        Shape (R,): which of them may be used.
    leave_out
        False to use the rating of a training pair in its own features, a mistake whose price can be measured.

    Returns
    -------
    ndarray
        Shape (R, 24), with the columns `FEATURES`.
    """
    given, rated = np.zeros(data.shape), np.zeros(data.shape)
    u, i = data.users, data.films
    given[u[training], i[training]], rated[u[training], i[training]] = data.ratings[training], 1.0
    own, known = leave_out * given[u, i], leave_out * rated[u, i]  # both 0 outside of the training part

    def mean(total: Array, count: Array, otherwise: Array) -> Array:
        return np.where(count > 0, total / np.maximum(count, 1), otherwise)

    same = (data.genres @ data.genres.T > 0).astype(float)
    overall = (given.sum() - own) / np.maximum(rated.sum() - known, 1)
    of_user = mean(given.sum(1)[u] - own, rated.sum(1)[u] - known, overall)
    of_genre = mean(
        (given @ same)[u, i] - same[i, i] * own, (rated @ same)[u, i] - same[i, i] * known, of_user
    )
    of_film = mean(given.sum(0)[i] - own, rated.sum(0)[i] - known, overall)
    near, far = _neighbors(data, given, rated, of_film, leave_out)
    ages = np.where(np.isnan(data.ages), np.nanmean(data.ages), data.ages)
    return np.column_stack([ages[i], data.genres[i], of_genre, of_film, near, far])


def _neighbors(
    data: Ratings, given: Array, rated: Array, otherwise: Array, leave_out: bool
) -> tuple[Array, Array]:
    """The means of similar and of dissimilar users: sums over common films, less those of the film itself."""
    count, product = rated @ rated.T, given @ given.T
    total, square = given @ rated.T, given**2 @ rated.T  # [u, v]: of u's ratings of films that v rated too
    near, far = otherwise.copy(), otherwise.copy()
    order = np.argsort(data.films, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(data.films[order])) + 1):
        film, u = data.films[rows[0]], data.users[rows]
        v = np.flatnonzero(rated[:, film])
        own, known = leave_out * given[u, film, None], leave_out * rated[u, film, None]
        theirs, pair = given[v, film], np.ix_(u, v)
        n = count[pair] - known
        x, y = total[pair] - own, total.T[pair] - known * theirs
        xx, yy = square[pair] - own**2, square.T[pair] - known * theirs**2
        spread = (n * xx - x**2) * (n * yy - y**2)  # of whole numbers, so that 0 is 0
        covariance = n * (product[pair] - own * theirs) - x * y
        weight = covariance / np.sqrt(np.where(spread > 0, spread, np.inf)) * np.minimum(n / TRUSTED, 1)
        weight[u[:, None] == v] = 0.0
        for found, part in ((near, np.maximum(weight, 0)), (far, np.maximum(-weight, 0))):
            size = part.sum(1)
            found[rows[size > 0]] = (part @ theirs)[size > 0] / size[size > 0]
    return near, far
