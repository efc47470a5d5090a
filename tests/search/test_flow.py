"""The flow from zero scores is what the libraries do, and does not depend on the order of the items."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from consistency_lab.model.surrogates.tasks.fields import field
from consistency_lab.search.flow import flow_from_zero, reached_from_zero
from tests.gradients import gradient

# Labels in thirds, fourths or fifths, and the order in which LightGBM 4.7.0 and XGBoost 3.2.0 end.
TRAINED = [
    ("xgboost:rank:ndcg", {(2, 1, 1): 3, (0, 1, 2): 2}, (0, 2, 1)),
    ("lightgbm:lambdarank", {(2, 1, 1): 3, (0, 1, 2): 2}, (0, 2, 1)),
    ("xgboost:rank:ndcg", {(1, 0, 2): 1, (2, 1, 0): 2}, (0, 2, 1)),
    ("lightgbm:lambdarank", {(1, 0, 2): 1, (2, 1, 0): 2}, (0, 2, 1)),
    # Along the gradient itself 1 > 2 > 3 would be reached; the steps of boosting end elsewhere.
    ("xgboost:rank:ndcg", {(0, 0, 1): 1, (2, 1, 0): 3}, (0, 2, 1)),
    ("lightgbm:lambdarank", {(0, 0, 1): 1, (2, 1, 0): 3}, (0, 2, 1)),
    ("xgboost:rank:pairwise", {(0, 2, 1): 1, (2, 1, 1): 1}, (0, 1, 2)),
    ("lightgbm:rank_xendcg", {(0, 1, 0): 1, (2, 0, 1): 1}, (0, 1, 2)),
    ("xgboost:rank:map", {(0, 0, 1): 3, (1, 0, 0): 1, (1, 1, 0): 4}, (0, 1, 2)),
]


def shares(counts):
    return {label: Fraction(count, sum(counts.values())) for label, count in counts.items()}


@pytest.mark.parametrize(("name", "counts", "order"), TRAINED)
def test_the_flow_ends_where_the_library_does(name, counts, order):
    weights = shares(counts)
    ends = flow_from_zero(field(name), weights)
    small_steps = slice(6)
    assert ends.at_rest[small_steps].all()
    assert {tuple(map(int, np.argsort(-row))) for row in ends.scores[small_steps]} == {order}
    pulls = [
        float(p) * gradient(field(name), label, ends.scores[small_steps]) for label, p in weights.items()
    ]
    assert np.abs(sum(pulls)).max() < 1e-5


def test_the_order_of_the_items_does_not_matter():
    box = [(Fraction("0.1"), Fraction("0.2")), (Fraction("-1.3"), Fraction("-1.2"))]
    ends = (*box, (Fraction(0), Fraction(0)))
    known = shares({(2, 1, 1): 3, (0, 1, 2): 2})
    for items in permutations(range(3)):
        weights = {tuple(label[i] for i in items): p for label, p in known.items()}
        low, high = zip(*(ends[i] for i in items), strict=True)
        moved = [(a - high[-1], b - low[-1]) for a, b in zip(low, high, strict=True)][:-1]
        assert reached_from_zero(field("xgboost:rank:ndcg"), weights, moved)


def test_a_true_equilibrium_may_not_be_reached():
    # It is attracting, but both libraries end in the right order, 1 > 3 > 2.
    weights = shares({(1, 0, 2): 1, (2, 1, 0): 2})
    box = [(Fraction("2.003"), Fraction("2.023")), (Fraction("0.012"), Fraction("0.032"))]
    assert not reached_from_zero(field("lightgbm:lambdarank"), weights, box)


def test_there_are_not_too_many_orders_of_many_items():
    weights = {(1, 0, 0, 0, 0, 0, 0, 0): Fraction(1, 2), (0, 0, 0, 0, 0, 0, 0, 1): Fraction(1, 2)}
    assert flow_from_zero(field("lightgbm:rank_xendcg"), weights).scores.shape == (6, 8)


def test_a_flow_to_infinity_does_not_come_to_rest():
    ends = flow_from_zero(field("xgboost:rank:pairwise"), {(1, 0): Fraction(1)})
    assert not ends.at_rest.any()
    assert (ends.scores[:, 0] > 1).all()
