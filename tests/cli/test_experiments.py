"""The experiments of DMJ13 and with simulated judges, from the command line."""

import json
from pathlib import Path

import pytest

SMALL = "--queries 2 --sizes 50 --orders 1,3 --lambdas 0.1,1 --runs 2 --steps 0"
LETOR = "2 qid:1 1:3 2:1\n0 qid:1 1:1 2:1\n1 qid:1 1:2 2:0\n"


def test_the_web_experiment_on_the_stand_in_says_that_it_is_synthetic(cli) -> None:
    ran = cli("experiment", "web", "--synthetic", *SMALL.split())
    assert ran.code == 0
    assert ran.said.startswith("NDCG risk on SYNTHETIC stand-in for MSLR-WEB10K: 2 queries, ")
    assert "aggregated, exact, k = 3" in ran.out
    found = json.loads(cli("experiment", "web", "--synthetic", "--json", *SMALL.split()).out)
    assert found["data"]["title"].startswith("SYNTHETIC") and found["settings"]["sizes"] == [50]


def test_the_web_experiment_on_a_file_with_figures(cli, tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(LETOR)
    ran = cli(
        "experiment", "web", "--data", str(tmp_path / "train.txt"), "--figures", str(tmp_path), *SMALL.split()
    )
    assert ran.code == 0
    assert ran.said.startswith("NDCG risk on train.txt: 1 queries, 3 documents, 2 features; 2 runs")
    assert sorted(path.name for path in tmp_path.glob("web-*")) == [
        f"web-{name}.{form}" for name in ("lambda", "orders") for form in ("png", "svg")
    ]


def test_the_judges_are_seen_to_lead_astray(cli, tmp_path: Path) -> None:
    options = ("--sizes", "30,100", "--orders", "1,3", "--runs", "2")
    ran = cli("experiment", "judges", *options, "--figures", str(tmp_path))
    assert ran.code == 0
    assert "1 > 3 > 2, regret 1/16" in ran.out and "certified: C stands above D" in ran.said
    assert (tmp_path / "judges.svg").exists() and (tmp_path / "judges.png").exists()
    found = json.loads(cli("experiment", "judges", *options, "--json").out)
    assert [one["name"] for one in found["instances"]] == ["lemma-10", "features", "bradley-terry"]


def test_rank_lists_of_a_file(cli, tmp_path: Path) -> None:
    (tmp_path / "lists.txt").write_text("1 qid:1 1:1 2:2\n0 qid:1 1:2 2:NULL\n")
    ran = cli("experiment", "judges", "--rank-lists", str(tmp_path / "lists.txt"))
    assert ran.code == 0
    assert "2 rankers on 1 queries with 2 documents" in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("web",), "give either --data FILE or --synthetic"),
        (("web", "--synthetic", "--data", "x"), "give either --data FILE or --synthetic"),
        (("web", "--data", "nothing.txt"), "nothing.txt cannot be read"),
        (("web", "--synthetic", "--sizes", "10,x"), "--sizes is '10,x'; it must read like 1,10,100"),
        (("web", "--synthetic", "--lambdas", "0"), "--lambdas is '0'"),
        (("web", "--synthetic", "--lambdas", "nan"), "--lambdas is 'nan'"),
        (("web", "--synthetic", "--queries", "0"), "--queries is 0"),
        (("web", "--synthetic", "--seed", "-1"), "seed is -1; it must be at least 0"),
        (("web", "--synthetic", "--runs", "0"), "runs is 0; it must be finite and above 0"),
        (("web", "--synthetic", "--lam", "inf"), "lam is inf; it must be finite and above 0"),
        (("web", "--synthetic", "--steps", "-1"), "steps is -1; it must be at least 0"),
        (("web", "--synthetic", "extra"), "got unexpected extra argument (extra)"),
        (("judges", "--orders", "1,,2"), "--orders is '1,,2'"),
        (("judges", "--runs", "0"), "runs is 0"),
        (("judges", "--seed", "-1"), "seed is -1; it must be at least 0"),
        (("judges", "--rank-lists", "x", "--figures", "y"), "leave out --figures"),
    ],
)
def test_a_wrong_question_is_told_in_one_sentence(refused, words: tuple[str, ...], said: str) -> None:
    assert said in refused("experiment", *words)
