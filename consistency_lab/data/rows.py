"""Rows left out of a file, with reasons, and the content of a file in any format."""

import json
import os
import re
import sys
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.util import find_spec
from io import BufferedReader, BytesIO
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, cast, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.data.packed import PACKED, ROOM, unpacked
from consistency_lab.data.text import (
    CELLS,
    UTF_16,
    csv_rows,
    in_utf_8,
    json_cells,
    located,
    place_of,
    whole_number,
)
from consistency_lab.data.votes import Games, Votes
from consistency_lab.errors import InputError, need, need_room
from consistency_lab.frozen import frozen
from consistency_lab.model.distribution import PreferenceGraph
from consistency_lab.numbers.arrays import Codes

if TYPE_CHECKING:
    from polars import LazyFrame

# --- Files of rows, and the rows that are left out -------------------------------------------------------

BadRows = Literal["report", "fail"]
"""How to treat a row that cannot be read: leave it out with a note, or refuse the file."""

STANDARD_INPUT: Final = "-"

DELIMITERS: Final = (",", ";", "\t")
PARQUET: Final = b"PAR1"
_REASONS: Final = 10
_START: Final = 1_000_000
"""So much of a file is looked at to find out what it is; of standard input, what is there at once."""
MAX_CELL: Final = 1_000
"""Longest name, in characters."""

COUNT: Final = "count"
"""The default name of the column that says how often a row counts."""

QUERIES: Final = (
    *("query", "query_id", "qid", "prompt", "prompt_id", "question", "question_id"),
    *("instruction", "instruction_id"),
)
"""Names of the column that says what the items answer."""

WARNING: Final = "Warning: "
"""The beginning of a note that is shown first."""

_TOLERATED: Final = 0.05
"""If a larger share is left out, there is a warning."""


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
        """A warning if so many are left out that the answer may be about something else."""
        if self.count <= _TOLERATED * self.of:
            return ()
        share = 100 * self.count / self.of
        return (f"{WARNING}{share:.3g} % of the {self.what} are left out ({self.count:,} of {self.of:,})",)


