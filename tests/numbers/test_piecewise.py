from fractions import Fraction
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab.errors import UnsupportedError
from consistency_lab.numbers.phi import PiecewisePolynomial, parse
from consistency_lab.numbers.phi.facts import coefficients, has_root
from consistency_lab.numbers.shape import polynomial, sign


def form(text):
    return PiecewisePolynomial.of(parse(text))


def f(*numbers):
    return tuple(map(Fraction, numbers))


@pytest.mark.parametrize(
    ("text", "breakpoints", "pieces"),
    [
        ("3", (), (f(3),)),
        ("0*x", (), ((),)),
        ("(1-x)**2", (), (f(1, -2, 1),)),
        ("max(0,1-x)", f(1), (f(1, -1), ())),
        ("abs(x)**3", f(0), (f(0, 0, 0, -1), f(0, 0, 0, 1))),
        ("max(0,1-x)-max(0,-x)", f(0, 1), (f(1), f(1, -1), ())),
        ("max(0,x)-max(0,x)", (), ((),)),
        ("max(x,-x)-abs(x)", (), ((),)),
        ("max(x**2,1)", f(-1, 1), (f(0, 0, 1), f(1), f(0, 0, 1))),
        ("min(x,1-x,2)", f("1/2"), (f(0, 1), f(1, -1))),
        ("max(x**2*(x-1),0)/2", f(1), ((), f(0, 0, "-1/2", "1/2"))),
        ("x**0", (), (f(1),)),
        ("(x-x+2)**3", (), (f(8),)),
        ("(x-x+2)**(-3)", (), (f("1/8"),)),
        ("abs(x**2+1)", (), (f(1, 0, 1),)),
        ("abs((x-1)**2*(x**2-2)**2)", (), (f(4, -8, 0, 8, -3, -2, 1),)),
    ],
)
def test_normal_forms(text, breakpoints, pieces):
    assert form(text) == PiecewisePolynomial(breakpoints, pieces)


@pytest.mark.parametrize(
    "text",
    [
        *("exp(x)", "log(2)", "sqrt(x)", "max(x**2,2)", "1/x", "x**(-1)", "abs(x)**(3/2)", "x/max(1,x)"),
        "(x**16)**16",
    ],
)
def test_no_normal_form(text):
    assert PiecewisePolynomial.of(parse(text)) is None


@pytest.mark.parametrize(
    ("text", "convex", "nonincreasing", "smooth", "recession"),
    [
        ("max(0,1-x)", True, True, False, (0, 1)),
        ("max(0,1-x)**2", True, True, False, (0, inf)),
        ("max(0,1-x)**3", True, True, True, (0, inf)),
        ("max(0,1-x)**2/2-max(0,-x)**2/2", True, True, False, (0, 1)),
        ("max(0,1-x)**2-max(0,-1-x)**2", True, True, False, (0, 4)),
        ("(1-x)**2", True, False, True, (inf, inf)),
        ("max(0,min(1,1-x))", False, True, False, (0, 0)),
        ("-x", True, True, True, (-1, 1)),
        ("x**3", False, False, True, (inf, -inf)),
        ("-x**3", False, True, True, (-inf, inf)),
        ("-x**2", False, False, True, (-inf, -inf)),
        ("x**4-x**3/1000", False, False, True, (inf, inf)),
        ("x**4-x", True, False, True, (inf, inf)),
        ("abs(abs(x)-1)", False, False, False, (1, 1)),
        ("x**4/12-x**2", False, False, True, (inf, inf)),
        ("(x-1)**4*2", True, False, True, (inf, inf)),
        ("5", True, True, True, (0, 0)),
    ],
)
def test_shape_is_decided(text, convex, nonincreasing, smooth, recession):
    found = form(text)
    assert found.is_convex() is convex
    assert found.is_nonincreasing() is nonincreasing
    assert found.is_twice_differentiable() is smooth
    assert found.recession() == recession


@pytest.mark.parametrize(
    ("text", "infimum"),
    [
        ("max(0,1-x)", 0),
        ("(1-x)**2+x", Fraction(3, 4)),
        ("-x", None),
        ("x**3", None),
        ("-abs(x)", None),
        ("abs(x-1/3)+2", 2),
        ("max(1-x,2*x-1)", Fraction(1, 3)),
        ("x**4-x**2", Fraction(-1, 4)),  # attained at irrational points only
        ("-7", -7),
        ("min(0,x**2-1)", -1),
    ],
)
def test_infimum(text, infimum):
    assert form(text).infimum() == infimum
    assert form(text).lower_bound() == infimum


@pytest.mark.parametrize("text", ["x**4-x", "max(0,x)**4-x"])
def test_an_irrational_infimum_is_bounded_from_below_but_not_named(text):
    # The minimum of x^4 - x is -(3/4) (1/4)^(1/3), and for x < 0 nothing is below 0.
    found = form(text)
    with pytest.raises(UnsupportedError, match="not known to be rational"):
        found.infimum()
    bound = found.lower_bound()
    assert bound is not None
    assert (-bound * Fraction(4, 3)) ** 3 >= Fraction(1, 4)
    assert (-(bound + Fraction(1, 10**6)) * Fraction(4, 3)) ** 3 < Fraction(1, 4)
    far = form("x**4-100*x").lower_bound()  # the minimum is -75 25^(1/3), about -219
    assert (-far / 75) ** 3 >= 25 > (-(far + Fraction(1, 1000)) / 75) ** 3


def test_slopes_and_values():
    hinge = form("max(0,1-x)")
    assert hinge.slope(Fraction(1)) == f(-1, 0)
    assert hinge.slope(Fraction(2)) == f(0, 0)
    assert hinge.value(Fraction(1, 3)) == Fraction(2, 3)
    assert (-hinge).value(Fraction(1, 3)) == Fraction(-2, 3)
    assert hinge.degree == 1
    assert form("abs(abs(x)-1)*(x-2)").zeros() == [-1, 1, 2]


@given(data=st.data())
@settings(max_examples=60)
def test_the_infimum_is_below_every_value(data, polynomial_trees, rationals):
    found = PiecewisePolynomial.of(data.draw(polynomial_trees))
    if found is None:
        return
    bound = found.lower_bound()
    values = [found.value(x) for x in (data.draw(rationals), *found.breakpoints)]
    if bound is not None:
        assert min(values) >= bound
    else:
        assert min(found.value(Fraction(sign * 10**9)) for sign in (-1, 1)) < min(values)


# --- one polynomial on an interval ---------------------------------------------------------------


def test_whether_there_is_a_root():
    assert has_root(polynomial(f(-2, 0, 1)), Fraction(1), Fraction(2))
    assert not has_root(polynomial(f(2, 0, 1)), None, None)
    assert has_root(polynomial(()), None, None)
    assert coefficients(polynomial(f(0, "1/2", "-3/2", 1)))[1] == Fraction(1, 2)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=5), st.integers(-5, 4), st.integers(1, 6))
@settings(max_examples=60)
def test_signs_agree_with_samples(numbers, low, width):
    p, start = polynomial(f(*numbers)), Fraction(low)
    found = sign(p, start, start + width)
    samples = {
        (value > 0) - (value < 0)
        for k in range(1, 60)
        for value in [sum(c * (start + Fraction(width * k, 60)) ** n for n, c in enumerate(numbers))]
    }
    if found is not None:
        assert samples <= {0, found}
    if {-1, 1} <= samples:
        assert found is None
