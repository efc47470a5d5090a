"""Losses that are smooth inside every strict order of the scores, by formulas for their gradients.

These fields are gradients of fixed losses. They are here because the losses are not convex, or because no
other family holds them: an equilibrium says that descent can stand still, not that the loss is least there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, final

from consistency_lab.exact import working_precision
from consistency_lab.model.surrogates.tasks.fields.numbers import Column, N
from consistency_lab.model.surrogates.tasks.fields.rules import Piece, Rule
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import PRECISION, Prediction

if TYPE_CHECKING:
    from consistency_lab.model.surrogates.tasks.fields.numbers import Array


class Gradient(Protocol):
    """The gradient of one label's loss inside one order of the scores."""

    def __call__(self, scores: Sequence[N], /) -> Sequence[N]:
        """One number an item."""


class Formula(Protocol):
    """A loss, known by its gradients."""

    def at(self, label: Label, ranking: Prediction) -> Gradient:
        """The gradient of a label where `ranking` sorts the scores."""


@final
@dataclass(frozen=True, slots=True)
class SmoothRule(Rule):
    """The field of one formula."""

    formula: Formula

    def piece(self, label: Label, ranking: Prediction) -> "SmoothPiece":
        with working_precision(PRECISION):
            return SmoothPiece(self.formula.at(label, ranking))


@final
@dataclass(frozen=True, slots=True)
class SmoothPiece(Piece):
    """The formula at one label and in one order."""

    gradient: Gradient

    def floats(self, scores: "Array") -> "Array":
        import numpy as np

        columns = [Column(scores[..., i]) for i in range(scores.shape[-1])]
        return np.stack([part.value for part in self.gradient(columns)], axis=-1)

    def entries(self, scores: Sequence[N]) -> tuple[N, ...]:
        return tuple(self.gradient(scores))
