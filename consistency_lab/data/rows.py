"""Rows of a table, one after the other, and what a file of any format says."""

import csv
import json
import os
import sys
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from io import BufferedReader, TextIOWrapper
from itertools import chain, repeat
from math import isnan
from typing import Any, ClassVar, Final, Literal, cast, final, get_args

import numpy as np

from consistency_lab.data.bundled import place_of
from consistency_lab.data.text import located, whole_number
from consistency_lab.data.votes import Games, Votes
from consistency_lab.errors import InputError
from consistency_lab.extras import need
from consistency_lab.frozen import frozen
from consistency_lab.model.distribution import PreferenceGraph

# --- Rows of a table, one after the other: CSV with commas, semicolons or tabs, JSON lines, Parquet ------

BadRows = Literal["report", "fail"]
"""What becomes of a row that cannot be read: it is left out and told, or nothing is read."""

Row = tuple[int, tuple[str, ...]]
"""The number of a line, and the cells of the columns that were asked for."""

STANDARD_INPUT: Final = "-"

DELIMITERS: Final = (",", ";", "\t")
_PARQUET: Final = b"PAR1"
_GZIP: Final = b"\x1f\x8b"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_REASONS: Final = 10
_BATCH: Final = 65_536
_MAX_HEADER: Final = 1_000_000
_MAX_CELL: Final = 1_000
_MAX_CHUNK: Final = 100_000_000
"""Of a column in Parquet with more bytes than this, cells must not be longer than `_MAX_CELL` on average."""

COUNT: Final = "count"
"""A column that says how often a row counts, unless another one is named."""

WARNING: Final = "Warning: "
"""How a note begins that stands first."""

_TOLERATED: Final = 0.05
"""If a larger share is left out, a warning says so."""


@frozen
class LeftOut:
    """How many rows or queries of a file were left out, and why, a sentence for each reason."""

    file: str
    what: str
    count: int
    of: int
    why: tuple[str, ...]

    @property
    def warning(self) -> tuple[str, ...]:
        """A note where so many are left out that the answer is about something else.

        Examples
        --------
        >>> LeftOut("games.csv", "rows", 30, 120, ()).warning
        ('Warning: 25 % of the rows are left out (30 of 120)',)
        """
        if self.count <= _TOLERATED * self.of:
            return ()
        share = 100 * self.count / self.of
        return (f"{WARNING}{share:.3g} % of the {self.what} are left out ({self.count:,} of {self.of:,})",)


