"""The surrogate that RAT13 Theorem 3 constructs for a loss matrix."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.low_rank import FactorSurrogate
from consistency_lab.model.tasks.construction import Construction, construct
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.loss_matrix import matrix_of
from consistency_lab.model.tasks.matrix import MatrixTask
from consistency_lab.model.tasks.task import Prediction, Task


@lru_cache(maxsize=4)
def _construction(task: MatrixTask) -> Construction:
    return construct(matrix_of(task))


@final
@dataclass(frozen=True)
class Constructed(FactorSurrogate):
    """Least squares on alpha_y of the factorization of least dimension, <alpha_y, beta_t> + b_t + c_y.

    Examples
    --------
    >>> from consistency_lab.model.tasks.labels import Rows
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
        if not isinstance(task, MatrixTask):
            raise InputError(
                f"{self.name} is made for a loss matrix: give --matrix, or ask construct about {task.title}"
            )

    def coordinates(self, task: Task) -> tuple[str, ...]:
        return tuple(str(i + 1) for i in range(self._of(task).dimension))

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        return tuple(map(Fraction, self._of(task).factors.left[label[0]]))

    def column(self, task: Task, prediction: Prediction) -> tuple[tuple[Fraction, ...], Fraction]:
        found = self._of(task)
        beta = tuple(map(Fraction, found.factors.right[prediction[0]]))
        return beta, found.prediction_offsets[prediction[0]]

    def describe(self, task: Task) -> dict[str, object]:
        found = self._of(task)
        return {
            "family": self.family,
            "name": self.name,
            "alpha": [[str(x) for x in line] for line in found.factors.left],
            "beta": [[str(x) for x in line] for line in found.factors.right],
            "offset": [str(x) for x in found.prediction_offsets],
        }

    def _of(self, task: Task) -> Construction:
        self.check(task)
        assert isinstance(task, MatrixTask)
        return _construction(task)
