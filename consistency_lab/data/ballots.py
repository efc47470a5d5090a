"""Ballots, one a row, as elections, surveys and trainers of language models write them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import chain, pairwise
from typing import Final, NamedTuple, final

from consistency_lab.data.layouts import RESPONDENTS, Head
from consistency_lab.data.preflib import Ballots, Levels
from consistency_lab.data.rows import (
    COUNT,
    PARQUET,
    QUERIES,
    BadRows,
    Dropped,
    called,
    flaw,
    opened,
    plain_name,
    scanned,
)
from consistency_lab.data.tables import last_said, shortened
from consistency_lab.data.text import NOTHING, csv_rows, json_cells, located, read_text, whole_number
from consistency_lab.errors import InputError
from consistency_lab.numbers.exact import rational

Reader = Callable[[str, BadRows], Ballots]
"""Reads the file of this name."""

LineCells = Sequence[object]


def _rows(name: str, head: Head, dropped: Dropped) -> Iterator[tuple[int, LineCells]]:
    """The lines of a table, and their cells in the order of the head, if there are as many."""
    if not head.is_json:
        for line, cells in list(csv_rows(called(name), read_text(name), head.delimiter))[1:]:
            dropped.seen += 1
            if len(cells) == len(head.cells):
                yield line, cells
            else:
                dropped.row(line, f"it does not have {len(head.cells)} cells")
        return
    with opened(name) as file:
        if file.peek(4).startswith(PARQUET):
            with scanned(called(name), file) as scan:
                for line, values in enumerate(scan.select(head.cells).collect().rows(), start=1):
                    dropped.seen += 1
                    yield line, values
            return
        for line, text in enumerate(file, start=1):
            if not text.strip():
                continue
            dropped.seen += 1
            try:
                row = json_cells(text.decode("utf-8-sig"))
            except ValueError:
                row = None
            if isinstance(row, dict):
                yield line, [row.get(cell) for cell in head.cells]
            else:
                dropped.row(line, "it is not a JSON object")


def _text(cell: object) -> str:
    return "" if cell is None else " ".join(str(cell).split())


def _is_nothing(cell: str) -> bool:
    return cell.lower() in NOTHING


def _unread(head: Head, read: Iterator[int] | Sequence[int]) -> str:
    """The columns that are not read, in words."""
    left = [head.cells[k] for k in range(len(head.cells)) if k not in {*read}]
    return f"; columns not read: {', '.join(left)[:200]}" if left else ""


def _counted(head: Head) -> int | None:
    """The column that says how often a row counts."""
    return next((k for k, cell in enumerate(head.cells) if plain_name(cell) == COUNT), None)


# --- Ranks in columns: elections by ranked choice, and their cast-vote records ---------------------------

_ORDINALS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
)
_RANK: Final = re.compile(
    rf"(?<![a-z\d])(?:(?P<word>{'|'.join(_ORDINALS)})|(?P<nth>\d\d?)(?:st|nd|rd|th)|"
    r"(?:rank(?:ed|ing)?|(?P<option>choice|preference|pref))_?(?P<n>\d\d?))(?:_?(?:choice|rank|preference))?(?![a-z\d])"
)
_MARK: Final = re.compile(
    r"(?:(?P<contest>.+):)?\s*(?P<item>[^:]+?)\s*(?::\s*(?P<n>\d\d?)|\(\s*(?P<k>\d\d?)\s*\))$"
)
"""A column of a cast-vote record: ``contest:item:rank`` or ``item(rank)``."""
_SKIPPED: Final = NOTHING | {"skipped", "skip", "undervote", "blank", "exhausted", "no vote", "no ranking"}
_OVERVOTE: Final = frozenset({"overvote", "over vote", "over-vote", "overvoted"})
_OUTCOMES: Final = frozenset(
    {"winner", "loser", "answer", "label", "correct", "gold", "chosen", "rejected", "result", "outcome"}
    | {"best"}
)
"""Columns beside which choice1, choice2, … are options and not ranks."""

Marked = list[tuple[str, ...]]
"""The items that a ballot has at each rank; several are an overvote."""


def ranked_in(head: Head) -> Reader | None:
    """The reader of a table whose columns rank1, choice 2, 3rd, … hold the items of these ranks."""
    contests: dict[str, dict[int, int]] = {}
    options = False
    for k, column in enumerate(map(plain_name, head.cells)):
        if found := _RANK.search(column):
            word, nth, n = found.group("word", "nth", "n")
            options |= found["option"] is not None
            rank = _ORDINALS.index(word) + 1 if word else int(nth or n)
            contests.setdefault(column[: found.start()] + column[found.end() :], {})[rank] = k
    contests = {
        contest: places
        for contest, places in contests.items()
        if len(places) > 1 and {*places} == {*range(1, len(places) + 1)}
    }
    if not contests or head.named.keys() & _OUTCOMES or not head.rows:
        return None
    _refuse_several([contest.strip("_") for contest in contests])
    (places,) = contests.values()
    columns = [places[rank] for rank in sorted(places)]
    full = [row for row in head.rows if len(row) == len(head.cells)]
    rows = [[row[k] for k in columns if row[k].lower() not in _SKIPPED | _OVERVOTE] for row in full]
    if any(rows) and all(map(_NUMBER.fullmatch, chain(*rows))):
        raise InputError(
            f"the numbers in the columns {head.cells[columns[0]]}, … may be items or ranks; write the names "
            "of the items into the cells, or name the columns by the items"
        )
    seen = [{row[k].lower() for row in full} - _SKIPPED - _OVERVOTE for k in columns]
    apart = sum(map(bool, seen)) > 1 and sum(map(len, seen)) == len({*chain(*seen)})
    if not full or (options and len(full) > 1 and apart):
        return None  # no item is a choice of two numbers, as if each column had options of its own

    def marked(cells: LineCells) -> Marked:
        found = [_text(cells[k]) for k in columns]
        over = ("overvote", "overvote")
        return [
            () if cell.lower() in _SKIPPED else over if cell.lower() in _OVERVOTE else (cell,)
            for cell in found
        ]

    return partial(_read_ranked, head=head, marked=marked, columns=columns)


def marks_in(head: Head) -> Reader | None:
    """The reader of a cast-vote record with a column of 0 and 1 for each item at each rank."""
    contests: set[str] = set()
    places: dict[int, dict[str, int]] = {}
    for k, cell in enumerate(head.cells):
        told = [row[k] for row in head.rows if k < len(row)]
        if (found := _MARK.fullmatch(cell)) and 2 * sum(one in _MARKS for one in told) > len(told):
            contest, item, n, m = found.group("contest", "item", "n", "k")
            contests |= {contest} if contest else set()
            places.setdefault(int(n or m), {})[item] = k
    ranks = range(1, len(places) + 1)
    if len(places) < 2 or {*places} != {*ranks} or len(places[1]) < 2 or not head.rows:
        return None
    if any(places[rank].keys() != places[1].keys() for rank in ranks):
        return None
    _refuse_several(sorted(contests))
    columns = [k for rank in ranks for k in places[rank].values()]

    def marked(cells: LineCells) -> Marked:
        for k in columns:
            if _text(cells[k]) not in _MARKS:
                raise InputError(f"a mark is {_text(cells[k])[:20]!r}, neither 0 nor 1")
        return [tuple(item for item, k in places[rank].items() if _MARKS[_text(cells[k])]) for rank in ranks]

    return partial(_read_ranked, head=head, marked=marked, columns=columns)


_MARKS: Final[Mapping[str, bool]] = {"1": True, "1.0": True, "0": False, "0.0": False, "": False}


def _refuse_several(contests: Sequence[str]) -> None:
    if len(contests) > 1:
        told = ", ".join(repr(contest[:40]) for contest in contests[:5])
        raise InputError(
            f"it has ballots of {len(contests)} contests, {told}; keep the columns of one of them"
        )


def _read_ranked(
    name: str, bad_rows: BadRows, *, head: Head, marked: Callable[[LineCells], Marked], columns: Sequence[int]
) -> Ballots:
    """Ballots from the first rank down: skipped ranks are passed over, and an overvote ends a ballot."""
    dropped, ballots, said = Dropped(called(name), bad_rows), Counter[tuple[str, ...]](), Counter[str]()
    often = _counted(head)
    for line, cells in _rows(name, head, dropped):
        try:
            ranks = marked(cells)
            count = 1 if often is None else whole_number(_text(cells[often]), "the count")
        except InputError as error:
            dropped.row(line, str(error))
            continue
        # An overvote does not say which of its items is preferred, and they must not end up below the next.
        end = next((k for k, items in enumerate(ranks) if len(items) > 1), len(ranks))
        listed = [items[0] for items in ranks[:end] if items]
        order = tuple(dict.fromkeys(listed))
        said[_ENDED] += count * (end < len(ranks))
        said[_PASSED] += count * any(not a and b for a, b in pairwise(ranks[:end]))
        said[_TWICE] += count * (len(order) < len(listed))
        if order:
            ballots[order] += count
        else:
            dropped.row(line, "it ranks no item")
    if not ballots:
        raise InputError(f"{dropped.name}: there are no ballots; {dropped.nothing}")
    read = [*columns, *(() if often is None else (often,))]
    how = f"each row is read as one ballot, with the ranks 1 to {len(ranks)}{_unread(head, read)}"
    notes = [f"{n:,} {'ballot' if n == 1 else 'ballots'} {what}" for what, n in said.items() if n]
    items = tuple(dict.fromkeys(chain(*ballots)))
    numbers = {item: k for k, item in enumerate(items)}
    counted = tuple((n, tuple((numbers[item],) for item in order)) for order, n in ballots.items())
    return Ballots(
        "ballots of ranked choice", "", items, counted, (how, *notes, *dropped.notes), left=dropped.left
    )


_ENDED: Final = "with an overvote: what stands there and below is not counted"
_PASSED: Final = "with a skipped rank: the next items move up"
_TWICE: Final = "with an item at two ranks: the higher one counts"


# --- Wide surveys: a row for each respondent, a column for each item -------------------------------------

_SCALES: Final = ((0, 10), (-10, 10), (0, 100))
"""The least and the largest rating of a wide table; other numbers may not be ratings."""
_NUMBER: Final = re.compile(r"-?\d{1,4}([.,]\d{1,2})?")
_NTH: Final = re.compile(r"(?:rank |choice )?(\d\d?)(?:st|nd|rd|th)?(?: choice| place)?", re.IGNORECASE)
_IN_BRACKETS: Final = re.compile(r"(.*)\[(.+)\]")
_MAIL: Final = frozenset({"email", "e_mail", "email_address", "e_mail_address"})
_NOT_ITEMS: Final = frozenset(
    {*RESPONDENTS, *_MAIL, COUNT, "id", "timestamp", "name", "username", "age", "year", "gender", "sex"}
    | {"income", "duration", "zip", "score", "total", "comment", "comments", "group", "session", "condition"}
)
"""Columns that are no items, in any table."""


@final
class Wide(NamedTuple):
    """What the columns of a survey are."""

    columns: Sequence[int]  #: The columns of the items.
    scale: tuple[int, int] | None  #: The least and the largest rating; None if the numbers are ranks.


def _number(cell: str) -> Fraction | None:
    """The number in a cell such as 3, 4,5 or 2nd; None for any other text."""
    if found := _NTH.fullmatch(cell):
        return Fraction(int(found[1]))
    return rational(cell.replace(",", ".")) if _NUMBER.fullmatch(cell) else None


def _is_ranking(cells: Iterable[str]) -> bool:
    there = [_number(cell) for cell in cells if not _is_nothing(cell)]
    return len(there) > 1 and {*there} == {*range(1, len(there) + 1)}


def wide_in(head: Head) -> Wide | None:
    """What the columns are if each row ranks their items from 1, or a respondent rates them."""
    if not head.rows or any(len(row) != len(head.cells) for row in head.rows):
        return None
    if all(map(_NUMBER.fullmatch, head.cells)):
        return None  # its first line is one of the rows
    names = [plain_name(cell) for cell in head.cells]
    columns, given = list[int](), list[list[Fraction]]()
    for k, name in enumerate(names):
        there = [row[k] for row in head.rows if not _is_nothing(row[k])]
        numbers = [number for number in map(_number, there) if number is not None]
        if name.removesuffix("_id") in _NOT_ITEMS or name == "":
            continue
        if numbers and len(numbers) < len(there):
            return None  # some of its cells are numbers and others are not
        if numbers:
            columns.append(k)
            given.append(numbers)
    voters = {name.removesuffix("_id") for name in names}
    asked = bool(voters & {*RESPONDENTS, *_MAIL}) or {"timestamp", "name"} <= voters
    for chosen in (columns, columns[1:] if columns[:1] == [0] else []):
        rows = [[row[k] for k in chosen] for row in head.rows]
        ranked = sum(map(_is_ranking, rows))
        # A table whose columns rank the rows, too, may have a judge in each column.
        if (
            len(chosen) > 1
            and ranked == len(rows)
            and (asked or not all(map(_is_ranking, zip(*rows, strict=True))))
        ):
            return Wide(chosen, None)
    if columns[:1] == [0] and len(given[0]) > 2 and {b - a for a, b in pairwise(given[0])} == {1}:
        columns, given = columns[1:], given[1:]  # the numbers of the rows
    every = [*chain(*given)]
    if not asked or len(columns) < 2:
        return None
    rows = [[row[k] for k in columns] for row in head.rows]
    if 2 * sum(map(_is_ranking, rows)) > len(rows) and 1 <= min(every) <= max(every) <= len(columns):
        return Wide(columns, None)
    fitting = [scale for scale in _SCALES if scale[0] <= min(every) and max(every) <= scale[1]]
    return Wide(columns, fitting[0]) if fitting else None


def survey_in(head: Head) -> Reader | None:
    """The reader of such a survey."""
    wide = wide_in(head)
    return None if wide is None else partial(_read_wide, head=head, wide=wide)


def _read_wide(name: str, bad_rows: BadRows, *, head: Head, wide: Wide) -> Ballots:
    """Each row as a ballot: the item with rank 1 on top, or with the largest rating."""
    dropped = Dropped(called(name), "fail")
    rows = list(_rows(name, head, dropped))
    items = _bracketed([head.cells[k] for k in wide.columns])
    texts = [[_text(cells[k]) for k in wide.columns] for _, cells in rows]
    # What most rows are is what all are: no single row turns ranks into ratings, and the order round.
    ranks = 2 * sum(map(_is_ranking, texts)) > len(texts)
    if wide.scale is None and not ranks:
        raise InputError(f"{dropped.name}: the first rows rank the items from 1, but most rows do not")
    low, high = (1, len(items)) if ranks else wide.scale or (1, len(items))
    how = "most rows rank the items" if ranks else "the first rows rate them"
    often = _counted(head)
    ballots: Counter[Levels] = Counter()
    for (line, cells), row in zip(rows, texts, strict=True):
        with located(f"{dropped.name}, line {line}"):
            given: dict[Fraction, list[int]] = {}
            for k, cell in enumerate(row):
                if _is_nothing(cell):
                    continue
                number = _number(cell)
                if number is None:
                    raise InputError(f"the number of {items[k][:40]} is {cell[:40]!r}; it must be a number")
                if not low <= number <= high or (ranks and number.denominator > 1):
                    raise InputError(
                        f"the number of {items[k][:40]}: it is {cell!r}; {how} from {low} to {high}"
                    )
                given.setdefault(number, []).append(k)
            ballot = tuple(tuple(given[number]) for number in sorted(given, reverse=not ranks))
            ballots[ballot] += 1 if often is None else whole_number(_text(cells[often]), "the count")
    how = "ranks, 1 the best" if ranks else "ratings, larger is better"
    read = [*wide.columns, *(() if often is None else (often,))]
    said = (f"each row is read as one respondent, with {how}{_unread(head, read)}",)
    counted = tuple((n, one) for one, n in ballots.items())
    return Ballots(f"survey of {how}", "", items, counted, said, silent="last" if ranks else "unknown")


def _bracketed(columns: Sequence[str]) -> tuple[str, ...]:
    """The items of columns ``question [item]`` of one question; other columns are items themselves."""
    found = [_IN_BRACKETS.fullmatch(column) for column in columns]
    told = [one.groups() for one in found if one]
    one_question = len(told) == len(columns) and len({question for question, _ in told}) == 1
    return tuple(item.strip() for _, item in told) if one_question else tuple(columns)


# --- Answers of language models: lists of them with ratings, and single ones that are liked or not --------

_LISTS: Final = ("completions", "responses", "generations")
_MODELS: Final = ("model", "name", "model_name")
_RATINGS: Final = ("overall_score", "fine-grained_score", "score", "rating")


def lists_in(head: Head) -> Reader | None:
    """The reader of rows with a list of completions, each with its model and its rating."""
    listed = next((name for name in _LISTS if name in head.cells), None)
    if listed is None:
        return None
    column, first = head.cells.index(listed), None
    with suppress(ValueError):
        first = next(filter(None, (json_cells(row[column]) for row in head.rows)), None)
    if not head.is_json or not isinstance(first, list) or not isinstance(first[0], dict):
        return None
    model, rating = (next((key for key in keys if key in first[0]), None) for keys in (_MODELS, _RATINGS))
    if model is None or rating is None:
        return None
    return partial(_read_lists, head=head, column=column, keys=(model, rating))


def _read_lists(name: str, bad_rows: BadRows, *, head: Head, column: int, keys: tuple[str, str]) -> Ballots:
    dropped, ballots = Dropped(called(name), bad_rows), Counter[tuple[tuple[str, ...], ...]]()
    model, rating = keys
    for line, cells in _rows(name, head, dropped):
        listed = cells[column]
        given: dict[str, Fraction] = {}
        why = "" if isinstance(listed, list) and listed else f"it has no list {head.cells[column]!r}"
        for one in listed if isinstance(listed, list) else ():
            told = [_text(one.get(key)) for key in keys] if isinstance(one, dict) else ["", ""]
            number = _rating(told[1]) if told[0] else None
            why = why or flaw(told)
            if number is None:
                why = why or f"a completion has no {model!r}, or no number {rating!r}"
            elif told[0] in given:
                why = why or "it has two completions of one model"
            else:
                given[told[0]] = number
        if why:
            dropped.row(line, why)
            continue
        ballots[_by_number(given)] += 1
    if not ballots:
        raise InputError(f"{dropped.name}: there are no ratings; {dropped.nothing}")
    how = f"each row is read as one ballot on its models, by the {rating!r} of their completions"
    return _of_names("lists of rated completions", ballots, (how, *dropped.notes), dropped)


def _rating(text: str) -> Fraction | None:
    try:
        return rational(text)
    except InputError:
        return None


def _by_number(given: Mapping[str, Fraction]) -> tuple[tuple[str, ...], ...]:
    """The levels of names by falling number."""
    return tuple(
        tuple(sorted(name for name, number in given.items() if number == level))
        for level in sorted({*given.values()}, reverse=True)
    )


def _of_names(
    title: str, ballots: Counter[tuple[tuple[str, ...], ...]], said: tuple[str, ...], dropped: Dropped
) -> Ballots:
    """Ballots of named items, in the order in which these appear, of which a ballot may be silent."""
    items = tuple(dict.fromkeys(name for levels in ballots for level in levels for name in level))
    numbers = {item: k for k, item in enumerate(items)}
    counted = tuple(
        (n, tuple(tuple(numbers[name] for name in level) for level in levels))
        for levels, n in ballots.items()
    )
    return Ballots(title, "", items, counted, said, left=dropped.left, silent="unknown")


def liked_in(head: Head) -> Reader | None:
    """The reader of rows of KTO: a prompt, a completion, and whether it is liked."""
    query = next((name for name in QUERIES if name in head.named), None)
    if query is None or not {"completion", "label"} <= head.named.keys() or not head.rows:
        return None
    columns = [head.cells.index(head.named[name]) for name in (query, "completion", "label")]
    if any(row[columns[2]].lower() not in _LIKED for row in head.rows if len(row) == len(head.cells)):
        return None
    return partial(_read_liked, head=head, columns=columns)


_LIKED: Final[Mapping[str, bool]] = {"true": True, "false": False, "1": True, "0": False}
_ALONE: Final = "each label judges one completion alone"


def _read_liked(name: str, bad_rows: BadRows, *, head: Head, columns: Sequence[int]) -> Ballots:
    """A ballot for each prompt: its completions by the share of labels that like them."""
    dropped = Dropped(called(name), bad_rows)
    prompts: dict[str, dict[str, list[bool]]] = {}
    for line, cells in _rows(name, head, dropped):
        prompt, completion = (shortened(str(last_said(cells[k]) or "")) for k in columns[:2])
        liked = _LIKED.get(_text(cells[columns[2]]).lower())
        if not prompt or not completion or liked is None:
            dropped.row(line, "the prompt or the completion is empty, or the label is neither true nor false")
        else:
            prompts.setdefault(prompt, {}).setdefault(completion, []).append(liked)
    ballots, silent = Counter[tuple[tuple[str, ...], ...]](), 0
    for told in prompts.values():
        levels = _by_number({one: Fraction(sum(labels), len(labels)) for one, labels in told.items()})
        silent += len(levels) == 1
        if len(levels) > 1:
            ballots[levels] += 1
    several = Counter(one for told in prompts.values() for one in told)
    if not prompts:
        raise InputError(f"{dropped.name}: there are no labels; {dropped.nothing}")
    if not ballots:
        raise InputError(
            f"{dropped.name}: {_ALONE}, and no prompt has two that are liked differently, so nothing is "
            "compared; such rows say whether an answer is good, not which of two is better"
        )
    if max(several.values()) < 2:
        raise InputError(
            f"{dropped.name}: {_ALONE}, and each completion stands under one prompt, where those liked more "
            "are above the others: an order that no loss contradicts; an audit needs completions, such as "
            "names of models, that recur"
        )
    notes = [f"{_ALONE}; under a prompt those liked more often count as better, and those alike as tied"]
    notes += [f"{silent} of {len(prompts)} prompts compare nothing"] if silent else []
    return _of_names("completions that are liked or not", ballots, (*notes, *dropped.notes), dropped)
