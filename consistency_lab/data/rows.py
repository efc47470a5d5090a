"""Rows of a table, one after the other: CSV with commas, semicolons or tabs, JSON lines, Parquet."""

import csv
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader, TextIOWrapper
from typing import Final, Literal, cast, final, get_args

from consistency_lab.data.bundled import place_of
from consistency_lab.errors import InputError
from consistency_lab.extras import need

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


@final
@dataclass(slots=True)
class Dropped:
    """Rows that were left out, counted by reason.

    Parameters
    ----------
    name
        The file, for messages.
    policy
        Whether such a row is told, or an error.
    place
        What is numbered.
    told
        What else must be said of the file.
    """

    name: str
    policy: BadRows = "report"
    place: str = "line"
    told: tuple[str, ...] = ()
    _counts: Counter[str] = field(default_factory=Counter)
    _first: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.policy not in get_args(BadRows):
            raise InputError(
                f"bad rows are {self.policy!r}; it must be one of {', '.join(get_args(BadRows))}"
            )

    def row(self, line: int, reason: str) -> None:
        """Leave a row out.

        Raises
        ------
        InputError
            If the policy is to fail.
        """
        if self.policy == "fail":
            raise InputError(f"{self.name}, {self.place} {line}: {reason}")
        self._counts[reason] += 1
        self._first.setdefault(reason, line)

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence for each reason, the most frequent first; few of them if there are many.

        Examples
        --------
        >>> dropped = Dropped("games.csv")
        >>> dropped.row(7, "the winner is missing")
        >>> dropped.notes
        ('1 row is left out: the winner is missing (line 7)',)
        """
        told = [
            f"{_rows(count)} left out: {reason} ({'' if count == 1 else 'first: '}{self.place} "
            f"{self._first[reason]})"
            for reason, count in self._counts.most_common(_REASONS)
        ]
        others = self._counts.total() - sum(count for _, count in self._counts.most_common(_REASONS))
        return (*self.told, *told, *([f"{_rows(others)} left out for other reasons"] if others else []))


def _rows(count: int) -> str:
    return "1 row is" if count == 1 else f"{count} rows are"


def rows(path: str | os.PathLike[str], columns: Sequence[str], dropped: Dropped) -> Iterator[Row]:
    """The cells of some columns, line by line; only one line is in memory at a time.

    Parameters
    ----------
    path
        The file, or ``"-"`` for standard input.
    columns
        Names that the first line gives to columns, or keys of JSON objects.
    dropped
        Is told of rows without such cells.

    Raises
    ------
    InputError
        If the file cannot be read, is in none of the formats, or has no such column.
    UnsupportedError
        If it is a Parquet file, and pyarrow is not installed.
    """
    name = called(path)
    dropped.told = place_of(name)[1]
    with _opened(os.fspath(path)) as file:
        start = file.peek(4)
        if start.startswith(_PARQUET):
            yield from _parquet(name, file, columns)
            return
        _refuse_binary(name, start)
        text = TextIOWrapper(file, "utf-8-sig", newline="")
        try:
            kind = _json_lines if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else _separated
            yield from kind(name, text, columns, dropped)
        except UnicodeDecodeError:
            raise InputError(f"{name} is not UTF-8; save it in UTF-8") from None
        finally:
            text.detach()


def first_lines(path: str | os.PathLike[str], count: int = 2) -> tuple[str, ...]:
    """The first lines of a text, none of a Parquet file; standard input may still be read after that.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
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


def _separated(name: str, text: TextIOWrapper, columns: Sequence[str], dropped: Dropped) -> Iterator[Row]:
    header = text.readline(_MAX_HEADER)
    if not header.strip():
        raise InputError(f"{name} is empty; its first line must name the columns")
    delimiter, places = _places(name, header, columns)
    width = max(places) + 1
    reader = csv.reader(text, delimiter=delimiter)
    try:
        for cells in reader:
            if len(cells) >= width:
                yield reader.line_num + 1, tuple(cells[place].strip() for place in places)
            elif any(cells):
                dropped.row(reader.line_num + 1, f"it has fewer than {width} cells")
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num + 1}: this is not CSV: {error}") from None


def _places(name: str, header: str, columns: Sequence[str]) -> tuple[str, list[int]]:
    """The delimiter with which the first line has the columns, and where they stand."""
    best: list[str] = []
    for delimiter in DELIMITERS:
        cells = [cell.strip() for cell in next(csv.reader([header], delimiter=delimiter))]
        if set(columns) <= set(cells):
            for column in columns:
                if cells.count(column) > 1:
                    raise InputError(f"{name} has more than one column {column!r}; names must differ")
            return delimiter, [cells.index(column) for column in columns]
        best = max(best, cells, key=len)
    raise _no_column(name, columns, best)


def _json_lines(name: str, text: TextIOWrapper, columns: Sequence[str], dropped: Dropped) -> Iterator[Row]:
    for line, one in enumerate(text, start=1):
        if not one.strip():
            continue
        try:
            value = json.loads(one, parse_float=str, parse_int=str)
        except (ValueError, RecursionError):
            dropped.row(line, "it is not a JSON object")
            continue
        if not isinstance(value, Mapping):
            dropped.row(line, "it is not a JSON object")
        elif line == 1 and not value.keys() & set(columns):
            raise _no_column(name, columns, list(value))
        elif any(not isinstance(value.get(column), str) for column in columns):
            missing = next(column for column in columns if not isinstance(value.get(column), str))
            dropped.row(line, f"it has no text or number {missing!r}")
        else:
            yield line, tuple(value[column].strip() for column in columns)


def _parquet(name: str, file: BufferedReader, columns: Sequence[str]) -> Iterator[Row]:
    need("pyarrow", f"{name}, a Parquet file,")
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import ParquetFile

    try:
        table = ParquetFile(file)
        there = table.schema_arrow.names
        if not set(columns) <= set(there):
            raise _no_column(name, columns, there)
        line = 0
        for batch in table.iter_batches(_BATCH, columns=list(columns)):
            found = [batch.column(column).to_pylist() for column in columns]
            for cells in zip(*found, strict=True):
                line += 1
                yield line, tuple("" if cell is None else str(cell).strip() for cell in cells)
    except (ArrowInvalid, OSError) as error:
        raise InputError(f"{name} is a damaged Parquet file: {str(error).splitlines()[0]}") from None


def _no_column(name: str, columns: Sequence[str], there: Sequence[str]) -> InputError:
    missing = next(column for column in columns if column not in there)
    return InputError(
        f"{name} has no column {missing!r}; its columns are {', '.join(there[:20])[:400] or 'none'}"
    )
