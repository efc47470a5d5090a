"""Judgments of many queries in a table: pairs, grades or clicks, read line by line into numbers."""

import os
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.aggregate.kernels import add_grades, add_pairs
from consistency_lab.aggregate.preferences import check_size
from consistency_lab.data.games import EACH, GameColumns, Ties, game_count, outcome
from consistency_lab.data.rows import COUNT, BadRows, Dropped, called, rows
from consistency_lab.errors import InputError

Integers = NDArray[np.int32]
Floats = NDArray[np.float64]

_YES: Final = frozenset({"1", "true", "yes"})
_NO: Final = frozenset({"0", "false", "no", ""})


@final
class Rows(dict[str, int]):
    """The row of each name in one query; a new name has the next row of all."""

    __slots__ = ("_number", "_owner")

    def __init__(self, owner: "Names", number: int) -> None:
        super().__init__()
        self._owner, self._number = owner, number

    def __missing__(self, name: str) -> int:
        row = len(self._owner.query)
        self._owner.query.append(self._number)
        self._owner.place.append(len(self))
        self[name] = row
        return row


@final
class Names(dict[str, Rows]):
    """Names within queries, numbered over all queries as they appear: ``names[query][name]`` is a row.

    Attributes
    ----------
    query, place
        For each row the number of its query, and its place there.

    Examples
    --------
    >>> names = Names()
    >>> [names[query][name] for query, name in ("aX", "bX", "aY", "aX")]
    [0, 1, 2, 0]
    """

    __slots__ = ("place", "query")

    def __init__(self) -> None:
        super().__init__()
        self.query, self.place = array("i"), array("i")

    def __missing__(self, query: str) -> Rows:
        found = self[query] = Rows(self, len(self))
        return found


@final
class Wins(NamedTuple):
    """The rows of a query, in their places; the wins (m, m) among them; the number of labels."""

    rows: list[int]
    wins: Floats
    total: float


@dataclass
class Judgments(ABC):
    """What was read: the items of all queries, and what must be said of the reading."""

    items: Names = field(default_factory=Names)
    judges: Names = field(default_factory=Names)
    notes: tuple[str, ...] = ()

    @abstractmethod
    def _by_query(self, shares: bool) -> tuple[Integers, Callable[[Floats, Integers], None]]:
        """The query of each judgment, and what adds some of them to the wins."""

    def wins(self, shares: bool) -> Iterator[Wins]:
        """The wins of each query, in the order in which the queries appear.

        Parameters
        ----------
        shares
            Whether each preference counts 1; else a grade counts by how much larger it is.
        """
        asked, add = self._by_query(shares)
        order = np.argsort(asked, kind="stable").astype(np.int32)
        ends = np.searchsorted(asked[order], np.arange(len(self.items) + 1))
        for number, (query, named) in enumerate(self.items.items()):
            check_size(query, len(named))
            wins = np.zeros((len(named), len(named)))
            add(wins, order[ends[number] : ends[number + 1]])
            judges = self.judges.get(query)
            yield Wins(list(named.values()), wins, float(len(judges)) if judges else float(wins.sum()))


@final
@dataclass
class Pairs(Judgments):
    """Pairwise judgments: each is a label of its own, or all of a judge are one label."""

    winners: "array[int]" = field(default_factory=lambda: array("i"))
    losers: "array[int]" = field(default_factory=lambda: array("i"))
    weights: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, winner: int, loser: int, weight: float) -> None:
        """Add a judgment; weights are kept from the first one on that is not 1."""
        if self.weights or weight != 1.0:
            while len(self.weights) < len(self.winners):
                self.weights.append(1.0)
            self.weights.append(weight)
        self.winners.append(winner)
        self.losers.append(loser)

    def _by_query(self, shares: bool) -> tuple[Integers, Callable[[Floats, Integers], None]]:
        query, place = (np.frombuffer(one, np.int32) for one in (self.items.query, self.items.place))
        winners, losers = np.frombuffer(self.winners, np.int32), np.frombuffer(self.losers, np.int32)
        weights = np.frombuffer(self.weights, np.float64) if self.weights else np.empty(0)
        return query[winners], lambda wins, chosen: add_pairs(wins, chosen, winners, losers, weights, place)


