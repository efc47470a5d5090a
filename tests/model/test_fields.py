"""Gradient fields: the model's programs against slopes written out, and the equilibria of the gallery."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from consistency_lab.model.surrogates.tasks.fields import FIELDS as MODEL
from consistency_lab.model.surrogates.tasks.fields import expected_shares as shares_of_the_model
from consistency_lab.model.surrogates.tasks.fields import field
from consistency_lab.numbers.exact import enclose, working_precision
from consistency_lab.numbers.tape import as_ball

from .oracle.fields import FIELDS, expected_shares, vanishes

ROOT: Final = Path(__file__).parents[2]
FILES: Final = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "counterexamples" / "libraries").glob("*.json"))
}
EQUILIBRIA: Final = {
    name: document for name, document in FILES.items() if document["proof"]["claim"] == "wrong-equilibrium"
}
SAMPLED: Final = [
    {"lambdarank_pair_method": "mean", "lambdarank_num_pair_per_sample": 3, "lambdarank_normalization": norm}
    for norm in (False, True)
]
CASES: Final[list[tuple[str, dict[str, Any]]]] = [
    *((name, {}) for name in MODEL),
    *((f"xgboost:rank:{kind}", options) for kind in ("pairwise", "ndcg") for options in SAMPLED),
    ("xgboost:rank:pairwise", {"lambdarank_score_normalization": False}),
    ("xgboost:rank:ndcg", {"ndcg_exp_gain": False}),
    ("lightgbm:lambdarank", {"lambdarank_norm": False, "sigmoid": 2, "lambdarank_truncation_level": 1}),
    ("lightgbm:lambdarank", {"label_gain": (0, 1, 2, 5)}),
]


def test_every_field_is_told_again() -> None:
    assert set(FIELDS) == set(MODEL)


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_two_engines_agree_on_the_gradient_and_its_slopes(name: str, options: dict[str, Any]) -> None:
    label = (0, 1, 1, 0) if name == "xgboost:rank:map" else (0, 3, 1, 3)
    one = field(name, **options)
    with working_precision(256):
        scores = [enclose(Fraction(x)) for x in ("1/2", "-1/3", "7/5", "0")]
        theirs = one.piece(label, (2, 0, 3, 1)).program(4).run(scores[:-1])
        value, slopes = FIELDS[name](one.describe()).pull(label, (2, 0, 3, 1), scores)
    for i, dual in enumerate(theirs):
        assert dual.value.overlaps(value[i])
        assert value[i].rad() < 1e-30
        for j, slope in enumerate(dual.slopes):  # in the scores but the last, which is 0
            assert slope.overlaps(slopes[i][j])
            assert slopes[i][j].rad() < 1e-28


@pytest.mark.parametrize("label", [(0, 0), (3, 0, 1), (4, 4, 0, 1, 2), (30, 0, 3)])
def test_two_formulas_for_the_expected_shares(label: tuple[int, ...]) -> None:
    for mine, other in zip(expected_shares(label), shares_of_the_model(label), strict=True):
        assert mine.overlaps(as_ball(other))
        assert mine.rad() < 1e-60


@pytest.mark.parametrize("name", EQUILIBRIA)
def test_equilibria_of_the_gallery(name: str) -> None:
    """By the fields written out there is a zero in the box, as attracting as stated; none in a moved box."""
    proof, named = EQUILIBRIA[name]["proof"], EQUILIBRIA[name]["named"]
    weights = [Fraction(label["probability"]) for label in proof["labels"]]
    p = list(zip(map(tuple, named["labels"]), weights, strict=True))
    box = [(Fraction(low), Fraction(high)) for low, high in proof["certificate"]["box"]]
    assert vanishes(named["surrogate"], p, box) == (True, proof["certificate"]["attracting"])
    lower = [*(low for low, _ in box), Fraction(0)]
    ranking = sorted(range(len(lower)), key=lambda item: -lower[item])
    assert proof["prediction"] == [str(item + 1) for item in ranking]
    low, high = box[0]
    moved = (low + 2 * (high - low), high + 2 * (high - low))
    assert not vanishes(named["surrogate"], p, [moved, *box[1:]])[0]
    assert vanishes(named["surrogate"], [(p[0][0], 2 * p[0][1]), *p[1:]], box)[0] is False
