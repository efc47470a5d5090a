"""Writes apps/book/data/formal.json: each headline theorem as axioms.txt has it, and its sources.

`make -C formal accept` runs it after everything is compiled. It says which theorems have other words,
statements or definitions than somebody has read.
"""

import json
import re
import sys
from hashlib import sha256
from pathlib import Path

FORMAL = Path(__file__).resolve().parent
sys.path.insert(0, str(FORMAL.parent))

from consistency_lab.apps.book.formal import RECORD, digest, unread  # noqa: E402
from consistency_lab.apps.book.statement import FOLDER  # noqa: E402


def bodies(names: list[str], definitions: dict[str, str]) -> str:
    """The digest of the definitions that these rest on, as Coq prints them."""
    found: dict[str, str] = {}
    while names:
        name = names.pop()
        if name not in found:
            found[name] = definitions[name]
            names += found[name].rpartition("rests on")[2].split()
    return sha256(json.dumps(sorted(found.items())).encode()).hexdigest()


def record() -> dict[str, dict[str, object]]:
    """What each theorem says, its file, axioms and digests, by its name, in the order of axioms.txt."""
    text, _, defined = (FORMAL / "axioms.txt").read_text("utf-8").partition("Definitions:\n")
    definitions = dict(re.findall(r"^(\S+)\n((?: {5}.*\n)+)", defined, re.MULTILINE))
    rests = dict(re.findall(r"^(?: {5}|(\S+) )rests on ?(.*)$", defined, re.MULTILINE))
    statements = re.findall(r"^(\S+)\n {5}: (.+(?:\n {7}.+)*)$", text, re.MULTILINE)
    files = (FORMAL / "_CoqProject").read_text("utf-8").splitlines()[1:]
    asked = (FORMAL / "Axioms.v").read_text("utf-8")
    said = re.findall(r"^\(\* ((?:(?!\*\)).)+) \*\)\nCheck @(\S+)\.$", asked, re.MULTILINE | re.DOTALL)
    words = {name: " ".join(text.split()) for text, name in said}
    groups = re.findall(r"^Definition \w+ :=\s+([^:]+)\.\nPrint Assumptions", asked, re.MULTILINE)
    printed = [re.findall(r"^([\w.]+)(?: :|$)", part, re.MULTILINE) for part in text.split("Axioms:\n")[1:]]
    axioms = {
        name: sorted(found)
        for group, found in zip(groups, printed, strict=True)
        for name in re.findall(r"[\w.]+", group)
    }
    proved: dict[str, list[str]] = {}
    for file in files:
        source = (FORMAL / file).read_text("utf-8")
        for name in re.findall(r"^(?:Theorem|Lemma|Corollary) (\w+)", source, re.MULTILINE):
            proved.setdefault(name, []).append(file)
    found = {}
    for name, statement in statements:
        (file,) = proved[name]
        found[name] = {
            "words": words[name],
            "file": file,
            "statement": re.sub(r"^ {7}", "", statement, flags=re.MULTILINE),
            "axioms": axioms[name],
            "definitions": bodies(rests[name].split(), definitions),
            "digest": digest(file),
        }
    return found


if __name__ == "__main__":
    text = json.dumps(record(), indent=1, ensure_ascii=False)
    (FOLDER / RECORD).write_text(text + "\n", encoding="utf-8")
    if names := unread():
        again = f"Read again, and then run python -m consistency_lab.apps.book.accept {' '.join(names)}"
        sys.stdout.write(f"{again}\n")
