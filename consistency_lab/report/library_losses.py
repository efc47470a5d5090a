"""How the losses of libraries read in a table."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from consistency_lab.model.surrogates.tasks.libraries import SHIPPED, Entry, entries, library_names
from consistency_lab.report.listing import Listing

LIBRARIES_LIST: Final = "libraries"
"""What a user types for all of them."""

_LABELS: Final[Mapping[bool, str]] = MappingProxyType({True: "0 and 1", False: "grades"})
_COLUMNS: Final = (
    "objective",
    "by default",
    "plain loss",
    "note",
    "name",
    "formula",
    "labels",
    "defaults",
    "citation",
)


def plain_text(entry: Entry) -> str:
    """The loss underneath, as a formula.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.libraries import entry
    >>> plain_text(entry("rax:pointwise_mse_loss"))
    'sum_i (u_i - f_i)^2, f_i = y_i'
    """
    return "none" if entry.plain is None else entry.plain.build().formula


def defaults_text(entry: Entry) -> str:
    """The default parameters in one line."""
    return ", ".join(f"{name} = {value}" for name, value in entry.defaults.items())


def library_listings(library: str | None = None) -> list[Listing]:
    """One table a library.

    Raises
    ------
    InputError
        If there is no such library.
    """
    chosen = entries(library)
    return [
        _listing([line for line in chosen if line.library == known])
        for known in library_names()
        if any(line.library == known for line in chosen)
    ]


def _listing(lines: list[Entry]) -> Listing:
    release = lines[0].release
    rows = tuple(
        (
            line.objective,
            SHIPPED[line.shipped],
            plain_text(line),
            line.note,
            line.name,
            line.formula,
            _LABELS[line.binary],
            defaults_text(line),
            line.citation,
        )
        for line in lines
    )
    title = f"Losses of {release.text}; check them as {release.library}:OBJECTIVE"
    return Listing(release.library, title, _COLUMNS, rows, shown=4)
