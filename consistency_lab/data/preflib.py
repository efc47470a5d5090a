"""PrefLib files .soc, .soi, .toc, .toi and .cat, and their ballots."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from operator import itemgetter
from types import MappingProxyType
from typing import ClassVar, Final, final

from consistency_lab.data.rows import Contents, Tally, Unranked
from consistency_lab.data.text import located, repaired, whole_number
from consistency_lab.data.votes import Orders, Votes
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.distribution import PreferenceGraph

# --- Ballots that are weak orders: what PrefLib's files say ----------------------------------------------

Levels = tuple[tuple[int, ...], ...]
"""The items of a ballot from the top level to the bottom one; those in one level are tied."""

_COMPLETED: Final[Mapping[Unranked, Callable[[Levels, tuple[int, ...]], Levels]]] = {
    "last": lambda levels, missing: (*levels, missing) if missing else levels,
    "unknown": lambda levels, _: levels,
}

_SAID: Final[Mapping[Unranked, str]] = {
    "last": "unranked items are placed last and tied",
    "unknown": "nothing is assumed about unranked items",
}


@final
@dataclass(frozen=True)
class Ballots(Contents):
    """Counted ballots over the items."""

    ballots: tuple[tuple[int, Levels], ...]  #: ``((count, levels), ...)``; a count may be 0.
    said: tuple[str, ...] = ()  #: Notes on the file.
    counted: ClassVar[str] = "voters"

    def total(self, kept: Sequence[int]) -> Fraction:
        total = sum(count for count, _ in self.ballots)
        if not total:
            raise InputError("there are no voters; at least one ballot needs a count above 0")
        return Fraction(total)

    def notes(self, kept: Sequence[int], unranked: Unranked) -> tuple[str, ...]:
        total = sum(count for count, _ in self.ballots)
        wanted = frozenset(kept)
        incomplete = sum(count for count, levels in self.ballots if not wanted <= set(chain(*levels)))
        indifferent = self._orders(kept, unranked).get((), 0)
        notes = list(self.said)
        if incomplete:
            notes.append(f"{_share(incomplete, total)} not rank every item; {_SAID[unranked]}")
        if indifferent:
            notes.append(f"{_share(indifferent, total)} not rank any item above another")
        return tuple(notes)

    def compared(self, unranked: Unranked) -> list[Fraction]:
        counts = [0] * len(self.items)
        for levels, count in self._orders(range(len(self.items)), unranked).items():
            ranked = sum(map(len, levels))
            for level in levels:
                for item in level:
                    counts[item] += count * (ranked - len(level))
        return [Fraction(x) for x in counts]

    def votes(self, kept: Sequence[int], unranked: Unranked) -> Votes:
        orders = self._orders(kept, unranked)
        return Orders.of(len(kept), [(count, levels) for levels, count in orders.items()])

    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        # The graphs share their edges: thousands of ballots have millions of them.
        one, m = Fraction(1), range(len(kept))
        edges = tuple(tuple((i, j, one) for j in m) for i in m)
        tally = []
        for order, count in self._orders(kept, unranked).items():
            below = [edges[i][j] for high, low in combinations(order, 2) for i in high for j in low]
            tally.append((PreferenceGraph(tuple(sorted(below, key=itemgetter(0, 1)))), Fraction(count)))
        return tuple(tally)

    def _orders(self, kept: Sequence[int], unranked: Unranked) -> dict[Levels, int]:
        """How many voters there are of each different order of the items `kept`."""
        place = {item: new for new, item in enumerate(kept)}
        orders: dict[Levels, int] = {}
        for count, levels in self.ballots:
            if not count:
                continue
            ranked = tuple(
                level
                for old in levels
                if (level := tuple(sorted(place[item] for item in old if item in place)))
            )
            missing = tuple(sorted(set(place.values()).difference(*ranked)))
            order = _COMPLETED[unranked](ranked, missing)
            order = order if len(order) > 1 else ()  # a lone level says as much as none
            orders[order] = orders.get(order, 0) + count
        return orders


def _share(count: int, total: int) -> str:
    return f"{count} of {total} ballots {'does' if count == 1 else 'do'}"


# --- PrefLib's files, with the present header and, for orders, the older one -----------------------------
# The present header is made of ``# KEY: value`` lines and a ballot reads ``count: 1,{2,3},4``. The older
# header is numeric: the number of alternatives, a line ``number,name`` for each, and a line ``voters,sum of
# counts,unique orders``; a ballot reads ``count,1,{2,3},4``. In a .cat file a ballot puts alternatives into
# named categories, the best one first, of which any may be empty: ``count: {1,2},{},3``.

MAX_ALTERNATIVES: Final = 10_000
"""The most alternatives of a file; far fewer may be kept."""

NumberedLine = tuple[int, str]


@frozen
class BallotKind:
    """What the ballots of a data type may leave open."""

    title: str
    complete: bool
    ties: bool
    categories: bool = False


KINDS: Final[Mapping[str, BallotKind]] = MappingProxyType(
    {
        "soc": BallotKind("strict orders, complete", complete=True, ties=False),
        "soi": BallotKind("strict orders, incomplete", complete=False, ties=False),
        "toc": BallotKind("orders with ties, complete", complete=True, ties=True),
        "toi": BallotKind("orders with ties, incomplete", complete=False, ties=True),
        "cat": BallotKind("categories", complete=False, ties=True, categories=True),
    }
)


@frozen
class _Header:
    """The header; ``declared`` numbers carry their places."""

    kind: str
    title: str
    names: tuple[str, ...]
    separators: str
    voters: tuple[tuple[str, int], ...]
    orders: tuple[tuple[str, int], ...]
    categories: tuple[str, ...] = ()


_NAME: Final = re.compile(r"ALTERNATIVE NAME (\d{1,6})", re.ASCII)
_DOUBLED: Final = re.compile(r"(?<![0-9'])''(?!')")
_CATEGORY: Final = re.compile(r"CATEGORY NAME \d{1,6}", re.ASCII)
# Nothing here is tried twice (``*+``), so a long line of nonsense is refused as fast as it is read.
_ELEMENT: Final = re.compile(r"\s*+(?:\{([^{}]*+)\}\s*+|([^,{}]++))(,|$)")


def read_preflib(name: str, text: str, kind: str = "") -> Ballots:
    """Read the text of a PrefLib file."""
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    header, body = _older(name, lines, kind) if lines[0][1].isdigit() else _present(name, lines, kind)
    if len(header.names) < 2:
        raise InputError(f"{name}: there is only one alternative; a ranking needs at least 2")
    ballots = tuple(_ballots(name, header, body))
    _agree("voters", header.voters, {sum(count for count, _ in ballots)})
    _agree("unique orders", header.orders, {len(ballots), sum(count > 0 for count, _ in ballots)})
    often = Counter(header.names)  # alternatives are known by their numbers
    names = (f"{name} ({k})" if often[name] > 1 else name for k, name in enumerate(header.names, start=1))
    said = (f"categories are read as an order: {' above '.join(header.categories)}",)
    return Ballots(
        f"PrefLib {header.kind or 'orders'}",
        header.title,
        tuple(names),
        ballots,
        said if header.categories else (),
    )


def _agree(
    what: str, declared: Sequence[tuple[str, int]], counted: set[int], who: str = "the ballots have"
) -> None:
    for where, number in declared:
        if number not in counted:
            raise InputError(f"{where}: the header says {number} {what}, but {who} {max(counted)}")


def _present(name: str, lines: Sequence[NumberedLine], kind: str) -> tuple[_Header, list[NumberedLine]]:
    values: dict[str, tuple[str, str]] = {}
    body = []
    for number, line in lines:
        if not line.startswith("#"):
            body.append((number, line))
            continue
        where = f"{name}, line {number}"
        key, colon, value = line[1:].partition(":")
        if colon:
            key = key.strip().upper()
            if key in values and key.startswith(("ALTERNATIVE", "CATEGORY", "NUMBER")):
                raise InputError(f"{where}: {key} appears twice in the header; give it once")
            values[key] = (where, value.strip())
    said = values.get("DATA TYPE", ("", kind))[1].lower()
    if said and said not in KINDS:
        raise InputError(
            f"{values['DATA TYPE'][0]}: the data type {said[:20]!r} is not one of {', '.join(KINDS)}"
        )

    def declared(key: str) -> tuple[tuple[str, int], ...]:
        if key not in values:
            return ()
        where, value = values[key]
        with located(where):
            return ((where, whole_number(value, key)),)

    names = _names(name, values, declared("NUMBER ALTERNATIVES"))
    title = repaired(values.get("TITLE", ("", ""))[1])
    unique = (*declared("NUMBER UNIQUE ORDERS"), *declared("NUMBER UNIQUE PREFERENCES"))
    categories = tuple(_unquoted(value) for key, (_, value) in values.items() if _CATEGORY.fullmatch(key))
    if said == "cat":
        if not categories:
            raise InputError(f"{name}: the categories have no names; the header says '# CATEGORY NAME 1: …'")
        _agree("categories", declared("NUMBER CATEGORIES"), {len(categories)}, "it names")
    return _Header(said, title, names, ":", declared("NUMBER VOTERS"), unique, categories), body


def _names(
    name: str, values: Mapping[str, tuple[str, str]], declared: Sequence[tuple[str, int]]
) -> tuple[str, ...]:
    names: dict[int, str] = {}
    for key, (where, value) in values.items():
        if match := _NAME.fullmatch(key):
            if not _unquoted(value):
                raise InputError(f"{where}: the name of alternative {match[1]} is missing")
            names[int(match[1])] = _unquoted(value)
    if not declared and not names:
        raise InputError(
            f"{name}: there is no header; PrefLib files have '# NUMBER ALTERNATIVES: 4' and "
            "'# ALTERNATIVE NAME 1: …' before the ballots"
        )
    where, count = declared[0] if declared else (name, len(names))
    if count > MAX_ALTERNATIVES:
        raise InputError(f"{where}: there are {count} alternatives; at most {MAX_ALTERNATIVES} are read")
    if not names:
        names = {number: str(number) for number in range(1, count + 1)}
    _agree("alternatives", [(where, count)], {len(names)}, "it names")
    for number in range(1, count + 1):
        if number not in names:
            raise InputError(
                f"{where}: alternative {number} of {count} has no '# ALTERNATIVE NAME {number}:'"
            )
    return tuple(names[number] for number in range(1, count + 1))


def _unquoted(name: str) -> str:
    """A name before tables doubled its quotes and read its UTF-8 as Latin-1; '' after a digit are inches."""
    inside = name[1:-1]
    if len(name) > 1 and name[0] == name[-1] == '"' and '"' not in inside.replace('""', ""):
        name = inside
    return repaired(_DOUBLED.sub("'", name.replace('""', '"'))).strip()


def _older(name: str, lines: Sequence[NumberedLine], kind: str) -> tuple[_Header, list[NumberedLine]]:
    number, line = lines[0]
    with located(f"{name}, line {number}"):
        count = whole_number(line, "the number of alternatives")
        if count > MAX_ALTERNATIVES:
            raise InputError(f"there are {count} alternatives; at most {MAX_ALTERNATIVES} are read")
    if len(lines) < count + 2:
        raise InputError(
            f"{name}: the file ends inside its header; after the number {count}, expected {count} lines "
            "'number,name' and a line 'voters,sum of counts,unique orders'"
        )
    names = []
    for expected, (number, line) in enumerate(lines[1 : count + 1], start=1):
        index, comma, text = line.partition(",")
        if not comma or index.strip() != str(expected) or not _unquoted(text.strip()):
            raise InputError(
                f"{name}, line {number}: {line[:40]!r} is not '{expected},name', though line {lines[0][0]} "
                f"says {count} alternatives"
            )
        names.append(_unquoted(text.strip()))
    number, line = lines[count + 1]
    where = f"{name}, line {number}"
    with located(where):
        parts = line.split(",")
        if len(parts) != 3:
            raise InputError(f"{line[:40]!r} is not 'voters,sum of counts,unique orders'")
        voters, total, orders = (whole_number(part, "a number of the header") for part in parts)
    header = _Header(kind, "", tuple(names), ":,", ((where, voters), (where, total)), ((where, orders),))
    return header, list(lines[count + 2 :])


def _ballots(name: str, header: _Header, body: Sequence[NumberedLine]) -> Iterator[tuple[int, Levels]]:
    split = re.compile(f"[{header.separators}]")
    known = {str(number): number - 1 for number in range(1, len(header.names) + 1)}
    for number, line in body:
        if line.startswith("#"):
            continue
        with located(f"{name}, line {number}"):
            parts = split.split(line, maxsplit=1)
            if len(parts) != 2:
                raise InputError(
                    f"there is no '{header.separators[0]}' in {line[:40]!r}; expected a ballot "
                    "such as 'count: 1,{2,3},4'"
                )
            count = whole_number(parts[0], "the count")
            levels = _levels(parts[1], known, len(header.categories))
            _allowed(levels, header)
        yield count, levels


def _levels(text: str, known: Mapping[str, int], categories: int = 0) -> Levels:
    """The levels of a ballot: one for each category that is not empty, if there are categories."""
    plain = [known.get(part.strip(), -1) for part in text.split(",")]
    if not categories and -1 not in plain and len(set(plain)) == len(plain):
        return tuple((item,) for item in plain)
    levels: list[tuple[int, ...]] = []
    seen: set[int] = set()
    position, more, elements = 0, True, 0
    while more:
        match = _ELEMENT.match(text, position)
        if match is None:
            raise InputError(_unreadable(text, text[position:].strip()))
        inside = match[1]
        position, more, elements = match.end(), match[3] == ",", elements + 1
        if categories and inside is not None and not inside.strip():
            continue
        level = tuple(_item(part, len(known)) for part in (match[2] if inside is None else inside).split(","))
        for item in level:
            if item in seen:
                raise InputError(f"alternative {item + 1} is ranked twice; a ballot ranks each at most once")
            seen.add(item)
        levels.append(tuple(sorted(level)))
    if categories not in (0, elements):
        raise InputError(
            f"there are {elements} elements, but the header names {categories} categories; write {{}} for an "
            "empty one"
        )
    return tuple(levels)


def _item(text: str, m: int) -> int:
    if not text.strip():
        raise InputError("an alternative is missing; expected a ballot such as 'count: 1,{2,3},4'")
    number = whole_number(text, "an alternative")
    if not 1 <= number <= m:
        raise InputError(f"alternative {number} is out of range; the alternatives are 1 to {m}")
    return number - 1


def _unreadable(text: str, rest: str) -> str:
    if not text.strip():
        return "the ballot ranks nothing; leave the line out"
    if rest.startswith(","):
        return "an alternative is missing between two commas"
    if not rest:
        return "the ballot ends with a comma; an alternative is missing"
    if text.count("{") > text.count("}"):
        return "a brace '{' is not closed"
    if text.count("{") < text.count("}"):
        return "a brace '}' closes nothing"
    return f"{rest[:40]!r} cannot be read; expected a ballot such as 'count: 1,{{2,3}},4'"


def _allowed(levels: Levels, header: _Header) -> None:
    """Check the ballot against the data type, so that a damaged line is not read as a short ballot."""
    kind = KINDS.get(header.kind)
    if kind is None:
        return
    ranked = sum(map(len, levels))
    if kind.complete and ranked < len(header.names):
        raise InputError(
            f"{ranked} of {len(header.names)} alternatives are ranked, but a .{header.kind} ballot must "
            f"rank all; incomplete ballots belong in a .{header.kind[:2]}i file"
        )
    if not kind.ties and ranked > len(levels):
        raise InputError(
            f"there is a tie, but a .{header.kind} ballot must not have ties; they belong in a "
            f".to{header.kind[2]} file"
        )
