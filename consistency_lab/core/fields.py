"""Readers of single fields of a witness document: each takes a JSON value and where it stands.

They refuse what is not of the format; whether it is *true* is decided elsewhere.
"""

import re
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeVar

from consistency_lab.core.phi import Expression, parse
from consistency_lab.errors import InputError
from consistency_lab.exact import MAX_DIGITS, LogRational, rational

T = TypeVar("T")
Reader = Callable[[object, str], T]

_RATIONAL: Final = re.compile(r"-?[0-9]+(/[0-9]+)?")
_LOG_RATIONAL: Final = re.compile(r"-?[0-9]+(/[0-9]+)?|(-?[0-9]+(/[0-9]+)?\+)?log\([0-9]+(/[0-9]+)?\)")
_DECIMAL: Final = re.compile(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


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
    return _quotient(matching(value, where, _RATIONAL, "a rational as a text, such as '3/10'"), where)


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
    return rational(matching(value, where, _DECIMAL, "a decimal as a text, such as '0.0123'"), where)


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
