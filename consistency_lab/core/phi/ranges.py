"""Rational bounds on the values of a function, and what operations do to them.

Bounds are rounded outward where they are not rational, so they stay true; they are not always the best.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, inf
from typing import Final, final

from consistency_lab.exact import Ball, as_fraction, enclose

_GRID_BITS: Final = 64
_MAX_BITS: Final = 512
_HUGE: Final = Ball(2) ** _MAX_BITS
_TINY: Final = Ball(2) ** -_GRID_BITS
_UNBOUNDED: Final = Ball("nan")

Bound = tuple[Fraction | float, bool]
"""A lower bound, -inf for none, and whether it is never attained. Of two true ones the larger is tighter."""

_NONE: Final[Bound] = (-inf, False)
_ABOVE_0: Final[Bound] = (Fraction(0), True)


@final
@dataclass(frozen=True, slots=True)
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


def largest(ranges: Sequence[Range]) -> Range:
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
        if max(abs(value.numerator), value.denominator).bit_length() <= _MAX_BITS:
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
