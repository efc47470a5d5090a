"""Preferences and clicks among rows of a feature matrix: what a ranker is fitted to."""

from abc import ABC
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, Final, NamedTuple, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consistency_lab.errors import InputError, need
from consistency_lab.model.checked import checked
from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.solve.structures import numbers

# --- Rows of a feature matrix, and how a part of them is numbered again ----------------------------------
# What scikit-learn does to a y.


Key = slice | ArrayLike | tuple[slice | ArrayLike, EllipsisType]
"""An index of rows: numbers, a mask, a slice, or one of these and an ellipsis."""


MAX_PER_QUERY: Final = 5_000
"""The most items of a query whose pairs are counted: their matrix takes 200 MB."""


def check_size(query: object, count: int) -> None:
    """Refuse queries with too many items to count their pairs."""
    if count > MAX_PER_QUERY:
        raise InputError(f"query {str(query)[:40]!r} has {count} items; at most {MAX_PER_QUERY} are allowed")


def chosen_rows(key: Any, count: int) -> Whole:
    """The numbers of the rows that an index selects, in its order."""
    if isinstance(key, tuple):
        if len(key) != 2 or key[1] is not Ellipsis:
            raise InputError("preferences have one dimension, their rows; use one index")
        key = key[0]
    if isinstance(key, int | np.integer):
        raise InputError(f"row {key} is a single row; select a list of rows, as in [[{key}]]")
    try:
        rows: Whole = np.arange(count)[np.asarray(key, dtype=np.int64) if _is_empty(key) else key]
    except (IndexError, TypeError, ValueError) as error:
        raise InputError(f"these rows cannot be selected: {error}") from None
    if rows.ndim != 1 or np.unique(rows).size != rows.size:
        raise InputError("a row is selected twice; each may be selected once")
    return rows


def _is_empty(key: Any) -> bool:
    return not isinstance(key, slice) and np.size(key) == 0


def places(rows: Whole, count: int) -> Whole:
    """The place of each row among the chosen ones; -1 for the others."""
    place = np.full(count, -1)
    place[rows] = np.arange(rows.size)
    return place


def codes(values: ArrayLike | Iterable[object], what: str) -> Whole:
    """Codes 0, 1, ... for values, in the order of their first appearance."""
    try:
        given = np.asarray(values)
        _, first, inverse = np.unique(given, return_index=True, return_inverse=True)
    except (TypeError, ValueError):
        raise InputError(f"the {what} must be an array of comparable values") from None
    if given.ndim != 1:
        raise InputError(f"the {what} have shape {given.shape}; give one for each row")
    order = np.empty(first.size, np.int64)
    order[np.argsort(first)] = np.arange(first.size)
    numbers: Whole = order[inverse]
    return numbers


def row_numbers(values: ArrayLike, count: int, what: str) -> Whole:
    """Row numbers, checked."""
    try:
        given = np.asarray(values)
    except ValueError:  # rows of different lengths
        given = np.empty((0, 0))
    if given.ndim != 1 or (given.size and not np.issubdtype(given.dtype, np.integer)):
        raise InputError(f"the {what} must be a one-dimensional array of whole row numbers")
    wrong = given[(given < 0) | (given >= count)]
    if wrong.size:
        raise InputError(f"row {wrong[0]} is among the {what}; there are rows 0 to {count - 1}")
    return given.astype(np.int64)


class OfRows(ABC):
    """Judgments of rows, each of one query; read-only, with a row for each row of a feature matrix."""

    queries: Whole

    @property
    def shape(self) -> tuple[int]:
        """(N,), the number of rows."""
        return (self.queries.size,)

    def __len__(self) -> int:
        return self.queries.size

    def _set(self, **arrays: NDArray[Any]) -> None:
        for name, array in arrays.items():
            kept = array.copy()
            kept.setflags(write=False)
            object.__setattr__(self, name, kept)


# --- Clicks ----------------------------------------------------------------------------------------------
# Sessions that show rows of a query in an order, with at most one click.

NO_CLICK: Final = -1


