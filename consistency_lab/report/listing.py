"""A table of what there is to ask about."""

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Listing:
    """One table.

    Parameters
    ----------
    name, title
        What a user types for it, and its heading.
    columns
        Names of the columns.
    rows
        Texts, one a column.
    shown
        How many columns a person sees; JSON has all. All if None.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    shown: int | None = None

    def records(self) -> list[dict[str, str]]:
        """The rows as JSON objects."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]
