"""Losses on the difference graph: DMJ13 section 5.3, and the square loss."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.apps.book.risk import acyclic_differences, with_differences
from consistency_lab.apps.book.slopes import right
from consistency_lab.apps.book.statement import Cases, tried
from consistency_lab.apps.book.statements.difference_losses import minimizer
from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.difference import (
    CONVEX_DIFFERENCE,
    MONOTONE_DIFFERENCE,
    SQUARE_ON_ADDITIVE,
)
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.phi import NAMED
from consistency_lab.solve.minimize import minimize


@pytest.mark.parametrize("name", NAMED)
def test_which_form_of_the_theorem_covers_a_named_function(name):
    loss = surrogate(f"difference-{name}")
    convex, monotone = (one.applies(loss, "acyclic") for one in (CONVEX_DIFFERENCE, MONOTONE_DIFFERENCE))
    assert isinstance(convex, Evidence) is (name not in {"square", "sigmoid", "ramp"})
    if name == "square":
        assert "phi is nonincreasing, which is not proved here" in monotone.reason
    else:
        assert isinstance(monotone, Evidence)


@pytest.mark.parametrize("name", ["hinge", "squared-hinge", "logistic", "exponential"])
def test_the_core_agrees_with_coq(name):
    rng = Random(53)
    for m in (2, 3, 4):
        p = with_differences(acyclic_differences(rng, m), rng)
        assert not any(map(any, p.difference)) or right(p, surrogate(f"difference-{name}")) is not None


WEIGHTS = st.integers(0, 6)


def test_the_catalogue_applies_it():
    assert isinstance(SQUARE_ON_ADDITIVE.applies(surrogate("difference-square"), "additive"), Evidence)


def test_exact_minimizers_are_in_order_and_k_is_as_stated():
    def agree(rng, m):
        y = [rng.randint(0, 2 * m) for _ in range(m)]
        if len(set(y)) == 1:
            return None
        scores = minimizer(tuple(tuple(Fraction(p - q) for q in y) for p in y))
        pairs = [(i, j) for i in range(m) for j in range(m) if y[i] > y[j]]
        spread = sum((y[i] - y[j]) * (scores[i] - scores[j]) ** 2 for i, j in pairs)
        k = m * sum(p * x for p, x in zip(y, scores, strict=True)) - sum(y) * sum(scores)
        return all(scores[i] > scores[j] for i, j in pairs) and k == spread > 0

    assert tried(agree, (2, 3, 4, 5, 6), 12, 7) == Cases(58, 58)


@given(WEIGHTS, WEIGHTS, st.integers(1, 6))
def test_three_items_are_right_for_all_acyclic_differences(d12, d23, d13):
    # With d_13 > 0 and one of the others positive the graph is connected.
    if not d12 and not d23:
        return
    d = [[0, d12, d13], [-d12, 0, d23], [-d13, -d23, 0]]
    scores = minimizer(tuple(tuple(map(Fraction, row)) for row in d))
    assert all(scores[i] > scores[j] for i in range(3) for j in range(3) if d[i][j] > 0)


def test_the_linear_system_is_that_of_the_surrogate():
    p = Distribution.from_aggregate([[0, 9, 15, 72], [0, 0, 6, 7], [0, 0, 0, 1], [0, 0, 0, 0]])
    exact = minimizer(p.difference)
    found = minimize(surrogate("difference-square").risk_terms(p), 4).scores
    assert (found - found[3]).tolist() == pytest.approx([float(x) for x in exact], abs=1e-7)
    assert exact[2] < exact[3]
