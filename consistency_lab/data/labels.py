"""Real labels of a ranking task, from a file to a distribution over them, or to one for each query."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Final

from consistency_lab.data.formats import LABELED, is_qrels
from consistency_lab.data.games import grades_given
from consistency_lab.data.layouts import RESPONDENTS, grades_in, head_of
from consistency_lab.data.letor import read_lists
from consistency_lab.data.profile import chosen_numbers, read_profile
from consistency_lab.data.rows import COUNT, STANDARD_INPUT, Dropped, Unranked, called, first_lines
from consistency_lab.data.text import csv_rows, located, read_text, whole_number
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.checked import checked
from consistency_lab.model.labels import MOST_ITEMS, MOST_LABELS, Label, LabelProfile
from consistency_lab.numbers.exact import rational

# --- Graded judgments in a CSV file: a line of items, then a line of grades for each judge ---------------

_PAIRS: Final = frozenset({"winner", "loser", COUNT})


_PROBABILITY: Final = "probability"
_HOW_OFTEN: Final = (COUNT, "weight", _PROBABILITY)
_WANTED: Final = (
    "expected judge, item, grade (and query), or a column for each item and a row for each judge, optionally "
    "with count, weight or probability"
)


@frozen
class Judgment:
    """One line: the grade of each item, how many judges gave these, and the number of the line."""

    grades: tuple[int, ...]
    count: int | Fraction
    line: int


def read_judgments(name: str, text: str) -> tuple[tuple[str, ...], list[Judgment]]:
    """Read a line of item names, perhaps with ``judge`` and ``count``, then grades, one judge a line."""
    judgments: list[Judgment] = []
    columns: tuple[str, ...] = ()
    delimiter = head_of(text.split("\n", 2)[:2]).delimiter
    for line, cells in csv_rows(name, text, delimiter):
        with located(f"{name}, line {line}"):
            if not columns:
                columns = tuple(cell.lower() if cell.lower() in _HOW_OFTEN else cell for cell in cells)
                judge = int(columns[0].lower() in RESPONDENTS)
                often = [column for column in columns if column in _HOW_OFTEN]
                items = tuple(column for column in columns[judge:] if column not in _HOW_OFTEN)
                _check_header(columns, items, often)
                continue
            if len(cells) != len(columns):
                raise InputError(f"there are {len(cells)} cells, but {len(columns)} in the first line")
            grades, count = list[int](), Fraction(1)
            for column, cell in list(zip(columns, cells, strict=True))[judge:]:
                if column in often:
                    count = _how_often(column, cell)
                    continue
                try:
                    grades.append(whole_number(cell, f"the grade of {column[:40]}"))
                except InputError as error:
                    there = f"the columns are {', '.join(columns)[:200]}; {_WANTED}"
                    raise InputError(f"{error}{'' if judgments else f' ({there})'}") from None
            judgments.append(Judgment(tuple(grades), int(count) if count.denominator == 1 else count, line))
    judgments = [judgment for judgment in judgments if judgment.count]
    if not judgments:
        raise InputError(f"{name} has no judgments; after the line of items, give lines of grades")
    total = sum(judgment.count for judgment in judgments)
    if often == [_PROBABILITY] and total != 1:
        raise InputError(f"{name}: the probabilities add up to {total}, not 1; weights need not add up to 1")
    return items, judgments


def _how_often(column: str, cell: str) -> Fraction:
    if column == COUNT:
        return Fraction(whole_number(cell, "the count"))
    value = rational(cell, f"the {column}")
    if value < 0:
        raise InputError(f"the {column} is {cell[:40]}; it must be at least 0")
    return value


def _check_header(columns: Sequence[str], items: Sequence[str], often: Sequence[str]) -> None:
    if {column.lower() for column in columns} == _PAIRS:
        raise InputError(
            "this is a CSV of pair counts, not of grades; give a line of items, then a line for each judge"
        )
    if all(column.isdigit() for column in columns):
        raise InputError("the first line must name the items, as in Ann,Bob,Cy, and may end with count")
    if grades_in(head_of([",".join(items)])):  # else the numbers of queries are grades of an item "query"
        raise InputError(f"the columns are {', '.join(columns)[:200]}; {_WANTED}")
    if len(often) > 1:
        raise InputError(f"the columns {' and '.join(often)} exclude each other; give at most one")
    for item in items:
        if not item or items.count(item) > 1:
            raise InputError(f"the item {item[:40]!r} appears twice, or has no name; names must differ")


# --- Real labels of a ranking task, from a file to a distribution over them ------------------------------

GRADES: Final = "grades"
ORDERS: Final = ("rankings", "dags")


@checked
def read_labels(
    path: str | os.PathLike[str], kind: str, unranked: Unranked = "last", items: Sequence[str] | None = None
) -> LabelProfile:
    """Read labels: graded judgments for grades; any profile of `read_profile` for rankings and dags.

    Parameters
    ----------
    path
        The file.
    kind
        The kind of the labels: ``"grades"``, ``"rankings"`` or ``"dags"``.
    unranked
        As in `read_profile`; grades have none.
    items
        Keep these items only, in this order.
    """
    name = os.fspath(path)
    if kind == GRADES:
        only = read_label_lists(name, items=items).only
        if only is None:
            raise InputError(f"{name} holds several queries; consistency-lab check --at decides each of them")
        return only
    if kind not in ORDERS:
        raise InputError(
            f"{name}: this target has labels of the kind {kind}; a profile gives grades, rankings or dags"
        )
    profile = read_profile(path, unranked, items)
    weights: dict[Label, Fraction] = {}
    places: dict[Label, str] = {}
    m = len(profile.distribution.items)
    for p, graph in zip(profile.distribution.probabilities, profile.distribution.graphs, strict=True):
        edges = [(i, j) for i, j, _ in graph]
        if any(weight != 1 for *_, weight in graph):
            raise InputError(
                f"{name}: an edge has a weight other than 1; labels must be unweighted preferences"
            )
        label = tuple(item for edge in edges for item in edge)
        if kind == "rankings":
            if len(edges) < m * (m - 1) // 2:
                raise InputError(
                    f"{name}: a ballot has ties or unranked items, but labels must rank all items; "
                    "use --target pairwise --labels dags"
                )
            below = [sum(i == item for i, _ in edges) for item in range(m)]
            label = tuple(sorted(range(m), key=lambda item: -below[item]))
        weights[label] = weights.get(label, Fraction(0)) + p
        places.setdefault(label, name)
    return LabelProfile(
        profile.distribution.items, weights, places, profile.title, profile.voters, profile.notes
    )


def _wide(name: str, items: Sequence[str] | None) -> LabelProfile:
    known, judgments = read_judgments(name, read_text(name))
    kept = chosen_numbers(known, items)
    total = sum(judgment.count for judgment in judgments)
    weights: dict[Label, Fraction] = {}
    places: dict[Label, str] = {}
    for judgment in judgments:
        label = tuple(judgment.grades[k] for k in kept)
        weights[label] = weights.get(label, Fraction(0)) + Fraction(judgment.count) / total
        places.setdefault(label, f"{name}, line {judgment.line}")
    notes = () if len(kept) == len(known) else (f"{len(kept)} of {len(known)} items are kept",)
    return LabelProfile(tuple(known[k] for k in kept), weights, places, _title(name), total, notes)


def _title(name: str) -> str:
    return called(name) if name == STANDARD_INPUT else Path(name).stem


# --- One distribution for each query of a file ----------------------------------------------------------


@frozen
class LabelLists:
    """The queries of a file, each with its distribution over labels."""

    title: str  #: The name of the file.
    queries: Mapping[str, LabelProfile]  #: Those with several different labels.
    large: Mapping[str, str]  #: Queries too large to be decided, with their sizes.
    plain: int  #: The number of others: with one label, or one item.
    notes: tuple[str, ...] = ()  #: Notes on all of them.
    only: LabelProfile | None = None  #: The distribution of a table without queries, or with one.


@checked
def read_label_lists(
    path: str | os.PathLike[str],
    kind: str = GRADES,
    unranked: Unranked = "last",
    items: Sequence[str] | None = None,
) -> LabelLists:
    """Read labels of one query or more: a table of grades, a file of LETOR, or what `read_labels` reads."""
    name = os.fspath(path)
    if kind != GRADES:
        return _listed(name, {_title(name): read_labels(path, kind, unranked, items)})
    if Path(name).suffix.lower() in (".soc", ".soi", ".toc", ".toi", ".json"):
        raise InputError(
            f"{name} contains orders, but this target needs grades; give a CSV with a line of items and a "
            "line of grades for each judge (orders are labels of kendall, and of pairwise with "
            "--labels dags)"
        )
    lines = first_lines(path)
    if lines and LABELED.match(lines[0].strip()):
        if items is not None:
            raise InputError(f"--select does not fit: {name} is a LETOR file, whose items have no names")
        return _letor(name)
    head = head_of(lines)
    if is_qrels(head):
        raise InputError(
            f"{name} is a qrels file of TREC with one grade per document, so there is no noise at which a "
            "loss could be inconsistent; give the grades of several judges, as in query,judge,item,grade"
        )
    named = grades_in(head)
    if not {"judge", "item", "grade"} <= named.keys():
        return _listed(name, {_title(name): _wide(name, items)})
    return _long(name, named, head.cells, items)


def _listed(name: str, profiles: Mapping[str, LabelProfile], notes: tuple[str, ...] = ()) -> LabelLists:
    queries = {query: one for query, one in profiles.items() if len(one.weights) > 1 and len(one.items) > 1}
    only = next(iter(profiles.values())) if len(profiles) == 1 else None
    return LabelLists(_title(name), queries, {}, len(profiles) - len(queries), notes, only)


def _long(
    name: str, named: Mapping[str, str], cells: Sequence[str], wanted: Sequence[str] | None
) -> LabelLists:
    """A table with a row for each grade."""
    for cell in cells:
        if cell.lower() in _HOW_OFTEN:
            raise InputError(
                f"{called(name)} has a column {cell} besides {', '.join(named.values())}, but each judge is "
                "one label; leave it out, or give a column for each item and a row for each label"
            )
    columns = tuple(named[what] for what in ("judge", "item", "grade", "query") if what in named)
    given, again, rows = grades_given(name, columns, "fail")
    if again:  # which grade counts would depend on the order of the lines
        raise InputError(
            f"{called(name)}: a judge graded an item twice; give one grade for each judge and item"
        )
    judges: dict[str, dict[str, dict[str, Fraction]]] = {}
    for key, grades in given.items():
        judges.setdefault(key[0] if "query" in named else _title(name), {})[key[-1]] = grades
    profiles: dict[str, LabelProfile] = {}
    dropped = Dropped(called(name), place="query", what="query")
    for query, labels in judges.items():
        dropped.seen += 1
        try:
            profiles[query] = _of_judges(name, query, labels, wanted)
        except InputError as error:
            if len(judges) == 1:
                raise InputError(f"{called(name)}: {error}") from None
            dropped.row(query, str(error))
    if not profiles:
        raise InputError(f"{called(name)}: {dropped.nothing}")
    return _listed(name, profiles, (*rows.told, *dropped.notes))


def _of_judges(
    name: str, query: str, judges: Mapping[str, Mapping[str, Fraction]], wanted: Sequence[str] | None
) -> LabelProfile:
    every = tuple(dict.fromkeys(item for grades in judges.values() for item in grades))
    items = tuple(every[k] for k in chosen_numbers(every, wanted))
    labels: Counter[Label] = Counter()
    places: dict[Label, str] = {}
    for judge, grades in judges.items():
        for item in items:
            if item not in grades:
                raise InputError(
                    f"the judge {judge[:40]!r} did not grade {item[:40]!r}, but a label needs a grade for "
                    "each item; leave the judge out, or keep items that all have graded (--select A,B)"
                )
            if grades[item].denominator > 1 or grades[item] < 0:
                raise InputError(
                    f"the judge {judge[:40]!r} gave {item[:40]!r} the grade {grades[item]}; it must be a "
                    "whole number, at least 0"
                )
        label = tuple(int(grades[item]) for item in items)
        labels[label] += 1
        places.setdefault(label, f"{name}, query {query}, judge {judge}")
    weights = {label: Fraction(count, len(judges)) for label, count in labels.items()}
    return LabelProfile(items, weights, places, query, len(judges))


_ALIKE: Final = (
    "documents of a query with equal features are one item, named by its first line, and queries with the "
    "same documents are one, named by the first, since no model can tell them apart"
)
_JOINT: Final = (
    "where each of these queries has each document once, a query counts as the label of one judge ({})"
)
_APART: Final = "elsewhere grades of different documents are treated as independent ({})"


def _letor(name: str) -> LabelLists:
    """The queries of a file of LETOR."""
    queries: dict[str, LabelProfile] = {}
    large: dict[str, str] = {}
    plain, joint, apart = 0, 0, 0
    for one in read_lists(name):
        m = len(one.lines)
        if m == 1 or not one.several:
            plain += one.queries
            continue
        if m > MOST_ITEMS or (one.apart is not None and prod(map(len, one.apart)) > MOST_LABELS):
            large[one.name] = (
                f"{m} different documents" if m > MOST_ITEMS else f"more than {MOST_LABELS} labels"
            )
            continue
        joint, apart = joint + (one.apart is None), apart + (one.apart is not None)
        weights: dict[Label, Fraction] = {}
        order = sorted(range(m), key=one.lines.__getitem__)
        if one.apart is None:
            for label, count in one.labels.items():
                weights[tuple(label[k] for k in order)] = Fraction(count, one.labels.total())
        else:
            shares = [
                [(s, Fraction(n, one.apart[k].total())) for s, n in one.apart[k].items()] for k in order
            ]
            for chosen in product(*shares):
                weights[tuple(grade for grade, _ in chosen)] = prod((p for _, p in chosen), start=Fraction(1))
        places = dict.fromkeys(weights, f"{name}, query {one.name}")
        items = tuple(f"line {one.lines[k]}" for k in order)
        voters = 1 if one.apart else one.labels.total()
        queries[one.name] = LabelProfile(items, weights, places, one.name, voters)
    notes = [_ALIKE] if queries or large else []
    for said, n in ((_JOINT, joint), (_APART, apart)):
        notes += [said.format("1 query" if n == 1 else f"{n} queries")] if n else []
    return LabelLists(_title(name), queries, large, plain, tuple(notes))
