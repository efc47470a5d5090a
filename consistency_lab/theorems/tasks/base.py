"""What a theorem on a task is: a statement about surrogates, targets and conditions, with hypotheses.

`theorems.base.Theorem` is about pairwise disagreement alone; here the target is a hypothesis like any other.
"""

from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import unknown
from consistency_lab.model.tasks.conditions import TaskCondition
from consistency_lab.model.tasks.task import Task
from consistency_lab.theorems.base import THEOREM, Evidence, Hypothesis, Refusal, checked

__all__ = ["Evidence", "Refusal", "TaskHypothesis", "TaskTheorem"]


TaskHypothesis = Hypothesis[[TaskSurrogate, Task]]
"""On the surrogate and the task."""


@frozen
class TaskTheorem:
    """A statement "surrogates of this family are calibrated for these targets under these conditions"."""

    name: str  #: A short name.
    statement: str  #: The statement, in LaTeX where it is mathematics.
    citation: str  #: Its source.
    families: tuple[type[TaskSurrogate], ...]  #: The classes of surrogates that it is about.
    #: The targets that it is about, by name; none listed says that the hypotheses alone decide.
    targets: tuple[str, ...]
    #: The largest conditions that it covers, by name; those that imply one of them are covered with it. The f
    #: of "p-f" is that of the surrogate.
    conditions: tuple[str, ...]
    hypotheses: tuple[TaskHypothesis, ...]  #: What it asks of the surrogate and the task.
    scope: str = "all m"  #: For which sizes of the task it holds.

    def about(self, surrogate: TaskSurrogate, task: Task) -> bool:
        """Whether the statement is about this family and this target."""
        return isinstance(surrogate, self.families) and (not self.targets or task.target in self.targets)

    def applies(self, surrogate: TaskSurrogate, task: Task, condition: TaskCondition) -> Evidence | Refusal:
        """Check every hypothesis."""
        own = unknown(surrogate, task)
        if own is not None:
            return Refusal(f"{self.name} says nothing of {own}, a class of your own")
        if not self.about(surrogate, task):
            return Refusal(f"{self.name} is not about {surrogate.name} on {task.target}")
        covering = next(
            (name for name in (condition.name, *condition.larger) if name in self.conditions), None
        )
        if covering is None:
            assumed = " or ".join(self.conditions)
            return Refusal(f"{self.name} assumes {assumed}, which {condition.name} does not imply")
        found = checked(self.name, self.hypotheses, surrogate, task)
        if isinstance(found, Refusal):
            return found
        if covering != condition.name:
            found.append((f"the condition is {covering}", f"{condition.name} implies it"))
        return Evidence(THEOREM, self.citation, self.scope, tuple(found))
