"""Rows of a table, one after the other, and what a file of any format says."""

import csv
import json
import os
import re
import sys
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.util import find_spec
from io import BufferedReader, StringIO, TextIOWrapper
from itertools import chain, repeat
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeVar, cast, final, get_args

import numpy as np
from numpy.typing import NDArray

from consistency_lab.data.bundled import place_of
from consistency_lab.data.text import located, whole_number
from consistency_lab.data.votes import Games, Votes
from consistency_lab.errors import InputError
from consistency_lab.extras import need
from consistency_lab.frozen import frozen
from consistency_lab.model.distribution import PreferenceGraph

if TYPE_CHECKING:
    from _csv import Reader as CSVReader

    from polars import DataFrame, Series

# --- Tables: CSV with commas, semicolons or tabs, JSON lines, Parquet ------------------------------------

BadRows = Literal["report", "fail"]
"""What becomes of a row that cannot be read: it is left out and told, or nothing is read."""

Row = tuple[int, tuple[str, ...]]
"""The number of a line, and the cells of the columns that were asked for."""

STANDARD_INPUT: Final = "-"

DELIMITERS: Final = (",", ";", "\t")
_PARQUET: Final = b"PAR1"
_GZIP: Final = b"\x1f\x8b"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_BOM: Final = b"\xef\xbb\xbf"
_REASONS: Final = 10
_BATCH: Final = 65_536
_MAX_CELL: Final = 1_000
_SLICE: Final = 500_000
"""So many rows of Parquet are in memory at a time."""
_BLOCK: Final = 4_000_000
"""So many bytes of CSV are in memory at a time."""
_WORTH: Final = 1_000_000
"""In a shorter text `csv` is done before Polars is imported."""
_QUOTED: Final = re.compile(rb'(?:(?<=[,;\t\n])|^)"(?:[^"\n]|"")*+"(?=[,;\t\n])')
"""A quoted cell on one line, which all readers of CSV understand alike."""

Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]
Lines = NDArray[np.int32]
T = TypeVar("T")

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

    def row(self, line: int | str, reason: str, count: int = 1) -> None:
        """Leave one out, or more for this reason of which this is the first."""
        if self.policy == "fail":
            raise InputError(f"{self.name}, {self.place} {line}: {reason}")
        self._counts[reason] += count
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


