from decimal import Decimal, DecimalException, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from consistency_lab.numbers.exact import LogRational, enclose, working_precision
from consistency_lab.numbers.phi import (
    PiecewisePolynomial,
    enclose_slopes,
    enclose_value,
    exact_slopes,
    exact_value,
    is_differentiable,
    parse,
)
from consistency_lab.numbers.values import slopes_at_many

DIGITS = 90
POINTS = st.builds(
    LogRational,
    st.integers(-18, 18).map(lambda n: Fraction(n, 6)),
    st.sampled_from([Fraction(1), Fraction(1), Fraction(2), Fraction(1, 3), Fraction(9, 4)]),
)


def point(text):
    return LogRational.parse(text)


# --- values in exact form ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "x", "value"),
    [
        ("log(1+exp(-x))", "log(2)", "log(3/2)"),
        ("log(1+exp(-x))", "0", "log(2)"),
        ("log(1+exp(1-x))", "1+log(2)", "log(3/2)"),
        ("exp(-2*x)", "log(3)", "1/9"),
        ("exp(x/2)", "log(9/4)", "3/2"),
        ("x-log(3)", "1+log(3)", "1"),
        ("x+log(1/3)", "log(3)", "0"),
        ("3*x+1", "1/3+log(2)", "2+log(8)"),
        ("x/2", "log(4)", "log(2)"),
        ("max(x,log(2))", "1/2", "log(2)"),
        ("min(x,log(2))", "1/2", "1/2"),
        ("abs(x-1)", "log(2)", "1+log(1/2)"),
        ("sqrt(x)", "4/9", "2/3"),
        ("x**(-3/2)", "4/9", "27/8"),
        ("x**0", "0", "1"),
        ("abs(x)**(3/2)", "-4", "8"),
        ("max(0,1-exp(x))", "1", "0"),
        ("0*exp(x)", "1", "0"),
        ("(x-x)/exp(1)", "5", "0"),
        ("-log(1/(1+exp(-x)))", "log(2)", "log(3/2)"),
        ("max(exp(x),2)", "log(2)", "2"),
    ],
)
def test_values_of_the_form_a_plus_log_q(text, x, value):
    found = exact_value(parse(text), point(x))
    assert found == point(value)
    assert enclose_value(parse(text), point(x)).overlaps(point(value).ball())


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("exp(x)", "1"),
        ("x**2", "log(2)"),
        ("sqrt(x)", "2"),
        ("x/3", "log(2)"),
        ("log(x)", "log(2)"),
        ("exp(x)", "1+log(2)"),
        ("max(exp(x),1)", "1"),
        ("x*(1/100000000000000000000)", "log(2)"),
        ("x*100000000000000000000", "log(2)"),
    ],
)
def test_values_of_no_such_form_are_enclosed_only(text, x):
    assert exact_value(parse(text), point(x)) is None
    assert enclose_value(parse(text), point(x)).is_finite()


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("log(x)", "0"),
        ("log(x)", "-1"),
        ("sqrt(x)", "-1"),
        ("x**(1/3)", "-1"),
        ("1/x", "0"),
        ("x**(-2)", "0"),
        ("0*log(x)", "0"),
        ("max(1,log(x))", "0"),
        ("min(1,log(x))", "-1"),
        ("log(x)**0", "0"),
        ("1/(exp(x)-2)", "log(2)"),
        ("exp(exp(exp(exp(exp(x)))))", "5"),
    ],
)
def test_nothing_is_claimed_where_there_is_no_value(text, x):
    e, where = parse(text), point(x)
    assert exact_value(e, where) is None
    assert not enclose_value(e, where).is_finite()
    assert exact_slopes(e, where) == (None, None)
    assert not any(ball.is_finite() for ball in enclose_slopes(e, where))


def test_towers_of_powers_cost_nothing():
    e = parse("((((((x**16)**16)**16)**16)**16)**16)**16")
    assert exact_value(e, point("3/2")) is None
    assert enclose_value(e, point("3/2")) > 1
    assert exact_value(e, point("1")) == point("1")
    tiny = enclose_value(parse("1/((((2+exp(x))**16)**16)**16)**16"), point("1"))
    assert 0 < tiny < enclose(Fraction(1, 10**99))


