"""Counts of pairs in a CSV file: who was preferred to whom, and how often."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

from consistency_lab.data.contents import Contents, Tally, Unranked
from consistency_lab.data.text import located, whole_number
from consistency_lab.errors import InputError
from consistency_lab.model.graph import PreferenceGraph

COLUMNS: Final = ("winner", "loser", "count")
"""The columns, in any order if the first line names them, else in this one."""


@final
@dataclass(frozen=True)
class PairCounts(Contents):
    """Counted comparisons of two items.

    Parameters
    ----------
    counts
        ``((winner, loser, count), ...)`` with item numbers, pairs distinct; a count may be 0.
    said
        What must be said of the file.
    """

    counts: tuple[tuple[int, int, int | Fraction], ...]
    said: tuple[str, ...] = ()
    counted: ClassVar[str] = "comparisons"

    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        place = {item: new for new, item in enumerate(kept)}
        weights = tuple(
            (PreferenceGraph(((place[i], place[j], Fraction(1)),)), Fraction(count))
            for i, j, count in self.counts
            if count and i in place and j in place
        )
        if not weights:
            raise InputError("there are no comparisons; at least one pair must have a count above 0")
        return Tally(
            weights,
            (
                *self.said,
                "voters are not known: each counted comparison is one preference graph with a single edge",
            ),
        )


def read_pairs(name: str, text: str, kind: str = "") -> PairCounts:
    r"""Read CSV lines ``winner,loser,count``; the first line may name the columns.

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
    >>> read_pairs("games.csv", "winner,loser,count\nAnn,Bob,3\nBob,Ann,1\n").counts
    ((0, 1, 3), (1, 0, 1))
    """
    numbers: dict[str, int] = {}
    counts: dict[tuple[int, int], int] = {}
    order: tuple[int, ...] | None = None
    for number, cells in _rows(name, text):
        with located(f"{name}, line {number}"):
            first, order = order is None, order or _order(cells)
            if first and _named(cells):
                continue
            if len(cells) != len(COLUMNS):
                raise InputError(f"there are {len(cells)} cells; a line reads {','.join(COLUMNS)}")
            winner, loser, count = (cells[column] for column in order)
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


def _named(cells: Sequence[str]) -> bool:
    return sorted(cell.lower() for cell in cells) == sorted(COLUMNS)


def _order(cells: Sequence[str]) -> tuple[int, ...]:
    """Where the columns stand, told from the first line."""
    lowered = [cell.lower() for cell in cells]
    if _named(cells):
        return tuple(lowered.index(column) for column in COLUMNS)
    if len(cells) == len(COLUMNS) and any(character.isdigit() for character in cells[-1]):
        return tuple(range(len(COLUMNS)))
    raise InputError(
        f"{','.join(cells)[:60]!r} is no first line; it must be {','.join(COLUMNS)}, or three cells that end "
        "with a count"
    )
