"""What is known about one objective of a library, and how it is built."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.fields import GradientField, field
from consistency_lab.model.surrogates.tasks.listwise import ListMleSurrogate, Softmax, UniqueSoftmax
from consistency_lab.model.surrogates.tasks.pairs import PairSquareSurrogate, PairsSurrogate
from consistency_lab.model.surrogates.tasks.pointwise import OrdinalSurrogate, Regression, Sigmoid
from consistency_lab.model.surrogates.tasks.relaxed import SoftPairs
from consistency_lab.model.tasks.labels import Grades
from consistency_lab.model.tasks.positional import GAIN, Ndcg
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import parse

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
class Entry:
    """One objective of a library."""

    release: Release  #: The library, as it was read.
    file: str  #: The file that was read, within the repository.
    objective: str  #: Its name there.
    formula: str  #: What the shipped default computes for one list of labels s and scores u.
    plain: TaskSurrogate | None  #: The loss underneath, as one of ours; None if there is none.
    shipped: Shipped  #: What the shipped default is, compared with it.
    note: str  #: One sentence that a user should read.
    defaults: Mapping[str, str]  #: The parameters that matter, with their defaults.
    default: TaskSurrogate | None = None  #: The shipped loss, where `shipped` is "loss".
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

_LOGISTIC, _HINGE = parse("log(1+exp(-x))"), parse("max(0,1-x)")

LOGISTIC_PAIRS: Final = PairsSurrogate("logistic", _LOGISTIC)
"""RankNet: every pair with different grades, with the logistic loss."""

MEAN_LOGISTIC_PAIRS: Final = PairsSurrogate("logistic-mean", _LOGISTIC, normalized="pairs")
"""The same, each list divided by the number of its pairs."""

HINGE_PAIRS: Final = PairsSurrogate("hinge", _HINGE)
"""Every pair with different grades, with the hinge loss."""

MEAN_HINGE_PAIRS: Final = PairsSurrogate("hinge-mean", _HINGE, normalized="pairs")
"""The same, each list divided by the number of its pairs."""

SQUARED_PAIRS: Final = PairSquareSurrogate()
"""Squared differences between differences of scores and of grades."""

SQUARES: Final = Regression("grade", "regression-grade")
"""Least squares on the grades."""

SOFTMAX: Final = Softmax("none", "softmax-none")
"""Cross-entropy of the softmax with the grades as they are."""

LIST_MLE: Final = ListMleSurrogate()
"""Plackett-Luce likelihood, averaged over the orders of tied items."""

UNIQUE_SOFTMAX: Final = UniqueSoftmax()
"""Each item against the items with lower grades, weighted by its gain."""

SIGMOID: Final = Sigmoid()
"""Binary cross-entropy, item by item."""

SOFT_PAIRS: Final = SoftPairs()
"""A sigmoid for every pair with different grades."""

MEAN_SOFT_PAIRS: Final = SoftPairs("pairs", "soft-zero-one-mean")
"""The same, each list divided by the number of its pairs."""

ORDINAL: Final = OrdinalSurrogate()
"""A chance for each threshold, as many as the highest grade, added up."""
