"""Mean average precision as a loss of relevance vectors (RAT13 §6)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.precision import check_binary
from consistency_lab.model.tasks.target import Asked, Remedy, Target
from consistency_lab.model.tasks.task import Prediction, Task


@final
@dataclass(frozen=True)
class AveragePrecision(Task):
    """1 - (1/sum y) sum_i sum_{j<=i} y_i y_j / max(position of i, position of j) (RAT13 §6).

    A label without relevant items has loss 0: nothing can be ranked wrongly.

    Examples
    --------
    >>> AveragePrecision(Grades(3, (0, 1))).loss((1, 0, 1), (0, 1, 2))
    Fraction(1, 6)
    """

    space: Grades
    target: ClassVar[str] = "map"
    citation: ClassVar[str] = "RAT13 §6"

    def __post_init__(self) -> None:
        check_binary(self.space, "mean average precision")

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        found, earned = 0, Fraction(0)
        for position, item in enumerate(prediction, start=1):
            if label[item]:
                found += 1
                earned += Fraction(found, position)
        return 1 - earned / found if found else Fraction(0)

    def describe(self) -> dict[str, object]:
        return {"loss": self.target, "labels": self.space.describe()}

    @property
    def title(self) -> str:
        return "MAP"


def _map(asked: Asked) -> Task:
    return AveragePrecision(asked.grades((0, 1)))


MAP: Final = Target(
    "map",
    "mean average precision",
    AveragePrecision,
    "1 - (1/sum y) sum_{j<=i} y_i y_j / max(position of i, position of j)",
    "1 - (1/sum y) sum_i sum_(j≤i) y_i y_j / max(position of i, position of j)",
    ("labels",),
    _map,
    ("reinforce", "rank-differentiable", "any"),
    (Remedy("map-diagonal"), Remedy("map-full")),
)
