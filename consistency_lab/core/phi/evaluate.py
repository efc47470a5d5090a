"""Exact and rigorous values and one-sided slopes of a scalar function at a point a + log q.

One pass over the tree carries, for every subtree, what is known exactly (a number a + log q, or nothing) and
a ball that certainly contains it. Kinks are followed by direction: the one-sided derivative of a maximum at
an exact tie is the largest of the one-sided derivatives of the functions that tie (Hiriart-Urruty and
Lemaréchal, Fundamentals of Convex Analysis, D.4.4).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.core.phi.algebra import Algebra, fold
from consistency_lab.core.phi.expression import Expression
from consistency_lab.core.phi.quantity import NOTHING, ONE, ZERO, Quantity, largest, maximum, union
from consistency_lab.exact import Ball, LogRational

Sides = tuple[Quantity, Quantity]
"""The left and the right derivative; one and the same object where no kink tells them apart."""


@final
@dataclass(frozen=True, slots=True)
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


@final
@dataclass(frozen=True, slots=True)
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
        winners, certain = largest([part.value for part in parts])
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
