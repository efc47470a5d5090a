"""Rationals in and out: every number that enters or leaves the project passes here."""

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import gcd, isfinite, lcm

from consistency_lab.errors import InputError, UnsupportedError

MAX_DIGITS = 2000
"""Longest numerator, denominator or decimal that is read."""

_MAX_BITS = 4 * MAX_DIGITS  # more than so many digits need, and few enough for Python to write

_MAX_EXPONENT = 400
_FORM = re.compile(r"[+-]?\d+(/\d+)?|[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d{1,4})?", re.ASCII)


def rational(value: object, what: str = "number") -> Fraction:
    """Read an exact rational.

    Parameters
    ----------
    value
        An int, a Fraction, a Decimal, a text such as ``"3/10"`` or ``"0.3"``, or a float. A float is
        read as the decimal that prints it, so ``0.1`` is one tenth.
    what
        What the number is, for the error message.

    Raises
    ------
    InputError
        If the value is not a finite number, is longer than `MAX_DIGITS`, or is of another type.

    Examples
    --------
    >>> rational("3/10") == rational(0.3)
    True
    """
    if isinstance(value, bool) or value is None:
        raise InputError(f"{what} is {value!r}; it must be a number such as 3 or '3/10'")
    if isinstance(value, Fraction | int):
        return Fraction(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise InputError(f"{what} is {value}; it must be a finite number")
        value = float.__repr__(value)  # that of a NumPy float says that it is one
    if isinstance(value, Decimal):
        value = str(value)
    if not isinstance(value, str):
        item = getattr(value, "item", None)  # of a NumPy scalar
        plain = item() if callable(item) and getattr(value, "shape", None) == () else value
        if type(plain) is not type(value):
            return rational(plain, what)
        raise InputError(f"{what} is a {type(value).__name__}; it must be a number such as 3 or '3/10'")
    return _read(value.strip(), what)


def _read(text: str, what: str) -> Fraction:
    if len(text) > MAX_DIGITS:
        raise InputError(f"{what} has {len(text)} characters; at most {MAX_DIGITS} are read")
    if not _FORM.fullmatch(text):
        raise InputError(f"{what} is {text[:40]!r}; it must be a finite number such as 3, 0.3 or '3/10'")
    numerator, slash, denominator = text.partition("/")
    if slash:
        if int(denominator) == 0:
            raise InputError(f"{what} is {text[:40]!r}; the denominator must not be zero")
        return Fraction(int(numerator), int(denominator))
    try:
        decimal = Decimal(text)
    except InvalidOperation:
        raise InputError(f"{what} is {text[:40]!r}; it must be a finite number") from None
    if decimal and abs(decimal.adjusted()) > _MAX_EXPONENT:
        raise InputError(f"{what} is {text[:40]!r}; its exponent must be at most {_MAX_EXPONENT}")
    return Fraction(decimal)


def is_writable(value: Fraction) -> bool:
    """Whether the text of a rational is no longer than `MAX_DIGITS`, so that it can be read again.

    Examples
    --------
    >>> is_writable(Fraction(1, 3)), is_writable(Fraction(1, 10**2000))
    (True, False)
    """
    bits = value.numerator.bit_length() + value.denominator.bit_length()
    return bits <= _MAX_BITS and len(str(value)) <= MAX_DIGITS


def rational_text(value: Fraction) -> str:
    """Write a rational as ``"3/10"`` or ``"3"``; `rational` reads it back exactly.

    Raises
    ------
    UnsupportedError
        If the text would be longer than what is read, see `is_writable`.
    """
    if not is_writable(value):
        raise UnsupportedError(
            f"an exact number came out that has more than {MAX_DIGITS} digits, too many to be written; "
            "round what is given to fewer digits"
        )
    return str(value)


def integer_multiple(values: Iterable[Fraction]) -> tuple[list[int], Fraction]:
    """Scale rationals to the smallest integers in the same proportions.

    Returns
    -------
    integers
        ``value * scale`` for each value, with greatest common divisor 1 (all zero if all are zero).
    scale
        The positive factor.

    Examples
    --------
    >>> integer_multiple([Fraction(1, 2), Fraction(3, 4)])
    ([2, 3], Fraction(4, 1))
    """
    numbers = list(values)
    common = lcm(*(value.denominator for value in numbers)) if numbers else 1
    integers = [value.numerator * (common // value.denominator) for value in numbers]
    divisor = gcd(*integers) or 1
    return [value // divisor for value in integers], Fraction(common, divisor)


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The rational of least denominator in the closed interval [low, high] (Stern-Brocot).

    Raises
    ------
    InputError
        If low > high.

    Examples
    --------
    >>> simplest_between(Fraction(314, 100), Fraction(315, 100))
    Fraction(22, 7)
    """
    if low > high:
        raise InputError(f"the interval [{low}, {high}] is empty")
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_between(-high, -low)
    floor = low.numerator // low.denominator
    if floor == low:
        return Fraction(floor)
    if floor + 1 <= high:
        return Fraction(floor + 1)
    return floor + 1 / simplest_between(1 / (high - floor), 1 / (low - floor))
