"""Real labels of a ranking task, from a file to a distribution over them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, final

from consistency_lab.checked import checked
from consistency_lab.data.contents import Unranked
from consistency_lab.data.judgments import read_judgments
from consistency_lab.data.profile import chosen_numbers, read_profile
from consistency_lab.data.text import read_text
from consistency_lab.errors import InputError
from consistency_lab.model.tasks.labels import Label, LabelSpace

GRADES: Final = "grades"
ORDERS: Final = ("rankings", "dags")


@final
@checked
@dataclass(frozen=True)
class LabelProfile:
    """A distribution over labels that was read from a file.

    Parameters
    ----------
    items
        The names of the items.
    weights
        The probability of each label that occurs.
    places
        Where each label stands first, for messages.
    title, voters, notes
        As in `Profile`; the voters of grades are judges.
    """

    items: tuple[str, ...]
    weights: Mapping[Label, Fraction]
    places: Mapping[Label, str]
    title: str
    voters: int | Fraction
    notes: tuple[str, ...] = ()

    @checked
    def within(self, space: LabelSpace) -> dict[Label, Fraction]:
        """The weights in the order of the labels of the space.

        Raises
        ------
        InputError
            If a label is none of them; the message says where it stands.
        """
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

    Raises
    ------
    InputError
        If the file cannot be read, or what it holds is no label of the kind.
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
    read = read_judgments(name, read_text(name))
    kept = chosen_numbers(read.items, items)
    total = sum(judgment.count for judgment in read.judgments)
    weights: dict[Label, Fraction] = {}
    places: dict[Label, str] = {}
    for judgment in read.judgments:
        label = tuple(judgment.grades[k] for k in kept)
        weights[label] = weights.get(label, Fraction(0)) + Fraction(judgment.count, total)
        places.setdefault(label, f"{name}, line {judgment.line}")
    notes = () if len(kept) == len(read.items) else (f"{len(kept)} of {len(read.items)} items are kept",)
    return LabelProfile(tuple(read.items[k] for k in kept), weights, places, Path(name).stem, total, notes)


def _foreign(label: Label, space: LabelSpace) -> str:
    if space.kind == GRADES:
        known = {grade for line in space.labels for grade in line}
        odd = next(grade for grade in label if grade not in known)
        return (
            f"the grade {odd} is none of {', '.join(map(str, sorted(known)))}; say which grades there are, "
            f"as in --labels 0..{max(label)}"
        )
    return "this is no label of the target"
