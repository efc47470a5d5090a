"""`aggregate`: what is written for pairs, grades and clicks, and what is refused."""

import csv
import io
import sys
from pathlib import Path

import pytest

PAIRS = ("--query", "q", "--winner", "w", "--loser", "l")


@pytest.fixture
def here(cli):
    """Three tables, and features, in the folder in which `cli` runs."""
    Path("pairs.csv").write_text("q,w,l\n1,A,B\n1,A,B\n1,B,A\n1,B,\n", encoding="utf-8")
    Path("grades.csv").write_text('q;i;j;g\n1;"A;1";u;3\n1;B;u;1\n1;B;v;2\n', encoding="utf-8")
    Path("clicks.csv").write_text("s,i,p,c\n1,A,1,0\n1,B,2,1\n2,A,1,1\n2,B,2,0\n", encoding="utf-8")
    Path("features.txt").write_text("0 qid:1 1:1 # A\n0 qid:1 2:1 # B\n", encoding="utf-8")
    return cli


def labels(text):
    return {row["item"]: float(row["label"]) for row in csv.DictReader(io.StringIO(text))}


def test_pairs_become_labels_on_stdout(here):
    ran = here("aggregate pairs.csv", *PAIRS, "--structure", "ammar-shah")
    assert ran.code == 0
    assert ran.out == "query,item,label\n1,A,0.6666666666666666\n1,B,0.3333333333333333\n"
    assert ran.err == (
        "Warning: 25 % of the rows are left out (1 of 4)\n1 row is left out: an item has no name (line 5)\n"
    )


def test_the_default_is_the_log_odds_with_smoothing_one(here):
    ran = here("aggregate pairs.csv", *PAIRS)
    assert ran.out == here("aggregate pairs.csv", *PAIRS, "--smoothing", "1").out
    assert ran.out == here("aggregate pairs.csv", *PAIRS, "--structure", "btl-log-odds").out
    less = here("aggregate pairs.csv", *PAIRS, "--smoothing", "0.1")
    assert labels(less.out)["A"] > labels(ran.out)["A"] > 0


def test_thurstone_and_mosteller_start_from_a_matrix(here):
    on = (*PAIRS, "--structure", "thurstone-mosteller")
    assert labels(here("aggregate pairs.csv", *on, "--of", "average-adjacency").out) == {
        "A": pytest.approx(1 / 12),
        "B": pytest.approx(-1 / 12),
    }
    odds = here("aggregate pairs.csv", *on, "--of", "btl-log-odds", "--smoothing", "0.1").out
    assert odds == here("aggregate pairs.csv", *on, "--smoothing", "0.1").out


def test_grades_are_written_to_a_file(here):
    ran = here(
        *("aggregate", "grades.csv", "--query", "q", "--item", "i", "--judge", "j", "--grade", "g"),
        *("--structure", "average-adjacency", "--out", "labels.csv"),
    )
    assert (ran.code, ran.out, ran.err) == (0, "", "written: labels.csv\n")
    assert Path("labels.csv").read_text(encoding="utf-8") == "query,item,label\n1,A;1,0.25\n1,B,-0.25\n"


def test_clicks_and_one_query(here):
    ran = here("aggregate clicks.csv --item i --session s --position p --clicked c --structure cascade-mle")
    assert ran.out == "query,item,label\n,A,0.5\n,B,1\n"


def test_training_files_are_written(here):
    training = ("--format", "lightgbm", "--features", "features.txt", "--out", "train.txt", "--grades", "2")
    ran = here("aggregate pairs.csv", *PAIRS, *training)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.endswith("written: train.txt, train.txt.pairs, train.txt.query\n")
    assert Path("train.txt").read_text(encoding="utf-8") == "1 1:1\n0 2:1\n"
    assert Path("train.txt.query").read_text(encoding="utf-8") == "2\n"
    assert Path("train.txt.pairs").read_text(encoding="utf-8").startswith("0\t1\t0.44")


