"""Judgments of many queries in a table: pairs, grades or clicks, read line by line into numbers."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar, final

import numpy as np

from consistency_lab.apps.learn.aggregate.preferences import check_size
from consistency_lab.data.games import EACH, GameColumns, Ties, game_count, outcomes
from consistency_lab.data.rows import COUNT, BadRows, Dropped, grouped, numbered
from consistency_lab.data.tables import Table, read_columns
from consistency_lab.errors import InputError
from consistency_lab.numbers.arrays import Codes, Floats, in_order
from consistency_lab.solve.structure_kernels import add_grades, add_pairs

_NOTHING: Final = np.empty(0, np.int32)
_YES: Final = frozenset({"1", "true", "yes"})
_NO: Final = frozenset({"0", "false", "no", ""})


@final
class Names(dict[str, dict[str, int]]):
    """Names within queries, numbered over all queries as they appear: ``names[query][name]`` is a row."""

    __slots__ = ("place", "query")

    def __init__(self, texts: Sequence[str] = (), queries: Codes = _NOTHING, names: Codes = _NOTHING) -> None:
        """Of distinct pairs of a query and a name, both given by the numbers of their texts."""
        super().__init__()
        self.query, first = numbered(queries, len(texts))  #: The number of the query of each row,
        self.place = np.empty(len(queries), np.int32)  #: and its place within the query.
        order = in_order(self.query)
        ends = np.cumsum(np.bincount(self.query, minlength=len(first))).tolist()
        self.place[order] = np.arange(len(order)) - np.r_[0, ends][self.query[order]]
        rows, named = order.tolist(), [texts[name] for name in names[order].tolist()]
        for query, begin, end in zip(queries[first].tolist(), [0, *ends], ends, strict=False):
            self[texts[query]] = dict(zip(named[begin:end], rows[begin:end], strict=True))


def _rows(table: Table, queries: Codes, names: Codes) -> tuple[Names, Codes]:
    """The names within queries, both given by the numbers of their texts in a table; and the row of each."""
    rows, first = grouped(queries, names)
    return Names(table.texts, queries[first], names[first]), rows.astype(np.int32)


@final
class Wins(NamedTuple):
    """The rows of a query, in their places; the wins (m, m) among them; the number of labels."""

    rows: list[int]
    wins: Floats
    total: float


@dataclass
class Read(ABC):  # noqa: B024  # never made itself: judgments and clicks are what was read
    """The items of all queries read, and notes."""

    items: Names = field(default_factory=Names)
    judges: Names = field(default_factory=Names)
    notes: tuple[str, ...] = ()


class Judgments(Read, ABC):
    """Judgments that compare items."""

    @abstractmethod
    def _rows(self) -> Codes:
        """A row of each judgment, which determines its query."""

    @abstractmethod
    def _add(self, wins: Floats, chosen: Codes, place: Codes, shares: bool) -> None:
        """Add some judgments to the wins."""

    def wins(self, shares: bool) -> Iterator[Wins]:
        """The wins of each query, in the order in which the queries appear."""
        query, place = self.items.query, self.items.place
        asked = query[self._rows()]
        order = in_order(asked).astype(np.int32)
        ends = np.searchsorted(asked[order], np.arange(len(self.items) + 1))
        for number, (name, named) in enumerate(self.items.items()):
            check_size(name, len(named))
            wins = np.zeros((len(named), len(named)))
            self._add(wins, order[ends[number] : ends[number + 1]], place, shares)
            together = float(wins.sum())
            if not together < np.inf:
                raise InputError(f"the grades of query {name[:40]!r} are too large to be added up")
            judges = self.judges.get(name)
            yield Wins(list(named.values()), wins, float(len(judges)) if judges else together)


@final
@dataclass
class Pairs(Judgments):
    """Pairwise judgments: each is one label, or all of a judge are one label."""

    winners: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    losers: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    weights: Floats = field(default_factory=lambda: np.empty(0))  #: Empty where each judgment counts once.

    def _rows(self) -> Codes:
        return self.winners

    def _add(self, wins: Floats, chosen: Codes, place: Codes, shares: bool) -> None:
        add_pairs(wins, chosen, self.winners, self.losers, self.weights, place)


@final
@dataclass
class Grades(Judgments):
    """Grades of judges: all grades of a judge in a query are one label."""

    rows: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    labels: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    grades: Floats = field(default_factory=lambda: np.empty(0))

    def last_ones(self) -> int:
        """Put the grades of each judge together, the last one of each item only; how many are left out."""
        order = np.lexsort((self.rows, self.labels))
        again = (np.diff(self.rows[order]) == 0) & (np.diff(self.labels[order]) == 0)
        kept = order[np.append(~again, True)] if order.size else order
        self.rows, self.labels, self.grades = self.rows[kept], self.labels[kept], self.grades[kept]
        return int(again.sum())

    def _rows(self) -> Codes:
        return self.rows

    def _add(self, wins: Floats, chosen: Codes, place: Codes, shares: bool) -> None:
        add_grades(wins, chosen, self.rows, self.labels, self.grades, place, shares)


def read_pairs(
    path: str | os.PathLike[str],
    columns: GameColumns,
    query: str | None = None,
    judge: str | None = None,
    *,
    ties: Ties = "half",
    bad_rows: BadRows = "report",
) -> Pairs:
    """Read pairwise judgments."""
    extra = [name for name in (query, judge) if name is not None]
    players = (columns.winner, columns.loser) if columns.a is None else (columns.winner, columns.a, columns.b)
    wanted = [*map(str, players), *extra, *([] if columns.count is None else [columns.count])]
    table = read_columns(path, wanted, bad_rows, count=columns.count is None)
    for k in range(len(extra)):
        missing = table[len(players) + k] == table.number("")
        table.refuse(missing, "a query or judge has no name")
    outcomes(table, columns, printable=False)
    counts = table.parsed(-1, game_count)
    dropped = table.close()
    first, second, tie, *named, often = table.columns
    pairs = Pairs()
    queries = named[0] if query is not None else np.full(len(tie), table.number(""), np.int32)
    both = np.stack([first, second], axis=1).ravel()
    pairs.items, rows = _rows(table, np.repeat(queries, 2), both)
    i, j = rows.reshape(-1, 2).T
    if judge is not None:
        pairs.judges, _ = _rows(table, queries, named[-1])
    # A tie is a judgment for each of the two.
    again = np.repeat(np.arange(len(tie)), 1 + tie)
    is_second = np.append(False, np.diff(again) == 0)[: len(again)]
    pairs.winners = np.where(is_second, j[again], i[again])
    pairs.losers = np.where(is_second, i[again], j[again])
    weight = np.zeros(len(table.texts))
    weight[list(counts)] = [float(count) for count in counts.values()]
    if (weight[often] != 1.0).any() or tie.any():
        pairs.weights = (weight[often] * np.where(tie, float(EACH[ties]), 1.0))[again]
    tied, several = int(tie.sum()), bool((weight[often] != 1.0).any())
    said = [f"{tied} ties count {float(EACH[ties]):g} for each side"] if tied else []
    said += [f"each row counts as often as its column {COUNT} says"] if several and not columns.count else []
    return _read(pairs, len(pairs.winners), tuple(said), dropped)


def read_grades(
    path: str | os.PathLike[str],
    item: str,
    judge: str,
    grade: str,
    query: str | None = None,
    *,
    bad_rows: BadRows = "report",
) -> Grades:
    """Read grades: a judge prefers items with larger grades and has no preference between equal ones."""
    table = read_columns(path, [item, judge, grade, *([] if query is None else [query])], bad_rows)
    _named(table, query, 2)
    values = table.parsed(2, lambda text: _number(text, "the grade is not a number"))
    dropped = table.close()
    grades = Grades()
    grades.items, grades.rows = _rows(table, table[-1], table[0])
    grades.judges, grades.labels = _rows(table, table[-1], table[1])
    grades.grades = _values(table, 2, values)
    again = grades.last_ones()
    said = (f"grades replaced by a later one of the same judge and item: {again}",) if again else ()
    return _read(grades, len(grades.rows), said, dropped)


@final
@dataclass
class ClickCounts(Read):
    """How often each row was clicked and examined; `judges` has the sessions."""

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
    """Read click logs with a row for each item shown; only the first click in a session counts."""
    columns = [item, session, position, clicked, *([] if query is None else [query])]
    table = read_columns(path, columns, bad_rows)
    _named(table, query, 2, 3)
    at = table.parsed(2, lambda text: _number(text, "the position is not a number"))
    clicks = table.parsed(3, _is_yes)
    dropped = table.close()
    counts = ClickCounts()
    counts.items, row = _rows(table, table[-1], table[0])
    counts.judges, of = _rows(table, table[-1], table[1])
    places, hits = _values(table, 2, at), _values(table, 3, clicks) > 0
    order = np.lexsort((places, of))
    row, of, hit_at = row[order], of[order], np.flatnonzero(hits[order])
    starts = np.flatnonzero(np.append(True, np.diff(of) > 0)) if of.size else np.empty(0, np.int64)
    first = np.full(starts.size, of.size)
    session_of = np.repeat(np.arange(starts.size), np.diff(np.append(starts, of.size)))
    np.minimum.at(first, session_of[hit_at], hit_at)
    counts.clicks = np.bincount(row[first[first < of.size]], minlength=len(counts.items.query)).astype(float)
    seen = np.arange(of.size) <= first[session_of]
    counts.examined = np.bincount(row[seen], minlength=len(counts.items.query)).astype(float)
    later = hit_at.size - int((first < of.size).sum())
    said = (f"clicks ignored after the first in their session: {later}",) if later else ()
    return _read(counts, row.size, said, dropped)


_Read = TypeVar("_Read", Pairs, Grades, ClickCounts)


def _named(table: Table, query: str | None, *values: int) -> None:
    """Refuse rows without a name in a column other than these; the last column is then the query."""
    nothing = table.number("")
    names = [column == nothing for k, column in enumerate(table.columns) if k not in values]
    table.refuse(np.any(names, axis=0), "an item, judge or query has no name")
    if query is None:
        table.columns.append(np.full(len(table.lines), nothing, np.int32))


def _values(table: Table, column: int, values: Mapping[int, float]) -> Floats:
    """The values of the texts of a column."""
    by_text = np.zeros(len(table.texts))
    by_text[list(values)] = list(values.values())
    return by_text[table[column]]


def _number(text: str, else_: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.inf
    if not abs(value) < np.inf or "_" in text:
        raise InputError(else_)
    return value


def _is_yes(text: str) -> bool:
    if text.lower() not in _YES | _NO:
        raise InputError("clicked is neither 1 nor 0")
    return text.lower() in _YES


def _read(found: _Read, count: int, said: tuple[str, ...], dropped: Dropped) -> _Read:
    if not count:
        raise InputError(f"{dropped.name}: there are no judgments; {dropped.nothing}")
    found.notes = (*said, *dropped.notes)
    return found
