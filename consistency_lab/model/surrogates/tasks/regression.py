"""Least squares on a score of each item that the label gives (RAT13 Theorems 3 and 6)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.features import check_grades, check_items, feature
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Task


@final
@dataclass(frozen=True)
class Regression(MeanSurrogate):
    """sum_i (u_i - f_i(y))^2; its minimizer is E f(y).

    Parameters
    ----------
    f
        A name of `features.FEATURES`.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(x) for x in Regression("gain").features(target("ndcg"), (2, 0, 1))]
    ['3', '0', '1']
    """

    f: str = "gain"
    name: str = "regression"
    decoder: str = "sort"
    family: ClassVar[str] = "regression"
    citation: ClassVar[str] = "RAT13 Theorems 3 and 6; Cossock and Zhang 2008"

    def __post_init__(self) -> None:
        feature(self.f)

    @property
    def formula(self) -> str:
        """The loss."""
        return f"sum_i (u_i - f_i)^2, f_i = {feature(self.f).formula}"

    @property
    def scaled(self) -> bool:
        return feature(self.f).scaled

    def check(self, task: Task) -> None:
        chosen = feature(self.f)
        if chosen.graded:
            check_grades(task, f"regression on {self.f}")
        else:
            check_items(task, f"regression on {self.f}")

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        return feature(self.f).values(task, label)

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": self.family, "name": self.name, "f": self.f}
