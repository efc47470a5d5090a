"""Small readers of what a user typed."""

import csv
import math
import re
from typing import Final, TypeVar

from consistency_lab.errors import InputError

_RANGE: Final = re.compile(r"(\d{1,3})\.\.(\d{1,3})", re.ASCII)
MOST_JOBS: Final = 64
_NUMBER: Final = re.compile(r"\d{1,3}", re.ASCII)
_WORD: Final = re.compile(r"[a-z]+", re.ASCII)

Word = TypeVar("Word", bound=str)


def one_of(option: str, given: str, known: tuple[Word, ...]) -> Word:
    """One of several words.

    Examples
    --------
    >>> one_of("--ties", "half", ("half", "drop", "both"))
    'half'
    """
    for one in known:
        if given == one:
            return one
    raise InputError(f"{option} is {given[:40]!r}; it must be one of {', '.join(known)}")


def item_numbers(text: str, most: int) -> tuple[int, ...]:
    """Read "2,3,4" or "3..5", or both with commas between, as increasing numbers of items.

    Examples
    --------
    >>> item_numbers("2, 4..6", 6)
    (2, 4, 5, 6)
    """
    found: set[int] = set()
    for part in (part.strip() for part in text.split(",")):
        match = _RANGE.fullmatch(part)
        if match:
            low, high = int(match[1]), int(match[2])
        elif _NUMBER.fullmatch(part):
            low = high = int(part)
        else:
            raise InputError(f"--items is {text[:40]!r}; it must read like 2,3,4 or 3..5")
        if low > high:
            raise InputError(f"--items has the empty range {part}; write the smaller number first")
        if low < 2:
            raise InputError(f"--items has {low}; a ranking needs at least 2 items")
        if high > most:
            raise InputError(
                f"--items has {high}; a search lists all orders, so it takes at most {most} items "
                "(a profile may have more)"
            )
        found.update(range(low, high + 1))
    return tuple(sorted(found))


def one_number(text: str) -> int:
    """Read the one number of items (or classes) of a ranking task."""
    if not _NUMBER.fullmatch(text.strip()):
        raise InputError(f"--items is {text[:40]!r}; with --target it is one number, such as 3")
    return int(text)


def label_values(text: str) -> tuple[int, ...] | str:
    """Read grades, as in "0..2" or "0,1,3", or a word for other labels, such as "rankings".

    Examples
    --------
    >>> label_values("0..2"), label_values("0, 1, 3"), label_values("rankings")
    ((0, 1, 2), (0, 1, 3), 'rankings')
    """
    stripped = text.strip().lower()
    if _WORD.fullmatch(stripped):
        return stripped
    found: list[int] = []
    for part in (part.strip() for part in stripped.split(",")):
        match = _RANGE.fullmatch(part)
        if match is None and not _NUMBER.fullmatch(part):
            raise InputError(
                f"--labels is {text[:40]!r}; it must read like 0..2 or 0,1,3, or be rankings or dags"
            )
        low, high = (int(match[1]), int(match[2])) if match else (int(part), int(part))
        if low > high:
            raise InputError(f"--labels has the empty range {part}; write the smaller number first")
        found.extend(range(low, high + 1))
    return tuple(found)


def process_number(value: int) -> int:
    """A number of processes to work at once."""
    if not 1 <= value <= MOST_JOBS:
        raise InputError(f"--jobs is {value}; it must be a number from 1 to {MOST_JOBS}")
    return value


def budget_seconds(value: float) -> float:
    """A positive, finite number of seconds."""
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"--budget is {value}; it must be a positive number of seconds")
    return value


def clock_seconds(value: float | None) -> float | None:
    """Seconds by the clock, positive and finite, or None for no clock."""
    if value is not None and not (math.isfinite(value) and value > 0):
        raise InputError(f"--stop-after is {value}; it must be a positive number of seconds")
    return value


def chosen_items(text: str) -> tuple[str, ...]:
    """Names with commas between them; a name that has one itself stands in double quotes, as in CSV.

    Examples
    --------
    >>> chosen_items("Fay, Willhoit")
    ('Fay', 'Willhoit')
    >>> chosen_items('"Lee, Sue",Willhoit')
    ('Lee, Sue', 'Willhoit')
    """
    try:
        (names,) = csv.reader([text], strict=True, skipinitialspace=True)
    except (csv.Error, ValueError):
        raise InputError(
            f'--select is {text[:40]!r}; it must read like A,B,C, a name with a comma in quotes (") '
            "that are closed before the next comma"
        ) from None
    return tuple(name.strip() for name in names or [""])
