"""The published schema and the core say the same about the form of a proof."""

import copy
import json
from importlib.resources import files
from itertools import cycle

import jsonschema
import pytest

from consistency_lab.certify.proofs.file import FORMAT, PROVENANCE, sealed
from consistency_lab.core import verify_proof
from consistency_lab.errors import ConsistencyLabError
from tests.trees import at, leaves, replaced

from .proofs import PROOFS

SCHEMA = json.loads(files("consistency_lab.certify.proofs").joinpath("proof.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
EMPTY = sealed({}, {}, {})


def fits(proof):
    return bool(VALIDATOR.is_valid({**EMPTY, "proof": proof}))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["title"] == SCHEMA["properties"]["format"]["const"] == FORMAT
    assert SCHEMA["properties"]["provenance"]["required"] == list(PROVENANCE)


@pytest.mark.parametrize("name", PROOFS)
def test_every_proof_by_hand_fits(name):
    VALIDATOR.validate(sealed(PROOFS[name](), {}, {}))


def test_a_key_that_lacks_or_is_unknown_does_not_fit_unless_it_may():
    for proof, path in forms(objects):
        for key in at(proof, path):
            changed = copy.deepcopy(proof)
            del at(changed, path)[key]
            if not fits(changed):
                assert is_refused(changed), (path, key)
        changed = copy.deepcopy(proof)
        at(changed, path)["remark"] = ["1"]
        assert not fits(changed), path


def test_a_leaf_of_another_type_does_not_fit_and_is_refused():
    for (proof, path), value in zip(forms(leaves), cycle((0.5, {"a": 1}, [[[]]])), strict=False):
        changed = replaced(proof, path, value)
        assert not fits(changed), path
        assert is_refused(changed), path


def forms(walk):
    """Each form of what is met in the proofs by hand, once: a proof, and where in it."""
    found = {}
    for make in PROOFS.values():
        proof = make()
        for path, value in walk(proof):
            place = tuple(key for key in path if not isinstance(key, int) and len(key) > 1)
            form = sorted(value) if isinstance(value, dict) else type(value)
            found.setdefault((proof["claim"], place, str(form)), (proof, path))
    return found.values()


def objects(node, path=()):
    """The objects in a document, and where they are."""
    if isinstance(node, dict):
        yield path, node
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from objects(child, (*path, key))


def is_refused(proof):
    try:
        verify_proof(proof)
    except ConsistencyLabError:
        return True
    return False
