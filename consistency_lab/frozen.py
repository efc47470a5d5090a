"""The one form of a plain record: immutable, final, with slots.

A command loads more than a hundred of them, so nothing is compiled here; `dataclass` would compile six
functions for each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from inspect import Parameter, Signature
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, Final, NoReturn, TypeVar, dataclass_transform, final

__all__ = ["frozen", "frozen_base", "frozen_with_cache"]

T = TypeVar("T")
_SELF: Final = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)


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
    made: Any = dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    names = [one.name for one in fields(made)]
    made.__init__ = _init(made, [getattr(made, name).__set__ if slots else _setter(name) for name in names])
    made.__setattr__, made.__delattr__ = _set, _delete
    made.__eq__, made.__hash__ = _compared([one.name for one in fields(made) if one.compare])
    if slots:
        made.__getstate__, made.__setstate__ = _state, _set_state
    if cls.__repr__ is object.__repr__:
        made.__repr__ = _repr
    return made  # type: ignore[no-any-return]


def _setter(name: str) -> Callable[[object, object], None]:
    return lambda record, value: object.__setattr__(record, name, value)


def _init(made: Any, setters: Sequence[Callable[[object, object], None]]) -> Callable[..., None]:
    """The function that takes the fields in their order, then calls `__post_init__` if there is one."""
    every, ends, checks = fields(made), _ends(fields(made)), getattr(made, "__post_init__", None)
    needed = {one.name for one in every if one.default is one.default_factory}  # as both are missing
    signature = Signature([_SELF, *map(_parameter, every)], return_annotation=None)

    def init(self: object, *given: object, **named: object) -> None:
        if named or len(given) != len(every):
            end = None if named else ends.get(len(given))
            if end is None:
                rest = {one.name: one for one in every[len(given) :]}
                if len(given) > len(every) or not rest.keys() & needed <= named.keys() <= rest.keys():
                    signature.bind(self, *given, **named)  # says what is missing, or too much
                end = tuple([named[name] if name in named else _default(one) for name, one in rest.items()])
            given += end
        for put, value in zip(setters, given):  # noqa: B905  # strict takes as long as two fields
            put(self, value)
        if checks is not None:
            checks(self)

    init.__name__, init.__qualname__ = "__init__", f"{made.__qualname__}.__init__"
    init.__signature__ = signature  # type: ignore[attr-defined]
    return init


def _default(one: Any) -> object:
    return one.default_factory() if one.default is MISSING else one.default


def _ends(every: Sequence[Any]) -> Mapping[int, tuple[object, ...]]:
    """By how many fields are given, the defaults of the others; none where a default is made anew."""
    found: dict[int, tuple[object, ...]] = {len(every): ()}
    for place in range(len(every) - 1, -1, -1):
        if every[place].default is MISSING:
            break
        found[place] = (every[place].default, *found[place + 1])
    return found


def _parameter(one: Any) -> Parameter:
    known = (default for default in (one.default, one.default_factory) if default is not MISSING)
    return Parameter(one.name, _SELF.kind, default=next(known, Parameter.empty), annotation=one.type)


def _compared(names: Sequence[str]) -> tuple[Callable[[Any, object], Any], Callable[[Any], int]]:
    """Equality and hash, by the tuple of these fields."""
    key: Callable[[Any], Any] = lambda record: tuple(getattr(record, name) for name in names)  # noqa: E731
    key = attrgetter(*names) if len(names) > 1 else key

    def equal(self: Any, other: object) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return equal, lambda self: hash(key(self))


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({shown})"


def _set(self: Any, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in fields(self)]


def _set_state(self: Any, state: Sequence[Any]) -> None:
    for one, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)
