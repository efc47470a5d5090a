"""Table layouts recognized by column names, and the command to suggest for others."""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain, combinations
from shlex import quote
from typing import Final, NamedTuple, final

from consistency_lab.data.games import GameColumns
from consistency_lab.data.preflib import Ballots, Levels
from consistency_lab.data.rows import COUNT, DELIMITERS, QUERIES, plain_name
from consistency_lab.data.text import EXCEL, json_cells, located, whole_number
from consistency_lab.errors import InputError

_GAMES: Final = (
    ("winner", "loser"),
    ("chosen", "rejected"),
    *(
        (outcome, *players)
        for players in (
            *(("model_a", "model_b"), ("player_a", "player_b"), ("a", "b"), ("white", "black")),
            *(("left_model", "right_model"), ("left", "right")),
        )
        for outcome in ("winner", "result", "outcome")
    ),
)
"""Winner and loser; or the outcome and the two players."""

RESPONDENTS: Final = (
    *("judge", "rater", "user", "respondent", "respondents", "voter", "participant", "person", "subject"),
    *("annotator", "assessor"),
)
"""Common names of the column of respondents."""
_RATING: Final = re.compile(r"\d{1,2}([.,]\d{1,2})?")


@final
class Head(NamedTuple):
    """The first line of a table, split by the delimiter that gives most cells, and the next lines."""

    delimiter: str
    cells: list[str]
    rows: list[list[str]]
    first: str = ""

    @property
    def is_json(self) -> bool:
        """Whether its lines are JSON objects."""
        return self.first.lstrip("\ufeff \t").startswith("{")

    @property
    def named(self) -> Mapping[str, str]:
        """The columns by name, ignoring case and blanks."""
        return {plain_name(cell): cell for cell in self.cells}

    @property
    def plain(self) -> list[str]:
        """The columns without lists and objects, once each."""
        nested = {k for row in self.rows[:1] for k, cell in enumerate(row) if cell.startswith(("[", "{"))}
        return [one for k, one in enumerate(self.cells) if k not in nested and self.cells.count(one) == 1]


def head_of(lines: Sequence[str]) -> Head:
    """The header of these lines, CSV or JSON objects."""

    def cut(line: str, delimiter: str) -> list[str]:
        try:
            return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter))]
        except csv.Error as error:
            raise InputError(f"one of the first lines is not CSV: {error}") from None

    excel = EXCEL.match(lines[0]) if lines else None
    lines = lines[1:] if excel else lines
    if not lines:
        return Head(",", [], [])
    if lines[0].lstrip().startswith("{"):
        cells: list[object] = []
        with suppress(ValueError):
            cells += map(json_cells, lines)
        rows = [one for one in cells if isinstance(one, dict)]
        names = list(rows[0]) if rows else []
        return Head(",", names, [[_text(one.get(name)) for name in names] for one in rows], lines[0])
    delimiter = excel[1] if excel else max(DELIMITERS, key=lambda one: len(cut(lines[0], one)))
    return Head(delimiter, cut(lines[0], delimiter), [cut(line, delimiter) for line in lines[1:]], lines[0])


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else json.dumps(value)


def games_in(head: Head) -> GameColumns | None:
    """The columns of games that the header names."""
    named = head.named
    for layout in _GAMES:
        if named.keys() >= {*layout}:
            winner, *players = (named[name] for name in layout)
            loser, a, b = (players[0], None, None) if len(players) == 1 else (None, *players)
            return GameColumns(winner, loser, a, b, named.get(COUNT))
    return None


_OF_GRADES: Final[Mapping[str, Sequence[str]]] = {
    "judge": RESPONDENTS,
    "item": ("item", "document", "doc", "doc_id", "docid", "answer", "candidate", "url"),
    "grade": ("grade", "label", "rating", "relevance", "rel"),
    "query": (*QUERIES, "topic"),
}


def grades_in(head: Head) -> dict[str, str]:
    """The columns of judges, items, grades and queries that the header names."""
    named = head.named
    found = {what: next((one for one in names if one in named), "") for what, names in _OF_GRADES.items()}
    return {what: named[name] for what, name in found.items() if name}


def proposal(name: str, head: Head) -> str:
    """The columns of a table, and a suggested command if its rows tell what they are."""
    told = f"its columns are {', '.join(head.cells)[:200]}"
    rows = [row for row in head.rows if len(row) == len(head.cells)]
    if len(head.cells) == 1 and head.rows:
        return f"{told}; separate columns by commas, semicolons or tabs"
    if rows and {*head.cells} <= {*chain(*rows)}:
        return "its first line holds items, like the others; add a first line that names the columns"
    asked = _guess(head.cells, rows)
    if isinstance(asked, str):
        return f"{told}; {asked}"
    words = " ".join(f"--{option} {quote(column)}" for option, column in asked.items())
    return f"{told}; choose some, as in consistency-lab audit {quote(name)} {words}"


