"""Readers of single entries of a proof: each takes a JSON value and where it stands."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any, Final, TypeVar

from consistency_lab.errors import InputError, RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.balls import ORIGIN, Real, ball, is_known, rational
from consistency_lab.numbers.exact import MAX_DIGITS, LogRational, enclose
from consistency_lab.numbers.exact import rational as read_rational
from consistency_lab.numbers.expression import Expression, parse
from consistency_lab.numbers.values import value_at

# Readers refuse what is not of the format; whether it is *true* is decided elsewhere.

T = TypeVar("T")
Reader = Callable[[object, str], T]

_INTEGER: Final = re.compile(r"-?[0-9]+")
_RATIONAL: Final = re.compile(r"-?[0-9]+(/[0-9]+)?")
_LOG_RATIONAL: Final = re.compile(r"-?[0-9]+(/[0-9]+)?|(-?[0-9]+(/[0-9]+)?\+)?log\([0-9]+(/[0-9]+)?\)")
_DECIMAL: Final = re.compile(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")

_FEW: Final = 8
_EXPONENT: Final = 4096
_SMALLEST: Final = Fraction(1, 2**_EXPONENT)
"""Numbers that are enclosed stay above this in size."""


def record(
    value: object, where: str, keys: Collection[str], optional: Collection[str] = ()
) -> dict[str, object]:
    """An object with exactly these keys (and perhaps the optional ones)."""
    if not isinstance(value, dict):
        raise wrong(value, where, "an object")
    for key in value:
        if key not in keys and key not in optional:
            known = ", ".join([*keys, *optional])
            raise InputError(f"{where} has the unknown key {_short(key)}; its keys are {known}")
    for key in keys:
        if key not in value:
            raise InputError(f"{where} lacks the key {key!r}")
    return value


def text(value: object, where: str) -> str:
    """Any text."""
    if not isinstance(value, str):
        raise wrong(value, where, "a text")
    return value


def name(value: object, where: str) -> str:
    """A text that is not blank, without line ends and control codes, since it is printed in sentences."""
    found = text(value, where)
    if not found.strip() or not found.isprintable():
        raise InputError(f"{where} is {_short(value)}; a name is a printable text that is not blank")
    return found


def one_of(value: object, where: str, choices: Collection[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{where} is {_short(value)}; it must be {' or '.join(map(repr, choices))}")
    return value


def boolean(value: object, where: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise wrong(value, where, "true or false")
    return value


def array(value: object, where: str, reader: Reader[T]) -> tuple[T, ...]:
    """A list, every entry read by `reader`."""
    if not isinstance(value, list):
        raise wrong(value, where, "a list")
    return tuple([reader(entry, f"{where}[{number}]") for number, entry in enumerate(value)])


def entries(
    value: object,
    where: str,
    readers: Mapping[str, Reader[Any]],
    optional: Mapping[str, Reader[Any]] | None = None,
) -> dict[str, Any]:
    """What the keys of an object hold, in this order; None for an optional one that is absent or null."""
    more = optional or {}
    found = record(value, where, readers, more)
    read = {key: reader(found[key], f"{where}.{key}") for key, reader in readers.items()}
    return read | {key: maybe(reader)(found.get(key), f"{where}.{key}") for key, reader in more.items()}


def many(reader: Reader[T]) -> Reader[tuple[T, ...]]:
    """Read a list."""
    return lambda value, where: array(value, where, reader)


def maybe(reader: Reader[T]) -> Reader[T | None]:
    """Read null as None."""
    return lambda value, where: None if value is None else reader(value, where)


def word(*choices: str) -> Reader[str]:
    """Read one of a few words."""
    return lambda value, where: one_of(value, where, choices)


def just(known: T) -> Reader[T]:
    """Look at nothing."""
    return lambda value, where: known


def row(value: object, where: str, length: int) -> list[object]:
    """A list of a given length."""
    if not isinstance(value, list) or len(value) != length:
        raise wrong(value, where, f"a list of {length}")
    return value


def fraction(value: object, where: str) -> Fraction:
    """A text such as "3/10" or "-2"."""
    known = _whole(value) if isinstance(value, str) and len(value) < _FEW else None
    if known is not None:
        return known
    return _quotient(matching(value, where, _RATIONAL, "a rational as a text, such as '3/10'"), where)


@lru_cache(maxsize=1 << 12)
def _whole(written: str) -> Fraction | None:
    """A whole number of few digits, such as a file repeats; None if the text is none."""
    return Fraction(int(written)) if _INTEGER.fullmatch(written) else None


def log_rational(value: object, where: str) -> LogRational:
    """A text such as "3/10", "log(3/2)" or "1/2+log(3)"."""
    form = "a number as a text, such as '3/10', 'log(3/2)' or '1/2+log(3)'"
    rest, log, argument = matching(value, where, _LOG_RATIONAL, form).rstrip(")").partition("log(")
    q = _quotient(argument, where) if log else Fraction(1)
    if not q.numerator:
        raise InputError(f"{where} is {_short(value)}; the argument of a logarithm must be positive")
    return LogRational(_quotient(rest.rstrip("+") or "0", where), q)


def decimal(value: object, where: str) -> Fraction:
    """A nonnegative decimal as a text, such as "0.0123"."""
    return read_rational(matching(value, where, _DECIMAL, "a decimal as a text, such as '0.0123'"), where)


def decimal_or_fraction(value: object, where: str) -> Fraction:
    """A number such as "3/10" or "0.0123"."""
    return fraction(value, where) if isinstance(value, str) and "/" in value else decimal(value, where)


def real(value: object, where: str) -> Real:
    """A number as an expression without a variable, such as "3/10" or "1-1/log2(3)": exact or enclosed."""
    if isinstance(value, str) and not any(sign in value for sign in "(*+"):
        return LogRational(fraction(value, where))
    written = expression(value, where, variable="")
    exact = value_at(written, ORIGIN)
    found: Real = exact if rational(exact) is not None else ball(exact)  # no sums of many logarithms
    if not is_known(found):
        raise RejectedError(f"{where} {written} has no certain value at 0")
    if ball(found) != 0 and not (enclose(_SMALLEST) < abs(ball(found)) < enclose(1 / _SMALLEST)):
        raise InputError(
            f"{where} is not certainly between 2^-{_EXPONENT} and 2^{_EXPONENT} in size, or exactly 0"
        )
    return found


def interval(value: object, where: str) -> tuple[Fraction, Fraction]:
    """Two rationals."""
    low, high = array(row(value, where, 2), where, fraction)
    return low, high


def count(value: object, where: str) -> int:
    """A positive integer as a text."""
    exact = fraction(value, where)
    if exact.denominator > 1 or exact < 1:
        raise InputError(f"{where} is {_short(value)}; it must be a positive integer as a text")
    return int(exact)


def integer(value: object, where: str, least: int, most: int) -> int:
    """A JSON integer from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise wrong(value, where, f"an integer from {least} to {most}")
    return value