# --- one-sided slopes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "x", "left", "right"),
    [
        # The table of scalar losses: logistic -1/(1+q) and exponential -1/q at log q, hinge [-1, 0] at 1.
        ("log(1+exp(-x))", "log(2)", "-1/3", "-1/3"),
        ("log(1+exp(-x))", "log(1/5)", "-5/6", "-5/6"),
        ("exp(-x)", "log(7/3)", "-3/7", "-3/7"),
        ("exp(-2*x)", "log(3)", "-2/9", "-2/9"),
        ("max(0,1-x)", "1", "-1", "0"),
        ("max(0,1-x)", "1/2", "-1", "-1"),
        ("max(0,1-x)", "log(3)", "0", "0"),
        ("max(0,1-x)**2", "1/3", "-4/3", "-4/3"),
        ("max(0,1-x)**2", "1", "0", "0"),
        ("(1-x)**2", "1/3", "-4/3", "-4/3"),
        ("1/(1+exp(x))", "log(2)", "-2/9", "-2/9"),
        ("abs(x)", "0", "-1", "1"),
        ("-abs(x)", "0", "1", "-1"),
        ("abs(abs(x)-1)", "1", "-1", "1"),
        ("abs(x)*x", "0", "0", "0"),
        ("abs(x)**(3/2)", "0", "0", "0"),
        ("max(x,2*x,3*x)", "0", "1", "3"),
        ("min(x,2*x,3*x)", "0", "3", "1"),
        ("max(x,min(2*x,x**2))", "0", "1", "1"),
        ("max(exp(x),2)", "log(2)", "0", "2"),
        ("max(exp(-x),1)", "0", "-1", "0"),
        ("exp(max(0,x))", "0", "0", "1"),
        ("log(1+max(0,x))", "0", "0", "1"),
        ("1/(1+abs(x))", "0", "1", "-1"),
        ("sqrt(1+abs(x))", "0", "-1/2", "1/2"),
        ("x*exp(x)", "log(1)", "1", "1"),
        ("x**2/2", "3/4", "3/4", "3/4"),
        ("max(0,1-exp(1)*x)", "1", "0", "0"),
        ("exp(exp(x)-1)", "0", "1", "1"),
        ("7", "log(2)", "0", "0"),
        ("max(x,x+exp(log(2)/2)*exp(log(2)/2)-2)", "5", "1", "1"),  # a tie that needs no decision
        ("x**0", "0", "0", "0"),
        ("(2-log(2))*x/(x/3)", "7", "0", "0"),
    ],
)
def test_exact_slopes(text, x, left, right):
    e, where = parse(text), point(x)
    assert exact_slopes(e, where) == (Fraction(left), Fraction(right))
    for ball, slope in zip(enclose_slopes(e, where), (left, right), strict=True):
        assert ball.contains(enclose(Fraction(slope))) or ball == enclose(Fraction(slope))


@pytest.mark.parametrize(
    ("text", "x"),
    [("sqrt(x)", "0"), ("sqrt(x**2)", "0"), ("x**(3/2)", "0"), ("sqrt(abs(x))", "0"), ("(x**2)**(3/2)", "0")],
)
def test_slopes_at_the_edge_of_a_root_are_left_open(text, x):
    left, right = exact_slopes(parse(text), point(x))
    assert left is None
    assert right is None or text == "x**(3/2)"
    assert is_differentiable(parse(text), point(x)) is None


def test_an_undecided_tie_is_enclosed_by_every_slope_that_may_occur():
    # sqrt(2)**2 is 2, but no ball can show it.
    e = parse("max(x,exp(log(2)/2)*exp(log(2)/2))")
    for ball in enclose_slopes(e, point("2")):
        assert ball.contains(0)
        assert ball.contains(1)
    assert exact_slopes(e, point("2")) == (None, None)
    assert is_differentiable(e, point("2")) is None


@pytest.mark.parametrize(
    ("text", "x", "answer"),
    [
        ("log(1+exp(-x))", "1", True),
        ("exp(1-x)+max(0,x-5)", "0", True),
        ("max(0,1-x)", "1", False),
        ("max(0,1-x)**2", "1", True),
        ("exp(1)*abs(x)", "0", False),
        ("abs(x)**3", "0", True),
        ("log(x)", "0", None),
    ],
)
def test_differentiability(text, x, answer):
    assert is_differentiable(parse(text), point(x)) is answer


# --- against an evaluation with Python's decimals ------------------------------------------------


def recompute(e, x):
    """The value with many digits; overflows and values that are not real raise."""
    if e.value is not None:
        return Decimal(e.value.numerator) / Decimal(e.value.denominator)
    if e.op == "variable":
        return x
    if e.op == "power":
        base = recompute(e.args[0], x)
        if e.exponent == 0:
            return Decimal(1)
        if base == 0:
            return base if e.exponent > 0 else 1 / base
        if e.exponent.denominator == 1:
            return base ** int(e.exponent)
        return (base.ln() * Decimal(e.exponent.numerator) / Decimal(e.exponent.denominator)).exp()
    parts = [recompute(child, x) for child in e.args]
    operations = {
        "add": lambda u, v: u + v,
        "subtract": lambda u, v: u - v,
        "multiply": lambda u, v: u * v,
        "divide": lambda u, v: u / v,
        "negate": lambda u: -u,
        "exp": lambda u: u.exp(),
        "log": lambda u: u.ln(),
        "sqrt": lambda u: u.sqrt(),
        "abs": abs,
        "max": max,
        "min": min,
    }
    result = operations[e.op](*parts)
    if not result.is_finite() or abs(result) > Decimal(10) ** 12:
        raise DecimalException
    return result


