"""DMJ10 Lemmas 1 and 3: bounds of risks, and W* is continuous where the infimum escapes."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab import Distribution, minimize, surrogate
from consistency_lab.apps.book import risk
from consistency_lab.apps.book.statements import dmj10_bounds as lemma
from consistency_lab.numbers.exact import certainly_less, enclose


def test_a_query_by_hand():
    # d_12 = 3 and scores in the wrong order, one apart: the hinge risk is 3 * 2, and W* = 0.
    p = Distribution.from_aggregate([[0, 3], [0, 0]])
    found = risk.regret_and_excess(
        surrogate("difference-hinge"), p, risk.rational_scores([0, 1]), risk.rational_scores([1, 0])
    )
    assert found == (3, 6)


def test_scores_that_do_not_attain_the_infimum_are_refused():
    p = Distribution.from_aggregate([[0, 3], [0, 0]])
    wrong = risk.rational_scores([0, 0])
    assert risk.regret_and_excess(surrogate("difference-hinge"), p, wrong, wrong) is None


def test_too_large_a_zeta_is_noticed():
    # H_2(e) = e^2 for the linear loss (Eq. 3), so 2 e^2 is no lower bound: the chain of inequalities breaks.
    p = Distribution.from_aggregate([[0, 1], [0, 0]])
    measured = risk.regret_and_excess(
        surrogate("linear"), p, risk.rational_scores([0, 0]), risk.rational_scores([1, -1])
    )
    assert measured is not None
    found = lemma._Query(Fraction(1), *measured)
    exact, doubled = (
        lemma._Bound("linear", (2,), risk.any_differences, risk.net_scores, Fraction(c), 2) for c in (1, 2)
    )
    assert lemma.chain(exact, [found]) == (1, 1, 1)
    assert lemma.chain(doubled, [found]) is None


@pytest.mark.parametrize(("e", "h"), [("0", "0"), ("1/3", "1/2"), ("1/2", "5/8"), ("1", "1")])
def test_h_of_the_ramp_is_concave(e, h):
    assert lemma.ramp_h(Fraction(e)) == Fraction(h)


@given(e=st.fractions(0, 1, max_denominator=20))
def test_the_identity_lies_below_h_of_the_ramp(e):
    # So Lemma 1 does hold for the ramp with zeta(e) = e, only not with zeta = H.
    assert e <= lemma.ramp_h(e) == min(3 * e / 2, Fraction(1, 4) + 3 * e / 4)


@given(x=st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20))
def test_the_closed_forms_agree_with_the_solver(x):
    formulas = {
        "logistic": float(risk.entropy(x)),
        "exponential": 2 * float(x * (1 - x)) ** 0.5,
        "hinge": 2 * float(min(x, 1 - x)),
        "squared-hinge": 4 * float(x * (1 - x)),
    }
    for name, value in formulas.items():
        assert minimize(surrogate(name).risk_terms(risk.coin(x)), 2).value == pytest.approx(value, abs=1e-9)


def test_entropy_is_enclosed():
    assert certainly_less(abs(risk.entropy(Fraction(1, 2)) - enclose(2).log()), enclose(Fraction(1, 10**14)))
