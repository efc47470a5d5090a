"""What a label is worth to each item: the quantities that surrogates regress on or weight by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.tasks.err import ExpectedReciprocalRank
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.task import PositionalTask, Task


def gains(task: Task, label: Label) -> tuple[Fraction, ...]:
    """G of each item: the target's own gains where it has some, otherwise the grades.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(g) for g in gains(target("ndcg"), (2, 0, 1))]
    ['3', '0', '1']
    """
    if isinstance(task, PositionalTask):
        return task.gains(label)
    if isinstance(task, ExpectedReciprocalRank):
        return tuple(task.table[grade] for grade in label)
    return grades(task, label)


def grades(task: Task, label: Label) -> tuple[Fraction, ...]:
    """The grade of each item."""
    return tuple(map(Fraction, label))


def net(task: Task, label: Label) -> tuple[Fraction, ...]:
    """The net preference for each item, sum over j of (y_ij - y_ji)."""
    found = [Fraction(0)] * task.space.m
    for i, j, weight in task.space.preferences(label):
        found[i] += weight
        found[j] -= weight
    return tuple(found)


@final
@dataclass(frozen=True, slots=True)
class Feature:
    """One line of the table.

    Parameters
    ----------
    formula
        What a person reads.
    values
        f(y) without the scale.
    scaled
        Whether the scale 1/Z(y) of the target is a factor; Z = 1 unless the target is normalized.
    graded
        Whether the labels must be grades.
    """

    formula: str
    values: Callable[[Task, Label], tuple[Fraction, ...]]
    scaled: bool = False
    graded: bool = True


FEATURES: Final[Mapping[str, Feature]] = MappingProxyType(
    {
        "gain": Feature("G(y_i)", gains),
        "gain/Z": Feature("G(y_i)/Z(y)", gains, scaled=True),
        "grade": Feature("y_i", grades),
        "net": Feature("sum_j (y_ij - y_ji)", net, graded=False),
    }
)
"""What a regression may be on."""


def feature(name: str) -> Feature:
    """Look a feature up.

    Raises
    ------
    InputError
        If there is none of this name.
    """
    if name not in FEATURES:
        raise InputError(f"a regression on {name!r} is not known; it may be on {', '.join(FEATURES)}")
    return FEATURES[name]


def check_grades(task: Task, what: str) -> None:
    """Refuse labels that are not grades.

    Raises
    ------
    InputError
        If they are not.
    """
    if not isinstance(task.space, Grades):
        raise InputError(
            f"{what} needs a grade of each item; the labels of {task.title} are {task.space.kind} here"
        )


def check_items(task: Task, what: str) -> None:
    """Refuse labels that are not about items to be ranked.

    Raises
    ------
    InputError
        If they are not.
    """
    if task.space.kind in ("classes", "rows"):
        raise InputError(f"{what} scores items; the labels of {task.title} are {task.space.kind}")
