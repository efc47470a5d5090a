"""Tables: CSV with commas, semicolons or tabs, JSON lines, Parquet, as columns of numbered texts."""

import csv
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from io import BufferedReader, StringIO
from itertools import chain
from operator import itemgetter
from shlex import quote
from typing import TYPE_CHECKING, Final, TypeVar, final

import numpy as np
from numpy.typing import NDArray

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
    grouped,
    numbered,
    opened,
    refuse_binary,
    scanned,
    unread_query,
)
from consistency_lab.data.text import EXCEL, json_cells, place_of
from consistency_lab.errors import InputError, UnsupportedError, need_room
from consistency_lab.numbers.arrays import Booleans, Codes, Whole

if TYPE_CHECKING:
    from polars import DataType, Expr, Series
    from polars.datatypes import DataTypeClass

    from consistency_lab.data.scan import Plain, Scanner

NumberedRow = tuple[int, tuple[str, ...]]
"""The number of a line, and the cells of the requested columns."""

_BOM: Final = b"\xef\xbb\xbf"
_BATCH: Final = 65_536
_SLICE: Final = 500_000
"""The rows of Parquet in memory at a time."""
_BLOCK: Final = 4_000_000
"""The bytes of text in memory at a time."""
MAX_ROWS: Final = 20_000_000
"""The most rows of a table, equal ones counted once where they may be; each takes some 50 bytes of memory."""
_TOGETHER: Final = 1_000_000
"""So many rows are added before equal ones are counted."""
_LONG_PROSE: Final = 2_000_000_000
"""Longest text in words, of which a name only begins like it."""
_WORTH: Final = 3_500_000
"""Shorter blocks are read before machine code is loaded."""

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
        self,
        width: int,
        dropped: Dropped,
        prose: bool = False,
        perhaps: Sequence[str] = (),
        distinct: bool = False,
    ) -> None:
        self.dropped = dropped  # how many rows there are; once the table is closed, also those refused
        self.lines: Lines = np.empty(0, np.int32)  # the line of each row
        self.columns: list[Codes] = [np.empty(0, np.int32)] * width  # for each row the number of its text
        self.times: Whole = _once(0)  # how many rows there are like each; it stands on the line of the first
        self.prose = prose  # whether texts are answers in words, which names only begin like
        self.perhaps = perhaps  # columns that nobody asked for
        self.distinct = distinct  # whether rows that differ in their lines alone are one row
        self._numbers = _Texts(prose)
        self._added: list[Codes] = [np.empty(0, np.int32)] * (1 + width)  # with room for more,
        self._waiting = 0  # so many lines and columns that wait
        self._refused: dict[str, tuple[int, int]] = {}

    @staticmethod
    def of(width: int, rows: Iterable[NumberedRow]) -> "Table":
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

    def add(self, rows: Iterable[NumberedRow]) -> None:
        """Add rows; `join` makes them part of the columns."""
        batch: list[NumberedRow] = []
        for row in rows:
            batch.append(row)
            if len(batch) == _BATCH:
                self._add(batch)
                batch = []
        self._add(batch)

    def _add(self, rows: Sequence[NumberedRow]) -> None:
        if rows:
            lines, cells = zip(*rows, strict=True)
            columns = [self.numbers(column) for column in zip(*cells, strict=True)]
            self.add_numbers(np.array(lines, np.int32), columns)

    def add_numbers(self, lines: Lines, columns: list[Codes]) -> None:
        """Add rows whose texts have numbers already."""
        if len(self.lines) + self._waiting + len(lines) > MAX_ROWS:
            self._gather()
            if len(self.lines) + len(lines) > MAX_ROWS:
                what = f"{self.dropped.name} has more than {MAX_ROWS:,} rows"
                raise InputError(f"{what}; add up equal ones, with a column {COUNT}")
        end = self._waiting + len(lines)
        for k, more in enumerate((lines, *columns)):
            if end > len(self._added[k]):
                # Memory that nothing was written into takes no room, but small pieces leave gaps.
                grown = np.empty(max(end, 2 * len(self._added[k])), np.int32)
                grown[: self._waiting] = self._added[k][: self._waiting]
                self._added[k] = grown
            self._added[k][self._waiting : end] = more
        self._waiting = end
        if self.distinct and self._waiting > max(_TOGETHER, len(self.lines)):
            self._gather()

    def _gather(self) -> None:
        """Move added rows into the columns, in the order of their lines."""
        before, count = len(self.lines), self._waiting
        rows = [self.lines, *self.columns]
        for k, added in enumerate(self._added):
            rows[k] = np.concatenate([rows[k], added[:count]]) if before else added[:count]
            self._added[k] = np.empty(0, np.int32)
        self.lines, *self.columns = rows
        self.times = np.concatenate([self.times, _once(count)]) if self.distinct else _once(before + count)
        self._waiting = 0
        if (np.diff(self.lines) < 0).any():
            self._choose(np.argsort(self.lines, kind="stable"))
        if self.distinct:
            group, first = grouped(*self.columns)
            times = np.bincount(group, self.times, len(first))
            self._choose(first)
            self.times = times.astype(np.int64)

    def join(self, free: Sequence[int] = ()) -> None:
        """Move added rows into the columns; refuse those with a flaw, but for the columns that are `free`."""
        if self._waiting:
            self._gather()
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
            kinds, first = numbered(self[column][bad], len(self.texts))
            counts = np.bincount(kinds, self.times[bad]).astype(int)
            told = (self[column][bad][first], self.lines[bad][first], counts)
            for number, line, count in zip(*(one.tolist() for one in told), strict=True):
                self.refused(line, wrong[number], count)
            self._choose(~bad)
        return values

    def refuse(self, bad: Booleans, why: str) -> None:
        """Leave rows out."""
        if bad.any():
            self.refused(int(self.lines[bad.argmax()]), why, int(self.times[bad].sum()))
            self._choose(~bad)

    def refused(self, line: int, why: str, count: int = 1) -> None:
        """Note that `count` rows are left out, the first on this line."""
        first, before = self._refused.get(why, (line, 0))
        self._refused[why] = (min(first, line), before + count)

    def _choose(self, rows: Booleans | Codes | NDArray[np.intp]) -> None:
        self.lines = self.lines[rows]
        self.columns = [column[rows] for column in self.columns]
        self.times = self.times[rows] if self.distinct else _once(len(self.lines))

    def free(self, *columns: int) -> None:
        """Give up the lines of rows and columns that are used: of ten million rows each takes 40 MB."""
        self.lines = np.empty(0, np.int32)
        for k in columns:
            self.columns[k] = np.empty(0, np.int32)

    def close(self) -> Dropped:
        """Report the refused rows."""
        for why, (line, count) in sorted(self._refused.items(), key=lambda one: one[1][0]):
            self.dropped.row(line, why, count)
        return self.dropped


