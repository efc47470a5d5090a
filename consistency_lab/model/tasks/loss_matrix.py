"""An exact loss matrix: one row a label, one column a prediction."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.errors import UnsupportedError
from consistency_lab.model.tasks.task import Task

Rows = tuple[tuple[Fraction, ...], ...]


@final
@dataclass(frozen=True, slots=True)
class LossMatrix:
    """The loss of every prediction at every label (RAT13 §2).

    Parameters
    ----------
    labels, predictions
        Their names; those of labels differ among themselves, and so do those of predictions.
    rows
        ``rows[y][t]`` is the loss of prediction t where y is the label.

    Examples
    --------
    >>> zero, one = Fraction(0), Fraction(1)
    >>> LossMatrix(("spam", "ham"), ("drop", "keep"), ((zero, one), (one, zero))).rows[0][1]
    Fraction(1, 1)
    """

    labels: tuple[str, ...]
    predictions: tuple[str, ...]
    rows: Rows


def matrix_of(task: Task) -> LossMatrix:
    """The loss matrix of a task.

    Raises
    ------
    UnsupportedError
        If a loss is not known as a rational.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> matrix = matrix_of(target("wta", items=2))
    >>> matrix.labels, matrix.predictions, matrix.rows[1]
    (('(0, 0)', '(0, 1)', '(1, 0)', '(1, 1)'), ('1 > 2', '2 > 1'), (Fraction(1, 1), Fraction(0, 1)))
    """
    return LossMatrix(
        tuple(map(task.space.text, task.space.labels)),
        tuple(map(task.prediction_text, task.predictions)),
        tuple(
            tuple(_exact(task, task.loss(label, prediction)) for prediction in task.predictions)
            for label in task.space.labels
        ),
    )


def _exact(task: Task, loss: object) -> Fraction:
    if not isinstance(loss, Fraction):
        raise UnsupportedError(
            f"{task.title} has irrational losses here, and ranks are decided for rational ones only; make "
            "them rational, for example with --discount j or --w 2"
        )
    return loss
