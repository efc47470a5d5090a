"""Orders proved by addition: docs/theory.md, Orders by addition."""

from dataclasses import replace
from fractions import Fraction
from math import inf
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consistency_lab as lab
from consistency_lab import Distribution, RejectedError, minimize, parse
from consistency_lab.certify.addition import proved_by_addition
from consistency_lab.core.addition import (
    DOMINATION,
    GAP,
    Above,
    Addition,
    Counts,
    check_addition,
    comparisons,
    lacking,
)
from consistency_lab.core.risk import PhiAtom
from consistency_lab.model.conditions import whole
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.reflection import is_differentiable, odd_slope, odds_rate
from consistency_lab.numbers.values import enclose_slopes, enclose_value

LOGISTIC = parse("log(1+exp(-x))")
ONE = Fraction(1)


def atoms(a, phi="log(1+exp(-x))"):
    return [
        PhiAtom(Fraction(x), parse(phi), tuple(sorted({i: ONE, j: -ONE}.items())), LogRational(Fraction(0)))
        for i, row in enumerate(a)
        for j, x in enumerate(row)
        if x
    ]


def counts(a):
    return Counts({(i, j): Fraction(x) for i, row in enumerate(a) for j, x in enumerate(row) if x}, len(a))


# --- Real elections: San Francisco 2008, Supervisor District 1, and St Johnsbury, Vermont ----------------


def test_san_francisco_2008_is_ordered_by_addition_alone():
    p = lab.read_profile("san-francisco.csv").distribution
    found = proved_by_addition(LOGISTIC, p.aggregate)
    assert len(found.pairs) == 45
    scores = minimize(lab.surrogate("logistic").risk_terms(p), p.m).scores
    assert all(scores[pair.above] > scores[pair.below] for pair in found.pairs)


def test_lee_is_above_mar_though_a_majority_prefers_mar():
    """121,422 - 113,536 = 7,886 > 7,802, the difference of the two schedules."""
    p = lab.read_profile("san-francisco.csv").distribution
    lee, mar = (next(k for k, name in enumerate(p.items) if word in name.upper()) for word in ("LEE", "MAR"))
    table = counts(whole(p.aggregate))
    whole_numbers = np.array(whole(p.aggregate))
    assert (whole_numbers[mar, lee], whole_numbers[lee, mar]) == (13214, 12782)
    net = whole_numbers.sum(axis=1) - whole_numbers.sum(axis=0)
    assert (net[lee], net[mar]) == (121422, 113536)
    assert table.slack(Above(lee, mar, GAP, ONE)) == 7886 - 7802
    assert table.slack(Above(lee, mar, DOMINATION, ONE)) < 0


def test_two_of_six_pairs_of_vermont():
    p = lab.read_profile("vermont.toc").distribution
    assert len(proved_by_addition(LOGISTIC, p.aggregate).pairs) == 2


# --- The rules hold where they say so --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["logistic", "exponential", "squared-hinge", "smoothed-hinge"])
@given(seed=st.integers(0, 10**6), m=st.integers(2, 5))
def test_what_is_proved_is_the_order_of_the_minimizer(name, seed, m):
    rng = Random(seed)
    a = [[0 if i == j else rng.choice((1, 2, 3, 5, 20)) for j in range(m)] for i in range(m)]
    loss = lab.surrogate(name)
    found = proved_by_addition(loss.functions[0], a)
    scores = minimize(loss.risk_terms(Distribution.from_aggregate(a)), m).scores
    for pair in found.pairs:
        assert scores[pair.above] > scores[pair.below] - 1e-7


@given(seed=st.integers(0, 10**6), m=st.integers(3, 5))
def test_no_other_factor_proves_more(seed, m):
    """The factors that are proposed decide: the slack of a gap is concave, with these breakpoints."""
    rng = Random(seed)
    a = [[0 if i == j else rng.randrange(6) for j in range(m)] for i in range(m)]
    table = counts(a)
    proved = {(pair.above, pair.below) for pair in proved_by_addition(LOGISTIC, a).pairs}
    factors = [Fraction(k, 12) for k in range(1, 145, 7)] + [0, inf]
    for i in range(m):
        for j in range(m):
            tried = (table.slack(Above(i, j, rule, x)) for rule in (GAP, DOMINATION) for x in factors)
            assert i == j or (i, j) in proved or max(tried) <= 0


def test_a_rising_phi_is_refused_since_the_rule_is_false_for_it():
    """1 dominates 2 with the factor 1, yet the square has its minimizer at (0, 2/355, -234/355, -89/71)."""
    a = [[0, 1, 3, 8], [0, 0, 3, 0], [0, 0, 0, 5], [0, 0, 0, 0]]
    assert counts(a).slack(Above(0, 1, DOMINATION, ONE)) == 1
    with pytest.raises(RejectedError, match="phi is not proved nonincreasing"):
        check_addition(atoms(a, "(1-x)**2"), Addition((Above(0, 1, DOMINATION, ONE),)), "ABCD")
    scores = minimize(lab.surrogate("square").risk_terms(Distribution.from_aggregate(a)), 4).scores
    assert np.allclose(scores - scores[0], [0, 2 / 355, -234 / 355, -89 / 71])


# --- What is not proved is rejected ----------------------------------------------------------------------

A = [[0, 3, 3], [2, 0, 2], [1, 1, 0]]
FACTS = (Above(0, 1, DOMINATION, ONE), Above(0, 2, GAP, ONE), Above(1, 2, GAP, ONE))