def _once(count: int) -> Whole:
    """So many ones, which take no memory."""
    return np.broadcast_to(np.int64(1), count)


def read_columns(
    path: str | os.PathLike[str],
    columns: Sequence[str],
    bad_rows: BadRows,
    count: bool = False,
    prose: bool = False,
    perhaps: Sequence[str] = (),
    distinct: bool = False,
) -> Table:
    """Some columns of a table; rows without such cells, or with cells that are no names, are refused."""
    name = called(path)
    dropped = Dropped(name, bad_rows, told=place_of(name)[1])
    table = Table(len(columns) + count, dropped, prose, perhaps, distinct)
    with opened(os.fspath(path)) as file:
        start = file.peek(4)
        if start.startswith(PARQUET):
            _parquet(name, file, columns, table)
        else:
            refuse_binary(name, start)
            is_json = start.lstrip(_BOM + b" \t\r\n").startswith(b"{")
            try:
                (_json_lines if is_json else _separated)(name, file, columns, table)
            except UnicodeDecodeError:
                raise InputError(f"{name} is not UTF-8; save it in UTF-8") from None
    table.join([columns.index(one) for one in perhaps])
    return table


def _without_flaw(text: str) -> None:
    if why := flaw([text]):
        raise InputError(why)


def _separated(name: str, file: BufferedReader, columns: Sequence[str], table: Table) -> None:
    """Read CSV block by block: plain rows of long blocks by machine code, others by `csv`."""
    blocks = _blocks(file)
    start = next(blocks, b"")
    first, start = _cut_line(start)
    excel = EXCEL.match(first)
    header, start = _cut_line(start) if excel else (first, start)
    if not header.strip():
        raise InputError(f"{name} is empty; its first line must name the columns")
    delimiters = excel[1] if excel else DELIMITERS
    delimiter, head, places = _places(name, header, columns, delimiters, len(columns) < len(table.columns))
    _tell_unread(head, columns, table)
    at_once = list(dict.fromkeys(places))
    order = [at_once.index(place) for place in places]
    slots = np.full(max(places) + 1, -1, np.int32)
    slots[at_once] = np.arange(len(at_once))
    line, scanner = 3 if excel else 2, None
    for block in chain([start], blocks):
        scanner, rest = scanner or _scanner(block, len(at_once), table), block
        if scanner is not None and (whole := _whole(block)):
            found = scanner.csv(whole, line, delimiter, slots, len(head), csv.field_size_limit())
            _add_plain(found, order, table)
            for (count, of), why in zip(
                (found.few, found.many), _misfits(len(slots), len(head)), strict=True
            ):
                if count:
                    table.refused(of, why, count)
            left = (
                (number, next(csv.reader([whole[begin:end].decode()], delimiter=delimiter)))
                for begin, end, number in found.left
            )
            table.add(_fitting(left, places, len(head), table))
            line, rest = found.line, whole[found.at :]
        records = _Records(rest, blocks, delimiter, line)
        try:
            table.add(_fitting(records, places, len(head), table))
        except csv.Error as error:
            raise InputError(f"{name}, line {records.line - 1}: this is not CSV: {error}") from None
        line = records.line