@final
@dataclass
class Grades(Judgments):
    """Grades of judges: all grades of a judge in a query are one label."""

    rows: "array[int]" = field(default_factory=lambda: array("i"))
    labels: "array[int]" = field(default_factory=lambda: array("i"))
    grades: "array[float]" = field(default_factory=lambda: array("d"))

    def last_ones(self) -> int:
        """Put the grades of each judge together, the last one of each item only; how many are left out."""
        rows, labels = np.frombuffer(self.rows, np.int32), np.frombuffer(self.labels, np.int32)
        order = np.lexsort((rows, labels))
        again = (np.diff(rows[order]) == 0) & (np.diff(labels[order]) == 0)
        kept = order[np.append(~again, True)] if order.size else order
        grades = np.frombuffer(self.grades, np.float64)[kept]
        rows, labels = rows[kept], labels[kept]
        self.rows, self.labels, self.grades = array("i"), array("i"), array("d")
        for target, values in ((self.rows, rows), (self.labels, labels), (self.grades, grades)):
            target.frombytes(values.tobytes())
        return int(again.sum())

    def _by_query(self, shares: bool) -> tuple[Integers, Callable[[Floats, Integers], None]]:
        query, place = (np.frombuffer(one, np.int32) for one in (self.items.query, self.items.place))
        rows, labels = np.frombuffer(self.rows, np.int32), np.frombuffer(self.labels, np.int32)
        grades = np.frombuffer(self.grades, np.float64)
        return query[rows], lambda wins, chosen: add_grades(wins, chosen, rows, labels, grades, place, shares)


def read_pairs(
    path: str | os.PathLike[str],
    columns: GameColumns,
    query: str | None = None,
    judge: str | None = None,
    *,
    ties: Ties = "half",
    bad_rows: BadRows = "report",
) -> Pairs:
    """Read pairwise judgments.

    Parameters
    ----------
    path
        CSV, JSON lines or Parquet; ``"-"`` for standard input.
    columns
        Winner and loser, or two items and which of them won; perhaps how often.
    query, judge
        What these columns are called; without them there is one query, and each judgment is a label.
    ties, bad_rows
        What becomes of ties, and of rows that cannot be read.
    """
    dropped = Dropped(called(path), bad_rows)
    extra = [name for name in (query, judge) if name is not None]
    found, each, tied, several = Pairs(), float(EACH[ties]), 0, False
    players = [name for name in columns.names if name != columns.count]
    names, last = len(players), len(players) + len(extra)
    is_plain, unnamed = columns.a is None, columns.count is None
    wanted = [*players, *extra, *([] if columns.count is None else [columns.count])]
    for line, cells in rows(path, wanted, dropped, count=unnamed):
        if is_plain and cells[last] == "1" and all(cells) and cells[0] != cells[1]:
            first, second, has_won, count = cells[0], cells[1], True, 1.0
        else:
            try:
                if not all(cells[names:last]):
                    raise InputError("the name of a query or judge is missing")
                first, second, has_won = outcome(cells[:names], columns)
                count = float(game_count(cells[last]))
            except InputError as error:
                dropped.row(line, str(error))
                continue
            several |= count != 1.0
        asked = cells[names] if query is not None else ""
        named = found.items[asked]
        i, j = named[first], named[second]
        if judge is not None:
            found.judges[asked][cells[last - 1]]
        if has_won:
            found.add(i, j, count)
        else:
            tied += 1
            found.add(i, j, count * each)
            found.add(j, i, count * each)
    said = [f"{tied} ties count {each:g} for each of the two"] if tied else []
    said += [f"a row counts as often as its column {COUNT} says"] if several and unnamed else []
    return _read(found, len(found.winners), tuple(said), dropped)


