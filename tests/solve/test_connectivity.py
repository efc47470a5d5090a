"""Whether the minimum is attained, and the direction in which it escapes (docs/theory.md, Attainment)."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab import Distribution, parse
from consistency_lab.apps.measure.worst_bounds import SlopeTable
from consistency_lab.model.surrogates import LinearSurrogate, Term, pair, surrogate
from consistency_lab.numbers.exact import Ball
from consistency_lab.solve.connectivity import (
    Attainment,
    Trend,
    _below,
    attainment,
    condensed,
    growth,
    strong_components,
)
from consistency_lab.solve.numeric import stack

ONE = Fraction(1)


@pytest.mark.parametrize(
    ("text", "ahead", "behind"),
    [
        ("max(0,1-x)", Trend.RESTS, Trend.GROWS),
        ("log(1+exp(-x))", Trend.FADES, Trend.GROWS),
        ("exp(-x)", Trend.FADES, Trend.GROWS),
        ("(1-x)**2", Trend.GROWS, Trend.GROWS),
        ("-x", Trend.FALLS, Trend.GROWS),
        ("3", Trend.RESTS, Trend.RESTS),
        ("exp(x)+exp(-x)", Trend.GROWS, Trend.GROWS),
        ("max(0,1-x)+exp(-x)", Trend.FADES, Trend.GROWS),
        ("sqrt(1+x**2)-x", Trend.FADES, Trend.GROWS),
        ("exp(-x)-x", Trend.FALLS, Trend.GROWS),
        ("1/(1+exp(x))", Trend.UNKNOWN, Trend.UNKNOWN),
    ],
)
def test_how_functions_end(text, ahead, behind):
    found = growth(parse(text))
    assert (found.ahead, found.behind) == (ahead, behind)


@pytest.mark.parametrize("name", ["logistic", "exponential"])
def test_a_cycle_attains_and_a_chain_escapes_downwards(name):
    phi = surrogate(name).functions[0]
    cycle = [pair(ONE, phi, 0, 1), pair(ONE, phi, 1, 2), pair(ONE, phi, 2, 0)]
    assert attainment(cycle, 3) == Attainment(True, None, ((0, 1, 2),))
    assert attainment(cycle[:2], 3) == Attainment(False, (2, 1, 0), ((0,), (1,), (2,)))
    assert attainment([*cycle, pair(ONE, phi, 3, 0)], 4) == Attainment(False, (0, 0, 0, 1), ((3,), (0, 1, 2)))


@pytest.mark.parametrize("name", ["hinge", "squared-hinge", "smoothed-hinge", "huberized-hinge", "square"])
def test_functions_that_come_to_rest_attain_on_a_chain_too(name):
    phi = surrogate(name).functions[0]
    assert attainment([pair(ONE, phi, 0, 1), pair(ONE, phi, 1, 2)], 3).attained is True


@pytest.mark.parametrize(("r", "attained"), [("x**2/2", True), ("exp(x)+exp(-x)", True), ("abs(x)/4", None)])
def test_a_regularizer_must_outgrow_the_linear_part(r, attained):
    p = Distribution.of(2, [(1, {(0, 1): 1})])
    terms = LinearSurrogate("linear", parse(r), ONE).risk_terms(p)
    assert attainment(terms, 2).attained is attained


def test_what_is_not_proved_is_left_open_and_terms_of_weight_zero_are_not_support():
    phi = parse("log(1+exp(-x))")
    assert attainment([pair(ONE, phi, 0, 1), pair(Fraction(0), phi, 1, 0)], 2).attained is False
    sigmoid = parse("1/(1+exp(x))")
    assert attainment([pair(ONE, sigmoid, 0, 1), pair(ONE, sigmoid, 1, 0)], 2).attained is None
    odd = Term(ONE, parse("log(1+exp(-x))"), ((0, 2), (1, -1)))
    assert attainment([odd], 2).attained is None


@given(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda e: e[0] != e[1])))
def test_along_the_direction_of_escape_the_risk_falls_and_components_stay(edges):
    phi = parse("exp(-x)")
    terms = [pair(ONE, phi, i, j) for i, j in sorted(edges)]
    found = attainment(terms, 4)
    assert sorted(item for part in found.components for item in part) == [0, 1, 2, 3]
    if found.direction is None:
        assert found.attained is True
        return
    assert found.attained is False
    structure, C = stack([terms], 4)
    points = [[float(z * k) for z in found.direction] for k in range(3)]
    values = [float(structure.value(C, np.array([point]))[0]) for point in points]
    assert values[0] > values[1] > values[2]
    for part in found.components:
        assert len({found.direction[item] for item in part}) == 1
    for i, j in edges:
        assert found.direction[i] >= found.direction[j]


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_components_come_in_topological_order(arcs):
    parts = strong_components(arcs, 6)
    place = {item: k for k, part in enumerate(parts) for item in part}
    assert sorted(place) == list(range(6))
    assert all(place[i] <= place[j] for i, j in arcs)


TOWER = "((((x**16)**16)**16)**16)**16"
"""At 1/16 its slope has more than four million binary digits behind the point."""


def test_towers_grow_and_their_slopes_are_not_written_out():
    found = growth(parse("exp(exp(-x))"))
    assert found.rise_behind >= 2**100 and found.rise_ahead == 0
    found = growth(parse(TOWER))
    assert (found.ahead, found.behind) == (Trend.GROWS, Trend.GROWS)
    assert found.rise_ahead == found.rise_behind == 2**100
    table = SlopeTable(parse(TOWER))  # counted in units
    assert (table.at(0.0625), table.at(-0.0625)) == ((0, 1), (-1, 0))


@pytest.mark.parametrize(
    ("slope", "below"),
    [
        (Ball(2) ** 1_000_000, Fraction(1 << 100)),
        (Ball(2) ** -1_000_000, Fraction(0)),
        (-(Ball(2) ** -1_000_000), Fraction(-1, 1 << 100)),
        (-(Ball(2) ** 1_000_000), None),
        (Ball("0.25"), Fraction(1, 4)),
    ],
)
def test_bounds_of_slopes_are_short_and_true(slope, below):
    assert _below(slope) == below


def test_levels_are_equal_within_strong_components_and_grow_along_other_arcs():
    assert condensed([(0, 1), (1, 2), (2, 1)], 3) == ([0, 1, 1], [(1, 2), (0,)])
