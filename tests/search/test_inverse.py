"""Inverse search: what it yields is stationary, fulfils the condition, and is wrong."""

import pytest

from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.surrogates import surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.search.inverse import inverse_search
from consistency_lab.search.size import realize
from consistency_lab.solve.optimal import optimal_orders
from consistency_lab.solve.stationary import stationary_slopes

EXACT = [
    ("logistic", "additive", 3),
    ("exponential", "low-noise", 3),
    ("squared-hinge", "additive", 3),
    ("smoothed-hinge", "additive", 3),
    ("hinge", "additive", 4),
    ("huberized-hinge", "low-noise", 3),
    ("difference-logistic", "any", 3),
]


@pytest.mark.parametrize(("name", "condition", "m"), EXACT)
def test_candidates_are_exact_counterexamples(name, condition, m):
    loss = surrogate(name)
    candidates = []
    for candidate in inverse_search(loss, condition, m, Effort(60), ties=False):
        distribution = realize(loss, candidate.a)
        assert candidate.exact
        assert stationary_slopes(loss.risk_terms(distribution), m, candidate.scores) is not None
        assert CONDITIONS[condition].holds(distribution.difference)
        assert not optimal_orders(distribution.aggregate).in_optimal_set(candidate.scores)
        candidates.append(candidate)
        if len(candidates) == 2:
            break
    assert candidates


def test_hinge_has_no_strict_candidate_with_three_items():
    """Minimizers of a hinge risk have corners at whole numbers, and the grid holds all that matter."""
    assert not list(inverse_search(surrogate("hinge"), "low-noise", 3, Effort(60), ties=False))


def test_the_difference_graph_loss_has_no_candidate_on_acyclic_differences():
    """DMJ13: it is consistent there."""
    assert not list(inverse_search(surrogate("difference-logistic"), "acyclic", 3, Effort(60), ties=True))
