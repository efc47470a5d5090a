"""What a cell is, and what is in its document."""

from fractions import Fraction
from typing import Any

import pytest

from consistency_lab import Distribution, certify_at, surrogate
from consistency_lab.apps.measure.atlas.cell import PARTS, Asked, Cell, cells, conclusion, make, tried
from consistency_lab.certify.proofs.file import verify
from consistency_lab.errors import ConsistencyLabError, InputError
from consistency_lab.files import digest

INVERSION = [[0, 1, 6], [0, 0, 2], [3, 0, 0]]


def test_a_cell_is_plain_data_and_back(whole: Cell) -> None:
    assert Cell.of(whole.parameters()) == whole


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("surrogate", "no-such-loss"),
        ("surrogate", 3),
        ("condition", "no-such-condition"),
        ("items", 1),
        ("items", 7),
        ("items", "3"),
        ("budget", "soon"),
        ("budget", "-1"),
        ("budget", "inf"),
        ("samples", 0),
        ("seed", -1),
        ("parts", []),
        ("parts", ["everything"]),
        ("parts", "worst"),
    ],
)
def test_other_data_are_no_cell(whole: Cell, key: str, value: object) -> None:
    with pytest.raises(InputError):
        Cell.of({**whole.parameters(), key: value})


def test_a_product_has_each_cell_once_and_few_items_first() -> None:
    found = cells(["ranknet", "logistic", "hinge"], ["acyclic", "additive", "acyclic"], [4, 3, 3])
    assert [cell.name for cell in found] == [
        f"{name}-{condition}-{m}items"
        for m in (3, 4)
        for name in ("logistic", "hinge")
        for condition in ("additive", "acyclic")
    ]


def test_the_same_cell_has_the_same_digest(whole: Cell, document: dict[str, Any]) -> None:
    assert document["digest"] == digest(document)
    assert make(whole.parameters()) == document


def test_a_cell_says_what_its_parts_have_found(whole: Cell, document: dict[str, Any]) -> None:
    """Logistic at acyclic differences: proved by exhaustion to be wrong at total weight 5, a tie, and 6."""
    assert document["conclusion"] == {"verdict": "INCONSISTENT", "failure": "strict"}
    parts = document["parts"]
    assert list(parts) == sorted(["verdict", *PARTS])
    assert (parts["smallest"]["total"], parts["smallest"]["proved"]) == (5, True)
    assert (parts["smallest"]["strict_total"], parts["smallest"]["strict_proved"]) == (6, True)
    assert Fraction(parts["worst"]["lower"]) <= Fraction(1, 5) <= Fraction(parts["worst"]["upper"])
    assert parts["rate"]["overall"]["samples"] == whole.samples
    assert not any(part["budget_used_up"] for part in parts.values())


def test_the_kernel_accepts_all_witnesses_of_a_cell(document: dict[str, Any]) -> None:
    assert document["witnesses"]
    for name, witness in document["witnesses"].items():
        verified = verify(witness)
        assert witness["digest"] == name
        assert verified.conditions["acyclic"]
        assert verified.m == 3


def test_a_theorem_makes_a_cell_without_witnesses(quick: tuple[Cell, ...]) -> None:
    """DMJ10 Theorem 13 and its Corollary 15; DMJ13 §5.3."""
    for cell in quick:
        found = make(cell.parameters())
        assert found["conclusion"] == {"verdict": "CONSISTENT", "failure": None}
        assert found["witnesses"] == {}


def test_a_part_that_is_not_supported_says_why() -> None:
    found: dict[str, Any] = make(Cell("margin-square", "additive", 3, "4", parts=("worst",)).parameters())
    assert "margin-square" in found["parts"]["worst"]["unsupported"]


def test_a_proof_and_a_witness_cannot_both_be_right() -> None:
    witness = certify_at(surrogate("logistic"), Distribution.from_aggregate(INVERSION))
    asked = Asked(Cell("logistic", "additive", 3))
    assert asked.keep(witness) == witness.document["digest"]
    with pytest.raises(ConsistencyLabError, match="one of them is wrong"):
        conclusion(asked, {"verdict": {"verdict": "CONSISTENT"}})
    assert conclusion(asked, {}) == {"verdict": "INCONSISTENT", "failure": "strict"}


def test_a_witness_of_another_question_is_not_kept() -> None:
    """Another number of items, none at all, and scores that are right."""
    witness = certify_at(surrogate("logistic"), Distribution.from_aggregate(INVERSION))
    assert Asked(Cell("logistic", "acyclic", 4)).keep(witness) is None
    assert Asked(Cell("logistic", "acyclic", 3)).keep(None) is None
    right = certify_at(surrogate("logistic"), Distribution.from_aggregate([[0, 3], [1, 0]]))
    assert Asked(Cell("logistic", "acyclic", 2)).keep(right) is None


def test_a_cell_that_cannot_be_made_gives_a_sentence() -> None:
    found, why = tried({"surrogate": "hinge"})
    assert found is None
    assert why == "these are not the parameters of a cell of the atlas"
