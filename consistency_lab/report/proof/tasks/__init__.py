"""A witness about a prediction task as a proof in plain text."""

from collections.abc import Callable, Iterator
from typing import Final

from consistency_lab.report.proof.tasks.case import TaskCase
from consistency_lab.report.proof.tasks.failure import condition, failure
from consistency_lab.report.proof.tasks.labels import labels, losses
from consistency_lab.report.proof.tasks.minimum import minimum
from consistency_lab.report.text import Line

__all__ = ["ON_TASKS", "TaskCase"]

ON_TASKS: Final[tuple[tuple[str, Callable[[TaskCase], Iterator[Line]]], ...]] = (
    ("Labels", labels),
    ("What the target loss asks for", losses),
    ("The condition", condition),
    ("The surrogate and its scores", minimum),
    ("What follows", failure),
)
"""What is said where the names of a proof about a task were recomputed."""
