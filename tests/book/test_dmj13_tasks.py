"""DMJ13 on complete data: NDCG, ERR and Zhang's loss, and what happens without a hypothesis."""

from fractions import Fraction
from itertools import permutations, product
from math import prod
from random import Random

import pytest

from consistency_lab.apps.book.rat13 import gradient, refuted_at, sorts
from consistency_lab.apps.book.statements import dmj13_gains
from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.dmj13 import ERR, ZHANG
from consistency_lab.decide.theorems.dmj13 import NDCG as THEOREM_NDCG
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.task import certainly_above
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import NAMED, convexity_proof, named

RANKNET = PairsSurrogate("ranknet", named("logistic").expression)
GRADED = {(2, 1): Fraction(3, 5), (0, 1): Fraction(2, 5)}
NDCG = target("ndcg", items=2)


def scores(*values):
    return [LogRational.parse(value) for value in values]


def test_the_pairwise_logistic_loss_is_strictly_wrong_for_ndcg():
    # DMJ13 §3: a loss of pairs is not calibrated for NDCG; here with two items, and with relevance 0 or 1.
    assert dmj13_gains.graded().witness.endswith("strict")
    assert dmj13_gains.binary().witness.endswith("strict")


def test_scores_that_are_not_minimal_refute_nothing():
    assert refuted_at(RANKNET, NDCG, GRADED, scores("log(3/2)", "0"), (1, 0)).refuted
    assert not refuted_at(RANKNET, NDCG, GRADED, scores("log(2)", "0"), (1, 0)).refuted
    assert not refuted_at(RANKNET, NDCG, GRADED, scores("log(3/2)", "0"), (0, 1)).refuted
    halved = {label: p / 2 for label, p in GRADED.items()}
    assert not refuted_at(RANKNET, NDCG, halved, scores("log(3/2)", "0"), (1, 0)).refuted


def test_the_slope_at_a_kink_has_to_be_a_subgradient():
    hinge = PairsSurrogate("hinge", named("hinge").expression)
    certain = {(1, 0): Fraction(1)}
    at_kink = scores("1", "0")
    assert gradient(hinge, NDCG, certain, at_kink) is None
    assert gradient(hinge, NDCG, certain, at_kink, {(0, 1): Fraction(0)}) == (Fraction(0),) * 2
    assert gradient(hinge, NDCG, certain, at_kink, {(0, 1): Fraction(-2)}) is None


def test_slopes_that_are_not_rational_are_not_used():
    assert gradient(RANKNET, NDCG, GRADED, scores("1", "0")) is None


def test_ties_may_be_sorted_either_way():
    assert [t for t in permutations(range(3)) if sorts(t, scores("1", "2", "1"))] == [(1, 0, 2), (1, 2, 0)]


@pytest.mark.parametrize("name", [name for name, one in NAMED.items() if convexity_proof(one.expression)])
def test_zhang_s_loss_is_covered_for_every_convex_named_phi_but_the_hinge(name):
    answer = ZHANG.applies(PairsSurrogate(name, named(name).expression, "zhang"), "any", target("ndcg"))
    assert isinstance(answer, Evidence) is (name != "hinge")


def test_which_regressions_are_covered_for_ndcg_and_err():
    ndcg = [f for f in ("gain/Z", "gain", "grade") if _covers(THEOREM_NDCG, f, "any", "ndcg")]
    asked = (("gain", "independent"), ("gain", "any"), ("grade", "independent"))
    assert ndcg == ["gain/Z"]
    assert [pair for pair in asked if _covers(ERR, *pair, "err")] == [("gain", "independent")]


def _covers(theorem, feature, condition, task):
    return isinstance(theorem.applies(Regression(feature), condition, target(task)), Evidence)


def independent(task, marginals):
    """The product measure with these marginals (one more is added to the lowest grade), and E G."""
    grades = task.space.grades
    chances = [[Fraction(w + (k == 0), 1 + sum(row)) for k, w in enumerate(row)] for row in marginals]
    weights = {
        tuple(grades[k] for k in chosen): prod((row[k] for row, k in zip(chances, chosen, strict=True)))
        for chosen in product(range(len(grades)), repeat=len(chances))
    }
    theta = [
        sum((c * task.table[grade] for c, grade in zip(row, grades, strict=True)), Fraction(0))
        for row in chances
    ]
    return {label: Fraction(w) for label, w in weights.items() if w}, theta


def test_err_of_independent_grades_by_hand():
    task = target("err", items=2, labels=(0, 1))
    p, theta = independent(task, [[0, 1], [0, 2]])
    assert theta == [Fraction(1, 4), Fraction(1, 3)]
    for order in permutations(range(2)):
        assert task.expected_loss(p, order) == 1 - dmj13_gains.earned(theta, task.discounts, order)


def test_two_dependent_items_are_still_sorted_by_their_mean_gain():
    task = target("err", items=2)
    rng = Random(7)
    for _ in range(30):
        drawn = {rng.choice(task.space.labels): rng.randint(1, 4) for _ in range(3)}
        p = {label: Fraction(w, sum(drawn.values())) for label, w in drawn.items()}
        theta = [sum(w * task.table[y[i]] for y, w in p.items()) for i in range(2)]
        better = (0, 1) if theta[0] >= theta[1] else (1, 0)
        worse = better[::-1]
        assert not certainly_above(task.expected_loss(p, better), task.expected_loss(p, worse))
