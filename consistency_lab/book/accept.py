"""`python -m consistency_lab.book.accept NAME...` says that the text of these rows was read and is right.

It stores the digest of each (or of all, for "all") in book/data/refereed.json. Where a row is proved in Coq,
what is accepted is that its words say what the Coq statement says.
"""

import json
import sys
from collections.abc import Iterable

from consistency_lab.book.book import REFEREED, statements, text_digest, titles
from consistency_lab.book.statement import FOLDER, stored


def accept(names: Iterable[str]) -> None:
    """Store the digests of the texts of these rows as they are now."""
    new = {one.name: text_digest(one, one.check()) for one in statements(names)}
    found = {**stored(REFEREED), **new}
    ordered = {name: found[name] for name in titles() if name in found}
    (FOLDER / REFEREED).write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    accept(sys.argv[1:])
