"""Witnesses small enough for paper, of every kind of certificate: what they prove was worked out by hand."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from consistency_lab.certify.proofs.file import verify, verify_file
from consistency_lab.errors import InputError

FOLDER: Final = Path(__file__).parents[1] / "fixtures" / "by_hand"

NDCG: Final = Fraction(256526471657, 10**13)
"""(2/5)(1 - D) - (3/5)(2 - 2D)/(3 + D) with D = 1/log2(3), rounded down."""

# The kind of failure, the regret, the gap of a separation, and whether every convex function fails.
EXPECTED: Final[dict[str, tuple[str | None, object, object, bool]]] = {
    "hinge-tie": ("tie", 1, None, False),
    "linear-strict": ("strict", 1, None, False),
    "regression-strict": ("strict", 1, None, False),
    "logistic-strict": ("strict", 14, None, False),
    "squared-hinge-strict": ("strict", 4, None, False),
    "logistic-separation": ("strict", 1, Fraction(403, 6250), False),
    "universal-two": ("strict", Fraction(1, 4), None, True),
    "universal-three": ("strict", 1, None, True),
    "universal-four": ("tie", 2, None, True),
    "logistic-consistent": (None, 0, Fraction(849, 5000), False),
    "difference-consistent": (None, 0, 1, False),
    "margin-consistent": (None, 0, 1, False),
    "irrational-factor": (None, 0, Fraction(3333, 10000), False),
    "own-terms": ("strict", Fraction(1, 2), None, False),
    **dict.fromkeys(
        ("softmax", "softmax-exp", "sigmoid", "ranknet", "hinge", "xgboost"), ("strict", NDCG, None, False)
    ),
    "list-mle": ("strict", Fraction(3, 40), None, False),
    "unique-softmax": ("tie", Fraction(1, 40), None, False),
    "crammer-singer": ("tie", Fraction(3, 20), None, False),
    "algorithm-1": ("tie", Fraction(1, 9), None, False),
    "map-diagonal": ("strict", Fraction(1, 96), None, False),
    "map-full": ("strict", Fraction(1, 96), None, False),
    "factor": ("strict", Fraction(1, 3), None, False),
    "independent": ("strict", Fraction(1, 32), None, False),
}


def test_the_files_are_those_below() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_what_was_worked_out_by_hand(name: str) -> None:
    found = verify_file(FOLDER / f"{name}.json")
    assert (found.failure, found.regret, found.gap, found.universal) == EXPECTED[name]
    assert found.unknown == (("own: home-bias",) if name == "own-terms" else ())


@pytest.mark.parametrize("draft", ["consistency-lab/witness/1", "consistency-lab/task-witness/1"])
def test_the_first_draft_is_no_longer_read(draft: str) -> None:
    document: dict[str, Any] = json.loads((FOLDER / "softmax.json").read_text(encoding="utf-8"))
    with pytest.raises(InputError, match=r"of the first draft format .* which is no longer read"):
        verify({**document, "format": draft})