def expression(value: object, where: str, variable: str = "x") -> Expression:
    """An expression in one variable."""
    source = text(value, where)
    try:
        return _parsed(source, variable)
    except InputError as error:
        raise InputError(f"{where} cannot be read: {error}") from None


@lru_cache(maxsize=512)
def _parsed(source: str, variable: str) -> Expression:
    return parse(source, variable)


def _quotient(matched: str, where: str) -> Fraction:
    """The rational that a text of the right form stands for."""
    numerator, slash, denominator = matched.partition("/")
    if len(matched) > MAX_DIGITS:
        raise InputError(f"{where} has {len(matched)} characters; at most {MAX_DIGITS} are read")
    if not slash:
        return Fraction(int(numerator))
    if not int(denominator):
        raise InputError(f"{where} is {_short(matched)}; the denominator must not be zero")
    return Fraction(int(numerator), int(denominator))


def matching(value: object, where: str, pattern: re.Pattern[str], form: str) -> str:
    """A text of one form."""
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise wrong(value, where, form)
    return value


def wrong(value: object, where: str, wanted: str) -> InputError:
    """The refusal of a value that is of another form."""
    return InputError(f"{where} is {_short(value)}; it must be {wanted}")


_KINDS: Final = {list: "a list", dict: "an object", type(None): "null", bool: "a truth value"}


