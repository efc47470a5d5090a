import copy
from fractions import Fraction

import pytest

from consistency_lab.errors import InputError
from consistency_lab.numbers.phi import MAX_NUMBER_DIGITS, Expression, X, build, number, parse


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (X - (X - 1), "x-(x-1)"),
        (X - 1 - X, "x-1-x"),
        ((X + 1) * (X - 1), "(x+1)*(x-1)"),
        (X * Fraction(1, 2), "x*(1/2)"),
        (Fraction(1, 2) * X, "1/2*x"),
        (Fraction(-1, 2) * X, "-1/2*x"),
        (X / Fraction(1, 2), "x/(1/2)"),
        (-(X * 2), "-(x*2)"),
        (-X * 2, "-x*2"),
        (-(X**2), "-x**2"),
        ((-X) ** 2, "(-x)**2"),
        ((X**2) ** 3, "(x**2)**3"),
        (X**-1, "x**(-1)"),
        (X ** Fraction(3, 2), "x**(3/2)"),
        (number(-2) ** Fraction(1, 3), "(-2)**(1/3)"),
        (number(Fraction(1, 2)) ** Fraction(1, 2), "(1/2)**(1/2)"),
        (2 - X, "2-x"),
        (2 / X, "2/x"),
        (build("negate", -X), "--x"),
        (build("min", X, number(-1), build("abs", X)), "min(x,-1,abs(x))"),
    ],
)
def test_the_canonical_text_has_no_needless_parentheses(tree, text):
    assert str(tree) == text
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("op", "args", "value"),
    [
        ("sin", (X,), None),
        ("exp", (), None),
        ("exp", (X, X), None),
        ("max", (X,), None),
        ("number", (), None),
        ("variable", (), Fraction(1)),
        ("power", (X, X), None),
        ("power", (X, number(17)), None),
        ("power", (X, number(Fraction(1, 17))), None),
    ],
)
def test_a_tree_of_the_wrong_shape_is_refused(op, args, value):
    with pytest.raises(InputError):
        Expression(op, args, value)


def test_constants_are_bounded_even_when_they_are_computed():
    largest = number(10**MAX_NUMBER_DIGITS - 1)
    with pytest.raises(InputError, match="more than 30 digits"):
        largest + 1
    with pytest.raises(InputError, match="more than 30 digits"):
        largest**16


def test_dividing_by_the_constant_zero_is_refused():
    with pytest.raises(InputError, match="x/0 divides by zero"):
        X / 0
    with pytest.raises(InputError, match="divides by zero"):
        number(0) ** -1
    assert number(0) ** 0 == number(1)


def test_trees_are_values():
    left, right = parse("log(1+exp(-x))"), parse("log( 1 + exp(-x) )")
    assert left == right
    assert {left: 1}[right] == 1
    assert left != parse("log(1+exp(x))")
    assert left != "log(1+exp(-x))"
    with pytest.raises(AttributeError):
        left.op = "exp"
    # The hash of a text differs from process to process, and does not travel.
    assert left.__reduce__() == (Expression, (left.op, left.args, left.value))
    assert copy.deepcopy(left) == left


def test_size():
    e = parse("log(1+exp(-x))")
    assert (e.depth, e.nodes) == (5, 6)
    with pytest.raises(InputError, match="is not a power"):
        _ = e.exponent
