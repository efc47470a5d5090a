"""The experiments from the command line: MovieLens, web search, simulated judges."""

import json

import pytest

from consistency_lab.apps.learn.experiments.ratings import METHODS, PAPER
from consistency_lab.apps.learn.experiments.report import movielens_plot, movielens_report
from consistency_lab.show.text import rendered

SMALL = "--queries 2 --sizes 50 --orders 1,3 --lambdas 0.1,1 --runs 2 --steps 0"
LETOR = "2 qid:1 1:3 2:1\n0 qid:1 1:1 2:1\n1 qid:1 1:2 2:0\n"


def test_the_web_experiment_on_the_stand_in_says_that_it_is_synthetic(cli):
    ran = cli("experiment web --synthetic", *SMALL.split())
    assert ran.code == 0
    assert ran.said.startswith("NDCG risk on SYNTHETIC stand-in for MSLR-WEB10K: 2 queries, ")
    assert "aggregated, exact, k = 3" in ran.out


def test_the_web_experiment_on_a_file_with_figures(cli, tmp_path):
    (tmp_path / "train.txt").write_text(LETOR)
    ran = cli(
        "experiment web --data", str(tmp_path / "train.txt"), "--figures", str(tmp_path), *SMALL.split()
    )
    assert ran.code == 0
    assert ran.said.startswith("NDCG risk on train.txt: 1 queries, 3 documents, 2 features; 2 runs")
    assert sorted(path.name for path in tmp_path.glob("web-*")) == [
        f"web-{name}.{form}" for name in ("lambda", "orders") for form in ("png", "svg")
    ]


@pytest.mark.long
def test_the_judges_are_seen_to_lead_astray(cli, tmp_path):
    options = ("--sizes", "30", "--orders", "1,3", "--runs", "1")
    ran = cli("experiment judges", *options, "--figures", str(tmp_path))
    assert ran.code == 0
    assert "1 > 3 > 2, regret 1/16" in ran.out and "certified: C stands above D" in ran.said
    assert (tmp_path / "judges.svg").exists() and (tmp_path / "judges.png").exists()
    found = json.loads(cli("experiment judges", *options, "--json").out)
    assert [one["name"] for one in found["instances"]] == ["lemma-10", "features", "bradley-terry"]


def test_rank_lists_of_a_file(cli, tmp_path):
    (tmp_path / "lists.txt").write_text("1 qid:1 1:1 2:2\n0 qid:1 1:2 2:NULL\n")
    ran = cli("experiment judges --rank-lists", str(tmp_path / "lists.txt"))
    assert ran.code == 0
    assert "2 rankers on 1 queries with 2 documents" in ran.out


QUICK = ("experiment", "movielens", "--synthetic", "--pairs", "50,100", "--runs", "1")


def test_the_table_and_its_picture(cli, tmp_path):
    ran = cli(*QUICK, "--svg", "t.svg", "--png", "t.png")
    assert (ran.code, ran.err) == (0, "written: t.svg\nwritten: t.png\n")
    assert ran.out.startswith("DMJ10 §4, Table 1, on synthetic ratings (seed 0): 4800 ratings by 120 users")
    assert max(map(len, ran.out.splitlines())) <= 100
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["pairs", "method", "here", "paper", "lowest"] in rows
    assert [row[:2] for row in rows if row[-2:-1] == ["-"]] == [
        [n, one] for n in ("50", "100") for one in METHODS
    ]
    assert (tmp_path / "t.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")


def test_the_document(cli):
    document = cli(*QUICK, "--json", "--seed", "3").document
    assert (document["experiment"], len(document["rows"])) == ("movielens", 2 * 3)
    settings = document["settings"]
    assert (settings["pairs"], settings["seed"], settings["runs"]) == ([50, 100], 3, 1)


def printed():
    """A document that has measured just what the paper has."""
    table = [
        {"method": method, "pairs": pairs, **found, "lowest": 15 * (method == "linear"), "paper": found}
        | {"by_lambda": [0.5, found["mean"]]}
        for (method, pairs), found in PAPER.items()
    ]
    return {
        "citation": "DMJ10 §4, Table 1",
        "data": {"source": "MovieLens 100k", "ratings": 100_000, "users": 943, "films": 1682},
        "settings": {"runs": 15, "seed": 0, "variant": "plain", "about": "as it is"}
        | {"lambdas": [0.1, 10.0], "largest": 10.0},
        "table": table,
        "differences": [],
    }


def test_the_paper_stands_beside_what_was_measured():
    lines = [line.split() for line in rendered(movielens_report(printed()))]
    assert ["20000", "hinge", "0.4780", "(0.0080)", "0.478", "(0.008)", "0"] in lines
    assert ["160000", "linear", "0.4610", "(0.0040)", "0.461", "(0.004)", "15"] in lines
    assert ["pairs", "method", "0.1", "10"] in lines
    assert ["160000", "linear", "0.5000", "0.4610"] in lines


def test_the_picture_has_both():
    from matplotlib.figure import Figure

    figure = Figure()
    movielens_plot(printed()).draw(figure)
    ours, theirs = figure.axes
    assert [axes.get_title() for axes in (ours, theirs)] == ["measured here", "printed in the paper"]
    for axes in (ours, theirs):
        assert [text.get_text() for text in axes.get_legend().get_texts()] == list(METHODS)
        heights = [bars.lines[0].get_ydata().tolist() for bars in axes.containers]
        assert heights[0] == [0.478, 0.477, 0.480, 0.477, 0.474]
