"""Real preferences, from a file to a distribution over preference graphs."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Final, SupportsInt, cast, final
from unicodedata import normalize

from consistency_lab.data.formats import TABLE, Source, format_of
from consistency_lab.data.games import (
    DASHES,
    ONE_PAIR,
    GameColumns,
    Ties,
    beside,
    clusters,
    games_of,
    read_games,
    read_queries,
    read_query_games,
    read_ratings,
)
from consistency_lab.data.layouts import Head, games_in, head_of
from consistency_lab.data.packed import unpacked_name
from consistency_lab.data.preflib import Ballots
from consistency_lab.data.rows import (
    STANDARD_INPUT,
    WARNING,
    BadRows,
    Compared,
    Contents,
    Dropped,
    PairCounts,
    Unranked,
    called,
    count_column,
    first_lines,
    pair_counts,
    unread_query,
)
from consistency_lab.data.tables import NumberedRow, Table
from consistency_lab.data.text import located, place_of, samples
from consistency_lab.data.votes import Votes
from consistency_lab.errors import InputError, did_you_mean
from consistency_lab.model.checked import checked, fitting
from consistency_lab.model.distribution import Distribution, item_names
from consistency_lab.numbers.exact import rational
from consistency_lab.shown import Shown

if TYPE_CHECKING:
    from pandas import DataFrame


# --- Real preferences, from a file to a distribution over preference graphs ------------------------------

Name = str | SupportsInt
"""The name of an item: a string or a whole number."""

Matrix = Sequence[Sequence[object]]

MAX_PROFILE_ITEMS: Final = 1_000
"""The most items that may be kept."""

_COUNTED: Final = 2**52
"""Sums of fewer votes, and of their halves, are exact in floats."""


@final
@checked
@dataclass(frozen=True, eq=False, repr=False)
class Profile(Shown):
    """Preferences read from a file or passed in."""

    title: str  #: What the data are.
    format: str  #: The format of the file, for people.
    contents: Contents  #: What was read.
    kept: tuple[int, ...]  #: The numbers of the items that are kept, in their order.
    unranked: Unranked = "last"  #: What unranked items of a ballot stand for.
    #: Notes to show with every result, besides those of the contents.
    told: tuple[str, ...] = ()

    @staticmethod
    @checked
    def of(contents: Contents, title: str = "given", unranked: Unranked = "last") -> "Profile":
        """A profile of all items read."""
        return Profile(title, contents.format, contents, tuple(range(len(contents.items))), unranked)

    @staticmethod
    def _given(contents: Contents, title: str) -> "Profile":
        """The same for preferences passed in, which may be empty."""
        _check_kept(contents.items, range(len(contents.items)))
        contents.total(range(len(contents.items)))
        return Profile.of(contents, title)

    @staticmethod
    @checked
    def from_pairs(
        pairs: Iterable[tuple[Name, Name]] | Mapping[tuple[Name, Name], object], title: str = "pairs"
    ) -> "Profile":
        """Comparisons as (winner, loser), or how often there was each, as a `Counter` has it.

        Examples
        --------
        >>> Profile.from_pairs([("A", "B"), ("A", "B"), ("B", "A")]).wins[0][1]
        Fraction(2, 1)
        >>> Profile.from_pairs({("A", "B"): 2, ("B", "A"): 1}).wins[0][1]
        Fraction(2, 1)
        """
        counted = pairs.items() if isinstance(pairs, Mapping) else ((pair, 1) for pair in pairs)
        return Profile._given(
            pair_counts((_name(a), _name(b), rational(str(n), "a count")) for (a, b), n in counted), title
        )

    @staticmethod
    @checked
    def from_matrix(
        wins: "Matrix | DataFrame", items: Sequence[Name] | None = None, title: str = "matrix"
    ) -> "Profile":
        """A matrix of wins: `wins[i][j]` says how often i was preferred to j; the diagonal does not count.

        A data frame has the names itself.

        Examples
        --------
        >>> Profile.from_matrix([[0, 2.5], [1, 0]], ["A", "B"]).wins[0][1]
        Fraction(5, 2)
        """
        if hasattr(wins, "columns"):
            frame = cast("DataFrame", wins)
            items = list(frame.columns) if items is None else items
            if list(frame.index) != list(frame.columns):
                raise InputError("the data frame must have the same names on its rows as on its columns")
            wins = frame.to_numpy()
        wins = fitting(wins, "wins", Matrix)
        names = item_names(len(wins) if items is None else [_name(item) for item in items])
        sizes = {len(row) if hasattr(row, "__len__") else 0 for row in wins}
        if len(names) != len(wins) or sizes != {len(wins)}:
            raise InputError(f"the matrix must be square, with a row for each of {len(names)} items")
        listed = [
            (i, j, rational(str(x), "a number of wins"))
            for i, row in enumerate(wins)
            for j, x in enumerate(row)
            if i != j
        ]
        if any(n < 0 for _, _, n in listed):
            raise InputError("a number of wins is negative")
        return Profile._given(PairCounts("matrix of wins", "", names, Compared.of(listed)), title)

    @staticmethod
    @checked
    def from_rankings(rankings: Iterable[Sequence[Name]], title: str = "rankings") -> "Profile":
        """Rankings from the top down; an item that one leaves out is below all that it ranks.

        Examples
        --------
        >>> Profile.from_rankings([["A", "B"], ["B"]]).wins[1][0]
        Fraction(1, 1)
        """
        numbers: dict[str, int] = {}
        ballots = tuple(
            (1, tuple((numbers.setdefault(_name(item), len(numbers)),) for item in ranking))
            for ranking in rankings
        )
        if any(len(set(order)) < len(order) for _, order in ballots):
            raise InputError("a ranking names an item twice")
        return Profile._given(Ballots("rankings", "", tuple(numbers), ballots), title)

    @staticmethod
    @checked
    def from_pandas(
        frame: "DataFrame",
        *,
        winner: str | None = None,
        loser: str | None = None,
        a: str | None = None,
        b: str | None = None,
        count: str | None = None,
        cluster: str | None = None,
        ties: Ties = "half",
        bad_rows: BadRows = "report",
    ) -> "Profile":
        """A data frame with a game in each row; its columns are named as in `GameColumns`.

        Parameters
        ----------
        frame
            The data frame.
        winner, loser, a, b, count, cluster
            Its columns: `winner` and `loser`, or `a`, `b` and `winner`, which of the two has won. With none
            of them they are recognized by their names, as in a file.
        ties, bad_rows
            What becomes of ties, and of rows with a name or a count missing.
        """
        there = list(getattr(frame, "columns", []))
        if winner is None:
            found = games_in(Head(",", [one for one in there if isinstance(one, str)], []))
            if found is None or not loser == a == b is None:
                raise InputError(f"pass winner, the column of who won; the data frame has {there[:20]}")
            count = found.count if count is None else count
            columns = replace(found, count=count, cluster=cluster)
        else:
            columns = GameColumns(winner, loser=loser, a=a, b=b, count=count, cluster=cluster)
        for column in columns.names:
            if there.count(column) != 1:
                number = "no column" if column not in there else "more than one column"
                raise InputError(f"the data frame has {number} {column!r}; it has {there[:20]}")
        often = [] if count is not None else count_column(there, columns.names)
        query = unread_query(there, columns.names)
        told = () if query is None else (f"{WARNING}rows that differ in {query!r} count together",)
        perhaps = clusters(columns, [one for one in there if isinstance(one, str) and there.count(one) == 1])
        named = beside(columns, perhaps)
        cells = frame[[*named, *often]]
        objects = cells.astype(object).where(cells.notna(), "").itertuples(index=False, name=None)
        table = Table(len(named) + (count is None), Dropped("data frame", bad_rows, "row", told=told))
        ones = ("1",) * (count is None and not often)

        def texts() -> Iterator[NumberedRow]:
            for row, values in enumerate(objects, start=1):
                table.dropped.seen += 1
                wanted = zip((*named, *often), values, strict=True)
                odd = [
                    value
                    for name, value in wanted
                    if name not in perhaps and isinstance(value, bytes | list | tuple | Mapping)
                ]
                if odd:
                    table.refused(row, f"a cell is a {type(odd[0]).__name__}, not a string or number")
                else:
                    yield row, (*map(str, values), *ones)

        table.add(texts())
        table.join([named.index(one) for one in perhaps])
        return Profile._given(games_of(table, columns, ties, "data frame", perhaps), "data frame")

    @property
    def m(self) -> int:
        """The number of items."""
        return len(self.kept)

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The names of the items that are kept."""
        return item_names([self.contents.items[i] for i in self.kept])

    @property
    def counted(self) -> str:
        """What `voters` counts: ``"voters"``, ``"comparisons"`` or ``"probability"``."""
        return self.contents.counted

    @cached_property
    def votes(self) -> Votes | None:
        """The votes as arrays; None where only their shares are known, or they are too many for floats."""
        return self.contents.votes(self.kept, self.unranked) if self.voters < _COUNTED else None

    @cached_property
    def wins(self) -> list[list[Fraction]]:
        """How often, or with what probability, i was preferred to j, exactly."""
        if self.votes is not None:
            return self.votes.aggregate
        return [[x * self.voters for x in row] for row in self.distribution.aggregate]

    @cached_property
    def voters(self) -> int | Fraction:
        """The total: how many voters, how many comparisons, or the probability 1."""
        total = self.contents.total(self.kept)
        return int(total) if total.denominator == 1 else total

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes to show with every result."""
        kept, every = self.m, len(self.contents.items)
        few = f"{kept} of {every} items are kept; preferences about the others are ignored"
        own = (*[few] * (kept < every), *_alike(self.items))
        notes = (*self.told, *own, *self.contents.notes(self.kept, self.unranked))
        return tuple(sorted(notes, key=lambda note: not note.startswith(WARNING)))

    @cached_property
    def distribution(self) -> Distribution:
        """The graphs with p = count / total."""
        # The graphs are weak orders, single edges or checked ones, so they are not checked again.
        graphs, weights = zip(*self.contents.tally(self.kept, self.unranked), strict=True)
        return Distribution(self.items, graphs, tuple(weight / self.voters for weight in weights))

    @checked
    def most_compared(self, count: int) -> "Profile":
        """The items with the most comparisons alone, in their order.

        Examples
        --------
        >>> pairs = [("A", "B"), ("A", "B"), ("C", "A")]
        >>> Profile.from_pairs(pairs).most_compared(2).items
        ('A', 'B')
        """
        if count < 2:
            raise InputError(f"the number of most compared items is {count}; a ranking needs at least 2")
        if count >= self.m:
            return self
        compared = self.contents.compared(self.unranked)
        most = frozenset(sorted(self.kept, key=lambda i: (-compared[i], i))[:count])
        return replace(self, kept=tuple(i for i in self.kept if i in most))


@checked
def read_profile(
    path: str | os.PathLike[str],
    unranked: Unranked | None = None,
    items: Sequence[str] | None = None,
    top: int | None = None,
) -> Profile:
    """Read a profile in any format of `FORMATS`.

    A ballot is a weak order; it becomes the preference graph with an edge of weight 1 from each item to each
    item below it, tied items without an edge, and p = count / voters. A counted pair becomes a graph with
    one edge of weight 1.

    Parameters
    ----------
    path
        The file, or the name of a bundled sample that is not hidden by a file of that name.
    unranked
        What items stand for that a ballot does not rank: ``"last"`` (below all ranked ones and tied) or
        ``"unknown"`` (no edge at them); if None, ``"last"``, but ``"unknown"`` for items that are not rated.
    items
        Keep these items only, in this order. The order of the items breaks ties.
    top
        Keep so many of them, those with the most comparisons.

    Examples
    --------
    >>> profile = read_profile("vermont.toc")
    >>> profile.voters, profile.distribution.items
    (1960, ('Beck', 'Fay', 'South', 'Willhoit'))
    >>> profile.distribution.aggregate[0][1] * 1960
    Fraction(908, 1)
    """
    name = os.fspath(path)
    place, found_at = _find(name)
    source = Source(place)
    return profile_of(format_of(source).read(source), name, unranked, items, top, found_at)


def profile_of(
    contents: Contents,
    name: str,
    unranked: Unranked | None = None,
    items: Sequence[str] | None = None,
    top: int | None = None,
    told: tuple[str, ...] = (),
    most: int = MAX_PROFILE_ITEMS,
) -> Profile:
    """The profile of the contents of the file `name`; the other parameters as in `read_profile`."""
    with located(name):
        _refuse_doubles(contents.items)
        stem = Path(unpacked_name(name)).stem
        title = contents.title or ("standard input" if name == STANDARD_INPUT else stem)
        names = contents.items
        kept = range(len(names)) if items is None else [_number(one, names) for one in items]
        chosen = Profile(title, contents.format, contents, tuple(kept), unranked or contents.silent, told)
        chosen = chosen if top is None else chosen.most_compared(top)
        _check_kept(names, chosen.kept, most)
        contents.total(chosen.kept)
    return chosen


def _find(name: str) -> tuple[str, tuple[str, ...]]:
    """The file to read, and notes."""
    path = Path(name)
    if name == STANDARD_INPUT:
        return name, ()
    try:
        exists, folder = path.exists(), path.is_dir()
    except OSError:  # where even that may not be asked, reading it will say why
        exists, folder = True, False
    if folder:
        raise InputError(f"{name} is a folder; give a file in it")
    if exists:
        return name, ()
    place, told = place_of(name)
    if told:
        return os.fspath(place), told
    hint = did_you_mean(path.name, samples(), "samples are", shown="the sample {}".format)
    raise InputError(f"{name} does not exist; {hint}")


def _name(item: object) -> str:
    """The name of an item passed in: a string, or any whole number."""
    if isinstance(item, str):
        return str(item)
    if isinstance(item, Integral) and not isinstance(item, bool):
        return str(int(item))
    raise InputError(f"an item is called {str(item)[:40]!r}; names must be strings or whole numbers")


def chosen_numbers(names: tuple[str, ...], wanted: Sequence[str] | None) -> tuple[int, ...]:
    """The numbers of the kept items, in the requested order."""
    kept = tuple(range(len(names)) if wanted is None else [_number(name, names) for name in wanted])
    _check_kept(names, kept)
    return kept


def _check_kept(names: Sequence[str], kept: Sequence[int], most: int = MAX_PROFILE_ITEMS) -> None:
    if len(kept) > most:
        raise InputError(
            f"there are {len(kept)} items; at most {most} are supported; keep fewer by name "
            "(--select A,B,C), or those with the most comparisons (--top 100)"
        )
    item_names([names[i] for i in kept])


def _refuse_doubles(names: Sequence[str]) -> None:
    """The same as in `item_names`, for files with many more items than are kept."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"two items are called {name[:40]!r}; names must differ")
        seen.add(name)


