"""Tables: CSV with commas, semicolons or tabs, JSON lines, Parquet, as columns of numbered texts."""

import csv
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from io import BufferedReader, StringIO, TextIOWrapper
from itertools import chain
from operator import itemgetter
from shlex import quote
from typing import TYPE_CHECKING, Final, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.data.packed import ROOM
from consistency_lab.data.rows import (
    COUNT,
    DELIMITERS,
    MAX_CELL,
    PARQUET,
    WARNING,
    BadRows,
    Dropped,
    called,
    count_column,
    flaw,
    opened,
    refuse_binary,
    scanned,
    unread_query,
)
from consistency_lab.data.text import EXCEL, json_cells, place_of
from consistency_lab.errors import InputError, UnsupportedError, need_room

if TYPE_CHECKING:
    from _csv import Reader as CSVReader

    from polars import DataFrame, DataType, Expr, Series
    from polars.datatypes import DataTypeClass

Row = tuple[int, tuple[str, ...]]
"""The number of a line, and the cells of the requested columns."""

_BOM: Final = b"\xef\xbb\xbf"
_BATCH: Final = 65_536
_SLICE: Final = 500_000
"""The rows of Parquet in memory at a time."""
_BLOCK: Final = 4_000_000
"""The bytes of CSV in memory at a time."""
MAX_ROWS: Final = 20_000_000
"""The most rows of a table; each takes some 50 bytes of memory."""
_WORTH: Final = 1_000_000
"""For shorter text, `csv` finishes before Polars is imported."""
_QUOTED: Final = re.compile(rb'(?:(?<=[,;\t\n])|^)"(?:[^"\n]|"")*+"(?=[,;\t\n])')
"""A quoted cell on one line, which all CSV readers parse alike."""

Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]
Lines = NDArray[np.int32]
T = TypeVar("T")


_LONGEST: Final = 60


def shortened(text: str) -> str:
    """Prose as a name: on one line, and if long, its beginning and a digest."""
    line = " ".join(text.split())
    if len(line) <= _LONGEST:
        return line
    return f"{line[:45].rstrip()}… {sha256(line.encode()).hexdigest()[:8]}"


@final
class _Texts(dict[str, int]):
    """Texts by number; cells that differ only in surrounding blanks are one text."""

    def __init__(self, prose: bool) -> None:
        super().__init__()
        self.all: list[str] = []
        self.prose = prose

    def __missing__(self, cell: str) -> int:
        text = shortened(cell) if self.prose else cell.strip()[: MAX_CELL + 1]
        if text == cell:
            self[text] = len(self.all)
            self.all.append(text)
            return len(self.all) - 1
        number = self[text]
        if len(cell) <= MAX_CELL:
            self[cell] = number
        return number


