"""Cells that are made quickly, and one with everything in it."""

import json

import pytest

from consistency_lab.apps.measure.atlas.cell import Cell, cells, make
from consistency_lab.apps.measure.atlas.folder import Store
from consistency_lab.files import with_digest

PROVED = ("linear", "difference-logistic")
"""Consistent by a theorem, so that nothing has to be searched."""


@pytest.fixture(scope="session")
def quick():
    return cells(PROVED, ["additive", "low-noise"], [3], parts=["smallest"])


@pytest.fixture(scope="session")
def whole():
    """Logistic loss on acyclic differences: a tie of total weight 5, an inversion of total weight 6."""
    return Cell("logistic", "acyclic", 3, samples=2000)


@pytest.fixture(scope="session")
def document(whole):
    return make(whole.parameters())


@pytest.fixture
def copy(document):
    return json.loads(json.dumps(document))


@pytest.fixture
def stored(tmp_path, whole):
    """Store a document as the cell, with the digest that belongs to it."""

    def store(changed):
        Store(tmp_path).write(whole, with_digest(changed))
        return tmp_path

    return store
