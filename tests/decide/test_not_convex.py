"""A proof about a loss that is not convex is of the infimum of W, and every answer says so first."""

import json
from pathlib import Path

import pytest

import consistency_lab as lab
from consistency_lab.cli.running import run
from consistency_lab.data.labels import read_label_lists, read_labels
from consistency_lab.decide.lists import decide_lists
from consistency_lab.decide.profile import decide_profile
from consistency_lab.decide.surrogate import strongest
from consistency_lab.model.surrogates.tasks.shipped import LIBRARIES
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.show.lists import comparison_document, comparison_lines
from consistency_lab.show.text import rendered

CAVEAT = "at the infimum of W; it is not convex, so training can stop elsewhere"
GAMES = "winner,loser\na,b\nb,c\na,b\n"


def _first(said):
    """The first paragraph, on one line."""
    return " ".join(said.partition("\n\n")[0].split())


@pytest.mark.parametrize(
    ("asked", "convex"),
    [
        (["sigmoid"], False),
        (["--phi", "1/(1+exp(x))"], False),
        (["--phi", "1e3/(1+exp(2*x))", "--condition", "any"], False),
        (["trl:apo_down"], False),
        (["sigmoid", "--details"], False),
        (["sigmoid", "--at", "games.csv"], False),
        (["linear", "--condition", "low-noise"], True),
    ],
)
def test_the_first_sentence_says_it_and_json_has_a_field(asked, convex, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("games.csv").write_text(GAMES, encoding="utf-8")
    words = ["check", *asked, "--no-save"]
    assert run(words) == 0
    assert (CAVEAT in _first(capsys.readouterr().out)) is not convex
    assert run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["convex"] is convex


def test_a_row_of_a_library_says_it(capsys):
    words = ["check", "approxndcg", "--target", "ndcg", "--items", "2", "--budget", "0.1", "--no-save"]
    run(words)
    assert "; not convex" in " ".join(capsys.readouterr().out.split())
    run([*words, "--json"])
    assert json.loads(capsys.readouterr().out)["plain"]["convex"] is False


def test_a_list_of_losses_says_it_of_the_one(tmp_path):
    file = tmp_path / "lists.csv"
    file.write_text("query,judge,item,grade\nq,1,A,2\nq,1,B,1\nq,2,A,0\nq,2,B,1\n", encoding="utf-8")
    smooth = LIBRARIES["tf-ranking:approx_ndcg_loss"].plain
    lists = read_label_lists(str(file), "grades")
    found = decide_lists([smooth, "regression-gain-over-z"], lists, lambda m: target("ndcg", items=m))
    (query,) = comparison_document(found, {})["queries"]
    assert [one["convex"] for one in query["answers"]] == [False, True]
    said = " ".join(" ".join(rendered(comparison_lines(found, {}, {}))).split())
    assert f"approx-ndcg-10 misranks none of 1 query, {CAVEAT}" in said
    assert said.count("training can stop elsewhere") == 1


def test_a_card_says_it(tmp_path):
    at = tmp_path / "at.csv"
    at.write_text("A,B,C,count\n2,1,0,3\n0,1,2,2\n", encoding="utf-8")
    smooth = LIBRARIES["tf-ranking:approx_ndcg_loss"].plain
    assert smooth is not None
    here = decide_profile(smooth, read_labels(at, "grades"), target=target("ndcg"))
    for found in (lab.check("sigmoid", "any"), strongest("sigmoid"), here):
        assert found.convex is False
        assert "training" in repr(found)
        assert "can stop elsewhere" in " ".join(repr(found).split())
    assert "training" not in repr(lab.check("linear", "low-noise"))


def test_where_nothing_is_proved_nothing_is_said(capsys):
    run(["check", "exo", "--items", "3", "--condition", "any", "--budget", "1", "--no-save"])
    assert "infimum of W" not in _first(capsys.readouterr().out)
    assert "training can stop elsewhere" in str(lab.assert_consistent.__doc__)
