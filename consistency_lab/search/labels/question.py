"""What an inverse search over labels asks, prepared for many linear programs at many scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.model.surrogates.tasks.base import AtomSurrogate
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.tasks.conditions import LabelCone, TaskCondition
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.search.labels.gradients import AtomTable, Columns, Extreme, Floats, Scores
from consistency_lab.search.losses import loss_table
from consistency_lab.solve.exact_lp import FloatSolver

Feature = Callable[[Label], Sequence[Fraction]]
Indices = NDArray[np.intp]


@final
@dataclass(frozen=True)
class Cone:
    """A cone of a condition, with its rows in floats as well.

    Parameters
    ----------
    exact
        Its rows over all labels.
    labels
        How many labels there are.
    """

    exact: LabelCone
    labels: int

    @cached_property
    def equalities(self) -> Floats:
        """What is 0."""
        return self._floats(self.exact.equalities)

    @cached_property
    def inequalities(self) -> Floats:
        """What is at least 0 on the closed cone."""
        return self._floats((*self.exact.inequalities, *self.exact.strict))

    @cached_property
    def strict(self) -> Floats:
        """What is positive on the cone."""
        return self._floats(self.exact.strict)

    def _floats(self, rows: Sequence[Sequence[Fraction]]) -> Floats:
        return np.array([list(map(float, row)) for row in rows]).reshape(len(rows), self.labels)


@final
@dataclass(frozen=True)
class Question:
    """A surrogate, a task and a condition, prepared for many linear programs.

    Parameters
    ----------
    surrogate, task, condition
        The question.
    about
        The name of the features that the condition is about, if it is about any.
    f
        These features.
    """

    surrogate: AtomSurrogate
    task: Task
    condition: TaskCondition
    about: str
    f: Feature
    solver: FloatSolver = field(default_factory=FloatSolver)
    _losses: dict[Prediction, Floats] = field(default_factory=dict)
    _returned: dict[tuple[Fraction, ...], tuple[Prediction, ...]] = field(default_factory=dict)

    @cached_property
    def table(self) -> AtomTable:
        """The atoms of all labels."""
        return AtomTable.of(self.surrogate, self.task)

    @cached_property
    def cones(self) -> tuple[Cone, ...]:
        """The condition's cones; none if it has no polyhedral form."""
        found = () if self.condition.cones is None else self.condition.cones(self.task.space, self.f)
        return tuple(Cone(cone, len(self.task.space.labels)) for cone in found)

    def returned(self, scores: Scores) -> tuple[Prediction, ...]:
        """All predictions that may be returned at exact scores; sorting and argmax see only their order."""
        rising = sorted(set(scores))
        levels = tuple(Fraction(rising.index(score)) for score in scores)
        if levels not in self._returned:
            decoder = decoder_for(self.surrogate, self.task)
            self._returned[levels] = decoder.returns(self.surrogate, self.task, levels)
        return self._returned[levels]

    def losses(self, prediction: Prediction) -> Floats:
        """The loss of a prediction on each label."""
        if prediction not in self._losses:
            self._losses[prediction] = loss_table(self.task, self.task.space.labels, (prediction,))[:, 0]
        return self._losses[prediction]

    def gaps(self, wrong: "Wrong") -> Floats:
        """The loss of each wrong prediction less that of the better one, on each label."""
        return np.array([self.losses(t) - self.losses(wrong.better) for t in wrong.predictions])

    def excess(self, label: int, prediction: Prediction, better: Prediction) -> Fraction:
        """The loss of a prediction less that of a better one; rounded to a rational if it is irrational."""
        y = self.task.space.labels[label]
        found = self.task.loss(y, prediction) - self.task.loss(y, better)
        return found if isinstance(found, Fraction) else Fraction(float(found)).limit_denominator(10**9)


@final
@dataclass(frozen=True)
class Place:
    """Scores, what is known there, and which labels may be used.

    Parameters
    ----------
    scores, returned
        Exact scores, and what the decoder may make of them.
    extremes, columns
        The gradients of the atoms, and the unknowns.
    """

    scores: Scores
    returned: tuple[Prediction, ...]
    extremes: list[tuple[Extreme, ...]]
    columns: Columns

    @staticmethod
    def at(question: Question, scores: Scores, labels: Indices) -> "Place | None":
        """The place of these scores with these labels, None if gradients are not rational there."""
        extremes = question.table.extremes(scores)
        if extremes is None:
            return None
        columns = question.table.columns(extremes, labels)
        return None if columns is None else Place(scores, question.returned(scores), extremes, columns)

    def gradient(self, question: Question, column: int) -> list[Fraction]:
        """The exact gradient of a column."""
        label = int(self.columns.labels[column])
        return question.table.gradient(self.extremes, label, self.columns.choice(column))


@final
@dataclass(frozen=True)
class Wrong:
    """What is to be wrong: each of these predictions worse than `better`."""

    predictions: tuple[Prediction, ...]
    better: Prediction