@final
class Table:
    """Some columns of a table: each text once, and in each row the numbers of its texts."""

    def __init__(
        self, width: int, dropped: Dropped, prose: bool = False, perhaps: Sequence[str] = ()
    ) -> None:
        self.dropped = dropped  # how many rows there are; once the table is closed, also those refused
        self.lines: Lines = np.empty(0, np.int32)  # the line of each row
        self.columns: list[Codes] = [np.empty(0, np.int32)] * width  # for each row the number of its text
        self.prose = prose  # whether texts are answers in words, which names only begin like
        self.perhaps = perhaps  # columns that nobody asked for
        self._numbers = _Texts(prose)
        self._parts: list[tuple[Lines, list[Codes]]] = []
        self._height = 0
        self._refused: dict[str, tuple[int, int]] = {}

    @staticmethod
    def of(width: int, rows: Iterable[Row]) -> "Table":
        """The table of these rows."""
        table = Table(width, Dropped("table"))
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
        self._height += len(lines)
        if self._height > MAX_ROWS:
            what = f"{self.dropped.name} has more than {MAX_ROWS:,} rows"
            raise InputError(f"{what}; add up equal ones, with a column {COUNT}")
        self._parts.append((lines, columns))

    def join(self, free: Sequence[int] = ()) -> None:
        """Move added rows into the columns; refuse those with a flaw, but for the columns that are `free`."""
        if self._parts:
            self.lines = np.concatenate([lines for lines, _ in self._parts])
            for k in reversed(range(len(self.columns))):
                self.columns[k] = np.concatenate([columns.pop() for _, columns in self._parts])
            self._parts.clear()
        for k in range(len(self.columns)):
            if k not in free:
                self.parsed(k, _without_flaw)

    def where(self, tells: Callable[[str], int]) -> Codes:
        """The result of a function for each text, a number or a truth value."""
        return np.fromiter(map(tells, self.texts), np.int32)

    def parsed(self, column: int, parse: Callable[[str], T]) -> dict[int, T]:
        """The parsed texts of a column, by number; rows with an error are refused."""
        values: dict[int, T] = {}
        wrong: dict[int, str] = {}
        occurs = np.zeros(len(self.texts), bool)
        occurs[self[column]] = True
        for number in np.flatnonzero(occurs).tolist():
            try:
                values[number] = parse(self.texts[number])
            except InputError as error:
                wrong[number] = str(error)
        if wrong:
            occurs[list(values)] = False
            bad = occurs[self[column]]
            numbers, first, counts = np.unique(self[column][bad], return_index=True, return_counts=True)
            lines = self.lines[bad][first]
            for number, line, count in zip(numbers.tolist(), lines.tolist(), counts.tolist(), strict=True):
                self.refused(line, wrong[number], count)
            self._keep(~bad)
        return values

    def refuse(self, bad: Mask, why: str) -> None:
        """Leave rows out."""
        if bad.any():
            self.refused(int(self.lines[bad.argmax()]), why, int(bad.sum()))
            self._keep(~bad)

    def refused(self, line: int, why: str, count: int = 1) -> None:
        """Note that `count` rows are left out, the first on this line."""
        first, before = self._refused.get(why, (line, 0))
        self._refused[why] = (min(first, line), before + count)

    def _keep(self, good: Mask) -> None:
        self.lines = self.lines[good]
        self.columns = [column[good] for column in self.columns]

    def close(self) -> Dropped:
        """Report the refused rows."""
        for why, (line, count) in sorted(self._refused.items(), key=lambda one: one[1][0]):
            self.dropped.row(line, why, count)
        return self.dropped


def numbered(keys: Codes | NDArray[np.int64], size: int) -> tuple[Codes, Codes]:
    """Numbers from 0 in the order in which keys below `size` appear, and where each appears first."""
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
    path: str | os.PathLike[str],
    columns: Sequence[str],
    bad_rows: BadRows,
    count: bool = False,
    prose: bool = False,
    perhaps: Sequence[str] = (),
) -> Table:
    """Some columns of a table; rows without such cells, or with cells that are no names, are refused."""
    name = called(path)
    table = Table(len(columns) + count, Dropped(name, bad_rows, told=place_of(name)[1]), prose, perhaps)
    with opened(os.fspath(path)) as file:
        start = file.peek(4)
        if start.startswith(PARQUET):
            _parquet(name, file, columns, table)
        else:
            refuse_binary(name, start)
            is_json = start.lstrip(_BOM + b" \t\r\n").startswith(b"{")
            read = partial(_json_lines, perhaps=perhaps) if is_json else _separated
            try:
                read(name, file, columns, table)
            except UnicodeDecodeError:
                raise InputError(f"{name} is not UTF-8; save it in UTF-8") from None
    table.join([columns.index(one) for one in perhaps])
    return table


def _without_flaw(text: str) -> None:
    if why := flaw([text]):
        raise InputError(why)


def _separated(name: str, file: BufferedReader, columns: Sequence[str], table: Table) -> None:
    """Read CSV block by block: plain long blocks by Polars, others by `csv`."""
    blocks = iter(lambda: file.read(_BLOCK) + file.readline(), b"")
    start = next(blocks, b"").removeprefix(_BOM)
    first, start = _cut_line(start)
    excel = EXCEL.match(first)
    header, start = _cut_line(start) if excel else (first, start)
    if not header.strip():
        raise InputError(f"{name} is empty; its first line must name the columns")
    delimiters = excel[1] if excel else DELIMITERS
    delimiter, head, places = _places(name, header, columns, delimiters, len(columns) < len(table.columns))
    _tell_unread(head, columns, table)
    line = 3 if excel else 2
    for block in chain([start], blocks):
        plain = len(block) > _WORTH and _has_polars() and _plain(block)
        if plain:
            line += _add_plain(plain, line, delimiter, places, len(head), table)
        else:
            # A quoted cell may go on in the next block.
            rest = chain([block], blocks) if b'"' in block else (block,)
            lines = (one for text in rest for one in StringIO(text.decode(), newline=""))
            reader = csv.reader(lines, delimiter=delimiter)
            try:
                table.add(_fitting(reader, line - 1, places, len(head), table))
            except csv.Error as error:
                raise InputError(
                    f"{name}, line {line - 1 + reader.line_num}: this is not CSV: {error}"
                ) from None
            line += reader.line_num


