"""DMJ10 Lemma 9: a finite minimizer, and how far out it can be."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab.apps.book.risk import enclosed_risk, rational_scores
from consistency_lab.apps.book.statements import dmj10_lemma_9 as lemma
from consistency_lab.apps.book.statements.dmj10_lemma_9 import cuts, radius
from consistency_lab.decide.theorems.base import Refusal
from consistency_lab.numbers.exact import certainly_less
from consistency_lab.numbers.phi import parse

ONE = Fraction(1)


@pytest.mark.parametrize(
    ("h", "least", "greatest", "total"), [((3, 8, 1, 4), 1, 11, 16), ((1, 1, 1, 1), 1, 2, 4)]
)
def test_cuts_of_the_four_edges(h, least, greatest, total):
    found = cuts(lemma.four(h), 3)
    assert (found.least, found.greatest, found.total) == (least, greatest, total)


def test_the_least_cut_of_a_cycle_and_its_radius():
    assert cuts({(0, 1): 3 * ONE, (1, 2): ONE, (2, 0): 2 * ONE}, 3).least == 1
    found = radius(parse("max(0,1-x)"), {(0, 1): ONE, (1, 0): ONE}, 2)
    assert found.bound == 2


def test_the_identity_of_layers():
    holds, lines = lemma.layers(3, lemma._FOUR)
    assert holds
    assert len(lines) == 6
    assert lines[0] == "v1 < v2 < v3: the edges that run up weigh g1 (h12 + h13) + g2 (h13 + h23)"


@st.composite
def connected(draw):
    m = draw(st.integers(2, 4))
    cycle = [(i, (i + 1) % m) for i in range(m)]
    more = draw(st.sets(st.sampled_from(list(permutations(range(m), 2)))))
    weights = st.fractions(Fraction(1, 3), 3, max_denominator=3)
    return m, {edge: draw(weights) for edge in sorted({*cycle, *more})}


@pytest.mark.parametrize("text", ["max(0,1-x)", "exp(-x)", "exp(-x)-x"])
@settings(max_examples=12)
@given(question=connected(), data=st.data())
def test_beyond_the_radius_the_risk_is_larger_than_at_zero(text, question, data):
    m, h = question
    found = radius(parse(text), h, m)
    inside = st.fractions(0, 1, max_denominator=4)
    shares = [Fraction(0), ONE, *(data.draw(inside) for _ in range(m - 2))]
    far = [found.bound * Fraction(1001, 1000) * share for share in data.draw(st.permutations(shares))]
    terms = lemma.risk_terms(parse(text), h)
    zero = enclosed_risk(terms, rational_scores([0] * m))
    assert certainly_less(zero, enclosed_risk(terms, rational_scores(far)))


@pytest.mark.parametrize(
    ("text", "h", "reason"),
    [
        ("exp(-x)", {(0, 1): ONE, (1, 2): ONE}, "the support is not strongly connected"),
        ("log(1+exp(-x))-x", lemma.four((1, 1, 1, 1)), "log(1+exp(-x))-x: Assumption A is refuted"),
        ("1/(1+exp(x))", lemma.four((1, 1, 1, 1)), "1/(1+exp(x)): convex is refuted"),
        ("x**2", lemma.four((1, 1, 1, 1)), "x**2: phi'(0) < 0 is refuted"),
    ],
)
def test_it_is_refused_where_it_fails(text, h, reason):
    assert radius(parse(text), h, 3) == Refusal(reason)


def test_no_tangents_within_reach_are_no_radius():
    # On the right it takes slopes above -1/1000, and log(1+exp(-x/100)) has them beyond x = 64 only.
    h = {(0, 1): Fraction(1000), (1, 0): ONE}
    found = radius(parse("log(1+exp(-x/100))"), h, 2)
    assert "give no radius" in found.reason
