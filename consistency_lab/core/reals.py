"""Numbers that are exact where they are known to be rational, and else balls that certainly contain them."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from consistency_lab.core.messages import shown
from consistency_lab.core.phi import Expression, enclose_value, exact_value
from consistency_lab.errors import RejectedError
from consistency_lab.exact import Ball, LogRational, enclose

Real = Fraction | Ball

BITS: Final = 256
"""Bits of a ball."""


class UncertainError(RejectedError):
    """Balls do not tell; with more bits they may."""


def ball(x: Real) -> Ball:
    """A ball around the number, at the working precision."""
    return enclose(x) if isinstance(x, Fraction) else x


def plus(x: Real, y: Real) -> Real:
    """x + y."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x + y
    return ball(x) + ball(y)


def times(x: Real, y: Real) -> Real:
    """x y; exactly 0 if a factor is.

    Examples
    --------
    >>> times(Fraction(0), enclose(2).sqrt())
    Fraction(0, 1)
    """
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x * y
    zero = Fraction(0)
    return zero if _is_zero(x) or _is_zero(y) else ball(x) * ball(y)


def total(numbers: Iterable[Real]) -> Real:
    """The sum."""
    found: Real = Fraction(0)
    for x in numbers:
        found = plus(found, x)
    return found


def sign(x: Real, what: str) -> int:
    """-1, 0 or 1.

    Raises
    ------
    RejectedError
        If a ball does not tell.

    Examples
    --------
    >>> sign(enclose(2).sqrt() - enclose(1), "the root of 2, less 1")
    1
    """
    if isinstance(x, Fraction):
        return (x > 0) - (x < 0)
    if x > 0:
        return 1
    if x < 0:
        return -1
    raise RejectedError(f"the sign of {what} is not certain from balls of {BITS} bits")


def compare(x: Real, y: Real, what: str) -> int:
    """The sign of x - y; `what` names the difference.

    Raises
    ------
    RejectedError
        If balls overlap.
    """
    return sign(plus(x, times(Fraction(-1), y)), what)


def certainly_above(x: Real, bound: Fraction) -> bool:
    """Whether x > bound for certain."""
    return x > bound if isinstance(x, Fraction) else bool(x > enclose(bound))


def certainly_at_least(x: Real, bound: Fraction) -> bool:
    """Whether x >= bound for certain."""
    return at_most(bound, x)


def at_most(x: Real, y: Real) -> bool:
    """Whether x <= y for certain."""
    return x <= y if isinstance(x, Fraction) and isinstance(y, Fraction) else bool(ball(x) <= ball(y))


def value_at(e: Expression, point: Fraction, where: str) -> Real:
    """The value of an expression at a rational point.

    Raises
    ------
    RejectedError
        If it has none there.
    """
    rational = rational_at(e, point)
    if rational is not None:
        return rational
    found = enclose_value(e, LogRational(point))
    if not found.is_finite():
        raise RejectedError(f"{where} {e} has no certain value at {shown(point)}")
    return found


def rational_at(e: Expression, point: Fraction) -> Fraction | None:
    """The value of an expression at a rational point, None if it is not known to be rational.

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> rational_at(parse("2**s-1", "s"), Fraction(3)), rational_at(parse("sqrt(j)", "j"), Fraction(2))
    (Fraction(7, 1), None)
    """
    exact = exact_value(e, LogRational(point))
    return None if exact is None else exact.as_rational()


def _is_zero(x: Real) -> bool:
    return isinstance(x, Fraction) and not x
