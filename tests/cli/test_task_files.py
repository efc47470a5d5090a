"""`verify` and `show` on witnesses about prediction tasks."""

import json
from pathlib import Path

import pytest

from consistency_lab.certify.proofs.file import save, sealed

BY_HAND = Path(__file__).parents[1] / "fixtures" / "by_hand"

PLACES = {
    "softmax": [
        *("E f_i(y)", "(2, 1) 3/5 2 1", "6/5 1", "sorts the items by falling score; it may return 1 > 2"),
        *("So softmax with the decoder sort is INCONSISTENT for NDCG", "P_i = y_i"),
    ],
    "softmax_exp": ["P_i = exp(y_i) / sum exp(y)", "0.546"],
    "ranknet": ["3/5 φ(u_1 - u_2) -2/5 at log(3/2) -6/25 6/25", "sum 0 0", "minimize the risk"],
    "hinge": ["-2/3 at 1, chosen in [-1, 0]"],
    "list_mle": ["Plackett", "sum 0 0", "3/40"],
    "crammer_singer": [
        "class 1",
        "maximum of 3 pieces weights 0, 5/8 and 3/8",
        "This is a tie",
        "it may return class 3",
    ],
    "algorithm_1": ["4 → 1", "f_12", "deletes the lightest edges", "1/9"],
    "map_diagonal": ["2 > 1 > 3", "1/96"],
    "map_full": ["f_11", "f_33", "u_ii"],
    "factor": ["row 2", "column 1", "⟨u, β_t⟩ + b_t"],
    "independent": ["3. The condition", "P(y) is the product"],
    "xgboost": [
        "lambdarank_normalization = true",
        "u_1 from 0.61 to 0.63",
        "drawn to that point",
        "Reached from zero scores: yes (in floating point).",
        "can come to rest where its order is wrong for NDCG",
    ],
}


@pytest.fixture
def saved(tmp_path):
    return {name: str(save(read(name), tmp_path / "files", f"{name}.json")) for name in PLACES}


def read(name):
    return dict(json.loads((BY_HAND / f"{name.replace('_', '-')}.json").read_text(encoding="utf-8")))


def test_verify(cli, saved):
    ran = cli("verify --details", *saved.values())
    assert (ran.code, ran.err) == (0, "")
    lines = dict(zip(saved, ran.out.splitlines(), strict=True))
    assert lines["softmax"].endswith(
        "proof: accepted, inconsistent (2 items), strict, regret 0.0256526; named: NDCG, softmax with "
        "labels=none, sort: recomputed and equal"
    )
    assert "(3 scores), tie, regret 0.15; named: 0-1 loss, crammer-singer, argmax" in lines["crammer_singer"]
    assert lines["independent"].endswith("regression with f=grade, sort, independent: recomputed and equal")
    assert "wrong-equilibrium (2 items), strict, regret 0.0256526, attracting; named" in lines["xgboost"]


def test_verify_json(cli, saved):
    (document,) = cli("verify --json", saved["crammer_singer"]).document["files"]
    assert document["status"] == "ok"
    assert (document["regret"], document["failure"], document["attracting"]) == ("3/20", "tie", None)
    assert document["recomputed"] == ["0-1 loss", "crammer-singer", "argmax"]


@pytest.mark.parametrize("name", PLACES)
def test_show(cli, saved, name):
    short = cli("show", saved[name]).out.splitlines()
    assert len(short) <= 24 and max(map(len, short)) <= 80 and "certified." in " ".join(short)
    ran = cli("show", saved[name], "--details")
    assert (ran.code, ran.err) == (0, "")
    text = ran.said
    for words in PLACES[name]:
        assert " ".join(words.split()) in text
    assert "proof accepted" in ran.out.splitlines()[0]
    assert max(map(len, ran.out.splitlines()[1:])) <= 100
    assert "{" not in ran.out and "Fraction" not in ran.out and "None" not in ran.out


def test_show_json(cli, saved):
    document = cli("show --json", saved["xgboost"]).document
    assert (document["status"], document["attracting"]) == ("ok", True)
    assert document["witness"] == read("xgboost")
    assert document["reached_from_zero_in_floats"] is True


def test_verify_does_not_speak_of_what_only_floats_see(cli, saved):
    assert "zero" not in cli("verify", saved["xgboost"]).out
    (document,) = cli("verify --json", saved["xgboost"]).document["files"]
    assert not [key for key in document if "zero" in key]


def test_a_picture_of_a_task_shows_two_orders(cli, saved):
    assert cli("show", saved["softmax"], "--plot", "out.svg").code == 0
    drawn = Path("out.svg").read_text(encoding="utf-8")
    proof = read("softmax")["proof"]
    for word in ("better", "prediction"):
        assert " &gt; ".join(proof[word]) in drawn


def test_a_proof_whose_names_are_not_known_is_told_by_its_numbers(cli, tmp_path):
    document = read("softmax")
    mine = {"family": "next year's", "name": "mine"}
    named = {**document["named"], "surrogate": mine}
    path = str(save(sealed(document["proof"], named, {}), tmp_path, "mine.json"))
    text = cli("show", path, "--details").said
    for words in ("loss of 1 > 2 ≈0.000000 ≈0.369070 ≈0.147628", "f 1 2 0 6/5", "mine (of the family next"):
        assert words in text
