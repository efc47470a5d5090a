"""Rigorous values, one-sided slopes and bounds of phi at a + log q and on intervals."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import floor, inf
from operator import add, mul, neg, truediv
from typing import Final

from consistency_lab.frozen import frozen
from consistency_lab.numbers.balls import (
    NOTHING,
    ONE,
    ORIGIN,
    Real,
    ball,
    exp,
    is_known,
    is_zero,
    largest,
    log,
    maximum,
    minus,
    moderate,
    plus,
    power,
    rational,
    times,
    union,
)
from consistency_lab.numbers.exact import Ball, LogRational, as_fraction, enclose
from consistency_lab.numbers.expression import Algebra, Expression, fold

# --- Exact and rigorous values and one-sided slopes of a scalar function at a point a + log q ------------
# One pass over the tree carries, for every subtree, what is known exactly (a number a + log q, or nothing)
# and a ball that certainly contains it. Kinks are followed by direction: the one-sided derivative of a
# maximum at an exact tie is the largest of the one-sided derivatives of the functions that tie
# (Hiriart-Urruty and Lemaréchal, Fundamentals of Convex Analysis, D.4.4).

Sides = tuple[Real, Real]
"""The left and the right derivative; one and the same object where no kink tells them apart."""


@frozen
class Germ:
    """A function near a point: its value and, if asked, its one-sided derivatives."""

    value: Real
    sides: Callable[[], Sides]

    def then(self, value: Real, slope: Callable[[Real], Real]) -> "Germ":
        """A smooth function of this one."""

        def sides() -> Sides:
            left, right = self.sides()
            first = slope(left)
            return first, first if left is right else slope(right)

        return Germ(value, sides)


def value_at(e: Expression, x: LogRational) -> Real:
    """The value at x, NaN where the function is undefined or nothing is known."""
    return fold(e, _Germs(x)).value


def exact_value(e: Expression, x: LogRational) -> LogRational | None:
    """The value at x if it is known to be of the form a + log q, else None."""
    found = value_at(e, x)
    return found if isinstance(found, LogRational) else None


def enclose_value(e: Expression, x: LogRational) -> Ball:
    """A ball that contains the value at x; NaN where the function is undefined or nothing is known."""
    return ball(value_at(e, x))


def exact_slopes(e: Expression, x: LogRational) -> tuple[Fraction | None, Fraction | None]:
    """The left and right derivatives at x, each None if it is not known to be rational.

    Examples
    --------
    >>> from consistency_lab.numbers.expression import parse
    >>> exact_slopes(parse("max(0, 1-x)"), LogRational.parse("1"))
    (Fraction(-1, 1), Fraction(0, 1))
    >>> exact_slopes(parse("log(1+exp(-x))"), LogRational.parse("log(2)"))[0]
    Fraction(-1, 3)
    """
    left, right = slopes_at(e, x)
    return rational(left), rational(right)


def enclose_slopes(e: Expression, x: LogRational) -> tuple[Ball, Ball]:
    """Balls that contain the left and the right derivative at x, NaN where nothing is known.

    Where a tie in a kink can be neither proved nor excluded, the balls hold every slope that may occur.
    """
    left, right = slopes_at(e, x)
    return ball(left), ball(right)


def slopes_at(e: Expression, x: LogRational) -> Sides:
    """The left and the right derivative at x."""
    return jet(e, x)[1:]


def jet(e: Expression, x: LogRational) -> tuple[Real, Real, Real]:
    """The value, the left and the right derivative at x."""
    found = fold(e, _Germs(x))
    return found.value, *(found.sides() if is_known(found.value) else (NOTHING, NOTHING))


@frozen
class _Germs(Algebra[Germ]):
    """Functions near x."""

    x: LogRational

    def number(self, value: Fraction) -> Germ:
        return Germ(LogRational(value), lambda: (ORIGIN, ORIGIN))  # of few digits, see `number`

    def variable(self) -> Germ:
        return Germ(moderate(self.x), lambda: (ONE, ONE))

    def add(self, u: Germ, v: Germ) -> Germ:
        return _both(u, v, plus(u.value, v.value), plus)

    def multiply(self, u: Germ, v: Germ) -> Germ:
        def slope(du: Real, dv: Real) -> Real:
            return plus(times(du, v.value), times(u.value, dv))

        return _both(u, v, times(u.value, v.value), slope)

    def divide(self, u: Germ, v: Germ) -> Germ:
        # (u' - (u/v) v') / v is exact more often than u' (1/v) + u (1/v)'.
        inverse = power(v.value, Fraction(-1))
        value = times(u.value, inverse)
        return _both(u, v, value, lambda du, dv: times(minus(du, times(value, dv)), inverse))

    def negate(self, u: Germ) -> Germ:
        return u.then(-u.value, lambda du: -du)

    def exp(self, u: Germ) -> Germ:
        value = exp(u.value)
        return u.then(value, lambda du: times(value, du))

    def log(self, u: Germ) -> Germ:
        return u.then(log(u.value), lambda du: times(du, power(u.value, Fraction(-1))))

    def power(self, u: Germ, exponent: Fraction) -> Germ:
        value = power(u.value, exponent)
        if exponent == 0:
            return Germ(value, lambda: (ORIGIN, ORIGIN))

        def outer() -> Real:
            return times(LogRational(exponent), power(u.value, exponent - 1))

        def at_the_edge() -> Sides:
            # A fractional power lives on u >= 0 only, so u must be seen to grow on that side.
            left, right = u.sides()
            slope = outer()
            return (
                times(slope, left) if ball(left) < 0 else NOTHING,
                times(slope, right) if ball(right) > 0 else NOTHING,
            )

        if exponent.denominator > 1 and is_zero(u.value):
            return Germ(value, at_the_edge)
        return u.then(value, lambda du: times(outer(), du))

    def maximum(self, parts: Sequence[Germ]) -> Germ:
        values = [part.value for part in parts]
        winners, certain = largest(values)
        chosen = [parts[k] for k in winners]
        if len(chosen) == 1:
            return chosen[0]

        def sides() -> Sides:
            lefts, rights = zip(*(part.sides() for part in chosen), strict=True)
            if not certain:
                return union(lefts), union(rights)
            # Of functions that tie, the one that falls most is the largest on the left.
            return -maximum([-left for left in lefts]), maximum(rights)

        return Germ(maximum(values), sides)


def _both(u: Germ, v: Germ, value: Real, slope: Callable[[Real, Real], Real]) -> Germ:
    """A smooth function of two germs."""

    def sides() -> Sides:
        (u_left, u_right), (v_left, v_right) = u.sides(), v.sides()
        first = slope(u_left, v_left)
        return first, first if u_left is u_right and v_left is v_right else slope(u_right, v_right)

    return Germ(value, sides)


# --- Slopes at many points in one pass, in balls alone -----------------------------------------------------


def slopes_at_many(e: Expression, points: Iterable[Ball]) -> list[Ball]:
    """Balls that contain the left and the right derivative at each point; NaN where balls do not tell.

    Examples
    --------
    >>> from consistency_lab.numbers.expression import parse
    >>> slopes_at_many(parse("max(0, 1-x)**2"), [Ball(-1), Ball(1), Ball(2)])
    [-4.00000000000000, nan, 0]
    """
    values, slopes = fold(e, _Points(tuple(points)))
    return [slope if value.is_finite() else NOTHING for value, slope in zip(values, slopes, strict=True)]


_Duals = tuple[list[Ball], list[Ball]]
"""A value and a slope for each point."""


@frozen
class _Points(Algebra[_Duals]):
    """Functions at all these points."""

    x: tuple[Ball, ...]

    def number(self, value: Fraction) -> _Duals:
        return [enclose(value)] * len(self.x), [Ball(0)] * len(self.x)

    def variable(self) -> _Duals:
        return list(self.x), [Ball(1)] * len(self.x)

    def add(self, u: _Duals, v: _Duals) -> _Duals:
        return list(map(add, u[0], v[0])), list(map(add, u[1], v[1]))

    def multiply(self, u: _Duals, v: _Duals) -> _Duals:
        slopes = map(add, map(mul, u[1], v[0]), map(mul, u[0], v[1]))
        return list(map(mul, u[0], v[0])), list(slopes)

    def negate(self, u: _Duals) -> _Duals:
        return list(map(neg, u[0])), list(map(neg, u[1]))

    def exp(self, u: _Duals) -> _Duals:
        values = [x.exp() for x in u[0]]
        return values, list(map(mul, values, u[1]))

    def log(self, u: _Duals) -> _Duals:
        return [x.log() for x in u[0]], list(map(truediv, u[1], u[0]))

    def power(self, u: _Duals, exponent: Fraction) -> _Duals:
        n, below = enclose(exponent), enclose(exponent - 1)
        return [x**n for x in u[0]], [n * x**below * dx for x, dx in zip(*u, strict=True)]

    def maximum(self, parts: Sequence[_Duals]) -> _Duals:
        values, slopes = [], []
        for germs in zip(*(zip(*part, strict=True) for part in parts), strict=True):
            best, slope = max(germs, key=lambda germ: float(germ[0].mid()))
            alone = sum(not x < best for x, _ in germs) == 1
            values.append(best if alone else NOTHING)
            slopes.append(slope if alone else NOTHING)
        return values, slopes


# --- Rational bounds on the values of a function, and what operations do to them -------------------------
# Bounds are rounded outward where they are not rational, so they stay true; they are not always the best.

_GRID_BITS: Final = 64
_MAX_RANGE_BITS: Final = 512
_HUGE: Final = Ball(2) ** _MAX_RANGE_BITS
_TINY: Final = Ball(2) ** -_GRID_BITS
_UNBOUNDED: Final = Ball("nan")

LowerBound = tuple[Fraction | float, bool]
"""A lower bound, -inf for none, and whether it is never attained. Of two true ones the larger is tighter."""

_NONE: Final[LowerBound] = (-inf, False)
_ABOVE_0: Final[LowerBound] = (Fraction(0), True)


@frozen
class Range:
    """Proved bounds of a value v: a lower bound of v, and one of -v."""

    low: LowerBound = _NONE
    minus: LowerBound = _NONE

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
    """Which of several values remain in a maximum without those that never exceed another one."""
    kept = list(range(len(ranges)))
    for k, r in enumerate(ranges):
        if any(-r.minus[0] <= ranges[other].low[0] for other in kept if other != k):
            kept.remove(k)
    return kept


def _bound(value: Ball | Fraction | float, strict: bool) -> LowerBound:
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
