"""Cells that are made quickly, and one with everything in it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from consistency_lab.apps.measure.atlas.cell import Cell, cells, make
from consistency_lab.apps.measure.atlas.folder import Store
from consistency_lab.certify.document import sealed

PROVED = ("linear", "difference-logistic")
"""Consistent by a theorem, so that nothing has to be searched."""


@pytest.fixture(scope="session")
def quick() -> tuple[Cell, ...]:
    """Four cells without a search."""
    return cells(PROVED, ["additive", "low-noise"], [3], parts=["smallest"])


@pytest.fixture(scope="session")
def whole() -> Cell:
    """Logistic loss on acyclic differences: a tie of total weight 5, an inversion of total weight 6."""
    return Cell("logistic", "acyclic", 3, samples=2000)


@pytest.fixture(scope="session")
def document(whole: Cell) -> dict[str, Any]:
    return make(whole.parameters())


@pytest.fixture
def copy(document: dict[str, Any]) -> dict[str, Any]:
    """The same, to be changed."""
    found: dict[str, Any] = json.loads(json.dumps(document))
    return found


@pytest.fixture
def stored(tmp_path: Path, whole: Cell) -> Callable[[dict[str, Any]], Path]:
    """Store a document as the cell, with the digest that belongs to it."""

    def store(changed: dict[str, Any]) -> Path:
        Store(tmp_path).write(whole, sealed(changed))
        return tmp_path

    return store
