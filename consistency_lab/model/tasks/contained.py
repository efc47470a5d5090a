"""Smaller tasks inside a task: shorter lists, and fewer grades.

Lists of 3 items occur wherever lists of 5 do, and the same loss ranks them: NDCG@10 of 3 items is NDCG. What
is wrong there is said to be wrong on lists of 3; no item is added to them, for a score would have to be found
for it too. Fewer grades of as many items are a part of the labels, so what is wrong there is wrong in the
task itself as soon as it is written for all grades, which the core checks again.
"""

from collections.abc import Iterator
from typing import Final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.labels import Dags, Grades, LabelSpace, Rankings
from consistency_lab.model.tasks.task import PositionalTask, Task

_SIZES: Final = (3, 2, 4, 5)
"""Where witnesses are found most often, and fast, first."""

_FEW_GRADES: Final = 3


def contained(task: Task) -> Iterator[Task]:
    """The same loss on shorter lists and on the lowest grades, those that are searched fast first."""
    known = {task.space}
    for few in (True, False):
        for m in _SIZES:
            if m > task.space.m:
                continue
            space = _resized(task.space, m, few)
            if space is None or space in known:
                continue
            known.add(space)
            try:
                smaller = task.on(space)
            except (InputError, UnsupportedError):  # precision@3 of 2 items, for instance
                continue
            if not isinstance(smaller, PositionalTask) or smaller.steps:  # else all rankings are alike
                yield smaller


def of_size(task: Task, m: int) -> Task:
    """The same loss on lists of m items with all of its grades."""
    space = _resized(task.space, m, few=False)
    return task if space is None else task.on(space)


def _resized(space: LabelSpace, m: int, few: bool) -> LabelSpace | None:
    """The labels of m items, perhaps with the lowest grades only; None for what is not about items."""
    if isinstance(space, Grades):
        return Grades(m, space.grades[:_FEW_GRADES] if few else space.grades)
    return type(space)(m) if isinstance(space, Rankings | Dags) else None
