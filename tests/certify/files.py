"""Files of the galleries, files that are changed and sealed again, and witnesses that tests ask for."""

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from consistency_lab.certify.proofs.file import sealed
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.model.distribution import Distribution

FOLDER: Final = Path(__file__).parents[2] / "counterexamples"
GALLERY: Final = sorted(FOLDER.glob("*.json"))

Document = dict[str, Any]
Edit = Callable[[Document], object]


def read(path: Path) -> Document:
    """The document in a file."""
    return dict(json.loads(path.read_text(encoding="utf-8")))


def edited(document: Mapping[str, Any], edit: Edit) -> Document:
    """A copy that is changed, with the digest that belongs to it."""
    changed = copy.deepcopy(dict(document))
    edit(changed)
    return sealed(changed["proof"], changed["named"], changed["provenance"])


def equilibria() -> dict[str, Document]:
    """The wrong equilibria of the gallery of libraries, by file name."""
    found = {path.stem: read(path) for path in sorted((FOLDER / "libraries").glob("*.json"))}
    return {name: one for name, one in found.items() if one["proof"]["claim"] == "wrong-equilibrium"}


def certified(name: str, a: Sequence[Sequence[int]], items: Sequence[str] | None = None) -> Witness:
    """What is proved of a loss at an aggregate."""
    witness = certify(name, Distribution.from_aggregate(a, items))
    assert witness is not None
    return witness
