"""Readers of options: each takes the option's name, for the error, and the text that a user typed."""

import math
import re
from collections.abc import Callable
from typing import Final

from consistency_lab.errors import InputError

_RANGE: Final = re.compile(r"(\d{1,3})(?:\.\.(\d{1,3}))?", re.ASCII)
_WORD: Final = re.compile(r"[a-z]+", re.ASCII)


def whole(low: int, high: int | None = None) -> Callable[[str, str], int]:
    """A reader of whole numbers between two ends."""

    def read(option: str, text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if value < low or (high is not None and value > high):
            right = f"at least {low}" if high is None else f"a number from {low} to {high}"
            raise InputError(f"{option} is {text[:40]}; it must be {right}")
        return value

    return read


process_number: Final = whole(1, 64)
"""Number of processes."""


def seconds(option: str, text: str) -> float:
    """A positive, finite number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"{option} is {text[:40]}; it must be a positive number of seconds")
    return value


def _ranges(option: str, text: str, right: str) -> list[int]:
    """All numbers of a list of numbers and of ranges with both ends, in its order."""
    numbers: list[int] = []
    for part in (part.strip() for part in text.split(",")):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise InputError(f"{option} is {text[:40]!r}; it must {right}")
        low, high = int(match[1]), int(match[2] or match[1])
        if low > high:
            raise InputError(f"{option} has the empty range {part}; write the smaller number first")
        numbers += range(low, high + 1)
    return numbers


def item_numbers(option: str, text: str) -> tuple[int, ...]:
    """Read "2,3,4" or "3..5", or both with commas between, as increasing numbers of items to search with."""
    from consistency_lab.search.effort import LARGEST

    numbers = sorted({*_ranges(option, text, "read like 2,3,4 or 3..5")})
    if numbers[0] < 2:
        raise InputError(f"{option} has {numbers[0]}; a ranking needs at least 2 items")
    if numbers[-1] > LARGEST:
        raise InputError(
            f"{option} has {numbers[-1]}; a search lists all orders, so it takes at most {LARGEST} items "
            "(a profile may have more)"
        )
    return tuple(numbers)


def one_number(option: str, text: str) -> int:
    """Read the one number of items (or classes) of a ranking task."""
    if not re.fullmatch(r"\d{1,3}", text.strip(), re.ASCII):
        raise InputError(f"{option} is {text[:40]!r}; with --target it is one number, such as 3")
    return int(text)


def label_values(option: str, text: str) -> tuple[int, ...] | str:
    """Read grades, as in "0..2" or "0,1,3", or a word for other labels, such as "rankings"."""
    stripped = text.strip().lower()
    if _WORD.fullmatch(stripped):
        return stripped
    return tuple(_ranges(option, stripped, "read like 0..2 or 0,1,3, or be rankings or dags"))


def whole_numbers(option: str, text: str) -> tuple[int, ...]:
    """Positive numbers with commas between them, each once."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 10 and int(part) > 0 for part in parts):
        raise InputError(f"{option} is {text[:40]!r}; it must read like 1,10,100")
    return tuple(dict.fromkeys(map(int, parts)))


def decimals(option: str, text: str) -> tuple[float, ...]:
    """The same with decimals above 0."""
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = (0.0,)
    if not all(0 < value < float("inf") for value in numbers):
        raise InputError(f"{option} is {text[:40]!r}; it must read like 0.001,0.1,1, all above 0")
    return numbers


def chosen_items(option: str, text: str) -> tuple[str, ...]:
    """Names with commas between them; a name that has one itself stands in double quotes, as in CSV."""
    import csv

    try:
        (names,) = csv.reader([text], strict=True, skipinitialspace=True)
    except (csv.Error, ValueError):
        raise InputError(
            f"{option} is {text[:40]!r}; it must read like A,B,C; put a name with a comma in double quotes"
        ) from None
    return tuple(name.strip() for name in names or [""])