def _alike(names: Sequence[str]) -> Iterator[str]:
    """A note on names that people may take for one: they differ in case, dashes, blanks or their coding."""
    groups: dict[str, list[str]] = {}
    for name in names:
        seen = normalize("NFKC", name).translate(DASHES).casefold()
        groups.setdefault(" ".join(seen.split()), []).append(name)
    alike = [", ".join(map(repr, group)) for group in groups.values() if len(group) > 1]
    if alike:
        more = f" (and {len(alike) - 1} more such names)" if alike[1:] else ""
        yield f"{WARNING}{alike[0]} look alike and are different items{more}"


def _number(name: str, names: tuple[str, ...]) -> int:
    if name in names:
        return names.index(name)
    quoted = " (in --select, put a name with a comma in double quotes)"
    hint = did_you_mean(name, names, "the items are", names[:20])
    quotes = quoted if hint.startswith("did") and "," in hint else ""
    raise InputError(f"there is no item {name[:40]!r}; {hint}{quotes}")


# --- Where real preferences come from --------------------------------------------------------------------
# Options for columns, ties and items, and the profiles of a file.


@final
@checked
@dataclass(frozen=True, slots=True)
class RatingColumns:
    """The columns of a table of ratings."""

    user: str
    item: str
    rating: str


@final
@checked
@dataclass(frozen=True, slots=True)
class JudgmentColumns:
    """The columns of a table of the grades that judges gave to the items of queries."""

    query: str
    item: str
    judge: str
    grade: str


