"""Equilibria of fields as proofs: the core accepts them, and their names are recomputed or refused."""

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from consistency_lab.certify.proofs.file import sealed, verify
from consistency_lab.certify.proofs.task_proof import check_field, named_field, program_entry
from consistency_lab.core.equilibrium import Program
from consistency_lab.core.verify import read_proof, verify_proof
from consistency_lab.errors import ConsistencyLabError, RejectedError
from consistency_lab.model.surrogates.tasks.fields import FIELDS, GradientField, field

from .files import equilibria

WITNESSES = equilibria()
CASES = pytest.mark.parametrize("name", list(WITNESSES))
SAMPLE = "ndcg-012-xgboost-rank-ndcg"

Entry = dict[str, Any]


def labels_of(document: Entry) -> list[tuple[int, ...]]:
    return [tuple(label) for label in document["named"]["labels"]]


def proof_of(document: Entry) -> Entry:
    return copy.deepcopy(document["proof"])


def field_of(name: str) -> GradientField:
    found = named_field(WITNESSES[name]["named"]["surrogate"])
    assert found is not None
    return found


def check(name: str, entry: Entry, named: GradientField | None = None) -> bool:
    return check_field(named or field_of(name), labels_of(WITNESSES[name]), read_proof(entry))


def test_every_field_of_the_table_has_a_witness() -> None:
    assert {document["named"]["surrogate"]["name"] for document in WITNESSES.values()} == set(FIELDS)


@CASES
def test_every_equilibrium_of_the_gallery_is_accepted_and_its_name_recomputed(name: str) -> None:
    """In files of fewer than 8 thousand characters: NeuralSort is the longest field of three items."""
    document = WITNESSES[name]
    whole = sealed(proof_of(document), {"surrogate": document["named"]["surrogate"]}, document["provenance"])
    found = verify(whole)
    assert (found.claim, found.failure) == ("wrong-equilibrium", "strict")
    assert found.m == len(document["proof"]["prediction"])
    assert found.attracting is document["proof"]["certificate"]["attracting"]
    assert abs(found.regret - Fraction(document["proof"]["regret"])) < Fraction(1, 10**5)
    assert document["named"]["surrogate"]["name"] in found.surrogate
    assert check(name, proof_of(document))
    assert len(json.dumps(whole)) < 8000


@CASES
def test_programs_are_read_back_as_they_were_written(name: str) -> None:
    entry = proof_of(WITNESSES[name])
    stored = [label.psi for label in read_proof(entry).labels if isinstance(label.psi, Program)]
    assert list(map(program_entry, stored)) == [label["psi"] for label in entry["labels"]]
    order = tuple(int(item) - 1 for item in entry["prediction"])
    derived = [field_of(name).piece(label, order).program(len(order)) for label in labels_of(WITNESSES[name])]
    for label, program in zip(entry["labels"], derived, strict=True):
        label["psi"] = program_entry(program)
    assert [label.psi for label in read_proof(entry).labels] == derived


@pytest.mark.parametrize("name", list(WITNESSES)[::4])
def test_another_step_is_refused(name: str) -> None:
    """Every third step is changed: the core refuses it, or else the name is refused."""
    entry = proof_of(WITNESSES[name])
    steps = entry["labels"][0]["psi"]["steps"]
    for number in range(0, len(steps), 3):
        changed = copy.deepcopy(entry)
        changed["labels"][0]["psi"]["steps"][number] = mutated(steps[number])
        with pytest.raises(ConsistencyLabError):
            verify_proof(changed)
            check(name, changed)


def mutated(step: Any) -> Any:
    if isinstance(step, str):
        return str(Fraction(step) + Fraction(1, 9))
    word, *parts = step
    swap = {
        "difference": "difference",
        "add": "subtract",
        "subtract": "add",
        "multiply": "divide",
        "divide": "multiply",
        "exp": "log",
        "log": "exp",
    }
    return [swap[word], *([parts[0]] * 2 if word == "difference" else parts)]


def rewritten(entry: Entry, tail: Callable[[int, int], list[Any]]) -> Entry:
    """The first entry of the gradient of label 1, changed by more steps at the end."""
    found = copy.deepcopy(entry)
    psi = found["labels"][0]["psi"]
    psi["steps"] += tail(psi["gradient"][0], len(psi["steps"]))
    psi["gradient"][0] = len(psi["steps"]) - 1
    return found


def test_the_same_field_written_otherwise_is_recognized() -> None:
    """g + 1 - 1."""
    other = rewritten(proof_of(WITNESSES[SAMPLE]), lambda g, n: ["1", ["add", g, n], ["subtract", n + 1, n]])
    assert verify_proof(other).attracting
    assert check(SAMPLE, other)


def test_a_field_that_is_a_little_different_is_refused() -> None:
    """g + 2^-200 has a zero in the same box."""
    other = rewritten(proof_of(WITNESSES[SAMPLE]), lambda g, n: [f"1/{2**200}", ["add", g, n]])
    assert verify_proof(other).attracting
    with pytest.raises(RejectedError, match="not that of the field"):
        check(SAMPLE, other)


