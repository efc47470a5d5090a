"""Where a file comes from, its digest, what it is called, and how it is saved."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from consistency_lab.certify.proofs.record import names_maxima
from consistency_lab.files import check_readable, digest, make_folder, write_atomic
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.version import __version__

_LONGEST: Final = 60


def provenance_entry(given: Mapping[str, str]) -> dict[str, str]:
    """The ``provenance`` entry of a document: this tool, and what is given of citation, command and note."""
    tool = {"tool": "consistency-lab", "version": __version__}
    return {"citation": "", "command": "", "note": "", **tool, **given}


def sealed(document: Mapping[str, object]) -> dict[str, object]:
    """The document with the digest that belongs to it."""
    return {**document, "digest": digest(document)}


def slug(text: str) -> str:
    """A text as a part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_LONGEST].rstrip("-") or "surrogate"


def narrowest(conditions: Mapping[str, object]) -> str:
    """The first of the conditions that hold, none of which implies it; any, where none is known."""
    return next((name for name in CONDITIONS if conditions.get(name)), "any")


def file_name(document: Mapping[str, object]) -> str:
    """``<surrogate>-<condition>-<m>items-<digest8>.json``; a target follows the surrogate."""
    proof, named = document["proof"], document["named"]
    assert isinstance(proof, Mapping) and isinstance(named, Mapping)
    said, target = named.get("surrogate", {"name": "proof"}), named.get("target")
    name, conditions = str(said["name"]).removeprefix("own: "), named.get("conditions", {})
    number, unit = named.get("items", len(proof.get("coordinates", ()))), "items"
    if isinstance(target, Mapping) and "labels" in target:
        stem = slug("-".join((name, str(target["loss"]), *(conditions or ["any"]))))
        unit = next(key for key in ("items", "classes", "rows") if key in target["labels"])
        number = target["labels"][unit]
    elif names_maxima(proof.get("claim"), named):
        from consistency_lab.model.polyhedral import ROWS

        row = ROWS.get(name)
        stem = slug("-".join((name, *(named[key] for key in ("target", "condition") if key in named))))
        number, unit = said.get("size", number), row.unit if row else unit
    else:  # a condition that is not known does not count
        condition = str(named.get("condition", narrowest(conditions)))
        stem = f"{slug(name)}-{slug(condition)}"
    digest = str(document["digest"]).removeprefix("sha256:")[:8]
    return f"{stem}-{number}{unit}-{digest}.json"


def save(document: Mapping[str, object], folder: Path, name: str | None = None) -> Path:
    """Write a document into a folder, which is made if need be, under its own name or the one given."""
    path = folder / (name or file_name(document))
    text = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False) + "\n"
    check_readable(text.encode(), path.name)
    make_folder(folder)
    write_atomic(path, text)
    return path
