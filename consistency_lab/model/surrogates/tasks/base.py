"""What a surrogate of a finite task is: its atoms or its mean, and what a label is worth to each item."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import field, fields, is_dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, Final

from consistency_lab.errors import InputError
from consistency_lab.exact import rational_text, working_precision
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.families import Term
from consistency_lab.model.tasks.positional import ExpectedReciprocalRank
from consistency_lab.model.tasks.real import Real
from consistency_lab.model.tasks.task import PRECISION, PositionalTask, Task
from consistency_lab.phi import Expression

# --- The convex pieces that losses of labels are made of -------------------------------------------------

Direction = tuple[tuple[int, Fraction], ...]
"""``((coordinate, factor), ...)`` sorted by coordinate, without zeros."""


@frozen
class LogSumExp:
    """``c * log(sum over i of exp(u_i))``."""

    c: Fraction  #: Its coefficient, at least 0.
    over: tuple[int, ...]  #: The coordinates that are summed over.


@frozen
class Max:
    """``c * max over k of (<v_k, u> + b_k)``."""

    c: Fraction  #: Its coefficient, at least 0.
    pieces: tuple[tuple[Direction, Fraction], ...]  #: The pairs (v_k, b_k).


@frozen
class Linear:
    """``<v, u>``."""

    v: Direction


Atom = Term | LogSumExp | Max | Linear
"""One summand; a `Term` is ``c * phi(<v, u> - b)``."""


# --- What a surrogate of a finite task is: a loss of d scores for each label, and a decoder --------------


@frozen
class Choice:
    """One word that a parameter may be: a row of a table, with what follows from it."""

    formula: str  #: What the formula of the loss says for it.
    values: Callable[..., Any]  #: What is computed from a task and a label: f(y), see the table.
    #: What the family says otherwise: its source, the labels that it takes, the link and the risk.
    citation: str = ""
    kinds: tuple[str, ...] = ()
    link: str = ""
    risk: str = ""
    #: Whether the scale 1/Z(y) of the target is a factor; Z = 1 unless the target is normalized.
    scaled: bool = False


@frozen
class Family:
    """What is known of the losses of one class; tables, files, proofs and readers are derived from it."""

    name: str  #: What files call it.
    formula: str  #: psi(y, u), with the parameters in braces.
    citation: str  #: Its source.
    #: The parameters that are words, each with the table of these, or with what the formula says for them.
    words: Mapping[str, Mapping[str, Choice | str]] = field(default_factory=dict)
    kinds: tuple[str, ...] = ("grades",)  #: The labels that it takes.
    targets: tuple[type[Task], ...] = ()  #: The targets that it is for, if not all.
    link: str = "identity"  #: What of E f(y) the minimizer is: "identity", "log", "logit", "2x-1" or "limit".
    risk: str = "squares"  #: Its risk, by its name in the table of `core.certificates`, if its mean is known.
    scaled: bool = False  #: Whether the scale 1/Z(y) of the target is a factor of f.


class TaskSurrogate(ABC):
    """A surrogate psi(y, u) with a decoder; as a dataclass, its other fields are its parameters."""

    name: str  #: A short name, used in tables and in the names of witness files.
    decoder: str = "sort"  #: How scores become a prediction, a name of `model.tasks.decoders`.
    family: ClassVar[Family] = Family("", "", "")  #: What is known; nothing of a class of the user's own.

    def __post_init__(self) -> None:
        for key, words in self.family.words.items():
            if getattr(self, key) not in words:
                choices = ", ".join(words)
                raise InputError(
                    f"{self.name} cannot have {key} = {getattr(self, key)!r}; choose from {choices}"
                )

    @property
    def formula(self) -> str:
        """The loss psi(y, u)."""
        said = {key: written(x) for key, x in self._values().items()}
        said |= {key: x if isinstance(x, str) else x.formula for key, x in self._choices().items()}
        return self.family.formula.format_map(said)

    @property
    def citation(self) -> str:
        """Its source."""
        return str(self._said("citation"))

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
            raise InputError(f"the surrogate {self.name} is for the target {names}, and not for {task.title}")

    def coordinates(self, task: Task) -> tuple[str, ...]:
        """The names of the scores: one an item unless said otherwise."""
        return tuple(str(item + 1) for item in range(task.space.m))

    def describe(self, task: Task) -> dict[str, object]:
        """The ``surrogate`` entry of a witness document: enough to derive it again."""
        parameters = {key: written(x) for key, x in self._values().items()}
        return {"family": self.family.name, "name": self.name, **parameters}

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """The parameters in its ``surrogate`` entry."""
        assert is_dataclass(cls)
        return tuple(f.name for f in fields(cls) if f.name not in ("name", "decoder"))

    def _values(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in self.parameters()}

    def _choices(self) -> dict[str, Choice | str]:
        return {key: words[getattr(self, key)] for key, words in self.family.words.items()}

    def _said(self, what: str) -> Any:
        """What one of its words says, or else its family."""
        said = (getattr(choice, what) for choice in self._choices().values() if isinstance(choice, Choice))
        return next(filter(None, said), getattr(self.family, what))


def written(value: object) -> Any:
    """A parameter as files and formulas have it."""
    if isinstance(value, Fraction):
        return rational_text(value)
    return str(value) if isinstance(value, Expression) else value


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
        (choice,) = (word for word in self._choices().values() if isinstance(word, Choice))
        return tuple(choice.values(task, label))

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
        >>> from consistency_lab.model.surrogates.tasks.means import Regression
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


# --- What a label is worth to each item: the quantities that surrogates regress on or weight by ----------


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
"""Those of one label that are at least 0."""

NORMALIZED: Final = {"none": "", "pairs": ", divided by the number of pairs"}
"""What a label's sum over its pairs is divided by, and how a formula says it."""


def feature(name: str) -> Choice:
    """Look a feature up."""
    if name not in FEATURES:
        raise InputError(f"a regression on {name!r} is not known; it may be on {', '.join(FEATURES)}")
    return FEATURES[name]
