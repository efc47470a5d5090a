"""Real labels of a ranking task, from a file to a distribution over them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, final

from consistency_lab.checked import checked
from consistency_lab.data.profile import chosen_numbers, read_profile
from consistency_lab.data.rows import COUNT, Unranked
from consistency_lab.data.text import csv_rows, located, read_text, whole_number
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Label, LabelSpace

# --- Graded judgments in a CSV file: a line of items, then a line of grades for each judge ---------------

_PAIRS: Final = frozenset({"winner", "loser", COUNT})


@frozen
class Judgment:
    """One line: the grade of each item, how many judges gave these, and the number of the line."""

    grades: tuple[int, ...]
    count: int
    line: int


def read_judgments(name: str, text: str) -> tuple[tuple[str, ...], list[Judgment]]:
    r"""Read a first line of item names, perhaps with a column ``count``, then grades, one judge a line.

    Parameters
    ----------
    name, text
        The file's name, for messages, and its content.

    Returns
    -------
    items, judgments
        The names of the items, and the lines that count.

    Examples
    --------
    >>> read_judgments("judges.csv", "Ann,Bob,count\n2,0,3\n1,1,1\n")[1][0]
    Judgment(grades=(2, 0), count=3, line=2)
    """
    found: list[Judgment] = []
    columns: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    for line, cells in csv_rows(name, text):
        if not any(cells):
            continue
        with located(f"{name}, line {line}"):
            if not columns:
                columns = tuple(COUNT if cell.lower() == COUNT else cell for cell in cells)
                items = tuple(cell for cell in columns if cell != COUNT)
                _check_header(columns, items)
                continue
            if len(cells) != len(columns):
                raise InputError(f"there are {len(cells)} cells; the first line has {len(columns)}")
            read = [
                whole_number(cell, "the count" if column == COUNT else f"the grade of {column[:40]}")
                for column, cell in zip(columns, cells, strict=True)
            ]
            count = read.pop(columns.index(COUNT)) if COUNT in columns else 1
            found.append(Judgment(tuple(read), count, line))
    found = [judgment for judgment in found if judgment.count]
    if not found:
        raise InputError(f"{name} holds no judgments; a line of grades follows the line of items")
    return items, found


def _check_header(columns: Sequence[str], items: Sequence[str]) -> None:
    if {column.lower() for column in columns} == _PAIRS:
        raise InputError(
            "this is a CSV of pair counts; grades need a line of items, then a line for each judge"
        )
    if all(column.isdigit() for column in columns):
        raise InputError("the first line must name the items, as in Ann,Bob,Cy, and may end with count")
    if columns.count(COUNT) > 1:
        raise InputError("there are two columns count; at most one is read")
    for item in items:
        if not item or items.count(item) > 1:
            raise InputError(f"the item {item[:40]!r} appears twice, or has no name; names must differ")


# --- Real labels of a ranking task, from a file to a distribution over them ------------------------------

GRADES: Final = "grades"
ORDERS: Final = ("rankings", "dags")


@final
@checked
@dataclass(frozen=True)
class LabelProfile:
    """A distribution over labels that was read from a file."""

    items: tuple[str, ...]  #: The names of the items.
    weights: Mapping[Label, Fraction]  #: The probability of each label that occurs.
    places: Mapping[Label, str]  #: Where each label stands first, for messages.
    #: As in `Profile`; the voters of grades are judges.
    title: str
    voters: int | Fraction
    notes: tuple[str, ...] = ()

    @checked
    def within(self, space: LabelSpace) -> dict[Label, Fraction]:
        """The weights in the order of the labels of the space."""
        known = set(space.labels)
        for label, place in self.places.items():
            if label not in known:
                raise InputError(f"{place}: {_foreign(label, space)}")
        return {label: self.weights[label] for label in space.labels if label in self.weights}


@checked
def read_labels(
    path: str | os.PathLike[str],
    kind: str,
    unranked: Unranked = "last",
    items: Sequence[str] | None = None,
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
        return _graded(name, items)
    if kind not in ORDERS:
        raise InputError(
            f"{name}: the labels of this target are {kind}; a profile has grades, rankings or dags"
        )
    profile = read_profile(path, unranked, items)
    weights: dict[Label, Fraction] = {}
    places: dict[Label, str] = {}
    m = len(profile.distribution.items)
    for p, graph in zip(profile.distribution.probabilities, profile.distribution.graphs, strict=True):
        edges = [(i, j) for i, j, _ in graph]
        if any(weight != 1 for *_, weight in graph):
            raise InputError(
                f"{name}: an edge has a weight other than 1; labels are preferences without weights"
            )
        label = tuple(item for edge in edges for item in edge)
        if kind == "rankings":
            if len(edges) < m * (m - 1) // 2:
                raise InputError(
                    f"{name}: a ballot has a tie or leaves items open, and labels are rankings of all items; "
                    "with --target pairwise --labels dags it is one"
                )
            below = [sum(i == item for i, _ in edges) for item in range(m)]
            label = tuple(sorted(range(m), key=lambda item: -below[item]))
        weights[label] = weights.get(label, Fraction(0)) + p
        places.setdefault(label, name)
    return LabelProfile(
        profile.distribution.items, weights, places, profile.title, profile.voters, profile.notes
    )


def _graded(name: str, items: Sequence[str] | None) -> LabelProfile:
    kind = Path(name).suffix.lower()
    if kind in (".soc", ".soi", ".toc", ".toi", ".json"):
        raise InputError(
            f"{name} holds orders, and the labels of this target are grades; give a CSV with a line of items "
            "and a line of grades for each judge (orders are labels of kendall, and of pairwise with "
            "--labels dags)"
        )
    known, judgments = read_judgments(name, read_text(name))
    kept = chosen_numbers(known, items)
    total = sum(judgment.count for judgment in judgments)
    weights: dict[Label, Fraction] = {}
    places: dict[Label, str] = {}
    for judgment in judgments:
        label = tuple(judgment.grades[k] for k in kept)
        weights[label] = weights.get(label, Fraction(0)) + Fraction(judgment.count, total)
        places.setdefault(label, f"{name}, line {judgment.line}")
    notes = () if len(kept) == len(known) else (f"{len(kept)} of {len(known)} items are kept",)
    return LabelProfile(tuple(known[k] for k in kept), weights, places, Path(name).stem, total, notes)


def _foreign(label: Label, space: LabelSpace) -> str:
    if space.kind == GRADES:
        known = {grade for line in space.labels for grade in line}
        odd = next(grade for grade in label if grade not in known)
        return (
            f"the grade {odd} is none of {', '.join(map(str, sorted(known)))}; say which grades there are, "
            f"as in --labels 0..{max(label)}"
        )
    return "this is no label of the target"
