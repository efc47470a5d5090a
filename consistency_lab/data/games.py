"""Games, battles, ratings and graded judgments in a table: who was preferred to whom."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from io import TextIOWrapper
from itertools import chain
from shlex import quote
from types import MappingProxyType
from typing import Final, Literal, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.data.preflib import Ballots, Levels
from consistency_lab.data.rows import (
    COUNT,
    NO_GAMES,
    NO_TIMES,
    BadRows,
    Compared,
    Dropped,
    LeftOut,
    PairCounts,
    called,
    grouped,
    numbered,
    opened,
)
from consistency_lab.data.tables import NumberedRow, Table, read_columns
from consistency_lab.data.text import MAX_COUNT_DIGITS
from consistency_lab.errors import InputError
from consistency_lab.model.checked import checked
from consistency_lab.numbers.arrays import Codes
from consistency_lab.numbers.exact import rational
from consistency_lab.processes import Undone, on_cluster

# --- Games, battles and pairwise judgments in a table: who was preferred to whom, named by columns -------

Ties = Literal["half", "drop", "both"]
"""How a tie counts: half a win for each, not at all, or a win for each."""

EACH: Final[Mapping[Ties, Fraction]] = MappingProxyType(
    {"half": Fraction(1, 2), "drop": Fraction(0), "both": Fraction(1)}
)
"""The share of a tie that each of the two gets."""

_SAID: Final[Mapping[Ties, str]] = MappingProxyType(
    {"half": "counted as half a win for each", "drop": "left out", "both": "counted as a win for each"}
)
_TIED: Final = re.compile(
    r"1/2 *- *1/2|½ *- *½|0[.,]5 *- *0[.,]5|"
    r"(tied?|draw|drawn|equal|both|neither)([ _-]*\(?(both)?[ _-]*(are )?(bad|good|equal))?\)?"
)
DASHES: Final = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
"""What editors make of a hyphen."""
_SIDES: Final = (("a", "b"), ("model_a", "model_b"), ("1-0", "0-1"), ("white", "black"), ("left", "right"))
"""Other words for the first or the second player in a column of winners."""

CLUSTERS: Final = (
    *("judge", "annotator", "rater", "assessor", "evaluator", "labeler", "voter", "respondent"),
    *("participant", "worker", "user", "evaluation_session", "session", "question_id", "prompt"),
)
"""What dependent games have in common: who judges, before what is judged. An "id" or "name" may follow."""

TIMES: Final = (
    *("timestamp", "tstamp", "datetime", "utcdatetime", "playedat", "judgedat", "createdat"),
    *("utcdate", "date", "time"),
)
"""What the column of times is called, without capitals and blanks."""

ALONE: Final = "none"
"""Given for the column of clusters if games are independent."""

_LARGEST: Final = Fraction(10**15)
_FIRST, _SECOND, _TIE, _NEITHER, _MISSING = range(5)
"""The outcome of the game in a row."""


@final
@checked
@dataclass(frozen=True, slots=True)
class GameColumns:
    """The columns of a table of games: winner and loser, or two players and which of them won."""

    #: Who won. With `a` and `b`: one of their names or of their column names, or a word for a tie, such as
    #: "tie", "draw" or "both bad".
    winner: str
    loser: str | None = None  #: Who lost; without `a` and `b`.
    #: The two that are compared.
    a: str | None = None
    b: str | None = None
    #: How often. By default the column named count, and without one each row counts once.
    count: str | None = None
    #: What dependent games have in common, such as a judge or a prompt. By default the first column named in
    #: `CLUSTERS` that has one value in several games, and several values; with "none" games are independent.
    cluster: str | None = None

    def __post_init__(self) -> None:
        if (self.a is None) != (self.b is None):
            raise InputError("only one column of players is given; give both, a and b")
        if (self.loser is None) == (self.a is None):
            raise InputError("give the names of the columns winner and loser, or a, b and winner")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order in which they are read."""
        return beside(self, ())


def beside(columns: GameColumns, perhaps: Sequence[str]) -> tuple[str, ...]:
    """The columns in the order in which they are read, with those that perhaps have clusters."""
    players = (columns.winner, columns.loser) if columns.a is None else (columns.winner, columns.a, columns.b)
    told = None if columns.cluster == ALONE else columns.cluster
    return tuple(name for name in (*players, told, *perhaps, columns.count) if name is not None)


