"""Any loss matrix: rows are labels, columns are predictions."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.tasks.labels import Label, Rows
from consistency_lab.model.tasks.target import Asked, Target
from consistency_lab.model.tasks.task import Prediction, Task


@final
@dataclass(frozen=True)
class MatrixTask(Task):
    """A loss that is given as a matrix.

    Examples
    --------
    >>> rows = ((Fraction(0), Fraction(1)), (Fraction(5), Fraction(0)))
    >>> task = MatrixTask(Rows(("good", "bad")), ("keep", "drop"), rows)
    >>> task.loss((1,), (0,))
    Fraction(5, 1)
    """

    space: Rows
    names: tuple[str, ...]
    rows: tuple[tuple[Fraction, ...], ...]
    target: ClassVar[str] = "matrix"
    decoder: ClassVar[str] = "linear"
    citation: ClassVar[str] = "RAT13 Definition 1"

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

    @property
    def title(self) -> str:
        return "this loss matrix"


def _matrix(asked: Asked) -> Task:
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