def _short(value: object) -> str:
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a long integer"
    kind = _KINDS.get(type(value))
    shown = kind or (repr(value) if isinstance(value, str) else str(value))
    return shown if len(shown) <= 44 else f"{shown[:40]}..."


# --- What a file names is numbered: coordinates, and predictions -----------------------------------------


def read_names(value: object, where: str) -> "Names":
    """The names in a list, all different, by their numbers."""
    found: dict[str, int] = {}
    for entry in array(value, where, name):
        if entry in found:
            raise InputError(f"{where} names {entry[:40]!r} twice")
        found[entry] = len(found)
    return Names(found)


@frozen
class Names:
    """The readers of all that names coordinates (or predictions)."""

    number: Mapping[str, int]

    def one(self, value: object, where: str) -> int:
        """A name."""
        if not isinstance(value, str) or value not in self.number:
            known = ", ".join(self.number)[:200]
            raise InputError(f"{where} is {str(value)[:40]!r}; it must be one of the names {known}")
        return self.number[value]

    def each(self, reader: Reader[T]) -> Reader[tuple[T, ...]]:
        """A list with one entry for each name."""
        return lambda value, where: array(row(value, where, len(self.number)), where, reader)

    def order(self, value: object, where: str) -> tuple[int, ...]:
        """All the names, each once."""
        order = array(value, where, self.one)
        if sorted(order) != list(range(len(self.number))):
            raise InputError(f"{where} must name each coordinate once")
        return order

    def different(self, value: object, where: str, least: int) -> tuple[int, ...]:
        """Some of the names, each once."""
        found = array(value, where, self.one)
        if len(found) < least or len(set(found)) < len(found):
            raise InputError(f"{where} must name at least {least} coordinates, each once")
        return found

    def pair(self, value: object, where: str) -> tuple[int, int]:
        """Two of them."""
        i, j = self.different(row(value, where, 2), where, 2)
        return i, j


# --- How long exact numbers may become: bounded by the denominators of a document, before any arithmetic --

MAX_COMMON_DIGITS: Final = 10_000
"""Longest common denominator of all rationals in a document."""

_DENOMINATOR: Final = re.compile(r"[0-9]/([0-9]+)")
_BOUND: Final = 10**MAX_COMMON_DIGITS


def check_denominators(document: object) -> None:
    """Refuse a document whose rationals have too long a common denominator.

    Sums of rationals stay within it, so no step of the core takes long; a thousand denominators that share
    no factor would make it grow with every step.
    """
    common = 1
    # What is longer than a number may be is refused, by its name, where it is read.
    quotients = {text for text in _texts(document) if "/" in text}
    found = {digits for text in quotients for digits in _DENOMINATOR.findall(text)}
    for denominator in (digits for digits in found if len(digits) <= MAX_DIGITS):
        common = lcm(common, int(denominator))
        if common >= _BOUND:
            raise InputError(
                f"the common denominator of the rationals in the witness has more than {MAX_COMMON_DIGITS:_} "
                "digits; round them to multiples of one fraction"
            )


def _texts(value: object) -> Iterator[str]:
    """All texts in a document, in no particular order."""
    waiting = [[value]]
    while waiting:
        for found in waiting.pop():
            if isinstance(found, str):
                yield found
            elif isinstance(found, dict):
                waiting.append(list(found.values()))
            elif isinstance(found, list):
                waiting.append(found)