def test_the_pairs_are_returned():
    assert check_addition(atoms(A), Addition(FACTS), "ABC") == [(0, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"above": 1, "below": 0}, "does not put B above A"),
        ({"below": 0}, "does not put A above A"),
        ({"factor": Fraction(-1)}, "with the factor -1 does not put"),
        ({"factor": Fraction(100)}, "with the factor 100 does not put"),
        ({"factor": inf}, "with the factor infinity does not put"),
        ({"factor": Fraction(0)}, "with the factor 0 does not put"),
    ],
)
def test_a_changed_pair_is_rejected(change, words):
    with pytest.raises(RejectedError, match=words):
        check_addition(atoms(A), Addition((replace(FACTS[0], **change),)), "ABC")


@pytest.mark.parametrize(
    ("phi", "words"),
    [
        ("exp(-x)", "phi\\(x\\) - phi\\(-x\\) is not proved linear"),
        ("max(0,1-x)", "not proved differentiable"),
        ("log(1+exp(x))", "phi'\\(0\\) < 0 is not proved"),
        ("-x", "not proved bounded below"),
        ("1/(1+exp(x))", "not proved convex"),
    ],
)
def test_a_phi_without_what_the_rule_asks_for_is_rejected(phi, words):
    with pytest.raises(RejectedError, match=words):
        check_addition(atoms(A, phi), Addition((FACTS[1],)), "ABC")


def test_other_risks_are_rejected():
    zero = LogRational(Fraction(0))
    twice = PhiAtom(ONE, LOGISTIC, ((0, Fraction(2)), (1, Fraction(-2))), zero)
    shifted = PhiAtom(ONE, LOGISTIC, ((0, ONE), (1, -ONE)), LogRational(ONE))
    other = PhiAtom(ONE, parse("exp(-x)"), ((0, ONE), (1, -ONE)), zero)
    for risk in ([twice], [shifted], [*atoms(A), other], []):
        with pytest.raises(RejectedError):
            comparisons(risk)


def test_a_proof_needs_a_pair():
    with pytest.raises(RejectedError, match="at least one pair"):
        check_addition(atoms(A), Addition(()), "ABC")


# --- Removing comparisons --------------------------------------------------------------------------------


def test_the_radius_survives_every_removal_of_fewer_comparisons():
    a = [[0, 9, 7, 8], [5, 0, 8, 6], [2, 3, 0, 9], [1, 4, 5, 0]]
    found = proved_by_addition(LOGISTIC, a)
    gaps = [n for n, pair in enumerate(found.pairs) if pair.rule == GAP]
    assert gaps
    for n in gaps:
        pair, radius = found.pairs[n], found.radius(n)
        for removed in [(i, j) for i in range(4) for j in range(4) if a[i][j]]:
            fewer = [list(row) for row in a]
            fewer[removed[0]][removed[1]] -= 1
            assert radius <= 1 or counts(fewer).slack(pair) > 0


# --- What is seen of phi ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phi", "slope"),
    [
        ("log(1+exp(-x))", -1),
        ("log(1+exp(-2*x))/2", -1),
        ("9/10*log(1+exp(-x)) + 1/10*log(1+exp(x))", Fraction(-4, 5)),
        ("log(exp(x)+2+exp(-x)) - x", -2),
        ("sqrt(1+x**2) - x", -2),
        ("(1-x)**2 + x**4", -4),
        ("max(0,-x) + max(0,-x)", -2),
        ("abs(x) - x/2", -1),
        ("exp(x) + exp(-x) - x", -2),
        ("log(1+exp(1/2-x))", None),
        ("exp(-x)", None),
        ("max(0,1-x)**2", None),
        ("max(0,1-x)", None),
        ("log(2+exp(-x))", None),
        ("log(1+exp(-x)) + x**3", None),
    ],
)
def test_the_odd_part_is_linear_or_not(phi, slope):
    expression = parse(phi)
    assert odd_slope(expression) == slope
    right, left = (float(enclose_value(expression, LogRational(Fraction(x, 4)))) for x in (9, -9))
    assert slope is None or right - left == pytest.approx(9 / 4 * slope)


@pytest.mark.parametrize(
    ("phi", "smooth"),
    [
        ("max(0,1-x)**2", True),
        ("max(0,1-x)", False),
        ("log(1+exp(-x))", True),
        ("sqrt(x**2)", False),
        ("log(1+exp(-x)) + max(0,-x)**3", True),
        ("log(1+exp(-x)) + max(0,-x)", False),
        ("1/(1+exp(x))", True),
    ],
)
def test_differentiable(phi, smooth):
    assert is_differentiable(parse(phi)) == smooth


@pytest.mark.parametrize(
    ("phi", "rate"),
    [
        ("log(1+exp(-x))", 1),
        ("log(1+exp(-2*x)) + 5", 2),
        ("exp(-x)", 2),
        ("log(1+exp(-2*x)) + exp(-x)", 2),
        ("9/10*log(1+exp(-x)) + 1/10*log(1+exp(x))", None),
        ("log(1+exp(1/2-x))", None),
        ("log(2+exp(-x))", None),
        ("(1-x)**2", None),
        ("sqrt(1+x**2)-x", None),
        ("max(0,1-x)", None),
    ],
)
def test_the_link_is_logistic_or_not(phi, rate):
    expression = parse(phi)
    assert odds_rate(expression) == rate
    at = LogRational(Fraction(3, 4))
    right, left = (float(enclose_slopes(expression, x)[0]) for x in (at, -at))
    assert rate is None or left / right == pytest.approx(float(np.exp(rate * 0.75)))


def test_what_is_lacking_is_said_for_each_rule():
    assert lacking(LOGISTIC) == {}
    assert set(lacking(parse("max(0,1-x)**2"))) == {GAP}
    assert set(lacking(parse("(1-x)**2"))) == {DOMINATION, GAP}
