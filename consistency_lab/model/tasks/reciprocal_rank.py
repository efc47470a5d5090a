"""Mean reciprocal rank: how far down the first relevant item stands (Voorhees 1999)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.tasks.formulas import check_counted
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.target import EXCHANGE, Asked, Remedy, Target
from consistency_lab.model.tasks.task import Prediction, Task


@final
@dataclass(frozen=True)
class ReciprocalRank(Task):
    """1 - 1/(position of the first relevant item), 1 if none is among the first k (Voorhees 1999).

    An item is relevant if its grade is above v. Without relevant items the loss is 1 whatever the ranking.

    Parameters
    ----------
    space
        Relevance vectors.
    k
        How many positions count; all if None.
    v
        The largest grade that is not relevant.

    Examples
    --------
    >>> ReciprocalRank(Grades(3, (0, 1))).loss((0, 1, 1), (0, 2, 1))
    Fraction(1, 2)
    """

    space: Grades
    k: int | None = None
    v: Fraction = Fraction(0)
    target: ClassVar[str] = "mrr"
    citation: ClassVar[str] = "Voorhees 1999"

    def __post_init__(self) -> None:
        check_counted(self.k)
        if not self.space.grades[0] <= self.v < self.space.grades[-1]:
            raise InputError(
                f"for MRR grades above v = {self.v} are relevant, and the labels are {self.space.grades[0]}.."
                f"{self.space.grades[-1]}; choose a v that parts them"
            )

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        for position, item in enumerate(prediction[: self.k], start=1):
            if label[item] > self.v:
                return 1 - Fraction(1, position)
        return Fraction(1)

    def describe(self) -> dict[str, object]:
        k = None if self.k is not None and self.k > self.space.m else self.k
        return {"loss": self.target, "labels": self.space.describe(), "k": k, "v": str(self.v)}

    @property
    def title(self) -> str:
        if self.k is None:
            return "MRR"
        return f"MRR@{self.k}" + (f" (MRR for {self.space.m} items)" if self.k > self.space.m else "")


def _mrr(asked: Asked) -> Task:
    return ReciprocalRank(asked.grades((0, 1)), asked.k, Fraction(0) if asked.v is None else asked.v)


RECIPROCAL_RANK: Final = Target(
    "mrr",
    "mean reciprocal rank",
    ReciprocalRank,
    "1 - 1/(position of the first i with y_i > v), 1 if there is none among the first k",
    "1 - 1/(position of the first i with y_i > v), 1 if there is none among the first k; v = {v}, k = {k} "
    "(None: all positions)",
    ("labels", "k", "v"),
    _mrr,
    EXCHANGE,
    (Remedy("constructed"),),
)