def clusters(columns: GameColumns, there: Iterable[str]) -> tuple[str, ...]:
    """The columns among those that are there by which games may be clustered, if none is given."""
    bare = _bare(columns, there)
    spelled = (name.replace("_", "") + end for name in CLUSTERS for end in ("", "id", "name"))
    return tuple(bare[one] for one in spelled if one in bare) if columns.cluster is None else ()


def _bare(columns: GameColumns, there: Iterable[str]) -> dict[str, str]:
    """The other columns, by their letters and digits."""
    return {re.sub(r"[\W_]+", "", one.lower()): one for one in there if one not in columns.names}


def read_games(
    path: str | os.PathLike[str],
    columns: GameColumns,
    *,
    ties: Ties = "half",
    bad_rows: BadRows = "report",
    there: Iterable[str] = (),
    ordered: bool = False,
) -> PairCounts:
    """Read a table of games; items are numbered as they appear."""
    perhaps, bare = clusters(columns, there), _bare(columns, there)
    when = [bare[one] for one in TIMES if ordered and one in bare and bare[one] not in perhaps][:1]
    others = (*perhaps, *when)
    wanted = beside(columns, others)
    several = not others and columns.cluster in (None, ALONE)  # where clusters differ, few rows are equal
    table = read_columns(path, wanted, bad_rows, columns.count is None, perhaps=others, distinct=several)
    return games_of(table, columns, ties, perhaps=perhaps, timed=bool(when))


def read_parts(
    paths: Sequence[str | os.PathLike[str]],
    columns: GameColumns,
    *,
    ties: Ties = "half",
    bad_rows: BadRows = "report",
    scheduler: str | None = None,
) -> PairCounts:
    """Read several tables of games as one, each counted here or by a worker of a Dask cluster."""
    if columns.cluster not in (None, ALONE):
        raise InputError("tables that are counted apart have no clusters; leave out the column of clusters")
    names = [os.fspath(path) for path in paths]
    messages = [(name, columns, ties, bad_rows) for name in names]
    here = ((number, _part(message)) for number, message in enumerate(messages))
    parts = here if scheduler is None else on_cluster(_part, messages, scheduler)
    waiting: dict[int, PairCounts] = {}
    numbers: dict[str, int] = {}
    won, tied, said, left = NO_GAMES, NO_GAMES, list[str](), list[LeftOut]()
    with closing(parts):
        done = 0
        for number, part in parts:
            if isinstance(part, Undone):
                raise InputError(f"{names[number]} could not be counted: {part.reason}")
            waiting[number] = part
            while (next_one := waiting.pop(done, None)) is not None:
                place = np.array([numbers.setdefault(item, len(numbers)) for item in next_one.items])
                won = won.added(next_one.counts.among(place)[0])
                tied = tied.added(next_one.ties.among(place)[0].sorted)
                said += [
                    f"{names[done]}: {note}" for one in next_one.left for note in (*one.warning, *one.why)
                ]
                left += next_one.left
                done += 1
    said[:0] = [_ties_said(ties, tied)] if len(tied.often) else []
    return PairCounts(
        "table of games", "", tuple(numbers), won, tied, EACH[ties], tuple(said), left=tuple(left)
    )


def _part(message: tuple[str, GameColumns, Ties, BadRows]) -> PairCounts:
    name, columns, ties, bad_rows = message
    return read_games(name, columns, ties=ties, bad_rows=bad_rows)


def _ties_said(ties: Ties, tied: Compared) -> str:
    ended = Fraction(tied.total)
    number = f"{ended.numerator:,}" if ended.denominator == 1 else str(ended)
    return f"ties {_SAID[ties]}: {number}"


WON: Final = ("1-0", "0-1", "tie")
"""Words for the outcomes of a game: its first player won, its second, neither."""