@final
class _Texts(dict[str, int]):
    """Texts by number: cells that differ in the blanks around them alone are one text."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[str] = []

    def __missing__(self, cell: str) -> int:
        text = cell.strip()[: _MAX_CELL + 1]
        if text == cell:
            self[text] = len(self.all)
            self.all.append(text)
            return len(self.all) - 1
        number = self[text]
        if len(cell) <= _MAX_CELL:
            self[cell] = number
        return number


@final
class Table:
    """Some columns of a table: each text once, and in each row the numbers of its texts.

    Rows that cannot be used are refused for a reason, and are no longer there; `close` tells of them.

    Examples
    --------
    >>> table = Table.of(2, [(1, ("Ann", "Bob")), (2, ("Cy", "")), (4, ("Bob ", "Ann"))])
    >>> table.refuse(table.where(str.__len__)[table[1]] == 0, "there is no loser")
    >>> [[table.texts[number] for number in column] for column in table.columns], table.lines.tolist()
    ([['Ann', 'Bob'], ['Bob', 'Ann']], [1, 4])
    """

    def __init__(self, width: int) -> None:
        self.lines: Lines = np.empty(0, np.int32)  # the line of each row
        self.columns: list[Codes] = [np.empty(0, np.int32)] * width  # for each row the number of its text
        self._numbers = _Texts()
        self._parts: list[tuple[Lines, list[Codes]]] = []
        self._refused: dict[str, tuple[int, int]] = {}

    @staticmethod
    def of(width: int, rows: Iterable[Row]) -> "Table":
        """The table of these rows."""
        table = Table(width)
        table.add(rows)
        table.join()
        return table

    def __getitem__(self, column: int) -> Codes:
        return self.columns[column]

    @property
    def texts(self) -> list[str]:
        """All texts, by number."""
        return self._numbers.all

    def number(self, text: str) -> int:
        """The number of a text."""
        return self._numbers[text]

    def numbers(self, cells: Iterable[str]) -> Codes:
        """The numbers of some texts."""
        return np.fromiter(map(self._numbers.__getitem__, cells), np.int32)

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows; `join` makes them part of the columns."""
        batch: list[Row] = []
        for row in rows:
            batch.append(row)
            if len(batch) == _BATCH:
                self._add(batch)
                batch = []
        self._add(batch)

    def _add(self, rows: Sequence[Row]) -> None:
        if rows:
            lines, cells = zip(*rows, strict=True)
            columns = [self.numbers(column) for column in zip(*cells, strict=True)]
            self.add_numbers(np.array(lines, np.int32), columns)

    def add_numbers(self, lines: Lines, columns: list[Codes]) -> None:
        """Add rows whose texts have numbers already."""
        self._parts.append((lines, columns))

    def join(self) -> None:
        """Put what was added into the columns, and refuse rows with a cell that can be no name or number."""
        if self._parts:
            self.lines = np.concatenate([lines for lines, _ in self._parts])
            for k in reversed(range(len(self.columns))):
                self.columns[k] = np.concatenate([columns.pop() for _, columns in self._parts])
            self._parts.clear()
        for k in range(len(self.columns)):
            self.parsed(k, _without_flaw)

    def where(self, tells: Callable[[str], T]) -> NDArray[np.int64]:
        """What is told of each text, a number or a truth value."""
        return np.array([tells(text) for text in self.texts], np.int64)

    def parsed(self, column: int, parse: Callable[[str], T]) -> dict[int, T]:
        """What the texts of a column stand for, by number; an error is a reason to refuse."""
        found: dict[int, T] = {}
        wrong: dict[int, str] = {}
        occurs = np.zeros(len(self.texts), bool)
        occurs[self[column]] = True
        for number in np.flatnonzero(occurs).tolist():
            try:
                found[number] = parse(self.texts[number])
            except InputError as error:
                wrong[number] = str(error)
        if wrong:
            occurs[list(found)] = False
            bad = occurs[self[column]]
            numbers, first, counts = np.unique(self[column][bad], return_index=True, return_counts=True)
            lines = self.lines[bad][first]
            for number, line, count in zip(numbers.tolist(), lines.tolist(), counts.tolist(), strict=True):
                self.refused(line, wrong[number], count)
            self._keep(~bad)
        return found

    def refuse(self, bad: Mask, why: str) -> None:
        """Leave rows out."""
        if bad.any():
            self.refused(int(self.lines[bad.argmax()]), why, int(bad.sum()))
            self._keep(~bad)

    def refused(self, line: int, why: str, count: int = 1) -> None:
        """Note that so many rows are left out, the first of them on this line."""
        first, before = self._refused.get(why, (line, 0))
        self._refused[why] = (min(first, line), before + count)

    def _keep(self, good: Mask) -> None:
        self.lines = self.lines[good]
        self.columns = [column[good] for column in self.columns]

    def close(self, dropped: Dropped) -> None:
        """Tell of the rows that were refused."""
        for why, (line, count) in sorted(self._refused.items(), key=lambda one: one[1][0]):
            dropped.row(line, why, count)


def numbered(keys: Codes | NDArray[np.int64], size: int) -> tuple[Codes, Codes]:
    """Numbers from 0 in the order in which keys below `size` appear, and where each appears first.

    Examples
    --------
    >>> [array.tolist() for array in numbered(np.array([7, 3, 7, 0, 3]), 8)]
    [[0, 1, 0, 2, 1], [0, 1, 3]]
    """
    if size <= max(1 << 20, 4 * len(keys)):
        first = np.full(size, -1, np.int32)
        first[keys[::-1]] = np.arange(len(keys), dtype=np.int32)[::-1]  # the last one assigned stays
        firsts = np.sort(first[first >= 0])
        first[keys[firsts]] = np.arange(len(firsts))
        return first[keys], firsts
    _, found, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(found)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    return rank[inverse], found[order].astype(np.int32)


def grouped(*columns: Codes) -> tuple[Codes, Codes]:
    """`numbered` for rows of numbers of at least 0."""
    group, first = np.zeros(len(columns[0]), np.int32), np.zeros(min(1, len(columns[0])), np.int32)
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if width > 1:
            size = len(first) * width
            step = np.int32(width) if size < 1 << 31 else np.int64(width)
            group, first = numbered(group * step + column, size)
    return group, first


def read_columns(
    path: str | os.PathLike[str], columns: Sequence[str], dropped: Dropped, count: bool = False
) -> Table:
    """Some columns of a table; rows without such cells, or with cells that are no names, are refused.

    Parameters
    ----------
    path
        The file, or ``"-"`` for standard input.
    columns
        Names that the first line gives to columns, or keys of JSON objects.
    dropped
        Is told how many rows there are.
    count
        Whether a last column says how often the row counts: the column `COUNT`, and 1 without one.

    Raises
    ------
    UnsupportedError
        If it is a Parquet file, and Polars is not installed.
    """
    name = called(path)
    dropped.told = place_of(name)[1]
    table = Table(len(columns) + count)
    with _opened(os.fspath(path)) as file:
        start = file.peek(4)
        if start.startswith(_PARQUET):
            _parquet(name, file, columns, dropped, table)
        else:
            _refuse_binary(name, start)
            is_json = start.lstrip(_BOM + b" \t\r\n").startswith(b"{")
            try:
                (_json_lines if is_json else _separated)(name, file, columns, dropped, table)
            except UnicodeDecodeError:
                raise InputError(f"{name} is not UTF-8; save it in UTF-8") from None
    table.join()
    return table


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