@final
@dataclass(slots=True)
class Dropped:
    """Rows, or queries, that were left out, counted by reason."""

    name: str  #: The file, for messages.
    policy: BadRows = "report"  #: Whether such a row gives a note or an error.
    place: str = "line"  #: The kind of place in messages.
    what: Literal["row", "query"] = "row"  #: What is left out, in the singular.
    seen: int = 0  #: The number of all, including those left out.
    told: tuple[str, ...] = ()  #: Other notes on the file.
    _counts: Counter[str] = field(default_factory=Counter)
    _first: dict[str, int | str] = field(default_factory=dict)

    def row(self, line: int | str, reason: str, count: int = 1) -> None:
        """Leave out `count` for this reason, the first at this line."""
        if self.policy == "fail":
            raise InputError(f"{self.name}, {self.place} {line}: {reason}")
        self._counts[reason] += count
        self._first.setdefault(reason, line)

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each reason, the most frequent first; rare ones are summed up."""
        return (*self.told, *(note for left in self.left for note in (*left.warning, *left.why)))

    @property
    def nothing(self) -> str:
        """Why there is nothing, in words."""
        return "; ".join(why for left in self.left for why in left.why) or "it has no rows"

    @property
    def left(self) -> tuple[LeftOut, ...]:
        """What was left out, if anything."""
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


def flaw(cells: Sequence[str]) -> str:
    """Why some cells cannot be names or numbers; empty if they can."""
    for cell in cells:
        if len(cell) > MAX_CELL:
            return f"a cell has more than {MAX_CELL:,} characters"
        if not cell.isprintable() and any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in cell):
            return "a cell has a line break or control character (an open quote?)"
    return ""


def count_column(there: Iterable[object], columns: Sequence[str]) -> list[str]:
    """The column `COUNT` among those that are there, however it is capitalized; none of the `columns`."""
    columns_there = [
        one for one in there if isinstance(one, str) and one.lower() == COUNT and one not in columns
    ]
    return sorted(columns_there, key=lambda one: one != COUNT)[:1]


def plain_name(column: str) -> str:
    """The name of a column without capitals, blanks and dashes."""
    return re.sub(r"[\s-]+", "_", column.strip().lower())


def unread_query(there: Iterable[object], columns: Sequence[str]) -> str | None:
    """The column that names queries, if there is one and no such column is read."""
    queries = [one for one in there if isinstance(one, str) and plain_name(one) in QUERIES]
    return None if not queries or {*queries} & {*columns} else queries[0]


def first_lines(path: str | os.PathLike[str], count: int = 2) -> tuple[str, ...]:
    """The first lines of a text, which may be read again, or rows of Parquet (none of a pipe) as JSON."""
    with raw(os.fspath(path)) as file:
        start = file.peek(_START)
        if start.startswith(PARQUET):
            if not file.seekable() or find_spec("polars") is None:
                return ()
            with scanned(called(path), file) as scan:
                rows = scan.head(count).collect().to_dicts()
            file.seek(0)
            return tuple(json.dumps(row, default=str) for row in rows)
    refuse_binary(called(path), start)
    if is_list(start):
        return tuple(islice(_objects(start.decode(errors="ignore").lstrip("\ufeff \t\r\n[")), count))
    text = start.decode("utf-16" if start.startswith(UTF_16) else "utf-8-sig", errors="replace")
    return tuple(line for line in text.splitlines() if line.strip())[:count]


def _objects(listed: str) -> Iterator[str]:
    """The objects of a list, one a line, up to the first that does not end here or is no JSON."""
    with suppress(ValueError, RecursionError):
        while True:
            value, end = CELLS.raw_decode(listed)
            yield json.dumps(value)
            listed = listed[end:].lstrip(", \t\r\n")


@contextmanager
def scanned(name: str, file: BufferedReader) -> Iterator["LazyFrame"]:
    """A Parquet file, to be read in the block."""
    need("polars", f"{name}, a Parquet file,")
    need_room(ROOM)
    import polars as pl

    try:
        is_plain = file.seekable() and name != called(STANDARD_INPUT)
        yield pl.scan_parquet(file.name if is_plain else file.read())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"{name} is a damaged Parquet file: {str(error).partition(chr(10))[0]}") from None


def called(path: str | os.PathLike[str]) -> str:
    """The name of a file in messages."""
    name = os.fspath(path)
    return "standard input" if name == STANDARD_INPUT else name


def refuse_binary(name: str, start: bytes) -> None:
    """Refuse a file that does not begin like text."""
    if start.startswith(PACKED):
        raise InputError(f"{name} is compressed; unpack it before (gzip -dc FILE | ... audit -)")
    if b"\0" in start and not start.startswith(UTF_16):
        raise InputError(f"{name} is a binary file; a table must be UTF-8 text or Parquet")


@contextmanager
def opened(name: str) -> Iterator[BufferedReader]:
    """Open a file, a sample or standard input to read its bytes: UTF-16 as UTF-8, a JSON list as lines."""
    with raw(name) as file:
        start = file.peek(_START)
        if start.startswith(UTF_16):
            yield BufferedReader(BytesIO(in_utf_8(called(name), file.read())))
        elif is_list(start):
            try:
                rows = json_cells(file.read().decode("utf-8-sig"))
            except ValueError as error:
                raise InputError(f"{called(name)} is no list in JSON: {error}") from None
            yield BufferedReader(BytesIO("\n".join(map(json.dumps, rows)).encode()))
        else:
            yield file


def is_list(start: bytes) -> bool:
    """Whether a file begins like a list of JSON objects."""
    return re.match(rb"(\xef\xbb\xbf)?\s*\[\s*\{", start) is not None


@contextmanager
def raw(name: str) -> Iterator[BufferedReader]:
    """Open a file, a sample or standard input to read its bytes, unpacked if it is a compressed file."""
    if name == STANDARD_INPUT:
        yield cast("BufferedReader", sys.stdin.buffer)
        return
    try:
        file = cast("BufferedReader", BufferedReader(place_of(name)[0].open("rb", buffering=0), _START))
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) else None
        raise InputError(f"{name} cannot be read: {(words or str(error)).lower()}") from None
    with file:
        yield unpacked(name, file)


# --- What a file of any format says, before items are chosen and a distribution is made of it ------------

Unranked = Literal["last", "unknown"]
"""How unranked items are treated: tied below all ranked ones, or unknown."""


Tally = tuple[tuple[PreferenceGraph, Fraction], ...]
"""Distinct preference graphs with how often each was found."""


@dataclass(frozen=True)
class Contents(ABC):
    """The content of a file."""

    format: str  #: The format's name, for people.
    title: str  #: What the data are, from the file; empty if it does not say.
    items: tuple[str, ...]  #: The names of all items, in the file's order.
    left: tuple[LeftOut, ...] = field(default=(), kw_only=True)  #: What of the file is not among these data.
    silent: Unranked = field(default="last", kw_only=True)  #: What unranked items stand for.
    counted: ClassVar[str]  #: What the weights count: ``"voters"``, ``"comparisons"`` or ``"probability"``.

    @property
    def grouped(self) -> str:
        """How votes hang together, as in "in 40 clusters by judge"; empty if they are independent."""
        return ""

    @abstractmethod
    def total(self, kept: Sequence[int]) -> Fraction:
        """How many votes concern the items `kept`, or the probability 1."""

    def compared(self, unranked: Unranked) -> list[Fraction]:
        """How often each item was compared with another one, by the weight of edges."""
        counts = [Fraction(0)] * len(self.items)
        for graph, weight in self.tally(range(len(self.items)), unranked):
            for i, j, edge in graph.edges:
                counts[i] += weight * edge
                counts[j] += weight * edge
        return counts

    @abstractmethod
    def notes(self, kept: Sequence[int], unranked: Unranked) -> tuple[str, ...]:
        """Notes to show with a result on the items `kept`."""

    @abstractmethod
    def votes(self, kept: Sequence[int], unranked: Unranked) -> Votes | None:
        """The votes on the items `kept`, renumbered in that order; None if only their shares are known."""

    @abstractmethod
    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        """The graphs on the items `kept`, renumbered in that order."""


# --- Counts of pairs in a CSV file: who was preferred to whom, and how often -----------------------------

NO_TIMES: Final = "depends on the order of games and needs a column of their times, such as date"
"""Why there is no rating by games one after another."""

COLUMNS: Final = ("winner", "loser", COUNT)
"""The columns, in this order if the first line does not name them."""


_MOST_KEYS: Final = 1 << 20
"""Numbers below this have a table of their places."""


def numbered(keys: Codes | NDArray[np.int64], size: int) -> tuple[Codes, Codes]:
    """Numbers from 0 in the order in which keys below `size` appear, and where each appears first.

    Keys of 64 bits may be overwritten: of ten million rows an array is as large as a column.
    """
    if size <= max(_MOST_KEYS, 4 * len(keys)):
        first = np.full(size, -1, np.int32)
        first[keys[::-1]] = np.arange(len(keys), dtype=np.int32)[::-1]  # the last one assigned stays
        firsts = np.sort(first[first >= 0])
        first[keys[firsts]] = np.arange(len(firsts))
        return first[keys], firsts
    # Sorted with their places in the low bits, which takes a third of the time and memory of `argsort`.
    bits = len(keys).bit_length()
    if size > 1 << (63 - bits):
        keys = np.unique(keys, return_inverse=True)[1]
    packed = keys.astype(np.int64, copy=False)
    packed <<= bits
    packed |= np.arange(len(packed), dtype=np.int32)
    packed.sort()
    differs = np.append(True, (packed[1:] ^ packed[:-1]) >= 1 << bits)
    packed &= (1 << bits) - 1  # now the places, those of equal keys side by side
    firsts = packed[differs].astype(np.int32)
    is_first = np.zeros(len(packed), bool)
    is_first[firsts] = True
    rank, numbers, kinds = np.cumsum(is_first, dtype=np.int32), np.empty(len(packed), np.int32), 0
    for begin in range(0, len(packed), _MOST_KEYS):
        piece = slice(begin, begin + _MOST_KEYS)
        kind = np.cumsum(differs[piece]) + (kinds - 1)
        numbers[packed[piece]] = rank[firsts[kind]] - 1
        kinds = int(kind[-1]) + 1
    firsts.sort()
    return numbers, firsts


def grouped(*columns: Codes) -> tuple[Codes, Codes]:
    """`numbered` for rows of numbers of at least 0."""
    group, first = np.zeros(len(columns[0]), np.int32), np.zeros(min(1, len(columns[0])), np.int32)
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if len(first) * width > _MOST_KEYS:  # few of the numbers may be there
            column, kinds = numbered(column, width)
            width = len(kinds)
        if width > 1:
            size = len(first) * width
            step = np.int32(width) if size < 1 << 31 else np.int64(width)
            keys = group * step
            keys += column
            del column, group
            group, first = numbered(keys, size)
    return group, first


@final
class Compared(NamedTuple):
    """Comparisons of two items, added up."""

    first: NDArray[np.signedinteger]  #: Of each kind the number of the first item,
    second: NDArray[np.signedinteger]  #: of the second,
    often: NDArray[Any]  #: and how often it was there: whole numbers of 64 bits, or objects.

    @staticmethod
    def of(counts: Iterable[tuple[int, int, int | Fraction]] = ()) -> "Compared":
        """The comparisons ``(first, second, how often)``."""
        listed = list(counts)
        often = [n for *_, n in listed]
        is_whole = all(n.denominator == 1 for n in often) and sum(map(int, often)) < 1 << 62
        whole = np.array([*map(int, often)], np.int64) if is_whole else np.array(often, object)
        first, second = (np.array([one[side] for one in listed], np.int32) for side in range(2))
        return Compared(first, second, whole)

    @property
    def listed(self) -> list[tuple[int, int, int | Fraction]]:
        """As they are passed to `of`."""
        return list(zip(*(one.tolist() for one in self), strict=True))

    @property
    def total(self) -> int | Fraction:
        """How many comparisons there are."""
        return sum(self.often) if self.often.dtype == object else int(self.often.sum())

    @property
    def sorted(self) -> "Compared":
        """Each pair with the item of the lower number first."""
        return Compared(np.minimum(self.first, self.second), np.maximum(self.first, self.second), self.often)

    def added(self, other: "Compared") -> "Compared":
        """These and the others, each pair once."""
        kind = object if self.total + other.total >= 1 << 62 else np.result_type(self.often, other.often)
        first, second, often = map(np.concatenate, zip(self, other, strict=True))
        group, begin = grouped(first.astype(np.int32), second.astype(np.int32))
        sums = np.zeros(len(begin), kind)
        np.add.at(sums, group, often.astype(kind))
        return Compared(first[begin], second[begin], sums)

    def among(self, place: NDArray[np.intp]) -> tuple["Compared", NDArray[np.bool_]]:
        """The comparisons of items with a place >= 0, renumbered by it, and the mask of these."""
        first, second = place[self.first], place[self.second]
        there = (first >= 0) & (second >= 0)
        return Compared(first[there], second[there], self.often[there]), there


NO_GAMES: Final = Compared.of()


@final
@dataclass(frozen=True, eq=False)
class PairCounts(Contents):
    """Counted comparisons of two items."""

    counts: Compared  #: Winner and loser, pairs distinct; a count may be 0.
    ties: Compared = NO_GAMES  #: Comparisons that ended in a tie.
    share: Fraction = Fraction(0)  #: What a tie counts as a win for each of the two.
    said: tuple[str, ...] = ()  #: Notes on the file.
    #: The cluster of each entry of `counts`, and of each of `ties`; None where comparisons are independent.
    #: With clusters the entries of one pair in different clusters stand apart.
    clusters: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None
    by: str | None = None  #: The column of the clusters.
    #: The games in the order of time, as ``(winner, loser, tied)``; or why that order is not known.
    played: tuple[tuple[int, int, bool], ...] | str = NO_TIMES
    counted: ClassVar[str] = "comparisons"

    @property
    def grouped(self) -> str:
        if self.clusters is None:
            return ""
        return (
            f"in {len({*chain.from_iterable(one.tolist() for one in self.clusters)}):,} clusters by {self.by}"
        )

    def total(self, kept: Sequence[int]) -> Fraction:
        place = self._places(kept)
        total = self.counts.among(place)[0].total + 2 * self.share * self.ties.among(place)[0].total
        if not total:
            those = "" if len(kept) == len(self.items) else f" of the {len(kept)} items that are kept"
            raise InputError(f"there are no comparisons{those}; at least one pair needs a count above 0")
        return Fraction(total)

    def _places(self, kept: Sequence[int]) -> NDArray[np.intp]:
        """The place of each item among those that are kept, else -1."""
        place = np.full(len(self.items), -1)
        place[list(kept)] = np.arange(len(kept))
        return place

    def compared(self, unranked: Unranked) -> list[Fraction]:
        counts = np.zeros(len(self.items), object)
        for games, share in ((self.counts, 1), (self.ties, 2 * self.share)):
            sums = np.zeros(len(self.items), games.often.dtype)
            np.add.at(sums, games.first, games.often)
            np.add.at(sums, games.second, games.often)
            counts += share * sums.astype(object)
        return [Fraction(weight) for weight in counts.tolist()]

    def notes(self, kept: Sequence[int], unranked: Unranked) -> tuple[str, ...]:
        single = "voters are not known: each counted comparison is one preference graph with a single edge"
        return (*self.said, single)

    def votes(self, kept: Sequence[int], unranked: Unranked) -> Votes | None:
        """None where a count is not whole."""
        self.total(kept)
        place, unit = self._places(kept), self.share.denominator
        (won, is_won), (tied, is_tied) = self.counts.among(place), self.ties.among(place)
        first, second, often = map(np.concatenate, zip(won, tied, strict=True))
        there = often > 0
        if often.dtype == object and any(count.denominator > 1 for count in often.tolist()):
            return None
        ties = np.repeat([False, True], [len(won.first), len(tied.first)])[there]
        named = None
        if self.clusters is not None:
            cluster = np.concatenate([self.clusters[0][is_won], self.clusters[1][is_tied]])[there]
            named = np.cumsum(np.bincount(cluster) > 0)[cluster] - 1
        share = np.where(ties, self.share.numerator, unit)
        counts = often[there].astype(np.int64)
        return Games(len(kept), counts, first[there], second[there], share, ties, unit, named)

    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        place = {item: new for new, item in enumerate(kept)}
        wins: dict[tuple[int, int], Fraction] = {}
        for games, share in ((self.counts, Fraction(1)), (self.ties, self.share)):
            for i, j, count in games.listed:
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
    comparisons: Iterable[tuple[str, str, int | Fraction]], title: str = "", format: str = "comparisons"
) -> PairCounts:
    """Comparisons (winner, loser, how often) added up."""
    numbers: dict[str, int] = {}
    counts: dict[tuple[int, int], int | Fraction] = {}
    for winner, loser, count in comparisons:
        if winner == loser:
            raise InputError(f"{winner[:40]!r} is compared with itself; a comparison needs two items")
        if count < 0:
            raise InputError(f"{winner[:40]!r} beats {loser[:40]!r} {count} times; counts must be at least 0")
        pair = (numbers.setdefault(winner, len(numbers)), numbers.setdefault(loser, len(numbers)))
        counts[pair] = counts.get(pair, 0) + count
    return PairCounts(format, title, tuple(numbers), Compared.of((i, j, n) for (i, j), n in counts.items()))


def read_pair_counts(name: str, text: str, delimiter: str = ",") -> PairCounts:
    """Read CSV lines ``winner,loser,count`` without a header, and add them up."""
    comparisons: list[tuple[str, str, int]] = []
    for number, cells in csv_rows(name, text, delimiter):
        with located(f"{name}, line {number}"):
            if len(cells) != len(COLUMNS):
                raise InputError(f"there are {len(cells)} cells; expected {','.join(COLUMNS)}")
            winner, loser, count = cells
            if not winner or not loser:
                raise InputError(f"an item has no name; expected {','.join(COLUMNS)}")
            if winner == loser:
                raise InputError(f"{winner[:40]!r} is compared with itself; a comparison needs two items")
            comparisons.append((winner, loser, whole_number(count, "the count")))
    return pair_counts(comparisons, format="CSV of pair counts")


def is_counted_pair(cells: Sequence[str]) -> bool:
    """Whether a line without names of columns can be winner, loser and count."""
    return len(cells) == len(COLUMNS) and cells[-1].lstrip("+-")[:1].isdigit()