def test_a_multiple_of_a_field_has_the_same_zeros_and_is_refused() -> None:
    other = copy.deepcopy(proof_of(WITNESSES[SAMPLE]))
    for label in other["labels"]:
        psi = label["psi"]
        last = len(psi["steps"])
        psi["steps"] += ["2", *(["multiply", last, g] for g in psi["gradient"])]
        psi["gradient"] = [last + 1, last + 2]
    assert verify_proof(other).attracting
    with pytest.raises(RejectedError, match="not that of the field"):
        check(SAMPLE, other)


def test_a_field_of_another_name_is_refused() -> None:
    with pytest.raises(RejectedError, match="not that of the field xgboost:rank:pairwise"):
        check(SAMPLE, proof_of(WITNESSES[SAMPLE]), field("xgboost:rank:pairwise"))
    with pytest.raises(RejectedError, match="not that of the field xgboost:rank:ndcg"):
        check(SAMPLE, proof_of(WITNESSES[SAMPLE]), field("xgboost:rank:ndcg", ndcg_exp_gain=False))


def test_what_is_wrong_elsewhere_proves_nothing_of_the_name() -> None:
    """A program that balls cannot tell from the field where they look, but whose field has no zero there.

    The box is moved away from the zero, and the program is made so vague there that it overlaps all: the
    core does not accept it either.
    """
    entry = proof_of(WITNESSES[SAMPLE])
    entry["certificate"]["box"] = [["5/2", "3"], ["1", "2"]]
    vague = rewritten(entry, lambda g, n: ["1", ["subtract", n, n], ["divide", n, n + 1], ["add", g, n + 2]])
    assert not check(SAMPLE, vague)
    with pytest.raises(ConsistencyLabError):
        verify_proof(vague)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[0, 31, 1], [2, 1, 1]], "the labels are not different ones of"),
        ([[0, 2], [2, 1, 1]], "the labels are not different ones of"),
        ([[2, 1, 1]], "1 labels are named, and 2 are in the proof"),
    ],
)
def test_labels_that_the_target_does_not_have_are_refused(labels: list[list[int]], message: str) -> None:
    document = WITNESSES[SAMPLE]
    changed = sealed(document["proof"], {**document["named"], "labels": labels}, document["provenance"])
    with pytest.raises(RejectedError, match=message):
        verify(changed)


def test_grades_that_the_field_does_not_take_are_refused() -> None:
    document = copy.deepcopy(WITNESSES["ndcg-012-lightgbm-lambdarank"])
    document["named"]["surrogate"]["label_gain"] = ["0", "1"]
    with pytest.raises(RejectedError, match="takes grades up to 1; there are 2"):
        verify(sealed(document["proof"], document["named"], document["provenance"]))


def test_more_items_than_are_traced_here_say_nothing() -> None:
    """The expected shares of 12 items have 4096 corners; the names of a file may not cost that."""
    entry = proof_of(WITNESSES[SAMPLE])
    names = [f"item {k}" for k in range(12)]
    zero = {"steps": [["difference", 0, 0]], "gradient": [0] * 11}
    entry |= {
        "coordinates": names,
        "predictions": [names, names[::-1]],
        "prediction": names,
        "better": names[::-1],
        "labels": [{**label, "psi": zero} for label in entry["labels"]],
        "certificate": {**entry["certificate"], "box": [[str(k), str(k)] for k in range(12, 1, -1)]},
    }
    assert not check_field(field("lightgbm:rank_xendcg"), [tuple(range(12))] * 2, read_proof(entry))


def test_names_that_are_not_known_say_nothing() -> None:
    described = field("lightgbm:lambdarank").describe()
    assert named_field({**described, "name": "lightgbm:next-year"}) is None
    assert named_field({**described, "parameter-of-next-year": "1"}) is None
    assert named_field({key: value for key, value in described.items() if key != "sigmoid"}) is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"library": "xgboost"}, "named.surrogate.library is stated as xgboost, but is lightgbm"),
        ({"objective": "rank_xendcg"}, "objective is stated as rank_xendcg, but is lambdarank"),
        ({"sigmoid": "0"}, "no such parameters: sigmoid"),
        ({"label_gain": ["1", "0"]}, "no such parameters: label_gain"),
    ],
)
def test_names_that_contradict_themselves_are_refused(changes: Entry, message: str) -> None:
    with pytest.raises(RejectedError, match=message):
        named_field({**field("lightgbm:lambdarank").describe(), **changes})


def test_a_known_field_is_built_with_its_parameters() -> None:
    for entry in FIELDS.values():
        assert named_field(entry.describe()) == entry
    sharp = field("lightgbm:lambdarank", sigmoid="3/2", label_gain=("0", "1", "3"))
    assert named_field(sharp.describe()) == sharp
