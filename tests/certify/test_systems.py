"""Proofs of consistency as files: systems without a solution, and what they are called."""

import json
from pathlib import Path

import pytest

import consistency_lab as lab
from consistency_lab.certify.proofs.file import verify
from consistency_lab.certify.proofs.systems import shape_edges
from consistency_lab.decide.theorems.infeasibility import InfeasibilityProof, prove_affine
from consistency_lab.errors import ConsistencyLabError, RejectedError
from consistency_lab.model.surrogates import surrogate

from .files import Document, Edit, edited


def written(name: str, condition: str, items: int = 3, **parameters: object) -> Document:
    asked = surrogate(name, **parameters)  # type: ignore[arg-type]
    proof = prove_affine(asked, condition, items)
    assert isinstance(proof, InfeasibilityProof)
    return proof.document(asked, {"command": "a command"})


@pytest.mark.parametrize("condition", ["additive", "low-noise", "net-order"])
@pytest.mark.parametrize("name", ["linear", "regression"])
def test_a_proof_of_consistency_is_a_file_that_the_core_accepts(name: str, condition: str) -> None:
    found = verify(written(name, condition, 4))
    assert found.claim == "infeasible"
    assert found.systems == sum(1 for _ in shape_edges(condition, 4))
    assert found.recomputed == (f"{condition} for 2 to 4 items", name)
    assert found.unknown == ()


def forged(edit: Edit) -> Document:
    return edited(written("linear", "low-noise"), edit)


FORGED: list[tuple[Edit, str]] = [
    (lambda d: d["proof"]["systems"].pop(), "has 9 cases, and 8 systems are given"),
    (lambda d: d["proof"]["systems"].reverse(), "is not that of the edge"),
    (lambda d: d["named"].update(condition="net-order"), "has 11 cases, and 9 systems"),
    (lambda d: d["named"].update(condition="additive"), "has 4 cases, and 9 systems"),
    (lambda d: d["named"].update(items="4"), "has 61 cases, and 9 systems"),
    (lambda d: d["named"]["surrogate"].update(nu="-1"), "nu is stated as -1, but is 1"),
    (lambda d: d["proof"]["systems"][0]["y"].__setitem__(0, "-2"), "system 1: .* at least 0"),
    (lambda d: d["proof"]["systems"][0]["y"].__setitem__(0, "0"), "system 1: .*must be negative"),
    (lambda d: d["proof"]["systems"][0]["rows"][0].__setitem__(0, "-1/2"), "system 1"),
    (lambda d: d["proof"]["systems"][2]["rows"].append(["0", "0", "0"]), "system 3"),
    (lambda d: d["proof"]["systems"][1]["equal_right"].__setitem__(0, "-1"), "system 2"),
]


@pytest.mark.parametrize(("edit", "message"), FORGED)
def test_another_proof_is_not_this_one(edit: Edit, message: str) -> None:
    with pytest.raises(RejectedError, match=message):
        verify(forged(edit))


def test_names_that_are_not_known_say_nothing() -> None:
    found = verify(forged(lambda d: d["named"].update(condition="next year's")))
    assert found.unknown == ("next year's for 2 to 3 items",)
    assert found.recomputed == ("linear",)
    other = verify(written("linear", "low-noise", r="x**4"))
    assert other.unknown == ("linear with r=x**4 nu=1",)  # a theorem says that it orders by N, not a formula
    turned = forged(
        lambda d: d["named"].update(
            surrogate={"family": "linear", "name": "linear with r=x**2/2 nu=-1", "r": "x**2/2", "nu": "-1"}
        )
    )
    with pytest.raises(RejectedError, match="the family linear has no surrogate that is called"):
        verify(turned)


def test_keys_are_those_of_the_form() -> None:
    for change in ({"more": 1}, {"items": "x"}, {"items": 3}, {"surrogate": "linear"}):
        with pytest.raises(ConsistencyLabError):
            verify(forged(lambda d, change=change: d["named"].update(change)))  # type: ignore[misc]
    with pytest.raises(ConsistencyLabError):
        verify(forged(lambda d: d["named"].pop("items")))


def test_a_file_of_the_command_is_accepted(tmp_path: Path) -> None:
    document = written("regression", "net-order")
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert lab.verify_file(path) == lab.verify(document)
