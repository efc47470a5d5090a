"""The published schema and the core say the same about the form of a proof."""

import copy
import json
from importlib.resources import files
from itertools import cycle

import jsonschema  # type: ignore[import-untyped]
import pytest

from consistency_lab.certify.proofs.file import FORMAT, PROVENANCE, sealed
from consistency_lab.core import verify_proof
from consistency_lab.errors import ConsistencyLabError

from .proofs import PROOFS
from .test_verify import leaves, replaced

SCHEMA = json.loads(files("consistency_lab.certify.proofs").joinpath("proof.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
CASES = pytest.mark.parametrize("name", PROOFS)
EMPTY = sealed({}, {}, {})


def fits(proof):
    return bool(VALIDATOR.is_valid({**EMPTY, "proof": proof}))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["title"] == SCHEMA["properties"]["format"]["const"] == FORMAT
    assert SCHEMA["properties"]["provenance"]["required"] == list(PROVENANCE)


@CASES
def test_every_proof_by_hand_fits(name):
    VALIDATOR.validate(sealed(PROOFS[name](), {}, {}))


@CASES
def test_a_key_that_lacks_or_is_unknown_does_not_fit_unless_it_may(name):
    for path in objects(PROOFS[name]()):
        for key in at(PROOFS[name](), path):
            changed = copy.deepcopy(PROOFS[name]())
            del at(changed, path)[key]
            if not fits(changed):
                assert is_refused(changed), (path, key)
        changed = copy.deepcopy(PROOFS[name]())
        at(changed, path)["remark"] = ["1"]
        assert not fits(changed), path


@CASES
def test_a_leaf_of_another_type_does_not_fit_and_is_refused(name):
    for (path, _), value in zip(leaves(PROOFS[name]()), cycle((0.5, {"a": 1}, [[[]]])), strict=False):
        changed = replaced(PROOFS[name](), path, value)
        assert not fits(changed), path
        assert is_refused(changed), path


def objects(node, path=()):
    """Where the objects in a document are."""
    children = []
    if isinstance(node, dict):
        yield path
        children = list(node.items())
    elif isinstance(node, list):
        children = list(enumerate(node))
    for key, child in children:
        yield from objects(child, (*path, key))


def is_refused(proof):
    try:
        verify_proof(proof)
    except ConsistencyLabError:
        return True
    return False


def at(document, path):
    node = document
    for key in path:
        node = node[key]
    return node
