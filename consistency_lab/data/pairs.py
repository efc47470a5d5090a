"""Counts of pairs in a CSV file: who was preferred to whom, and how often."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, repeat
from typing import ClassVar, Final, final

import numpy as np

from consistency_lab.data.contents import Contents, Tally, Unranked
from consistency_lab.data.rows import COUNT
from consistency_lab.data.text import located, whole_number
from consistency_lab.data.votes import Games, Votes
from consistency_lab.errors import InputError
from consistency_lab.model.graph import PreferenceGraph

COLUMNS: Final = ("winner", "loser", COUNT)
"""The columns, in this order where the first line does not name them."""


@final
@dataclass(frozen=True)
class PairCounts(Contents):
    """Counted comparisons of two items.

    Parameters
    ----------
    counts
        ``((winner, loser, count), ...)`` with item numbers, pairs distinct; a count may be 0.
    ties
        ``((first, second, count), ...)``: comparisons that ended in a tie.
    share
        What a tie counts as a win for each of the two.
    clusters
        The cluster of each entry of `counts`, and of each of `ties`; None where comparisons are independent.
        With clusters the entries of one pair in different clusters stand apart.
    said
        What must be said of the file.
    """

    counts: tuple[tuple[int, int, int | Fraction], ...]
    ties: tuple[tuple[int, int, int | Fraction], ...] = ()
    share: Fraction = Fraction(0)
    said: tuple[str, ...] = ()
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

    Raises
    ------
    InputError
        If an item is compared with itself, or a count is below 0.

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

    Raises
    ------
    InputError
        If a line has not three cells, an item is compared with itself, or a count is no whole number.

    Examples
    --------
    >>> read_pairs("games.csv", "Ann,Bob,3\nBob,Ann,1\n").counts
    ((0, 1, 3), (1, 0, 1))
    """
    numbers: dict[str, int] = {}
    counts: dict[tuple[int, int], int] = {}
    for number, cells in _rows(name, text):
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


def _rows(name: str, text: str) -> list[tuple[int, list[str]]]:
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