def _blocks(file: BufferedReader) -> Iterator[bytes]:
    """A text without its mark, in pieces that end where a line does."""
    first = True
    while block := file.read(_BLOCK) + file.readline():
        yield block.removeprefix(_BOM) if first else block
        first = False


def _scanner(block: bytes, width: int, table: Table) -> "Scanner | None":
    """Machine code that reads the rows of this block and the following, if it is worth its start."""
    if len(block) <= _WORTH:
        return None
    with suppress(UnsupportedError):
        need_room()
        from consistency_lab.data.scan import Scanner

        return Scanner(width, _LONG_PROSE if table.prose else MAX_CELL, table.numbers)
    return None


def _whole(block: bytes) -> bytes:
    """The block with a line feed at its end; nothing if it has another break of lines, or is too long."""
    if len(block) > _LONG_PROSE or (b"\r" in block and block.count(b"\r") != block.count(b"\r\n")):
        return b""
    if not block.isascii():
        block.decode()  # cells that nobody asks for must be UTF-8, too
    return block if block.endswith(b"\n") else block + b"\n"


def _add_plain(found: "Plain", order: Sequence[int], table: Table) -> None:
    """Add rows that machine code has read, whose columns have this order; and 1 where a count is wanted."""
    table.dropped.seen += found.seen
    ones = [np.full(len(found.lines), table.number("1"), np.int32)] * (len(table.columns) - len(order))
    table.add_numbers(found.lines, [*(found.codes[:, k] for k in order), *ones])