@final
@dataclass(frozen=True, init=False, eq=False)
class Clicks(OfRows):
    """Sessions of the cascade model: a user clicks the first item of a list that satisfies, or none.

    Examples
    --------
    >>> seen = Clicks([[0, 1, 2], [2, 0, 1]], [1, None], ["a", "a", "a"])
    >>> [counts.tolist() for counts in seen.counts()]
    [[0.0, 1.0, 0.0], [2.0, 2.0, 1.0]]
    """

    #: The rows of all sessions one after the other, and where each session begins; the last start is the end.
    rows: Whole
    starts: Whole
    clicked: Whole  #: The position of the click in each session, counted from 0; None or -1 for no click.
    queries: Whole  #: Shape (N,): the query of each row, any values.

    @checked
    def __init__(self, shown: Sequence[ArrayLike], clicked: Sequence[int | None], queries: ArrayLike) -> None:
        asked = codes(queries, "queries")
        if len(shown) != len(clicked):
            raise InputError(f"there are {len(shown)} sessions, but clicks for {len(clicked)}")
        lists = [row_numbers(one, asked.size, "rows shown") for one in shown]
        rows = np.concatenate([np.empty(0, np.int64), *lists])
        length = np.array([one.size for one in lists], np.int64)
        starts = np.concatenate([[0], np.cumsum(length)])
        chosen = np.array([NO_CLICK if one is None else one for one in clicked], np.int64)
        if (length == 0).any():
            raise InputError(f"session {np.argmin(length)} shows no rows; leave it out")
        wrong = np.flatnonzero((chosen < NO_CLICK) | (chosen >= length))
        if wrong.size:
            raise InputError(
                f"session {wrong[0]} has a click at position {chosen[wrong[0]]}; its positions are 0 to "
                f"{length[wrong[0]] - 1}"
            )
        session = np.repeat(np.arange(length.size), length)
        apart = np.flatnonzero(asked[rows] != asked[rows[starts[:-1]]][session])
        if apart.size:
            raise InputError(f"session {session[apart[0]]} shows rows of different queries")
        if np.unique(session * max(1, asked.size) + rows).size != rows.size:
            raise InputError("a session shows a row twice; it must show each row once")
        self._set(rows=rows, starts=starts, clicked=chosen, queries=asked)

    def __getitem__(self, key: Key) -> "Clicks":
        """The sessions restricted to some rows, renumbered in the order of selection.

        If the clicked row is dropped, the session ends before it without a click, so the remaining rows are
        examined and clicked as often as before.
        """
        chosen = chosen_rows(key, len(self))
        place = places(chosen, len(self))
        shown, clicked = [], []
        for first, end, click in zip(self.starts[:-1], self.starts[1:], self.clicked, strict=True):
            session = place[self.rows[first:end]]
            lost = click != NO_CLICK and session[click] < 0
            kept = session[:click] if lost else session
            if (kept >= 0).any():
                shown.append(kept[kept >= 0])
                none = lost or click == NO_CLICK
                clicked.append(NO_CLICK if none else int((session[:click] >= 0).sum()))
        return Clicks(shown, clicked, self.queries[chosen])

    def counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How often each row was clicked, and how often it was examined: shapes (N,)."""
        _, rows, hit = self.examined()
        n = len(self)
        return np.bincount(rows[hit], minlength=n).astype(float), np.bincount(rows, minlength=n).astype(float)

    def examined(self) -> tuple[Whole, Whole, NDArray[np.bool_]]:
        """Session and row of everything that was examined, and whether it was clicked."""
        session = np.repeat(np.arange(self.clicked.size), np.diff(self.starts))
        position = np.arange(self.rows.size) - self.starts[session]
        click = self.clicked[session]
        seen = (click == NO_CLICK) | (position <= click)
        return session[seen], self.rows[seen], (position == click)[seen]

    def passed_by(self) -> tuple[Whole, Whole]:
        """For each row that was examined before a click, the row that was clicked, and this one."""
        session, rows, hit = self.examined()
        clicked = np.full(self.clicked.size, -1)
        clicked[session[hit]] = rows[hit]
        before = ~hit & (clicked[session] >= 0)
        return clicked[session[before]], rows[before]


# --- Preferences among rows of a feature matrix ----------------------------------------------------------
# What a ranker is fitted to, and what a structure aggregates.


@final
class Query(NamedTuple):
    """One query: the numbers of its rows, the wins (m, m) among them, and how many labels said so."""

    rows: Whole
    wins: Floats
    total: float


@final
@dataclass(frozen=True, init=False, eq=False)
class Preferences(OfRows):
    """Comparisons of rows, each of which belongs to one label Y of one query.

    Examples
    --------
    >>> said = Preferences([0, 1, 2], [1, 2, 3], ["a", "a", "a", "a"])
    >>> said.shape, len(said[[0, 1, 3]].winners)
    ((4,), 1)
    """

    #: Shape (P,): the rows that were preferred, and to which.
    winners: Whole
    losers: Whole
    #: Shape (P,): how often the winner was preferred, at least 0; 1 if left out. A tie is half a win each
    #: way, or a comparison of weight 0.
    weights: Floats
    #: Shape (P,), any values: equal ones belong to one judgment, which counts once among the labels, even
    #: with all its weights 0. If left out, a comparison counts as many labels as its weight says.
    labels: Whole
    queries: Whole  #: Shape (N,): the query of each row, any values.
    #: Shape (P,): what a structure that counts preferences (one with `shares`) takes in place of the weights;
    #: these if left out. A grade that is larger by 3 has weight 3, and counts 1.
    counts: Floats
    totals: Floats  #: Shape (L,): what each label counts.
    _has_labels: bool

    def __init__(
        self,
        winners: ArrayLike,
        losers: ArrayLike,
        queries: ArrayLike,
        weights: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        counts: ArrayLike | None = None,
    ) -> None:
        asked = codes(queries, "queries")
        won = row_numbers(winners, asked.size, "winners")
        lost = row_numbers(losers, asked.size, "losers")
        if won.shape != lost.shape:
            raise InputError(
                f"there are {won.size} winners but {lost.size} losers; each comparison needs both"
            )
        weighed = np.ones(won.size) if weights is None else numbers(weights, "weights")
        counted = weighed if counts is None else numbers(counts, "counts")
        said = np.arange(won.size) if labels is None else codes(labels, "labels")
        for what, array in (("weights", weighed), ("labels", said), ("counts", counted)):
            if array.shape != won.shape:
                raise InputError(
                    f"the {what} have shape {array.shape}; expected ({won.size},), one for each pair"
                )
        for what, array in (("weight", weighed), ("count", counted)):
            if not np.all((array >= 0.0) & (array < np.inf)):
                raise InputError(f"a {what} is negative or not finite; {what}s must be at least 0")
        if (won == lost).any():
            raise InputError(f"row {won[won == lost][0]} is compared with itself")
        apart = asked[won] != asked[lost]
        if apart.any():
            raise InputError(
                f"rows {won[apart][0]} and {lost[apart][0]} are compared but belong to different queries"
            )
        if labels is not None and won.size:
            of_label = np.empty(said.max() + 1, np.int64)
            of_label[said] = asked[won]
            if (of_label[said] != asked[won]).any():
                raise InputError("a label has comparisons of two queries; a label must belong to one query")
        object.__setattr__(self, "_has_labels", labels is not None)
        totals = counted if labels is None else np.ones(said.max(initial=-1) + 1)
        self._set(winners=won, losers=lost, weights=weighed, labels=said)
        self._set(queries=asked, counts=counted, totals=totals)

    def to_frame(self) -> Any:
        """A pandas data frame with a row for each comparison.

        Raises
        ------
        UnsupportedError
            If pandas is not installed.
        """
        need("pandas", "to_frame")
        from pandas import DataFrame

        asked = self.queries[self.winners]
        return DataFrame(
            {
                "winner": self.winners,
                "loser": self.losers,
                "weight": self.weights,
                "label": self.labels,
                "query": asked,
            }
        )

    @classmethod
    def from_grades(cls, grades: ArrayLike, queries: ArrayLike) -> Self:
        """One judge's grades: each row beats the rows of its query with smaller ones, by the difference.

        Parameters
        ----------
        grades, queries
            Shape (N,). Each query is one label.

        Examples
        --------
        >>> said = Preferences.from_grades([2, 0, 1], [7, 7, 7])
        >>> list(zip(said.winners.tolist(), said.losers.tolist(), said.weights.tolist()))
        [(0, 1, 2.0), (0, 2, 1.0), (2, 1, 1.0)]
        """
        asked = codes(queries, "queries")
        given = numbers(grades, "grades")
        if given.shape != asked.shape or not np.isfinite(given).all():
            raise InputError(f"give {asked.size} finite grades, one for each row")
        return cls._graded(np.arange(asked.size), asked, given, asked, queries)

    @classmethod
    def from_judgments(cls, query: ArrayLike, item: ArrayLike, judge: ArrayLike, grade: ArrayLike) -> Self:
        """Grades of several judges, as the command ``aggregate`` reads them from a table.

        A judge prefers larger grades, by the difference, and has no preference between equal ones; a
        judge's preferences in a query are one label, even if there are none. Of two grades of one item by one
        judge the last counts.

        Parameters
        ----------
        query, item, judge, grade
            Shape (G,), any values: the query, item, judge and grade of each judgment. The rows are the pairs
            of a query and an item, in the order of ``dict.fromkeys(zip(query, item))``.

        Examples
        --------
        >>> said = Preferences.from_judgments([7, 7, 7, 7], list("abab"), list("uuvv"), [2, 0, 1, 1])
        >>> [(wins.tolist(), total) for _, wins, total in said.by_query(shares=True)]
        [([[0.0, 1.0], [0.0, 0.0]], 2.0)]
        """
        named = {"queries": query, "items": item, "judges": judge}
        asked, items, judges = (codes(values, what) for what, values in named.items())
        given = numbers(grade, "grades")
        if not asked.shape == items.shape == judges.shape == given.shape or not np.isfinite(given).all():
            raise InputError(f"give an item, a judge and a finite grade for each of {asked.size} queries")
        rows, labels = (codes(asked * (one.max(initial=0) + 1) + one, "rows") for one in (items, judges))
        first = np.unique(rows, return_index=True)[1]
        last = given.size - 1 - np.unique((labels * (first.size + 1) + rows)[::-1], return_index=True)[1]
        return cls._graded(rows[last], labels[last], given[last], asked[first], np.asarray(query)[first])

    @classmethod
    def _graded(cls, rows: Whole, labels: Whole, grades: Floats, asked: Whole, names: ArrayLike) -> Self:
        """The preferences of each label; a label without any gets a comparison of weight 0."""
        sizes = np.bincount(asked)
        if sizes.size:
            check_size(np.asarray(names)[np.argmax(asked == sizes.argmax())], int(sizes.max()))
        order = np.argsort(labels, kind="stable")
        won, lost = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for one in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
            i, j = np.nonzero(np.subtract.outer(grades[one], grades[one]) > 0.0)
            won.append(one[i])
            lost.append(one[j])
        better, worse = np.concatenate(won), np.concatenate(lost)
        label, first = np.unique(labels, return_index=True)
        nothing = ~np.isin(label, labels[better]) & (sizes[asked[rows[first]]] > 1)
        silent, by_query = rows[first[nothing]], np.argsort(asked, kind="stable")
        start = (np.cumsum(sizes) - sizes)[asked[silent]]
        return cls(
            np.r_[rows[better], silent],
            np.r_[rows[worse], by_query[start + (by_query[start] == silent)]],
            asked,
            np.r_[grades[better] - grades[worse], np.zeros(silent.size)],
            np.r_[labels[better], label[nothing]],
            np.r_[np.ones(better.size), np.zeros(silent.size)],
        )

    @classmethod
    @checked
    def from_wins(cls, wins: Sequence[ArrayLike]) -> Self:
        """Counts of wins, a matrix for each query; every win is a separate label.

        Parameters
        ----------
        wins
            Square matrices of whole numbers: how often row i of the query was preferred to row j. The rows
            of the queries are numbered one after the other.

        Examples
        --------
        >>> Preferences.from_wins([[[0, 2], [1, 0]], [[0]]]).winners.tolist()
        [0, 0, 1]
        """
        won, lost, asked, first = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [], 0
        for number, one in enumerate(wins):
            given = numbers(one, f"wins of query {number}")
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

    def __getitem__(self, key: Key) -> "Preferences":
        """The preferences among some rows, renumbered in the order of selection."""
        rows = chosen_rows(key, len(self))
        place = places(rows, len(self))
        kept = (place[self.winners] >= 0) & (place[self.losers] >= 0)
        return Preferences(
            place[self.winners[kept]],
            place[self.losers[kept]],
            self.queries[rows],
            self.weights[kept],
            self.labels[kept] if self._has_labels else None,
            self.counts[kept],
        )

    @checked
    def by_query(self, shares: bool = False) -> Iterator[Query]:
        """Each query with rows, and its preferences.

        Parameters
        ----------
        shares
            Whether the wins are the `counts`, as a structure with `shares` needs; else the weights.

        Examples
        --------
        >>> (rows, wins, total), = Preferences([0, 0], [1, 1], [5, 5]).by_query()
        >>> wins.tolist(), total
        ([[0.0, 2.0], [0.0, 0.0]], 2.0)
        """
        order = np.argsort(self.queries, kind="stable")
        said = np.argsort(self.queries[self.winners], kind="stable")
        count = int(self.queries.max()) + 1 if len(self) else 0
        row_ends = np.searchsorted(self.queries[order], np.arange(count + 1))
        said_ends = np.searchsorted(self.queries[self.winners][said], np.arange(count + 1))
        place = np.empty(len(self), np.int64)
        weights = self.counts if shares else self.weights
        for query in range(count):
            rows = order[row_ends[query] : row_ends[query + 1]]
            pairs = said[said_ends[query] : said_ends[query + 1]]
            place[rows] = np.arange(rows.size)
            check_size(query, rows.size)
            wins = np.zeros((rows.size, rows.size))
            np.add.at(wins, (place[self.winners[pairs]], place[self.losers[pairs]]), weights[pairs])
            yield Query(rows, wins, float(self.totals[np.unique(self.labels[pairs])].sum()))
