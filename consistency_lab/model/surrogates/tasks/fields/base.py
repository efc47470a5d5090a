"""Gradient fields: the updates that a library really makes, where they come from no loss."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.fields.parameters import Value, read_parameter
from consistency_lab.model.surrogates.tasks.fields.rules import Piece, Rule
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.task import Prediction, Task

if TYPE_CHECKING:
    from consistency_lab.model.surrogates.tasks.fields.numbers import Array


@final
@dataclass(frozen=True)
class GradientField:
    """A gradient g(y, u) for each label: training descends along sum_y p_y g(y, u).

    Where that sum is zero training stands still; no risk needs to have its minimum there. Fields are smooth
    inside every strict order of the scores, and jump between orders if their weights look at the ranking.

    Parameters
    ----------
    name
        Library and objective, "xgboost:rank:pairwise".
    version
        The release it was read from.
    formula, citation
        g(y, u), and the source.
    note
        Why this is not the minimization of a fixed loss.
    highest
        The highest grade the objective takes.
    parameters
        By the names that the library uses.
    build
        Makes the rule from the parameters.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.fields.catalogue import field
    >>> import numpy as np
    >>> pairwise = field("xgboost:rank:pairwise", lambdarank_normalization=False)
    >>> up, down = pairwise.gradient((1, 0), np.array([0.5, 0]))
    >>> round(float(up), 6), round(float(down), 6)  # 1/(1 + exp(1/2)) / (1/2 + 1/100)
    (-0.740276, 0.740276)
    """

    name: str
    version: str
    formula: str
    citation: str
    note: str
    highest: int
    parameters: Mapping[str, Value]
    build: Callable[[Mapping[str, Value]], Rule]

    @property
    def library(self) -> str:
        """The library: the name up to its first colon."""
        return self.name.partition(":")[0]

    @property
    def objective(self) -> str:
        """What the library calls it."""
        return self.name.partition(":")[2]

    @property
    def rule(self) -> Rule:
        """How the gradient is made."""
        return self.build(self.parameters)

    def with_parameters(self, **values: object) -> "GradientField":
        """The same objective with other parameters.

        Raises
        ------
        InputError
            If it has no such parameter, or the value is not right.
        """
        read = dict(self.parameters)
        for key, value in values.items():
            if key not in read:
                known = ", ".join(read) or "none"
                raise InputError(f"{self.name} has no parameter {key!r}; its parameters are: {known}")
            read[key] = read_parameter(key, value)
        return replace(self, parameters=MappingProxyType(read))

    @property
    def most(self) -> int:
        """The highest grade that it takes with these parameters."""
        gains = self.parameters.get("label_gain")
        return len(gains) - 1 if isinstance(gains, tuple) and gains else self.highest

    def check(self, task: Task) -> None:
        """Refuse a task that it does not fit.

        Raises
        ------
        InputError
            If the labels are not grades, or a grade is out of range.
        """
        if not isinstance(task.space, Grades):
            raise InputError(f"{self.name} needs graded labels, such as 0..2; these are {task.space.kind}")
        if task.space.grades[-1] > self.most:
            raise InputError(f"{self.name} takes grades up to {self.most}; there are {task.space.grades[-1]}")

    def describe(self) -> dict[str, object]:
        """The ``surrogate`` entry of a witness document: enough to derive the field again."""
        return {
            "family": "field",
            "name": self.name,
            "library": self.library,
            "objective": self.objective,
            **{
                key: list(value) if isinstance(value, tuple) else value
                for key, value in self.parameters.items()
            },
        }

    def piece(self, label: Label, ranking: Prediction) -> Piece:
        """The gradient of a label where `ranking` sorts the scores, from top to bottom."""
        return self.rule.piece(label, ranking)

    def gradient(self, label: Label, scores: "Array") -> "Array":
        """g(y, u) in floats at scores of shape (..., m); equal scores rank in the order of the items."""
        import numpy as np

        rows = np.asarray(scores, dtype=float)
        flat = rows.reshape(-1, rows.shape[-1])
        orders, which = np.unique(np.argsort(-flat, axis=1, kind="stable"), axis=0, return_inverse=True)
        found = np.empty_like(flat)
        for k, order in enumerate(orders):
            mine = which.reshape(-1) == k
            found[mine] = self.piece(label, tuple(map(int, order))).floats(flat[mine])
        return found.reshape(rows.shape)
