"""What became of the names in a file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from consistency_lab.core.fields import boolean, name
from consistency_lab.errors import InputError


@final
@dataclass(frozen=True, slots=True)
class Named:
    """Names that were recomputed, and names that are not known.

    Parameters
    ----------
    recomputed
        Names that were worked out again and agree.
    unknown
        Names that this version does not know.
    surrogate
        What the file calls its surrogate, None if nothing.
    conditions
        The noise conditions that this version knows: whether each holds, if preferences are listed; for a
        task those that the file speaks of.
    """

    recomputed: tuple[str, ...]
    unknown: tuple[str, ...]
    surrogate: str | None
    conditions: Mapping[str, bool]


def claimed_conditions(value: object) -> dict[str, bool]:
    """The ``conditions`` entry (InputError)."""
    if not isinstance(value, dict):
        raise InputError("named.conditions must be an object with true or false for each condition")
    return {
        name(key, "a key of named.conditions"): boolean(holds, f"named.conditions.{key[:40]}")
        for key, holds in value.items()
    }
