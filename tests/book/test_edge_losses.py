"""Theorems 11 and 12, the exact sets behind them, and strict inversions of the hinge."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab import CONDITIONS, Distribution, conditions_of, minimize, surrogate, verify
from consistency_lab.apps.book.risk import (
    convex_names,
    counted,
    refuted_where_right,
    right,
    score_orders,
    weighted,
    wrong,
)
from consistency_lab.apps.book.statements import edge_losses as page
from consistency_lab.apps.book.statements.dmj10_section_2 import one_distribution
from consistency_lab.certify.universal import universal_proof
from consistency_lab.certify.witness import certify
from consistency_lab.model.conditions import net


@pytest.mark.parametrize("h", ["a", "a**2", "sqrt(a)", "a/(1+a)"])
@pytest.mark.parametrize("chances", [(5, 11, 1, 5), (25, 50, 1, 24)])
def test_the_core_too_refutes_every_convex_phi_at_the_distributions_of_coq(h, chances):
    edges = dict(
        zip(((0, 1), (0, 2), (1, 2), (2, 0)), (Fraction(x, sum(chances)) for x in chances), strict=True)
    )
    p = page.single_edges(Fraction(1), edges)
    assert CONDITIONS["additive"].holds(p.aggregate)
    for form in ("logistic", "margin-logistic"):
        witness = certify(surrogate(form, h=h), p, universal=True)
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


# --- The exact sets of Coq (six_edges_exactly, no_loss_on_four_items) beside what the core finds ----------

ON_THREE = [
    a
    for h12, h13, h21, h23, h31, h32 in product((1, 3), (0, 3, 8), (0, 1), (2, 3), (4, 6), (0, 1))
    for a in [[[Fraction(x) for x in row] for row in ((0, h12, h13), (h21, 0, h23), (h31, h32, 0))]]
    if h12 > h21 and h23 > h32 and h12 + h13 > h21 + h31 and h13 + h23 > h31 + h32
]
"""1, 2, 3 is the one optimal order."""


def _margin(a):
    """Positive where some convex phi is right by Coq, negative or 0 where none is."""
    n = net(Distribution.from_aggregate(a).difference)
    return min(a[0][2] * n[1] - a[0][1] * n[2], a[1][2] * n[0] - a[0][2] * n[1])


def test_the_core_finds_multipliers_for_every_phi_inside_the_exact_set_only():
    margins = [_margin(a) for a in ON_THREE]
    assert min(margins) < 0 < max(margins) and 0 in margins
    assert [universal_proof(a) is not None for a in ON_THREE] == [margin < 0 for margin in margins]


def test_on_the_boundary_every_named_convex_loss_is_wrong():
    p = Distribution.from_aggregate(next(a for a in ON_THREE if _margin(a) == 0))
    assert [name for name in convex_names() if wrong(p, surrogate(name)) is None] == []


def test_the_three_hinges_of_coq_are_right_outside():
    # a = b = 1/4, r = 1/2 and t = 9/4 are stationary at N = (5, 0, -5): q = 1/2 and l = 13/4.
    p = weighted("12:3 13:4 21:1 23:3 31:1 32:1")
    assert _margin(p.aggregate) > 0
    assert right(p, surrogate(phi="2*max(0,2-x)+2*max(0,1-x)+9*max(0,-1-x)")) is not None


def test_the_core_too_refutes_every_convex_phi_at_the_four_items_of_coq():
    p = weighted("12:1 13:3 14:8 23:2 24:3 34:1 41:4")
    assert CONDITIONS["additive"].holds(p.aggregate)
    assert verify(certify(surrogate("logistic"), p, universal=True).document).universal


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
