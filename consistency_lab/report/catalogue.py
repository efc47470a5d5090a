"""What `list` shows: the tables of the project, with citations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.surrogates import FORMS, surrogate, surrogate_names
from consistency_lab.phi import NAMED
from consistency_lab.report.formula import formula
from consistency_lab.report.text import plain

if TYPE_CHECKING:
    from rich.table import Table


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
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def records(self) -> list[dict[str, str]]:
        """The rows as JSON objects."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def _surrogates() -> Listing:
    rows = []
    for name in surrogate_names():
        known = formula(surrogate(name))
        rows.append(
            (name, known.formula, ", ".join(f"{k} = {v}" for k, v in known.parameters), known.citation)
        )
    return Listing("surrogates", "Surrogates", ("name", "formula", "with", "citation"), tuple(rows))


def _targets() -> Listing:
    row = (
        "pairwise-disagreement",
        "sum over i<j of a_ij 1(alpha_i <= alpha_j) + sum over i>j of a_ij 1(alpha_i < alpha_j)",
        "higher index first",
        "DMJ10 Eq. 7, 8",
    )
    return Listing("targets", "Target losses", ("name", "formula", "ties", "citation"), (row,))


def _conditions() -> Listing:
    rows = tuple((c.name, c.title, c.statement, c.citation) for c in CONDITIONS.values())
    return Listing(
        "conditions",
        "Noise conditions on d_ij = a_ij - a_ji, each inside the next",
        ("name", "title", "statement", "citation"),
        rows,
    )


def _phi() -> Listing:
    rows = tuple((f.name, f.text, f.title, ", ".join(f.aliases), f.citation) for f in NAMED.values())
    return Listing(
        "phi", "Scalar losses phi(x)", ("name", "phi(x)", "title", "also called", "citation"), rows
    )


def _forms() -> Listing:
    rows = tuple((f.name, f.formula, f"{f.prefix}NAME", f.citation) for f in FORMS.values())
    return Listing(
        "forms", "Forms: what is made of a scalar loss", ("name", "formula", "called", "citation"), rows
    )


def _theorems() -> Listing:
    from consistency_lab.theorems.book import statements

    rows = tuple((s.name, s.title, s.plain, s.citation) for s in statements())
    return Listing(
        "theorems",
        "Statements of the theorem book, which reproduce checks",
        ("name", "title", "statement", "citation"),
        rows,
    )


LISTINGS: Final[Mapping[str, Callable[[], Listing]]] = MappingProxyType(
    {
        "surrogates": _surrogates,
        "targets": _targets,
        "conditions": _conditions,
        "phi": _phi,
        "forms": _forms,
        "theorems": _theorems,
    }
)
"""By the name that a user types."""


def chosen_listings(name: str | None) -> list[Listing]:
    """One table, or all.

    Raises
    ------
    InputError
        If there is none of this name; the message suggests the nearest.
    """
    if name is None:
        return [build() for build in LISTINGS.values()]
    if name not in LISTINGS:
        near = get_close_matches(name, LISTINGS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the lists are {', '.join(LISTINGS)}"
        raise InputError(f"there is no list of {name!r}; {hint}")
    return [LISTINGS[name]()]


def listing_table(listing: Listing) -> "Table":
    """As a Rich table."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(listing.columns):
        table.add_column(column, no_wrap=number == 0, overflow="fold")
    for row in listing.rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    return table
