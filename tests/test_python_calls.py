"""The calls that a person tries first work, or say what to pass."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import consistency_lab as lab

GALLERY = sorted((Path(__file__).parent.parent / "counterexamples").rglob("*.json"))
P = lab.Distribution.from_aggregate([[0, 3], [1, 0]])


def test_a_name_is_enough_to_check() -> None:
    assert lab.check("linear", "low-noise").verdict is lab.Verdict.CONSISTENT
    assert lab.check("logistic", ["additive"], items=3, effort=30).verdict is lab.Verdict.INCONSISTENT
    assert lab.check_task("regression", "ndcg", "any", effort=30).surrogate == lab.task_surrogate(
        "regression"
    )


def test_what_read_profile_returns_can_be_checked(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    file.write_text("winner,loser,count\nann,bob,3\nbob,ann,1\n", encoding="utf-8")
    profile = lab.read_profile(file)
    decision = lab.check_profile("logistic", profile)
    assert decision.verdict is lab.Verdict.CONSISTENT
    assert decision.distribution == profile.distribution
    assert decision.notes == profile.notes


def test_a_surrogate_is_minimized_at_a_distribution() -> None:
    for surrogate in ("logistic", lab.surrogate("logistic")):
        found = lab.minimize(surrogate, P)
        assert [str(x) for x in found.exact or ()] == ["log(3)", "0"]
    assert lab.minimize(lab.surrogate("logistic").risk_terms(P), P).exact == found.exact


def test_a_name_is_enough_to_find_and_to_certify() -> None:
    found = lab.find("hinge", "additive", 3)
    assert found is not None
    certified = lab.certify_at("hinge", found.distribution)
    assert certified is not None
    assert certified.verified.claim == found.verified.claim == "inconsistent"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: lab.check_profile("logistic", "games.csv"), "a str is given; pass a Distribution"),
        (
            lambda: lab.check_profile("logistic", [[0, 1], [0, 0]]),
            "Distribution.from_aggregate reads a matrix",
        ),
        (lambda: lab.minimize("logistic", 2), "W of a surrogate is minimized at a Distribution, not at 2"),
        (
            lambda: lab.check_task(lab.surrogate("logistic"), "ndcg"),
            "a EdgeSurrogate is given; pass task_surrogate",
        ),
        (lambda: lab.check_task("softmax", 3), "a target is asked for, and a int is given"),
        (lambda: lab.check(lab.task_surrogate("softmax")), "a Softmax is given; pass surrogate('logistic')"),
        (lambda: lab.check(P), "a Distribution is given"),
        (
            lambda: lab.check("hinge", items=0),
            "the number of items is 0; a search takes whole numbers from 2 to 6",
        ),
        (lambda: lab.check("hinge", items=[3, 9]), "the number of items is 9"),
        (lambda: lab.check("hinge", items=()), "the number of items is ()"),
        (lambda: lab.find("hinge", "additive", "3"), "the number of items is '3'"),
        (lambda: lab.check("hinge", effort="5 s"), "effort is '5 s'; pass a number of seconds"),
        (lambda: lab.check_task("softmax", "ndcg", effort=-1), "effort is -1; pass a number of seconds"),
        (
            lambda: lab.verify({"format": "witness"}),
            "knows 'consistency-lab/proof/2', 'consistency-lab/witness/1', ",
        ),
    ],
)
def test_a_wrong_call_is_told_what_to_pass(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(lab.InputError) as refused:
        call()
    assert sentence in str(refused.value)


@pytest.mark.parametrize("file", GALLERY, ids=lambda file: file.stem)
def test_verify_takes_what_verify_file_takes(file: Path) -> None:
    assert lab.verify(json.loads(file.read_text(encoding="utf-8"))) == lab.verify_file(file)
