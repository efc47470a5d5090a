"""The terms of a U-statistic risk: what was said, and what is made of k labels of it (DMJ13 §3)."""

from typing import Any, Final, NamedTuple, final

import numpy as np

from consistency_lab.aggregate import Structure
from consistency_lab.aggregate.kernels import average_adjacency, click_rates, win_rates
from consistency_lab.learn.compiled import (
    CLICKS,
    MATRIX,
    SCORES,
    Floats,
    Ints,
    Kernels,
    Setting,
    compiled,
    structure_of,
    term,
)
from consistency_lab.learn.label_table import LabelTable
from consistency_lab.learn.losses import Loss, logistic, regression

_KINDS: Final = {"matrix": MATRIX, "scores": SCORES, "clicks": CLICKS}


@final
class Terms(NamedTuple):
    """The terms of a risk: what was said, and what is made of k labels of it."""

    said: LabelTable
    setting: Setting
    kernels: Kernels

    @property
    def parts(self) -> tuple[Any, ...]:
        """The first arguments of the compiled functions."""
        return self.said, self.setting, *self.kernels

    def at(self, query: int, labels: Ints, scores: Floats) -> tuple[float, Floats]:
        """Value and gradient of one term at scores (N,) of all rows."""
        slope = np.zeros(scores.size)
        value = compiled(term)(*self.parts, query, labels, scores, slope)
        return float(value), slope

    def structure(self, query: int, labels: Ints) -> Floats:
        """The scores of one term or, where the loss takes a matrix A, the row sums of A - A^T: shape (m,)."""
        found: Floats = compiled(structure_of)(*self.parts, query, labels)
        return found


_UNUSED: Final = Kernels(average_adjacency, win_rates, click_rates, logistic, regression)


def terms(said: LabelTable, loss: Loss, structure: Structure, k: int | None, nu: float) -> Terms:
    """The terms of the U-statistic risk of order k; all labels of a query make one term if k is None."""
    scores = loss.takes == "scores"
    setting = Setting(
        _KINDS[structure.kind],
        scores,
        loss.every_item or structure.kind != "matrix",
        int(said.label_start[-1]) if k is None else int(k),
        getattr(structure, "smoothing", 0.0),
        float(nu) if loss.name == "linear" else 0.0,
        loss.curvature,
    )
    used = {structure.kind: structure.kernel, "of_scores" if scores else "of_matrix": loss.kernel}
    return Terms(said, setting, _UNUSED._replace(**used))
