"""RAT13 as theorems on tasks: where they apply, and where they must not."""

from fractions import Fraction

import pytest

from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.rat13 import RAT13_THEOREMS, loss_factor
from consistency_lab.model.labels import Rows
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.discrete import MatrixTask
from consistency_lab.model.tasks.task import Task


def applied(surrogate: TaskSurrogate, task: Task, condition: str) -> list[str]:
    answers = [theorem.applies(surrogate, condition, task) for theorem in RAT13_THEOREMS]
    return [answer.citation for answer in answers if isinstance(answer, Evidence)]


@pytest.mark.parametrize(
    ("surrogate", "task", "condition", "citation"),
    [
        (task_surrogate("map-full"), target("map"), "any", "RAT13 Theorem 3"),
        (task_surrogate("map-full", decode="diagonal"), target("map"), "reinforce", "RAT13 Theorem 4"),
        (task_surrogate("map-diagonal"), target("map"), "reinforce", "RAT13 Theorem 4"),
        (task_surrogate("map-diagonal"), target("map", items=4), "independent", "RAT13 Theorem 4"),
        (task_surrogate("pd-least-squares"), target("pairwise"), "any", "RAT13 Theorem 3"),
        (task_surrogate("pd-least-squares"), target("kendall"), "any", "RAT13 Theorem 3"),
        (
            task_surrogate("pd-least-squares", decode="algorithm-1"),
            target("pairwise", items=4, labels="dags"),
            "low-noise",
            "RAT13 Theorem 7",
        ),
        (
            task_surrogate("pd-least-squares", decode="algorithm-1"),
            target("pairwise", items=3, labels="dags"),
            "any",
            "ours",
        ),
        (task_surrogate("regression", on="net"), target("pairwise", labels="dags"), "p-f", "RAT13 Theorem 6"),
        (task_surrogate("regression", on="net"), target("kendall"), "net-order", "RAT13 Theorem 6"),
        (task_surrogate("regression", on="grade"), target("pairwise"), "p-f", "RAT13 Theorem 6"),
        (
            task_surrogate("regression", on="grade"),
            target("pairwise", labels=(0, 1)),
            "any",
            "RAT13 Theorem 6",
        ),
    ],
    ids=str,
)
def test_theorems_apply(surrogate: TaskSurrogate, task: Task, condition: str, citation: str) -> None:
    found = applied(surrogate, task, condition)
    assert found
    assert found[0].startswith(citation)


@pytest.mark.parametrize(
    ("surrogate", "task", "condition"),
    [
        (task_surrogate("map-diagonal"), target("map"), "any"),
        (task_surrogate("map-full", decode="diagonal"), target("map"), "any"),
        (task_surrogate("regression", on="grade"), target("map"), "reinforce"),
        (task_surrogate("regression", on="net"), target("pairwise", labels="dags"), "acyclic"),
        (task_surrogate("regression", on="net"), target("pairwise", labels="dags"), "any"),
        (task_surrogate("regression", on="grade"), target("pairwise"), "net-order"),
        (task_surrogate("regression", on="grade"), target("pairwise"), "any"),
        (task_surrogate("regression", on="gain"), target("ndcg"), "p-f"),
        (
            task_surrogate("pd-least-squares", decode="algorithm-1"),
            target("pairwise", items=4, labels="dags"),
            "any",
        ),
    ],
    ids=str,
)
def test_theorems_do_not_apply(surrogate: TaskSurrogate, task: Task, condition: str) -> None:
    assert applied(surrogate, task, condition) == []


def test_the_factor_of_the_loss_has_to_be_one_positive_number() -> None:
    rows = tuple(tuple(map(Fraction, row)) for row in ((0, 1, 2), (3, 1, 0)))
    task = MatrixTask(Rows(("a", "b")), ("s", "t", "v"), rows)
    labels = task.space.labels
    assert loss_factor(task, task.loss, labels) == 1
    assert loss_factor(task, lambda y, t: 2 * task.loss(y, t) + y[0], labels) == Fraction(1, 2)
    assert loss_factor(task, lambda y, t: -task.loss(y, t), labels) is None
    assert loss_factor(task, lambda y, t: task.loss(y, t) * (1 + y[0]), labels) is None
    assert loss_factor(task, lambda y, t: Fraction(0), labels) is None
