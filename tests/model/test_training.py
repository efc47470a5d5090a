"""LightGBM and XGBoost themselves, trained from their default start, end where the gallery says.

The extra `test` brings them along; constraints.txt says which versions.
"""

import json
import runpy
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[2]
MAKING: Final = runpy.run_path(str(ROOT / "docs" / "make_libraries.py"))
MEASURING: Final = runpy.run_path(str(ROOT / "docs" / "measure_libraries.py"))
ANSWERS: Final = MAKING["stored"]()
FIELDS: Final = [
    question.key
    for question, _ in MAKING["questions"]()
    if question.kind == "field" and question.loss in MEASURING["OBJECTIVES"]
]
REACHED: Final = [key for key in FIELDS if ANSWERS[key]["reached"] == "yes"]

FIFTHS: Final = {(2, 1, 1): Fraction(3, 5), (0, 1, 2): Fraction(2, 5)}
"""1 > 3 > 2 is learned, 3 > 1 > 2 is right for NDCG."""

THIRDS: Final = {(1, 0, 2): Fraction(1, 3), (2, 1, 0): Fraction(2, 3)}
"""There is a true equilibrium in the order 1 > 2 > 3, which is wrong, but it is not reached."""


def witness(key: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((ROOT / ANSWERS[key]["witness"]).read_text(encoding="utf-8"))
    return document


def learned(name: str, weights: dict[tuple[int, ...], Fraction]) -> tuple[int, ...]:
    found: tuple[int, ...] = MEASURING["order"](MEASURING["trained"](name, weights))
    return found


@pytest.mark.parametrize("key", REACHED)
def test_the_library_learns_the_wrong_order_of_the_witness(key: str) -> None:
    proof, named = witness(key)["proof"], witness(key)["named"]
    labels = zip(named["labels"], proof["labels"], strict=True)
    weights = {tuple(label): Fraction(entry["probability"]) for label, entry in labels}
    order = tuple(int(item) - 1 for item in proof["prediction"])
    assert learned(named["surrogate"]["name"], weights) == order


@pytest.mark.parametrize("name", MEASURING["OBJECTIVES"])
def test_each_objective_learns_a_wrong_order_for_ndcg(name: str) -> None:
    assert name in {witness(key)["named"]["surrogate"]["name"] for key in REACHED if key.startswith("ndcg")}


@pytest.mark.parametrize("name", ["lightgbm:lambdarank", "xgboost:rank:ndcg"])
@pytest.mark.parametrize("weights", [FIFTHS, THIRDS], ids=["reached", "not reached"])
def test_two_known_distributions(name: str, weights: dict[tuple[int, ...], Fraction]) -> None:
    assert learned(name, weights) == (0, 2, 1)


def test_the_versions_are_those_of_the_page() -> None:
    document = json.loads((ROOT / "docs" / "libraries_trained.json").read_text(encoding="utf-8"))
    assert MEASURING["versions"]() == document["versions"]
