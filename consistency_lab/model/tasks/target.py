"""What a target is: all that is known of a loss, told once beside its class."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple, final

from consistency_lab.errors import InputError
from consistency_lab.model.tasks.labels import Grades
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import Expression, parse

ITEMS: Final = 3
"""Items, or classes, unless others are asked for."""

EXCHANGE: Final = ("rank-differentiable", "any")
"""Where losses of graded lists are usually asked about."""


@final
@dataclass(frozen=True, slots=True)
class Asked:
    """What a user says about a target, all optional.

    Parameters
    ----------
    items
        The number of items or classes.
    labels
        Grades, or the words "rankings" and "dags".
    gain, discount
        G(s) and F(j).
    k
        How many positions count.
    v, w
        Neutral grade and half-life of the expected rank utility; grades above v are relevant for MRR.
    """

    items: int = ITEMS
    labels: tuple[int, ...] | str | None = None
    gain: str | None = None
    discount: str | None = None
    k: int | None = None
    v: Fraction | None = None
    w: Fraction | None = None

    def grades(self, usual: tuple[int, ...]) -> Grades:
        """The relevance vectors, with the usual grades unless others are asked for."""
        if isinstance(self.labels, str):
            raise InputError(f"the labels {self.labels!r} do not fit: this target has grades, such as 0..2")
        return Grades(self.items, self.labels or usual)

    def formulas(self) -> dict[str, Expression]:
        """The gain and the discount as keywords, nothing for what is not given."""
        given = {"gain": (self.gain, "s"), "discount": (self.discount, "j")}
        return {key: parse(text, variable) for key, (text, variable) in given.items() if text is not None}


@final
class Remedy(NamedTuple):
    """A surrogate to try instead: its name, what it is on, and its decoder."""

    name: str
    on: str | None = None
    decode: str | None = None


@final
@dataclass(frozen=True, slots=True)
class Target:
    """One line of the table.

    Parameters
    ----------
    name, title
        What the command line and what a table calls it.
    task
        The class of its tasks.
    formula
        The loss.
    words
        The loss with the parameters of `Task.describe` in braces, as a proof states it.
    options
        What of `Asked` it understands besides the number of items.
    build
        Makes the task.
    usual
        The conditions that are decided unless others are asked for, the largest last.
    remedies
        What to try where a surrogate is inconsistent, the cheapest first.
    """

    name: str
    title: str
    task: type[Task]
    formula: str
    words: str
    options: tuple[str, ...]
    build: Callable[[Asked], Task]
    usual: tuple[str, ...]
    remedies: tuple[Remedy, ...] = ()

    @property
    def citation(self) -> str:
        """Its source."""
        return self.task.citation
