"""Scalar functions in floats against rigorous enclosures, and shapes that the engines rely on."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import NAMED, enclose_slopes, enclose_value, parse
from consistency_lab.solve.kinds import Kind, affine, exponential_sum, is_analytic, kind_of, mirror_slope
from consistency_lab.solve.numeric import compiled

TEXTS = [
    *(row.text for row in NAMED.values()),
    *("log(1+exp(-2*x))", "-log(1/(1+exp(-x)))", "log(1+exp(1-x))/log(2)", "log(exp(x)+exp(-x))", "3"),
    *("log(exp(-x)+2+exp(x)/3)", "log((1+exp(-x))**2/(1+exp(x)))", "log(sqrt(1+exp(-x)))", "exp(x**2/8)"),
    *("(1+exp(-x))**(1/2)", "exp(-x)+exp(-2*x)", "exp(-x)/(1+exp(-x))", "sqrt(1+x**2)-x", "(1+x**2)**(3/2)"),
    *("x**4-x", "x*x*x", "abs(1-x)", "max(exp(-x),1-x)", "min(x,2,exp(x))", "max(0,1-x)+exp(-x)"),
    *("log(2+x**2)", "x**0+1/(2+x*x)", "abs(exp(x)-1)"),
]


@pytest.mark.parametrize("text", TEXTS)
@settings(max_examples=8)
@given(x=st.fractions(min_value=-8, max_value=8, max_denominator=16))
def test_value_and_right_slope_agree_with_enclosures(text, x):
    e = parse(text)
    value, slope, _ = (float(part[0]) for part in compiled(e)(np.array([float(x)])))
    at = LogRational(x)
    assert value == pytest.approx(float(enclose_value(e, at)), rel=1e-12, abs=1e-12)
    assert slope == pytest.approx(float(enclose_slopes(e, at)[1]), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("text", TEXTS)
def test_curvature_is_the_derivative_of_the_slope(text):
    function = compiled(parse(text))
    x = np.array([-3.37, -1.71, -0.63, 0.29, 0.71, 1.63, 2.87])
    h = 1e-5
    numeric = (function(x + h)[1] - function(x - h)[1]) / (2 * h)
    assert function(x)[2] == pytest.approx(numeric, rel=1e-6, abs=1e-6)
    x = np.linspace(-2, 2, 12).reshape(3, 4)
    assert [part.shape for part in function(x)] == [x.shape] * 3


@pytest.mark.parametrize(
    ("text", "x", "value", "slope"),
    [
        ("log(1+exp(-x))", -1000.0, 1000.0, -1.0),
        ("log(1+exp(-x))", 1000.0, 0.0, 0.0),
        ("log(exp(x)+exp(-x))", -900.0, 900.0, -1.0),
        ("log(exp(x)+1+exp(-x))", 900.0, 900.0, 1.0),
        ("1/(1+exp(x))", 1000.0, 0.0, 0.0),
        ("1/(1+exp(x))", -1000.0, 1.0, 0.0),
        ("-log(1/(1+exp(-x)))", -800.0, 800.0, -1.0),
        ("exp(-x)", -1000.0, np.inf, -np.inf),
    ],
)
def test_far_out_values_neither_overflow_nor_warn(text, x, value, slope):
    found = compiled(parse(text))(np.array([x]))
    assert float(found[0][0]) == pytest.approx(value)
    assert float(found[1][0]) == pytest.approx(slope)


@pytest.mark.parametrize(
    ("text", "kind", "analytic"),
    [
        ("-x", Kind.STRAIGHT, True),
        ("max(0,1-x)", Kind.PIECEWISE_LINEAR, False),
        ("max(0,min(1,1-x))", Kind.PIECEWISE_LINEAR, False),
        ("max(0,1-x)**2", Kind.SMOOTH, False),
        ("max(0,1-x)**2/2-max(0,-x)**2/2", Kind.SMOOTH, False),
        ("max(0,1-x)**2+exp(-x)", Kind.SMOOTH, False),
        ("log(1+exp(-x))", Kind.SMOOTH, True),
        ("sqrt(1+x**2)", Kind.SMOOTH, True),
        ("x**2+max(0,x)", Kind.OTHER, False),
        ("exp(-x)+abs(x)", Kind.OTHER, False),
        ("sqrt(x**2)", Kind.OTHER, False),
    ],
)
def test_kinds(text, kind, analytic):
    assert kind_of(parse(text)) is kind
    assert is_analytic(parse(text)) is analytic


@pytest.mark.parametrize(
    "text", [*TEXTS, "(1-x)**2", "x", "log(1+exp(-x))-3*(1-x)**2/2", "2*log(1+exp(x))+x**4"]
)
def test_a_mirror_slope_is_what_it_says(text):
    e = parse(text)
    r = mirror_slope(e)
    if r is None:
        return
    x = np.linspace(-3, 3, 13)
    function = compiled(e)
    assert function(-x)[0] == pytest.approx(function(x)[0] + float(r) * x)


@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("log(1+exp(-x))", 1),
        ("log(1+exp(-2*x))", 2),
        ("(1-x)**2", 4),
        ("log(exp(x)+exp(-x))/2", 0),
        ("log(1+exp(-x))-3*(1-x)**2/2", -5),
        ("exp(-x)", None),
        ("max(0,1-x)", None),
        ("log(1+2*exp(-x))", None),
    ],
)
def test_mirror_slopes_of_familiar_functions(text, slope):
    assert mirror_slope(parse(text)) == slope


def test_lines_and_sums_of_exponentials_are_recognized():
    assert affine(parse("2*(1-x)/4+x")) == (Fraction(1, 2), Fraction(1, 2))
    assert affine(parse("x*x")) is None
    assert affine(parse("1/x")) is None
    assert exponential_sum(parse("exp(1-x)*exp(x)")) == ((1.0, 0.0),)
    assert exponential_sum(parse("exp(x)**2/exp(3*x)+1")) == ((0.0, -1.0), (0.0, 0.0))
    assert exponential_sum(parse("1-exp(x)")) is None
    assert exponential_sum(parse("exp(x*x)")) is None
