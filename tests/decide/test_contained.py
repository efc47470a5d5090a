"""A larger question is not answered more weakly than a smaller one inside it."""

import pytest

from consistency_lab.certify.labels import moved
from consistency_lab.certify.proofs.file import verify
from consistency_lab.decide import labels
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.tasks import decide_field, decide_task
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
from consistency_lab.model.surrogates.tasks.fields import field
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.task import contained, of_size
from consistency_lab.search.effort import Effort
from consistency_lab.search.labels import label_witnesses

LARGE = (
    target("ndcg", items=3, labels=(0, 1, 2, 3)),
    target("ndcg@2", items=4),
    target("err", items=3, labels=(0, 1, 2, 3, 4)),
    target("precision", items=4, k=2),
    target("map", items=4),
    target("eru", items=3, labels=(0, 1, 2, 4)),
    target("pairwise", items=4, labels=(1, 2, 3, 4)),
    target("kendall", items=4),
    target("pairwise", items=4, labels="dags"),
)


def grades_of(witness):
    return witness["named"]["target"]["labels"]["grades"]


@pytest.mark.parametrize("task", LARGE, ids=lambda task: task.title)
def test_a_contained_task_has_the_same_loss(task):
    smaller = list(contained(task))
    assert smaller
    for other in smaller:
        assert other.space.m <= task.space.m
        whole = of_size(task, other.space.m)
        assert set(other.space.labels) <= set(whole.space.labels)
        for label in other.space.labels:
            assert all(str(other.loss(label, t)) == str(whole.loss(label, t)) for t in other.predictions)


def test_what_is_inside_of_a_class_a_precision_and_err():
    """A class of chance 0 may be predicted; precision@2 of 2 items is the same for all rankings."""
    assert not list(contained(target("zero-one", items=4)))
    assert [t.space.m for t in contained(target("precision", items=4, k=2))] == [3]
    five = target("err", items=3, labels=(0, 1, 2, 3, 4))
    (inside, *_) = contained(five)
    assert inside.space.grades == (0, 1, 2)
    assert inside.loss((2, 0, 0), (0, 1, 2)) == five.loss((2, 0, 0), (0, 1, 2)) == 1 - inside.table[2]
    assert inside.loss((2, 0, 0), (0, 1, 2)) != target("err").loss((2, 0, 0), (0, 1, 2))


def test_a_witness_is_moved_to_more_grades_with_their_own_losses():
    softmax, all_grades = task_surrogate("softmax"), (0, 1, 2, 3)
    for name, same in (("ndcg", True), ("err", False)):  # the usual gain of ERR is that of the largest grade
        (answer,) = decide_task(softmax, target(name), ["any"], effort=Effort(60), prescribe=False).answers
        found = moved(answer.witness, target(name, labels=all_grades))
        assert grades_of(found.document) == [0, 1, 2, 3]
        assert (verify(found.document).regret == answer.witness.verified.regret) is same
        assert found.digest != answer.witness.digest


@pytest.mark.long
@pytest.mark.parametrize(
    ("asked", "searched", "shorter"),
    [
        (target("ndcg@2", items=4, labels=(0, 1, 2, 3)), 27, True),
        (target("ndcg", labels=(0, 1, 2, 3, 4)), 27, False),
        (target("pairwise", items=4, labels="dags"), 25, True),
    ],
    ids=lambda value: getattr(value, "title", str(value)),
)
def test_where_the_task_itself_gives_nothing_a_smaller_one_is_searched(asked, searched, shorter, monkeypatch):
    def only_small(surrogate, task, *others, **named):
        small = len(task.space.labels) <= searched
        return label_witnesses(surrogate, task, *others, **named) if small else []

    monkeypatch.setattr(labels, "label_witnesses", only_small)
    decision = decide_task(task_surrogate("hinge"), asked, ["any"], effort=Effort(60), prescribe=False)
    (answer,) = decision.answers
    assert (answer.verdict, answer.scope) == (Verdict.INCONSISTENT, "3 items")
    assert ("3 items, with shorter lists than asked for" in answer.reason) is shorter
    assert answer.witness.asked.task.space == of_size(asked, 3).space
    assert verify(answer.witness.document) == answer.witness.verified


@pytest.mark.long
def test_a_witness_of_the_size_that_was_asked_for_is_preferred():
    asked = target("ndcg", items=4, labels=(0, 1, 2, 3))
    assert labels.is_large(asked)
    decision = decide_task(task_surrogate("softmax"), asked, ["any"], effort=Effort(60), prescribe=False)
    (answer,) = decision.answers
    assert (answer.verdict, answer.scope) == (Verdict.INCONSISTENT, "4 items")
    assert "shorter" not in answer.reason


@pytest.mark.long
def test_a_field_of_longer_lists_is_found_to_stand_still_on_shorter_ones():
    """`check xgboost:rank:pairwise --target ndcg --items 4 --k 2 --labels 0..4`: known of 3 items."""
    asked = target("ndcg@2", items=4, labels=(0, 1, 2, 3, 4))
    finding = decide_field(field("xgboost:rank:pairwise"), asked, effort=Effort(300))
    m = finding.witness.asked.task.space.m
    assert grades_of(finding.witness.document) == [0, 1, 2, 3, 4]
    assert ("on lists of 3 items, shorter than asked about" in finding.reason) is (m == 3)
    assert verify(finding.witness.document).claim == "wrong-equilibrium"
