"""The wrong equilibria of the gallery of libraries."""

import copy
import json
from pathlib import Path
from typing import Any, Final

from consistency_lab.certify.proofs.record import Entry

_GALLERY: Final = Path(__file__).parents[2] / "counterexamples" / "libraries"

Grades = tuple[int, ...]


def witnesses() -> dict[str, dict[str, Any]]:
    """The documents about fields, by file name."""
    found = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(_GALLERY.glob("*.json"))
    }
    return {
        name: document
        for name, document in found.items()
        if document["proof"]["claim"] == "wrong-equilibrium"
    }


def labels_of(document: dict[str, Any]) -> list[Grades]:
    """The grades of each label."""
    return [tuple(label) for label in document["named"]["labels"]]


def proof_of(document: dict[str, Any]) -> Entry:
    """The proof of a document, to be changed at will."""
    return copy.deepcopy(dict(document["proof"]))
