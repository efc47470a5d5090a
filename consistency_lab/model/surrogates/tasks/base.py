"""What a surrogate of a finite task is: its atoms or its mean, and what a label is worth to each item."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.core.risk import Linear, LogSumExp, Max
from consistency_lab.errors import InputError
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.families import Choice, Loss, Term
from consistency_lab.model.tasks.positional import ExpectedReciprocalRank
from consistency_lab.model.tasks.task import PRECISION, PositionalTask, Task
from consistency_lab.numbers.exact import working_precision
from consistency_lab.numbers.tape import Real

LossAtom = Term | LogSumExp | Max | Linear
"""One convex summand of a loss."""


# --- What a surrogate of a finite task is: a loss of d scores for each label, and a decoder --------------


class TaskSurrogate(Loss, ABC):
    """A surrogate psi(y, u) with a decoder."""

    __slots__ = ()

    decoder: str = "sort"  #: How scores become a prediction, a name of `model.tasks.decoders`.

    def __post_init__(self) -> None:
        for key, words in self.family.words.items():
            if getattr(self, key) not in words:
                choices = ", ".join(words)
                raise InputError(
                    f"{self.name} cannot have {key} = {getattr(self, key)!r}; choose from {choices}"
                )

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of labels that it takes."""
        return tuple(self._said("kinds"))

    def check(self, task: Task) -> None:
        """Refuse a task that it does not fit."""
        if task.space.kind not in self.kinds:
            raise InputError(
                f"the surrogate {self.name} needs labels that are {' or '.join(self.kinds)}; those of "
                f"{task.title} are {task.space.kind}"
            )
        targets = self.family.targets
        if targets and not isinstance(task, targets):
            names = " or ".join(kind.target for kind in targets)
            raise InputError(f"the surrogate {self.name} is for the target {names}, not for {task.title}")

    def coordinates(self, task: Task) -> tuple[str, ...]:
        """The names of the scores: one an item unless said otherwise."""
        return tuple(str(item + 1) for item in range(task.space.m))


class MeanSurrogate(TaskSurrogate, ABC):
    """A surrogate with a known minimizer: a strictly increasing function of each coordinate of E f(y)."""

    @property
    def link(self) -> str:
        """That function, as in `Family`."""
        return str(self._said("link"))

    @property
    def risk(self) -> str:
        """The name of its risk in the table of `core.certificates`."""
        return str(self._said("risk"))

    @property
    def scaled(self) -> bool:
        """Whether f(y) is `features` times the scale 1/Z(y) of the task."""
        return bool(self._said("scaled"))

    def features(self, task: Task, label: Label) -> tuple[Real, ...]:
        """f(y), one a coordinate, without the scale: what its one word says, unless its class says it."""
        (choice,) = (word for word in self.choices().values() if isinstance(word, Choice))
        return tuple(choice.values(task, label))

    def vector(self, task: Task, label: Label) -> tuple[Real, ...]:
        """f(y)."""
        values = self.features(task, label)
        if not self.scaled:
            return values
        scale = task.scale(label)
        return tuple(x * scale for x in values)

    def mean(self, task: Task, weights: Mapping[Label, Fraction]) -> tuple[Real, ...]:
        """E f(y)."""
        with working_precision(PRECISION):
            parts = [[p * x for x in self.vector(task, label)] for label, p in weights.items()]
            return tuple(sum(column, Fraction(0)) for column in zip(*parts, strict=True))

    def determined_by(self, task: Task, label: Label) -> tuple[Hashable, ...]:
        """For each coordinate something exact: where it is equal, f is the same number; None if unknown."""
        if self.family.by_grades:
            return tuple((grade, tuple(sorted(label))) for grade in label)
        return tuple(x if isinstance(x, Fraction) else None for x in self.features(task, label))


class AtomSurrogate(TaskSurrogate):
    """A surrogate that is a sum of convex atoms, label by label."""

    @abstractmethod
    def atoms(self, task: Task, label: Label) -> tuple[LossAtom, ...]:
        """The summands of psi(y, .), in a canonical order."""


# --- What a label is worth to each item: the quantities that surrogates regress on or weight by ----------


def gains(task: Task, label: Label) -> tuple[Fraction, ...]:
    """G of each item: the target's own gains where it has some, otherwise the grades."""
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


FEATURES: Final[Mapping[str, Choice]] = MappingProxyType(
    {
        "gain": Choice("G(y_i)", gains),
        "gain/Z": Choice("G(y_i)/Z(y)", gains, scaled=True),
        "grade": Choice("y_i", grades),
        "net": Choice("sum_j (y_ij - y_ji)", net, kinds=("grades", "rankings", "dags")),
    }
)
"""What a regression may be on: f(y), without the scale."""

WORTH: Final = {name: FEATURES[name] for name in ("grade", "gain")}
"""Features of one grade, which are nonnegative."""

NORMALIZED: Final = {"none": "", "pairs": ", divided by the number of pairs"}
"""What a label's sum over its pairs is divided by, and how a formula says it."""
