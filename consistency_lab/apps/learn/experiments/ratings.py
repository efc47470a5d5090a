"""The ratings and films of MovieLens 100k: files, features, pairs."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import InputError
from consistency_lab.files import read_bytes
from consistency_lab.frozen import frozen
from consistency_lab.numbers.arrays import Floats, Whole

# --- The ratings and films of MovieLens 100k, as its files have them, and others of the same shape -------

GENRES: Final = (
    "unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama",
    "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western",
)  # fmt: skip
"""The last columns of u.item, in order."""

SOURCE: Final = "MovieLens 100k"

COLLECTED: Final = date(1998, 4, 22)
"""The day of the last rating; ages of films are as of this day."""


@final
@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of films by users, with properties of the films."""

    #: Shape (R,): the numbers from 0 of a user and a film, no pair twice, and the rating, 1 to 5.
    users: NDArray[np.int64]
    films: NDArray[np.int64]
    ratings: NDArray[np.float64]
    ages: NDArray[np.float64]  #: Shape (F,): in years; NaN where there is no date.
    genres: NDArray[np.float64]  #: Shape (F, 19): 0 and 1.
    source: str  #: What the data are.

    @property
    def shape(self) -> tuple[int, int]:
        """The number of users, U, and of films, F."""
        return int(self.users.max()) + 1, len(self.ages)


def read_movielens(folder: str | os.PathLike[str]) -> Ratings:
    """Read u.data and u.item of a folder."""
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{place} is not a folder; give the MovieLens 100k folder with u.data and u.item")
    ages, genres = _films(place / "u.item")
    ratings: dict[tuple[int, int], int] = {}
    for where, line in _lines(place / "u.data"):
        words = line.split("\t")
        if len(words) != 4 or not all(word.isascii() and word.isdigit() and len(word) < 12 for word in words):
            raise InputError(
                f"{where} is {line[:40]!r}; it must be user, film, rating and time: numbers separated by tabs"
            )
        user, film, rating, _ = map(int, words)
        if not (1 <= film <= len(ages) and 1 <= rating <= 5):
            raise InputError(
                f"{where} gives film {film} the rating {rating}; films must be 1 to {len(ages)}, as in "
                "u.item, and ratings 1 to 5"
            )
        if ratings.setdefault((user, film), rating) != rating:
            raise InputError(f"{where} rates film {film} again, differently; a user must rate a film once")
    users, films = np.array(list(ratings)).T
    given = np.array(list(ratings.values()), dtype=float)
    return Ratings(np.unique(users, return_inverse=True)[1], films - 1, given, ages, genres, SOURCE)


def synthetic_ratings(seed: int = 0, users: int = 120, films: int = 200, rated: int = 40) -> Ratings:
    """Ratings made of quality, taste in three dimensions and noise; better films are rated more often."""
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