def read_grades(
    path: str | os.PathLike[str],
    item: str,
    judge: str,
    grade: str,
    query: str | None = None,
    *,
    bad_rows: BadRows = "report",
) -> Grades:
    """Read grades: a judge prefers what has the larger grade, and says nothing of equal ones.

    Parameters
    ----------
    path
        CSV, JSON lines or Parquet; ``"-"`` for standard input.
    item, judge, grade, query
        What the columns are called; without a query there is one.
    bad_rows
        What becomes of rows that cannot be read.
    """
    dropped = Dropped(called(path), bad_rows)
    found, numbers = Grades(), dict[str, float | None]()
    columns = [item, judge, grade] if query is None else [item, judge, grade, query]
    for line, (name, who, given, *asked) in rows(path, columns, dropped):
        if given not in numbers:
            numbers[given] = _number(given)
        value = numbers[given]
        if not (name and who and all(asked)):
            dropped.row(line, "a name is missing")
        elif value is None:
            dropped.row(line, "the grade is not a number")
        else:
            key = asked[0] if asked else ""
            found.rows.append(found.items[key][name])
            found.labels.append(found.judges[key][who])
            found.grades.append(value)
    again = found.last_ones()
    said = (f"items graded twice by one judge, of which the last grade counts: {again}",) if again else ()
    return _read(found, len(found.rows), said, dropped)


@final
@dataclass
class ClickCounts:
    """How often each row was clicked and examined; `judges` has the sessions."""

    items: Names = field(default_factory=Names)
    judges: Names = field(default_factory=Names)
    notes: tuple[str, ...] = ()
    clicks: Floats = field(default_factory=lambda: np.empty(0))
    examined: Floats = field(default_factory=lambda: np.empty(0))


def read_clicks(
    path: str | os.PathLike[str],
    item: str,
    session: str,
    position: str,
    clicked: str,
    query: str | None = None,
    *,
    bad_rows: BadRows = "report",
) -> ClickCounts:
    """Read click logs, a row for each item that was shown; of several clicks in a session the first counts.

    Parameters
    ----------
    path
        CSV, JSON lines or Parquet; ``"-"`` for standard input.
    item, session, position, clicked, query
        What the columns are called. The position is a number, smaller further up; whether it was clicked is
        1 or 0, or true or false.
    bad_rows
        What becomes of rows that cannot be read.
    """
    dropped = Dropped(called(path), bad_rows)
    shown, sessions, places, hits = array("i"), array("i"), array("d"), array("b")
    found = ClickCounts()
    columns = [item, session, position, clicked, *([] if query is None else [query])]
    for line, (name, who, where, hit, *asked) in rows(path, columns, dropped):
        place, word = _number(where), hit.lower()
        if not (name and who and all(asked)):
            dropped.row(line, "a name is missing")
        elif place is None:
            dropped.row(line, "the position is not a number")
        elif word not in _YES and word not in _NO:
            dropped.row(line, "whether it was clicked is neither 1 nor 0")
        else:
            key = asked[0] if asked else ""
            shown.append(found.items[key][name])
            sessions.append(found.judges[key][who])
            places.append(place)
            hits.append(word in _YES)
    row, of = np.frombuffer(shown, np.int32), np.frombuffer(sessions, np.int32)
    order = np.lexsort((np.frombuffer(places, np.float64), of))
    row, of, hit_at = row[order], of[order], np.flatnonzero(np.frombuffer(hits, np.int8)[order])
    starts = np.flatnonzero(np.append(True, np.diff(of) > 0)) if of.size else np.empty(0, np.int64)
    first = np.full(starts.size, of.size)
    session_of = np.repeat(np.arange(starts.size), np.diff(np.append(starts, of.size)))
    np.minimum.at(first, session_of[hit_at], hit_at)
    found.clicks = np.bincount(row[first[first < of.size]], minlength=len(found.items.query)).astype(float)
    seen = np.arange(of.size) <= first[session_of]
    found.examined = np.bincount(row[seen], minlength=len(found.items.query)).astype(float)
    later = hit_at.size - int((first < of.size).sum())
    said = (f"clicks left out, for they follow another one in their session: {later}",) if later else ()
    return _read(found, row.size, said, dropped)


_Read = TypeVar("_Read", Pairs, Grades, ClickCounts)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < np.inf and "_" not in text else None


def _read(found: _Read, count: int, said: tuple[str, ...], dropped: Dropped) -> _Read:
    if not count:
        raise InputError(f"{dropped.name}: there are no judgments; {dropped.nothing}")
    found.notes = (*said, *dropped.notes)
    return found