def decimal(x):
    log = (Decimal(x.q.numerator) / Decimal(x.q.denominator)).ln()
    return Decimal(x.a.numerator) / Decimal(x.a.denominator) + log


def ball_around(value, slack):
    low, high = (enclose(Fraction(value + side * slack)) for side in (-1, 1))
    return low.union(high)


@given(data=st.data())
@settings(max_examples=60)
def test_enclosures_contain_an_independent_recomputation(data, trees):
    e, x = data.draw(trees), data.draw(POINTS)
    with localcontext() as context:
        context.prec = DIGITS
        try:
            value = recompute(e, decimal(x))
        except DecimalException:
            reject()
        around = ball_around(value, Decimal(10) ** -50)
    found = enclose_value(e, x)
    if found.is_finite():
        with working_precision(400):
            assert found.overlaps(around), (str(e), str(x), value)


SMOOTH_AND_KINKED = [
    *("log(1+exp(-x))", "log(1+exp(1-x))/log(2)", "exp(-x)+exp(-2*x)", "max(0,1-x)**2/2-max(0,-x)**2/2"),
    *("1/(1+exp(x))", "sqrt(1+x**2)-x", "abs(x)**(3/2)*exp(-x)", "max(exp(-x),log(1+exp(-x)),1-x)"),
    *("min(exp(x),exp(-x))", "abs(exp(x)-2)", "x/(2+abs(x-1))", "(1+x**2)**(-3/2)"),
    *("abs(x)*x**3-log(2+x**2)", "max(0,1-x)*max(0,1+x)"),
]


@pytest.mark.parametrize("text", SMOOTH_AND_KINKED)
@pytest.mark.parametrize("x", ["-2", "-1", "0", "1/3", "1", "log(2)", "1+log(2)", "-1/2+log(3)"])
def test_slopes_agree_with_difference_quotients(text, x):
    e, where = parse(text), point(x)
    with localcontext() as context:
        context.prec = DIGITS
        step = Decimal(10) ** -30
        middle = decimal(where)
        start = recompute(e, middle)
        quotients = [(recompute(e, middle + side * step) - start) / (side * step) for side in (-1, 1)]
    balls = enclose_slopes(e, where)
    exact = exact_slopes(e, where)
    for ball, slope, quotient in zip(balls, exact, quotients, strict=True):
        # |x|^(3/2) has a quotient of size sqrt(step) at 0.
        around = ball_around(quotient, Decimal("2e-15"))
        assert ball.is_finite()
        assert ball.overlaps(around)
        assert slope is None or around.contains(enclose(slope))


@given(data=st.data())
@settings(max_examples=60)
def test_exact_values_and_slopes_lie_in_their_enclosures(data, trees):
    e, x = data.draw(trees), data.draw(POINTS)
    value = exact_value(e, x)
    pairs = [*zip(exact_slopes(e, x), enclose_slopes(e, x), strict=True)]
    if value is not None:
        assert enclose_value(e, x).overlaps(value.ball())
    for slope, ball in pairs:
        if slope is not None:
            assert ball.overlaps(enclose(slope))
    with working_precision(300):
        for coarse, fine in zip([b for _, b in pairs], enclose_slopes(e, x), strict=True):
            assert not (coarse.is_finite() and fine.is_finite()) or coarse.overlaps(fine)


@given(data=st.data())
@settings(max_examples=60)
def test_piecewise_polynomials_agree_with_the_evaluation(data, polynomial_trees, rationals):
    e, x = data.draw(polynomial_trees), data.draw(rationals)
    form = PiecewisePolynomial.of(e)
    if form is not None:
        for place in (x, *form.breakpoints):
            assert exact_value(e, LogRational(place)) == LogRational(form.value(place))
            assert exact_slopes(e, LogRational(place)) == form.slope(place)


@given(data=st.data())
@settings(max_examples=200)
def test_slopes_at_many_points_are_those_at_each(data, trees):
    e, places = data.draw(trees), data.draw(st.lists(POINTS, max_size=4))
    for x, slope in zip(places, slopes_at_many(e, [x.ball() for x in places]), strict=True):
        if slope.is_finite():
            assert all(one.is_finite() and one.overlaps(slope) for one in enclose_slopes(e, x))
            assert all(one is None or slope.contains(enclose(one)) for one in exact_slopes(e, x))


def test_slopes_at_a_kink_or_near_it_are_not_guessed():
    near = enclose(1).union(enclose(Fraction(3, 2)))
    at, beside, left, right = slopes_at_many(parse("max(0,1-x)"), [enclose(1), near, enclose(0), enclose(2)])
    assert not at.is_finite() and not beside.is_finite()
    assert (left, right) == (-1, 0)
