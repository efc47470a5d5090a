"""What a library ships, where that is a gradient field: a surrogate in name only."""

from dataclasses import dataclass
from typing import final

from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.fields.base import GradientField
from consistency_lab.model.tasks.task import Task


@final
@dataclass(frozen=True)
class ShippedField(TaskSurrogate):
    """A gradient field in place of a loss: training follows it, but it need not descend on anything.

    Parameters
    ----------
    field
        The field.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.fields import field
    >>> ShippedField(field("lightgbm:lambdarank")).name
    'lightgbm:lambdarank'
    """

    field: GradientField
    decoder: str = "sort"

    @property
    def name(self) -> str:  # type: ignore[override]
        """The library and its name for the objective."""
        return self.field.name

    @property
    def formula(self) -> str:
        """The gradient."""
        return self.field.formula

    @property
    def citation(self) -> str:
        """What was read."""
        return self.field.citation

    def check(self, task: Task) -> None:
        self.field.check(task)

    def describe(self, task: Task) -> dict[str, object]:
        return {"name": self.name, **self.field.describe()}
