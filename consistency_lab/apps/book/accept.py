"""`python -m consistency_lab.apps.book.accept NAME...`: rows or theorems of Coq were read and are right.

It stores the digest of each (or of all, for "all") in apps/book/data/refereed.json. Of a theorem in formal/
its words are accepted, as docs/formal.md shows them, for what Coq prints: its statement, its axioms, and the
definitions of formal/axioms.txt that it rests on. Where a row is proved in Coq, what is accepted is that its
words say this too.
"""

import json
import sys
from collections.abc import Collection

from consistency_lab.apps.book.book import ALL, statements, text_digest, titles
from consistency_lab.apps.book.formal import RECORD, REFEREED, coq_lines, theorem, to_accept
from consistency_lab.apps.book.statement import FOLDER, stored


def accept(names: Collection[str]) -> None:
    """Store the digests of these rows and theorems as they are now, and show the theorems that changed."""
    proved = stored(RECORD)
    accepted = stored(REFEREED)
    new = {name: to_accept(name) for name in proved if name in names or ALL in names}
    for name in (name for name, digest in new.items() if accepted.get(name) != digest):
        sys.stdout.write("\n".join([_words(proved[name]), *coq_lines(theorem(name)[0]), "", ""]))
    rows = [name for name in names if name not in proved]
    new |= {one.name: text_digest(one, one.check()) for one in (statements(rows) if rows else ())}
    found = {**accepted, **new}
    ordered = {name: found[name] for name in (*titles(), *proved) if name in found}
    (FOLDER / REFEREED).write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def _words(recorded: object) -> str:
    """What a theorem says, as docs/formal.md has it."""
    assert isinstance(recorded, dict)  # `to_accept` refuses other records
    return str(recorded["words"])


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    accept(sys.argv[1:])
