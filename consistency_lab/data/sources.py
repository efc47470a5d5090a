"""Where real preferences come from: what is said of columns, ties and items, and the profiles of a file."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

from consistency_lab.checked import checked
from consistency_lab.data.contents import Contents, Unranked
from consistency_lab.data.formats import TABLE, format_of
from consistency_lab.data.games import GameColumns, Ties, read_games
from consistency_lab.data.profile import Profile, profile_of, read_profile
from consistency_lab.data.ratings import read_queries, read_ratings
from consistency_lab.data.rows import STANDARD_INPUT, BadRows, Dropped, called
from consistency_lab.data.tables import read_table
from consistency_lab.errors import InputError


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
    """How files are read, all of them alike.

    Parameters
    ----------
    columns
        What the columns of tables are called; None for files that tell all of themselves.
    ties, bad_rows
        What becomes of ties in games, and of rows that cannot be read.
    unranked
        What the unranked items of a ballot stand for; if None, ``"last"``, but ``"unknown"`` where ratings
        or grades are read: who did not rate an item has said nothing of it.
    select
        Keep these items only, in this order.
    top
        Keep so many items: those with the most comparisons (of ratings: those with the most of them).

    Raises
    ------
    InputError
        If both `select` and `top` choose the items.
    """

    columns: Columns | None = None
    ties: Ties = "half"
    bad_rows: BadRows = "report"
    unranked: Unranked | None = None
    select: tuple[str, ...] | None = None
    top: int | None = None

    def __post_init__(self) -> None:
        if self.select is not None and self.top is not None:
            raise InputError("both --select and --top choose the items; give one of them")

    @checked
    def profiles(self, path: str | os.PathLike[str]) -> Iterator[Profile]:
        """The profiles of a file: one, or one for each query.

        Raises
        ------
        InputError
            If it cannot be read so.

        Examples
        --------
        >>> [profile.m for profile in Reading(top=3).profiles("vermont.toc")]
        [3]
        """
        name = os.fspath(path)
        if isinstance(self.columns, JudgmentColumns):
            yield from self._queries(path, self.columns)
        elif (contents := self._table(path)) is not None:
            yield self._profile(contents, name)
        else:
            yield read_profile(path, self.unranked or "last", self.select, self.top)

    def _queries(self, path: str | os.PathLike[str], c: JudgmentColumns) -> list[Profile]:
        """A profile for each query that can have one; what becomes of the others each of these tells."""
        name, found = os.fspath(path), list[Profile]()
        dropped = Dropped(called(path), place="query", what="query")
        read = read_queries(path, c.query, c.item, c.judge, c.grade, bad_rows=self.bad_rows)
        for query, ballots in read.items():
            dropped.seen += 1
            try:
                if isinstance(ballots, str):
                    raise InputError(ballots)
                found.append(self._profile(ballots, f"{name}, query {query}"))
            except InputError as error:
                why = str(error).removeprefix(f"{name}, query {query}: ")
                dropped.row(query, re.sub(r"^there are \d+ items; at", "there are too many items; at", why))
        if not found:
            raise InputError(f"{called(path)}: no query can be audited; {dropped.nothing}")
        return [
            replace(
                one,
                contents=replace(one.contents, left=(*dropped.left, *one.contents.left)),
                told=(*one.told, *dropped.notes),
            )
            for one in found
        ]

    def _table(self, path: str | os.PathLike[str]) -> Contents | None:
        """The content of a table, in which ties and bad rows may be; None if it is none."""
        if isinstance(self.columns, GameColumns):
            return read_games(path, self.columns, ties=self.ties, bad_rows=self.bad_rows)
        if isinstance(self.columns, RatingColumns):
            c = self.columns
            return read_ratings(path, c.user, c.item, c.rating, top=self.top, bad_rows=self.bad_rows)
        is_there = os.fspath(path) == STANDARD_INPUT or Path(path).is_file()
        if is_there and format_of(Path(path)) is TABLE:
            return read_table(path, ties=self.ties, bad_rows=self.bad_rows)
        return None

    @property
    def _ballots(self) -> bool:
        return not isinstance(self.columns, RatingColumns | JudgmentColumns)

    def _profile(self, contents: Contents, name: str) -> Profile:
        rated = isinstance(self.columns, RatingColumns)
        unranked = self.unranked or ("last" if self._ballots else "unknown")
        return profile_of(contents, name, unranked, self.select, None if rated else self.top)
