"""phi is a line plus an even function if and only if phi'(x) + phi'(-x) is constant."""

from fractions import Fraction

import pytest

from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import exact_slopes, is_line_plus_even, named, parse

LINE_PLUS_EVEN = (
    *("log(1+exp(-x))", "log(exp(-x)+1)", "log(1+exp(-2*x))/2-3", "2*log(1+exp(-x))+abs(x)-x/7"),
    *("(1-x)**2", "x**4-x", "max(0,-x)", "max(0,-1-x)+max(0,x-1)-x", "-log(1+exp(x))+exp(2)"),
)
OTHERS = (
    *("exp(-x)", "log(1+exp(1-x))", "log(2+exp(-x))", "log(1+exp(max(0,-x)))", "max(0,1-x)"),
    *("max(0,1-x)**2", "x**3-x", "x*log(1+exp(-x))", "1/(1+exp(x))"),
)


@pytest.mark.parametrize("text", LINE_PLUS_EVEN)
def test_proved(text):
    phi = parse(text)
    assert is_line_plus_even(phi)
    sums = set()
    for q in (Fraction(1, 3), Fraction(1, 2), Fraction(3)):
        points = [LogRational(Fraction(0), q), LogRational(q)]
        for x in points:
            right, left = exact_slopes(phi, x)[1], exact_slopes(phi, -x)[0]
            if right is not None and left is not None:
                sums.add(right + left)
    assert len(sums) == 1


@pytest.mark.parametrize("text", OTHERS)
def test_not_proved(text):
    assert not is_line_plus_even(parse(text))


def test_of_the_named_functions_these_have_it():
    """The Huberized hinge is -2 x plus x^2 + 1, or 2 abs(x) from 1 on."""
    names = (
        *("logistic", "square", "hinge", "exponential", "squared-hinge", "smoothed-hinge"),
        "huberized-hinge",
    )
    found = [name for name in names if is_line_plus_even(named(name).expression)]
    assert found == ["logistic", "square", "huberized-hinge"]
