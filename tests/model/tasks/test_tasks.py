"""Targets and conditions of finite tasks: known values, and agreement with the formulas of the papers."""

from fractions import Fraction
from itertools import permutations

import pytest

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.conditions import TASK_CONDITIONS, task_condition
from consistency_lab.model.distribution import loss
from consistency_lab.model.labels import Dags, Grades, Rankings
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.tape import as_ball


def test_the_numbers_of_labeled_dags_are_those_of_robinson():
    # R. W. Robinson 1973: 1, 3, 25, 543 labeled acyclic digraphs.
    assert [len(Dags(m).labels) for m in (2, 3, 4)] == [3, 25, 543]


@pytest.mark.parametrize("space", [Grades(3, (0, 1, 2)), Rankings(4), Dags(3)], ids=lambda s: s.kind)
def test_relabeling_maps_a_label_space_onto_itself(space):
    sigma = [*range(1, space.m), 0]
    moved = [space.relabeled(label, sigma) for label in space.labels]
    assert set(moved) == set(space.labels)
    for label, other in zip(space.labels, moved, strict=True):
        edges = {(sigma[i], sigma[j]) for i, j, _ in space.preferences(label)}
        assert {(i, j) for i, j, _ in space.preferences(other)} == edges


def test_the_pairwise_task_has_the_loss_of_preference_graphs():
    task = target("pairwise", labels="dags")
    p = {label: Fraction(k + 1) for k, label in enumerate(task.space.labels)}
    total = sum(p.values())
    weights = {label: x / total for label, x in p.items()}
    a = [[Fraction(0)] * 3 for _ in range(3)]
    for label, x in weights.items():
        for i, j, w in task.space.preferences(label):
            a[i][j] += x * w
    for order in permutations(range(3)):
        assert task.expected_loss(weights, order) == loss(a, order)


@pytest.mark.parametrize("name", ["ndcg", "precision", "eru"])
def test_positional_losses_are_minimized_by_sorting_the_scaled_gains(name):
    task = target(name)
    labels = task.space.labels
    for k in range(1, len(labels) - 1):
        if labels[k] == labels[-k - 1]:
            continue
        weights = {labels[k]: Fraction(2, 5), labels[-k - 1]: Fraction(3, 5)}
        scaled = [(float(p) * float(as_ball(task.scale(y)).mid()), task.gains(y)) for y, p in weights.items()]
        gain = [sum(c * float(gains[i]) for c, gains in scaled) for i in range(3)]
        order = tuple(sorted(range(3), key=lambda i: -gain[i]))
        least = min(float(as_ball(task.expected_loss(weights, t)).mid()) for t in task.predictions)
        assert float(as_ball(task.expected_loss(weights, order)).mid()) == pytest.approx(least, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("ndgc", {}, "there is no target 'ndgc'; did you mean 'ndcg'?"),
        ("ndcg", {"labels": (2, 0)}, "in rising order"),
        ("ndcg", {"labels": (0, 31)}, "they must lie between 0 and 30"),
        ("ndcg", {"labels": (-1, 1)}, "they must lie between 0 and 30"),
        ("ndcg", {"gain": "0-s"}, "it must be at least 0"),
        ("ndcg", {"gain": "2-s"}, "it must not fall"),
        ("ndcg", {"discount": "j-1"}, "divides by zero|must be positive at position 1"),
        ("ndcg", {"discount": "1/j"}, "falls from position 1"),
        ("ndcg", {"k": 0}, "it must be at least 1"),
        ("ndcg@0", {}, "it must be at least 1"),
        ("ndcg@", {}, "no number of positions after @"),
        ("ndcg@ten", {}, "no number of positions after @"),
        ("ndcg@-1", {}, "no number of positions after @"),
        ("ndcg@" + "9" * 5000, {}, "no number of positions after @"),
        ("ndcg@2", {"k": 3}, "leave one of them out"),
        ("map@2", {}, "the target map has no k"),
        ("precision", {"k": 3}, "precision@3 of 3 items is 1 - \\(relevant items\\)/3 whatever the ranking"),
        ("precision", {"k": 4}, "so nothing can be ranked wrongly"),
        ("precision@10", {}, "precision@10 of 3 items is 1 - \\(relevant items\\)/10 whatever the ranking"),
        ("ndcg", {"items": 1}, "a ranking needs at least 2"),
        ("map", {"labels": (0, 1, 2)}, "its labels are 0..1"),
        ("map", {"labels": (0, 2)}, "its labels are 0..1"),
        ("precision", {"labels": (0, 1, 2)}, "its labels are 0..1"),
        ("precision@2", {"labels": (0, 2)}, "its labels are 0..1"),
        ("precision", {"labels": (1, 2)}, "its labels are 0..1"),
        ("map", {"k": 2}, "the target map has no k"),
        ("mrr", {"k": 0}, "it must be at least 1"),
        ("mrr", {"v": Fraction(1)}, "grades above v = 1 are relevant, and the labels are 0..1"),
        ("mrr", {"gain": "s"}, "the target mrr has no gain; its options are labels, k, v"),
        ("err", {"gain": "s"}, "it is a|chance, at most 1"),
        ("pairwise", {"labels": "trees"}, "write grades such as 0..2, rankings or dags"),
        ("kendall", {"labels": (0, 1)}, "rankings"),
        ("zero-one", {"labels": (0, 1)}, "has no labels"),
        ("eru", {"w": Fraction(1)}, "it must be above 1"),
    ],
)
def test_a_wrong_target_is_refused_in_one_sentence(name, options, message):
    with pytest.raises(InputError, match=message) as caught:
        target(name, **options)
    assert "\n" not in str(caught.value)


