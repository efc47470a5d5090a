"""The table of file formats; tables, and our JSON."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import lcm
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import Any, ClassVar, Final, final

from consistency_lab.data.ballots import Reader, liked_in, lists_in, marks_in, ranked_in, survey_in
from consistency_lab.data.games import ONE_JUDGE, WON, GameColumns, Ties, read_games, read_outcomes, read_pgn
from consistency_lab.data.layouts import ORDER, Head, games_in, grades_in, head_of, proposal, read_orders
from consistency_lab.data.packed import read_content, unpacked_name
from consistency_lab.data.preflib import Ballots, read_preflib
from consistency_lab.data.rows import (
    COLUMNS,
    STANDARD_INPUT,
    BadRows,
    Compared,
    Contents,
    PairCounts,
    Tally,
    Unranked,
    called,
    first_lines,
    is_counted_pair,
    is_list,
    raw,
    read_pair_counts,
)
from consistency_lab.data.text import csv_rows, located, read_text
from consistency_lab.errors import InputError, did_you_mean
from consistency_lab.files import MAX_BYTES, read_json
from consistency_lab.frozen import frozen
from consistency_lab.model.distribution import Distribution, PreferenceGraph, item_names
from consistency_lab.numbers.exact import rational

# --- Distributions in JSON: our own form, and the items and graphs of a witness file ---------------------
# ``{"items": ["A", "B"], "graphs": [{"probability": "1", "edges": [["A", "B", "1"]]}]}``; ``title`` may be
# added. Probabilities and weights are texts such as ``"1/2"``, or integers.

WITNESS: Final = "consistency-lab/witness/"
_VERSION: Final = "1"
MAX_DOCUMENT_ITEMS: Final = 1_000
"""The most items of a document; far fewer may be kept."""
MAX_COMMON_DIGITS: Final = 500
"""The longest common denominator of probabilities times weights, so that results fit a witness file."""

_KEYS: Final = frozenset({"items", "graphs", "title"})
_GRAPH_KEYS: Final = frozenset({"probability", "edges"})
_EXAMPLE: Final = '{"items": ["A", "B"], "graphs": [{"probability": "1", "edges": [["A", "B", "1"]]}]}'


@final
@dataclass(frozen=True)
class WeightedGraphs(Contents):
    """A distribution as given in a file."""

    distribution: Distribution
    counted: ClassVar[str] = "probability"

    def total(self, kept: Sequence[int]) -> Fraction:
        return Fraction(1)

    def notes(self, kept: Sequence[int], unranked: Unranked) -> tuple[str, ...]:
        return ()

    def votes(self, kept: Sequence[int], unranked: Unranked) -> None:
        return None

    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        small = self.distribution.restricted(kept)
        return tuple(zip(small.graphs, small.probabilities, strict=True))


def read_document(path: str | os.PathLike[str]) -> WeightedGraphs:
    """Read a distribution in JSON, or that of a witness file, whose claim is not checked here."""
    name = os.fspath(path)
    document = read_json(path, read_content(path, MAX_BYTES))
    with located(name):
        if not isinstance(document, Mapping) or not {"items", "graphs"} <= document.keys():
            raise InputError(f"this is not a distribution; expected {_EXAMPLE}")
        kind = document.get("format")
        if kind is None:
            _refuse_unknown(document, _KEYS, "a distribution")
        elif not isinstance(kind, str) or not kind.startswith(WITNESS):
            raise InputError(f"the format is {str(kind)[:60]!r}; it must be {WITNESS}{_VERSION}, or left out")
        elif kind != WITNESS + _VERSION:
            raise InputError(f"the format is {kind[:60]!r}; this version reads {WITNESS}{_VERSION}")
        items = _items(document["items"])
        listed = document["graphs"]
        if not isinstance(listed, list) or not listed:
            raise InputError("'graphs' must be a list of at least one graph")
        numbers = {item: number for number, item in enumerate(items)}
        graphs = [_graph(n, graph, numbers) for n, graph in enumerate(listed, start=1)]
        _refuse_long_denominators(graphs)
        distribution = Distribution.of(items, graphs)
        title = document.get("title", "")
        if not isinstance(title, str):
            raise InputError("'title' must be a string")
    return WeightedGraphs(f"JSON {'witness' if kind else 'distribution'}", title, items, distribution)


def _refuse_unknown(entries: Mapping[str, object], known: frozenset[str], what: str) -> None:
    for key in entries:
        if key not in known:
            raise InputError(f"{key[:40]!r} is not a key of {what}; the keys are {', '.join(sorted(known))}")


def _refuse_long_denominators(graphs: Sequence[tuple[Fraction, PreferenceGraph]]) -> None:
    """Checked before any sum, since a thousand coprime denominators would make each sum longer."""
    common, bound = 1, 10**MAX_COMMON_DIGITS
    for denominators in (
        {p.denominator for p, _ in graphs},
        {weight.denominator for _, graph in graphs for *_, weight in graph},
    ):
        shared = 1
        for denominator in denominators:
            shared = lcm(shared, denominator)
            if common * shared >= bound:
                raise InputError(
                    "the common denominator of the probabilities times that of the weights has more than "
                    f"{MAX_COMMON_DIGITS} digits; round them, for instance to six decimals"
                )
        common *= shared


def _items(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InputError("'items' must be a list of names")
    if len(value) > MAX_DOCUMENT_ITEMS:
        raise InputError(f"there are {len(value)} items; at most {MAX_DOCUMENT_ITEMS} are read")
    return item_names(value)


def _graph(number: int, value: object, items: Mapping[str, int]) -> tuple[Fraction, PreferenceGraph]:
    with located(f"graph {number}"):
        if not isinstance(value, Mapping):
            raise InputError("it must be an object with 'probability' and 'edges'")
        _refuse_unknown(value, _GRAPH_KEYS, "a graph")
        if not value.keys() >= _GRAPH_KEYS:
            raise InputError("'probability' or 'edges' is missing")
        edges = value["edges"]
        if not isinstance(edges, list):
            raise InputError('\'edges\' must be a list such as [["A", "B", "1"]]')
        graph = PreferenceGraph.of([_edge(edge, items) for edge in edges], tuple(items))
        return rational(value["probability"], "the probability"), graph


def _edge(value: object, items: Mapping[str, int]) -> tuple[int, int, object]:
    if not isinstance(value, list) or len(value) != 3:
        raise InputError(f'an edge is {str(value)[:40]}; expected ["preferred", "over", "weight"]')
    preferred, over, weight = value
    return _number(preferred, items), _number(over, items), weight


def _number(name: object, items: Mapping[str, int]) -> int:
    if not isinstance(name, str) or name not in items:
        hint = did_you_mean(str(name), items, "the items are", list(items)[:20])
        raise InputError(f"an edge has the unknown item {str(name)[:40]!r}; {hint}")
    return items[name]


# --- CSV and similar tables without named columns --------------------------------------------------------
# Games, counts of pairs, square matrices of wins.

TITLE: Final = "matrix of wins"

_LOOKED_AT: Final = 20
"""The lines that determine the layout."""

_PROPOSED_FROM: Final = 2_000
"""The lines from which columns are proposed."""


def _is_matrix(first: Head) -> bool:
    """Whether the names of the columns begin with the name of the first row."""
    if first.cells[0] and is_counted_pair(first.cells):
        return False
    second = first.rows[0] if first.rows else []
    names = first.cells[-(len(second) - 1) :]
    return len(second) > 2 and len(first.cells) >= len(names) > 1 and second[0] == names[0] != ""


def _matrix(name: str, text: str, delimiter: str) -> PairCounts:
    """A row for each item: its name, and how often it was preferred to each of the items of the columns."""
    head, *body = csv_rows(name, text, delimiter)
    width = len(body[0][1]) if body else 1
    items = tuple(head[1][-(width - 1) :])
    if len(body) != len(items):
        raise InputError(
            f"{name}: there are {len(body)} rows for {len(items)} names; a matrix of wins must be square"
        )
    rows = []
    for i, (line, cells) in enumerate(body):
        with located(f"{name}, line {line}"):
            if len(cells) != width:
                raise InputError(f"there are {len(cells)} cells, but {width} in the first row")
            if cells[0] != items[i]:
                raise InputError(f"the row is {cells[0][:40]!r}, but column {i + 1} is {items[i][:40]!r}")
            for j, cell in enumerate(cells[1:]):
                if i != j:
                    wins = rational(cell or "0", f"the number of wins over {items[j][:40]}")
                    if wins < 0:
                        raise InputError(f"the number of wins over {items[j][:40]} is negative")
                    rows.append((i, j, wins))
    return PairCounts(TITLE, "", items, Compared.of(rows))


LABELED: Final = re.compile(r"-?\d+(\.\d+)?\s+(qid:\S+\s+)?\d+:\S+")
"""How a line of LETOR or SVMlight begins: a label, perhaps a query, then numbered features."""


Read = Callable[[Any, Head, str, Ties, BadRows], Contents]
"""Reads the file of a name, given its head and what was found in that."""


@frozen
class Layout:
    """A way to write preferences into a table, told by its first lines."""

    title: str  #: What the rows are, for people.
    like: str  #: What tells it: the names of columns, or how a line looks.
    finds: Callable[[Head], object]  #: What the reader needs of the head, if that is one of this layout.
    read: Read


def _games(columns: GameColumns, head: Head, name: str, ties: Ties, bad_rows: BadRows) -> PairCounts:
    try:
        return read_games(name, columns, ties=ties, bad_rows=bad_rows, there=head.plain)
    except InputError as error:
        if columns.loser is None or columns.loser != head.named.get("rejected"):
            raise
        raise InputError(f"{error}; answers to prompts are read with --query prompt") from None


_ANSWERED: Final = 1000
"""Rows in which answers are looked for under several prompts."""
_SEVERAL: Final = 10
"""Where fewer than one answer in so many stands under several prompts, answers are no models."""


def answers_to_prompts(path: str) -> bool:
    """Whether a file has answers to prompts: lists of messages, or texts, nearly all under one prompt."""
    with located(path):
        head = head_of(first_lines(path, _ANSWERED) if Path(path).is_file() else ())
    columns = ("prompt", "chosen", "rejected")
    if not {*columns} <= {*head.cells}:
        return False
    if not {"chosen", "rejected"} & {*head.plain}:
        return True
    prompt, *answers = map(head.cells.index, columns)
    prompts: dict[str, set[str]] = {}
    for row in head.rows:
        if len(row) == len(head.cells):
            for answer in answers:
                prompts.setdefault(row[answer], set()).add(row[prompt])
    several = sum(len(under) > 1 for under in prompts.values())
    return len({*chain.from_iterable(prompts.values())}) > 1 and _SEVERAL * several < len(prompts)


def _columns(*names: str) -> Callable[[Head], object]:
    """Finds columns by these names, if all are there."""
    return lambda head: {*names} <= head.named.keys() and [head.named[name] for name in names]


def _outcomes(told: Callable[[Sequence[str]], str], said: str = "") -> Read:
    """Reads games of two players whose outcome the other columns tell together."""
    return lambda found, head, name, ties, bad_rows: read_outcomes(
        name, (found[0], found[1]), found[2:], told, ties=ties, bad_rows=bad_rows, said=said
    )


def _flagged(cells: Sequence[str]) -> str:
    """The outcome whose column has a 1, if it is the only one."""
    words = [word for word, cell in zip(WON, cells, strict=True) if cell.lower() in ("1", "1.0", "true")]
    return words[0] if len(words) == 1 else ""


def _scored(cells: Sequence[str]) -> str:
    """The outcome of a game that ended with these points."""
    if not all(cell.isdecimal() for cell in cells):
        return ""
    first, second = map(int, cells)
    return WON[0] if first > second else WON[1] if second > first else WON[2]


_POINTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("1", "1.0", "w", "win", "won"), WON[0]),
    **dict.fromkeys(("0", "0.0", "l", "loss", "lost"), WON[1]),
    **dict.fromkeys(("0.5", "0,5", ".5", "1/2", "½", "d", "draw", "tie"), WON[2]),
}


_SIDES: Final[Mapping[str, str]] = MappingProxyType({"model_1": WON[0], "model_2": WON[1], "tie": WON[2]})


_BOTH: Final = "a model wins where both judgments name it; where they differ, it is a tie"


def _judged_twice(cells: Sequence[str]) -> str:
    """The outcome of two judgments: a win if both agree, else a tie, as the authors of MT-bench count."""
    sides = {_SIDES.get(cell.lower(), "") for cell in cells}
    return "" if "" in sides else sides.pop() if len(sides) == 1 else WON[2]


def _ballots(found: Reader, head: Head, name: str, ties: Ties, bad_rows: BadRows) -> Ballots:
    return found(name, bad_rows)  # ballots know no ties of games


def _text(fits: Callable[[Head], object]) -> Callable[[Head], object]:
    """Whether a table that is read as a whole fits."""
    return lambda head: not head.is_json and fits(head)


def _whole(read: Callable[[str, str, str], Contents]) -> Read:
    """Reads a table as a whole: its name, its text and its delimiter are given."""
    return lambda found, head, name, ties, bad_rows: read(called(name), read_text(name), head.delimiter)


def _refused(why: str, columns: Callable[[Head], Mapping[str, str]] = lambda head: {}) -> Read:
    """Refuses a table without preferences, and says what to do instead."""

    def read(found: object, head: Head, name: str, ties: Ties, bad_rows: BadRows) -> Contents:
        options = " ".join(f"--{option} {quote(column)}" for option, column in columns(head).items())
        raise InputError(f"{called(name)}, line 1: {why.format(file=quote(name), options=options)}")

    return read


_INSTEAD: Final = f"{ONE_JUDGE}; what to train: consistency-lab recommend --target ndcg --library lightgbm"
_QRELS: Final = re.compile(r"\S+\s+Q?0\s+\S+\s+-?\d+\s*$")
_TAG: Final = re.compile(r'\[\w+\s+"')


def is_qrels(head: Head) -> bool:
    """Whether a line is a query, 0, a document and its grade."""
    return _QRELS.match(head.first) is not None and len(head.cells) in (1, 4)


_OF_CLICKS: Final[Mapping[str, Sequence[str]]] = {
    "session": ("session", "session_id", "impression", "impression_id", "search_id"),
    "position": ("position", "pos", "rank"),
    "clicked": ("clicked", "click", "clicks"),
}


def _of_clicks(head: Head) -> Mapping[str, str]:
    """The columns of a log of clicks, as `aggregate` calls them; COLUMN for one that is not recognized."""
    named, graded = head.named, grades_in(head)
    columns = {one: next(filter(None, map(named.get, names)), "COLUMN") for one, names in _OF_CLICKS.items()}
    query = {"query": graded["query"]} if "query" in graded else {}
    return query | {"item": graded.get("item", "COLUMN")} | columns


def _is_log(head: Head) -> bool:
    columns = _of_clicks(head)
    return "COLUMN" not in (columns["position"], columns["clicked"])


LAYOUTS: Final = (
    Layout(
        "LETOR or SVMlight (refused: one judge)",
        "2 qid:1 1:0.5",
        lambda head: LABELED.match(head.first.strip()),
        _refused(f"this is a LETOR or SVMlight file with one label per document; {_INSTEAD}"),
    ),
    Layout(
        "qrels of TREC (refused: one judge)",
        "301 0 FT911-3 1",
        is_qrels,
        _refused(f"this is a qrels file of TREC with one grade per document; {_INSTEAD}"),
    ),
    Layout(
        "clicks (refused: they depend on positions)",
        "query, document, position, clicked",
        _is_log,
        _refused(
            "this is a log of clicks, which depend on the positions (position bias); make labels of them: "
            "consistency-lab aggregate {file} {options} --structure cascade-mle",
            _of_clicks,
        ),
    ),
    Layout(
        "results of chess in PGN",
        '[White "Ann"]',
        lambda head: _TAG.match(head.first.strip()),
        lambda found, head, name, ties, bad_rows: read_pgn(name, ties=ties, bad_rows=bad_rows),
    ),
    Layout(
        "games, battles, chosen and rejected answers",
        "winner, loser; chosen, rejected; model_a, model_b, winner; white, black, result",
        games_in,
        _games,
    ),
    Layout(
        "battles of Kaggle",
        "model_a, model_b, winner_model_a, winner_model_b, winner_tie",
        _columns("model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie"),
        _outcomes(_flagged),
    ),
    Layout(
        "pairs of MT-bench",
        "model_1, model_2, g1_winner, g2_winner",
        _columns("model_1", "model_2", "g1_winner", "g2_winner"),
        _outcomes(_judged_twice, _BOTH),
    ),
    Layout(
        "games with points",
        "home, away, home_goals, away_goals",
        _columns("home", "away", "home_goals", "away_goals"),
        _outcomes(_scored),
    ),
    Layout(
        "games with the points of the player",
        "player, opponent, result",
        _columns("player", "opponent", "result"),
        _outcomes(lambda cells: _POINTS.get(cells[0].lower(), "")),
    ),
    Layout(
        "completions with ratings, as in UltraFeedback",
        '"completions": [{"model": "A", "overall_score": 7}, ...]',
        lists_in,
        _ballots,
    ),
    Layout("completions that are liked or not, as for KTO", "prompt, completion, label", liked_in, _ballots),
    Layout(
        "a square matrix of wins",
        "names in the first line and the first column",
        _text(_is_matrix),
        _whole(_matrix),
    ),
    Layout(
        "orders",
        "A > B = C; 3: A > B",
        _text(lambda head: ORDER.fullmatch(head.first)),
        _whole(lambda name, text, delimiter: read_orders(name, text)),
    ),
    Layout(
        "ballots of ranked choice: skipped ranks are passed over, an overvote ends a ballot",
        "rank1, rank2; choice 1, choice 2; 1st choice, 2nd choice",
        ranked_in,
        _ballots,
    ),
    Layout(
        "cast-vote records: a column of 0 and 1 for each item at each rank",
        "Ann:1, Ann:2",
        marks_in,
        _ballots,
    ),
    Layout(
        "surveys: each row ranks the items from 1, or a respondent rates them (0..10, -10..10, 0..100)",
        "Timestamp, Name, one column for each item",
        survey_in,
        _ballots,
    ),
    Layout(
        "counts of pairs", "A,B,3", _text(lambda head: is_counted_pair(head.cells)), _whole(read_pair_counts)
    ),
)
"""The layouts of tables, in the order in which they are tried."""


def read_table(path: str | os.PathLike[str], *, ties: Ties, bad_rows: BadRows) -> Contents:
    """Read a table of one of the `LAYOUTS`, as the first lines show."""
    name = os.fspath(path)
    lines = first_lines(path, _LOOKED_AT)
    if not lines:
        return read_games(path, GameColumns(*COLUMNS[:2]), ties=ties, bad_rows=bad_rows)
    with located(called(name)):
        head = head_of(lines)
    if head.is_json and not head.cells:
        raise InputError(
            f"{called(name)}: its beginning is no JSON object with columns, is too long, or nests too deep; "
            "name the columns, as in --winner chosen --loser rejected"
        )
    for layout in LAYOUTS:
        with located(called(name)):
            found = layout.finds(head)
        if found:
            return layout.read(found, head, name, ties, bad_rows)
    many = head_of(first_lines(path, _PROPOSED_FROM))
    if head.is_json:
        raise InputError(f"{called(name)} has no columns winner and loser; {proposal(name, many)}")
    raise InputError(
        f"{called(name)}, line 1: {','.join(head.cells)[:60]!r} has no columns winner and loser, is not "
        f"{','.join(COLUMNS)}, nor the header of a square matrix of wins; {proposal(name, many)}"
    )


# --- The table of file formats. A new format is one reader and one line here -----------------------------


@final
@dataclass(frozen=True)
class Source:
    """A file whose text is read once, so that a pipe may be one; what becomes of ties and bad rows in it."""

    name: str
    ties: Ties = "half"
    bad_rows: BadRows = "fail"

    @property
    def kind(self) -> str:
        """The extension, if it is one of ours; of PrefLib's files it is their data type."""
        kind = Path(unpacked_name(self.name)).suffix.lower().removeprefix(".")
        return kind if kind in FORMATS else ""

    @cached_property
    def text(self) -> str:
        """Its text, see `read_text`."""
        return read_text(self.name)