def read_outcomes(
    path: str | os.PathLike[str],
    players: tuple[str, str],
    columns: Sequence[str],
    told: Callable[[Sequence[str]], str],
    *,
    ties: Ties = "half",
    bad_rows: BadRows = "report",
    said: str = "",
) -> PairCounts:
    """Read games whose outcome several columns tell together."""
    table = read_columns(path, (*players, *columns), bad_rows, count=True)
    group, begin = grouped(*table.columns[2:-1])
    kinds = zip(*(column[begin].tolist() for column in table.columns[2:-1]), strict=True)
    words = table.numbers(told([table.texts[number] for number in kind]) for kind in kinds)
    table.columns = [words[group], table[0], table[1], table[-1]]
    # Only games whose columns can be named are read apart.
    table.dropped.told = (
        *([said] if said else []),
        *(one.partition("; --")[0] for one in table.dropped.told),
    )
    return games_of(table, GameColumns(" or ".join(columns), a=players[0], b=players[1]), ties)


_TAG: Final = re.compile(r'\[(\w+)\s+"(.*)"\]')
_PLAYED: Final = ("result", "white", "black")


def read_pgn(
    path: str | os.PathLike[str], *, ties: Ties = "half", bad_rows: BadRows = "report"
) -> PairCounts:
    """Read the results of games of chess in PGN, without the moves."""
    name = called(path)
    table = Table(5, Dropped(name, bad_rows))
    with opened(os.fspath(path)) as file:
        text = TextIOWrapper(file, "utf-8-sig")
        try:
            table.add(_played(text, table.dropped))
        except UnicodeDecodeError:
            raise InputError(f"{name} is not UTF-8; save it in UTF-8") from None
        finally:
            text.detach()
    table.join()
    columns = GameColumns("result", a="white", b="black")
    return games_of(table, columns, ties, "games of chess in PGN", timed=True)


def _played(lines: Iterable[str], dropped: Dropped) -> Iterator[NumberedRow]:
    """The result and the players of each game, at its first line; an unfinished game has no result."""
    tags: dict[str, str] = {}
    first, in_moves = 0, False
    for line, one in enumerate(chain(lines, ['[end ""]']), start=1):
        matched = _TAG.fullmatch(one.strip())
        if matched is None:
            in_moves |= bool(one.strip())
            continue
        tag = matched[1].lower()
        if tags and (in_moves or tag in tags or tag == "end"):
            dropped.seen += 1
            result, white, black = (tags.get(key, "") for key in _PLAYED)
            when = f"{tags.get('utcdate', tags.get('date', ''))} {tags.get('utctime', '')}"
            yield first, ("" if result == "*" else result, white, black, when, "1")
            tags = {}
        first, in_moves = first if tags else line, False
        tags[tag] = matched[2].replace('\\"', '"').replace("\\\\", "\\").strip()


_Game = tuple[int, int, int | Fraction]


def games_of(
    table: Table,
    columns: GameColumns,
    ties: Ties,
    title: str = "table of games",
    perhaps: Sequence[str] = (),
    timed: bool = False,
) -> PairCounts:
    """The games in a table of these columns, perhaps with clusters, times and a count, added up."""
    outcomes(table, columns)
    given = None if columns.cluster == ALONE else columns.cluster
    if given is not None:
        table.refuse(table[3] == table.number(""), f"the {given} is missing")
    parsed = table.parsed(-1, game_count)
    kinds = table[-1][numbered(table[-1], len(table.texts))[1]].tolist()
    counts = {kind: parsed[kind] for kind in kinds}
    several = any(count != 1 for count in counts.values())
    first, second, tie = table.columns[:3]
    both = np.stack([first, second], axis=1).ravel()
    items, appear = numbered(both, len(table.texts))
    names = both[appear].tolist()
    del first, second, both  # of ten million games each of these takes 40 MB or more
    i, j = items[::2], items[1::2]
    i, j = np.where(tie, np.minimum(i, j), i), np.where(tie, np.maximum(i, j), j)
    del items
    place = NO_TIMES if not timed else _ROWS_OF_SEVERAL if several else _in_time(table)
    if not isinstance(place, str):
        place = place[tie[place] == 0] if ties == "drop" else place
        rows = [i[place].tolist(), j[place].tolist(), (tie[place] > 0).tolist()]
    clustered = _clusters(table, perhaps, several) if given is None else [(given, grouped(table[3])[0])]
    by, cluster = clustered[0] if clustered else (None, np.zeros_like(i))
    table.free(0, 1)
    group, begin = grouped(i, j, tie, cluster)  # the clusters last, since they have most kinds
    often = _added(table, counts, group, len(begin))
    dropped = table.close()
    if not len(begin):
        raise InputError(f"{dropped.name}: there are no games; {dropped.nothing}")
    is_tie = tie[begin] > 0
    table.free(2, -1)
    del tie, group
    i = i[begin]
    j = j[begin]
    cluster = cluster[begin]
    won, tied = (Compared(i[k], j[k], often[k]) for k in (~is_tie, is_tie))
    notes = [_ties_said(ties, tied)] if is_tie.any() else []
    if several and columns.count is None:
        notes.append(f"each row counts as often as its column {COUNT} says")
    if clustered and given is None:
        others = "".join(f"; --cluster {quote(name)} would group them by that" for name, _ in clustered[1:])
        notes.append(f"games of one {by} are drawn together; --cluster {ALONE} draws each alone{others}")
    return PairCounts(
        title,
        "",
        tuple(table.texts[name] for name in names),
        won,
        tied,
        EACH[ties],
        (*notes, *dropped.notes),
        None if by is None else (cluster[~is_tie], cluster[is_tie]),
        by,
        place if isinstance(place, str) else tuple(zip(*rows, strict=True)),
        left=dropped.left,
    )