@final
class _Records:
    """The records of CSV in a block, with their last lines; the last one may go on in the next block."""

    def __init__(self, block: bytes, blocks: Iterator[bytes], delimiter: str, line: int) -> None:
        self.line = line  # the line behind those that were read
        self._between = True
        self._reader = csv.reader(self._lines(block, blocks), delimiter=delimiter)

    def _lines(self, block: bytes, blocks: Iterator[bytes]) -> Iterator[str]:
        for text in chain([block], blocks):
            for one in StringIO(text.decode(), newline=""):
                self._between, self.line = False, self.line + 1
                yield one
            if self._between:
                return

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        for cells in self._reader:
            self._between = True
            yield self.line - 1, cells


def _cut_line(text: bytes) -> tuple[str, bytes]:
    """The first line, and what follows."""
    line = re.match(rb"[^\r\n]*(?:\r\n?|\n)?", text)
    assert line is not None  # it matches what is empty
    return line[0].decode(), text[line.end() :]


def _fitting(
    records: Iterable[tuple[int, Sequence[str]]], places: Sequence[int], most: int, table: Table
) -> Iterator[NumberedRow]:
    """The cells at these places of the rows that have them, and 1 where a count is wanted and not there."""
    ones = ("1",) * (len(table.columns) - len(places))
    chosen = itemgetter(*places)  # of two columns or more
    wide = max(places) + 1
    too_few, too_many = _misfits(wide, most)
    for line, cells in records:
        table.dropped.seen += any(cells)
        if len(cells) < wide:
            if any(cells):
                table.refused(line, too_few)
        elif any(cells[most:]):
            table.refused(line, too_many)
        else:
            yield line, (*chosen(cells), *ones)


def _misfits(wide: int, most: int) -> tuple[str, str]:
    """Why a row does not fit the first line, which names so many columns: it is too short, or too long."""
    more = f"it has more than {most} cells, the columns of the first line (a comma in a name needs quotes)"
    return f"it has fewer than {wide} cells", more


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


def _json_lines(name: str, file: BufferedReader, columns: Sequence[str], table: Table) -> None:
    """Read JSON lines block by block: plain objects of long blocks by machine code, others by `json`."""
    needed = [one for one in dict.fromkeys(columns) if one not in table.perhaps]
    counts = len(table.columns) > len(columns)
    names = [*needed, *table.perhaps, *[COUNT] * counts]
    line, scanner = 1, None
    for block in _blocks(file):
        scanner, rest = scanner or _scanner(block, len(names), table), block
        if scanner is not None and (whole := _whole(block)):
            if line == 1:
                first, whole = _cut_line(whole)
                table.add(_objects(name, [(1, first)], columns, table))
                often = _count_there(first, columns) if counts else []
                names[len(names) - len(often) :] = often
                line = 2
            found = scanner.json(whole, line, names, len(needed), counts)
            _add_plain(found, [*map(names.index, columns), *[len(names) - 1] * counts], table)
            left = ((number, whole[begin:end].decode()) for begin, end, number in found.left)
            table.add(_objects(name, left, columns, table))
            line, rest = found.line, b""
        lines = list(enumerate(StringIO(rest.decode(), newline=""), start=line))
        table.add(_objects(name, lines, columns, table))
        line += len(lines)


def _count_there(line: str, columns: Sequence[str]) -> list[str]:
    """The column of counts in an object."""
    with suppress(ValueError):
        value = json_cells(line)
        return count_column(value, columns) if isinstance(value, dict) else []
    return []


def _objects(
    name: str, lines: Iterable[tuple[int, str]], columns: Sequence[str], table: Table
) -> Iterator[NumberedRow]:
    """The cells of these columns in each line."""
    counts = len(table.columns) > len(columns)
    for line, one in lines:
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
            value.update({one: "" for one in table.perhaps if not isinstance(value.get(one), str)})
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
    """The content of the last message in a list; other values as they are."""
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
            numbers = [_numbers_of(frame[column], table) for column in wanted]
            ones = [np.full(height, table.number("1"), np.int32)] * (len(table.columns) - len(wanted))
            table.add_numbers(lines, [*numbers, *ones])
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