@frozen
class Format:
    """A way to write preferences into a file."""

    title: str  #: What it is, for people.
    read: Callable[[Source], Contents]  #: Its reader.
    #: What the first line of such a file looks like, for files with an unknown extension.
    begins: re.Pattern[str]


ORDERS: Final = Format("lines such as A > B > C", lambda source: read_orders(source.name, source.text), ORDER)
JSON: Final = Format(
    "JSON distribution or witness", lambda source: read_document(source.name), re.compile(r"\s*\{")
)
PREFLIB: Final = Format(
    "PrefLib orders",
    lambda source: read_preflib(source.name, source.text, source.kind),
    re.compile(r"#|\d+\s*$|\d+\s*:(?!.*>)"),
)
TABLE: Final = Format(
    "table of games, pair counts or a matrix of wins",
    lambda source: read_table(source.name, ties=source.ties, bad_rows=source.bad_rows),
    re.compile(
        rf"sep=.$|[^,]+,[^,]+,[^,]+$|{LABELED.pattern}|{_QRELS.pattern}|{_TAG.pattern}|(?i:(?=.*\bwinner\b).*\bloser\b)"
    ),
)

FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    dict.fromkeys(("soc", "soi", "toc", "toi", "cat"), PREFLIB)
    | dict.fromkeys(("csv", "tsv", "jsonl", "parquet", "pgn"), TABLE)
    | {"json": JSON}
)
"""By extension."""


def format_of(source: Source) -> Format:
    """The format of a file, by its extension, or, if that is unknown, by its first line."""
    if source.name == STANDARD_INPUT:
        return TABLE
    if source.kind == "json" and Path(source.name).is_file():
        with raw(source.name) as file:
            return TABLE if is_list(file.peek()) else JSON
    if source.kind:
        return FORMATS[source.kind]
    first = source.text.lstrip().partition("\n")[0].strip()
    for known in (*dict.fromkeys(FORMATS.values()), ORDERS):
        if known.begins.match(first[:1000]):
            return known
    dotted = ".{}".format
    given = Path(unpacked_name(source.name)).suffix.lower()[1:]
    hint = did_you_mean(given, FORMATS, "name it", map(dotted, FORMATS), shown=dotted)
    raise InputError(f"{source.name}: neither the name nor the first line shows the format; {hint}")
