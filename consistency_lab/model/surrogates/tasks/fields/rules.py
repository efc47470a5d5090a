"""Rules that turn a label into a gradient field, smooth inside each strict order of the scores."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from consistency_lab.core.field import Program
from consistency_lab.model.surrogates.tasks.fields.numbers import N
from consistency_lab.model.surrogates.tasks.fields.written import differences, program
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction

if TYPE_CHECKING:
    from consistency_lab.model.surrogates.tasks.fields.numbers import Array


class Piece(ABC):
    """The gradient of one label where the scores have one strict order; smooth there."""

    @abstractmethod
    def floats(self, scores: "Array") -> "Array":
        """The gradient at scores of shape (..., m), in floats."""

    def curvature(self, scores: "Array") -> "Array":
        """What the library divides an item's gradient by, averaged over labels as the gradient is, in floats.

        Gradient boosting takes the step -G/H of an item, H the sum of its second derivatives as the objective
        states them; libraries that descend along the gradient divide by nothing. No zero depends on it.
        """
        import numpy as np

        return np.ones_like(scores)

    @abstractmethod
    def entries(self, scores: Sequence[N]) -> tuple[N, ...]:
        """The gradient by the arithmetic of the scores, which must be of the piece's order for certain.

        On `Written` numbers it leaves a program behind.
        """

    def program(self, m: int) -> Program:
        """The gradient in all scores but the last, which is minus their sum, as the core reads it."""
        return program(self.entries(differences(m))[:-1])


class Rule(ABC):
    """How a library makes a gradient."""

    @abstractmethod
    def piece(self, label: Label, ranking: Prediction) -> Piece:
        """The gradient of a label where `ranking` sorts the scores, from top to bottom."""
