"""The one form of a plain record: immutable, without a dictionary, not to be derived from."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform, final

__all__ = ["frozen"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Make a class a final, frozen dataclass with slots; one that says how it reads keeps that.

    Examples
    --------
    >>> @frozen
    ... class Point:
    ...     x: int
    >>> Point(3)
    Point(x=3)
    """
    return final(dataclass(frozen=True, slots=True, repr=cls.__repr__ is object.__repr__)(cls))
