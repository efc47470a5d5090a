"""Found equilibria are real: descent stays there, and another order is better."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy

from consistency_lab.certify.proofs.file import verify
from consistency_lab.core.document import WRONG_EQUILIBRIUM
from consistency_lab.core.equilibrium import check_equilibrium as check_programs
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.files import with_digest
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.surrogates.tasks.fields import field
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.task import certainly_above
from consistency_lab.search.effort import Effort
from consistency_lab.search.equilibria import box_around, find_equilibrium, pair_equilibrium, prove
from consistency_lab.search.flow import FieldInOrder, StationaryPoint
from tests.gradients import gradient

QUESTIONS = [
    ("xgboost:rank:pairwise", "ndcg", 2, (0, 1, 2)),
    ("xgboost:rank:ndcg", "ndcg", 2, (0, 1, 2)),
    ("xgboost:rank:map", "map", 3, (0, 1)),
    ("lightgbm:rank_xendcg", "ndcg", 2, (0, 1, 2, 3, 4)),
]


def mean_gradient(found, scores):
    return sum(
        float(p) * gradient(found.field, label, scores)
        for label, p in zip(found.labels, found.probabilities, strict=True)
    )


@cache
def first_found(name, loss, items, grades=(0, 1, 2)):
    return find_equilibrium(field(name), target(loss, items=items, labels=grades))


@pytest.mark.long
@pytest.mark.parametrize(("name", "loss", "items", "grades"), QUESTIONS)
def test_an_equilibrium_in_a_wrong_order(name, loss, items, grades):
    task, found = target(loss, items=items, labels=grades), first_found(name, loss, items, grades)
    weights = dict(zip(found.labels, found.probabilities, strict=True))
    assert sum(weights.values()) == 1
    wrong, right = (task.expected_loss(weights, order) for order in (found.prediction, found.better))
    assert certainly_above(wrong, right)
    assert found.attracting
    # Descent on the floats of the whole field, which knows nothing of the order, returns to the box.
    start = np.array([float(x) for x in found.scores]) + [0.004 * (-1) ** i for i in range(items)]
    scores = start.copy()
    for _ in range(1000):
        scores = scores - 0.1 * mean_gradient(found, scores)
    assert np.abs(mean_gradient(found, scores)).max() < 1e-6
    for (low, high), x in zip(found.box, scores - scores[-1], strict=False):
        assert float(low) - 1e-6 < x < float(high) + 1e-6
    assert tuple(np.argsort(-scores)) == found.prediction


# Two labels, one half each: the shipped default of XGBoost ranks item 1 above item 2.
HALVES = ((0, 2, 1), (2, 1, 1)), (Fraction(1, 2), Fraction(1, 2))


def halves(box):
    pieces = [field("xgboost:rank:pairwise").piece(label, (0, 1, 2)) for label in HALVES[0]]
    return check_programs(
        [(p, piece.program(3)) for p, piece in zip(HALVES[1], pieces, strict=True)], (0, 1, 2), box
    )


def test_one_half_each_is_enough_for_rank_pairwise():
    assert halves(box_around([Fraction(784335, 10**6), Fraction(738556, 10**6)], Fraction(1, 10**6)))


@pytest.mark.parametrize("shift", [(1, 0), (0, 1), (-1, 1)])
def test_a_box_beside_the_zero_or_a_huge_one_is_refused(shift):
    center = [Fraction(784335 + 3 * shift[0], 10**6), Fraction(738556 + 3 * shift[1], 10**6)]
    with pytest.raises(RejectedError, match="not proved to lie in the box"):
        halves(box_around(center, Fraction(1, 10**6)))
    with pytest.raises(RejectedError):
        halves(((Fraction(3, 4), Fraction(5)), (Fraction(1, 4), Fraction(1, 2))))


def test_a_candidate_whose_order_is_right_is_not_proved():
    ordered = FieldInOrder(field("xgboost:rank:pairwise"), target("ndcg", items=2), ((1, 0), (0, 1)))
    candidate = StationaryPoint((0, 1), (2, 1), (0.6931471805599453,), 0.0, True)
    assert prove(ordered, candidate) is None


def test_the_next_candidate_is_tried_where_the_core_refuses_one(monkeypatch):
    refused = []

    def hesitant(programs, order, box):
        if programs in (refused or [programs]):  # the first that is asked about, at every radius
            refused.append(programs)
            raise RejectedError("not this one")
        return check_programs(programs, order, box)

    name, task = "xgboost:rank:pairwise", target("ndcg", items=2)
    first, again = first_found(name, "ndcg", 2), find_equilibrium(field(name), task)
    assert (first.labels, first.probabilities, first.box) == (again.labels, again.probabilities, again.box)
    monkeypatch.setattr("consistency_lab.search.equilibria.check_equilibrium", hesitant)
    second = find_equilibrium(field(name), task)
    assert refused
    assert (first.labels, first.probabilities) != (second.labels, second.probabilities)


def test_two_items_of_grades_0_and_1_have_no_wrong_equilibrium():
    # One pair, one force: it balances where its odds are those of the labels, so the order is right.
    effort = Effort(5.0)
    task = target("pairwise", items=2, labels=(0, 1))
    assert find_equilibrium(field("xgboost:rank:pairwise"), task, effort) is None
    assert effort.programs > 0


@pytest.mark.long
def test_an_equilibrium_that_is_reached_from_zero_is_preferred():
    """The first with few labels and small probabilities, (1, 0, 2) and (2, 1, 0) with 1/3 and 2/3, is not."""
    found = first_found("xgboost:rank:ndcg", "ndcg", 3)
    assert (found.reached, found.attracting) == (True, True)


def test_where_none_is_reached_another_equilibrium_is_found():
    # Descent on approximate NDCG of two items leads to infinity, in the right order.
    found = find_equilibrium(field("tf-ranking:approx_ndcg_loss"), target("ndcg", items=2))
    assert not found.reached


def test_when_the_time_is_over_none_is_followed_any_longer(monkeypatch):
    # Two items of approximate NDCG: what is found is not reached, and there are other candidates.
    name, task = field("tf-ranking:approx_ndcg_loss"), target("ndcg", items=2)
    followed = []

    def slow(*asked):
        followed.append(len(followed))
        effort.interrupted = True
        return False

    monkeypatch.setattr("consistency_lab.search.equilibria._reached", slow)
    effort = Effort()
    assert find_equilibrium(name, task, effort) is not None
    assert len(followed) == 1


def test_labels_that_are_no_grades_are_refused():
    with pytest.raises(InputError, match="needs graded labels"):
        find_equilibrium(field("xgboost:rank:pairwise"), target("kendall"))


# --- Losses of pairs that are not convex -----------------------------------------------------------------

BT = [[0, 10, 12], [5, 0, 10], [3, 5, 0]]
"""Strengths 4 : 2 : 1, 15 comparisons a pair."""
RING = [[0, 10, 0, 4000], [9, 0, 3000, 0], [0, 1000, 0, 3000], [400, 0, 1000, 0]]
"""Strengths 20 : 18 : 6 : 2."""


def test_descent_on_discopop_reverses_bradley_terry():
    found = pair_equilibrium(surrogate("discopop"), Distribution.from_aggregate(BT), {})
    assert (found.verified.claim, found.verified.attracting) == (WRONG_EQUILIBRIUM, True)
    assert not found.inconsistent
    assert {"discopop", "bradley-terry"} <= {*found.verified.recomputed}
    assert (found.prediction, found.better, found.proof.scores) == ((2, 1, 0), (0, 1, 2), None)
    # Plain descent in floats, with small steps and the derivative of the formula by SymPy, ends in the box.
    x = sympy.Symbol("x")
    phi = sympy.sympify(str(surrogate("discopop").functions[0]))
    slope = sympy.lambdify(x, sympy.diff(phi, x))
    u, a = np.zeros(3), np.array(BT) / 45
    for _ in range(500):
        pull = a * slope(np.subtract.outer(u, u))
        u = u - 0.05 * (pull.sum(axis=1) - pull.sum(axis=0))
    certificate = found.proof.certificate
    assert all(low <= x <= high for x, (low, high) in zip(u - u[2], certificate.box, strict=False))


@pytest.mark.parametrize(("name", "a"), [("exo", BT), ("logistic", RING), ("hinge", RING), ("bco", RING)])
def test_no_wrong_order_of_pairs(name, a):
    """The order is right, or there are kinks, or W is no sum over pairs."""
    assert pair_equilibrium(surrogate(name), Distribution.from_aggregate(a), {}) is None


def test_exo_is_stuck_on_the_ring():
    found = pair_equilibrium(surrogate("exo"), Distribution.from_aggregate(RING), {})
    assert found.prediction == (1, 0, 2, 3)
    renamed = {**found.document["named"], "surrogate": {**found.document["named"]["surrogate"]}}
    renamed["surrogate"].update(name="logistic", phi="log(1+exp(-x))")
    with pytest.raises(RejectedError, match="the program of label 1 is not that of the field logistic"):
        verify(with_digest({**found.document, "named": renamed}))
    renamed["surrogate"].update(name="hinge", phi="max(0,1-x)")
    with pytest.raises(RejectedError, match="the gradient of hinge is not known"):
        verify(with_digest({**found.document, "named": renamed}))
