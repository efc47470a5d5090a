"""The parameters of shipped objectives: their names, their defaults, and what a value may be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final, final

from consistency_lab.errors import InputError
from consistency_lab.exact import rational, rational_text

Value = bool | int | str | tuple[str, ...]
"""A value as JSON has it; rationals are texts."""


@final
@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a library.

    Parameters
    ----------
    default
        What the library ships.
    wanted
        What is right, in words.
    read
        The value in its one spelling, or None if it is not right.
    """

    default: Value
    wanted: str
    read: Callable[[object], Value | None]


def _truth(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 1 <= value < 2**31 else None


def _method(value: object) -> str | None:
    return value if isinstance(value, str) and value in ("topk", "mean") else None


def _number(value: object) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, int | str | Fraction):
        return None
    try:
        return rational(value)
    except InputError:
        return None


def _positive(value: object) -> str | None:
    number = _number(value)
    return rational_text(number) if number is not None and number > 0 else None


def _gains(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list | tuple):
        return None
    found = [number for number in map(_number, value) if number is not None]
    rising = found == sorted(found) and all(number >= 0 for number in found)
    return tuple(map(rational_text, found)) if rising and len(found) == len(value) != 1 else None


PARAMETERS: Final[Mapping[str, Parameter]] = MappingProxyType(
    {
        "lambdarank_pair_method": Parameter("topk", "'topk' or 'mean'", _method),
        "lambdarank_num_pair_per_sample": Parameter(32, "a positive integer", _count),
        "lambdarank_normalization": Parameter(True, "true or false", _truth),
        "lambdarank_score_normalization": Parameter(True, "true or false", _truth),
        "ndcg_exp_gain": Parameter(True, "true or false", _truth),
        "sigmoid": Parameter("1", "a positive rational", _positive),
        "temperature": Parameter("1", "a positive rational", _positive),
        "alpha": Parameter("1", "a positive rational", _positive),
        "epsilon": Parameter("1", "a positive rational", _positive),
        "lambdarank_norm": Parameter(True, "true or false", _truth),
        "lambdarank_truncation_level": Parameter(30, "a positive integer", _count),
        "label_gain": Parameter((), "empty, or two or more rationals from 0 on that do not fall", _gains),
    }
)
"""Parameters by the names that their libraries use."""


def read_parameter(name: str, value: object) -> Value:
    """The value of a parameter in its one spelling.

    Raises
    ------
    InputError
        If it is not a value of this parameter.

    Examples
    --------
    >>> read_parameter("sigmoid", "4/2")
    '2'
    """
    found = PARAMETERS[name].read(value)
    if found is None:
        raise InputError(f"{name} is {str(value)[:60]!r}; it must be {PARAMETERS[name].wanted}")
    return found
