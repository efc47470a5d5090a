"""The one form of a plain record: immutable, without a dictionary, not to be derived from; and as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, final, overload

__all__ = ["as_json", "frozen", "record"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Make a class a final, frozen dataclass with slots.

    Examples
    --------
    >>> @frozen
    ... class Point:
    ...     x: int
    >>> Point(3)
    Point(x=3)
    """
    return final(dataclass(frozen=True, slots=True)(cls))


def as_json(value: object) -> Any:
    """A value as JSON: sequences are lists, records objects, and what is written in its own way is a text.

    Examples
    --------
    >>> from fractions import Fraction
    >>> as_json({"share": Fraction(1, 3), "items": ("A", "B"), "known": None})
    {'share': '1/3', 'items': ['A', 'B'], 'known': None}
    """
    if isinstance(value, Enum):
        return as_json(value.value)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): as_json(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(inner) for inner in value]
    if is_dataclass(value) and type(value).__str__ is object.__str__:
        return {one.name: as_json(getattr(value, one.name)) for one in fields(value)}
    return str(value)


@overload
def record(value: None, shape: str, **given: object) -> None: ...


@overload
def record(value: object, shape: str, **given: object) -> dict[str, Any]: ...


def record(value: object, shape: str, **given: object) -> dict[str, Any] | None:
    """A JSON object with the attributes that a shape names, in its order; nothing is made of nothing.

    Parameters
    ----------
    value
        What has the attributes.
    shape
        Keys, with the attribute behind "=" where it is called otherwise.
    given
        What stands under some of the keys instead of an attribute.

    Examples
    --------
    >>> from fractions import Fraction
    >>> record(Fraction(2, 3), "above=numerator name below=denominator", name="two thirds")
    {'above': 2, 'name': 'two thirds', 'below': 3}
    """
    if value is None:
        return None
    pairs = (word.partition("=") for word in shape.split())
    return {
        key: as_json(given[key] if key in given else attrgetter(name or key)(value)) for key, _, name in pairs
    }
