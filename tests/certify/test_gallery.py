"""The committed gallery: accepted, named, valid under the schema, and robust against every change."""

import json
from collections.abc import Iterator
from fractions import Fraction
from importlib.resources import files
from itertools import permutations
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from consistency_lab.certify.document import file_name, sealed
from consistency_lab.certify.proofs.file import verify, verify_file
from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import INCONSISTENT
from consistency_lab.errors import ConsistencyLabError, RejectedError
from consistency_lab.model.distribution import loss
from consistency_lab.model.surrogates import surrogate_names
from consistency_lab.numbers.phi import NAMED, convexity_proof
from tests import trees

from .files import GALLERY, Document, read

ROOT = Path(__file__).parents[2]
BY_HAND = sorted((ROOT / "tests" / "fixtures" / "by_hand").glob("*.json"))
SCHEMA: Any = json.loads(
    files("consistency_lab.certify.proofs").joinpath("proof.schema.json").read_text("utf-8")
)
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMA)
FILES = pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
EACH = (
    "difference-logistic-any",
    "hinge-additive-3items",
    "linear-acyclic",
    "logistic-additive-3items-ca20d338",
    "margin-logistic-additive",
    "margin-square-additive",
    "regression-acyclic",
    "square-net-order",
)
"""The beginnings of the names of a few files: all families, certificates and failures, one for every phi."""
SAMPLE = [path for path in GALLERY if path.name.startswith(EACH)]

Place = tuple[str | int, ...]


@FILES
def test_it_is_accepted_and_called_what_it_is(path: Path) -> None:
    document = read(path)
    verified = verify(document)
    assert verified.claim == INCONSISTENT
    assert verified.unknown == ()
    assert verified.surrogate in verified.recomputed
    assert path.name == file_name(document)


@pytest.mark.parametrize("path", [*GALLERY, *BY_HAND], ids=lambda path: path.stem)
def test_it_is_valid_under_the_published_schema(path: Path) -> None:
    VALIDATOR.validate(read(path))


def replaced(document: Document, place: Place, value: object) -> Document:
    changed = trees.replaced(document, place, value)
    return sealed(changed) if place != ("digest",) and not isinstance(value, float) else changed


def others(value: object) -> Iterator[object]:
    """Another number, another truth value."""
    if isinstance(value, bool):
        yield not value
    try:
        yield str(Fraction(str(value)) + Fraction(1, 7))
    except ValueError:
        return


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.stem)
def test_another_number_is_refused(path: Path) -> None:
    """Other brackets may prove the same bound, bounds of orders may be slack, other scores be minimal too."""
    document, tried = read(path), 0
    for at, value in trees.leaves(document):
        if at[0] in ("digest", "provenance", "format") or {"brackets", "orders", "coordinates"} & set(at):
            continue
        for other in others(value):
            tried += 1
            try:
                found = verify(replaced(document, at, other))
            except ConsistencyLabError:
                continue
            assert at[:2] == ("proof", "scores") and found.attained
    assert tried > 20


def test_another_order_or_regret_of_a_free_pair_is_refused() -> None:
    """Only 1 above 2 is separated there, so 3 > 1 > 2 and 1 > 2 > 3 pass as orders with the forced pair."""
    (path,) = (path for path in GALLERY if path.name.startswith("logistic-additive-3items-ca20d338"))
    document = read(path)
    assert verify(document).least_regret == 1
    stated = document["proof"]["prediction"]
    for order in permutations(stated):
        a = Witness.of(document).distribution.aggregate
        regret = loss(a, [int(k) - 1 for k in order]) - loss(a, Witness.of(document).better)
        if list(order) != stated and regret > 0:
            changed = replaced(document, ("proof", "prediction"), list(order))
            changed = replaced(changed, ("proof", "regret"), str(regret))
            with pytest.raises(RejectedError, match="cannot return the stated prediction"):
                verify(changed)


def test_an_entry_too_many_or_too_few_is_refused() -> None:
    """Of every entry of one file of each kind: left out it is missed, or the claim is a weaker one.

    Evidence on orders may be left out where it is empty, and the claim about every convex function.
    """
    for kind in ("hinge-additive-3items-578dc29e", "logistic-additive-3items-ca20d338", "linear-acyclic"):
        document = read(next(path for path in GALLERY if path.name.startswith(kind)))
        for key in document["proof"]:
            changed = {k: v for k, v in document["proof"].items() if k != key}
            if key not in ("orders", "universal"):
                with pytest.raises(ConsistencyLabError):
                    verify(sealed({**document, "proof": changed}))
        for key in ("orders", "extensions", "direction", "universal"):
            if key not in document["proof"]:
                more = {"orders": {"cycles": []}, "extensions": {"cycles": []}}.get(key, [])
                spoilt = {**document["proof"], key: more}
                with pytest.raises(ConsistencyLabError):
                    verify(sealed({**document, "proof": spoilt}))


def test_a_leaf_of_another_type_does_not_fit_the_schema() -> None:
    """The schema of the proof itself is tested with the core."""
    document = read(SAMPLE[0])
    for at, _ in trees.leaves({**document, "proof": None}):
        for value in (0.5, 7, [[[]]]):
            if at != ("proof",) and at[:2] != ("named", "surrogate"):
                assert not VALIDATOR.is_valid(replaced(document, at, value)), at


def test_an_unknown_key_or_a_missing_one_does_not_fit_the_schema() -> None:
    document = read(SAMPLE[0])
    for key in document:
        assert not VALIDATOR.is_valid({k: v for k, v in document.items() if k != key})
    assert not VALIDATOR.is_valid({**document, "remark": "1"})
    assert not VALIDATOR.is_valid({**document, "proof": {**document["proof"], "remark": "1"}})


def test_every_named_inconsistent_surrogate_has_a_witness() -> None:
    convex = {name for name, entry in NAMED.items() if convexity_proof(entry.expression)}
    wanted = {
        name
        for name in surrogate_names()
        if name in ("linear", "regression")
        or name.removeprefix("margin-").removeprefix("difference-") in convex
    }
    assert {verify(read(path)).surrogate for path in GALLERY} == wanted


def test_a_file_is_verified_by_its_path() -> None:
    assert verify_file(GALLERY[0]) == verify(read(GALLERY[0]))