def _added(
    table: Table, counts: Mapping[int, int | Fraction], group: Codes, size: int
) -> NDArray[np.int64] | NDArray[np.object_]:
    """The sum of the counts of each group of rows, exactly."""
    if not table.distinct and set(counts.values()) == {1}:
        return np.bincount(group, minlength=size)
    most = max(counts.values(), default=0) * int(table.times.sum())
    is_whole = most < 1 << 53 and all(type(count) is int for count in counts.values())
    value = np.zeros(len(table.texts), float if is_whole else object)
    value[list(counts)] = list(counts.values())
    weights = value[table[-1]]
    weights *= table.times
    if is_whole:  # below 2^53 sums are exact in floats
        return np.bincount(group, weights, size).astype(np.int64)
    sums = np.zeros(size, object)
    np.add.at(sums, group, weights)
    return Compared.of((0, 0, n) for n in sums.tolist()).often


_ROWS_OF_SEVERAL: Final = "depends on the order of games, and a row stands for several"
_SECONDS: Final = re.compile(r"\d{1,30}(\.\d{1,30})?")


def _in_time(table: Table) -> NDArray[np.intp] | str:
    """The rows by time, those of one time as they stand; or why that is not known."""
    texts = dict.fromkeys(table[-2].tolist())
    times = {number: _time(table.texts[number]) for number in texts}
    bad = next((table.texts[number] for number, time in times.items() if time is None), None)
    if bad is not None:
        told = f"one has {bad[:40]!r}" if bad else "one has none"
        return f"needs a time for each game, such as 2026-05-31 or seconds, but {told}"
    if len({kind for kind, _ in filter(None, times.values())}) > 1:
        return "needs the time of each game, but some are dates and some are numbers"
    rank = {time: place for place, time in enumerate(sorted(filter(None, {*times.values()})))}
    places = {number: rank[time] for number, time in times.items() if time is not None}
    return np.argsort([places[number] for number in table[-2].tolist()], kind="stable")


def _time(text: str) -> tuple[bool, Fraction] | None:
    """A comparable time, and whether it is a date; a date without a zone is in UTC."""
    if _SECONDS.fullmatch(text):
        return False, Fraction(text)
    try:
        moment = datetime.fromisoformat(text.strip().replace(".", "-", 2) if text[4:5] == "." else text)
    except ValueError:
        return None
    utc = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return True, Fraction(utc.timestamp())


def _clusters(table: Table, perhaps: Sequence[str], several: bool) -> list[tuple[str, Codes]]:
    """The columns that group games, with the cluster of each row; without a value a row is alone."""
    columns, nothing = [], table.number("")
    for column, name in enumerate(perhaps, start=3):
        alone = int(table[column].max(initial=0)) + 1 + np.arange(len(table.lines), dtype=np.int32)
        group, begin = grouped(np.where(table[column] == nothing, alone, table[column]))
        if len(begin) > 1 and (several or len(begin) < len(group)):
            columns.append((name, group))
    return columns