def _cut_line(text: bytes) -> tuple[str, bytes]:
    """The first line, and what follows."""
    line = re.match(rb"[^\r\n]*(?:\r\n?|\n)?", text)
    assert line is not None  # it matches what is empty
    return line[0].decode(), text[line.end() :]


def _has_polars() -> bool:
    with suppress(UnsupportedError):
        need_room(ROOM)
        return find_spec("polars") is not None
    return False


def _fitting(
    reader: "CSVReader", before: int, places: Sequence[int], most: int, table: Table
) -> Iterator[Row]:
    """The cells at these places of the rows that have them, and 1 where a count is wanted and not there."""
    ones = ("1",) * (len(table.columns) - len(places))
    chosen = itemgetter(*places)  # of two columns or more
    for cells in reader:
        table.dropped.seen += any(cells)
        if why := _misfit(cells, places, most):
            table.refused(before + reader.line_num, why)
        elif len(cells) > max(places):
            yield before + reader.line_num, (*chosen(cells), *ones)


def _misfit(cells: Sequence[str], places: Sequence[int], most: int) -> str:
    """Why a row does not fit the first line, which names so many columns; empty if it does, or is blank."""
    wide = max(places) + 1
    if len(cells) < wide and any(cells):
        return f"it has fewer than {wide} cells"
    if any(cells[most:]):
        return (
            f"it has more than {most} cells, the columns of the first line (a comma in a name needs quotes)"
        )
    return ""


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
    block: bytes, line: int, delimiter: str, places: Sequence[int], most: int, table: Table
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
    # What is missing and what is empty are alike to Polars, and it passes over cells that are too many.
    holes = frame.select(pl.any_horizontal(pl.all().is_null())).to_series().to_numpy()
    for hole in np.flatnonzero(holes | (_widths(block, ends, delimiter)[row_lines] > most)).tolist():
        at = row_lines[hole]
        text = block[ends[at - 1] + 1 if at else 0 : ends[at]].decode()
        cells = next(csv.reader([text], delimiter=delimiter))
        why = _misfit(cells, places, most)
        there[hole] = len(cells) >= width and not why
        if why:
            table.refused(line + int(at), why)
        table.dropped.seen -= not any(cells)
    table.dropped.seen += len(row_lines)
    _add_frame(frame, [wanted[place] for place in places], row_lines + line, there, table)
    return len(ends)


def _widths(block: bytes, ends: NDArray[np.intp], delimiter: str) -> NDArray[np.intp]:
    """How many cells each line has in such a block."""
    bytes_ = np.frombuffer(block, np.uint8)
    marks = bytes_ == ord(delimiter)
    if b'"' in block:
        marks &= ~np.bitwise_xor.accumulate(bytes_ == ord('"'))
    return np.diff(np.searchsorted(np.flatnonzero(marks), ends), prepend=0) + 1


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
        if not table.prose and (text.str.len_bytes() > MAX_CELL).any():
            text = text.str.slice(0, MAX_CELL + 1)
        once = text.drop_nulls().unique(maintain_order=True)
        texts, place = once.to_list(), text.cast(pl.Enum(once)).to_physical()
    found = table.numbers([*texts, ""])
    numbers: Codes = found[place.fill_null(len(texts)).to_numpy()]
    return numbers


