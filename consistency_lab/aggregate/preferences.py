"""Preferences among rows of a feature matrix: what a ranker is fitted to, and what a structure aggregates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consistency_lab.aggregate.rows import (
    Integers,
    Key,
    check_size,
    chosen_rows,
    codes,
    places,
    row_numbers,
)
from consistency_lab.errors import InputError

Floats = NDArray[np.float64]


@final
class Query(NamedTuple):
    """One query: the numbers of its rows, the wins (m, m) among them, and how many labels said so."""

    rows: Integers
    wins: Floats
    total: int


@final
@dataclass(frozen=True, init=False, eq=False)
class Preferences:
    """Comparisons of rows, each of which belongs to one label Y of one query.

    Parameters
    ----------
    winners, losers
        Shape (P,): the rows that were preferred, and to which.
    queries
        Shape (N,): the query of each row, any values.
    weights
        Shape (P,): how much the winner was preferred, at least 0; 1 if left out.
    labels
        Shape (P,), whole numbers: equal ones belong to one judgment. Each comparison is one if left out.

    Raises
    ------
    InputError
        If there is no such row, rows of different queries or a row and itself are compared, a label has
        comparisons of two queries, or a weight is negative or not finite.

    Examples
    --------
    >>> said = Preferences([0, 1, 2], [1, 2, 3], ["a", "a", "a", "a"])
    >>> said.shape, len(said[[0, 1, 3]].winners)
    ((4,), 1)
    """

    winners: Integers
    losers: Integers
    weights: Floats
    labels: Integers
    queries: Integers

    def __init__(
        self,
        winners: ArrayLike,
        losers: ArrayLike,
        queries: ArrayLike,
        weights: ArrayLike | None = None,
        labels: ArrayLike | None = None,
    ) -> None:
        asked = codes(queries, "queries")
        won = row_numbers(winners, asked.size, "winners")
        lost = row_numbers(losers, asked.size, "losers")
        if won.shape != lost.shape:
            raise InputError(f"there are {won.size} winners and {lost.size} losers; they go in pairs")
        weighed = np.ones(won.size) if weights is None else np.asarray(weights, np.float64)
        said = np.arange(won.size) if labels is None else codes(labels, "labels")
        for what, array in (("weights", weighed), ("labels", said)):
            if array.shape != won.shape:
                raise InputError(f"the {what} have shape {array.shape}; there are {won.size} comparisons")
        if not np.all((weighed >= 0.0) & (weighed < np.inf)):
            raise InputError("a weight is negative or not finite; weights are numbers from 0 on")
        if (won == lost).any():
            raise InputError(f"row {won[won == lost][0]} is compared with itself")
        apart = asked[won] != asked[lost]
        if apart.any():
            raise InputError(
                f"rows {won[apart][0]} and {lost[apart][0]} are compared, but belong to different queries"
            )
        if labels is not None and won.size:
            of_label = np.empty(said.max() + 1, np.int64)
            of_label[said] = asked[won]
            if (of_label[said] != asked[won]).any():
                raise InputError("a label has comparisons of two queries; all of one label lie in one query")
        for name, array in (
            ("winners", won),
            ("losers", lost),
            ("weights", weighed),
            ("labels", said),
            ("queries", asked),
        ):
            array = array.copy()
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def from_grades(cls, grades: ArrayLike, queries: ArrayLike) -> Self:
        """One judge's grades: each row beats the rows of its query with smaller ones, by the difference.

        Parameters
        ----------
        grades, queries
            Shape (N,). Each query is one label.

        Raises
        ------
        InputError
            If a grade is not finite, there is another number of queries, or a query has more than 5,000 rows.

        Examples
        --------
        >>> said = Preferences.from_grades([2, 0, 1], [7, 7, 7])
        >>> list(zip(said.winners.tolist(), said.losers.tolist(), said.weights.tolist()))
        [(0, 1, 2.0), (0, 2, 1.0), (2, 1, 1.0)]
        """
        asked = codes(queries, "queries")
        given = np.asarray(grades, np.float64)
        if given.shape != asked.shape or not np.isfinite(given).all():
            raise InputError(f"give {asked.size} finite grades, one for each row")
        order = np.argsort(asked, kind="stable")
        won, lost = [], []
        for rows in np.split(order, np.flatnonzero(np.diff(asked[order])) + 1):
            check_size(str(np.asarray(queries)[rows[0]]) if rows.size else "", rows.size)
            i, j = np.nonzero(np.subtract.outer(given[rows], given[rows]) > 0.0)
            won.append(rows[i])
            lost.append(rows[j])
        winners, losers = np.concatenate(won), np.concatenate(lost)
        return cls(winners, losers, asked, given[winners] - given[losers], asked[winners])

    @classmethod
    def from_wins(cls, wins: Sequence[ArrayLike]) -> Self:
        """Counts of wins, a matrix for each query; every win is a label of its own.

        Parameters
        ----------
        wins
            Square matrices of whole numbers: how often row i of the query was preferred to row j. The rows
            of the queries are numbered one after the other.

        Raises
        ------
        InputError
            If one is not such a matrix.

        Examples
        --------
        >>> Preferences.from_wins([[[0, 2], [1, 0]], [[0]]]).winners.tolist()
        [0, 0, 1]
        """
        won, lost, asked, first = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [], 0
        for number, one in enumerate(wins):
            given = np.asarray(one)
            if given.ndim != 2 or given.shape[0] != given.shape[1]:
                raise InputError(f"the wins of query {number} have shape {given.shape}; they must be square")
            if not (np.all(given >= 0) and np.all(given == np.floor(given)) and np.all(given < np.inf)):
                raise InputError(f"the wins of query {number} must be whole numbers, at least 0")
            i, j = np.nonzero(given)
            count = given[i, j].astype(np.int64)
            won.append(np.repeat(first + i, count))
            lost.append(np.repeat(first + j, count))
            asked += [number] * len(given)
            first += len(given)
        return cls(np.concatenate(won), np.concatenate(lost), np.array(asked, np.int64))

    @property
    def shape(self) -> tuple[int]:
        """(N,), the number of rows: so that it can stand beside a feature matrix."""
        return (self.queries.size,)

    def __len__(self) -> int:
        return self.queries.size

    def __getitem__(self, key: Key) -> "Preferences":
        """The preferences among some rows, which are numbered again in the order in which they are chosen."""
        rows = chosen_rows(key, len(self))
        place = places(rows, len(self))
        kept = (place[self.winners] >= 0) & (place[self.losers] >= 0)
        return Preferences(
            place[self.winners[kept]],
            place[self.losers[kept]],
            self.queries[rows],
            self.weights[kept],
            self.labels[kept],
        )

    def by_query(self, shares: bool = False) -> Iterator[Query]:
        """Each query that has rows, with all that was said of it.

        Parameters
        ----------
        shares
            Whether each comparison counts 1 in the wins, as a structure with `shares` wants it; else its
            weight.

        Raises
        ------
        InputError
            If a query has more than 5,000 rows.

        Examples
        --------
        >>> (rows, wins, total), = Preferences([0, 0], [1, 1], [5, 5]).by_query()
        >>> wins.tolist(), total
        ([[0.0, 2.0], [0.0, 0.0]], 2)
        """
        order = np.argsort(self.queries, kind="stable")
        said = np.argsort(self.queries[self.winners], kind="stable")
        count = int(self.queries.max()) + 1 if len(self) else 0
        row_ends = np.searchsorted(self.queries[order], np.arange(count + 1))
        said_ends = np.searchsorted(self.queries[self.winners][said], np.arange(count + 1))
        place = np.empty(len(self), np.int64)
        weights = np.ones_like(self.weights) if shares else self.weights
        for query in range(count):
            rows = order[row_ends[query] : row_ends[query + 1]]
            pairs = said[said_ends[query] : said_ends[query + 1]]
            place[rows] = np.arange(rows.size)
            check_size(query, rows.size)
            wins = np.zeros((rows.size, rows.size))
            np.add.at(wins, (place[self.winners[pairs]], place[self.losers[pairs]]), weights[pairs])
            yield Query(rows, wins, np.unique(self.labels[pairs]).size)
