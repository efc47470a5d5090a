from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab.numbers import shape
from consistency_lab.numbers.exact import LogRational, enclose, working_precision
from consistency_lab.numbers.phi import (
    Facts,
    convexity_proof,
    enclose_value,
    facts,
    is_differentiable,
    parse,
    undefined_at,
)

POINTS = st.lists(
    st.integers(-96, 96).map(lambda n: Fraction(n, 16)), min_size=3, max_size=6, unique=True
).map(sorted)


def value(e, x):
    return enclose_value(e, LogRational(x))


@pytest.mark.parametrize(
    "text",
    [
        *("log(1+exp(-x))", "log(1+exp(-2*x))", "exp(-x)", "max(0,1-x)", "max(0,1-x)**2"),
        *("max(0,1-x)**3", "log(1+exp(1-x))/log(2)", "-log(1/(1+exp(-x)))", "exp(-x)+exp(-2*x)"),
        *("max(0,1-x)**2/2-max(0,-x)**2/2", "max(0,1-x)**2-max(0,-1-x)**2", "2**(1/2)*exp(-x/3)"),
        *("max(exp(-x),log(1+exp(-x)))", "exp(exp(-x))-1", "log(1+exp(-x))**2", "-1*-exp(-x)"),
    ],
)
def test_convex_nonincreasing_and_bounded_below_by_zero(text):
    known = facts(parse(text))
    assert known.defined
    assert known.convex
    assert known.nonincreasing
    assert known.lower is not None
    assert known.lower >= 0


@pytest.mark.parametrize(
    "text",
    [
        *("(1-x)**2", "sqrt(1+x**2)-x", "sqrt(1+(1-x)**2)", "exp(-x)+x**2", "abs(1-x)", "x**4"),
        *("log(exp(x)+exp(-x))", "(1-x)**2/2+exp(x)", "x*x", "abs(x)**(3/2)", "max(x**2,2)", "log(2)*x"),
        *("log(1+exp(x))-x", "x/3-log(1/2)*exp(x)", "0*exp(x)+x", "(x**2+1)**(3/4)"),
        *("(1+max(0,x))**(3/2)", "x-exp(1)", "x**2-0*exp(x)", "max(0,1-x)*log(1+exp(-x))"),
        *("(0*exp(x))**0+x", "log(1+exp(x))**1", "(log(2)*x)**2", "(-log(1+exp(x)))**2"),
        "-log(max(0,1/(1+exp(-x))))",
    ],
)
def test_convex(text):
    assert convexity_proof(parse(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        *("1/(1+exp(x))", "max(0,min(1,1-x))", "x**3", "-x**2", "log(1+x**2)", "exp(-x**2)", "min(x,-x)"),
        *("x*exp(x)", "sqrt(abs(x))", "1/(1+x**2)", "abs(exp(x)-1)", "exp(-x)-exp(x)", "log(x)", "1/x"),
        *("x**(1/2)", "x*log(x)", "exp(x)*exp(-x)*x**3", "1/(2-min(0,x))", "(1+min(1,max(0,x)))**(3/2)"),
        *("exp(x)*x", "x**2*exp(x)", "(1/(1+exp(x)))**2", "(log(2)*x)**3", "(exp(x)-1)**2"),
        "(exp(-70)-exp(-60))*exp(x)",  # a constant below 0, of which the bounds do not tell the sign
    ],
)
def test_what_is_not_convex_on_the_whole_line_is_not_proved(text):
    assert convexity_proof(parse(text)) is None


@pytest.mark.parametrize(
    "text", ["log(x)", "1/x", "sqrt(x)", "x**(-2)", "0*log(x)", "log(-1)", "1/(exp(x)-1)", "abs(x)**(-1/2)"]
)
def test_nothing_is_claimed_of_a_function_that_is_not_finite_everywhere(text):
    assert facts(parse(text)) == Facts()


@pytest.mark.parametrize(
    ("text", "lower", "lower_strict", "upper", "upper_strict"),
    [
        ("exp(-x)", 0, True, None, None),
        ("1/(1+exp(x))", 0, True, 1, True),
        ("log(1+exp(-x))", 0, True, None, None),
        ("1/(1+x**2)", 0, True, 1, False),
        ("-exp(x)", None, None, 0, True),
        ("max(2,exp(x))", 2, False, None, None),
        ("min(3,exp(x))", 0, True, 3, False),
        ("x**2*exp(-x)", 0, False, None, None),
        ("exp(-x)*x**2", 0, False, None, None),
        ("2**(1/2)*0", 0, False, 0, False),
        ("(1+exp(x))**(-1/2)", 0, True, 1, True),
        ("abs(exp(x)-1)", 0, False, None, None),
        ("log(2+x**2)**0", 1, False, 1, False),
        ("(min(0,x)-1)**(-1)", -1, False, 0, True),
    ],
)
def test_bounds(text, lower, lower_strict, upper, upper_strict):
    known = facts(parse(text))
    assert (known.lower, known.upper) == (lower, upper)
    if lower is not None:
        assert known.lower_strict == lower_strict
    if upper is not None:
        assert known.upper_strict == upper_strict


