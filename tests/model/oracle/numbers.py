"""Fractions where numbers are rational, and else Arb balls of 256 bits."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise

from flint import arb, ctx, fmpq

Number = Fraction | arb


class Misfit(Exception):
    """A surrogate, condition or decoder that does not apply here, or balls that do not tell."""


def ball(x: Number | int) -> arb:
    """A ball around the number."""
    ctx.prec = max(ctx.prec, 256)
    return x if isinstance(x, arb) else arb(fmpq(*Fraction(x).as_integer_ratio()))


def plus(x: Number, y: Number) -> Number:
    """x + y."""
    return x + y if isinstance(x, Fraction) and isinstance(y, Fraction) else ball(x) + ball(y)


def times(x: Number, y: Number) -> Number:
    """x y, exactly 0 if a factor is."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x * y
    return Fraction(0) if Fraction(0) in (x, y) else ball(x) * ball(y)


def dot(x: Iterable[Number], y: Iterable[Number]) -> Number:
    """sum_i x_i y_i."""
    found: Number = Fraction(0)
    for a, b in zip(x, y, strict=True):
        found = plus(found, times(a, b))
    return found


def inverse(x: Number) -> Number:
    """1/x."""
    return 1 / x


def sign(x: Number) -> int:
    """-1, 0 or 1."""
    if not isinstance(x, Fraction) and x.overlaps(arb(0)):
        raise Misfit("the sign of a number is not certain")
    return int(x > 0) - int(x < 0)


def ranks(numbers: Sequence[Number]) -> list[int]:
    """A small integer for each number, in their order, equal for equal ones."""

    def against(i: int, j: int) -> int:
        return sign(plus(numbers[i], times(Fraction(-1), numbers[j])))

    rising = sorted(range(len(numbers)), key=cmp_to_key(against))
    found = [0] * len(numbers)
    for lower, higher in pairwise(rising):
        found[higher] = found[lower] + (against(lower, higher) < 0)
    return found
