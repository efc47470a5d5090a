"""RAT13 as theorems on tasks: where they apply, and where they must not."""

from fractions import Fraction

import pytest

from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.rat13 import RAT13_THEOREMS, loss_factor
from consistency_lab.model.labels import Rows
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.discrete import MatrixTask


def applied(surrogate, task, condition):
    answers = [theorem.applies(surrogate, condition, task) for theorem in RAT13_THEOREMS]
    return [answer.citation for answer in answers if isinstance(answer, Evidence)]


S, T = task_surrogate, target
BY_ALGORITHM_1 = S("pd-least-squares", decode="algorithm-1")


@pytest.mark.parametrize(
    ("surrogate", "task", "condition", "citation"),
    [
        (S("map-full"), T("map"), "any", "RAT13 Theorem 3"),
        (S("map-full", decode="diagonal"), T("map"), "reinforce", "RAT13 Theorem 4"),
        (S("map-diagonal"), T("map"), "reinforce", "RAT13 Theorem 4"),
        (S("map-diagonal"), T("map", items=4), "independent", "RAT13 Theorem 4"),
        (S("pd-least-squares"), T("pairwise"), "any", "RAT13 Theorem 3"),
        (S("pd-least-squares"), T("kendall"), "any", "RAT13 Theorem 3"),
        (BY_ALGORITHM_1, T("pairwise", items=4, labels="dags"), "low-noise", "RAT13 Theorem 7"),
        (BY_ALGORITHM_1, T("pairwise", items=3, labels="dags"), "any", "ours"),
        (S("regression", on="net"), T("pairwise", labels="dags"), "p-f", "RAT13 Theorem 6"),
        (S("regression", on="net"), T("kendall"), "net-order", "RAT13 Theorem 6"),
        (S("regression", on="grade"), T("pairwise"), "p-f", "RAT13 Theorem 6"),
        (S("regression", on="grade"), T("pairwise", labels=(0, 1)), "any", "RAT13 Theorem 6"),
    ],
    ids=str,
)
def test_theorems_apply(surrogate, task, condition, citation):
    found = applied(surrogate, task, condition)
    assert found
    assert found[0].startswith(citation)


@pytest.mark.parametrize(
    ("surrogate", "task", "condition"),
    [
        (S("map-diagonal"), T("map"), "any"),
        (S("map-full", decode="diagonal"), T("map"), "any"),
        (S("regression", on="grade"), T("map"), "reinforce"),
        (S("regression", on="net"), T("pairwise", labels="dags"), "acyclic"),
        (S("regression", on="net"), T("pairwise", labels="dags"), "any"),
        (S("regression", on="grade"), T("pairwise"), "net-order"),
        (S("regression", on="grade"), T("pairwise"), "any"),
        (S("regression", on="gain"), T("ndcg"), "p-f"),
        (BY_ALGORITHM_1, T("pairwise", items=4, labels="dags"), "any"),
    ],
    ids=str,
)
def test_theorems_do_not_apply(surrogate, task, condition):
    assert applied(surrogate, task, condition) == []


def test_the_factor_of_the_loss_has_to_be_one_positive_number():
    rows = tuple(tuple(map(Fraction, row)) for row in ((0, 1, 2), (3, 1, 0)))
    task = MatrixTask(Rows(("a", "b")), ("s", "t", "v"), rows)
    labels = task.space.labels
    assert loss_factor(task, task.loss, labels) == 1
    assert loss_factor(task, lambda y, t: 2 * task.loss(y, t) + y[0], labels) == Fraction(1, 2)
    assert loss_factor(task, lambda y, t: -task.loss(y, t), labels) is None
    assert loss_factor(task, lambda y, t: task.loss(y, t) * (1 + y[0]), labels) is None
    assert loss_factor(task, lambda y, t: Fraction(0), labels) is None
