"""CSV and its kin without a word about their columns: games, counts of pairs, square matrices of wins."""

import csv
import os
import re
from collections.abc import Sequence
from typing import Final, NamedTuple, final

from consistency_lab.data.games import GameColumns, Ties, read_games
from consistency_lab.data.pairs import COLUMNS, PairCounts, is_counted_pair, read_pairs
from consistency_lab.data.rows import DELIMITERS, STANDARD_INPUT, BadRows, first_lines
from consistency_lab.data.text import located, read_text
from consistency_lab.errors import InputError
from consistency_lab.exact import rational

TITLE: Final = "matrix of wins"

_WINNER, _LOSER, _COUNT = COLUMNS
LABELED: Final = re.compile(r"-?\d+(\.\d+)?\s+(qid:\S+\s+)?\d+:\S+")
"""How a line of LETOR or SVMlight begins: a label, perhaps a query, then numbered features."""


@final
class _First(NamedTuple):
    """The first line, cut where it is cut into most cells, and the next one cut alike."""

    delimiter: str
    cells: list[str]
    second: list[str]


def read_table(
    path: str | os.PathLike[str], *, ties: Ties = "half", bad_rows: BadRows = "fail"
) -> PairCounts:
    """Read games (columns ``winner`` and ``loser``, perhaps ``count``), counts of pairs, or a matrix of wins.

    Parameters
    ----------
    path
        CSV with commas, semicolons or tabs, JSON lines or Parquet; ``"-"`` for standard input.
    ties, bad_rows
        As in `read_games`; a matrix and lines without a head are taken whole or not at all.

    Raises
    ------
    InputError
        If it is none of these, or holds labels of documents, one each.
    """
    name = os.fspath(path)
    lines = first_lines(path)
    start = lines[0] if lines else ""
    if LABELED.match(start.strip()):
        raise InputError(
            f"{name}, line 1: this is a LETOR or SVMlight file with one label a document; one judge's labels "
            "are an order, which no loss can contradict: an audit needs several judges, rankers or clicks "
            "for each query (--query, --item, --judge, --grade)"
        )
    if not lines or start.lstrip().startswith("{"):
        return read_games(path, GameColumns(_WINNER, loser=_LOSER), ties=ties, bad_rows=bad_rows)
    first = _first(lines)
    named = {cell.lower(): cell for cell in first.cells}
    if {_WINNER, _LOSER} <= named.keys():
        columns = GameColumns(named[_WINNER], loser=named[_LOSER], count=named.get(_COUNT))
        return read_games(path, columns, ties=ties, bad_rows=bad_rows)
    if name == STANDARD_INPUT:
        raise InputError(
            f"standard input begins with {','.join(first.cells)[:60]!r}; name its columns, as with --winner "
            "and --loser"
        )
    text = read_text(path)
    return _matrix(name, text, first.delimiter) if _is_matrix(first) else read_pairs(name, text)


def _first(lines: Sequence[str]) -> _First:
    def cut(line: str, delimiter: str) -> list[str]:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter))]

    delimiter = max(DELIMITERS, key=lambda one: len(cut(lines[0], one)))
    return _First(delimiter, cut(lines[0], delimiter), cut(lines[1], delimiter) if len(lines) > 1 else [])


def _is_matrix(first: _First) -> bool:
    """Whether the names of the columns begin with the name of the first row."""
    if first.cells[0] and is_counted_pair(first.cells):
        return False
    names = first.cells[-(len(first.second) - 1) :]
    return len(first.second) > 2 and len(first.cells) >= len(names) > 1 and first.second[0] == names[0] != ""


def _matrix(name: str, text: str, delimiter: str) -> PairCounts:
    """A row for each item: its name, and how often it was preferred to each of the items of the columns."""
    reader = csv.reader(text.split("\n"), delimiter=delimiter)
    head, *body = ((reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row))
    width = len(body[0][1])
    items = tuple(head[1][-(width - 1) :])
    if len(body) != len(items):
        raise InputError(
            f"{name}: there are {len(body)} rows under {len(items)} names; a matrix of wins is square"
        )
    found = []
    for i, (line, cells) in enumerate(body):
        with located(f"{name}, line {line}"):
            if len(cells) != width:
                raise InputError(f"there are {len(cells)} cells, but {width} in the first row")
            if cells[0] != items[i]:
                raise InputError(
                    f"this is the row of {cells[0][:40]!r}, but column {i + 1} is {items[i][:40]!r}"
                )
            for j, cell in enumerate(cells[1:]):
                if i != j:
                    wins = rational(cell or "0", f"the number of wins over {items[j][:40]}")
                    if wins < 0:
                        raise InputError(f"the number of wins over {items[j][:40]} is below 0")
                    found.append((i, j, wins))
    return PairCounts(TITLE, "", items, tuple(found))
