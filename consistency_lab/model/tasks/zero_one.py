"""The 0-1 loss of multiclass classification."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Final, final

from consistency_lab.model.tasks.labels import Classes, Label
from consistency_lab.model.tasks.target import Asked, Remedy, Target
from consistency_lab.model.tasks.task import Prediction, Task


@final
@dataclass(frozen=True)
class ZeroOne(Task):
    """1 where the predicted class is not the label.

    Examples
    --------
    >>> ZeroOne(Classes(3)).loss((0,), (2,))
    Fraction(1, 1)
    """

    space: Classes
    target: ClassVar[str] = "zero-one"
    decoder: ClassVar[str] = "argmax"
    citation: ClassVar[str] = "Zhang 2004; Tewari and Bartlett 2007"

    @cached_property
    def predictions(self) -> tuple[Prediction, ...]:
        return self.space.labels

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        return Fraction(label != prediction)

    def describe(self) -> dict[str, object]:
        return {"loss": self.target, "labels": self.space.describe()}

    def prediction_text(self, prediction: Prediction) -> str:
        return f"class {prediction[0] + 1}"

    @property
    def title(self) -> str:
        return "0-1 loss"


def _zero_one(asked: Asked) -> Task:
    return ZeroOne(Classes(asked.items))


ZERO_ONE: Final = Target(
    "zero-one",
    "0-1 loss",
    ZeroOne,
    "1(prediction is not the label)",
    "1 unless the predicted class is the label",
    (),
    _zero_one,
    ("any",),
    (Remedy("multiclass-softmax"), Remedy("ova-logistic")),
)
