"""The form of the body of a stored cell, checked once where it is read: a right digest says nothing of it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.errors import InputError
from consistency_lab.exact import rational

_Check = Callable[[object], bool]


def check_body(document: Mapping[str, Any]) -> None:
    """Refuse a cell whose conclusion, parts and witnesses are not of the kinds that `make` writes.

    What they claim is another matter: that is held against the witnesses when a cell is shown.

    Raises
    ------
    InputError
        If an entry is missing, unknown, or of another kind; the message names it.

    Examples
    --------
    >>> check_body({"conclusion": {"verdict": "maybe", "failure": None}, "parts": {}, "witnesses": {}})
    Traceback (most recent call last):
    ...
    consistency_lab.errors.InputError: its conclusion has no right 'verdict'
    """
    _check_fields("conclusion", document.get("conclusion"), _CONCLUSION)
    parts, witnesses = document.get("parts"), document.get("witnesses")
    if not isinstance(parts, Mapping) or not set(parts) <= set(_PARTS):
        raise InputError(f"its parts must be some of {', '.join(_PARTS)}")
    for name, part in parts.items():
        unsupported = isinstance(part, Mapping) and "unsupported" in part
        _check_fields(f"part {name!r}", part, _UNSUPPORTED if unsupported else _PARTS[name])
    if not isinstance(witnesses, Mapping) or not all(isinstance(one, Mapping) for one in witnesses.values()):
        raise InputError("its witnesses must be an object of witness documents")


def _check_fields(what: str, found: object, fields: Mapping[str, _Check]) -> None:
    if not isinstance(found, Mapping):
        raise InputError(f"its {what} is not an object")
    wrong = next(
        (name for name, right in fields.items() if name not in found or not right(found[name])), None
    )
    if wrong is not None:
        raise InputError(f"its {what} has no right {wrong!r}")
    unknown = next((name for name in found if name not in fields), None)
    if unknown is not None:
        raise InputError(f"its {what} has an unknown entry {unknown[:40]!r}")


def _text(value: object) -> bool:
    return isinstance(value, str)


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _number(value: object) -> bool:
    """A rational of at least 0, as a text."""
    try:
        return isinstance(value, str) and rational(value) >= 0
    except InputError:
        return False


def _one_of(*values: object) -> _Check:
    # 0 == False, but only one of them is a text.
    return lambda value: (value is None or isinstance(value, str)) and value in values


def _or_none(right: _Check) -> _Check:
    return lambda value: value is None or right(value)


def _list_of(right: _Check) -> _Check:
    return lambda value: isinstance(value, list) and all(map(right, value))


def _object(fields: Mapping[str, _Check]) -> _Check:
    return lambda value: (
        isinstance(value, Mapping)
        and value.keys() == fields.keys()
        and all(right(value[name]) for name, right in fields.items())
    )


def _share(value: object) -> bool:
    return _object(_SHARE)(value) and value["strict"] <= value["failures"] <= value["samples"]  # type: ignore[index]


def _interval(value: object) -> bool:
    return _list_of(_number)(value) and len(value) == 2  # type: ignore[arg-type]


_VERDICT: Final = _one_of("CONSISTENT", "INCONSISTENT", "UNDECIDED")
_DIGEST: Final = _or_none(_text)

_CONCLUSION: Final[Mapping[str, _Check]] = MappingProxyType(
    {"verdict": _VERDICT, "failure": _one_of(None, "tie", "strict")}
)
_UNSUPPORTED: Final[Mapping[str, _Check]] = MappingProxyType({"unsupported": _text, "budget_used_up": _flag})
_LEVEL: Final[Mapping[str, _Check]] = MappingProxyType(
    dict.fromkeys(
        ("total", "aggregates", "screened", "certified_right", "ties", "wrong", "escapes", "open"), _count
    )
)
_SHARE: Final[Mapping[str, _Check]] = MappingProxyType(
    {"margin": _number, "samples": _count, "failures": _count, "strict": _count, "interval": _interval}
)
_PARTS: Final[Mapping[str, Mapping[str, _Check]]] = MappingProxyType(
    {
        "verdict": MappingProxyType(
            {
                "verdict": _VERDICT,
                "scope": _text,
                "reason": _text,
                "citation": _text,
                "witness": _DIGEST,
                "budget_used_up": _flag,
            }
        ),
        "smallest": MappingProxyType(
            {
                "total": _or_none(_count),
                "proved": _flag,
                "witness": _DIGEST,
                "strict_total": _or_none(_count),
                "strict_proved": _flag,
                "strict_witness": _DIGEST,
                "levels": _list_of(_object(_LEVEL)),
                "note": _text,
                "budget_used_up": _flag,
            }
        ),
        "rate": MappingProxyType(
            {
                "overall": _share,
                "by_margin": _list_of(_share),
                "witnesses": _list_of(_text),
                "method": _text,
                "proved_zero": _or_none(_text),
                "note": _text,
                "budget_used_up": _flag,
            }
        ),
        "worst": MappingProxyType(
            {
                "lower": _number,
                "upper": _or_none(_number),
                "witness": _DIGEST,
                "attained": _text,
                "strict": _or_none(_number),
                "closed_form": _or_none(_object({"text": _text, "value": _number, "proved": _flag})),
                "boxes": _count,
                "finished": _flag,
                "note": _text,
                "budget_used_up": _flag,
            }
        ),
    }
)
"""The entries of each part, as `MAKERS` makes them."""
