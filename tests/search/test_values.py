"""Values of small functions that searches are made of."""

from fractions import Fraction

import pytest

from consistency_lab.certify.witness import certify
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
from consistency_lab.model.surrogates.tasks.fields import field
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import parse
from consistency_lab.search.atoms import counted_size, height, loss_table
from consistency_lab.search.designs import transitive
from consistency_lab.search.effort import as_effort
from consistency_lab.search.equilibria import equilibrium_at
from consistency_lab.search.flow import small_weights
from consistency_lab.search.forward import space
from consistency_lab.search.inverse import closed_shapes, identity_is_best, on_edges
from consistency_lab.search.means import best_predictions, proved_right
from consistency_lab.search.size import size, total_weight, two_items

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
LOGISTIC = parse("log(1+exp(-x))")
PATH = [[0, 3, 1, 1], [3, 0, 3, 1], [1, 3, 0, 3], [1, 1, 3, 0]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (lambda: loss_table(target("zero-one", items=2), [(0,)], [(0,), (1,)]).tolist(), [[0, 1]]),
        (lambda: height((LogRational.parse("log(3/2)"), LogRational.parse("0"))), 3),
        (lambda: counted_size({(0, 2): THIRD, (1, 0): 2 * THIRD}, strict=True), (False, 2, 3, 3)),
        (lambda: [one.comparisons for one in transitive(LOGISTIC, PATH)], [36]),
        (lambda: as_effort(5).seconds, 5),
        (lambda: next(two_items()).aggregate[0][1], Fraction(1, 8)),
        (lambda: list(small_weights(2, 2, 3)), [(1, 1), (1, 2), (2, 1)]),
        (lambda: space("additive", 3, True).count(4), 15),
        (lambda: space("additive", 3, True).generators.shape, (5, 3, 3)),
        (lambda: [len(relation) for relation in closed_shapes("low-noise", 3) or ()], [3, 2, 2, 1]),
        (lambda: list(on_edges({(0, 1): Fraction(2)}, [(0, 1), (1, 0), (1, 2)])), [2, -2, 0]),
        (lambda: [list(form) for form in identity_is_best(2)], [[(0, 1)]]),
        (lambda: sorted(best_predictions({(0,): HALF, (1,): THIRD, (2,): THIRD})), [(1,), (2,)]),
        (lambda: total_weight([[Fraction(0), HALF], [Fraction(3, 4), Fraction(0)]]), 5),
    ],
)
def test_values(value, expected):
    assert value() == expected


def test_the_size_of_a_witness():
    p = Distribution.from_aggregate([[0, 1, 6], [0, 0, 2], [3, 0, 0]])
    found = size(certify(surrogate("logistic"), p))
    assert (found.items, found.tie, found.weight, found.edges) == (3, False, 12, 4)


def test_regression_to_grades_may_return_what_loses_more_ndcg():
    task = target("ndcg", items=2)
    assert not proved_right(task_surrogate("regression"), task, {(2, 0): THIRD, (0, 1): 2 * THIRD})


def test_training_of_xgboost_rests_in_a_wrong_order():
    weights = {(0, 1, 2): Fraction(2, 5), (2, 1, 1): Fraction(3, 5)}
    order, equilibrium = equilibrium_at(field("xgboost:rank:ndcg"), target("ndcg"), weights)
    assert (order, equilibrium.better, equilibrium.reached) == ((0, 2, 1), (1, 0, 2), True)
