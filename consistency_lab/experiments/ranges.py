"""Whether the numbers of a plan are in range."""

from collections.abc import Iterable
from math import inf

from consistency_lab.errors import InputError


def check_ranges(plan: object, above: Iterable[str], least: Iterable[str]) -> None:
    """Refuse a plan of which a number is out of range.

    Parameters
    ----------
    plan
        Has the numbers, or tuples of them, as attributes.
    above
        Names of those that must be above 0, and finite.
    least
        Names of those that may be 0 too.

    Raises
    ------
    InputError
        If one is out of range.
    """
    for name in above:
        value = getattr(plan, name)
        for one in value if isinstance(value, tuple) else (value,):
            if not 0 < one < inf:
                raise InputError(f"{name} is {one}; it must be above 0, and finite")
    for name in least:
        if getattr(plan, name) < 0:
            raise InputError(f"{name} is {getattr(plan, name)}; it must be at least 0")
