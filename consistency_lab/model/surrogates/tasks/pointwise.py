"""Losses of one item at a time whose minimizer is a function of a mean."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.features import check_grades, feature
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.task import Task

TARGETS: Final = ("grade", "gain")


@final
@dataclass(frozen=True)
class Sigmoid(MeanSurrogate):
    """Binary cross-entropy of sigmoid(u_i) against t_i = f_i / (largest f), item by item.

    Its minimizer is logit E t_i.

    Parameters
    ----------
    f
        "grade" or "gain".

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(x) for x in Sigmoid().features(target("ndcg"), (2, 0, 1))]
    ['1', '0', '1/2']
    """

    f: str = "grade"
    name: str = "sigmoid"
    decoder: str = "sort"
    family: ClassVar[str] = "sigmoid"
    link: ClassVar[str] = "logit"
    risk: ClassVar[str] = "sigmoids"
    citation: ClassVar[str] = "logistic regression, item by item"

    def __post_init__(self) -> None:
        if self.f not in TARGETS:
            raise InputError(f"sigmoid labels are {' or '.join(TARGETS)}, not {self.f!r}")

    @property
    def formula(self) -> str:
        """The loss."""
        return (
            f"- sum_i t_i log s(u_i) + (1 - t_i) log(1 - s(u_i)), t_i = {feature(self.f).formula} / largest"
        )

    def check(self, task: Task) -> None:
        check_grades(task, "the sigmoid loss")
        assert isinstance(task.space, Grades)
        if not any(feature(self.f).values(task, (task.space.grades[-1],) * task.space.m)):
            raise InputError(
                f"the sigmoid loss divides by the largest {self.f}, and that is 0 for {task.title}"
            )

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        assert isinstance(task.space, Grades)
        values = feature(self.f).values
        largest = values(task, (task.space.grades[-1],) * task.space.m)[0]
        return tuple(x / largest for x in values(task, label))

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": self.family, "name": self.name, "f": self.f}
