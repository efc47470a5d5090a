"""The door of the public interface: arguments are checked, and made plain, by their annotations.

A NumPy scalar becomes the Python number that it is, and what does not fit its annotation is refused in one
sentence. An annotation that no look at the value can tell (`object`, arrays) leaves it to the function.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache, wraps
from inspect import Parameter, signature
from math import isnan
from numbers import Real
from os import PathLike
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact import rational

_Given = TypeVar("_Given", bound=Callable[..., Any])
_Plain = Callable[[Any], Any]

_SHOWN: Final = 60
"""So many characters of a value are shown."""


class _Unfit(Exception):
    """A value, or the entry of it that is named by the place, is not of the kind."""

    def __init__(self, value: object, words: str, place: str = "") -> None:
        self.value, self.words, self.place = value, words, place


@frozen
class Where:
    """What else holds of an argument, beside its type in `Annotated`: in words, and as a test."""

    words: str
    holds: Callable[[Any], bool] = lambda value: True


def between(low: int, high: int) -> Where:
    """A whole number in these bounds: where one is a size, it is so small that the work ends."""
    return Where(f"a whole number from {low:,} to {high:,}", lambda n: low <= n <= high)


SEED: Final = between(0, 2**63 - 1)
"""What NumPy draws from."""


@frozen
class _Kind:
    """What an annotation accepts, in words, and how a value of it is made plain."""

    words: str
    plain: _Plain


def checked(given: _Given) -> _Given:
    """Let a function, or the constructor of a class, see only arguments that fit their annotations."""
    if isinstance(given, type):
        given.__init__ = checked(given.__init__)  # type: ignore[misc]
        return given
    named = signature(given).parameters
    names = tuple(named)

    @cache
    def kinds() -> Mapping[str, _Kind | None]:
        return {name: _kind(one.annotation) for name, one in named.items()}

    @wraps(given)
    def door(*args: Any, **more: Any) -> Any:
        of = kinds()
        plain = [_plain(value, name, of[name]) for name, value in zip(names, args, strict=False)]
        rest = {name: _plain(value, name, of.get(name)) for name, value in more.items()}
        return given(*plain, *args[len(names) :], **rest)

    return door  # type: ignore[return-value]


def _plain(value: Any, name: str, kind: _Kind | None) -> Any:
    if kind is None:
        return value
    try:
        return kind.plain(value)
    except _Unfit as found:
        raise InputError(f"{name}{found.place} is {shown(found.value)}; pass {found.words}") from None


def fitting(value: Any, name: str, wanted: Any) -> Any:
    """A value made plain, if it fits the annotation."""
    return _plain(value, name, _kind(wanted))


def shown(value: object) -> str:
    """A value as a message names it: what is not short, by its type."""
    value = _scalar(value)
    if isinstance(value, int) and value.bit_length() > _SHOWN:
        return f"an int of {value.bit_length()} bits"
    if value is None or isinstance(value, str | int | float):
        text = repr(value)
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    if isinstance(value, list | tuple):
        return f"{_a(type(value).__name__)} of {len(value)}"
    return f"the class {value.__name__} itself" if isinstance(value, type) else _a(type(value).__name__)


def _a(noun: str) -> str:
    return f"{'an' if noun[:1] in 'AEIOUaeiou' else 'a'} {noun}"


def _scalar(value: Any) -> Any:
    """A NumPy scalar as Python's own."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "shape", None) == () else value


def _whole(value: Any) -> int | None:
    value = _scalar(value)
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _real(value: Any) -> float | None:
    value = _scalar(value)
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):
            return None if isnan(value) else value if isinstance(value, int) else float(value)
    return None


def _rational(value: Any) -> Fraction | None:
    with suppress(InputError):
        return rational(value)
    return None


def _truth(value: Any) -> bool | None:
    value = _scalar(value)
    return value if isinstance(value, bool) else None


def _must(words: str, plain: _Plain) -> _Kind:
    """A kind whose values `plain` turns into something other than None."""

    def door(value: Any) -> Any:
        found = plain(value)
        if found is None:
            raise _Unfit(value, words)
        return found

    return _Kind(words, door)


def _nothing(value: Any) -> None:
    if value is not None:
        raise _Unfit(value, "None")


