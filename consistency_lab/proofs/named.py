"""What became of the names in a file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final


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
