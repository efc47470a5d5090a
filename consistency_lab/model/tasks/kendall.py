"""Kendall's tau distance between a ranking and the ranking that is the label."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.tasks.labels import Label, Rankings
from consistency_lab.model.tasks.target import EXCHANGE, Asked, Remedy, Target
from consistency_lab.model.tasks.task import Prediction, Task


@final
@dataclass(frozen=True)
class Kendall(Task):
    """The share of pairs on which two rankings disagree.

    Examples
    --------
    >>> Kendall(Rankings(3)).loss((0, 1, 2), (1, 0, 2))
    Fraction(1, 3)
    """

    space: Rankings
    target: ClassVar[str] = "kendall"
    citation: ClassVar[str] = "Kendall 1938"

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        place = {item: position for position, item in enumerate(prediction)}
        pairs = self.space.preferences(label)
        return Fraction(sum(place[i] > place[j] for i, j, _ in pairs), len(pairs))

    def describe(self) -> dict[str, object]:
        return {"loss": self.target, "labels": self.space.describe()}

    @property
    def title(self) -> str:
        return "Kendall tau"


def _kendall(asked: Asked) -> Task:
    if asked.labels not in (None, "rankings"):
        raise InputError("the labels of Kendall tau are rankings; leave --labels out")
    return Kendall(Rankings(asked.items))


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
