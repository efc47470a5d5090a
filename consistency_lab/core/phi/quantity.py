"""A real number of which two things may be known: its exact form a + log q, and a ball around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.exact import Ball, LogRational, enclose

_MAX_BITS: Final = 1 << 16
"""Exact forms longer than this are dropped: the ball goes on alone, and nothing can blow up."""


@final
@dataclass(frozen=True, slots=True)
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


def largest(values: Sequence[Quantity]) -> tuple[list[int], bool]:
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
    winners, certain = largest(values)
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
