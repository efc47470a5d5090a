import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.errors import InputError
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import NAMED, enclose_value, parse, refuse_undefined, undefined_at


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("log(x)", "log(x) is not defined at x = 0"),
        ("1+x*log(x)", "log(x) is not defined at x = 0"),
        ("1/x", "1/x is not defined at x = 0"),
        ("sqrt(x)", "sqrt(x) is not defined at x = -1"),
        ("x**(1/3)", "x**(1/3) is not defined at x = -1"),
        ("x**(-2)", "x**(-2) is not defined at x = 0"),
        ("log(1+exp(x)-2)", "log(1+exp(x)-2) is not defined at x = 0"),
        ("1/(x-100)", "1/(x-100) is not defined at x = 100"),
        ("sqrt(123-x)", "sqrt(123-x) is not defined at x = 124"),
        ("1/(exp(x)-1)", "1/(exp(x)-1) is not defined at x = 0"),
        ("1/(exp(x)-2)", "1/(exp(x)-2) is not defined at some x between 0 and 1"),
        ("1/(x**2-2)", "1/(x**2-2) is not defined at some x between -2 and -1"),
        ("(x**3-5)**(-1)", "(x**3-5)**(-1) is not defined at some x between 1 and 2"),
        ("log(-1)", "log(-1) is not defined at x = 0"),
        ("0*log(x)", "log(x) is not defined at x = 0"),
    ],
)
def test_what_is_not_finite_everywhere_is_refused(text, message):
    with pytest.raises(InputError) as caught:
        refuse_undefined(parse(text))
    assert str(caught.value) == f"{message}; phi must be finite for every real x"


@pytest.mark.parametrize(
    "text", [*(row.text for row in NAMED.values()), "1/(1+x**2)", "sqrt(x**2)", "log(log(3))"]
)
def test_what_is_finite_everywhere_is_not_refused(text):
    refuse_undefined(parse(text))


@given(data=st.data())
def test_where_a_function_is_undefined_it_has_no_value(data, trees, rationals):
    e, x = data.draw(trees), data.draw(rationals)
    if undefined_at(e, x) is not None:
        assert not enclose_value(e, LogRational(x)).is_finite()
