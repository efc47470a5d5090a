"""What is known about one objective of a library, and how it is built."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Literal

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.fields import GradientField, field
from consistency_lab.model.surrogates.tasks.listwise import ListMleSurrogate, Softmax, UniqueSoftmax
from consistency_lab.model.surrogates.tasks.pairs import PairAbsolute, PairSquareSurrogate, PairsSurrogate
from consistency_lab.model.surrogates.tasks.pointwise import OrdinalSurrogate, Regression, Sigmoid
from consistency_lab.model.surrogates.tasks.relaxed import SmoothPositions, SoftPairs
from consistency_lab.model.tasks.labels import Grades
from consistency_lab.model.tasks.positional import GAIN, Ndcg
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import parse

# --- Building a surrogate from the name of its family and its parameters ---------------------------------

Parameters = Mapping[str, str | int | None]


def _pairs(name: str, given: Parameters) -> TaskSurrogate:
    return PairsSurrogate(name, parse(str(given["phi"])), str(given["weights"]), str(given["normalized"]))


def _ordinal(name: str, given: Parameters) -> TaskSurrogate:
    n = given["n"]
    return OrdinalSurrogate(name, None if n is None else int(n))


BUILDERS: Final[Mapping[str, Callable[[str, Parameters], TaskSurrogate]]] = MappingProxyType(
    {
        "pairs": _pairs,
        "pair-square": lambda name, given: PairSquareSurrogate(name, str(given["weights"])),
        "list-mle": lambda name, given: ListMleSurrogate(name, str(given["ties"])),
        "pair-absolute": lambda name, given: PairAbsolute(str(given["normalized"]), name),
        "unique-softmax": lambda name, given: UniqueSoftmax(parse(str(given["gain"]), "s"), name),
        "softmax": lambda name, given: Softmax(str(given["labels"]), name),
        "regression": lambda name, given: Regression(str(given["f"]), name),
        "smooth-positions": lambda name, given: SmoothPositions(
            str(given["metric"]), Fraction(str(given["temperature"])), name
        ),
        "soft-pairs": lambda name, given: SoftPairs(str(given["normalized"]), name),
        "sigmoid": lambda name, given: Sigmoid(str(given["f"]), name),
        "ordinal": _ordinal,
    }
)
"""By the names of families in witness documents."""


# --- What is known about one objective of a library ------------------------------------------------------

Shipped = Literal["same", "loss", "descent", "field", "unsupported"]
"""What the library minimizes by default, compared with the plain loss.

- "same": the plain loss, up to a positive factor and terms without scores, or one whose minimizers the note
  shows to order the items alike;
