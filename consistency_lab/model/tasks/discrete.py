"""Target losses that are tables: pairwise disagreement, Kendall's tau, 0-1, any matrix."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar, Final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.labels import Classes, Dags, Label, LabelSpace, Rankings
from consistency_lab.model.labels import Rows as LabelRows
from consistency_lab.model.tasks.task import EXCHANGE, Prediction, Remedy, Target, TargetOptions, Task
from consistency_lab.numbers.exact import ZERO

# --- An exact loss matrix: one row a label, one column a prediction --------------------------------------

Rows = tuple[tuple[Fraction, ...], ...]


@frozen
class LossMatrix:
    """The loss of every prediction at every label (RAT13 §2)."""

    #: Names, distinct among labels and among predictions.
    labels: tuple[str, ...]
    predictions: tuple[str, ...]
    rows: Rows  #: ``rows[y][t]`` is the loss of prediction t where y is the label.


def matrix_of(task: Task) -> LossMatrix:
    """The loss matrix of a task."""
    return LossMatrix(
        tuple(map(task.space.text, task.space.labels)),
        tuple(map(task.prediction_text, task.predictions)),
        tuple(
            tuple(_exact(task, task.loss(label, prediction)) for prediction in task.predictions)
            for label in task.space.labels
        ),
    )


def _exact(task: Task, loss: object) -> Fraction:
    if not isinstance(loss, Fraction):
        raise UnsupportedError(
            f"{task.title} has irrational losses here, and ranks are decided for rational ones only; make "
            "them rational, for example with --discount j or --w 2"
        )
    return loss


@frozen_with_cache
class MatrixTask(Task):
    """A loss that is given as a matrix."""

    space: LabelRows
    names: tuple[str, ...]
    rows: tuple[tuple[Fraction, ...], ...]
    target: ClassVar[str] = "matrix"
    decoder: ClassVar[str] = "linear"
    citation: ClassVar[str] = "RAT13 Definition 1"
    title = "this loss matrix"

    def __post_init__(self) -> None:
        if len(self.rows) != self.space.m or any(len(row) != len(self.names) for row in self.rows):
            raise InputError(
                f"the loss matrix must have {self.space.m} rows of {len(self.names)} numbers, one row a "
                "label and one column a prediction"
            )

    @cached_property
    def predictions(self) -> tuple[Prediction, ...]:
        return tuple((k,) for k in range(len(self.names)))

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        return self.rows[label[0]][prediction[0]]

    def describe(self) -> dict[str, object]:
        return {
            "loss": self.target,
            "labels": self.space.describe(),
            "rows": [[str(x) for x in row] for row in self.rows],
        }

    def prediction_text(self, prediction: Prediction) -> str:
        return self.names[prediction[0]]


def _matrix(given: TargetOptions) -> Task:
    raise InputError("a loss matrix comes from a file; name the file in place of a target")


MATRIX: Final = Target(
    "matrix",
    "loss matrix",
    MatrixTask,
    "the entry in the row of the label and the column of the prediction",
    "the entry of a matrix, row by label and column by prediction",
    (),
    _matrix,
    ("any",),
)


@frozen_with_cache
class Kendall(Task):
    """The share of pairs on which two rankings disagree."""

    space: Rankings
    target: ClassVar[str] = "kendall"
    citation: ClassVar[str] = "Kendall 1938"
    title = "Kendall tau"

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        place = {item: position for position, item in enumerate(prediction)}
        pairs = self.space.preferences(label)
        return Fraction(sum(place[i] > place[j] for i, j, _ in pairs), len(pairs))


def _kendall(given: TargetOptions) -> Task:
    if given.labels not in (None, "rankings"):
        raise InputError("the labels of Kendall tau are rankings; leave --labels out")
    return Kendall(Rankings(given.items))


KENDALL: Final = Target(
    "kendall",
    "Kendall tau",
    Kendall,
    "share of discordant pairs",
    "the share of the pairs of items that label and prediction order differently",
    ("labels",),
    _kendall,
    EXCHANGE,
    (Remedy("pd-least-squares", decode="mwfas"),),
)


# --- Pairwise disagreement on finite label spaces: the loss of DMJ10 as one task among others ------------


@frozen_with_cache
class PairwiseDisagreement(Task):
    """The number of preferences of the label that the ranking has upside down (DMJ10 Eq. 7; RAT13 §7)."""

    space: LabelSpace
    target: ClassVar[str] = "pairwise"
    citation: ClassVar[str] = "DMJ10 Eq. 7; RAT13 §7"
    title = "pairwise disagreement"

    def __post_init__(self) -> None:
        self.space.preferences(self.space.labels[0])

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        place = {item: n for n, item in enumerate(prediction)}
        return sum((w for i, j, w in self.space.preferences(label) if place[j] < place[i]), ZERO)


_WORDS: Final[Mapping[str, Callable[[int], LabelSpace]]] = MappingProxyType(
    {"rankings": Rankings, "dags": Dags}
)


def _pairwise(given: TargetOptions) -> Task:
    if isinstance(given.labels, str):
        if given.labels not in _WORDS:
            raise InputError(
                f"the labels {given.labels!r} are not known; write grades such as 0..2, rankings or dags"
            )
        return PairwiseDisagreement(_WORDS[given.labels](given.items))
    return PairwiseDisagreement(given.grades((0, 1, 2)))


PAIRWISE: Final = Target(
    "pairwise",
    "pairwise disagreement",
    PairwiseDisagreement,
    "sum over edges i → j of 1(j above i)",
    "the number of preferences i → j of the label with j ranked above i",
    ("labels",),
    _pairwise,
    tuple(name for name, known in CONDITIONS.items() if known.of_differences and known.usual),
    (
        Remedy("regression", on="net"),
        Remedy("pd-least-squares", decode="algorithm-1"),
        Remedy("pd-least-squares", decode="mwfas"),
    ),
)


@frozen_with_cache
class ZeroOne(Task):
    """1 where the predicted class is not the label."""

    space: Classes
    target: ClassVar[str] = "zero-one"
    decoder: ClassVar[str] = "argmax"
    citation: ClassVar[str] = "Zhang 2004; Tewari and Bartlett 2007"
    title = "0-1 loss"

    @cached_property
    def predictions(self) -> tuple[Prediction, ...]:
        return self.space.labels

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        return Fraction(label != prediction)

    def prediction_text(self, prediction: Prediction) -> str:
        return f"class {prediction[0] + 1}"


ZERO_ONE: Final = Target(
    "zero-one",
    "0-1 loss",
    ZeroOne,
    "1(prediction is not the label)",
    "1 unless the predicted class is the label",
    (),
    lambda given: ZeroOne(Classes(given.items)),
    ("any",),
    (Remedy("multiclass-softmax"), Remedy("ova-logistic")),
)
