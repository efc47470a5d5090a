"""The losses of a task as floats."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction, Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def loss_table(
    task: Task, labels: Sequence[Label], predictions: Sequence[Prediction]
) -> "NDArray[np.float64]":
    """One row a label, one column a prediction.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> loss_table(target("zero-one", items=2), [(0,)], [(0,), (1,)])
    array([[0., 1.]])
    """
    import numpy as np

    return np.array([[float(task.loss(y, t)) for t in predictions] for y in labels], dtype=float)
