"""The index of a folder of witnesses: a Markdown table of what the core has accepted."""

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote

from consistency_lab.atlas.gallery import Entry, entries
from consistency_lab.errors import InputError, printed
from consistency_lab.files import read_bytes
from consistency_lab.model.conditions import CONDITIONS, implies, whole
from consistency_lab.model.designs import DESIGNS, design_implies
from consistency_lab.report.pages import filled

INDEX: Final = "README.md"

_MOST_WEIGHTS: Final = 12
_LETTERS: Final = 8


def index_text(folder: Path) -> str:
    """The content of the index.

    Raises
    ------
    InputError, RejectedError
        As `entries` does.
    """
    rows = [_row(entry) for entry in entries(folder)]
    return filled("gallery.md.j2", folder=folder.name or ".", rows=rows)


def is_current(folder: Path) -> bool:
    """Whether the index says what it would say if it were written now.

    Raises
    ------
    InputError, RejectedError
        As `entries` does.
    """
    text = index_text(folder)
    try:
        return read_bytes(folder / INDEX) == text.encode()
    except InputError:
        return False


def _row(entry: Entry) -> list[str]:
    witness, verified, a = entry.witness, entry.witness.verified, entry.witness.distribution.aggregate
    kind = {"strict": "inversion", "tie": "tie", None: "none (right order)"}[verified.failure]
    certificate = "minimum" if verified.gap is None else f"separation, gap {float(verified.gap):.3g}"
    if verified.universal:
        certificate += "; for every convex φ"
    return [
        _cell(verified.called),
        ", ".join(smallest({c for c, holds in verified.conditions.items() if holds}, CONDITIONS, implies)),
        ", ".join(smallest({d for d, row in DESIGNS.items() if row.holds(a)}, DESIGNS, design_implies)),
        str(verified.m),
        kind,
        _cell(weights_text(witness.distribution.items, a)),
        str(witness.normalized_regret),
        certificate,
        f"[{_cell(printed(entry.name.rpartition('-')[2].removesuffix('.json')[:_LETTERS]))}]({quote(entry.name)})",
    ]


def smallest(holding: set[str], table: Iterable[str], inside: Callable[[str, str], bool]) -> tuple[str, ...]:
    """Those of a table that hold, without those that follow from another."""
    follow = {name for name in holding for other in holding - {name} if inside(other, name)}
    return tuple(name for name in table if name in holding - follow)


def weights_text(names: Sequence[str], a: Sequence[Sequence[Fraction]]) -> str:
    """The aggregate in the smallest whole numbers of the same proportions.

    Examples
    --------
    >>> weights_text("AB", [[Fraction(0), Fraction(1, 2)], [Fraction(1, 4), Fraction(0)]])
    'A→B: 2, B→A: 1'
    """
    rows = zip(names, whole(a), strict=True)
    parts = [f"{i}→{j}: {x}" for i, row in rows for j, x in zip(names, row, strict=True) if x]
    return ", ".join(parts) if len(parts) <= _MOST_WEIGHTS else f"{len(parts)} pairs of {len(names)} items"


def _cell(text: str) -> str:
    """Without anything that Markdown or HTML would take for more than text."""
    return re.sub(r"[\\|*_`\[\]]", r"\\\g<0>", escape(text, quote=False))