def _without_flaw(text: str) -> None:
    if why := flaw([text]):
        raise InputError(why)


def count_column(there: Iterable[object], columns: Sequence[str]) -> list[str]:
    """The column `COUNT` among those that are there, however it is capitalized; none of the `columns`.

    Examples
    --------
    >>> count_column(["winner", "loser", "Count"], ["winner", "loser"]), count_column(["n"], [])
    (['Count'], [])
    """
    found = [one for one in there if isinstance(one, str) and one.lower() == COUNT and one not in columns]
    return sorted(found, key=lambda one: one != COUNT)[:1]


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
    name: str, file: BufferedReader, columns: Sequence[str], dropped: Dropped, table: Table
) -> None:
    """Read CSV block by block: what is plain by Polars, and what is not, or is short, by `csv`."""
    blocks = iter(lambda: file.read(_BLOCK) + file.readline(), b"")
    start = next(blocks, b"").removeprefix(_BOM)
    header = re.match(rb"[^\r\n]*(?:\r\n?|\n)?", start)
    assert header is not None  # it matches what is empty
    if not header[0].strip():
        raise InputError(f"{name} is empty; its first line must name the columns")
    delimiter, places = _places(name, header[0].decode(), columns, len(columns) < len(table.columns))
    line = 2
    for block in chain([start[header.end() :]], blocks):
        plain = len(block) > _WORTH and find_spec("polars") is not None and _plain(block)
        if plain:
            line += _add_plain(plain, line, delimiter, places, dropped, table)
        else:
            # A quoted cell may go on in the next block.
            rest = chain([block], blocks) if b'"' in block else (block,)
            lines = (one for text in rest for one in StringIO(text.decode(), newline=""))
            reader = csv.reader(lines, delimiter=delimiter)
            try:
                table.add(_wide_enough(reader, line - 1, places, len(table.columns), dropped, table))
            except csv.Error as error:
                raise InputError(
                    f"{name}, line {line - 1 + reader.line_num}: this is not CSV: {error}"
                ) from None
            line += reader.line_num


def _wide_enough(
    reader: "CSVReader", before: int, places: Sequence[int], width: int, dropped: Dropped, table: Table
) -> Iterator[Row]:
    """The cells at these places of the rows that have them, and 1 where a count is wanted and not there."""
    ones = ("1",) * (width - len(places))
    wide = max(places) + 1
    for cells in reader:
        dropped.seen += any(cells)
        if len(cells) >= wide:
            yield before + reader.line_num, (*(cells[place] for place in places), *ones)
        elif any(cells):
            table.refused(before + reader.line_num, f"it has fewer than {wide} cells")


