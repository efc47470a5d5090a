"""How answers become JSON: one table for each kind of record, from which its JSON Schema is derived too."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property
from inspect import signature
from sys import modules
from types import MappingProxyType, NoneType, SimpleNamespace, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    Union,
    final,
    get_args,
    get_origin,
    get_type_hints,
)

Share = Annotated[float, {"minimum": 0, "maximum": 1}]
"""A share, as a schema knows it."""

Schema = dict[str, Any]

_PLAIN: Final[Mapping[object, Schema]] = {
    NoneType: {"type": "null"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    Fraction: {"type": "string", "pattern": "^-?[0-9]+(/[0-9]+)?$"},
}


def as_json(value: object) -> Any:
    """A value as JSON: sequences are lists, records objects, and what is written in its own way is a text."""
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


def schema(hint: Any) -> Schema:
    """The JSON Schema of `as_json` for a type; its annotations add keywords or name records."""
    origin, inner = get_origin(hint), get_args(hint)
    if isinstance(hint, Record):
        return hint.schema
    if hint is Any or hint is object:
        return {}
    if origin is Annotated:
        records = [one for one in inner[1:] if one is None or isinstance(one, Record)]
        if records:
            return _any_of([schema(one or NoneType) for one in records])
        return schema(inner[0]) | {key: value for one in inner[1:] for key, value in one.items()}
    if origin is ClassVar:
        return schema(inner[0])
    if origin in (Union, UnionType):
        return _any_of([schema(one) for one in inner])
    if origin is Literal:
        return {"enum": list(inner)}
    kind = origin or hint
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if issubclass(kind, Enum):
        return {"enum": [one.value for one in kind]}
    if issubclass(kind, Mapping):
        return {"type": "object", **({"additionalProperties": schema(inner[1])} if inner else {})}
    if issubclass(kind, Sequence) and kind is not str:
        items = {"items": _any_of([schema(one) for one in inner if one is not ...])} if inner else {}
        return {"type": "array", **items}
    if is_dataclass(kind) and kind.__str__ is object.__str__:
        return _object({key: schema(one) for key, one in get_type_hints(kind, include_extras=True).items()})
    return {"type": "string"}


def _any_of(schemas: Sequence[Schema]) -> Schema:
    different = [one for number, one in enumerate(schemas) if one not in schemas[:number]]
    return different[0] if len(different) == 1 else {"anyOf": different}


def _object(properties: Mapping[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


Make = Callable[..., object]
"""Takes an attribute, then as many of the record's other arguments as it has parameters."""


@final
class Record:
    """How objects of a class become JSON objects, and the schema of these."""

    def __init__(
        self,
        kind: type,
        keys: str,
        *,
        format: str = "",
        may: Mapping[str, object] = MappingProxyType({}),
        about: Mapping[str, str] = MappingProxyType({}),
        **made: Any,
    ) -> None:
        pairs = (word.partition("=") for word in keys.split())
        self.kind, self.format, self.may, self.about = kind, format, may, about
        self.keys = {key: attribute or key for key, _, attribute in pairs}
        self.made: Mapping[str, Record | Make | tuple[object, Record | Make]] = made
        if unknown := [key for key in (*made, *self.about) if key not in self.keys]:
            raise TypeError(f"{kind.__name__}: {unknown} are not among the keys")

    def __call__(self, value: object, *given: object) -> Any:
        """The object, or a list or a mapping of objects, as JSON; nothing is made of nothing."""
        if value is None:
            return None
        if not isinstance(value, self.kind):
            if isinstance(value, Mapping):
                return {str(key): self(one, *given) for key, one in value.items()}
            if isinstance(value, tuple | list):
                return [self(one, *given) for one in value]
        head = {"format": self.format} if self.format else {}
        return head | {key: self._entry(key, value, given) for key in self.keys}

    def _entry(self, key: str, value: object, given: tuple[object, ...]) -> Any:
        how, entry = self.made.get(key), value
        for name in filter(None, self.keys[key].split(".")):
            entry = None if entry is None else getattr(entry, name)
        make = how[1] if isinstance(how, tuple) else how
        if isinstance(make, Record):
            return make(entry, *given)
        if make is None:
            return as_json(entry)
        return as_json(make(entry, *given[: _room(make) - 1]))

    @cached_property
    def schema(self) -> Schema:
        """The JSON Schema."""
        head = {"format": {"const": self.format}} if self.format else {}
        schemas = {key: self._schema_of(key) for key in self.keys}
        told = {key: {"description": text} | schemas[key] for key, text in self.about.items()}
        known = _object(head | schemas | told)
        known["properties"] |= {key: schema(hint) for key, hint in self.may.items()}
        return known

    def _schema_of(self, key: str) -> Schema:
        how = self.made.get(key)
        if isinstance(how, tuple):
            return schema(how[0])
        if how is not None and not isinstance(how, Record):
            return schema(_hint(how, "return"))
        hint: Any = self.kind
        for name in filter(None, self.keys[key].split(".")):
            hint = _attribute(hint, name)
        return schema(hint) if how is None else _around(hint, how)


@cache
def _room(make: Make) -> int:
    """How many parameters a function has; a class takes the attribute alone."""
    return 1 if isinstance(make, type) else len(signature(make).parameters)


def _attribute(kind: Any, name: str) -> Any:
    """The type of an attribute; or None as well, if the object may be None."""
    if get_origin(kind) in (Union, UnionType):
        (kind,) = (one for one in get_args(kind) if one is not NoneType)
        return _attribute(kind, name) | None
    attribute = getattr(kind, name, None)
    getter = attribute.fget if isinstance(attribute, property) else getattr(attribute, "func", None)
    if getter is not None:
        return get_type_hints(getter, include_extras=True)["return"]
    owner = next((one for one in kind.__mro__ if name in vars(one).get("__annotations__", {})), None)
    if owner is None:
        raise TypeError(f"the type of {kind.__name__}.{name} is not known; say it in the record")
    return _hint(owner, name)


def _hint(of: Any, name: str) -> Any:
    """One annotation alone: others may name what is imported for type checkers only."""
    alone = SimpleNamespace(__annotations__={name: of.__annotations__[name]})
    return get_type_hints(alone, vars(modules[of.__module__]), include_extras=True)[name]


def _around(hint: Any, record: Record) -> Schema:
    """The schema of an attribute whose innermost entries are of a record."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _any_of([schema(one) if one is NoneType else _around(one, record) for one in inner])
    if not inner or issubclass(record.kind, origin):
        return record.schema
    if issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _around(inner[1], record)}
    return {"type": "array", "items": _around(inner[0], record)}
