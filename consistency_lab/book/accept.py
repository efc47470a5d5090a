"""`python -m consistency_lab.book.accept NAME...` says that the text of these rows was read and is right.

It stores the digest of each (or of all, for "all") in book/data/refereed.json. Where a row is proved in Coq,
what is accepted is that its words say what the Coq statement says. The table of docs/theory.md follows.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from consistency_lab.book.book import REFEREED, statements, text_digest, titles
from consistency_lab.book.statement import FOLDER, Statement, stored

TABLE: Final = Path(__file__).parents[2] / "docs" / "theory.md"


def accept(names: Iterable[str]) -> None:
    """Store the digests of the texts of these rows as they are now, and write their rows in the table."""
    asked = statements(names)
    found = {**stored(REFEREED), **{one.name: text_digest(one, one.check()) for one in asked}}
    ordered = {name: found[name] for name in titles() if name in found}
    (FOLDER / REFEREED).write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    new = {f"| `{one.name}`: ": row(one) for one in asked}
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    table = [next((text for start, text in new.items() if line.startswith(start)), line) for line in lines]
    TABLE.write_text("\n".join(table) + "\n", encoding="utf-8")


def row(asked: Statement) -> str:
    """The row of a statement in the table of docs/theory.md.

    Examples
    --------
    >>> row(statements(["average-adjacency"])[0])[:61]
    '| `average-adjacency`: Structure: average adjacency | holds |'
    """
    found = asked.check()
    return f"| `{asked.name}`: {asked.title} | {found.outcome} | {found.label} | {found.scope} |"


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    accept(sys.argv[1:])
