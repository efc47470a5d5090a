"""The committed gallery: accepted by the kernel, valid under the schema, and robust against every change."""

import json
from pathlib import Path

import jsonschema
import pytest

from consistency_lab.errors import ConsistencyLabError
from consistency_lab.files import read_json
from consistency_lab.kernel import INCONSISTENT, verify, verify_file
from consistency_lab.model.surrogates import surrogate_names
from consistency_lab.phi import NAMED, convexity_proof

from .mutations import mutations
from .test_mutations import stays_true

ROOT = Path(__file__).parents[2]
GALLERY = sorted((ROOT / "counterexamples").glob("*.json"))
SCHEMA = json.loads((ROOT / "consistency_lab" / "kernel" / "witness.schema.json").read_text(encoding="utf-8"))
FILES = pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)


@FILES
def test_the_kernel_accepts_it(path: Path) -> None:
    verified = verify_file(path)
    assert verified.claim == INCONSISTENT
    narrowest = next(name for name, holds in verified.conditions.items() if holds)
    document = json.loads(path.read_text(encoding="utf-8"))
    digest8 = document["digest"].removeprefix("sha256:")[:8]
    assert path.stem == f"{verified.surrogate}-{narrowest}-{verified.m}items-{digest8}"


@FILES
def test_it_is_valid_under_the_published_schema(path: Path) -> None:
    jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), SCHEMA)


@FILES
def test_every_change_of_meaning_is_refused(path: Path) -> None:
    """Each leaf is changed in several ways and the digest made fresh; free texts and brackets may vary."""
    document = read_json(path)
    assert isinstance(document, dict)
    accepted, tried = [], 0
    for place, value, changed in mutations(document):
        tried += 1
        try:
            verify(changed)
        except ConsistencyLabError:
            continue
        if not stays_true(place):
            accepted.append((place, value))
    assert accepted == []
    assert tried > 50


def test_every_named_inconsistent_surrogate_has_a_witness() -> None:
    convex = {name for name, entry in NAMED.items() if convexity_proof(entry.expression)}
    wanted = {
        name
        for name in surrogate_names()
        if name in ("linear", "regression")
        or name.removeprefix("margin-").removeprefix("difference-") in convex
    }
    assert {verify_file(path).surrogate for path in GALLERY} == wanted


def test_one_witness_is_bad_for_every_convex_function() -> None:
    assert any(verify_file(path).universal for path in GALLERY)