def test_ndcg_at_k_of_fewer_items_is_ndcg():
    """Only the positions that there are count, in Z as in the sum; the file says so too."""
    plain, counted = target("ndcg"), target("ndcg@10")
    assert counted.describe() == plain.describe()
    assert counted.title == "NDCG@10 (NDCG for 3 items)"
    assert target("mrr@9").describe() == target("mrr").describe()
    assert target("mrr@9").title == "MRR@9 (MRR for 3 items)" and target("mrr@2").title == "MRR@2"
    for label in plain.space.labels:
        for order in plain.predictions:
            assert str(counted.loss(label, order)) == str(plain.loss(label, order))
    assert target("ndcg@2").describe() == target("ndcg", k=2).describe()
    assert target("ndcg@2", k=2) == target("ndcg@2")
    assert target("precision@2") == target("precision", k=2)


def test_too_many_labels_are_refused_and_not_sampled():
    with pytest.raises(UnsupportedError, match="at most 5 items and 3125 labels"):
        target("ndcg", items=5, labels=(0, 1, 2, 3, 4, 5))
    assert len(target("ndcg", items=5, labels=(0, 1, 2, 3, 4)).space.labels) == 3125


@pytest.mark.parametrize("name", [c.name for c in TASK_CONDITIONS.values() if c.cones is not None])
def test_a_point_inside_a_cone_fulfills_the_condition(name):
    """Two engines: the cone's rows by linear programming, the exact test on what they yield."""
    from consistency_lab.solve.lp import LPStatus, solve_lp

    space = Grades(3, (0, 1))
    condition = TASK_CONDITIONS[name]
    assert condition.cones is not None

    def f(label):
        return [Fraction(y) for y in label]

    inside = 0
    for cone in condition.cones(space, f):
        one = Fraction(1)
        rows = [tuple(-x for x in row) for row in (*cone.strict, *cone.inequalities)]
        right = [-one] * len(cone.strict) + [0 * one] * len(cone.inequalities)
        n = len(space.labels)
        normal = [tuple([one] * n)] if not cone.strict else []
        equal = [0 * one] * len(cone.equalities) + [one] * len(normal)
        found = solve_lp([one] * n, [*cone.equalities, *normal], equal, rows, right)
        if found.status is LPStatus.OPTIMAL and sum(found.x):
            total = sum(found.x)
            p = {label: x / total for label, x in zip(space.labels, found.x, strict=True) if x}
            assert condition.holds_for(space, p, f)
            inside += 1
    assert inside


def test_the_cones_of_additive_differences_cover_ties():
    """One cone for each way in which neighbors may be level, 2^(m-1) of them."""
    space = Grades(3, (0, 1))
    cones = TASK_CONDITIONS["additive"].cones
    assert cones is not None
    found = cones(space, lambda label: ())
    assert len(found) == 4
    assert sorted(len(cone.strict) for cone in found) == [0, 2, 2, 3]


@pytest.mark.parametrize(
    ("name", "space", "message"),
    [
        ("reinforce", Grades(3, (0, 1, 2)), "labels of 0 and 1"),
        ("independent", Rankings(3), "independent labels are grades"),
        ("order-preserving", Dags(3), "grades and rankings"),
        ("low-noise", target("zero-one").space, "classes are not compared"),
        ("reinforced", Grades(3, (0, 1)), "did you mean 'reinforce'"),
    ],
)
def test_a_condition_that_does_not_apply_is_refused(name, space, message):
    with pytest.raises(InputError, match=message):
        task_condition(name, space)
