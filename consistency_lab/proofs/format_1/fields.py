"""Readers of two fields that only files of graphs in the first format have."""

import re
from fractions import Fraction
from typing import Final

from consistency_lab.core.reading import matching, wrong
from consistency_lab.exact import rational

MAX_ALONG: Final = 64
"""Largest entry of a direction v, in absolute value."""

_POINT_SIX: Final = re.compile(r"-?[0-9]+\.[0-9]{6}")


def six_decimals(value: object, where: str) -> Fraction:
    """A decimal as a text with six digits behind the point."""
    form = "a decimal as a text with six digits behind the point, such as '0.693147'"
    return rational(matching(value, where, _POINT_SIX, form), where)


def small_integer(value: object, where: str) -> int:
    """A JSON integer that is not zero and at most `MAX_ALONG` in absolute value."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < abs(value) <= MAX_ALONG:
        raise wrong(value, where, f"an integer from -{MAX_ALONG} to {MAX_ALONG} that is not 0")
    return value
