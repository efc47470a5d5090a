"""The one form of a plain record: immutable, without a dictionary, not to be derived from.

A command loads nearly two hundred of them. Of the six functions that `dataclass` compiles for each, half are
the same for all, and stand here.
"""

from dataclasses import dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, final

__all__ = ["frozen", "frozen_base", "frozen_with_cache"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Make an immutable, final dataclass with slots, and a repr of its fields if it has none of its own.

    Examples
    --------
    >>> @frozen
    ... class Point:
    ...     x: int
    >>> Point(3)
    Point(x=3)
    """
    return final(_made(cls, slots=True))


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_with_cache(cls: type[T]) -> type[T]:
    """The same with a dictionary, for properties that are worked out once."""
    return final(_made(cls, slots=False))


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_base(cls: type[T]) -> type[T]:
    """The same as `frozen`, of a class that others derive from."""
    return _made(cls, slots=True)


def _made(cls: type[T], *, slots: bool) -> type[T]:
    made: Any = dataclass(frozen=True, slots=slots, eq=False, repr=False)(cls)
    compared = [one.name for one in fields(made) if one.compare]
    key = attrgetter(*compared) if compared else lambda _: ()

    def equal(self: object, other: object) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    made.__eq__, made.__hash__ = equal, lambda self: hash(key(self))
    if cls.__repr__ is object.__repr__:
        made.__repr__ = _repr
    return made  # type: ignore[no-any-return]


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({shown})"