_SCALARS: Final[Mapping[Any, _Kind]] = {
    int: _must("a whole number", _whole),
    float: _must("a number", _real),
    Fraction: _must("a number such as 3 or '3/10'", _rational),
    bool: _must("True or False", _truth),
    str: _must("a text", lambda value: str(value) if isinstance(value, str) else None),
    NoneType: _Kind("None", _nothing),
}


@cache
def _kind(wanted: Any) -> _Kind | None:
    """The kind of an annotation; None if there is nothing to check."""
    base, inner = get_origin(wanted) or wanted, get_args(wanted)
    if base is Annotated:
        return _where(_kind(inner[0]), inner[1])
    if base is Literal:
        return _must(
            " or ".join(map(repr, inner)), lambda v: v if isinstance(v, str) and v in inner else None
        )
    if base in (Union, UnionType):
        kinds = [kind for kind in map(_kind, inner) if kind is not None]
        return _any_of(kinds) if len(kinds) == len(inner) else None
    if base is None or base in _SCALARS:
        return _SCALARS[base or NoneType]
    if (
        not isinstance(base, type)
        or base in (object, Any, Parameter.empty)
        or getattr(base, "_is_protocol", False)
    ):
        return None
    if base is tuple and inner and inner[-1] is not Ellipsis:
        return _many(tuple, [_kind(each) for each in inner])
    plural = base.__module__ in ("builtins", "collections.abc") and not issubclass(base, Mapping)
    if plural and issubclass(base, Iterable):
        return _many(base, _kind(inner[0]) if inner else None)
    if issubclass(base, Mapping):
        return _mapping(*map(_kind, inner))
    words = {Callable: "a function", PathLike: "a path"}.get(base, _a(base.__name__))
    return _must(words, lambda value: value if isinstance(value, base) else None)


def _where(kind: _Kind | None, where: Where) -> _Kind:
    assert kind is not None  # `Where` annotates a kind

    def plain(value: Any) -> Any:
        try:
            found = kind.plain(value)
        except _Unfit:
            raise _Unfit(value, where.words) from None
        if not where.holds(found):
            raise _Unfit(value, where.words)
        return found

    return _Kind(where.words, plain)


def _any_of(kinds: Sequence[_Kind]) -> _Kind:
    *most, last = [kind.words for kind in kinds]
    words = f"{', '.join(most)} or {last}"

    def plain(value: Any) -> Any:
        inside = []
        for kind in kinds:
            try:
                return kind.plain(value)
            except _Unfit as found:
                inside += [found] if found.place else []
        raise inside[0] if len(inside) == 1 else _Unfit(value, words)

    return _Kind(words, plain)


def _many(base: type, inner: _Kind | list[_Kind | None] | None) -> _Kind:
    """A sequence, or what can be gone through; a tuple of as many as there are kinds, if it is a list."""
    words = f"{len(inner)} values" if isinstance(inner, list) else "a sequence"
    words += f", each {inner.words}" if isinstance(inner, _Kind) else ""

    def plain(value: Any) -> Any:
        names = isinstance(value, str | bytes | Mapping) or hasattr(value, "columns")  # of a data frame
        if names or not isinstance(value, Iterable):
            raise _Unfit(value, words)
        if inner is None and not issubclass(base, Sequence):
            return value
        try:
            entries = tuple(value)
        except TypeError:  # an array without dimensions
            raise _Unfit(value, words) from None
        if isinstance(inner, list) and len(inner) != len(entries):
            raise _Unfit(value, words)
        kinds = inner if isinstance(inner, list) else [inner] * len(entries)
        return tuple(
            _entry(entry, kind, place) for place, (entry, kind) in enumerate(zip(entries, kinds, strict=True))
        )

    return _Kind(words, plain)


def _mapping(key: _Kind | None = None, of: _Kind | None = None) -> _Kind:
    def plain(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise _Unfit(value, "a mapping")
        if key is None and of is None:
            return value
        return {_entry(k, key, "'s key"): _entry(v, of, shown(k)) for k, v in value.items()}

    return _Kind("a mapping", plain)


def _entry(entry: Any, kind: _Kind | None, place: object) -> Any:
    if kind is None:
        return entry
    try:
        return kind.plain(entry)
    except _Unfit as found:
        raise _Unfit(found.value, found.words, f"[{place}]{found.place}") from None
