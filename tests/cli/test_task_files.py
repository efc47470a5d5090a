"""`verify` and `show` on witnesses about prediction tasks."""

import json
from pathlib import Path

import pytest

from consistency_lab.report.saving import save

from ..kernel.tasks.witnesses import WITNESSES

PLACES = {
    "softmax": [
        "E f_i(y)",
        "(2, 1) 3/5 2 1",
        "6/5 1",
        "u_1 = log(6/5)",
        "sorts the items by falling score; it may return 1 > 2",
        "So softmax with the decoder sort is INCONSISTENT for ndcg",
        "P_i = y_i",
    ],
    "softmax_exp": ["P_i = exp(y_i) / sum exp(y)", "0.546"],
    "ranknet": ["(2, 1) -6/25 6/25", "sum 0 0", "φ(u_1 - u_2) log(3/2) -2/5", "minimize the risk"],
    "hinge": ["-2/3, chosen in [-1, 0]"],
    "list_mle": ["Plackett", "sum 0 0", "3/40"],
    "crammer_singer": ["class 1", "weights 0, 5/8 and 3/8", "This is a tie", "it may return class 3"],
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
        "can come to rest where its order is wrong for ndcg",
    ],
}


@pytest.fixture
def saved(tmp_path: Path) -> dict[str, str]:
    return {name: str(save(make(), tmp_path / "files", f"{name}.json")) for name, make in WITNESSES.items()}


def test_verify(cli, saved: dict[str, str]) -> None:
    ran = cli("verify", *saved.values())
    assert (ran.code, ran.err) == (0, "")
    lines = dict(zip(saved, ran.out.splitlines(), strict=True))
    assert lines["softmax"].endswith(
        "inconsistent for ndcg (softmax, any, 2 items), strict, regret 0.0256526, mean"
    )
    assert "(crammer-singer, any, 3 classes), tie, regret 0.15, stationary" in lines["crammer_singer"]
    assert lines["independent"].count("independent") == 2
    assert lines["xgboost"].endswith("equilibrium (attracting)")


def test_verify_json(cli, saved) -> None:
    (document,) = cli("verify", "--json", saved["crammer_singer"]).document
    assert document["status"] == "ok"
    assert (document["regret"], document["failure"], document["attracting"]) == ("3/20", "tie", None)
    assert (document["target"], document["decoder"], document["size"]) == ("zero-one", "argmax", 3)


def test_a_changed_file_is_rejected_by_both(cli, saved) -> None:
    document = json.loads(Path(saved["hinge"]).read_text(encoding="utf-8"))
    document["prediction"], document["better"] = document["better"], document["prediction"]
    Path("spoilt.json").write_text(json.dumps(document), encoding="utf-8")
    assert cli("verify", "spoilt.json").code == 1
    ran = cli("show", "spoilt.json")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("REJECTED spoilt.json: ")


@pytest.mark.parametrize("name", WITNESSES)
def test_show(cli, saved, name: str) -> None:
    ran = cli("show", saved[name])
    assert (ran.code, ran.err) == (0, "")
    text = " ".join(ran.out.split())
    for words in PLACES.get(name, []):
        assert " ".join(words.split()) in text
    assert "accepted by the kernel" in ran.out.splitlines()[0]
    assert max(map(len, ran.out.splitlines())) <= 100
    assert "{" not in ran.out and "Fraction" not in ran.out and "None" not in ran.out


def test_show_json(cli, saved) -> None:
    document = cli("show", "--json", saved["xgboost"]).document
    assert (document["status"], document["attracting"]) == ("ok", True)
    assert document["witness"] == WITNESSES["xgboost"]()
    assert document["reached_from_zero_in_floats"] is True


def test_what_is_no_equilibrium_is_not_followed(cli, saved) -> None:
    assert cli("show", "--json", saved["hinge"]).document["reached_from_zero_in_floats"] is None
    assert "zero scores" not in cli("show", saved["hinge"]).out


def test_verify_does_not_speak_of_what_only_floats_see(cli, saved) -> None:
    assert "zero" not in cli("verify", saved["xgboost"]).out
    (document,) = cli("verify", "--json", saved["xgboost"]).document
    assert not [key for key in document if "zero" in key]


def test_there_is_no_picture_of_a_task(cli, saved) -> None:
    ran = cli("show", saved["softmax"], "--plot", "out.svg")
    assert (ran.code, ran.out) == (2, "")
    assert "about a task" in ran.err
    assert not Path("out.svg").exists()