def outcomes(table: Table, columns: GameColumns, printable: bool = True) -> None:
    """Replace the columns of a game by winner, loser and whether it was a tie; refuse rows without."""
    at = 0 if columns.a is None else 1
    nothing = table.number("")
    table.refuse((table[at] == nothing) | (table[at + 1] == nothing), "an item has no name")
    if printable:
        odd = table.where(str.isprintable) == 0
        table.refuse(odd[table[at]] | odd[table[at + 1]], "an item name has an unprintable character")
    table.refuse(table[at] == table[at + 1], "an item is compared with itself")
    if columns.a is None:
        table.columns[2:2] = [np.zeros(len(table.lines), np.int32)]
        return

    named = tuple(str(name).lower() for name in (columns.a, columns.b))

    def told(result: str) -> int:
        said = result.lower().translate(DASHES)
        for known in (named, *_SIDES):
            if said in known:
                return known.index(said)
        if _TIED.fullmatch(said):
            return _TIE
        return _NEITHER if result else _MISSING

    winner, first, second = table.columns[:3]
    result = np.select([winner == first, winner == second], [_FIRST, _SECOND], table.where(told)[winner])
    told_first = table.texts[winner[(result == _NEITHER).argmax()]][:20] if len(result) else ""
    table.columns[0] = result.astype(np.int32)
    table.refuse(table[0] == _NEITHER, f"the winner, such as {told_first!r}, is neither player nor a tie")
    table.refuse(table[0] == _MISSING, "the winner is missing")
    result, first, second = table.columns[:3]
    is_second = result == _SECOND
    table.columns[:3] = [
        np.where(is_second, second, first),
        np.where(is_second, first, second),
        (result == _TIE).astype(np.int32),
    ]


def game_count(cell: str) -> int | Fraction:
    """How often a game was played."""
    whole = cell.isdecimal() and len(cell) <= MAX_COUNT_DIGITS
    count = int(cell) if whole else rational(_pointed(cell), "the count")
    if not 0 <= count <= _LARGEST:
        raise InputError(f"the count is not between 0 and {_LARGEST}")
    return count


ONE_PAIR: Final = "it compares only one pair, which no loss contradicts"
"""Why a query of two items is left out."""


def read_query_games(
    path: str | os.PathLike[str],
    columns: GameColumns,
    query: str,
    *,
    ties: Ties = "half",
    bad_rows: BadRows = "report",
) -> dict[str, PairCounts | str]:
    """Read games of answers (prose, see `tables.shortened`): for each query its games, or why it has none."""
    if columns.cluster not in (None, ALONE):
        raise InputError("games are split by query, so they have no clusters; give only one of the two")
    columns = replace(columns, cluster=query)
    table = read_columns(path, columns.names, bad_rows, count=columns.count is None, prose=True)
    every = games_of(table, columns, ties)
    assert every.clusters is not None
    begin = grouped(table[3])[1]
    games: list[tuple[list[_Game], list[_Game]]] = [([], []) for _ in begin]
    for k, (listed, clusters) in enumerate(
        zip((every.counts.listed, every.ties.listed), every.clusters, strict=True)
    ):
        for game, cluster in zip(listed, clusters.tolist(), strict=True):
            games[cluster][k].append(game)
    queries: dict[str, PairCounts | str] = {}
    for asked, (won, tied) in zip((table.texts[k] for k in table[3][begin]), games, strict=True):
        there = dict.fromkeys(item for i, j, _ in (*won, *tied) for item in (i, j))
        new = {item: number for number, item in enumerate(there)}
        own, even = (Compared.of((new[i], new[j], n) for i, j, n in listed) for listed in (won, tied))
        items = tuple(every.items[item] for item in there)
        queries[asked] = ONE_PAIR
        if len(items) > 2:
            queries[asked] = PairCounts(
                every.format, asked, items, own, even, every.share, table.dropped.notes, left=every.left
            )
    return queries


# --- Ratings and graded judgments: who gave what grade to which item -------------------------------------

TITLE: Final = "table of ratings"
_COMMA: Final = re.compile(r"-?\d+,\d{1,2}")
"""A decimal comma; before three digits it could separate thousands."""

ONE_JUDGE: Final = "one judge's grades are an order, which no loss contradicts; several judges are needed"


