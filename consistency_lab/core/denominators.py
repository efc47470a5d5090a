"""How long exact numbers may become: bounded by the denominators of a document, before any arithmetic."""

import re
from collections.abc import Iterator
from math import lcm
from typing import Final

from consistency_lab.errors import InputError
from consistency_lab.exact import MAX_DIGITS

MAX_COMMON_DIGITS: Final = 10_000
"""Longest common denominator of all rationals in a document."""

_DENOMINATOR: Final = re.compile(r"[0-9]/([0-9]+)")
_BOUND: Final = 10**MAX_COMMON_DIGITS


def check_denominators(document: object) -> None:
    """Refuse a document whose rationals have too long a common denominator.

    Sums of rationals stay within it, so no step of the core takes long; a thousand denominators that share
    no factor would make it grow with every step.

    Raises
    ------
    InputError
        If it has more than `MAX_COMMON_DIGITS` digits.

    Examples
    --------
    >>> check_denominators({"weights": ["1/2", "log(3/7)"]})
    """
    common = 1
    # What is longer than a number may be is refused, by its name, where it is read.
    found = {digits for text in _texts(document) for digits in _DENOMINATOR.findall(text)}
    for denominator in (digits for digits in found if len(digits) <= MAX_DIGITS):
        common = lcm(common, int(denominator))
        if common >= _BOUND:
            raise InputError(
                f"the common denominator of the rationals in the witness has more than {MAX_COMMON_DIGITS:_} "
                "digits; round them to multiples of one fraction"
            )


def _texts(value: object) -> Iterator[str]:
    """All texts in a document, in no particular order."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, dict):
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)
