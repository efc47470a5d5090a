"""Real numbers: exact where they are known to be a + log q, and balls elsewhere."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.errors import RejectedError
from consistency_lab.numbers.exact import Ball, LogRational

# --- Words for a rejection: what is stated against what is so --------------------------------------------

_LONGEST: Final = 100


def shown(value: object) -> str:
    """A short text for a message, however long the number is."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = str(value)
    except ValueError:  # Python writes no integer of more than some thousand digits.
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST else f"{text[:40]}... ({len(text)} characters)"


def same(what: str, stated: object, derived: object) -> None:
    """Refuse a statement that differs from what was derived.

    RejectedError if it does.
    """
    if stated != derived:
        raise RejectedError(f"{what} is stated as {shown(stated)}, but is {shown(derived)}")


# --- Numbers that are exact where they are known, and balls that certainly contain them elsewhere --------

Real = LogRational | Ball
"""A number a + log q that is known exactly, or a ball around one; a ball that is NaN says nothing."""

BITS: Final = 256
"""Bits of a ball, unless more are asked for."""

_MAX_BITS: Final = 1 << 17
"""Exact forms longer than this are dropped: a ball goes on alone, and nothing can blow up."""

_BRIEF_BITS: Final = 1 << 12
"""Sums of many numbers keep exact forms up to this length only, so that no sum takes long."""

ORIGIN: Final = LogRational(Fraction(0))
ONE: Final = LogRational(Fraction(1))
NOTHING: Final = Ball("nan")
"""A number about which nothing is known, or that does not exist."""


class UncertainError(RejectedError):
    """Balls do not tell; with more bits they may."""


def ball(x: Real) -> Ball:
    """A ball around the number, at the working precision if it is known exactly."""
    return x.ball() if isinstance(x, LogRational) else x


def rational(x: Real) -> Fraction | None:
    """The number, if it is known to be rational."""
    return x.as_rational() if isinstance(x, LogRational) else None


def is_known(x: Real) -> bool:
    """Whether there is a finite ball around it."""
    return isinstance(x, LogRational) or bool(x.is_finite())


def is_zero(x: Real) -> bool:
    """Whether it is certainly zero: a + log q is only if a = 0 and q = 1 (Lindemann)."""
    return isinstance(x, LogRational) and x.q == 1 and x.a == 0


def moderate(x: LogRational) -> Real:
    """The number, or a ball in place of a very long exact form."""
    return x if _bits(x.a) <= _MAX_BITS and _bits(x.q) <= _MAX_BITS else x.ball()


def plus(x: Real, y: Real) -> Real:
    """x + y."""
    if isinstance(x, LogRational) and isinstance(y, LogRational):
        return moderate(x + y)
    return ball(x) + ball(y)


def minus(x: Real, y: Real) -> Real:
    """x - y."""
    return plus(x, -y)


def times(x: Real, y: Real) -> Real:
    """x y; exactly 0 if a factor is, and the other one is known."""
    if (is_zero(x) and is_known(y)) or (is_zero(y) and is_known(x)):
        return ORIGIN
    for factor, other in ((rational(x), y), (rational(y), x)):
        if factor is not None and isinstance(other, LogRational):
            product = _times(other, factor)
            if product is not None:
                return moderate(product)
    return ball(x) * ball(y)


def total(numbers: Iterable[Real]) -> Real:
    """The sum."""
    found: Real = ORIGIN
    for x in numbers:
        found = plus(found, x)
    return found


def brief_total(numbers: Iterable[Real]) -> Real:
    """The sum, a ball as soon as its exact form is long."""
    found: Real = ORIGIN
    for x in numbers:
        found = plus(found, x)
        if isinstance(found, LogRational) and max(_bits(found.a), _bits(found.q)) > _BRIEF_BITS:
            found = found.ball()
    return found


def exp(x: Real) -> Real:
    """e to the x."""
    exact = x.exp() if isinstance(x, LogRational) else None
    return ball(x).exp() if exact is None else moderate(LogRational(exact))


def log(x: Real) -> Real:
    """The natural logarithm; NaN unless the number is certainly positive."""
    exact = rational(x)
    if exact is None:
        return ball(x).log()
    return moderate(LogRational(Fraction(0), exact)) if exact > 0 else NOTHING


def power(x: Real, exponent: Fraction) -> Real:
    """A rational power: u**0 = 1, and fractional exponents need u >= 0."""
    if exponent == 0:
        return ONE if is_known(x) else NOTHING
    base = rational(x)
    if base == 0:
        return ORIGIN if exponent > 0 else NOTHING
    if base is not None and exponent.denominator == 1 and _bits(base) * abs(exponent) <= _MAX_BITS:
        return moderate(LogRational(base ** int(exponent)))
    if base is not None and exponent.denominator > 1:
        if base < 0:
            return NOTHING
        root = _times(LogRational(Fraction(0), base), exponent)
        if root is not None:
            return moderate(LogRational(root.q))
    found = ball(x)
    if exponent.denominator > 1:
        found = found.sqrt() if exponent.denominator == 2 else found.root(exponent.denominator)
    return found ** int(exponent.numerator)


def _times(number: LogRational, factor: Fraction) -> LogRational | None:
    """``factor * number`` if that is of the form a + log q and not too long."""
    bits = _bits(number.q)
    # A rational root of degree n, other than 1, comes from a number of at least n bits.
    if number.q != 1 and (factor.denominator > bits or bits * abs(factor.numerator) > _MAX_BITS):
        return None
    return number.times(factor)


def _bits(value: Fraction) -> int:
    numerator, denominator = value.as_integer_ratio()
    return max(numerator.bit_length(), denominator.bit_length())


# --- Comparisons: certain, or refused --------------------------------------------------------------------


def below(x: Real, y: Real) -> bool:
    """Whether x < y for certain."""
    if isinstance(x, LogRational) and isinstance(y, LogRational):
        return x < y
    return bool(ball(x) < ball(y))


def at_most(x: Real, y: Real) -> bool:
    """Whether x <= y for certain."""
    if isinstance(x, LogRational) and isinstance(y, LogRational):
        return x <= y
    return bool(ball(x) <= ball(y))


def sign(x: Real, what: str) -> int:
    """-1, 0 or 1.

    RejectedError if a ball does not tell.
    """
    if isinstance(x, LogRational):
        return x.sign()
    if x > 0 or x < 0:
        return 1 if x > 0 else -1
    raise RejectedError(f"the sign of {what} is not certain from balls of {BITS} bits")


def largest(values: Sequence[Real]) -> tuple[list[int], bool]:
    """Which of the numbers are the largest.

    Returns
    -------
    winners
        Every index whose number may be the largest (all of them if one is not known).
    certain
        Whether the winners are certainly equal (or there is only one).
    """
    if not all(map(is_known, values)):
        return list(range(len(values))), False
    winners = [k for k, value in enumerate(values) if not any(below(value, other) for other in values)]
    return winners, len(winners) == 1 or all(isinstance(values[k], LogRational) for k in winners)


def maximum(values: Sequence[Real]) -> Real:
    """The largest of the numbers."""
    winners, certain = largest(values)
    if certain:
        return values[winners[0]]
    found = ball(values[winners[0]])
    for k in winners[1:]:
        found = found.max(ball(values[k]))
    return found


def union(values: Sequence[Real]) -> Real:
    """An enclosure of all of these numbers."""
    first, *others = values
    if isinstance(first, LogRational) and all(isinstance(x, LogRational) and x == first for x in others):
        return first
    if not all(map(is_known, values)):
        return NOTHING
    found = ball(first)
    for x in others:
        found = found.union(ball(x))
    return found
