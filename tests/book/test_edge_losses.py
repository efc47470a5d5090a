"""Theorems 11 and 12, the exact sets behind them, and strict inversions of the hinge."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab import CONDITIONS, Distribution, conditions_of, minimize, surrogate, verify
from consistency_lab.apps.book.risk import counted, score_orders
from consistency_lab.apps.book.slopes import refuted_where_right, universal
from consistency_lab.apps.book.statements import edge_losses as page
from consistency_lab.apps.book.statements.dmj10_section_2 import one_distribution
from consistency_lab.apps.book.statements.exact_sets import AGGREGATE
from consistency_lab.apps.book.three_items import separation


@pytest.mark.parametrize("h", ["a", "a**2", "sqrt(a)", "a/(1+a)"])
@pytest.mark.parametrize("chances", [(5, 11, 1, 5), (25, 50, 1, 24)])
def test_the_core_too_refutes_every_convex_phi_at_the_distributions_of_coq(h, chances):
    edges = dict(
        zip(((0, 1), (0, 2), (1, 2), (2, 0)), (Fraction(x, sum(chances)) for x in chances), strict=True)
    )
    p = page.single_edges(Fraction(1), edges)
    assert CONDITIONS["additive"].holds(p.aggregate)
    for form in ("logistic", "margin-logistic"):
        witness = universal(p, surrogate(form, h=h))
        assert verify(witness.document).universal


@pytest.mark.parametrize("m", [3, 4, 5, 6])
def test_one_distribution_is_additive_with_any_number_of_items(m):
    assert CONDITIONS["additive"].holds(one_distribution(m).aggregate)


def test_a_counterexample_must_have_what_the_variant_assumes():
    p = page.single_edges(Fraction(1))
    assert not refuted_where_right(one_distribution(3), surrogate("linear"), "additive", given=False).refuted
    assert page.printed_conditions(p) == (True, False)


def test_theorem_12_s_probabilities():
    """DMJ10: p = (.25, .01, .5, .24)."""
    assert sum(page.PROBABILITIES.values()) == 1
    assert [float(x) for x in page.PROBABILITIES.values()] == [0.25, 0.01, 0.5, 0.24]


def test_what_is_printed_slips():
    assert not page.printed_choice()["low-noise"]
    assert not page.as_printed()["acyclic"]


def test_a_changed_separation_does_not_hold():
    found = separation(AGGREGATE, (3, 2, 1, 0))
    assert found.holds(AGGREGATE)
    lighter = [list(row) for row in AGGREGATE]
    lighter[3][0] = Fraction(1, 2)
    lighter[0][3] = Fraction(9, 2)
    assert separation(lighter, (3, 2, 1, 0)) is None or not found.holds(lighter)


WEIGHT = st.integers(0, 5)

LIGHTEST = counted("12:1 13:2 14:8 23:1 24:4 34:3 41:3")
"""Additive; all of it weighs 22 times what the inverted edge does."""

UNIQUE = counted("12:1 13:3 14:13 23:2 24:7 34:5 41:5")
"""Additive, y = (8, 7, 5, 0); here the minimizer is unique up to shifts."""


def _risk(a, scores):
    m = range(len(a))
    return sum(a[i][j] * max(0, 1 - scores[i] + scores[j]) for i in m for j in m)


@given(st.lists(WEIGHT, min_size=6, max_size=6))
def test_three_items_by_looking_at_all_integral_scores(values):
    x12, x13, x21, x23, x31, x32 = values
    a = [[0, x12, x13], [x21, 0, x23], [x31, x32, 0]]
    d = [[Fraction(a[i][j] - a[j][i]) for j in range(3)] for i in range(3)]
    if not conditions_of(d)["acyclic"]:
        return
    risks = {scores: _risk(a, scores) for scores in score_orders(3)}
    least = min(risks.values())
    for scores, risk in risks.items():
        if risk == least:
            assert all(scores[i] >= scores[j] for i in range(3) for j in range(3) if d[i][j] > 0)


def test_the_minimizer_of_four_items_is_the_only_one():
    p = Distribution.from_aggregate(UNIQUE)
    found = minimize(surrogate("hinge").risk_terms(p), 4)
    assert found.unique
    assert (found.scores - found.scores[3]).tolist() == [1, 2, 1, 0]
    assert conditions_of(p.difference)["additive"]


def test_the_lightest_aggregate_attains_the_bound():
    p = Distribution.from_aggregate(LIGHTEST)
    assert sum(map(sum, p.aggregate)) == 22 * p.difference[0][1]
