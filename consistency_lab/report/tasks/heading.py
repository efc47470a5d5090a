"""The question in words: the surrogate, for a target with its decoder, and the target with its labels."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.decoders import DECODERS
from consistency_lab.model.tasks.catalogue import DEFINITIONS
from consistency_lab.model.tasks.task import Task
from consistency_lab.report.formula import formula
from consistency_lab.report.tasks.numbers import typed
from consistency_lab.report.text import Line, paragraph

_FIELDS: Final = 3
"""How far later lines of a paragraph are moved in."""

_LETTERS: Final[Mapping[str, str]] = MappingProxyType({"gain": "G(s)", "discount": "F(j)", "q": "k"})

_LABELS: Final[Mapping[str, Callable[[Any, int], str]]] = MappingProxyType(
    {
        "grades": lambda x, n: (
            f"{x['items']} items with grades {', '.join(map(str, x['grades']))}: {n} labels"
        ),
        "rankings": lambda x, n: f"labels: the {n} rankings of {x['items']} items",
        "dags": lambda x, n: f"labels: the {n} acyclic preference graphs on {x['items']} items",
        "classes": lambda x, n: f"{n} classes",
        "rows": lambda x, n: f"{n} labels",
    }
)


def surrogate_lines(
    surrogate: Surrogate | TaskSurrogate, task: Task | None, role: str = ""
) -> Iterator[Line]:
    """Its name, loss and source; its scores and decoder for a target; before the name, what it is."""
    if not isinstance(surrogate, TaskSurrogate) or task is None:
        assert isinstance(surrogate, Surrogate)
        yield from paragraph(f"{role}{surrogate.name}: {formula(surrogate)}", indent=0, hanging=_FIELDS)
        return
    yield from paragraph(
        f"{role}{surrogate.name}: {surrogate.formula} ({surrogate.citation})", indent=0, hanging=_FIELDS
    )
    d = len(surrogate.coordinates(task))
    yield from paragraph(f"{d} scores; decoder: {decoder_text(surrogate)}", indent=_FIELDS)


def target_lines(task: Task | None) -> Iterator[Line]:
    """The target loss with its parameters, and its labels; nothing about preference graphs of any weights."""
    if task is None:
        return
    values = ", ".join(f"{letter} = {value}" for letter, value in parameters(task).items())
    yield from paragraph(
        f"target {task.title}: {target_formula(task)}{', ' if values else ''}{values} ({task.citation})",
        indent=0,
        hanging=_FIELDS,
    )
    yield from paragraph(
        f"{labels_text(task)}; {len(task.predictions)} predictions", indent=_FIELDS, hanging=_FIELDS
    )


def decoder_text(surrogate: TaskSurrogate) -> str:
    """What its decoder does."""
    return f"{surrogate.decoder} ({DECODERS[surrogate.decoder].title})"


def target_formula(task: Task) -> str:
    """The target loss."""
    return DEFINITIONS[task.target].formula


def labels_text(task: Task) -> str:
    """How many labels there are, and what they are."""
    return _LABELS[task.space.kind](task.space.describe(), len(task.space.labels))


def parameters(task: Task) -> dict[str, str]:
    """The parameters of the target by the letters of its formula."""
    left_out = ("loss", "labels", "rows")
    return {
        _LETTERS.get(key, key): typed(str(value))
        for key, value in task.describe().items()
        if key not in left_out and value is not None
    }


def surrogate_parameters(surrogate: TaskSurrogate, task: Task) -> dict[str, str]:
    """Its parameters by name; long tables are left out."""
    return {
        key: typed(str(value))
        for key, value in surrogate.describe(task).items()
        if key not in ("family", "name") and not isinstance(value, list)
    }


def surrogate_title(surrogate: Surrogate | TaskSurrogate, task: Task | None) -> str:
    """Its name, for a target with its parameters."""
    if not isinstance(surrogate, TaskSurrogate) or task is None:
        return surrogate.name
    values = ", ".join(f"{key} = {value}" for key, value in surrogate_parameters(surrogate, task).items())
    return f"{surrogate.name} ({values})" if values else surrogate.name