def _places(
    name: str, header: str, columns: Sequence[str], delimiters: Sequence[str], count: bool
) -> tuple[str, list[str], list[int]]:
    """The delimiter with which the first line has the columns, all that it names, and where these stand."""
    best: list[str] = []
    for delimiter in delimiters:
        cells = [cell.strip() for cell in next(csv.reader([header], delimiter=delimiter))]
        if set(columns) <= set(cells):
            wanted = [*columns, *(count_column(cells, columns) if count else ())]
            for column in wanted:
                if cells.count(column) > 1:
                    raise InputError(f"{name} has more than one column {column!r}; names must differ")
            return delimiter, cells, [cells.index(column) for column in wanted]
        best = max(best, cells, key=len)
    raise _no_column(name, columns, best)


def _json_lines(
    name: str, file: BufferedReader, columns: Sequence[str], table: Table, perhaps: Sequence[str]
) -> None:
    text = TextIOWrapper(file, "utf-8-sig", newline="")
    try:
        table.add(_objects(name, text, columns, table, perhaps))
    finally:
        text.detach()


def _objects(
    name: str, text: TextIOWrapper, columns: Sequence[str], table: Table, perhaps: Sequence[str]
) -> Iterator[Row]:
    counts = len(table.columns) > len(columns)
    for line, one in enumerate(text, start=1):
        if not one.strip():
            continue
        table.dropped.seen += 1
        try:
            value = json_cells(one)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            table.refused(line, "it is not a JSON object")
        elif line == 1 and not value.keys() & set(columns):
            raise _no_column(name, columns, list(value))
        else:
            if line == 1:
                _tell_unread(value, columns, table)
            often = count_column(value, columns) if counts else []
            value.update({one: "" for one in perhaps if not isinstance(value.get(one), str)})
            wanted = [*columns, *often]
            told = map(value.get, wanted)
            cells = [
                cell for cell in (map(last_said, told) if table.prose else told) if isinstance(cell, str)
            ]
            if len(cells) == len(wanted):
                yield line, (*cells, "1") if counts and not often else tuple(cells)
            else:
                missing = next(column for column in wanted if not isinstance(value.get(column), str))
                table.refused(line, f"it has no string or number {missing!r}")


def last_said(value: object) -> object:
    """What the last of a list of messages says; anything else as it is."""
    last = value[-1] if isinstance(value, list) and value else value
    return last.get("content") if isinstance(last, dict) else value


def _parquet(name: str, file: BufferedReader, columns: Sequence[str], table: Table) -> None:
    with scanned(name, file) as scan:
        kinds = scan.collect_schema()
        if not set(columns) <= kinds.keys():
            raise _no_column(name, columns, list(kinds))
        _tell_unread(kinds, columns, table)
        often = count_column(kinds, columns) if len(columns) < len(table.columns) else []
        wanted = [*columns, *often]
        chosen = scan.select(
            _cells(name, column, kinds[column], table.prose) for column in dict.fromkeys(wanted)
        )
        while height := (frame := chosen.slice(table.dropped.seen, _SLICE).collect()).height:
            lines = np.arange(1, height + 1, dtype=np.int32) + np.int32(table.dropped.seen)
            _add_frame(frame, wanted, lines, np.ones(height, bool), table)
            table.dropped.seen += height


def _cells(name: str, column: str, kind: "DataType | DataTypeClass", prose: bool) -> "Expr":
    """The cells of a column of Parquet; in `prose` a list of messages is what its last one says."""
    import polars as pl

    cells = pl.col(column)
    if prose and isinstance(kind, pl.List):
        cells, kind = cells.list.last(), kind.inner
    if prose and isinstance(kind, pl.Struct) and "content" in (said := dict(kind)):
        cells, kind = cells.struct.field("content"), said["content"]
    if kind.is_nested() or kind == pl.Binary:
        raise InputError(
            f"{name}: its column {column!r} contains {kind}; names must be strings or whole numbers"
        )
    return cells.alias(column)


def _tell_unread(there: Iterable[object], columns: Sequence[str], table: Table) -> None:
    """Warn of rows that answer different questions."""
    query = unread_query(there, [one for one in columns if one not in table.perhaps])
    if query is not None:
        told = (
            f"{WARNING}rows that differ in {query!r} count together; --query {quote(query)} reads each apart"
        )
        table.dropped.told += (told,)


def _no_column(name: str, columns: Sequence[str], there: Sequence[str]) -> InputError:
    missing = next(column for column in columns if column not in there)
    return InputError(
        f"{name} has no column {missing!r}; its columns are {', '.join(there[:20])[:400] or 'none'}"
    )
