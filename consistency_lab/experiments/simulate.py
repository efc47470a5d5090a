"""Simulated judges, of whom the best order is known: Bradley-Terry pairs, and clicks of the cascade model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.aggregate import Clicks, Preferences
from consistency_lab.errors import InputError

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False)
class Judged:
    """Rows of a feature matrix, grouped into queries, each with what the judges think of it.

    Parameters
    ----------
    relevance
        Shape (N,): r, the larger the better.
    queries
        Shape (N,): the number of each row's query, 0 to Q - 1; rows of a query stand together.

    Raises
    ------
    InputError
        If rows of a query are apart, or the shapes differ.
    """

    relevance: Floats
    queries: Codes

    def __post_init__(self) -> None:
        steps = np.diff(self.queries, prepend=-1)
        if self.relevance.shape != self.queries.shape or not np.isin(steps, (0, 1)).all():
            raise InputError(
                "the queries must be numbered 0, 1, ... in the order of the rows, one number a row"
            )

    @property
    def sizes(self) -> Codes:
        """Shape (Q,): the rows of each query."""
        return np.bincount(self.queries)

    @property
    def starts(self) -> Codes:
        """Shape (Q,): the first row of each query."""
        found: Codes = np.cumsum(self.sizes) - self.sizes
        return found

    def limiting_scores(self) -> Floats:
        r"""The score to which the average log odds converge, s_i = r_i - mean of r over the query.

        With P(i preferred to j) = 1 / (1 + exp(r_j - r_i)) the log odds are r_i - r_j, and their average over
        all j of the query, i itself among them, is this (DMJ13 Section 6.3).
        """
        means = np.add.reduceat(self.relevance, self.starts) / self.sizes
        found: Floats = self.relevance - means[self.queries]
        return found

    def btl_frequencies(self, query: int) -> Floats:
        """The probability that one comparison within a query says "i before j", for each ordered pair.

        Shape (m, m); the entries sum to 1.
        """
        r = self.relevance[self.queries == query]
        found = _logistic(r[:, None] - r[None, :]) * 2.0 / (len(r) * (len(r) - 1))
        np.fill_diagonal(found, 0.0)
        return found

    def btl_pairs(self, n: int, rng: np.random.Generator) -> Preferences:
        """Draw n comparisons: a query uniformly, two of its rows uniformly, the winner by Bradley and Terry.

        The first row of a pair wins with probability 1 / (1 + exp(r_second - r_first)) (DMJ13 Section 6.3).
        Queries with one row are never drawn.

        Raises
        ------
        InputError
            If every query has one row.
        """
        able = np.flatnonzero(self.sizes > 1)
        if not len(able):
            raise InputError("every query has one row; a comparison needs two")
        query = able[rng.integers(0, len(able), n)]
        sizes, starts = self.sizes[query], self.starts[query]
        first = rng.integers(0, sizes)
        second = rng.integers(0, sizes - 1)
        second += second >= first
        first, second = starts + first, starts + second
        wins = rng.random(n) < _logistic(self.relevance[first] - self.relevance[second])
        return Preferences(np.where(wins, first, second), np.where(wins, second, first), self.queries)


def click_chances(satisfies: Floats, shown: Codes) -> Floats:
    r"""How likely the click is at each position of a list, in the cascade model.

    Who reads it from the top clicks the first row that satisfies, so the chance at position t is

    .. math:: p_{\sigma(t)} \prod_{u < t} (1 - p_{\sigma(u)}).

    Parameters
    ----------
    satisfies
        Shape (m,): the chance p that a row satisfies.
    shown
        Shape (l,): the rows sigma of the list, from the top.

    Returns
    -------
    Shape (l + 1,): the last entry is the chance of no click.

    Examples
    --------
    >>> click_chances(np.array([0.5, 0.25]), np.array([1, 0])).tolist()
    [0.25, 0.375, 0.375]
    """
    p = satisfies[shown]
    reaches = np.concatenate([[1.0], np.cumprod(1.0 - p)])
    return np.append(p * reaches[:-1], reaches[-1])


def cascade_sessions(
    satisfies: Floats, lists: Sequence[Codes], chances: Floats, n: int, rng: np.random.Generator
) -> Clicks:
    """Draw n sessions of one query in the cascade model (DMJ13 Section 4.2).

    Parameters
    ----------
    satisfies
        Shape (m,): the chance that a row satisfies.
    lists, chances
        The lists that are shown, each the rows from the top, and how often each of them is.

    Raises
    ------
    InputError
        If a chance is none.
    """
    if not ((satisfies >= 0) & (satisfies <= 1)).all():
        raise InputError("in the cascade model a row satisfies with a chance from 0 to 1")
    which = rng.choice(len(lists), size=n, p=chances)
    ends = [np.cumsum(click_chances(satisfies, one))[:-1] for one in lists]
    draws = rng.random(n)
    at = [int(np.searchsorted(ends[one], draw, side="right")) for one, draw in zip(which, draws, strict=True)]
    clicked = [None if t == len(lists[one]) else t for one, t in zip(which, at, strict=True)]
    return Clicks([lists[one] for one in which], clicked, np.zeros(len(satisfies), dtype=np.int64))


def _logistic(x: Floats) -> Floats:
    found: Floats = 1.0 / (1.0 + np.exp(-x))
    return found
