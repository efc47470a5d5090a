import json
from importlib.resources import files
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from consistency_lab.errors import ConsistencyLabError
from consistency_lab.proofs.format_1.document import FORMAT, STATEMENT
from consistency_lab.proofs.format_1.reading import CONDITIONS
from consistency_lab.proofs.format_1.surrogates import FAMILIES

from .mutations import leaves, mutations, replaced
from .oracle import verify
from .witnesses import WITNESSES

FOLDER = files("consistency_lab.proofs.format_1")
SCHEMA: Any = json.loads(FOLDER.joinpath("witness.schema.json").read_text("utf-8"))
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_knows_what_the_kernel_knows() -> None:
    entries = SCHEMA["properties"]
    assert SCHEMA["title"] == entries["format"]["const"] == FORMAT
    assert entries["universal"]["properties"]["statement"]["const"] == STATEMENT
    assert entries["conditions"]["required"] == list(CONDITIONS)
    families = {
        case["properties"]["family"]["const"]: case["required"] for case in entries["surrogate"]["oneOf"]
    }
    assert families == {family: list(keys) for family, keys in FAMILIES.items()}


@pytest.mark.parametrize("name", WITNESSES)
def test_every_witness_fits_the_schema(name: str) -> None:
    VALIDATOR.validate(WITNESSES[name]())


@pytest.mark.parametrize("name", ["universal_two", "difference_consistent", "own_terms", "linear_strict"])
def test_what_does_not_fit_the_schema_is_refused_by_the_kernel(name: str) -> None:
    misfits = [
        document for _, _, document in mutations(WITNESSES[name]()) if not VALIDATOR.is_valid(document)
    ]
    assert misfits
    for document in misfits:
        with pytest.raises(ConsistencyLabError):
            verify(document)


@pytest.mark.parametrize("value", [0.5, 7, True, [], {}])
def test_a_leaf_of_another_type_does_not_fit(value: object) -> None:
    document = WITNESSES["universal_three"]()
    for path, before in leaves(document):
        if not (isinstance(before, bool) and value is True):
            assert VALIDATOR.is_valid(replaced_or_raw(document, path, value)) is fits(path, value)


def fits(path: tuple[str | int, ...], value: object) -> bool:
    """An integer may stand where an integer stands."""
    return "along" in path and value == 7 and not isinstance(value, bool)


def replaced_or_raw(document: dict[str, object], path: tuple[str | int, ...], value: object) -> object:
    """The changed document; with a float in it, it has no digest and keeps the old one."""
    if isinstance(value, float):
        changed = json.loads(json.dumps(document))
        node = changed
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = value
        return changed
    return replaced(document, path, value) if path != ("digest",) else {**document, "digest": value}
