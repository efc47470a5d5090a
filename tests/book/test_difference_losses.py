"""Losses on the difference graph: DMJ13 section 5.3, and the square loss."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab import Distribution, minimize, surrogate
from consistency_lab.apps.book.risk import acyclic_differences, right, with_differences
from consistency_lab.apps.book.statement import Cases, tried
from consistency_lab.apps.book.statements.difference_losses import minimizer
from consistency_lab.decide.theorems.base import Evidence, Refusal
from consistency_lab.decide.theorems.difference import (
    CONVEX_DIFFERENCE,
    MONOTONE_DIFFERENCE,
    SQUARE_ON_NUMBERS,
    SQUARE_ON_STRENGTHS,
)
from consistency_lab.numbers.phi import NAMED


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
    loss = surrogate("difference-square")
    assert isinstance(SQUARE_ON_NUMBERS.applies(loss, "additive"), Evidence)
    assert isinstance(SQUARE_ON_NUMBERS.applies(loss, "auc"), Evidence)
    for design in ("balanced", "product"):
        assert isinstance(SQUARE_ON_STRENGTHS.applies(loss, "bradley-terry", design=design), Evidence)
    # By counts that are no product it is wrong, as the core accepts.
    assert isinstance(SQUARE_ON_STRENGTHS.applies(loss, "bradley-terry", design="complete"), Refusal)


LOG_CONCAVE = {
    "additive, AUC": lambda s: s,
    "square, then constant": lambda s: min(s * s, Fraction(9)),
    "concave": lambda s: s / (1 + s),
    "all equal": lambda s: Fraction(1),
    "exponential": lambda s: Fraction(3) ** int(s),
}


@pytest.mark.parametrize("t", LOG_CONCAVE)
def test_exact_minimizers_are_in_order_and_flows_into_items_are_not_negative(t):
    def agree(rng, m):
        y = sorted((rng.randint(0, 2 * m) for _ in range(m)), reverse=True)
        if y[0] == y[-1]:
            return None
        w = [Fraction(rng.choice((1, 2, 5, 30, 400))) for _ in range(m)]
        size = [[LOG_CONCAVE[t](Fraction(abs(p - q))) if p != q else Fraction(0) for q in y] for p in y]
        d = [[w[i] * w[j] * size[i][j] * (1 if i < j else -1) for j in range(m)] for i in range(m)]
        scores = minimizer(d)
        into = [sum(d[i][j] * (1 - scores[i] + scores[j]) for i in range(j)) for j in range(m)]
        return min(into) >= 0 and all(
            scores[i] > scores[j] for i in range(m) for j in range(m) if y[i] > y[j]
        )

    found = tried(agree, (2, 3, 4, 5, 6), 12, 7)
    assert found.held == found.tried > 50


def test_bradley_terry_with_product_counts_is_in_order():
    def agree(rng, m):
        s = sorted(
            (Fraction(rng.choice((1, 2, 3, 8, 60, 900)) * k, k + 1) for k in range(1, m + 1)), reverse=True
        )
        w = [Fraction(rng.choice((1, 2, 5, 30, 400))) for _ in range(m)]
        d = [[w[i] * w[j] * (s[i] - s[j]) / (s[i] + s[j]) for j in range(m)] for i in range(m)]
        scores = minimizer(d)
        return all(scores[i] > scores[j] for i in range(m) for j in range(m) if s[i] > s[j])

    assert tried(agree, (2, 3, 4, 5, 6), 12, 7) == Cases(60, 60)


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
