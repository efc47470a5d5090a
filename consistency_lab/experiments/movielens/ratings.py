"""The ratings and films of MovieLens 100k, as its files have them, and others of the same shape."""

import os
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import InputError
from consistency_lab.files import read_bytes

GENRES: Final = (
    "unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama",
    "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western",
)  # fmt: skip
"""The last columns of u.item, in their order."""

SOURCE: Final = "MovieLens 100k"

COLLECTED: Final = date(1998, 4, 22)
"""The day of the last rating, on which a film has its age."""


@final
@dataclass(frozen=True, eq=False)
class Ratings:
    """Who gave what to which film, and what is known of the films.

    Parameters
    ----------
    users, films, ratings
        Shape (R,): the numbers from 0 of a user and a film, no pair twice, and the rating, 1 to 5.
    ages
        Shape (F,): in years; NaN where there is no date.
    genres
        Shape (F, 19): 0 and 1.
    source
        What the data are.
    """

    users: NDArray[np.int64]
    films: NDArray[np.int64]
    ratings: NDArray[np.float64]
    ages: NDArray[np.float64]
    genres: NDArray[np.float64]
    source: str

    @property
    def shape(self) -> tuple[int, int]:
        """The number of users, U, and of films, F."""
        return int(self.users.max()) + 1, len(self.ages)


def read_ratings(folder: str | os.PathLike[str]) -> Ratings:
    """Read u.data and u.item of a folder.

    Raises
    ------
    InputError
        If a file is missing, or a line of it is not as the README of the data says.
    """
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{place} is not a folder; name that of MovieLens 100k, with u.data and u.item")
    ages, genres = _films(place / "u.item")
    found: dict[tuple[int, int], int] = {}
    for where, line in _lines(place / "u.data"):
        words = line.split("\t")
        if len(words) != 4 or not all(word.isascii() and word.isdigit() and len(word) < 12 for word in words):
            raise InputError(
                f"{where} is {line[:40]!r}; it must be user, film, rating and time, numbers with tabs between"
            )
        user, film, rating, _ = map(int, words)
        if not (1 <= film <= len(ages) and 1 <= rating <= 5):
            raise InputError(
                f"{where} gives film {film} the rating {rating}; the films of u.item are 1 to {len(ages)}, "
                "ratings 1 to 5"
            )
        if found.setdefault((user, film), rating) != rating:
            raise InputError(f"{where} rates film {film} anew; a user must rate a film once")
    users, films = np.array(list(found)).T
    given = np.array(list(found.values()), dtype=float)
    return Ratings(np.unique(users, return_inverse=True)[1], films - 1, given, ages, genres, SOURCE)


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


def _films(path: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    ages, flags = list[float](), list[list[str]]()
    for number, (where, line) in enumerate(_lines(path), start=1):
        words = line.split("|")
        flags.append(words[5:])
        if words[0] != str(number) or len(flags[-1]) != len(GENRES) or not set(flags[-1]) <= {"0", "1"}:
            raise InputError(
                f"{where} must be film {number}: number, title, date, video date, address and {len(GENRES)} "
                "genres (0 or 1) with | between"
            )
        try:
            released = datetime.strptime(words[2], "%d-%b-%Y").date() if words[2] else None
        except ValueError:
            raise InputError(f"{where} has the date {words[2][:40]!r}; it must be like 01-Jan-1995") from None
        ages.append((COLLECTED - released).days / 365.25 if released else float("nan"))
    return np.array(ages), np.array(flags, dtype=float)


def _lines(path: Path) -> list[tuple[str, str]]:
    """The lines of a file, which is Latin-1, and where each stands."""
    lines = read_bytes(path).decode("latin-1").splitlines()
    if not lines:
        raise InputError(f"{path} is empty; a file of MovieLens 100k is expected")
    return [(f"{path}, line {number}", line) for number, line in enumerate(lines, start=1)]
