"""The target losses, as a table, and how each is made from what a user asks for or a file describes."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Final, get_type_hints

from consistency_lab.errors import InputError, did_you_mean
from consistency_lab.model.checked import between, checked
from consistency_lab.model.labels import Classes, Dags, Grades, LabelSpace, Rankings, Rows
from consistency_lab.model.tasks.discrete import KENDALL, MATRIX, PAIRWISE, ZERO_ONE, MatrixTask
from consistency_lab.model.tasks.positional import ERR, ERU, MAP, NDCG, RECIPROCAL_RANK, WINNER, Precision
from consistency_lab.model.tasks.positional import PRECISION_AT_K as PRECISION
from consistency_lab.model.tasks.task import ITEMS, Target, TargetOptions, Task
from consistency_lab.numbers.exact import rational
from consistency_lab.numbers.phi import parse, spelled

# --- The target losses, as a table, and how each is made from what a user asks for -----------------------

TARGETS: Final[Mapping[str, Target]] = MappingProxyType(
    {
        line.name: line
        for line in (PAIRWISE, NDCG, PRECISION, WINNER, ERR, RECIPROCAL_RANK, MAP, ERU, KENDALL, ZERO_ONE)
    }
)
"""Targets by name."""

DEFINITIONS: Final[Mapping[str, Target]] = MappingProxyType({**TARGETS, MATRIX.name: MATRIX})
"""All that a document may name: a matrix comes from a file."""

TASKS: Final[tuple[type[Task], ...]] = tuple(dict.fromkeys(line.task for line in DEFINITIONS.values()))
SPACES: Final[tuple[type[LabelSpace], ...]] = (Classes, Dags, Grades, Rankings, Rows)
"""The classes that theorems and the core know; a class derived from one may say something else."""

_OPTIONS: Final = ("labels", "gain", "discount", "k", "v", "w")
_DIGITS: Final = 9
"""Longest k after @."""


@checked
def target(
    name: str,
    *,
    items: Annotated[int, between(0, 1000)] = ITEMS,
    labels: tuple[int, ...] | str | None = None,
    gain: str | None = None,
    discount: str | None = None,
    k: int | None = None,
    v: Fraction | None = None,
    w: Fraction | None = None,
) -> Task:
    """Build a target loss by name.

    Parameters
    ----------
    name
        A name of `TARGETS`; "ndcg@10" is "ndcg" with k = 10.
    items, labels, gain, discount, k, v, w
        As in `TargetOptions`.

    Examples
    --------
    >>> target("ndcg", k=2).title, target("ndcg@10").title
    ('NDCG@2', 'NDCG@10 (NDCG for 3 items)')
    """
    found = any_target(name, TargetOptions(items, labels, gain, discount, k, v, w))
    if isinstance(found, Precision):
        found.check()
    return found


def any_target(name: str, given: TargetOptions) -> Task:
    """The same, even if all orders are alike for so few items, as those of a file may be."""
    name, k = _counting(spelled(name), given.k)
    line = TARGETS.get(name)
    if line is None:
        hint = did_you_mean(name, TARGETS, "the targets are")
        raise InputError(f"there is no target {name!r}; {hint}")
    given = replace(given, k=k)
    for option in _OPTIONS:
        if getattr(given, option) is not None and option not in line.options:
            known = f"its options are {', '.join(line.options)}" if line.options else "it has no options"
            raise InputError(f"the target {name} has no {option}; {known}")
    return line.build(given)


def _counting(name: str, k: int | None) -> tuple[str, int | None]:
    """The name of a target without its @k, and k."""
    base, at, digits = name.partition("@")
    if not at or base not in TARGETS:
        return name, k
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS):
        raise InputError(
            f"the target {base}@ has no number of positions after @; write {base}@10, for instance"
        )
    if k not in (None, int(digits)):
        raise InputError(f"the target {name} counts {digits} positions and k is {k}; leave one of them out")
    return base, int(digits)


# --- A task from its description: the ``target`` entry of a file, read back ------------------------------

_MOST: Final = 10_000
"""Most entries of a list."""


def described_task(entry: object) -> Task | None:
    """The task that describes itself so; None if its loss or its labels are not known here."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("loss"), str):
        raise InputError("a target is an object with the text 'loss', and its labels")
    loss = str(entry["loss"])
    kind = next((line for line in TASKS if line.target == loss), Precision if loss == "wta" else None)
    labels = entry.get("labels")
    if not isinstance(labels, Mapping) or not isinstance(labels.get("kind"), str):
        raise InputError("the labels of a target are an object with the text 'kind'")
    read_space = _SPACES.get(str(labels["kind"]))
    given = {key: value for key, value in entry.items() if key not in ("loss", "labels")}
    if kind is None or read_space is None or not given.keys() <= _PARAMETERS.keys():
        return None
    space = read_space(labels)
    if labels.keys() != space.describe().keys():
        raise InputError(f"labels of the kind {space.kind} have the keys {', '.join(space.describe())}")
    if not isinstance(space, get_type_hints(kind)["space"]):
        raise InputError(f"the target {loss} does not have labels of the kind {space.kind}")
    parameters = {key: _PARAMETERS[key](value, key) for key, value in given.items()}
    if kind is MatrixTask:
        parameters["names"] = tuple(f"column {k + 1}" for k in range(_columns(parameters.get("rows"))))
    try:
        found: Task = kind(space, **parameters)  # type: ignore[call-arg]
    except TypeError:
        raise InputError(f"the target {loss} does not have the parameters {', '.join(given)}") from None
    if not found.describe().keys() <= {*entry, *_WITHOUT.get(loss, ())}:
        raise InputError(f"the target {loss} lacks a parameter; it has {', '.join(found.describe())}")
    return found


