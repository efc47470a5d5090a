"""Rigorous enclosures of real numbers: Arb balls, and comparisons that are never wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx, fmpq

Ball = arb
"""An interval of reals that certainly contains the number it stands for."""


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Compute balls with this many bits inside the block; the setting before is put back."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def enclose(value: Fraction | int) -> Ball:
    """The ball around a rational.

    Examples
    --------
    >>> enclose(Fraction(1, 3)).contains(enclose(Fraction(1, 3)))
    True
    """
    return arb(fmpq(value.numerator, value.denominator))


def certainly_less(left: Ball, right: Ball) -> bool:
    """Whether every number in `left` is below every number in `right` (False if a ball is NaN)."""
    return bool(left < right)


def certainly_positive(value: Ball) -> bool:
    """Whether every number in the ball is above zero."""
    return bool(value > 0)


def as_fraction(point: Ball) -> Fraction:
    """The rational that a ball of radius 0 is, such as the middle or an end of another one.

    Raises
    ------
    ValueError
        If the ball is wider than a point, or not finite.

    Examples
    --------
    >>> as_fraction(enclose(Fraction(3, 8)))
    Fraction(3, 8)
    """
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def lower_decimal(value: Ball, digits: int = 6) -> Fraction:
    """A rational of `digits` significant decimals that is certainly not above the ball.

    Examples
    --------
    >>> lower_decimal(enclose(Fraction(1, 3)), 3)
    Fraction(333, 1000)
    """
    exact = as_fraction(value.lower())
    if exact == 0:
        return exact
    size = 0
    while abs(exact) * Fraction(10) ** size < 10 ** (digits - 1):
        size += 1
    while abs(exact) * Fraction(10) ** size >= 10**digits:
        size -= 1
    scale = Fraction(10) ** size
    scaled = exact * scale
    return (scaled.numerator // scaled.denominator) / scale