- "loss": another fixed loss, named by `Entry.default`;
- "descent": the plain loss, which is not convex, so that its gradient is looked at as a field too;
- "field": it follows a gradient field, and is not the minimization of the plain loss;
- "unsupported": nothing here decides it, and the note says what it is.
"""

SHIPPED: Final[Mapping[Shipped, str]] = MappingProxyType(
    {
        "same": "the plain loss",
        "loss": "another fixed loss",
        "descent": "the plain loss, not convex",
        "field": "a gradient field",
        "unsupported": "not decided here",
    }
)
"""Each word, as a table says it."""


@frozen
class Release:
    """A library as it was read."""

    library: str  #: What users type for it.
    #: Where its sources are, the version that they call themselves, and the commit.
    repository: str
    version: str
    commit: str

    @property
    def text(self) -> str:
        """In one line."""
        return f"{self.repository} {self.version}, commit {self.commit[:12]}"


@frozen
class Family:
    """A surrogate of ours, not built yet."""

    name: str  #: A short name.
    family: str  #: The family, as in the ``surrogate`` entry of a witness document.
    #: Its parameters there, by name; None leaves the choice to the task.
    parameters: Mapping[str, str | int | None]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def build(self) -> TaskSurrogate:
        """The surrogate."""
        return BUILDERS[self.family](self.name, self.parameters)


@frozen
class Entry:
    """One objective of a library."""

    release: Release  #: The library, as it was read.
    objective: str  #: Its name there.
    file: str  #: The file that was read, within the repository.
    formula: str  #: What the shipped default computes for one list of labels s and scores u.
    plain: Family | None  #: The loss underneath, as a family of ours; None if there is none.
    shipped: Shipped  #: What the shipped default is, compared with it.
    note: str  #: One sentence that a user should read.
    defaults: Mapping[str, str]  #: The parameters that matter, with their defaults.
    default: Family | None = None  #: The shipped loss, where `shipped` is "loss".
    binary: bool = False  #: Whether the labels have to be 0 and 1.
    #: Whether the gains of the plain loss are 2^s - 1, so that it fits targets with this gain only.
    own_gain: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "defaults", MappingProxyType(dict(self.defaults)))

    @property
    def library(self) -> str:
        """The library."""
        return self.release.library

    @property
    def name(self) -> str:
        """What a user types."""
        return f"{self.library}:{self.objective}"

    @property
    def citation(self) -> str:
        """Library, version, commit and file."""
        return f"{self.release.text}, {self.file}"

    @property
    def field(self) -> GradientField | None:
        """The gradient field that the shipped default follows, where it is looked at as one."""
        return field(self.name) if self.shipped in ("descent", "field") else None

    def check(self, task: Task) -> None:
        """Refuse a task that the library's loss does not fit."""
        if not isinstance(task.space, Grades):
            raise InputError(f"{self.name} needs labels that are grades; these are {task.space.kind}")
        if self.binary and task.space.grades != (0, 1):
            raise InputError(f"{self.name} is for labels 0 and 1; ask with --labels 0..1")
        if self.own_gain and not (isinstance(task, Ndcg) and task.gain == GAIN):
            raise InputError(f"{self.name} has gains of its own, 2**s-1, and {task.title} does not have them")


# --- The losses of ours that libraries share -------------------------------------------------------------

LOGISTIC_PAIRS: Final = Family(
    "logistic", "pairs", {"phi": "log(1+exp(-x))", "weights": "unit", "normalized": "none"}
)
"""RankNet: every pair with different grades, with the logistic loss."""

MEAN_LOGISTIC_PAIRS: Final = Family(
    "logistic-mean", "pairs", {"phi": "log(1+exp(-x))", "weights": "unit", "normalized": "pairs"}
)
"""The same, each list divided by the number of its pairs."""

HINGE_PAIRS: Final = Family("hinge", "pairs", {"phi": "max(0,1-x)", "weights": "unit", "normalized": "none"})
"""Every pair with different grades, with the hinge loss."""

MEAN_HINGE_PAIRS: Final = Family(
    "hinge-mean", "pairs", {"phi": "max(0,1-x)", "weights": "unit", "normalized": "pairs"}
)
"""The same, each list divided by the number of its pairs."""

SQUARED_PAIRS: Final = Family("pair-square", "pair-square", {"weights": "grade"})
"""Squared differences between differences of scores and of grades."""

SQUARES: Final = Family("regression-grade", "regression", {"f": "grade"})
"""Least squares on the grades."""

SOFTMAX: Final = Family("softmax-none", "softmax", {"labels": "none"})
"""Cross-entropy of the softmax with the grades as they are."""

LIST_MLE: Final = Family("list-mle", "list-mle", {"ties": "average"})
"""Plackett-Luce likelihood, averaged over the orders of tied items."""

UNIQUE_SOFTMAX: Final = Family("unique-softmax", "unique-softmax", {"gain": "2**s-1"})
"""Each item against the items with lower grades, weighted by its gain."""

SIGMOID: Final = Family("sigmoid", "sigmoid", {"f": "grade"})
"""Binary cross-entropy, item by item."""

SOFT_PAIRS: Final = Family("soft-zero-one", "soft-pairs", {"normalized": "none"})
"""A sigmoid for every pair with different grades."""

MEAN_SOFT_PAIRS: Final = Family("soft-zero-one-mean", "soft-pairs", {"normalized": "pairs"})
"""The same, each list divided by the number of its pairs."""

ORDINAL: Final = Family("ordinal", "ordinal", {"n": None})
"""A chance for each threshold, as many as the highest grade, added up."""
