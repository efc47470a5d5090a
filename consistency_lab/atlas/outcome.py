"""What becomes of a cell."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from consistency_lab.atlas.cell import Cell


@final
@dataclass(frozen=True, slots=True)
class Made:
    """A cell and its document."""

    cell: Cell
    document: Mapping[str, object]


@final
@dataclass(frozen=True, slots=True)
class Failed:
    """A cell that has no document, and why, in words."""

    cell: Cell
    reason: str


Outcome = Made | Failed
"""One of the two."""


def outcome(cell: Cell, document: Mapping[str, object] | None, why: str) -> Outcome:
    """What a worker says of a cell: its document, or why there is none."""
    return Failed(cell, why) if document is None else Made(cell, document)