@final
@dataclass(slots=True)
class Dropped:
    """Rows, or queries, that were left out, counted by reason."""

    name: str  #: The file, for messages.
    policy: BadRows = "report"  #: Whether such a row is told, or an error.
    place: str = "line"  #: What is numbered, or named.
    what: Literal["row", "query"] = "row"  #: What is left out, a single one.
    seen: int = 0  #: How many there are, those that are left out included.
    told: tuple[str, ...] = ()  #: What else must be said of the file.
    _counts: Counter[str] = field(default_factory=Counter)
    _first: dict[str, int | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.policy not in get_args(BadRows):
            raise InputError(
                f"bad rows are {self.policy!r}; it must be one of {', '.join(get_args(BadRows))}"
            )

    def row(self, line: int | str, reason: str) -> None:
        """Leave one out."""
        if self.policy == "fail":
            raise InputError(f"{self.name}, {self.place} {line}: {reason}")
        self._counts[reason] += 1
        self._first.setdefault(reason, line)

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence for each reason, the most frequent first; few of them if there are many.

        Examples
        --------
        >>> dropped = Dropped("games.csv", seen=100)
        >>> dropped.row(7, "the winner is missing")
        >>> dropped.notes
        ('1 row is left out: the winner is missing (line 7)',)
        """
        return (*self.told, *(note for left in self.left for note in (*left.warning, *left.why)))

    @property
    def nothing(self) -> str:
        """Why there is nothing, in words."""
        return "; ".join(why for left in self.left for why in left.why) or "it has no rows"

    @property
    def left(self) -> tuple[LeftOut, ...]:
        """What is left out, if anything is."""
        if not self._counts:
            return ()
        several = {"row": "rows", "query": "queries"}[self.what]

        def are(count: int) -> str:
            return f"1 {self.what} is" if count == 1 else f"{count} {several} are"

        told = [
            f"{are(count)} left out: {reason} ({'' if count == 1 else 'first: '}{self.place} "
            f"{self._first[reason]})"
            for reason, count in self._counts.most_common(_REASONS)
        ]
        others = self._counts.total() - sum(count for _, count in self._counts.most_common(_REASONS))
        told += [f"{are(others)} left out for other reasons"] if others else []
        return (LeftOut(self.name, several, self._counts.total(), self.seen, tuple(told)),)


def rows(
    path: str | os.PathLike[str], columns: Sequence[str], dropped: Dropped, count: bool = False
) -> Iterator[Row]:
    """The cells of some columns, line by line; only one line is in memory at a time.

    Parameters
    ----------
    path
        The file, or ``"-"`` for standard input.
    columns
        Names that the first line gives to columns, or keys of JSON objects.
    dropped
        Is told of rows without such cells, and of cells that are no names and no numbers.
    count
        Whether a last cell says how often the row counts: that of the column `COUNT`, and 1 without one.

    Raises
    ------
    UnsupportedError
        If it is a Parquet file, and pyarrow is not installed.
    """
    for line, cells in _raw(path, columns, dropped, count):
        why = flaw(cells)
        if why:
            dropped.row(line, why)
        else:
            yield line, cells if len(cells) > len(columns) or not count else (*cells, "1")


def flaw(cells: Sequence[str]) -> str:
    r"""Why some cells are no names or numbers; empty if they may be.

    Examples
    --------
    >>> flaw(["Ann", "3"]), flaw(["\x1b[2J"])
    ('', 'a cell has a line break or control character (an open quote?)')
    """
    for cell in cells:
        if len(cell) > _MAX_CELL:
            return f"a cell has more than {_MAX_CELL:,} characters"
        if not cell.isprintable() and any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in cell):
            return "a cell has a line break or control character (an open quote?)"
    return ""


def count_column(there: Iterable[object], columns: Sequence[str]) -> list[str]:
    """The column `COUNT` among those that are there, however it is capitalized; none of the `columns`.

    Examples
    --------
    >>> count_column(["winner", "loser", "Count"], ["winner", "loser"]), count_column(["n"], [])
    (['Count'], [])
    """
    found = [one for one in there if isinstance(one, str) and one.lower() == COUNT and one not in columns]
    return sorted(found, key=lambda one: one != COUNT)[:1]


def _raw(
    path: str | os.PathLike[str], columns: Sequence[str], dropped: Dropped, count: bool
) -> Iterator[Row]:
    name = called(path)
    dropped.told = place_of(name)[1]
    with _opened(os.fspath(path)) as file:
        start = file.peek(4)
        if start.startswith(_PARQUET):
            yield from _parquet(name, file, columns, dropped, count)
            return
        _refuse_binary(name, start)
        text = TextIOWrapper(file, "utf-8-sig", newline="")
        try:
            kind = _json_lines if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else _separated
            yield from kind(name, text, columns, dropped, count)
        except UnicodeDecodeError:
            raise InputError(f"{name} is not UTF-8; save it in UTF-8") from None
        finally:
            text.detach()


def first_lines(path: str | os.PathLike[str], count: int = 2) -> tuple[str, ...]:
    """The first lines of a text, none of a Parquet file; standard input may still be read after that."""
    with _opened(os.fspath(path)) as file:
        start = file.peek(_BATCH)
    if start.startswith(_PARQUET):
        return ()
    _refuse_binary(called(path), start)
    text = start.decode("utf-8-sig", errors="replace")
    return tuple(line for line in text.splitlines() if line.strip())[:count]


def called(path: str | os.PathLike[str]) -> str:
    """What a file is called in sentences.

    Examples
    --------
    >>> called("games.csv"), called("-")
    ('games.csv', 'standard input')
    """
    name = os.fspath(path)
    return "standard input" if name == STANDARD_INPUT else name


def _refuse_binary(name: str, start: bytes) -> None:
    if start.startswith(_GZIP):
        raise InputError(f"{name} is compressed; unpack it, or pipe it in (gzip -dc FILE | ... audit -)")
    if b"\0" in start and not start.startswith(_UTF_16):
        raise InputError(f"{name} is a binary file; a table is a text in UTF-8, or Parquet")


@contextmanager
def _opened(name: str) -> Iterator[BufferedReader]:
    if name == STANDARD_INPUT:
        yield cast("BufferedReader", sys.stdin.buffer)
        return
    try:
        file = place_of(name)[0].open("rb")
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) else None
        raise InputError(f"{name} cannot be read: {(words or str(error)).lower()}") from None
    with file:
        yield file


def _separated(
    name: str, text: TextIOWrapper, columns: Sequence[str], dropped: Dropped, count: bool
) -> Iterator[Row]:
    header = text.readline(_MAX_HEADER)
    if not header.strip():
        raise InputError(f"{name} is empty; its first line must name the columns")
    delimiter, places = _places(name, header, columns, count)
    width = max(places) + 1
    reader = csv.reader(text, delimiter=delimiter)
    try:
        for cells in reader:
            dropped.seen += any(cells)
            if len(cells) >= width:
                yield reader.line_num + 1, tuple(cells[place].strip() for place in places)
            elif any(cells):
                dropped.row(reader.line_num + 1, f"it has fewer than {width} cells")
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num + 1}: this is not CSV: {error}") from None


def _places(name: str, header: str, columns: Sequence[str], count: bool) -> tuple[str, list[int]]:
    """The delimiter with which the first line has the columns, and where they stand."""
    best: list[str] = []
    for delimiter in DELIMITERS:
        cells = [cell.strip() for cell in next(csv.reader([header], delimiter=delimiter))]
        if set(columns) <= set(cells):
            wanted = [*columns, *(count_column(cells, columns) if count else ())]
            for column in wanted:
                if cells.count(column) > 1:
                    raise InputError(f"{name} has more than one column {column!r}; names must differ")
            return delimiter, [cells.index(column) for column in wanted]
        best = max(best, cells, key=len)
    raise _no_column(name, columns, best)


def _json_lines(
    name: str, text: TextIOWrapper, columns: Sequence[str], dropped: Dropped, count: bool
) -> Iterator[Row]:
    for line, one in enumerate(text, start=1):
        if not one.strip():
            continue
        dropped.seen += 1
        try:
            value = json.loads(one, parse_float=str, parse_int=str)
        except (ValueError, RecursionError):
            dropped.row(line, "it is not a JSON object")
            continue
        if not isinstance(value, Mapping):
            dropped.row(line, "it is not a JSON object")
        elif line == 1 and not value.keys() & set(columns):
            raise _no_column(name, columns, list(value))
        else:
            wanted = [*columns, *(count_column(value, columns) if count else ())]
            missing = [column for column in wanted if not isinstance(value.get(column), str)]
            if missing:
                dropped.row(line, f"it has no text or number {missing[0]!r}")
            else:
                yield line, tuple(value[column].strip() for column in wanted)


def _parquet(
    name: str, file: BufferedReader, columns: Sequence[str], dropped: Dropped, count: bool
) -> Iterator[Row]:
    need("pyarrow", f"{name}, a Parquet file,")
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import ParquetFile

    try:
        table = ParquetFile(file)
        there = table.schema_arrow.names
        if not set(columns) <= set(there):
            raise _no_column(name, columns, there)
        wanted = [*columns, *(count_column(there, columns) if count else ())]
        texts = _text_columns(name, table, wanted)
        # A name that many rows share is read once: as often as it stands there it may take gigabytes.
        for batch in ParquetFile(file, read_dictionary=texts).iter_batches(_BATCH, columns=wanted):
            for cells in zip(*(_cells(batch.column(column)) for column in wanted), strict=True):
                dropped.seen += 1
                yield dropped.seen, cells
    except (ArrowInvalid, OSError) as error:
        raise InputError(f"{name} is a damaged Parquet file: {str(error).splitlines()[0]}") from None


def _text_columns(name: str, table: Any, columns: Sequence[str]) -> list[str]:
    """The columns of texts among some; none of them holds lists, bytes or whole books."""
    from pyarrow import types

    found = []
    for column in columns:
        kind = table.schema_arrow.field(column).type
        value = kind.value_type if types.is_dictionary(kind) else kind
        if types.is_string(value) or types.is_large_string(value):
            found.append(column)
        elif types.is_nested(value) or types.is_binary(value) or types.is_large_binary(value):
            raise InputError(f"{name}: its column {column!r} holds {kind}; names are texts or whole numbers")
    for number in range(table.metadata.num_row_groups):
        group = table.metadata.row_group(number)
        for chunk in map(group.column, range(group.num_columns)):
            size = chunk.total_uncompressed_size
            if chunk.path_in_schema in found and size > max(_MAX_CHUNK, 4 * _MAX_CELL * chunk.num_values):
                raise InputError(
                    f"{name}: the cells of its column {chunk.path_in_schema!r} have more than {_MAX_CELL:,} "
                    "characters; names are shorter"
                )
    return found


def _cells(column: Any) -> list[str]:
    """Of a column of Parquet as texts, equal ones of a dictionary as one; what is missing or NaN is empty."""
    dictionary = getattr(column, "dictionary", None)
    values = (column if dictionary is None else dictionary).to_pylist()
    texts = ["" if x is None or (isinstance(x, float) and isnan(x)) else str(x).strip() for x in values]
    return (
        texts if dictionary is None else ["" if k is None else texts[k] for k in column.indices.to_pylist()]
    )


def _no_column(name: str, columns: Sequence[str], there: Sequence[str]) -> InputError:
    missing = next(column for column in columns if column not in there)
    return InputError(
        f"{name} has no column {missing!r}; its columns are {', '.join(there[:20])[:400] or 'none'}"
    )


# --- What a file of any format says, before items are chosen and a distribution is made of it ------------

Unranked = Literal["last", "unknown"]
"""What an item that a ballot does not rank stands for: below all ranked ones and tied, or nothing known."""


Tally = tuple[tuple[PreferenceGraph, Fraction], ...]
"""Preference graphs with how often each was found: graphs distinct, weights positive."""


@dataclass(frozen=True)
class Contents(ABC):
    """The content of a file."""

    format: str  #: The format's name, for people.
    title: str  #: What the data are, from the file; empty if it does not say.
    items: tuple[str, ...]  #: The names of all items, in the file's order.
    left: tuple[LeftOut, ...] = field(default=(), kw_only=True)  #: What of the file is not among these data.
    counted: ClassVar[str]  #: What the weights count: ``"voters"``, ``"comparisons"`` or ``"probability"``.

    @abstractmethod
    def total(self, kept: Sequence[int]) -> Fraction:
        """How many votes concern the items `kept`, or the probability 1."""

    def compared(self, unranked: Unranked) -> list[Fraction]:
        """How often each item was compared with another one, by the weight of edges."""
        found = [Fraction(0)] * len(self.items)
        for graph, weight in self.tally(range(len(self.items)), unranked):
            for i, j, edge in graph.edges:
                found[i] += weight * edge
                found[j] += weight * edge
        return found

    @abstractmethod
    def notes(self, kept: Sequence[int], unranked: Unranked) -> tuple[str, ...]:
        """Sentences that must be said where a result on the items `kept` is shown."""

    @abstractmethod
    def votes(self, kept: Sequence[int], unranked: Unranked) -> Votes | None:
        """The votes on the items `kept`, renumbered in that order; None if only their shares are known."""

    @abstractmethod
    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        """The graphs on the items `kept`, renumbered in that order."""


# --- Counts of pairs in a CSV file: who was preferred to whom, and how often -----------------------------

COLUMNS: Final = ("winner", "loser", COUNT)
"""The columns, in this order where the first line does not name them."""


@final
@dataclass(frozen=True)
class PairCounts(Contents):
    """Counted comparisons of two items."""

    #: ``((winner, loser, count), ...)`` with item numbers, pairs distinct; a count may be 0.
    counts: tuple[tuple[int, int, int | Fraction], ...]
    #: ``((first, second, count), ...)``: comparisons that ended in a tie.
    ties: tuple[tuple[int, int, int | Fraction], ...] = ()
    share: Fraction = Fraction(0)  #: What a tie counts as a win for each of the two.
    said: tuple[str, ...] = ()  #: What must be said of the file.
    #: The cluster of each entry of `counts`, and of each of `ties`; None where comparisons are independent.
    #: With clusters the entries of one pair in different clusters stand apart.
    clusters: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    counted: ClassVar[str] = "comparisons"

    def total(self, kept: Sequence[int]) -> Fraction:
        wanted = frozenset(kept)
        total = sum(weight for i, j, weight in self._weights() if i in wanted and j in wanted)
        if not total:
            raise InputError("there are no comparisons; at least one pair must have a count above 0")
        return Fraction(total)

    def compared(self, unranked: Unranked) -> list[Fraction]:
        found: list[int | Fraction] = [0] * len(self.items)
        for i, j, weight in self._weights():
            found[i] += weight
            found[j] += weight
        return [Fraction(weight) for weight in found]

    def _weights(self) -> Iterator[tuple[int, int, int | Fraction]]:
        """The pairs, and how much their comparisons count for both together."""
        yield from self.counts
        yield from ((i, j, 2 * self.share * count) for i, j, count in self.ties)

    def notes(self, kept: Sequence[int], unranked: Unranked) -> tuple[str, ...]:
        single = "voters are not known: each counted comparison is one preference graph with a single edge"
        if self.clusters is None:
            return (*self.said, single)
        return (*self.said, f"{len({*chain(*self.clusters)}):,} clusters of comparisons", single)

    def votes(self, kept: Sequence[int], unranked: Unranked) -> Votes | None:
        """None where a count is not whole."""
        place = {item: new for new, item in enumerate(kept)}
        unit = self.share.denominator
        self.total(kept)
        found = [
            (place[i], place[j], count, numerator, tied, cluster)
            for games, numerator, tied, clusters in (
                (self.counts, unit, False, self.clusters and self.clusters[0]),
                (self.ties, self.share.numerator, True, self.clusters and self.clusters[1]),
            )
            for (i, j, count), cluster in zip(games, clusters or repeat(0, len(games)), strict=True)
            if count and i in place and j in place
        ]
        if any(Fraction(count).denominator > 1 for _, _, count, *_ in found):
            return None
        first, second, counts, share, ties, cluster = (np.array(one) for one in zip(*found, strict=True))
        named = None if self.clusters is None else np.unique(cluster, return_inverse=True)[1]
        return Games(len(kept), counts.astype(np.int64), first, second, share, ties, unit, named)

    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        place = {item: new for new, item in enumerate(kept)}
        wins: dict[tuple[int, int], Fraction] = {}
        for games, share in ((self.counts, Fraction(1)), (self.ties, self.share)):
            for i, j, count in games:
                if i not in place or j not in place:
                    continue
                for pair in ((i, j), (j, i)) if games is self.ties else ((i, j),):
                    wins[pair] = wins.get(pair, Fraction(0)) + share * count
        return tuple(
            (PreferenceGraph(((place[i], place[j], Fraction(1)),)), count)
            for (i, j), count in wins.items()
            if count
        )


def pair_counts(
    comparisons: Iterable[tuple[str, str, Fraction]], title: str = "", format: str = "comparisons"
) -> PairCounts:
    """Comparisons (winner, loser, how often) added up.

    Examples
    --------
    >>> pair_counts([("A", "B", Fraction(1)), ("A", "B", Fraction(2))]).counts
    ((0, 1, Fraction(3, 1)),)
    """
    numbers: dict[str, int] = {}
    counts: dict[tuple[int, int], Fraction] = {}
    for winner, loser, count in comparisons:
        if winner == loser:
            raise InputError(f"{winner[:40]!r} is compared with itself; a comparison needs two items")
        if count < 0:
            raise InputError(f"{winner[:40]!r} beats {loser[:40]!r} {count} times; counts are at least 0")
        pair = (numbers.setdefault(winner, len(numbers)), numbers.setdefault(loser, len(numbers)))
        counts[pair] = counts.get(pair, Fraction(0)) + count
    return PairCounts(format, title, tuple(numbers), tuple((i, j, n) for (i, j), n in counts.items()))


def read_pairs(name: str, text: str, kind: str = "") -> PairCounts:
    r"""Read CSV lines ``winner,loser,count`` without a head.

    A pair that stands on several lines has their counts added up. Items are numbered as they appear.

    Parameters
    ----------
    name
        The file's name, for messages.
    text
        Its content.
    kind
        Not used; the readers of all formats are called alike.

    Examples
    --------
    >>> read_pairs("games.csv", "Ann,Bob,3\nBob,Ann,1\n").counts
    ((0, 1, 3), (1, 0, 1))
    """
    numbers: dict[str, int] = {}
    counts: dict[tuple[int, int], int] = {}
    for number, cells in _pair_rows(name, text):
        with located(f"{name}, line {number}"):
            if not numbers and not is_counted_pair(cells):
                raise InputError(
                    f"{','.join(cells)[:60]!r} names no columns winner and loser, is no "
                    f"{','.join(COLUMNS)}, and no head of a square matrix of wins; say which columns are "
                    "meant: audit FILE --winner W --loser L, or --a A --b B --winner W, or --user U --item I "
                    "--rating R"
                )
            if len(cells) != len(COLUMNS):
                raise InputError(f"there are {len(cells)} cells; a line reads {','.join(COLUMNS)}")
            winner, loser, count = cells
            if not winner or not loser:
                raise InputError(f"the name of an item is missing; a line reads {','.join(COLUMNS)}")
            if winner == loser:
                raise InputError(f"{winner[:40]!r} is compared with itself; a comparison needs two items")
            pair = (numbers.setdefault(winner, len(numbers)), numbers.setdefault(loser, len(numbers)))
            counts[pair] = counts.get(pair, 0) + whole_number(count, "the count")
    found = tuple((i, j, count) for (i, j), count in counts.items())
    return PairCounts("CSV of pair counts", "", tuple(numbers), found)


def _pair_rows(name: str, text: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(text.split("\n"), strict=True)
    rows = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: this is not CSV: {error}") from None
    return rows


def is_counted_pair(cells: Sequence[str]) -> bool:
    """Whether a line without names of columns can be winner, loser and count."""
    return len(cells) == len(COLUMNS) and any(character.isdigit() for character in cells[-1])
