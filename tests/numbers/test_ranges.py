from fractions import Fraction
from math import inf

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from consistency_lab.numbers.exact import enclose
from consistency_lab.numbers.values import Range, undominated
from consistency_lab.numbers.values import largest_range as largest

NUMBERS = st.integers(-30, 30).map(lambda n: Fraction(n, 6))


def between(low, high, low_strict=False, high_strict=False):
    return Range(
        (-inf, False) if low is None else (Fraction(low), low_strict),
        (-inf, False) if high is None else (Fraction(-high), high_strict),
    )


@st.composite
def ranges_with_a_value(draw):
    value = draw(NUMBERS)
    low, high = (draw(st.one_of(st.none(), NUMBERS.map(abs))) for _ in range(2))
    lower = None if low is None else value - low
    upper = None if high is None else value + high
    return between(lower, upper, bool(low) and draw(st.booleans()), bool(high) and draw(st.booleans())), value


PAIRS = ranges_with_a_value()


def assert_holds(found, value):
    for (bound, strict), x in ((found.low, value), (found.minus, -value)):
        assert bound <= x
        assert not (strict and bound == x)


def bounds(found):
    return found.low[0], -found.minus[0]


@given(PAIRS, PAIRS)
def test_arithmetic_keeps_every_value(first, second):
    (u, x), (v, y) = first, second
    assert_holds(u, x)
    assert_holds(-u, -x)
    assert_holds(u + v, x + y)
    assert_holds(u * v, x * y)
    assert_holds(largest([u, v]), max(x, y))


@given(PAIRS, st.integers(-4, 4))
def test_powers_keep_every_value(first, exponent):
    u, x = first
    assume(x != 0 or exponent >= 0)
    assert_holds(u.power(Fraction(exponent)), x**exponent)


@given(PAIRS)
def test_functions_keep_every_value(first):
    u, x = first
    exp, ball = u.exp(), enclose(x).exp()
    assert exp.positive
    assert encloses(exp, ball)
    if u.positive:
        low, high = bounds(u.power(Fraction(1, 3)))
        assert encloses(u.log(), enclose(x).log())
        assert low**3 <= x
        assert high**3 >= x


def encloses(found, ball):
    """Whether nothing shows that a number lies outside its bounds."""
    low, high = bounds(found)
    above = isinstance(low, float) or not ball < enclose(low)
    return above and (isinstance(high, float) or not ball > enclose(high))


@given(st.lists(PAIRS, min_size=1, max_size=4))
def test_a_maximum_needs_only_what_is_not_dominated(pairs):
    ranges, values = zip(*pairs, strict=True)
    kept = undominated(ranges)
    assert max(values) == max(values[k] for k in kept)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: Range.point(0).exp(), Range.point(1)),
        (lambda: Range.point(1).log(), Range.point(0)),
        (lambda: Range.point(4).power(Fraction(1, 2)), Range.point(2)),
        (lambda: between(0, None, True).power(Fraction(-1)), between(0, None, True)),
        (lambda: between(-2, 1).power(Fraction(2)), between(0, 4)),
        (lambda: between(-2, -1).power(Fraction(-1)), between(-1, Fraction(-1, 2))),
        (lambda: between(-1, 1).power(Fraction(-1)), Range()),
        (lambda: between(0, 4).power(Fraction(-1)), Range()),
        (lambda: between(0, 4).power(Fraction(-1, 2)), Range()),
        (lambda: between(0, 4).power(Fraction(1, 2)), between(0, 2)),
        (lambda: between(-1, 1).power(Fraction(1, 2)), Range()),
        (lambda: Range() * Range.point(0), Range.point(0)),
        (lambda: largest([between(1, 3), between(2, None)]), between(2, None)),
        (lambda: largest([between(1, 3, False, True), between(2, 3)]), between(2, 3)),
        (lambda: between(0, 2, True, True) * between(1, 3), between(0, 6, True, True)),
        (lambda: between(-2, 1) * between(-3, 5), between(-10, 6)),
        (lambda: Range.point(2) * between(0, None, True), between(0, None, True)),
        (lambda: between(0, None, True) * between(0, None), between(0, None)),
        (lambda: between(0, None) * between(0, None, True), between(0, None)),
        (lambda: between(1, 2) * between(1, 3), between(1, 6)),
        (lambda: between(1, 2, True) * between(1, 3), between(1, 6, True)),
        (lambda: between(1, 2) * between(1, 3, True), between(1, 6, True)),
        (lambda: between(1, 2, False, True) * between(1, 3), between(1, 6, False, True)),
        (lambda: between(1, 2) * between(1, 3, False, True), between(1, 6, False, True)),
        (lambda: between(0, 2) * between(-1, 3), between(-2, 6)),
        (lambda: between(None, 5) * between(0, 2), between(None, 10)),
        (lambda: between(0, 2) * between(None, 5), between(None, 10)),
        (lambda: between(-5, None) * between(0, 2), between(-10, None)),
        (lambda: between(0, None, True) + between(0, 1), between(0, None, True)),
        (lambda: between(0, 1) + between(0, None, True), between(0, None, True)),
        (lambda: between(None, 0, False, True) * between(0, None, True), between(None, 0, False, True)),
        (lambda: between(0, None, True) * between(None, 0, False, True), between(None, 0, False, True)),
    ],
)
def test_known_ranges(found, expected):
    assert found() == expected


def test_bounds_stay_short_and_true():
    wide = between(Fraction(1, 3), Fraction(7, 2))
    for _ in range(30):
        wide = wide.power(Fraction(16)).power(Fraction(1, 16)).exp().log()
        for bound in bounds(wide):
            assert isinstance(bound, float) or bound.denominator.bit_length() < 1000
        assert isinstance(wide.low[0], Fraction)
        low, high = bounds(wide)
        assert low <= Fraction(1, 3)
        assert high >= Fraction(7, 2)


def test_huge_and_tiny_bounds_are_given_up():
    assert Range.point(10**9).exp() == between(0, None, True)
    tiny = Range.point(-(10**9)).exp()
    assert tiny.low == (0, True)
    assert 0 < bounds(tiny)[1] < Fraction(1, 10**15)
