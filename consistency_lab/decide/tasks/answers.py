"""What is answered about a surrogate of a finite task."""

from dataclasses import dataclass
from typing import final

from consistency_lab.certify.witness import Witness
from consistency_lab.decide.answers import Answer, Verdict, different, overall
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.fields import GradientField
from consistency_lab.model.surrogates.tasks.libraries import Entry
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort
from consistency_lab.theorems.tasks.affine import AffineProof

TaskAnswer = Answer[Witness, AffineProof]
"""About labels."""


@final
@dataclass(frozen=True)
class Prescription:
    """A surrogate that is proved consistent where another one is not.

    Parameters
    ----------
    surrogate
        What to use instead.
    task, condition
        Where it is consistent.
    reason
        The evidence, one sentence.
    dimension
        How many scores it needs.
    decoder
        What its decoder does and costs, in words.
    command
        The command that checks it.
    """

    surrogate: TaskSurrogate
    task: Task
    condition: str
    reason: str
    dimension: int
    decoder: str
    command: str


@final
@dataclass(frozen=True)
class TaskDecision:
    """All answers about one surrogate on one task.

    Parameters
    ----------
    surrogate, task
        What was asked about.
    answers
        One for each condition asked.
    prescriptions
        What to use instead where the surrogate is inconsistent: for each such condition, none twice.
    effort
        What the searches cost.
    """

    surrogate: TaskSurrogate
    task: Task
    answers: tuple[TaskAnswer, ...]
    prescriptions: tuple[Prescription, ...]
    effort: Effort

    @property
    def verdict(self) -> Verdict:
        """Over all conditions asked."""
        return overall(self.answers)

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The different witnesses, in the order of the answers."""
        return different(answer.witness for answer in self.answers)


@final
@dataclass(frozen=True)
class FieldFinding:
    """What was found about a gradient field: an equilibrium in a wrong order, or none.

    There is no verdict: a field need not be the gradient of a loss, nor vanish only where a loss is least, so
    it is never called consistent.

    Parameters
    ----------
    field, task
        What was asked about.
    witness
        The accepted equilibrium, or None.
    reason
        One sentence: what was found, or what was searched.
    effort
        What the search cost.
    reached
        Whether training from zero scores ends there, in floats.
    """

    field: GradientField
    task: Task
    witness: Witness | None
    reason: str
    effort: Effort
    reached: bool = False


@final
@dataclass(frozen=True)
class LibraryDecision:
    """The two answers about an objective of a library.

    Parameters
    ----------
    entry
        Its line in the catalogue.
    plain
        The decision on the plain loss underneath; None if there is none in the catalogue of families.
    shipped
        What was found about the shipped default where that is a gradient field; the decision where it is
        another loss; None where it is the plain one, or nothing here decides it.
    """

    entry: Entry
    plain: TaskDecision | None
    shipped: FieldFinding | TaskDecision | None
