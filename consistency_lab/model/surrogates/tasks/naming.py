"""What the tables call a loss: whether a name means it, means something else, or is in no table."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import product
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import TASK_SURROGATES, Line, Wishes, decoded
from consistency_lab.model.surrogates.tasks.features import FEATURES
from consistency_lab.model.surrogates.tasks.libraries import LIBRARIES
from consistency_lab.model.surrogates.tasks.listwise import NORMALIZATIONS
from consistency_lab.model.surrogates.tasks.pairs import WEIGHTS
from consistency_lab.model.surrogates.tasks.shipped import ShippedField
from consistency_lab.model.tasks.task import Task

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"on": tuple(FEATURES), "weights": tuple(WEIGHTS), "label_weights": tuple(NORMALIZATIONS)}
)


def is_called_so(surrogate: TaskSurrogate, task: Task) -> bool | None:
    """Whether its name means a loss or field; None if no table has the name.

    Names are compared letter by letter: one that only looks like another is in no table.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from consistency_lab.model.surrogates.tasks.regression import Regression
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> regression, task = Regression("gain"), target("ndcg")
    >>> [is_called_so(replace(regression, name=name), task) for name in ("regression", "hinge", "hinge ")]
    [True, False, None]
    """
    if isinstance(surrogate, ShippedField) or surrogate.name in LIBRARIES:
        return isinstance(surrogate, ShippedField)
    wanted = surrogate.describe(task)
    same = [other.describe(task) == wanted for other in _so_called(surrogate.name, surrogate, wanted)]
    return any(same) if same else None


def _so_called(name: str, like: TaskSurrogate, wanted: Mapping[str, object]) -> Iterator[TaskSurrogate]:
    """The losses that the tables call so; a formula of one's own is taken from what is described."""
    for entry in LIBRARIES.values():
        for family in (entry.plain, entry.default):
            if family is not None and family.name == name:
                yield family.build()
    for line in TASK_SURROGATES.values():
        if name == line.name or name.startswith(f"{line.name}-"):
            for wishes in _wishes(line, wanted):
                with suppress(InputError):  # not every choice fits every line
                    found = line.build(wishes)
                    if found.name == name:
                        yield found
                    elif (other := decoded(found, like.decoder)).name == name:
                        yield other


def _wishes(line: Line, wanted: Mapping[str, object]) -> Iterator[Wishes]:
    choices = [
        (None, str(wanted.get("phi"))) if option == "phi" else (None, *_CHOICES[option])
        for option in line.options
    ]
    for chosen in product(*choices):
        yield Wishes(**dict(zip(line.options, chosen, strict=True)))
