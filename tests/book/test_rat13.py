"""RAT13 §6 and §7: facts beyond those that every statement of the book is tested for."""

from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from consistency_lab import target, task_surrogate
from consistency_lab.apps.book import rat13
from consistency_lab.apps.book.rat13 import expected_scores as expected
from consistency_lab.apps.book.statements.rat13_p_f import Six, additive, proved, single_edges, six_laws
from consistency_lab.model.conditions import TASK_CONDITIONS
from consistency_lab.model.labels import Dags, Grades, Rankings, differences
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.surrogates.tasks.means import MapRegression
from consistency_lab.model.tasks.discrete import PairwiseDisagreement


def grades(label):
    return [Fraction(grade) for grade in label]


def random_law(rng, space, size):
    labels = rng.sample(space.labels, min(size, len(space.labels)))
    return rat13.law({label: rng.randint(1, 9) for label in labels})


# --- MAP (RAT13 §6) ---------------------------------------------------------------------------


@pytest.mark.parametrize("r", [2, 3, 4])
def test_two_tests_of_p_reinforce_agree(r):
    rng, task = Random(r), rat13.map_task(r)
    condition = TASK_CONDITIONS["reinforce"]
    answers = []
    for _ in range(60):
        p = random_law(rng, task.space, rng.randint(1, 4))
        answers.append(rat13.reinforces(rat13.means(p)))
        assert condition.holds_for(task.space, p, grades) is answers[-1]
    assert any(answers)
    assert all(answers) is (r == 2)  # the sum over the other items is empty


def test_expected_map_is_the_probability_of_a_relevant_item_less_what_an_order_earns():
    task, p = rat13.map_task(3), rat13.law({(0, 0, 0): 2, (1, 0, 1): 3, (0, 1, 1): 1})
    u = rat13.means(p)
    assert rat13.losses(task, p) == {
        order: Fraction(2, 3) - rat13.earned(u, order) for order in task.predictions
    }


@pytest.mark.parametrize("r", [3, 4])
def test_theorem_4_at_random_distributions(r):
    rng, task, count = Random(40 + r), rat13.map_task(r), 0
    while count < 25:
        p = random_law(rng, task.space, rng.randint(2, 5))
        if rat13.reinforces(rat13.means(p)):
            count += 1
            assert set(rat13.sorted_orders(rat13.diagonal(rat13.means(p)))) <= rat13.optimal(task, p)


def test_independent_labels_are_in_p_reinforce():
    rng = Random(7)
    for r in (2, 3, 4):
        for _ in range(10):
            theta = [Fraction(rng.randint(0, 5), 5) for _ in range(r)]
            p = {}
            for label in rat13.map_task(r).space.labels:
                weight = Fraction(1)
                for share, y in zip(theta, label, strict=True):
                    weight *= share if y else 1 - share
                p[label] = weight
            assert TASK_CONDITIONS["independent"].holds_for(rat13.map_task(r).space, p, grades)
            assert rat13.reinforces(rat13.means(p))


def test_nothing_relevant_does_not_matter():
    p = rat13.law({(0, 0, 0): 1})
    assert rat13.optimal(rat13.map_task(3), p) == set(rat13.map_task(3).predictions)
    assert rat13.reinforces(rat13.means(p))


def test_diagonal_of_the_full_surrogate_is_what_is_sorted():
    task, full = rat13.map_task(3), MapRegression(decoder="diagonal")
    p = rat13.law({(1, 0, 1): 4, (0, 1, 0): 3, (1, 0, 0): 2})
    u = expected(p, lambda y: full.features(task, y))
    assert set(decoder_for(full, task).returns(full, task, u)) == set(
        rat13.sorted_orders(rat13.diagonal(rat13.means(p)))
    )


# --- Pairwise disagreement (RAT13 §7) ---------------------------------------------------------


def test_theorem_6_and_its_converse_at_random_distributions():
    task = PairwiseDisagreement(Dags(3))
    f = rat13.net_feature(task.space)
    rng, inside = Random(6), set()
    for _ in range(80):
        p = random_law(rng, task.space, rng.randint(1, 4))
        if rat13.in_p_dag(task.space, p):
            right = set(rat13.sorted_orders(expected(p, f))) <= rat13.optimal(task, p)
            assert right is rat13.in_p_f(task.space, p, f)
            inside.add(right)
        else:
            assert not rat13.in_p_f(task.space, p, f)
    assert inside == {True, False}


def test_algorithm_1_at_random_acyclic_distributions():
    task, rng, seen = target("pairwise", items=4, labels="dags"), Random(7), 0
    surrogate = task_surrogate("pd-least-squares", decode="algorithm-1")
    while seen < 25:
        p = random_law(rng, task.space, 4)
        if rat13.in_p_dag(task.space, p):
            seen += 1
            u = expected(p, lambda y: [Fraction(x) for x in surrogate.features(task, y)])
            assert set(decoder_for(surrogate, task).returns(surrogate, task, u)) <= rat13.optimal(task, p)


def test_six_distributions_are_checked():
    space, six = Dags(3), single_edges()
    assert six.stands(space)
    assert proved(six, 3)
    (edge, p), *rest = six
    assert not Six(((edge, {**p, (0, 2): Fraction(1)}), *rest)).stands(space)
    assert not Six((((1, 0), p), *rest)).stands(space)
    assert not proved(Six(((edge, rat13.law({(0, 1): 1, (1, 2): 1})), *rest)), 3)


@pytest.mark.parametrize("space", [Dags(3), Rankings(4), Grades(3, (0, 1, 2))], ids=lambda space: space.kind)
def test_no_scores_have_all_six(space):
    rng = Random(72)
    label = next(y for y in space.labels if not additive(space, y, (0, 1, 2)))
    six = six_laws(space, label)
    assert six.stands(space)
    table = {y: [Fraction(rng.randint(-9, 9)) for _ in range(space.m)] for y in space.labels}
    for f in (rat13.net_feature(space), table.__getitem__):
        assert not all(rat13.in_p_f(space, p, f) for _, p in six)


def test_additive_labels_have_p_f_equal_to_p_dag():
    rng, space = Random(8), Grades(4, (0, 1))
    assert all(additive(space, y) for y in space.labels)
    for _ in range(20):
        p = random_law(rng, space, 5)
        assert rat13.in_p_dag(space, p)
        assert rat13.in_p_f(space, p, rat13.net_feature(space))
        assert rat13.in_p_f(space, p, grades)


def test_differences_of_a_cycle():
    p = rat13.law({(0, 1): 1, (1, 2): 1, (2, 0): 1})
    assert not rat13.in_p_dag(Dags(3), p)
    assert {differences(Dags(3), p)[i][j] for i, j in permutations(range(3), 2)} == {
        Fraction(1, 3),
        -Fraction(1, 3),
    }