def _columns(rows: object) -> int:
    return len(rows[0]) if isinstance(rows, tuple) and rows else 0


def integer(value: object, what: str) -> int:
    """A whole number of a description."""
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _MOST:
        raise InputError(f"{what} must be a whole number, of at most {_MOST} in size")
    return value


def text(value: object, what: str) -> str:
    """A text of a description."""
    if not isinstance(value, str):
        raise InputError(f"{what} must be a text")
    return value


def matrix(value: object, what: str) -> tuple[tuple[Fraction, ...], ...]:
    """Rows of rationals of a description."""
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise InputError(f"{what} must be a list of rows")
    return tuple(tuple(rational(text(x, what), what) for x in row) for row in value)


def _grades(labels: Mapping[str, object]) -> LabelSpace:
    grades = labels.get("grades")
    if not isinstance(grades, list):
        raise InputError("the grades of labels must be a list")
    return Grades(integer(labels.get("items"), "items"), tuple(integer(s, "a grade") for s in grades))


_SPACES: Final[Mapping[str, Callable[[Mapping[str, object]], LabelSpace]]] = MappingProxyType(
    {
        Grades.kind: _grades,
        Rankings.kind: lambda labels: Rankings(integer(labels.get("items"), "items")),
        Dags.kind: lambda labels: Dags(integer(labels.get("items"), "items")),
        Classes.kind: lambda labels: Classes(integer(labels.get("classes"), "classes")),
        Rows.kind: lambda labels: Rows(
            tuple(f"row {k + 1}" for k in range(integer(labels.get("rows"), "rows")))
        ),
    }
)

_PARAMETERS: Final[Mapping[str, Callable[[object, str], object]]] = MappingProxyType(
    {
        "gain": lambda value, what: parse(text(value, what), "s"),
        "discount": lambda value, what: parse(text(value, what), "j"),
        "k": lambda value, what: None if value is None else integer(value, what),
        "q": integer,
        "v": lambda value, what: rational(text(value, what), what),
        "w": lambda value, what: rational(text(value, what), what),
        "rows": matrix,
    }
)

_WITHOUT: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"wta": ("q",)})
"""Parameters that a name stands for."""