Columns = GameColumns | RatingColumns | JudgmentColumns


@final
@checked
@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read, all of them alike."""

    #: What the columns of tables are called; None for files that tell all of themselves.
    columns: Columns | None = None
    #: What becomes of ties in games, and of rows that cannot be read.
    ties: Ties = "half"
    bad_rows: BadRows = "report"
    #: What the unranked items of a ballot stand for; if None, ``"last"``, but ``"unknown"`` where ratings or
    #: grades are read: who did not rate an item has said nothing of it.
    unranked: Unranked | None = None
    select: tuple[str, ...] | None = None  #: Keep these items only, in this order.
    #: Keep so many items: those with the most comparisons (of ratings: those with the most of them).
    top: int | None = None
    query: str | None = None  #: Of games, the column of what is asked: a profile for each query.
    ordered: bool = False  #: Whether the order of games in time is kept.
    most: int = MAX_PROFILE_ITEMS  #: The most items that may be kept, of a query always these.

    def __post_init__(self) -> None:
        if self.select is not None and self.top is not None:
            raise InputError("give only one of --select and --top")

    @property
    def by_query(self) -> bool:
        """Whether a file may have several profiles, one for each query."""
        return isinstance(self.columns, JudgmentColumns) or self.query is not None

    @checked
    def profiles(self, path: str | os.PathLike[str]) -> Iterator[Profile]:
        """The profiles of a file: one, or one for each query.

        Examples
        --------
        >>> [profile.m for profile in Reading(top=3).profiles("vermont.toc")]
        [3]
        """
        name = os.fspath(path)
        if self.columns is None and (columns := self._named(name)) is not None:
            yield from replace(self, columns=columns).profiles(path)
        elif isinstance(self.columns, JudgmentColumns):
            j = self.columns
            read = read_queries(path, j.query, j.item, j.judge, j.grade, bad_rows=self.bad_rows)
            yield from self._queries(path, read)
        elif isinstance(self.columns, GameColumns) and self.query is not None:
            apart = read_query_games(path, self.columns, self.query, ties=self.ties, bad_rows=self.bad_rows)
            yield from self._queries(path, apart)
        elif isinstance(self.columns, GameColumns):
            there = head_of(first_lines(name)).plain
            yield self._profile(
                read_games(
                    path,
                    self.columns,
                    ties=self.ties,
                    bad_rows=self.bad_rows,
                    there=there,
                    ordered=self.ordered,
                ),
                name,
                most=self.most,
            )
        elif isinstance(self.columns, RatingColumns):
            c = self.columns
            rated = read_ratings(path, c.user, c.item, c.rating, top=self.top, bad_rows=self.bad_rows)
            yield self._profile(rated, name)
        else:
            place, found_at = _find(name)
            source = Source(place, self.ties, self.bad_rows)
            yield self._profile(format_of(source).read(source), name, found_at, self.most)

    def _queries(self, path: str | os.PathLike[str], read: Mapping[str, Contents | str]) -> list[Profile]:
        """A profile for each query that can have one, with notes on the others."""
        name, profiles = os.fspath(path), list[Profile]()
        dropped = Dropped(called(path), place="query", what="query")
        for query, ballots in read.items():
            dropped.seen += 1
            try:
                if isinstance(ballots, str):
                    raise InputError(ballots)
                profiles.append(self._profile(ballots, f"{name}, query {query}"))
            except InputError as error:
                why = str(error).removeprefix(f"{name}, query {query}: ")
                dropped.row(query, re.sub(r"^there are \d+ items; at", "there are too many items; at", why))
        if not profiles and {*read.values()} == {ONE_PAIR}:
            raise InputError(
                f"{called(path)}: each of {len(read):,} queries compares only one pair, which no loss "
                "contradicts, so there is nothing to audit; it takes three answers to a query, or judgments "
                "of the same pair of models under several"
            )
        if not profiles:
            raise InputError(f"{called(path)}: no query can be audited; {dropped.nothing}")
        return [
            replace(
                one,
                contents=replace(one.contents, left=(*dropped.left, *one.contents.left)),
                told=(*one.told, *dropped.notes),
            )
            for one in profiles
        ]

    def _named(self, name: str) -> RatingColumns | GameColumns | None:
        """The columns of a table whose header names them user, item and rating, or of games in order."""
        wanted = ("user", "item", "rating")
        if (name != STANDARD_INPUT and not Path(name).is_file()) or format_of(Source(name)) is not TABLE:
            return None
        head = head_of(first_lines(name))
        if head.named.keys() >= {*wanted}:
            return RatingColumns(*(head.named[one] for one in wanted))
        return games_in(head) if self.ordered else None

    def _profile(
        self, contents: Contents, name: str, told: tuple[str, ...] = (), most: int = MAX_PROFILE_ITEMS
    ) -> Profile:
        top = None if isinstance(self.columns, RatingColumns) else self.top
        return profile_of(contents, name, self.unranked, self.select, top, told, most)
