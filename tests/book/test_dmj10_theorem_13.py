"""DMJ10 Theorem 13 and Corollary 15: Eq. 15 and 16, and what r has to be."""

from fractions import Fraction
from math import asinh, sinh, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab import Distribution, minimize, surrogate
from consistency_lab.apps.book.statements import dmj10_linear_loss as theorem
from consistency_lab.certify.witness import certify
from consistency_lab.model.conditions import net

P = Distribution.from_aggregate([[0, 3, 5], [1, 0, 1], [1, 2, 0]])


def test_the_witness_against_kinks():
    assert "12: 1/2" in theorem.without_differentiability().witness


@pytest.mark.parametrize(
    ("r", "inverse"),
    [
        ("x**2/2", lambda g: g),
        ("x**4/4 + x**2/2", lambda g: 2 / sqrt(3) * sinh(asinh(3 * sqrt(3) * g / 2) / 3)),
        ("exp(x) + exp(-x)", lambda g: asinh(g / 2)),
    ],
)
def test_eq_15_gives_the_minimizer_that_the_solver_finds(r, inverse):
    assert callable(inverse)
    found = minimize(surrogate("linear", r=r).risk_terms(P), 3).scores
    assert found.tolist() == pytest.approx([inverse(float(n)) for n in net(P.difference)], abs=1e-6)


@given(st.lists(st.integers(-2, 2), min_size=3, max_size=3))
def test_without_strict_convexity(values):
    # r is flat on [-1, 1]; Eq. 16 still decides, here on three items with d_12, d_13, d_23 >= 0.
    d12, d13, d23 = map(abs, values)
    if not any(values):
        return
    p = Distribution.from_aggregate([[0, d12, d13], [0, 0, d23], [0, 0, 0]])
    n = net(p.difference)
    holds = all(n[i] > n[j] for i, j, d in ((0, 1, d12), (0, 2, d13), (1, 2, d23)) if d)
    witness = certify(surrogate("linear", r=theorem.FLAT), p)
    if witness is not None:
        assert (witness.verified.claim == "consistent-at-p") is holds


def test_only_ties_come_from_kinks():
    witness = certify(
        surrogate("linear", r=theorem.KINKED), Distribution.from_aggregate([[0, Fraction(1, 2)], [0, 0]])
    )
    assert witness.verified.failure == "tie"
