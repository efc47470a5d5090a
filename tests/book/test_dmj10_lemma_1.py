"""DMJ10 Lemma 1 on finite families of queries, with exact numbers."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.apps.book.book import statement
from consistency_lab.apps.book.risk import any_differences, net_scores, rational_scores, regret_and_excess
from consistency_lab.apps.book.statement import Kind, Outcome
from consistency_lab.apps.book.statements import dmj10_bounds as lemma
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate


def test_it_holds_and_is_called_a_test() -> None:
    checked = statement("lemma-1").check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.TEST)
    assert len(checked.findings) == 5
    assert {finding.kind for finding in checked.findings} == {Kind.TEST}


def test_a_query_by_hand() -> None:
    # d_12 = 3 and scores in the wrong order, one apart: the hinge risk is 3 * 2, and W* = 0.
    p = Distribution.from_aggregate([[0, 3], [0, 0]])
    found = regret_and_excess(
        surrogate("difference-hinge"), p, rational_scores([0, 1]), rational_scores([1, 0])
    )
    assert found == (3, 6)


def test_scores_that_do_not_attain_the_infimum_are_refused() -> None:
    p = Distribution.from_aggregate([[0, 3], [0, 0]])
    wrong = rational_scores([0, 0])
    assert regret_and_excess(surrogate("difference-hinge"), p, wrong, wrong) is None


def test_too_large_a_zeta_is_noticed() -> None:
    # H_2(e) = e^2 for the linear loss (Eq. 3), so 2 e^2 is no lower bound: the chain of inequalities breaks.
    p = Distribution.from_aggregate([[0, 1], [0, 0]])
    measured = regret_and_excess(surrogate("linear"), p, rational_scores([0, 0]), rational_scores([1, -1]))
    assert measured is not None
    found = lemma._Query(Fraction(1), *measured)
    exact, doubled = (
        lemma._Bound("linear", (2,), any_differences, net_scores, Fraction(c), 2) for c in (1, 2)
    )
    assert lemma.chain(exact, [found]) == (1, 1, 1)
    assert lemma.chain(doubled, [found]) is None


@pytest.mark.parametrize(("e", "h"), [("0", "0"), ("1/3", "1/2"), ("1/2", "5/8"), ("1", "1")])
def test_h_of_the_ramp_is_concave(e: str, h: str) -> None:
    assert lemma.ramp_h(Fraction(e)) == Fraction(h)


@given(e=st.fractions(0, 1, max_denominator=20))
def test_the_identity_lies_below_h_of_the_ramp(e: Fraction) -> None:
    # So Lemma 1 does hold for the ramp with zeta(e) = e, only not with zeta = H.
    assert e <= lemma.ramp_h(e) == min(3 * e / 2, Fraction(1, 4) + 3 * e / 4)


def test_without_convexity_it_is_refuted() -> None:
    (variant,) = statement("lemma-1").variants
    found = variant.refute()
    assert found.refuted
    assert "1/2 < 5/8" in found.witness
