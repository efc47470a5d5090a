"""Numbers that are rational or enclosed: what is exact stays exact, what is open is said to be."""

from fractions import Fraction

import pytest

from consistency_lab.core.numbers import (
    Real,
    at_most,
    ball,
    certainly_above,
    certainly_at_least,
    compare,
    plus,
    rational_at,
    sign,
    times,
    total,
    value_at,
)
from consistency_lab.core.phi import parse
from consistency_lab.errors import RejectedError
from consistency_lab.exact import Ball, enclose

NOUGHT, ONE, TWO = Fraction(0), Fraction(1), Fraction(2)
ROOT = enclose(2).sqrt()
WIDE = Ball(2, 1)


def near(x: Real, y: float) -> bool:
    return isinstance(x, Ball) and abs(float(x.mid()) - y) < 1e-9


def test_sums_and_products_of_rationals_are_rational() -> None:
    assert (plus(ONE, TWO), times(TWO, Fraction(3)), total([ONE, TWO, ONE]), total([])) == (3, 6, 4, 0)
    assert near(plus(ROOT, ONE), 2**0.5 + 1) and near(plus(ONE, ROOT), 2**0.5 + 1)
    assert near(plus(ROOT, ROOT), 8**0.5) and near(total([ONE, ROOT]), 2**0.5 + 1)
    assert near(times(ROOT, TWO), 8**0.5) and near(times(TWO, ROOT), 8**0.5) and near(times(ROOT, ROOT), 2)
    assert near(ball(TWO), 2) and ball(ROOT) is ROOT


def test_nought_times_anything_is_exactly_nought() -> None:
    for x in (ROOT, Ball("nan"), NOUGHT):
        assert times(NOUGHT, x) == times(x, NOUGHT) == 0
        assert isinstance(times(NOUGHT, x), Fraction) and isinstance(times(x, NOUGHT), Fraction)
    assert isinstance(times(Ball(0), ROOT), Ball)


def test_a_sign_is_certain_or_refused() -> None:
    signs = [sign(x, "x") for x in (-ONE, NOUGHT, ONE, -ROOT, ROOT)]
    assert signs == [-1, 0, 1, -1, 1]
    assert [compare(x, y, "x") for x, y in ((ONE, TWO), (TWO, TWO), (TWO, ROOT), (ROOT, TWO))] == [
        -1,
        0,
        1,
        -1,
    ]
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
        (WIDE, ONE / 2, True, True),
        (Ball(1), ONE, False, True),
        (WIDE, TWO, False, False),
        (Ball("nan"), ONE, False, False),
    ],
)
def test_certain_comparisons(x: Real, bound: Fraction, above: bool, at_least: bool) -> None:
    assert (certainly_above(x, bound), certainly_at_least(x, bound)) == (above, at_least)
    assert at_most(bound, x) == at_least
    assert at_most(ball(bound), x) == at_least
    assert at_most(ONE / 3, ONE / 3)


def test_values_are_rational_where_they_are_known_to_be() -> None:
    assert value_at(parse("x**2+1"), TWO, "f") == rational_at(parse("x**2+1"), TWO) == 5
    assert rational_at(parse("log(x)"), TWO) is None and rational_at(parse("sqrt(x)"), TWO) is None
    assert near(value_at(parse("sqrt(x)"), TWO, "f"), 2**0.5)
    assert near(value_at(parse("log(x)"), TWO, "f"), 0.6931471805599453)
    with pytest.raises(RejectedError, match=r"f log\(x\) has no certain value at -1"):
        value_at(parse("log(x)"), -ONE, "f")
