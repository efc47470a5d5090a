"""Rational bounds on the values of a function, and what operations do to them.

Bounds are rounded outward where they are not rational, so they stay true; they are not always the best.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, inf
from typing import Final, final

from consistency_lab.exact import Ball, as_fraction, enclose

_GRID_BITS: Final = 64
_MAX_BITS: Final = 512


@final
@dataclass(frozen=True, slots=True)
class Range:
    """Proved bounds: every value is at least `lower` and at most `upper` (None: no bound is known).

    Parameters
    ----------
    lower, upper
        The bounds.
    lower_strict, upper_strict
        Whether the bound is never attained.
    """

    lower: Fraction | None = None
    upper: Fraction | None = None
    lower_strict: bool = False
    upper_strict: bool = False

    def __post_init__(self) -> None:
        # Without a bound there is nothing to attain; one form for one range.
        object.__setattr__(self, "lower_strict", self.lower_strict and self.lower is not None)
        object.__setattr__(self, "upper_strict", self.upper_strict and self.upper is not None)

    @staticmethod
    def point(value: Fraction | int) -> "Range":
        """The range of a rational constant."""
        return Range(Fraction(value), Fraction(value))

    @property
    def nonnegative(self) -> bool:
        """Whether every value is at least 0."""
        return self.lower is not None and self.lower >= 0

    @property
    def positive(self) -> bool:
        """Whether every value is above 0."""
        return self.lower is not None and (self.lower > 0 or (self.lower == 0 and self.lower_strict))

    @property
    def nonpositive(self) -> bool:
        """Whether every value is at most 0."""
        return self.upper is not None and self.upper <= 0

    @property
    def negative(self) -> bool:
        """Whether every value is below 0."""
        return (-self).positive

    def __neg__(self) -> "Range":
        return Range(
            None if self.upper is None else -self.upper,
            None if self.lower is None else -self.lower,
            self.upper_strict,
            self.lower_strict,
        )

    def __add__(self, other: "Range") -> "Range":
        return Range(
            None if self.lower is None or other.lower is None else self.lower + other.lower,
            None if self.upper is None or other.upper is None else self.upper + other.upper,
            self.lower_strict or other.lower_strict,
            self.upper_strict or other.upper_strict,
        ).tidy()

    def __mul__(self, other: "Range") -> "Range":
        if self.nonpositive and not self.nonnegative:
            return -(-self * other)
        if other.nonpositive and not other.nonnegative:
            return -(self * -other)
        corners = [_times(a, b) for a in self._ends() for b in other._ends()]
        low, high = min(corners), max(corners)
        bounded = Range(_finite(low), _finite(high))
        if not (self.nonnegative and other.nonnegative):
            fixed = next((r for r in (self, other) if r.lower is not None and r.lower == r.upper), None)
            if fixed is None or fixed.lower == 0:
                return bounded.tidy()
            free = other if fixed is self else self  # a positive factor
            return replace(bounded, lower_strict=free.lower_strict, upper_strict=free.upper_strict).tidy()
        return replace(
            bounded,
            lower_strict=self.positive and other.positive and (self.lower_strict or other.lower_strict),
            upper_strict=high > 0 and (self.upper_strict or other.upper_strict),
        ).tidy()

    def power(self, exponent: Fraction) -> "Range":
        """The values to a rational exponent, where these exist."""
        if exponent == 0:
            return Range.point(1)
        whole = exponent.denominator == 1
        if self.positive or (self.nonnegative and exponent > 0):
            return self._monotone_power(exponent)
        if not whole or (exponent < 0 and not self.negative):
            return Range()
        odd = exponent.numerator % 2 == 1
        if self.nonpositive:
            mirrored = (-self).power(exponent)
            return -mirrored if odd else mirrored
        if odd:
            return Range(
                None if self.lower is None else self.lower ** int(exponent),
                None if self.upper is None else self.upper ** int(exponent),
                self.lower_strict,
                self.upper_strict,
            ).tidy()
        largest = None if self.lower is None or self.upper is None else max(-self.lower, self.upper)
        return Range(Fraction(0), None if largest is None else largest ** int(exponent)).tidy()

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
        lower, upper = self.lower, self.upper
        low, low_moved = (None, False) if lower is None else _down(apply(lower))
        high, high_moved = (None, False) if upper is None else _up(apply(upper))
        if positive and (low is None or low <= 0):
            low, low_moved = Fraction(0), True
        return Range(low, high, self.lower_strict or low_moved, self.upper_strict or high_moved)

    def intersect(self, other: "Range") -> "Range":
        """The tighter of two true ranges."""
        low, low_strict = _tighter((self.lower, self.lower_strict), (other.lower, other.lower_strict))
        minus, high_strict = _tighter(
            ((-self).lower, self.upper_strict), ((-other).lower, other.upper_strict)
        )
        return Range(low, None if minus is None else -minus, low_strict, high_strict)

    def tidy(self) -> "Range":
        """The same range with long bounds rounded outward, so that numbers stay short."""
        bounds = [b for b in (self.lower, self.upper) if b is not None]
        return self if all(map(_is_short, bounds)) else self.increasing(lambda bound: bound)

    def _ends(self) -> tuple[Fraction | float, Fraction | float]:
        return -inf if self.lower is None else self.lower, inf if self.upper is None else self.upper


ANYTHING: Final = Range()
"""No bound is known."""


def largest(ranges: Sequence[Range]) -> Range:
    """The range of the largest of several values."""
    lowers = [(r.lower, r.lower_strict) for r in ranges]
    low, low_strict = lowers[0]
    for bound in lowers[1:]:
        low, low_strict = _tighter((low, low_strict), bound)
    uppers = [r.upper for r in ranges if r.upper is not None]
    if len(uppers) < len(ranges):
        return Range(low, None, low_strict)
    high = max(uppers)
    return Range(low, high, low_strict, all(r.upper_strict for r in ranges if r.upper == high))


_UNBOUNDED: Final = Ball("nan")
_HUGE: Final = Ball(2) ** _MAX_BITS
_TINY: Final = Ball(2) ** -_GRID_BITS


def _tighter(
    first: tuple[Fraction | None, bool], second: tuple[Fraction | None, bool]
) -> tuple[Fraction | None, bool]:
    """The larger of two lower bounds, a strict one counting as larger."""
    if first[0] is None or second[0] is None:
        return second if first[0] is None else first
    return max((first[0], first[1]), (second[0], second[1]))


def _times(a: Fraction | float, b: Fraction | float) -> Fraction | float:
    return Fraction(0) if a == 0 or b == 0 else a * b


def _finite(value: Fraction | float) -> Fraction | None:
    return value if isinstance(value, Fraction) else None


def _down(value: Ball | Fraction) -> tuple[Fraction | None, bool]:
    """A short rational at or below the number, and whether it is certainly below."""
    if isinstance(value, Fraction):
        if _is_short(value):
            return value, False
        value = enclose(value)
    bottom = value.lower()
    if not bottom.is_finite() or not abs(bottom) < _HUGE:
        return None, False
    if abs(bottom) < _TINY:
        return (Fraction(0), not value.is_zero()) if bottom >= 0 else (Fraction(-1, 1 << _GRID_BITS), True)
    exact = as_fraction(bottom)
    low = Fraction(floor(exact * (1 << _GRID_BITS)), 1 << _GRID_BITS)
    return low, low < exact


def _is_short(value: Fraction) -> bool:
    return max(abs(value.numerator), value.denominator).bit_length() <= _MAX_BITS


def _up(value: Ball | Fraction) -> tuple[Fraction | None, bool]:
    low, moved = _down(-value)
    return (None if low is None else -low), moved
