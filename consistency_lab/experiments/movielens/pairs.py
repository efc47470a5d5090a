"""Pairs of films that one user has rated, drawn at random, and how much of them scores contradict."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import InputError
from consistency_lab.experiments.movielens.ratings import Ratings


@final
@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of ratings, each of one user, the higher one first.

    Parameters
    ----------
    winners, losers
        Shape (P,): numbers of ratings.
    weights
        Shape (P,): by how much they differ, :math:`a^u_{ij}` of DMJ10 §4.
    first
        Shape (P,): whether the winner is the film with the smaller number, on which Eq. 7 depends in a tie.
    """

    winners: NDArray[np.int64]
    losers: NDArray[np.int64]
    weights: NDArray[np.float64]
    first: NDArray[np.bool_]

    def loss(self, scores: NDArray[np.float64]) -> float:
        r"""The generalized pairwise loss (DMJ10 Eq. 7) of scores of shape (R,), averaged over the pairs.

        .. math:: \frac1P \sum_{i \succ j} a_{ij} \bigl(1(α_i < α_j) + 1(α_i = α_j, i < j)\bigr)

        Examples
        --------
        >>> pair = Pairs(np.array([0]), np.array([1]), np.array([2.0]), np.array([True]))
        >>> [pair.loss(np.array(scores)) for scores in ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0))]
        [0.0, 2.0, 2.0]
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
    """Draw pairs, with replacement: a user, and then two films to which the user gave different ratings.

    Parameters
    ----------
    data, rows, count
        The ratings, the numbers of those that may be drawn, and how many pairs to draw.
    random
        The source of chance.
    within
        The fold of each rating, if both ratings of a pair must be of one fold.
    by
        "user": users are equally likely (who gave different ratings); "pair": pairs are, of all users.
    ties
        Whether pairs of equal ratings are drawn too; their weight is 0.

    Raises
    ------
    InputError
        If there is no such pair.
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
            f"no user has two different ratings in a part of {data.source}; more ratings are needed"
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