def _plain(block: bytes) -> bytes:
    """The block with a line feed behind each line, if each is a row to all readers of CSV; or nothing."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    block = block if block.endswith(b"\n") else block + b"\n"
    quotes = block.count(b'"')
    if b"\r" in block or (quotes and sum(one.count(b'"') for one in _QUOTED.findall(block)) < quotes):
        return b""
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    return block if np.diff(ends, prepend=-1).max() < csv.field_size_limit() else b""


def _add_plain(
    block: bytes, line: int, delimiter: str, places: Sequence[int], dropped: Dropped, table: Table
) -> int:
    """Add the rows of such a block, the first of them on this line; how many lines there are."""
    import polars as pl

    if not block.isascii():
        block.decode()  # cells that nobody asks for must be UTF-8, too
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    row_lines = np.flatnonzero(np.diff(ends, prepend=-1) > 1).astype(np.int32)
    is_dense = len(row_lines) == len(ends)
    width = max(places) + 1
    wanted = {place: f"column_{place + 1}" for place in places}
    frame = pl.read_csv(
        block if is_dense else re.sub(rb"\n\n+", b"\n", block).removeprefix(b"\n"),
        has_header=False,
        separator=delimiter,
        quote_char='"' if b'"' in block else None,
        schema={f"column_{k + 1}": pl.String for k in range(width)},
        extra_columns="ignore",
        missing_columns="insert",
        columns=list(dict.fromkeys(wanted.values())),
    )
    there = np.ones(len(row_lines), bool)
    # What is missing and what is empty are alike to Polars.
    holes = np.flatnonzero(frame.select(pl.any_horizontal(pl.all().is_null())).to_series().to_numpy())
    for hole in holes.tolist():
        at = row_lines[hole]
        text = block[ends[at - 1] + 1 if at else 0 : ends[at]].decode()
        cells = next(csv.reader([text], delimiter=delimiter))
        there[hole] = len(cells) >= width
        if any(cells) and len(cells) < width:
            table.refused(line + int(at), f"it has fewer than {width} cells")
        dropped.seen -= not any(cells)
    dropped.seen += len(row_lines)
    _add_frame(frame, [wanted[place] for place in places], row_lines + line, there, table)
    return len(ends)


def _add_frame(frame: "DataFrame", columns: Sequence[str], lines: Lines, there: Mask, table: Table) -> None:
    numbers = [_numbers_of(frame[column], table)[there] for column in columns]
    ones = [np.full(len(numbers[0]), table.number("1"), np.int32)] * (len(table.columns) - len(columns))
    table.add_numbers(lines[there], [*numbers, *ones])


def _numbers_of(column: "Series", table: Table) -> Codes:
    """The numbers of the texts of a column, each text looked up once; what is missing or NaN is empty."""
    import polars as pl

    if column.dtype == pl.Categorical:
        # As texts, a long one that many rows share would take gigabytes.
        codes = column.to_physical()
        once = codes.drop_nulls().unique(maintain_order=True)
        texts = once.cat.to(column.dtype).cast(pl.String).to_list()
        place = codes.replace_strict(once, pl.Series(range(len(once)), dtype=pl.UInt32)) if texts else codes
    else:
        text = (column.fill_nan(None) if column.dtype.is_float() else column).cast(pl.String)
        if (text.str.len_bytes() > _MAX_CELL).any():
            text = text.str.slice(0, _MAX_CELL + 1)
        once = text.drop_nulls().unique(maintain_order=True)
        texts, place = once.to_list(), text.cast(pl.Enum(once)).to_physical()
    found = table.numbers([*texts, ""])
    numbers: Codes = found[place.fill_null(len(texts)).to_numpy()]
    return numbers


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
    name: str, file: BufferedReader, columns: Sequence[str], dropped: Dropped, table: Table
) -> None:
    text = TextIOWrapper(file, "utf-8-sig", newline="")
    try:
        table.add(_objects(name, text, columns, dropped, table))
    finally:
        text.detach()


def _objects(
    name: str, text: TextIOWrapper, columns: Sequence[str], dropped: Dropped, table: Table
) -> Iterator[Row]:
    decode = json.JSONDecoder(parse_float=str, parse_int=str).decode
    counts = len(table.columns) > len(columns)
    for line, one in enumerate(text, start=1):
        if not one.strip():
            continue
        dropped.seen += 1
        try:
            value = decode(one)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            table.refused(line, "it is not a JSON object")
        elif line == 1 and not value.keys() & set(columns):
            raise _no_column(name, columns, list(value))
        else:
            often = count_column(value, columns) if counts else []
            wanted = [*columns, *often]
            cells = [cell for cell in map(value.get, wanted) if isinstance(cell, str)]
            if len(cells) == len(wanted):
                yield line, (*cells, "1") if counts and not often else tuple(cells)
            else:
                missing = next(column for column in wanted if not isinstance(value.get(column), str))
                table.refused(line, f"it has no text or number {missing!r}")


def _parquet(name: str, file: BufferedReader, columns: Sequence[str], dropped: Dropped, table: Table) -> None:
    need("polars", f"{name}, a Parquet file,")
    import polars as pl

    try:
        scan = pl.scan_parquet(file.read() if name == called(STANDARD_INPUT) else file.name)
        kinds = scan.collect_schema()
        if not set(columns) <= kinds.keys():
            raise _no_column(name, columns, list(kinds))
        often = count_column(kinds, columns) if len(columns) < len(table.columns) else []
        wanted = [*columns, *often]
        for column in wanted:
            kind = kinds[column]
            if kind.is_nested() or kind == pl.Binary:
                raise InputError(
                    f"{name}: its column {column!r} holds {kind}; names are texts or whole numbers"
                )
        while height := (frame := scan.select(wanted).slice(dropped.seen, _SLICE).collect()).height:
            lines = np.arange(dropped.seen + 1, dropped.seen + height + 1, dtype=np.int32)
            _add_frame(frame, wanted, lines, np.ones(height, bool), table)
            dropped.seen += height
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{name} is a damaged Parquet file: {str(error).splitlines()[0]}") from None


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
