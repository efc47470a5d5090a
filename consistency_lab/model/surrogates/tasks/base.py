"""What a surrogate of a finite task is: a loss of d scores for each label, and a decoder."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from fractions import Fraction

from consistency_lab.exact import working_precision
from consistency_lab.model.surrogates.tasks.atoms import Atom
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.real import Real
from consistency_lab.model.tasks.task import PRECISION, Task


class TaskSurrogate(ABC):
    """A surrogate psi(y, u) with a decoder.

    Attributes
    ----------
    name
        A short name, used in tables and in the names of witness files.
    formula
        psi(y, u), for a person to read.
    citation
        Its source.
    decoder
        How scores become a prediction, a name of `model.tasks.decoders`.
    """

    name: str
    decoder: str

    @property
    @abstractmethod
    def formula(self) -> str:
        """The loss psi(y, u)."""

    @property
    @abstractmethod
    def citation(self) -> str:
        """Its source."""

    @abstractmethod
    def check(self, task: Task) -> None:
        """Refuse a task that it does not fit.

        Raises
        ------
        InputError
            If its labels are of another kind, or it lacks something that the surrogate needs.
        """

    def coordinates(self, task: Task) -> tuple[str, ...]:
        """The names of the scores: one an item unless said otherwise."""
        return tuple(str(item + 1) for item in range(task.space.m))

    @abstractmethod
    def describe(self, task: Task) -> dict[str, object]:
        """The ``surrogate`` entry of a witness document: enough to derive it again."""


class MeanSurrogate(TaskSurrogate):
    """A surrogate with a known minimizer: a strictly increasing function of each coordinate of E f(y)."""

    @property
    def link(self) -> str:
        """That function: "identity", "log", "logit" or "2x-1"."""
        return "identity"

    @property
    def risk(self) -> str:
        """The name of its risk in the table of `core.known_mean`."""
        return "squares"

    @property
    def scaled(self) -> bool:
        """Whether f(y) is `features` times the scale 1/Z(y) of the task."""
        return False

    @abstractmethod
    def features(self, task: Task, label: Label) -> tuple[Real, ...]:
        """f(y), one a coordinate, without the scale."""

    def vector(self, task: Task, label: Label) -> tuple[Real, ...]:
        """f(y)."""
        values = self.features(task, label)
        if not self.scaled:
            return values
        scale = task.scale(label)
        return tuple(x * scale for x in values)

    def mean(self, task: Task, weights: Mapping[Label, Fraction]) -> tuple[Real, ...]:
        """E f(y).

        Examples
        --------
        >>> from consistency_lab.model.surrogates.tasks.regression import Regression
        >>> from consistency_lab.model.tasks.catalogue import target
        >>> p = {(1, 0): Fraction(1, 3), (0, 1): Fraction(2, 3)}
        >>> [str(x) for x in Regression("grade").mean(target("wta", items=2), p)]
        ['1/3', '2/3']
        """
        with working_precision(PRECISION):
            parts = [[p * x for x in self.vector(task, label)] for label, p in weights.items()]
            return tuple(sum(column, Fraction(0)) for column in zip(*parts, strict=True))

    def determined_by(self, task: Task, label: Label) -> tuple[Hashable, ...]:
        """For each coordinate something exact: where it is equal, f is the same number; None if unknown.

        Balls around irrational numbers may overlap, or even be the same, where the numbers differ.
        """
        return tuple(x if isinstance(x, Fraction) else None for x in self.features(task, label))


class AtomSurrogate(TaskSurrogate):
    """A surrogate that is a sum of convex atoms, label by label."""

    @abstractmethod
    def atoms(self, task: Task, label: Label) -> tuple[Atom, ...]:
        """The summands of psi(y, .), in a canonical order."""
