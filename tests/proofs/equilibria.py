"""The wrong equilibria of the gallery of libraries, written out as proofs."""

import json
from pathlib import Path
from typing import Any, Final

from consistency_lab.proofs.dispatch import as_proof
from consistency_lab.proofs.record import Entry

_GALLERY: Final = Path(__file__).parents[2] / "tests" / "fixtures" / "format_1_tasks"

Grades = tuple[int, ...]


def witnesses() -> dict[str, dict[str, Any]]:
    """The documents of the first format about fields, by file name."""
    found = {path.stem: json.loads(path.read_text()) for path in sorted(_GALLERY.glob("*.json"))}
    return {name: document for name, document in found.items() if document["claim"] == "wrong-equilibrium"}


def labels_of(document: dict[str, Any]) -> list[Grades]:
    """The grades of each label."""
    return [tuple(entry["label"]) for entry in document["distribution"]]


def proof_of(document: dict[str, Any]) -> Entry:
    """The proof of a document of the first format."""
    return dict(as_proof(document)["proof"])
