"""Pairwise disagreement on finite label spaces: the loss of DMJ10 as one task among others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.targets.pairwise import loss as pairwise_loss
from consistency_lab.model.tasks.labels import Dags, Label, LabelSpace, Rankings
from consistency_lab.model.tasks.target import Asked, Remedy, Target
from consistency_lab.model.tasks.task import Prediction, Task


@final
@dataclass(frozen=True)
class PairwiseDisagreement(Task):
    """The number of preferences of the label that the ranking has upside down (DMJ10 Eq. 7; RAT13 §7).

    The loss itself is the one of `model.targets.pairwise`: preference graphs of any weights and finite label
    spaces have one target.

    Examples
    --------
    >>> from consistency_lab.model.tasks.labels import Grades
    >>> PairwiseDisagreement(Grades(3, (0, 1, 2))).loss((2, 0, 1), (1, 0, 2))
    Fraction(2, 1)
    """

    space: LabelSpace
    target: ClassVar[str] = "pairwise"
    citation: ClassVar[str] = "DMJ10 Eq. 7; RAT13 §7"

    def __post_init__(self) -> None:
        self.space.preferences(self.space.labels[0])

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        return pairwise_loss(self.aggregate({label: Fraction(1)}), prediction)

    def aggregate(self, weights: Mapping[Label, Fraction]) -> list[list[Fraction]]:
        """The aggregate a_ij of a distribution: what DMJ10's loss depends on."""
        a = [[Fraction(0)] * self.space.m for _ in range(self.space.m)]
        for label, p in weights.items():
            for i, j, weight in self.space.preferences(label):
                a[i][j] += p * weight
        return a

    def describe(self) -> dict[str, object]:
        return {"loss": self.target, "labels": self.space.describe()}

    @property
    def title(self) -> str:
        return "pairwise disagreement"


_WORDS: Final[Mapping[str, Callable[[int], LabelSpace]]] = MappingProxyType(
    {"rankings": Rankings, "dags": Dags}
)


def _pairwise(asked: Asked) -> Task:
    if isinstance(asked.labels, str):
        if asked.labels not in _WORDS:
            raise InputError(
                f"the labels {asked.labels!r} are not known; write grades such as 0..2, rankings or dags"
            )
        return PairwiseDisagreement(_WORDS[asked.labels](asked.items))
    return PairwiseDisagreement(asked.grades((0, 1, 2)))


PAIRWISE: Final = Target(
    "pairwise",
    "pairwise disagreement",
    PairwiseDisagreement,
    "sum over edges i → j of 1(j above i)",
    "the number of preferences i → j of the label with j ranked above i",
    ("labels",),
    _pairwise,
    tuple(name for name, known in CONDITIONS.items() if known.of_differences),
    (
        Remedy("regression", on="net"),
        Remedy("pd-least-squares", decode="algorithm-1"),
        Remedy("pd-least-squares", decode="mwfas"),
    ),
)
