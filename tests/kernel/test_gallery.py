"""The gallery of the first format, kept for ever: the checker that the project once shipped accepts it."""

import json
from pathlib import Path

import jsonschema
import pytest

from consistency_lab.core.document import INCONSISTENT
from consistency_lab.proofs.dispatch import verify_file

from .oracle import verify

ROOT = Path(__file__).parents[2]
GALLERY = sorted((ROOT / "tests" / "fixtures" / "format_1").glob("*.json"))
FORMAT_1 = ROOT / "consistency_lab" / "proofs" / "format_1"
SCHEMA = json.loads((FORMAT_1 / "witness.schema.json").read_text(encoding="utf-8"))
SAID = ("claim", "failure", "regret", "gap", "universal", "surrogate", "m", "convexity")
FILES = pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)


def test_the_gallery_is_whole() -> None:
    assert len(GALLERY) == 27


@FILES
def test_it_is_accepted_and_the_core_says_the_same_of_it(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    old, new = verify(document), verify_file(path)
    assert old.claim == INCONSISTENT
    for key in SAID:
        assert getattr(new, key) == getattr(old, key), key
    assert old.conditions.items() <= new.conditions.items()


@FILES
def test_it_is_valid_under_the_published_schema(path: Path) -> None:
    jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), SCHEMA)
