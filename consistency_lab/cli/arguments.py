"""Small readers of what a user typed."""

import math
import re
from typing import Final

from consistency_lab.errors import InputError

_RANGE: Final = re.compile(r"(\d{1,3})\.\.(\d{1,3})", re.ASCII)
_NUMBER: Final = re.compile(r"\d{1,3}", re.ASCII)


def item_numbers(text: str, most: int) -> tuple[int, ...]:
    """Read "2,3,4" or "3..5", or both with commas between, as increasing numbers of items.

    Raises
    ------
    InputError
        If it is anything else, or a number is below 2 or above `most`.

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


def budget_seconds(value: float) -> float:
    """A positive, finite number of seconds.

    Raises
    ------
    InputError
        If it is anything else.
    """
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"--budget is {value}; it must be a positive number of seconds")
    return value


def chosen_items(text: str) -> tuple[str, ...]:
    """Names with commas between them.

    Examples
    --------
    >>> chosen_items("Fay, Willhoit")
    ('Fay', 'Willhoit')
    """
    return tuple(name.strip() for name in text.split(","))
