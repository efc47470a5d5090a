"""The surrogate that RAT13 Theorem 3 constructs for any exact loss."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.low_rank import FactorSurrogate
from consistency_lab.model.tasks.construction import Construction, construct
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.loss_matrix import matrix_of
from consistency_lab.model.tasks.task import Prediction, Task

LARGEST: Final = 20_000
"""Losses, labels times predictions, up to which the factorization is made on the way."""


@final
@dataclass(frozen=True, slots=True)
class _Factored:
    """A construction, and where each label and prediction stands in it."""

    construction: Construction
    labels: Mapping[Label, int]
    predictions: Mapping[Prediction, int]


@lru_cache(maxsize=4)
def _factored(task: Task) -> _Factored:
    return _Factored(
        construct(matrix_of(task)),
        {label: k for k, label in enumerate(task.space.labels)},
        {prediction: k for k, prediction in enumerate(task.predictions)},
    )


@final
@dataclass(frozen=True)
class Constructed(FactorSurrogate):
    """Least squares on alpha_y of the factorization of least dimension, <alpha_y, beta_t> + b_t + c_y.

    Examples
    --------
    >>> from consistency_lab.model.tasks.labels import Rows
    >>> from consistency_lab.model.tasks.matrix import MatrixTask
    >>> rows = ((Fraction(0), Fraction(1)), (Fraction(3), Fraction(0)))
    >>> task = MatrixTask(Rows(("good", "bad")), ("keep", "drop"), rows)
    >>> Constructed().coordinates(task)
    ('1',)
    """

    name: str = "constructed"
    decoder: str = "linear"
    family: ClassVar[str] = "factor"
    formula: ClassVar[str] = "sum_i (u_i - alpha_yi)^2, loss = <alpha_y, beta_t> + b_t + c_y"
    citation: ClassVar[str] = "RAT13 Theorem 3"

    def check(self, task: Task) -> None:
        if not task.rational:
            raise InputError(
                f"{self.name} factors exact losses, and those of {task.title} are irrational here; "
                "give a rational discount, such as j"
            )
        losses = len(task.space.labels) * len(task.predictions)
        if losses > LARGEST:
            raise InputError(
                f"{task.title} has {losses} losses here, and {self.name} factors up to {LARGEST}; "
                "ask construct, which takes its time, or for fewer items or grades"
            )

    def coordinates(self, task: Task) -> tuple[str, ...]:
        return tuple(str(i + 1) for i in range(self._of(task).construction.dimension))

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        found = self._of(task)
        return tuple(map(Fraction, found.construction.factors.left[found.labels[label]]))

    def column(self, task: Task, prediction: Prediction) -> tuple[tuple[Fraction, ...], Fraction]:
        found = self._of(task)
        number = found.predictions[prediction]
        beta = tuple(map(Fraction, found.construction.factors.right[number]))
        return beta, found.construction.prediction_offsets[number]

    def describe(self, task: Task) -> dict[str, object]:
        found = self._of(task).construction
        return {
            "family": self.family,
            "name": self.name,
            "alpha": [[str(x) for x in line] for line in found.factors.left],
            "beta": [[str(x) for x in line] for line in found.factors.right],
            "offset": [str(x) for x in found.prediction_offsets],
        }

    def _of(self, task: Task) -> _Factored:
        self.check(task)
        return _factored(task)