@pytest.mark.parametrize(
    ("text", "rises"),
    [
        ("exp(x)**(1/2)", True),
        ("log(1+exp(x))**(1/2)", True),
        ("sqrt(max(0,x))", True),
        ("(1+exp(x))**(-1/2)", False),
        ("(1+exp(x))**(-2)", False),
        ("(-exp(x))**2", True),
        ("(-exp(x))**3", False),
        ("(-1-exp(x))**(-1)", True),
        ("(-1-exp(x))**(-2)", False),
        ("(x-exp(-x))**3", True),
    ],
)
def test_a_power_rises_or_falls_with_its_base(text, rises):
    known = facts(parse(text))
    assert (known.nondecreasing, known.nonincreasing) == (rises, not rises)


def test_a_square_of_both_signs_falls_and_rises():
    assert shape.facts(parse("-x")).lower is None
    known = facts(parse("(exp(x)-1)**2"))
    assert (known.nondecreasing, known.nonincreasing, known.lower) == (False, False, 0)


def test_the_normal_form_refutes_where_the_rules_are_silent():
    assert convexity_proof(parse("x*(x-1)*(x+1)+abs(x)**3")) == "piecewise polynomial"
    assert convexity_proof(parse("x*(x-1)*(x+1)+abs(x)**3/2")) is None
    assert convexity_proof(parse("max(x,-x)-min(x,0)")) == "piecewise polynomial"
    assert convexity_proof(parse("exp(max(x,-x))")) == "composition rules"


def test_the_least_of_log_concave_functions_is_log_concave():
    assert facts(parse("min(1/(1+exp(-x)),1/2)")).log_concave
    assert convexity_proof(parse("-log(min(1/(1+exp(-x)),exp(x)))")) == "composition rules"
    assert convexity_proof(parse("-log(max(1/(1+exp(-x)),1/2))")) is None


@pytest.mark.parametrize("text", ["exp(-x)+log(2)", "log(1+exp(-x))+sqrt(2)", "max(exp(x),exp(1))**3"])
def test_what_is_proved_does_not_depend_on_the_working_precision(text):
    found = []
    for bits in (24, 53, 2048):
        shape.facts.cache_clear()
        with working_precision(bits):
            found.append(shape.facts(parse(text)))
    assert found[0] == found[1] == found[2]
    assert found[0].lower is not None


def test_curvature_of_roots_of_piecewise_polynomials_is_decided():
    assert facts(parse("(1+x**2)**(1/2)")).convex
    assert not facts(parse("(1+x**2)**(1/3)")).convex
    assert facts(parse("log(exp(0)+exp(0)*0+1)")).constant
    assert facts(parse("(1+max(0,x))**(-1)")).nonincreasing
    assert not facts(parse("(1+max(0,x))**(-1)")).convex
    assert facts(parse("-log(1/(1+max(0,x)**2*0+1))")).constant


@given(data=st.data())
@settings(max_examples=60)
def test_rules_never_prove_a_falsehood(data, shaped_trees, trees, polynomial_trees):
    for e in (data.draw(shaped_trees), data.draw(trees), data.draw(polynomial_trees)):
        _refute(e, facts(e), data.draw(POINTS))


def _refute(e, known, points):
    """Look for a point, or two, or three, that contradict what is claimed."""
    if not known.defined:
        assert known == Facts()
        return
    with working_precision(192):
        for x in points:
            assert undefined_at(e, x) is None
            _refute_bounds(known, value(e, x))
            if known.smooth:
                assert is_differentiable(e, LogRational(x)) is not False
        for a, b in pairwise(points):
            left, right = value(e, a), value(e, b)
            assert not (known.nonincreasing and left < right), (str(e), a, b)
            assert not (known.nondecreasing and left > right), (str(e), a, b)
            middle = value(e, (a + b) / 2)
            assert not (known.convex and 2 * middle > left + right), (str(e), a, b)
            assert not (known.concave and 2 * middle < left + right), (str(e), a, b)
            if known.log_convex or known.log_concave:
                assert not middle <= 0
                bend = 2 * middle.log() - left.log() - right.log()
                assert not (known.log_convex and bend > 0), (str(e), a, b)
                assert not (known.log_concave and bend < 0), (str(e), a, b)


def _refute_bounds(known, ball):
    if known.lower is not None:
        assert not ball < enclose(known.lower)
        assert not (known.lower_strict and ball == enclose(known.lower))
    if known.upper is not None:
        assert not ball > enclose(known.upper)
        assert not (known.upper_strict and ball == enclose(known.upper))
