"""Compares what Coq printed into axioms.log with what is stored, and stores it.

apps/book/data/formal.json has what each theorem says, its words, sources, axioms and digests; axioms.txt has
the axioms and definitions that they rest on. `make -C formal check` compares and `accept` stores both, and
says which theorems have other words, statements or definitions than somebody has read.
"""

import json
import re
import sys
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path

FORMAL = Path(__file__).resolve().parent
FOLDER = FORMAL.parent / "consistency_lab" / "apps" / "book" / "data"
RESTS_ON = FORMAL / "axioms.txt"


def printed() -> tuple[dict[str, str], str]:
    """What each theorem says, by its name, and all that they rest on, as Coq printed them."""
    text, mark, rests = (FORMAL / "axioms.log").read_text("utf-8").partition("Axioms:\n")
    found = re.findall(r"^(\S+)\n {5}: (.+(?:\n {7}.+)*)$", text, re.MULTILINE)
    return {name: re.sub(r"^ {7}", "", said, flags=re.MULTILINE) for name, said in found}, mark + rests


def bodies(names: list[str], definitions: dict[str, str]) -> str:
    """The digest of the definitions that these rest on, as Coq prints them."""
    found: dict[str, str] = {}
    while names:
        name = names.pop()
        if name not in found:
            found[name] = definitions[name]
            names += found[name].rpartition("rests on")[2].split()
    return sha256(json.dumps(sorted(found.items())).encode()).hexdigest()


def record(statements: dict[str, str]) -> dict[str, dict[str, object]]:
    """What is stored of each theorem that says this, in the same order; the rest comes from axioms.txt."""
    from consistency_lab.apps.book.formal import digest

    text, _, defined = RESTS_ON.read_text("utf-8").partition("Definitions:\n")
    definitions = dict(re.findall(r"^(\S+)\n((?: {5}.*\n)+)", defined, re.MULTILINE))
    rests = dict(re.findall(r"^(?: {5}|(\S+) )rests on ?(.*)$", defined, re.MULTILINE))
    files = (FORMAL / "_CoqProject").read_text("utf-8").splitlines()[1:]
    asked = (FORMAL / "Axioms.v").read_text("utf-8")
    said = re.findall(r"^\(\* ((?:(?!\*\)).)+) \*\)\nCheck @(\S+)\.$", asked, re.MULTILINE | re.DOTALL)
    words = {name: " ".join(text.split()) for text, name in said}
    groups = re.findall(r"^Definition \w+ :=\s+([^:]+)\.\nPrint Assumptions", asked, re.MULTILINE)
    parts = [re.findall(r"^([\w.]+)(?: :|$)", part, re.MULTILINE) for part in text.split("Axioms:\n")[1:]]
    axioms = {
        name: sorted(found)
        for group, found in zip(groups, parts, strict=True)
        for name in re.findall(r"[\w.]+", group)
    }
    proved: dict[str, list[str]] = {}
    for file in files:
        source = (FORMAL / file).read_text("utf-8")
        for name in re.findall(r"^(?:Theorem|Lemma|Corollary) (\w+)", source, re.MULTILINE):
            proved.setdefault(name, []).append(file)
    found = {}
    for name, statement in statements.items():
        (file,) = proved[name]
        found[name] = {
            "words": words[name],
            "file": file,
            "statement": statement,
            "axioms": axioms[name],
            "definitions": bodies(rests[name].split(), definitions),
            "digest": digest(file),
        }
    return found


def differences() -> list[str]:
    """How what Coq printed differs from what is stored, line by line."""
    stored = json.loads((FOLDER / "formal.json").read_text("utf-8"))
    before = {name: one["statement"] for name, one in stored.items()}, RESTS_ON.read_text("utf-8")
    old, new = (
        [line for name, one in said.items() for line in (name, *one.splitlines())] + rests.splitlines()
        for said, rests in (before, printed())
    )
    return list(unified_diff(old, new, "stored", "axioms.log", lineterm=""))


def accept() -> None:
    """Store what Coq printed."""
    sys.path.insert(0, str(FORMAL.parent))
    from consistency_lab.apps.book.formal import unread

    statements, rests = printed()
    RESTS_ON.write_text(rests, encoding="utf-8")
    text = json.dumps(record(statements), indent=1, ensure_ascii=False)
    (FOLDER / "formal.json").write_text(text + "\n", encoding="utf-8")
    if names := unread():
        again = f"Read again, and then run python -m consistency_lab.apps.book.accept {' '.join(names)}"
        sys.stdout.write(f"{again}\n")


if __name__ == "__main__":
    changed = differences()
    sys.stdout.writelines(f"{line}\n" for line in changed)
    if sys.argv[1:] == ["accept"]:
        accept()
    elif changed:
        sys.exit("formal/ does not say what is stored; if this is intended, run make -C formal accept")