def _films(path: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    ages, flags = list[float](), list[list[str]]()
    for number, (where, line) in enumerate(_lines(path), start=1):
        words = line.split("|")
        flags.append(words[5:])
        if words[0] != str(number) or len(flags[-1]) != len(GENRES) or not set(flags[-1]) <= {"0", "1"}:
            raise InputError(
                f"{where} must be film {number}: number, title, date, video date, address and {len(GENRES)} "
                "genres (0 or 1), separated by |"
            )
        try:
            released = datetime.strptime(words[2], "%d-%b-%Y").date() if words[2] else None
        except ValueError:
            raise InputError(f"{where} has the date {words[2][:40]!r}; it must be like 01-Jan-1995") from None
        ages.append((COLLECTED - released).days / 365.25 if released else float("nan"))
    return np.array(ages), np.array(flags, dtype=float)


def _lines(path: Path) -> list[tuple[str, str]]:
    """The lines of a Latin-1 file, each with its place."""
    lines = read_bytes(path).decode("latin-1").splitlines()
    if not lines:
        raise InputError(f"{path} is empty; expected a file of MovieLens 100k")
    return [(f"{path}, line {number}", line) for number, line in enumerate(lines, start=1)]


# --- Random pairs of films rated by the same user, and the share of them that scores contradict ----------


@final
@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of ratings by the same user, the higher one first."""

    #: Shape (P,): numbers of ratings.
    winners: NDArray[np.int64]
    losers: NDArray[np.int64]
    weights: NDArray[np.float64]  #: Shape (P,): by how much they differ, :math:`a^u_{ij}` of DMJ10 §4.
    #: Shape (P,): whether the winner is the film with the smaller number, on which Eq. 7 depends in a tie.
    first: NDArray[np.bool_]

    def loss(self, scores: NDArray[np.float64]) -> float:
        r"""The generalized pairwise loss (DMJ10 Eq. 7) of scores of shape (R,), averaged over the pairs.

        .. math:: \frac1P \sum_{i \succ j} a_{ij} \bigl(1(α_i < α_j) + 1(α_i = α_j, i < j)\bigr)
        """
        won, lost = scores[self.winners], scores[self.losers]
        return float(np.mean(self.weights * ((won < lost) | ((won == lost) & self.first))))


def sample(
    data: Ratings,
    rows: NDArray[np.int64],
    count: int,
    random: np.random.Generator,
    *,
    within: NDArray[np.int64] | None = None,
    by: str = "user",
    ties: bool = False,
) -> Pairs:
    """Draw pairs with replacement: a user, then two films that the user rated differently.

    With `within`, the fold of each rating, both ratings of a pair are of one fold. By "user", users are
    equally likely (who gave different ratings); by "pair", pairs are. With `ties`, pairs of equal ratings
    are drawn too, with weight 0.
    """
    folds = 1 if within is None else int(within.max()) + 1
    group = data.users * folds + (0 if within is None else within)
    rows = rows[np.argsort(group[rows], kind="stable")]
    groups, start, held = np.unique(group[rows], return_index=True, return_counts=True)
    equal = np.zeros((len(groups), 6))
    np.add.at(equal, (np.repeat(np.arange(len(groups)), held), data.ratings[rows].astype(int)), 1)
    chance = held * (held - 1.0) if ties else held**2.0 - (equal**2).sum(1)
    if not chance.any():
        raise InputError(
            f"a part of {data.source} has no user with two different ratings; more ratings are needed"
        )
    if by == "user":
        possible = np.bincount(groups // folds, chance)[groups // folds]
        chance = np.divide(chance, possible, out=chance, where=possible > 0)
    drawn = random.choice(len(groups), size=count, p=chance / chance.sum())
    one, other = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    left = np.arange(count)
    while len(left):
        n, begin = held[drawn[left]], start[drawn[left]]
        a, b = random.integers(n), random.integers(n - 1)
        one[left], other[left] = rows[begin + a], rows[begin + b + (b >= a)]
        left = left[:0] if ties else left[data.ratings[one[left]] == data.ratings[other[left]]]
    higher = data.ratings[one] >= data.ratings[other]
    winners, losers = np.where(higher, one, other), np.where(higher, other, one)
    weights = data.ratings[winners] - data.ratings[losers]
    return Pairs(winners, losers, weights, data.films[winners] < data.films[losers])


# --- The features d(x_i, u) of DMJ10 §4, computed from the ratings of the training part ------------------

FEATURES: Final = ("age", *GENRES, "genre average", "film average", "similar users", "dissimilar users")
"""The columns."""

TRUSTED: Final = 50
"""With fewer common films a correlation counts in proportion to them (Herlocker et al. 1999)."""


def features(
    data: Ratings,
    used: NDArray[np.bool_],
    left_out: Collection[str] = (),
    rows: NDArray[np.bool_] | slice = slice(None),
) -> Floats:
    r"""The features of every rated pair of a user u and a film, computed from some of the ratings.

    - The age of the film in years (the mean age where there is no date), and its genres, 0 or 1.
    - The mean rating by u of films that share a genre with it, else of all films.
    - The mean rating of the film, else that of all films.
    - The mean rating of the film by the users v similar to u (:math:`ρ_{uv} > 0`), and by those dissimilar
      from u (:math:`ρ_{uv} < 0`), weighted by :math:`|ρ_{uv}| \min(n_{uv}, 50)/50`, else that of the film.
      Here :math:`ρ_{uv}` is the correlation of both users' ratings of the :math:`n_{uv}` films that both
      have rated.

    Described are `rows`, or all ratings, by those that are `used`. A rating enters no feature of its own
    where it is not used (as `described` has it), nor the columns `left_out`; "similar users" stands there
    for "dissimilar users" too: the correlation is then over other films.
    """
    given, rated = np.zeros(data.shape), np.zeros(data.shape)
    given[data.users[used], data.films[used]] = data.ratings[used]
    rated[data.users[used], data.films[used]] = 1.0
    u, i, r = data.users[rows], data.films[rows], data.ratings[rows]

    def own(column: str) -> Floats:
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


def described(data: Ratings, fold: Whole, training: NDArray[np.bool_]) -> Floats:
    """The features for learning; no rating is described by its own fold of the training ratings.

    Any other rating is described by all training ratings. So of a training pair within a fold neither rating
    enters the features, as none of a test pair does. To leave out each one's own would not do: then the mean
    of the user beside the higher rating of a pair lacks this one, the mean beside the lower rating lacks that
    one, and the difference of the two tells which is which.
    """
    found = np.empty((len(fold), len(FEATURES)))
    found[~training] = features(data, training, rows=~training)
    for one in np.unique(fold):
        rows = training & (fold == one)
        found[rows] = features(data, training & ~rows, rows=rows)
    return found


def _mean(total: Floats, count: Floats, otherwise: Floats) -> Floats:
    return np.where(count > 0, total / np.where(count > 0, count, 1), otherwise)


def _neighbors(
    users: Whole, films: Whole, own: Floats, out: Floats, given: Floats, rated: Floats, of_film: Floats
) -> tuple[Floats, Floats]:
    """Mean ratings of films by similar and by dissimilar users, without the own rating where out is 1."""
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


# --- What the experiment does: its sizes, what the paper leaves open, and what the paper printed ---------

METHODS: Final = ("hinge", "logistic", "linear")
PAIRS: Final = (20_000, 40_000, 80_000, 120_000, 160_000)
PARTS: Final = 5

_HINGE: Final = ((0.478, 0.008), (0.477, 0.008), (0.480, 0.007), (0.477, 0.008), (0.474, 0.007))
_LOGISTIC: Final = ((0.479, 0.010), (0.478, 0.010), (0.478, 0.009), (0.477, 0.009), (0.474, 0.007))
_LINEAR: Final = ((0.465, 0.006), (0.464, 0.006), (0.462, 0.005), (0.463, 0.006), (0.461, 0.004))

PAPER: Final[Mapping[tuple[str, int], dict[str, float]]] = MappingProxyType(
    {
        (method, pairs): {"mean": mean, "standard_error": error}
        for method, row in zip(METHODS, (_HINGE, _LOGISTIC, _LINEAR), strict=True)
        for pairs, (mean, error) in zip(PAIRS, row, strict=True)
    }
)
"""DMJ10 Table 1: mean and standard error by method and number of training pairs."""


@frozen
class Variant:
    """One way to decide what the paper leaves open."""

    about: str  #: How it differs from the others.
    #: Whether features are shifted and scaled to mean 0 and standard deviation 1 on the training part.
    standardize: bool = True
    #: Whether the features of a training rating use only the other folds, not all training ratings.
    apart: bool = True
    #: Features of a training rating that leave out this rating, if not apart.
    left_out: tuple[str, ...] = ()
    shipped: bool = False  #: Whether the parts are the five subsets of GroupLens, not random.
    #: How pairs are drawn: see `consistency_lab.apps.learn.experiments.ratings.sample`.
    by: str = "user"
    ties: bool = False
    without: tuple[str, ...] = ()  #: Features that are not used.
    #: Of the hinge and the logistic loss: "sgd", or "batch", which sees all pairs at once.
    solver: str = "batch"
    largest: float = inf  #: The largest λ.


_NEIGHBORS: Final = ("similar users", "dissimilar users")
_OTHERS: Final = ("genre average", *_NEIGHBORS)
_LEAVE_ONE_OUT: Final = Variant(
    "averages over a user's ratings leave out the rating that they describe; λ ≤ 10",
    apart=False,
    left_out=_OTHERS,
    largest=10,
)

VARIANTS: Final[Mapping[str, Variant]] = MappingProxyType(
    {
        "plain": Variant("all three losses minimized"),
        "steps": Variant("hinge and logistic loss by 200,000 steps of stochastic gradient", solver="sgd"),
        "ties": Variant("pairs with equal ratings are drawn too, with weight 0", ties=True),
        "pairs": Variant("all pairs are equally likely, so that busy users count more", by="pair"),
        "raw": Variant("features are neither shifted nor scaled", standardize=False),
        "no-neighbors": Variant("without ratings by similar and dissimilar users", without=_NEIGHBORS),
        "film-alone": Variant("no feature knows the user", without=_OTHERS),
        "own-rating": Variant("features of training pairs contain the ratings of the pair", apart=False),
        "leave-one-out": _LEAVE_ONE_OUT,
        "grouplens": replace(
            _LEAVE_ONE_OUT,
            about="leave-one-out, on the five subsets that ship with the data; λ ≤ 10",
            shipped=True,
        ),
        "leave-one-out-wide": replace(_LEAVE_ONE_OUT, about="leave-one-out; λ ≤ 10⁶", largest=inf),
        "grouplens-wide": replace(_LEAVE_ONE_OUT, about="grouplens; λ ≤ 10⁶", largest=inf, shipped=True),
        "leave-films-out": replace(
            _LEAVE_ONE_OUT,
            about="leave-one-out, and the film's average leaves out the rating too; λ ≤ 10",
            left_out=(*_OTHERS, "film average"),
        ),
    }
)
"""The experiment, and variants that explain its differences from the printed numbers."""


@frozen
class Settings:
    """The settings of the experiment."""

    pairs: tuple[int, ...] = PAIRS  #: Numbers of training pairs.
    runs: int = 15  #: Number of runs.
    seed: int = 0  #: Of the partitions and all draws.
    variant: str = "plain"  #: A key of `VARIANTS`.
    tested: int = 40_000  #: The number of test pairs, and of validation pairs.

    def __post_init__(self) -> None:
        for count in (*self.pairs, self.tested):
            if not 1 <= count <= 10**6:
                raise InputError(f"the number of pairs is {count}; it must be from 1 to 1000000")
        if not 1 <= self.runs <= 1000:
            raise InputError(f"the number of runs is {self.runs}; it must be from 1 to 1000")
        if self.seed < 0:
            raise InputError(f"the seed is {self.seed}; it must be at least 0")
        if self.variant not in VARIANTS:
            raise InputError(f"there is no variant {self.variant[:40]!r}; they are {', '.join(VARIANTS)}")
