from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from consistency_lab.core.phi.ranges import largest
from consistency_lab.exact import enclose
from consistency_lab.phi import Range

NUMBERS = st.integers(-30, 30).map(lambda n: Fraction(n, 6))


@st.composite
def ranges_with_a_value(draw: st.DrawFn) -> tuple[Range, Fraction]:
    value = draw(NUMBERS)
    low, high = (draw(st.one_of(st.none(), NUMBERS.map(abs))) for _ in range(2))
    lower = None if low is None else value - low
    upper = None if high is None else value + high
    return Range(lower, upper, bool(low) and draw(st.booleans()), bool(high) and draw(st.booleans())), value


PAIRS = ranges_with_a_value()


def assert_holds(found: Range, value: Fraction) -> None:
    if found.lower is not None:
        assert found.lower <= value
        assert not (found.lower_strict and found.lower == value)
    if found.upper is not None:
        assert found.upper >= value
        assert not (found.upper_strict and found.upper == value)


@given(PAIRS, PAIRS)
def test_arithmetic_keeps_every_value(first: tuple[Range, Fraction], second: tuple[Range, Fraction]) -> None:
    (u, x), (v, y) = first, second
    assert_holds(u, x)
    assert_holds(-u, -x)
    assert_holds(u + v, x + y)
    assert_holds(u * v, x * y)
    assert_holds(largest([u, v]), max(x, y))


@given(PAIRS, st.integers(-4, 4))
def test_powers_keep_every_value(first: tuple[Range, Fraction], exponent: int) -> None:
    u, x = first
    assume(x != 0 or exponent >= 0)
    assert_holds(u.power(Fraction(exponent)), x**exponent)


@given(PAIRS)
def test_functions_keep_every_value(first: tuple[Range, Fraction]) -> None:
    u, x = first
    exp, ball = u.exp(), enclose(x).exp()
    assert exp.positive
    assert exp.lower is None or not ball < enclose(exp.lower)
    assert exp.upper is None or not ball > enclose(exp.upper)
    if u.positive:
        log, root = u.log(), u.power(Fraction(1, 3))
        assert log.lower is None or not enclose(x).log() < enclose(log.lower)
        assert log.upper is None or not enclose(x).log() > enclose(log.upper)
        assert root.lower is None or root.lower**3 <= x
        assert root.upper is None or root.upper**3 >= x


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Range.point(0).exp(), Range.point(1)),
        (Range.point(1).log(), Range.point(0)),
        (Range.point(4).power(Fraction(1, 2)), Range.point(2)),
        (Range(Fraction(0), None, True).power(Fraction(-1)), Range(Fraction(0), None, True)),
        (Range(Fraction(-2), Fraction(1)).power(Fraction(2)), Range(Fraction(0), Fraction(4))),
        (Range(Fraction(-2), Fraction(-1)).power(Fraction(-1)), Range(Fraction(-1), Fraction(-1, 2))),
        (Range(Fraction(-1), Fraction(1)).power(Fraction(-1)), Range()),
        (Range(Fraction(-1), Fraction(1)).power(Fraction(1, 2)), Range()),
        (Range() * Range.point(0), Range.point(0)),
        (Range(Fraction(1), Fraction(3)).intersect(Range(Fraction(2))), Range(Fraction(2), Fraction(3))),
    ],
)
def test_known_ranges(found: Range, expected: Range) -> None:
    assert found == expected


def test_bounds_stay_short_and_true() -> None:
    wide = Range(Fraction(1, 3), Fraction(7, 2))
    for _ in range(30):
        wide = wide.power(Fraction(16)).power(Fraction(1, 16)).exp().log()
        for bound in (wide.lower, wide.upper):
            assert bound is None or bound.denominator.bit_length() < 1000
        assert wide.lower is not None
        assert wide.lower <= Fraction(1, 3)
        assert wide.upper is None or wide.upper >= Fraction(7, 2)


def test_huge_and_tiny_bounds_are_given_up() -> None:
    huge = Range(Fraction(10**9), Fraction(10**9)).exp()
    assert huge.lower == 0
    assert huge.upper is None
    tiny = Range(Fraction(-(10**9)), Fraction(-(10**9))).exp()
    assert tiny.lower == 0
    assert tiny.lower_strict
    assert tiny.upper is not None
    assert 0 < tiny.upper < Fraction(1, 10**15)