def read_ratings(
    path: str | os.PathLike[str],
    user: str,
    item: str,
    rating: str,
    *,
    top: int | None = None,
    bad_rows: BadRows = "report",
) -> Ballots:
    """Read ratings: each user's are a ballot, equal ones tied; the `top` items have most ratings."""
    given, again, dropped = grades_given(path, (user, item, rating), bad_rows)
    rated = Counter(one for grades in given.values() for one in grades)
    if not rated:
        raise InputError(f"{dropped.name}: there are no ratings; {dropped.nothing}")
    kept = [one for one, _ in rated.most_common(top)]
    numbers = {one: number for number, one in enumerate(kept)}
    few = f"{len(kept)} of {len(rated)} items are kept; preferences about the others are ignored"
    said = (*([few] if len(kept) < len(rated) else []), *again, *dropped.notes)
    ballots = _ballots(given.values(), numbers)
    return Ballots(TITLE, "", tuple(kept), ballots, said, left=dropped.left, silent="unknown")


def read_queries(
    path: str | os.PathLike[str],
    query: str,
    item: str,
    judge: str,
    grade: str,
    *,
    bad_rows: BadRows = "report",
) -> dict[str, Ballots | str]:
    """Read grades: for each query the ballots of its judges, or why one judge or one item tells nothing."""
    given, again, dropped = grades_given(path, (judge, item, grade, query), bad_rows)
    queries: dict[str, list[dict[str, Fraction]]] = {}
    for (asked, _), grades in given.items():
        queries.setdefault(asked, []).append(grades)
    if not queries:
        raise InputError(f"{dropped.name}: there are no grades; {dropped.nothing}")
    ballots_of: dict[str, Ballots | str] = {}
    for asked, judges in queries.items():
        items = tuple(dict.fromkeys(one for grades in judges for one in grades))
        numbers = {one: number for number, one in enumerate(items)}
        ballots_of[asked] = ONE_JUDGE if len(judges) < 2 else "it has only one item"
        if len(judges) > 1 and len(items) > 1:
            ballots, said = _ballots(judges, numbers), (*again, *dropped.notes)
            ballots_of[asked] = Ballots(
                "table of judgments", asked, items, ballots, said, left=dropped.left, silent="unknown"
            )
    return ballots_of


def grades_given(
    path: str | os.PathLike[str], columns: tuple[str, ...], bad_rows: BadRows
) -> tuple[dict[tuple[str, ...], dict[str, Fraction]], tuple[str, ...], Dropped]:
    """The grades of each voter (for each query, if there is a fourth column), notes, and what is left out."""
    table = read_columns(path, columns, bad_rows)
    nothing = table.number("")
    named = [table[k] != nothing for k in range(len(columns)) if k != 2]
    table.refuse(~np.logical_and.reduce(named), "an item, judge or query has no name")
    numbers = table.parsed(2, _grade)
    dropped = table.close()
    voter, _ = grouped(*table.columns[3:], table[0])
    _, begin = numbered(voter, len(voter))
    texts = table.texts
    keys = zip(*(column[begin].tolist() for column in (*table.columns[3:], table[0])), strict=True)
    given: list[tuple[tuple[str, ...], dict[str, Fraction]]] = [
        (tuple(texts[number] for number in key), {}) for key in keys
    ]
    again = 0
    for who, item, grade in zip(voter.tolist(), table[1].tolist(), table[2].tolist(), strict=True):
        grades = given[who][1]
        again += texts[item] in grades
        grades[texts[item]] = numbers[grade]
    said = (f"grades replaced by a later one of the same voter and item: {again}",) if again else ()
    return dict(given), said, dropped


def _pointed(number: str) -> str:
    """A number with its decimal comma turned into a point."""
    return number.replace(",", ".") if _COMMA.fullmatch(number) else number


def _grade(text: str) -> Fraction:
    try:
        return rational(_pointed(text), "the grade")
    except InputError:
        raise InputError("the grade is not a number") from None


def _ballots(
    given: Iterable[Mapping[str, Fraction]], numbers: Mapping[str, int]
) -> tuple[tuple[int, Levels], ...]:
    """Weak orders by falling grade, equal ballots counted once."""
    ballots: Counter[Levels] = Counter()
    for grades in given:
        levels: dict[Fraction, list[int]] = {}
        for item, grade in grades.items():
            if item in numbers:
                levels.setdefault(grade, []).append(numbers[item])
        if levels:
            ballots[tuple(tuple(sorted(levels[grade])) for grade in sorted(levels, reverse=True))] += 1
    return tuple((count, levels) for levels, count in ballots.items())