_NUMBER: Final = re.compile(r"-?\d+([.,]\d+)?")
_TIME: Final = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}.*|\d{1,2}:\d\d.*")
_LONGEST: Final = 100
"""Longer cells are prose, not names."""


def _guess(cells: Sequence[str], rows: Sequence[Sequence[str]]) -> Mapping[str, str] | str:
    """The only meaning of the columns that their cells allow, or what is missing."""
    places = range(min(len(cells), 12)) if rows else range(0)
    columns = [[row[k] for row in rows] for k in places]
    ratings = [k for k in places if all(map(_RATING.fullmatch, columns[k]))]
    names = [
        k
        for k in places
        if not any(all(map(kind.fullmatch, columns[k])) for kind in (_NUMBER, _TIME))
        and max(map(len, columns[k])) <= _LONGEST
    ]
    pairs = [(a, b) for a, b in combinations(names, 2) if _is_one_set(columns[a], columns[b])]
    for a, b in pairs:
        for winner in (k for k in names if k not in (a, b)):
            won = [[row[winner] == row[side] for row in rows] for side in (a, b)]
            neither = [row[winner] for row, *told in zip(rows, *won, strict=True) if not any(told)]
            if (
                all(map(any, won))
                and 2 * len(neither) < len(rows)
                and not any(map(_NUMBER.fullmatch, neither))
            ):
                return {"a": cells[a], "b": cells[b], "winner": cells[winner]}
    alike = sorted({*chain(*pairs)})
    if len(alike) > 2:
        return "if each line ranks items, write it as A > B > C"
    if alike and len(cells) > 2:
        return f"no column says which of {cells[alike[0]]} and {cells[alike[1]]} won; add one called winner"
    if alike:
        return {"winner": cells[alike[0]], "loser": cells[alike[1]]}
    if len(names) == 2 and ratings:
        user, item = ({*columns[k]} for k in names)
        if len(user) < len(rows) and (len(item) < len(rows) or len(user) == 1):
            rating = min(ratings, key=lambda k: len({*columns[k]}))
            return {"user": cells[names[0]], "item": cells[names[1]], "rating": cells[rating]}
    if len(names) < 2 and len(ratings) > 1 and len(cells) > 2:
        return "if each row ranks or rates the items, call the column of the voters respondent"
    return "none of them tells who was preferred to whom"


def _is_one_set(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two columns may name the sides of games: names of one set, few enough to be linked."""
    one, other = {*first}, {*second}
    shared = 2 * len(one & other) >= min(len(one), len(other))
    apart = sum(x != y for x, y in zip(first, second, strict=True))
    return shared and len(one | other) <= len(first) + 1 and 10 * apart >= 9 * len(first)


# --- Orders as people write them: A > B = C --------------------------------------------------------------

ORDER: Final = re.compile(r"\s*(\d+\s*:\s*)?[^>]*[^>\s][^>]*(>[^>]*[^>\s][^>]*)+$")
"""A line of at least two levels, optionally after a count."""
_UNCLEAR: Final = (re.compile(r"^\"?\d+\s*[\s,;x*×]\s*[^\s>=]"), re.compile(r"[:,;]\s*\d+\"?$"))
"""A line that may begin or end with a count, or with an item of such a name, unless all do."""


def read_orders(name: str, text: str) -> Ballots:
    """Read lines ``A > B = C`` or ``3: A > B``, the best item first."""
    numbers: dict[str, int] = {}
    ballots: dict[Levels, int] = {}
    lines = [line.strip() for line in text.split("\n")]
    if any(all(map(count.search, filter(None, lines))) for count in _UNCLEAR):
        raise InputError(f"{name}: each line has a number beside its order; a count reads 3: A > B = C")
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        with located(f"{name}, line {number}"):
            if not ORDER.fullmatch(line):
                raise InputError(f"{line[:60]!r} is not an order; expected A > B = C or 3: A > B")
            counted = re.match(r"\s*(\d+)\s*:", line)
            names = [
                [item.strip() for item in re.split(r"\s+=\s+", level)]
                for level in line[counted.end() if counted else 0 :].split(">")
            ]
            listed = [item for level in names for item in level]
            if len({*listed}) < len(listed) or not all(listed):
                raise InputError("an item appears twice, or has no name")
            levels = tuple(tuple(numbers.setdefault(item, len(numbers)) for item in level) for level in names)
            often = whole_number(counted[1], "the count") if counted else 1
            ballots[levels] = ballots.get(levels, 0) + often
    return Ballots("lines of orders", "", tuple(numbers), tuple((n, one) for one, n in ballots.items()))
