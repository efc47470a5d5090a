"""Graded judgments in a CSV file: a line of items, then a line of grades for each judge."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from consistency_lab.data.text import located, whole_number
from consistency_lab.errors import InputError

COUNT: Final = "count"
_PAIRS: Final = frozenset({"winner", "loser", COUNT})


@final
@dataclass(frozen=True, slots=True)
class Judgment:
    """One line: the grade of each item, how many judges gave these, and the number of the line."""

    grades: tuple[int, ...]
    count: int
    line: int


@final
@dataclass(frozen=True, slots=True)
class Judgments:
    """What the file says: the names of the items, and its lines."""

    items: tuple[str, ...]
    judgments: tuple[Judgment, ...]


def read_judgments(name: str, text: str) -> Judgments:
    r"""Read a first line of item names, perhaps with a column ``count``, then grades, one judge a line.

    Parameters
    ----------
    name, text
        The file's name, for messages, and its content.

    Raises
    ------
    InputError
        If the first line names no items, or a line has another number of cells or a cell that is no grade.

    Examples
    --------
    >>> read_judgments("judges.csv", "Ann,Bob,count\n2,0,3\n1,1,1\n").judgments[0]
    Judgment(grades=(2, 0), count=3, line=2)
    """
    header: tuple[str, ...] | None = None
    found = []
    reader = csv.reader(text.split("\n"), strict=True)
    try:
        for row in reader:
            cells = tuple(cell.strip() for cell in row)
            if not any(cells):
                continue
            with located(f"{name}, line {reader.line_num}"):
                if header is None:
                    header = _header(cells)
                else:
                    found.append(_judgment(header, cells, reader.line_num))
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: this is not CSV: {error}") from None
    if header is None or not any(judgment.count for judgment in found):
        raise InputError(f"{name} holds no judgments; a line of grades follows the line of items")
    return Judgments(_items(header), tuple(judgment for judgment in found if judgment.count))


def _header(cells: Sequence[str]) -> tuple[str, ...]:
    if {cell.lower() for cell in cells} == _PAIRS:
        raise InputError(
            "this is a CSV of pair counts; grades need a line of items, then a line for each judge"
        )
    if all(cell.isdigit() for cell in cells):
        raise InputError("the first line must name the items, as in Ann,Bob,Cy, and may end with count")
    columns = tuple(COUNT if cell.lower() == COUNT else cell for cell in cells)
    if columns.count(COUNT) > 1:
        raise InputError("there are two columns count; at most one is read")
    for item in _items(columns):
        if not item or columns.count(item) > 1:
            raise InputError(f"the item {item[:40]!r} stands twice, or has no name; names must differ")
    return columns


def _items(header: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell for cell in header if cell != COUNT)


def _judgment(header: Sequence[str], cells: Sequence[str], line: int) -> Judgment:
    if len(cells) != len(header):
        raise InputError(f"there are {len(cells)} cells; the first line has {len(header)}")
    read = [
        whole_number(cell, "the count" if column == COUNT else f"the grade of {column[:40]}")
        for column, cell in zip(header, cells, strict=True)
    ]
    grades = tuple(value for column, value in zip(header, read, strict=True) if column != COUNT)
    return Judgment(grades, read[header.index(COUNT)] if COUNT in header else 1, line)
