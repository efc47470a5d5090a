"""The published JSON Schema and the kernel say the same about the form of a witness."""

import json
from importlib.resources import files
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from consistency_lab.errors import ConsistencyLabError

from ..oracle.tasks import TASK_FORMAT, verify_task
from ..oracle.tasks.conditions import CONDITIONS
from ..oracle.tasks.decoders import DECODERS
from ..oracle.tasks.families import FAMILIES, FIELD
from ..oracle.tasks.features import FEATURES, INDICATORS, WEIGHTS
from ..oracle.tasks.losses import WEIGHTS as PAIR_WEIGHTS
from ..oracle.tasks.targets import TARGETS
from .test_mutations import mutations
from .witnesses import WITNESSES

SCHEMA: Any = json.loads(
    files("consistency_lab.proofs.format_1").joinpath("task-witness.schema.json").read_text("utf-8")
)
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_knows_what_the_kernel_knows() -> None:
    entries = SCHEMA["properties"]
    assert SCHEMA["title"] == entries["format"]["const"] == TASK_FORMAT
    assert entries["decoder"]["enum"] == list(DECODERS)
    assert entries["condition"]["properties"]["name"]["enum"] == list(CONDITIONS)
    targets = {case["properties"]["loss"]["const"]: case["required"] for case in entries["target"]["oneOf"]}
    assert targets == {loss: list(keys) for loss, (keys, _, _) in TARGETS.items()}
    families = {case["properties"]["family"]["const"]: case for case in entries["surrogate"]["oneOf"]}
    assert families.pop(FIELD)
    assert {name: case["required"] for name, case in families.items()} == {
        name: list(keys) for name, (keys, _) in FAMILIES.items()
    }
    assert families["regression"]["properties"]["f"]["enum"] == list(FEATURES)
    assert families["softmax"]["properties"]["labels"]["enum"] == list(WEIGHTS)
    assert families["indicator"]["properties"]["psi"]["enum"] == list(INDICATORS)
    assert families["pairs"]["properties"]["weights"]["enum"] == list(PAIR_WEIGHTS)


@pytest.mark.parametrize("name", WITNESSES)
def test_every_witness_fits_the_schema(name: str) -> None:
    VALIDATOR.validate(WITNESSES[name]())


@pytest.mark.parametrize("name", ["softmax", "hinge", "crammer_singer", "algorithm_1"])
def test_what_does_not_fit_the_schema_is_refused_by_the_kernel(name: str) -> None:
    misfits = [
        document for _, _, document in mutations(WITNESSES[name]()) if not VALIDATOR.is_valid(document)
    ]
    assert misfits
    for document in misfits:
        with pytest.raises(ConsistencyLabError):
            verify_task(document)
