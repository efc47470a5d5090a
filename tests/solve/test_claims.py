"""What minimize says about its answer: attained or not, unique or not, nothing where nothing is proved."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab import Distribution, minimize, parse
from consistency_lab.model.surrogates import LinearSurrogate, pair, surrogate
from consistency_lab.solve.numeric import stack

ONE = Fraction(1)
WEIGHTS = st.lists(st.integers(1, 9), min_size=6, max_size=6)


def edges(text, weights):
    phi = parse(text)
    pairs = zip(weights, permutations(range(3), 2), strict=True)
    return [pair(Fraction(w), phi, i, j) for w, (i, j) in pairs if w]


@pytest.mark.parametrize("name", ["logistic", "exponential"])
def test_a_minimum_that_escapes_is_said_to_and_its_components_are_placed_far_apart(name):
    """0 and 1 disagree with each other; both are always preferred to 2."""
    phi = surrogate(name).functions[0]
    terms = [pair(Fraction(4), phi, 0, 1), pair(ONE, phi, 1, 0), pair(ONE, phi, 0, 2), pair(ONE, phi, 1, 2)]
    found = minimize(terms, 3)
    assert (found.attained, found.direction, found.exact) == (False, (1, 1, 0), None)
    inside = minimize(terms[:2], 2)
    assert found.scores[0] - found.scores[1] == pytest.approx(inside.scores[0] - inside.scores[1])
    assert found.scores[1] - found.scores[2] > 40
    assert found.value == pytest.approx(inside.value)


@pytest.mark.parametrize(
    ("text", "weights", "unique"),
    [
        ("max(0,1-x)", [3, 0, 0, 2, 1, 0], True),  # a cycle: the optimal slopes leave no freedom
        ("max(0,1-x)", [3, 0, 0, 0, 0, 0], False),
        ("max(0,1-x)", [1, 0, 1, 0, 0, 0], False),  # alpha_1 - alpha_2 anywhere in [-1, 1]
        ("max(0,1-x)**2", [1, 0, 0, 0, 0, 0], False),
        ("max(0,1-x)**2", [1, 1, 1, 1, 1, 1], True),
        ("(1-x)**2", [1, 0, 0, 1, 0, 0], True),
        ("(1-x)**2", [1, 0, 1, 0, 0, 0], False),  # item 3 is compared with nobody
        ("log(1+exp(-x))", [1, 1, 1, 1, 1, 1], True),
        ("log(1+exp(-x))", [1, 0, 1, 0, 0, 0], False),
        ("x**4", [1, 1, 1, 1, 1, 1], True),  # no curvature at the minimum, yet strictly convex
    ],
)
def test_uniqueness(text, weights, unique):
    assert minimize(edges(text, weights), 3).unique is unique


@given(WEIGHTS)
@settings(max_examples=12)
def test_a_hinge_minimizer_said_to_be_unique_is_the_only_one_on_the_lattice(weights):
    terms = edges("max(0,1-x)", weights)
    found = minimize(terms, 3)
    structure, C = stack([terms], 3)
    points = np.array([[i, j, 0] for i in range(-2, 3) for j in range(-2, 3)], dtype=float)
    values = structure.value(np.repeat(C, len(points), axis=0), points)
    assert values.min() == pytest.approx(found.value)
    assert (np.count_nonzero(values <= found.value + 1e-9) == 1) == found.unique


def test_functions_that_are_not_convex_promise_nothing():
    sigmoid = minimize(edges("1/(1+exp(x))", [2, 1, 1, 1, 1, 3]), 3)
    assert (sigmoid.exact, sigmoid.attained, sigmoid.unique) == (None, None, None)
    assert "not proved convex" in sigmoid.method
    ramp = minimize(edges("max(0,min(1,1-x))", [2, 1, 1, 1, 1, 3]), 3)
    assert (ramp.exact, ramp.unique) == (None, None)
    assert ramp.value == pytest.approx(3.0)  # the order 1, 3, 2, its scores far enough apart


def test_a_risk_that_falls_without_bound_is_not_said_to_converge():
    line = minimize([pair(ONE, parse("-x"), 0, 1)], 2)
    assert (line.attained, line.value) == (False, -np.inf)
    assert line.direction[0] > line.direction[1]
    found = minimize([pair(ONE, parse("-x"), 0, 1), pair(ONE, parse("exp(-x)"), 0, 1)], 2)
    assert (found.attained, found.unique, found.exact) == (None, None, None)
    assert "did not converge" in found.method


def test_a_regularizer_that_is_too_weak_is_left_open_or_refused():
    p = Distribution.of(2, [(1, {(0, 1): 3})])
    found = minimize(LinearSurrogate("linear", parse("abs(x)"), ONE).risk_terms(p), 2)
    assert (found.attained, found.value) == (False, -np.inf)


@pytest.mark.parametrize("factor", [Fraction(1, 10**200), Fraction(10**30)])
@pytest.mark.parametrize("name", ["logistic", "hinge", "squared-hinge"])
def test_a_common_factor_of_any_size_changes_no_minimizer(name, factor):
    a = [[0, 1, 6], [0, 0, 2], [3, 0, 0]]
    loss = surrogate(name)
    plain = minimize(loss.risk_terms(Distribution.from_aggregate(a)), 3)
    scaled = minimize(loss.risk_terms(Distribution.from_aggregate([[x * factor for x in r] for r in a])), 3)
    assert scaled.scores == pytest.approx(plain.scores, abs=1e-9)
