"""`experiment movielens`: the table, the document and the picture."""

import pytest

from consistency_lab.apps.learn.experiments.ratings import METHODS, PAPER
from consistency_lab.apps.learn.experiments.report import movielens_plot, movielens_report
from consistency_lab.show.text import rendered

QUICK = ("experiment", "movielens", "--synthetic", "--pairs", "200,400", "--runs", "2")


def test_the_table(cli) -> None:
    ran = cli(*QUICK)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("DMJ10 §4, Table 1, on synthetic ratings (seed 0): 4800 ratings by 120 users")
    assert max(map(len, ran.out.splitlines())) <= 100
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["pairs", "method", "here", "paper", "lowest"] in rows
    assert [row[:2] for row in rows if row[-2:-1] == ["-"]] == [
        [pairs, method] for pairs in ("200", "400") for method in METHODS
    ]


def test_the_document(cli) -> None:
    ran = cli(*QUICK, "--json", "--seed", "3")
    assert (ran.code, ran.err) == (0, "")
    document = ran.document
    assert document["experiment"] == "movielens"
    assert document["settings"]["pairs"] == [200, 400]
    assert (document["settings"]["seed"], document["settings"]["runs"]) == (3, 2)
    assert len(document["rows"]) == 2 * 2 * 3
    assert cli(*QUICK, "--json", "--seed", "3").document == document


def test_the_picture(cli, tmp_path) -> None:
    ran = cli(*QUICK, "--svg", "t.svg", "--png", "t.png")
    assert (ran.code, ran.err) == (0, "written: t.svg\nwritten: t.png\n")
    assert (tmp_path / "t.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")


def printed() -> dict[str, object]:
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


def test_the_paper_stands_beside_what_was_measured() -> None:
    lines = [line.split() for line in rendered(movielens_report(printed()))]
    assert ["20000", "hinge", "0.4780", "(0.0080)", "0.478", "(0.008)", "0"] in lines
    assert ["160000", "linear", "0.4610", "(0.0040)", "0.461", "(0.004)", "15"] in lines
    assert ["pairs", "method", "0.1", "10"] in lines
    assert ["160000", "linear", "0.5000", "0.4610"] in lines


def test_the_picture_has_both() -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    movielens_plot(printed()).draw(figure)
    ours, theirs = figure.axes
    assert [axes.get_title() for axes in (ours, theirs)] == ["measured here", "printed in the paper"]
    for axes in (ours, theirs):
        assert [text.get_text() for text in axes.get_legend().get_texts()] == list(METHODS)
        heights = [bars.lines[0].get_ydata().tolist() for bars in axes.containers]
        assert heights[0] == [0.478, 0.477, 0.480, 0.477, 0.474]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give either --data DIR or --synthetic"),
        (("--data", "x", "--synthetic"), "give either --data DIR or --synthetic"),
        (("--data", "x"), "x is not a folder; give the MovieLens 100k folder with u.data and u.item"),
        (("--synthetic", "--pairs", "2e4"), "--pairs is '2e4'; it must read like 1,10,100"),
        (
            ("--synthetic", "--pairs", "2000000"),
            "the number of pairs is 2000000; it must be from",
        ),
        (("--synthetic", "--runs", "0"), "the number of runs is 0; it must be from 1 to 1000"),
        (("--synthetic", "--variant", "x"), "there is no variant 'x'; they are plain, steps"),
        (("--synthetic", "--jobs", "0"), "--jobs is 0; it must be a number from 1 to"),
        (("--synthetic", "--svg", "t.png"), "--svg is t.png; its name must end in .svg"),
        (("--synthetic", "--svg", "no/t.svg"), "no/t.svg cannot be written"),
    ],
)
def test_one_sentence_says_what_is_wrong(cli, words: tuple[str, ...], said: str) -> None:
    ran = cli("experiment", "movielens", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(said)
    assert ran.err.count("\n") == 1
