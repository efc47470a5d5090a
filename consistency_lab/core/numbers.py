"""Numbers that are exact where they are rational and balls elsewhere, and how long they may become."""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import lcm
from typing import Final

from consistency_lab.core.phi import Expression, enclose_value, exact_value
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import MAX_DIGITS, Ball, LogRational, enclose

# --- Words for a rejection: what is stated against what is so --------------------------------------------

_LONGEST: Final = 100


def shown(value: object) -> str:
    """A short text for a message, however long the number is.

    Examples
    --------
    >>> shown(True), shown(10**200)[35:]
    ('true', '00000... (201 characters)')
    """
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = str(value)
    except ValueError:  # Python writes no integer of more than some thousand digits.
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST else f"{text[:40]}... ({len(text)} characters)"


def same(what: str, stated: object, derived: object) -> None:
    """Refuse a statement that differs from what was derived.

    Raises
    ------
    RejectedError
        If it does.
    """
    if stated != derived:
        raise RejectedError(f"{what} is stated as {shown(stated)}, but is {shown(derived)}")


# --- Numbers that are exact where they are known ---------------------------------------------------------
# Numbers that are exact where they are known to be rational, and else balls that certainly contain them.

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


# --- How long exact numbers may become -------------------------------------------------------------------
# Bounded by the denominators of a document, before any arithmetic.

MAX_COMMON_DIGITS: Final = 10_000
"""Longest common denominator of all rationals in a document."""

_DENOMINATOR: Final = re.compile(r"[0-9]/([0-9]+)")
_BOUND: Final = 10**MAX_COMMON_DIGITS


def check_denominators(document: object) -> None:
    """Refuse a document whose rationals have too long a common denominator.

    Sums of rationals stay within it, so no step of the core takes long; a thousand denominators that share
    no factor would make it grow with every step.

    Examples
    --------
    >>> check_denominators({"weights": ["1/2", "log(3/7)"]})
    """
    common = 1
    # What is longer than a number may be is refused, by its name, where it is read.
    found = {digits for text in _texts(document) for digits in _DENOMINATOR.findall(text)}
    for denominator in (digits for digits in found if len(digits) <= MAX_DIGITS):
        common = lcm(common, int(denominator))
        if common >= _BOUND:
            raise InputError(
                f"the common denominator of the rationals in the witness has more than {MAX_COMMON_DIGITS:_} "
                "digits; round them to multiples of one fraction"
            )


def _texts(value: object) -> Iterator[str]:
    """All texts in a document, in no particular order."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, dict):
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)
