"""Rigorous values, one-sided slopes and bounds of phi at a + log q and on intervals."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor, inf
from typing import Final

from consistency_lab.core.phi.expression import Algebra, Expression, fold
from consistency_lab.exact import Ball, LogRational, as_fraction, enclose
from consistency_lab.frozen import frozen

# --- A real number of which two things may be known: its exact form a + log q, and a ball around it ------

_MAX_BITS: Final = 1 << 16
"""Exact forms longer than this are dropped: the ball goes on alone, and nothing can blow up."""


@frozen
class Quantity:
    """A number, exactly if `exact` is not None, else inside `enclosure` (NaN: nothing is known).

    Arithmetic is rigorous: an exact result is given only where it is certain.
    """

    exact: LogRational | None
    enclosure: Ball | None = None

    @staticmethod
    def of(value: Fraction | int) -> "Quantity":
        """A rational number."""
        return Quantity.exactly(LogRational(Fraction(value)))

    @staticmethod
    def exactly(value: LogRational) -> "Quantity":
        """A number whose exact form is known."""
        if _bits(value.a) > _MAX_BITS or _bits(value.q) > _MAX_BITS:
            return Quantity(None, value.ball())
        return Quantity(value)

    @property
    def ball(self) -> Ball:
        """A ball around it, at the working precision if its exact form is known."""
        if self.enclosure is not None:
            return self.enclosure
        return NAN if self.exact is None else self.exact.ball()

    def rational(self) -> Fraction | None:
        """The number, if it is known to be rational."""
        return None if self.exact is None else self.exact.as_rational()

    def is_known(self) -> bool:
        """Whether there is a finite ball around it."""
        return self.exact is not None or bool(self.ball.is_finite())

    def is_zero(self) -> bool:
        """Whether it is certainly zero."""
        # a + log q is zero only if a = 0 and q = 1 (Lindemann).
        return self.exact is not None and self.exact.a == 0 and self.exact.q == 1

    def __neg__(self) -> "Quantity":
        return Quantity(None, -self.ball) if self.exact is None else Quantity(-self.exact)

    def __add__(self, other: "Quantity") -> "Quantity":
        if self.exact is not None and other.exact is not None:
            return Quantity.exactly(self.exact + other.exact)
        return Quantity(None, self.ball + other.ball)

    def __mul__(self, other: "Quantity") -> "Quantity":
        if (self.is_zero() and other.is_known()) or (other.is_zero() and self.is_known()):
            return ZERO
        for left, right in ((self, other), (other, self)):
            factor = left.rational()
            if factor is not None and right.exact is not None:
                product = _times(right.exact, factor)
                if product is not None:
                    return Quantity.exactly(product)
        return Quantity(None, self.ball * other.ball)

    def exp(self) -> "Quantity":
        """e to this number."""
        exact = None if self.exact is None else self.exact.exp()
        return Quantity(None, self.ball.exp()) if exact is None else Quantity.of(exact)

    def log(self) -> "Quantity":
        """The natural logarithm; NaN unless the number is certainly positive."""
        exact = self.rational()
        if exact is None:
            return Quantity(None, self.ball.log())
        return Quantity.exactly(LogRational(Fraction(0), exact)) if exact > 0 else NOTHING

    def power(self, exponent: Fraction) -> "Quantity":
        """A rational power: u**0 = 1, and fractional exponents need u >= 0."""
        if exponent == 0:
            return ONE if self.is_known() else NOTHING
        exact = self.rational()
        if exact is not None:
            return _exact_power(exact, exponent)
        if exponent.denominator == 1:
            return Quantity(None, self.ball ** int(exponent))
        return Quantity(None, _root(self.ball, exponent.denominator) ** int(exponent.numerator))


def _exact_power(base: Fraction, exponent: Fraction) -> Quantity:
    if base == 0:
        return ZERO if exponent > 0 else NOTHING
    if exponent.denominator == 1:
        if _bits(base) * abs(exponent) <= _MAX_BITS:
            return Quantity.of(base ** int(exponent))
        return Quantity(None, enclose(base) ** int(exponent))
    if base < 0:
        return NOTHING
    power = _times(LogRational(Fraction(0), base), exponent)
    if power is not None:
        return Quantity.of(power.q)
    return Quantity(None, _root(enclose(base), exponent.denominator) ** int(exponent.numerator))


def _times(number: LogRational, factor: Fraction) -> LogRational | None:
    """``factor * number`` if that is of the form a + log q and not too long."""
    bits = _bits(number.q)
    # A rational root of degree n, other than 1, comes from a number of at least n bits.
    if number.q != 1 and (factor.denominator > bits or bits * abs(factor.numerator) > _MAX_BITS):
        return None
    return number.times(factor)


def _root(ball: Ball, degree: int) -> Ball:
    return ball.sqrt() if degree == 2 else ball.root(degree)


def _bits(value: Fraction) -> int:
    numerator, denominator = value.as_integer_ratio()
    return max(numerator.bit_length(), denominator.bit_length())


NAN: Final = Ball("nan")
ZERO: Final = Quantity.of(0)
ONE: Final = Quantity.of(1)
NOTHING: Final = Quantity(None, NAN)
"""A number of which nothing is known, or that does not exist."""


def largest_quantities(values: Sequence[Quantity]) -> tuple[list[int], bool]:
    """Which of the numbers are the largest.

    Returns
    -------
    winners
        Every index whose number may be the largest (all of them if one is not known).
    certain
        Whether the winners are certainly equal (or there is only one).
    """
    if not all(value.is_known() for value in values):
        return list(range(len(values))), False
    winners = [k for k, value in enumerate(values) if not any(_below(value, other) for other in values)]
    return winners, len(winners) == 1 or all(values[k].exact is not None for k in winners)


def maximum(values: Sequence[Quantity]) -> Quantity:
    """The largest of the numbers."""
    winners, certain = largest_quantities(values)
    if certain:
        return values[winners[0]]
    ball = values[winners[0]].ball
    for k in winners[1:]:
        ball = ball.max(values[k].ball)
    return Quantity(None, ball)


def union(values: Sequence[Quantity]) -> Quantity:
    """One of these numbers, it is not known which."""
    first = values[0]
    if first.exact is not None and all(value.exact == first.exact for value in values):
        return first
    if not all(value.is_known() for value in values):
        return NOTHING
    ball = first.ball
    for value in values[1:]:
        ball = ball.union(value.ball)
    return Quantity(None, ball)


def _below(left: Quantity, right: Quantity) -> bool:
    """Whether the first number is certainly below the second."""
    if left.exact is not None and right.exact is not None:
        return left.exact < right.exact
    return bool(left.ball < right.ball)


# --- Exact and rigorous values and one-sided slopes of a scalar function at a point a + log q ------------
# One pass over the tree carries, for every subtree, what is known exactly (a number a + log q, or nothing)
# and a ball that certainly contains it. Kinks are followed by direction: the one-sided derivative of a
# maximum at an exact tie is the largest of the one-sided derivatives of the functions that tie
# (Hiriart-Urruty and Lemaréchal, Fundamentals of Convex Analysis, D.4.4).

Sides = tuple[Quantity, Quantity]
"""The left and the right derivative; one and the same object where no kink tells them apart."""


@frozen
class Germ:
    """A function near a point: its value and, if asked, its one-sided derivatives."""

    value: Quantity
    sides: Callable[[], Sides]

    def then(self, value: Quantity, slope: Callable[[Quantity], Quantity]) -> "Germ":
        """A smooth function of this one."""

        def sides() -> Sides:
            left, right = self.sides()
            first = slope(left)
            return first, first if left is right else slope(right)

        return Germ(value, sides)


def germ(e: Expression, x: LogRational) -> Germ:
    """All that is known of the function near x."""
    return fold(e, _Germs(x))


def quantity_at(e: Expression, x: LogRational) -> Quantity:
    """All that is known of the value at x."""
    return germ(e, x).value


def exact_value(e: Expression, x: LogRational) -> LogRational | None:
    """The value at x if it is known to be of the form a + log q, else None.

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> str(exact_value(parse("log(1+exp(-x))"), LogRational.parse("log(2)")))
    'log(3/2)'
    """
    return quantity_at(e, x).exact


def enclose_value(e: Expression, x: LogRational) -> Ball:
    """A ball that contains the value at x; NaN where the function is undefined or nothing is known.

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> enclose_value(parse("exp(-x)"), LogRational.parse("log(2)")) == Ball("0.5")
    True
    """
    return quantity_at(e, x).ball


def exact_slopes(e: Expression, x: LogRational) -> tuple[Fraction | None, Fraction | None]:
    """The left and right derivatives at x, each None if it is not known to be rational.

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> exact_slopes(parse("max(0, 1-x)"), LogRational.parse("1"))
    (Fraction(-1, 1), Fraction(0, 1))
    >>> exact_slopes(parse("log(1+exp(-x))"), LogRational.parse("log(2)"))[0]
    Fraction(-1, 3)
    """
    left, right = slopes_at(e, x)
    return left.rational(), right.rational()


def enclose_slopes(e: Expression, x: LogRational) -> tuple[Ball, Ball]:
    """Balls that contain the left and the right derivative at x, NaN where nothing is known.

    Where a tie in a kink can be neither proved nor excluded, the balls hold every slope that may occur.
    """
    left, right = slopes_at(e, x)
    return left.ball, right.ball


def slopes_at(e: Expression, x: LogRational) -> Sides:
    """All that is known of the left and the right derivative at x."""
    return quantities_at(e, x)[1:]


def quantities_at(e: Expression, x: LogRational) -> tuple[Quantity, Quantity, Quantity]:
    """All that is known of the value, the left and the right derivative at x."""
    found = germ(e, x)
    return found.value, *(found.sides() if found.value.is_known() else (NOTHING, NOTHING))


@frozen
class _Germs(Algebra[Germ]):
    """Functions near x."""

    x: LogRational

    def number(self, value: Fraction) -> Germ:
        return Germ(Quantity(LogRational(value)), lambda: (ZERO, ZERO))  # of few digits, see `number`

    def variable(self) -> Germ:
        return Germ(Quantity.exactly(self.x), lambda: (ONE, ONE))

    def add(self, u: Germ, v: Germ) -> Germ:
        return _both(u, v, u.value + v.value, lambda du, dv: du + dv)

    def multiply(self, u: Germ, v: Germ) -> Germ:
        return _both(u, v, u.value * v.value, lambda du, dv: du * v.value + u.value * dv)

    def divide(self, u: Germ, v: Germ) -> Germ:
        # (u' - (u/v) v') / v is exact more often than u' (1/v) + u (1/v)'.
        inverse = v.value.power(Fraction(-1))
        value = u.value * inverse
        return _both(u, v, value, lambda du, dv: (du + -(value * dv)) * inverse)

    def negate(self, u: Germ) -> Germ:
        return u.then(-u.value, lambda du: -du)

    def exp(self, u: Germ) -> Germ:
        value = u.value.exp()
        return u.then(value, lambda du: value * du)

    def log(self, u: Germ) -> Germ:
        return u.then(u.value.log(), lambda du: du * u.value.power(Fraction(-1)))

    def power(self, u: Germ, exponent: Fraction) -> Germ:
        value = u.value.power(exponent)
        if exponent == 0:
            return Germ(value, lambda: (ZERO, ZERO))

        def outer() -> Quantity:
            return Quantity.of(exponent) * u.value.power(exponent - 1)

        def at_the_edge() -> Sides:
            # A fractional power lives on u >= 0 only, so u must be seen to grow on that side.
            left, right = u.sides()
            slope = outer()
            return slope * left if left.ball < 0 else NOTHING, slope * right if right.ball > 0 else NOTHING

        if exponent.denominator > 1 and u.value.is_zero():
            return Germ(value, at_the_edge)
        return u.then(value, lambda du: outer() * du)

    def maximum(self, parts: Sequence[Germ]) -> Germ:
        winners, certain = largest_quantities([part.value for part in parts])
        chosen = [parts[k] for k in winners]
        if len(chosen) == 1:
            return chosen[0]

        def sides() -> Sides:
            lefts, rights = zip(*(part.sides() for part in chosen), strict=True)
            if not certain:
                return union(lefts), union(rights)
            # Of functions that tie, the one that falls most is the largest on the left.
            return -maximum([-left for left in lefts]), maximum(rights)

        return Germ(maximum([part.value for part in chosen]), sides)


def _both(u: Germ, v: Germ, value: Quantity, slope: Callable[[Quantity, Quantity], Quantity]) -> Germ:
    """A smooth function of two germs."""

    def sides() -> Sides:
        (u_left, u_right), (v_left, v_right) = u.sides(), v.sides()
        first = slope(u_left, v_left)
        return first, first if u_left is u_right and v_left is v_right else slope(u_right, v_right)

    return Germ(value, sides)


# --- Rational bounds on the values of a function, and what operations do to them -------------------------
# Bounds are rounded outward where they are not rational, so they stay true; they are not always the best.

_GRID_BITS: Final = 64
_MAX_RANGE_BITS: Final = 512
_HUGE: Final = Ball(2) ** _MAX_RANGE_BITS
_TINY: Final = Ball(2) ** -_GRID_BITS
_UNBOUNDED: Final = Ball("nan")

Bound = tuple[Fraction | float, bool]
"""A lower bound, -inf for none, and whether it is never attained. Of two true ones the larger is tighter."""

_NONE: Final[Bound] = (-inf, False)
_ABOVE_0: Final[Bound] = (Fraction(0), True)


@frozen
class Range:
    """Proved bounds of a value v: a lower bound of v, and one of -v.

    Examples
    --------
    >>> Range.point(0).exp() == Range.point(1)
    True
    """

    low: Bound = _NONE
    minus: Bound = _NONE

    @staticmethod
    def point(value: Fraction | int) -> "Range":
        """The range of a rational constant."""
        return Range((Fraction(value), False), (Fraction(-value), False))

    @property
    def is_point(self) -> bool:
        """Whether there is one value only."""
        return self.low[0] == -self.minus[0]

    @property
    def nonnegative(self) -> bool:
        """Whether every value is at least 0."""
        return self.low[0] >= 0

    @property
    def positive(self) -> bool:
        """Whether every value is above 0."""
        return self.low >= _ABOVE_0

    def __neg__(self) -> "Range":
        return Range(self.minus, self.low)

    def __add__(self, other: "Range") -> "Range":
        pairs = ((self.low, other.low), (self.minus, other.minus))
        return Range(*(_bound(a + b, a_strict or b_strict) for (a, a_strict), (b, b_strict) in pairs))

    def __mul__(self, other: "Range") -> "Range":
        for u, v in ((self, other), (other, self)):
            if (-u).nonnegative and not u.nonnegative:
                return -(-u * v)
            if u.is_point and not u.positive:
                return u
            if u.is_point:
                return Range(*(_bound(u.low[0] * x, strict) for x, strict in (v.low, v.minus)))
        (a, a_strict), (b, b_strict) = self.low, other.low
        (c, c_strict), (d, d_strict) = self.minus, other.minus
        if self.nonnegative and other.nonnegative:
            above = self.positive and other.positive and (a_strict or b_strict)
            return Range(_bound(a * b, above), _bound(-(c * d), c_strict or d_strict))
        corners = [x * y if x and y else Fraction(0) for x in (a, -c) for y in (b, -d)]
        return Range(_bound(min(corners), strict=False), _bound(-max(corners), strict=False))

    def power(self, exponent: Fraction) -> "Range":
        """The values to a rational exponent, where these exist."""
        if exponent == 0:
            return Range.point(1)
        if self.positive or (self.nonnegative and exponent > 0):
            return self._monotone_power(exponent)
        if exponent.denominator > 1 or (exponent < 0 and not (-self).positive):
            return Range()
        odd, n = exponent.numerator % 2 == 1, int(exponent)
        if (-self).nonnegative:
            mirrored = (-self).power(exponent)
            return -mirrored if odd else mirrored
        (low, low_strict), (minus, minus_strict) = self.low, self.minus
        if odd:
            return Range(_bound(low**n, low_strict), _bound(minus**n, minus_strict))
        return Range((Fraction(0), False), _bound(-(max(-low, -minus) ** n), strict=False))

    def _monotone_power(self, exponent: Fraction) -> "Range":
        def apply(value: Fraction) -> Ball | Fraction:
            if exponent.denominator == 1:
                return value ** int(exponent)
            return enclose(value).root(exponent.denominator) ** int(exponent.numerator) if value else value

        if exponent > 0:
            return self.increasing(apply, positive=self.positive)
        # Towards plus infinity the values fall to 0, and towards 0 they grow without bound.
        return (-self).increasing(lambda value: apply(-value) if value else _UNBOUNDED, positive=True)

    def exp(self) -> "Range":
        """The exponentials of the values."""
        return self.increasing(lambda value: enclose(value).exp(), positive=True)

    def log(self) -> "Range":
        """The logarithms of positive values."""
        return self.increasing(lambda value: enclose(value).log() if value else _UNBOUNDED)

    def increasing(self, apply: Callable[[Fraction], Ball | Fraction], *, positive: bool = False) -> "Range":
        """The range under a strictly increasing function (of which it may be known that it is positive)."""
        (low, low_strict), (minus, minus_strict) = self.low, self.minus
        down = _bound(apply(low), low_strict) if isinstance(low, Fraction) else _NONE
        up = _bound(-apply(-minus), minus_strict) if isinstance(minus, Fraction) else _NONE
        return Range(max(down, _ABOVE_0) if positive else down, up)


def largest_range(ranges: Sequence[Range]) -> Range:
    """The range of the largest of several values."""
    return Range(max(r.low for r in ranges), min(r.minus for r in ranges))


def undominated(ranges: Sequence[Range]) -> list[int]:
    """Which of several values remain in a maximum without those that never exceed another one.

    Examples
    --------
    >>> undominated([Range.point(0), Range().exp()])
    [1]
    """
    kept = list(range(len(ranges)))
    for k, r in enumerate(ranges):
        if any(-r.minus[0] <= ranges[other].low[0] for other in kept if other != k):
            kept.remove(k)
    return kept


def _bound(value: Ball | Fraction | float, strict: bool) -> Bound:
    """A short lower bound at or below a number (-inf for none), strict if it is below or the number is."""
    if isinstance(value, Fraction):
        if max(abs(value.numerator), value.denominator).bit_length() <= _MAX_RANGE_BITS:
            return value, strict
        value = enclose(value)
    if isinstance(value, float):
        return _NONE
    bottom = value.lower()
    if not bottom.is_finite() or not abs(bottom) < _HUGE:
        return _NONE
    if abs(bottom) < _TINY:  # its exact value may be a long number
        return (Fraction(0), strict or bottom > 0) if bottom >= 0 else (Fraction(-1, 1 << _GRID_BITS), True)
    exact = as_fraction(bottom)
    low = Fraction(floor(exact * (1 << _GRID_BITS)), 1 << _GRID_BITS)
    return low, strict or low < exact