def test_nothing_that_a_table_holds_steers_a_terminal_or_a_spreadsheet(here):
    text = "i;j;g\n=1+1;u;2\n\x1b[2J;u;1\n-5;u;0\nA\x9b;u;0\n"
    Path("odd.csv").write_text(text, encoding="utf-8")
    ran = here("aggregate odd.csv --item i --judge j --grade g --out o.csv")
    assert "2 rows are left out: a cell has a line break or control character" in ran.err
    rows = Path("o.csv").read_text(encoding="utf-8").splitlines()
    assert [row.rpartition(",")[0] for row in rows] == ["query,item", ",'=1+1", ",-5"]


def test_a_column_count_counts_though_it_is_not_named(here):
    Path("counted.csv").write_text("w,l,count,j\nA,B,3,x\nB,A,1,x\n", encoding="utf-8")
    words = ("--winner", "w", "--loser", "l", "--structure", "ammar-shah")
    ran = here("aggregate counted.csv", *words)
    assert labels(ran.out) == {"A": 0.75, "B": 0.25}
    assert ran.err == "each row counts as often as its column count says\n"
    assert here("aggregate counted.csv", *words, "--count", "count").out == ran.out


def test_standard_input(here, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"q,w,l\n1,A,B\n"))))
    assert labels(here("aggregate -", *PAIRS).out).keys() == {"A", "B"}


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("pairs.csv", "no columns are named; name those of pairs"),
        ("pairs.csv --winner w --grade l", "columns of pairs and of grades are named"),
        ("pairs.csv --winner w", "give the names of the columns winner and loser, or a, b and winner"),
        ("pairs.csv --loser w", "--winner is missing"),
        ("pairs.csv --winner w --loser l --item q", "pairs have no --item; leave it out"),
        ("clicks.csv --item i --clicked c --session s", "--position is missing"),
        ("grades.csv --grade g --item i", "--judge is missing"),
        ("pairs.csv --winner w --loser nobody", "pairs.csv has no column 'nobody'; its columns are q, w, l"),
        ("missing.csv --winner w --loser l", "missing.csv cannot be read"),
        ("pairs.csv --winner w --loser l --structure borad", "did you mean 'borda'"),
        ("pairs.csv --winner w --loser l --structure cascade-mle", "cascade-mle aggregates clicks"),
        ("pairs.csv --winner w --loser l --structure ammar-shah --smoothing 2", "has no parameter 'c'"),
        ("pairs.csv --winner w --loser l --smoothing 0", "the smoothing c is 0.0"),
        ("pairs.csv --winner w --loser l --structure borda --of ammar-shah", "are made of AmmarShah"),
        ("pairs.csv --winner w --loser l --bad-rows fail", "line 5: an item has no name"),
        ("pairs.csv --winner w --loser l --bad-rows stop", "--bad-rows is 'stop'"),
        ("pairs.csv --winner w --loser l --ties x", "--ties is 'x'"),
        ("pairs.csv --winner w --loser l --format rank", "--format is 'rank'; it must be one of csv, light"),
        ("pairs.csv --winner w --loser l --format xgboost", "--features and a --format other than csv go"),
        ("pairs.csv --winner w --loser l --features f", "--features and a --format other than csv go"),
        ("pairs.csv --winner w --loser l --format xgboost --features features.txt", "writes several files"),
        ("pairs.csv --winner w --loser l --out ./pairs.csv", "--out pairs.csv is an input file"),
        (
            "pairs.csv --winner w --loser l --format xgboost --features pairs.csv --out pairs.csv",
            "is an input file",
        ),
        (
            "pairs.csv --winner w --loser l --format xgboost --features x.pairs --out x",
            "x.pairs is an input file",
        ),
        ("pairs.csv --winner w --loser l --grades 1", "the number of grades is 1"),
        ("pairs.csv --winner w --loser l --out none/labels.csv", "none"),
    ],
)
def test_a_wrong_question_is_one_sentence(here, words, error):
    before = sorted(Path().iterdir())
    ran = here("aggregate", *words.split())
    assert (ran.code, ran.out) == (2, "")
    assert error in ran.err.splitlines()[-1]
    assert sorted(Path().iterdir()) == before
