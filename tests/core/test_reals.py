"""Numbers that are exact or enclosed: what is exact stays exact, what is open is said to be."""

from fractions import Fraction

import pytest

from consistency_lab.core.reading import real
from consistency_lab.errors import RejectedError
from consistency_lab.numbers.balls import (
    NOTHING,
    ONE,
    ORIGIN,
    at_most,
    ball,
    below,
    is_known,
    minus,
    plus,
    power,
    rational,
    sign,
    times,
    total,
)
from consistency_lab.numbers.exact import Ball, LogRational, enclose
from consistency_lab.numbers.expression import parse
from consistency_lab.numbers.values import exact_value

TWO, THREE = LogRational(Fraction(2)), LogRational(Fraction(3))
ROOT = enclose(2).sqrt()
WIDE = Ball(2, 1)


def near(x, y):
    return isinstance(x, Ball) and abs(float(x.mid()) - y) < 1e-9


def test_sums_and_products_of_rationals_are_rational():
    sums = (plus(ONE, TWO), times(TWO, THREE), total([ONE, TWO, ONE]), total([]), minus(ONE, TWO))
    assert [rational(x) for x in sums] == [3, 6, 4, 0, -1]
    assert near(plus(ROOT, ONE), 2**0.5 + 1) and near(plus(ONE, ROOT), 2**0.5 + 1)
    assert near(plus(ROOT, ROOT), 8**0.5) and near(total([ONE, ROOT]), 2**0.5 + 1)
    assert near(times(ROOT, TWO), 8**0.5) and near(times(TWO, ROOT), 8**0.5) and near(times(ROOT, ROOT), 2)
    assert near(ball(TWO), 2) and ball(ROOT) is ROOT


def test_nought_times_what_is_known_is_exactly_nought():
    for x in (ROOT, ORIGIN):
        assert times(ORIGIN, x) == times(x, ORIGIN) == ORIGIN
    assert isinstance(times(Ball(0), ROOT), Ball)
    assert not is_known(times(ORIGIN, NOTHING)) and not is_known(times(NOTHING, ORIGIN))


def test_a_long_exact_form_becomes_a_ball():
    long = LogRational(Fraction(2**100_000))
    assert rational(long) == 2**100_000 and rational(times(long, TWO)) == 2**100_001
    assert isinstance(times(long, long), Ball) and isinstance(power(long, Fraction(2)), Ball)


def test_a_sign_is_certain_or_refused():
    signs = [sign(x, "x") for x in (-ONE, ORIGIN, ONE, -ROOT, ROOT)]
    assert signs == [-1, 0, 1, -1, 1]
    pairs = ((ONE, TWO), (TWO, TWO), (TWO, ROOT), (ROOT, TWO))
    assert [sign(minus(x, y), "x") for x, y in pairs] == [-1, 0, 1, -1]
    for x in (ROOT - ROOT, Ball(0), Ball("nan")):
        with pytest.raises(RejectedError, match="the sign of it is not certain"):
            sign(x, "it")


@pytest.mark.parametrize(
    ("x", "bound", "above", "at_least"),
    [
        (ONE, ONE, False, True),
        (TWO, ONE, True, True),
        (ONE, TWO, False, False),
        (ROOT, ONE, True, True),
        (ROOT, TWO, False, False),
        (WIDE, LogRational(Fraction(1, 2)), True, True),
        (Ball(1), ONE, False, True),
        (WIDE, TWO, False, False),
        (Ball("nan"), ONE, False, False),
    ],
)
def test_certain_comparisons(x, bound, above, at_least):
    assert (below(bound, x), at_most(bound, x)) == (above, at_least)
    assert at_most(ball(bound), x) == at_least
    third = LogRational(Fraction(1, 3))
    assert at_most(third, third) and not below(third, third)


def test_values_are_rational_where_they_are_known_to_be():
    exact = exact_value(parse("x**2+1"), TWO)
    assert exact is not None and exact.as_rational() == 5
    assert exact_value(parse("sqrt(x)"), TWO) is None
    assert rational(real("2**2+1", "f")) == 5 and rational(real("3/10", "f")) == Fraction(3, 10)
    assert near(real("sqrt(2)", "f"), 2**0.5)
    assert near(real("log(2)", "f"), 0.6931471805599453)
    with pytest.raises(RejectedError, match=r"f log\(-1\) has no certain value at 0"):
        real("log(-1)", "f")
