"""``measure``: exit codes, text, JSON and files."""

from fractions import Fraction
from pathlib import Path

import pytest

from consistency_lab.certify.proofs.file import verify_file
from consistency_lab.cli.codes import BAD_QUESTION, CONSISTENT, INCONSISTENT, UNDECIDED


def test_the_smallest_witness_is_saved_and_verified(cli):
    ran = cli("measure", "logistic", "--condition", "low-noise", "--items", "3", "--smallest")
    assert ran.code == INCONSISTENT
    assert "low noise, have 12 comparisons. None is smaller: " in ran.said
    (file,) = Path("witnesses").glob("*.json")
    assert verify_file(file).failure == "strict"


def test_the_earlier_name_is_the_same_command(cli):
    asked = ("logistic", "--condition", "low-noise", "--smallest", "--json")
    named, earlier = (cli(command, *asked) for command in ("measure", "search"))
    assert earlier.code == named.code == INCONSISTENT
    assert earlier.document["smallest"]["witness"] == named.document["smallest"]["witness"]
    assert cli("search", "--help").out == cli("measure", "--help").out
    assert "Earlier: search." in cli("--help", "--all").said


def test_json_has_every_level(cli):
    ran = cli("measure", "hinge", "--condition", "additive", "--json", "--no-save")
    found = ran.document["smallest"]
    assert (found["total"], found["proved"], found["failure"], found["open"]) == (6, True, "tie", 0)
    assert found["aggregate"] == [[0, 1, 3], [0, 0, 1], [1, 0, 0]]
    assert [level["total"] for level in found["levels"]] == list(range(1, 13))
    assert not Path("witnesses").exists()


def test_a_theorem_ends_with_consistent(cli):
    ran = cli("measure", "linear", "--condition", "low-noise", "--smallest", "--no-save")
    assert ran.code == CONSISTENT
    assert "There is no witness: DMJ10 Corollary 15" in ran.said


def test_a_rate_says_that_it_is_an_estimate(cli):
    ran = cli("measure", "logistic", "--rate", "--samples", "2000", "--json", "--no-save")
    found = ran.document["rate"]
    assert ran.code == INCONSISTENT
    assert found["samples"] == 2000 and "estimate" in found["note"]
    assert found["interval"][0] < found["share"] < found["interval"][1]
    assert [share["margin"] for share in found["by_margin"]] == ["1/100", "1/50", "1/20", "1/10"]
    again = cli("measure", "logistic", "--rate", "--samples", "2000", "--no-save")
    assert f"{100 * found['share']:.2f} %" in again.out


def test_several_questions_at_once(cli):
    options = ("--smallest", "--rate", "--samples", "500", "--no-save", "--json")
    ran = cli("measure", "linear", "--condition", "acyclic", *options)
    assert {"smallest", "rate"} <= set(ran.document) and ran.code == INCONSISTENT


def test_the_worst_case_is_a_bracket_with_a_witness(cli):
    ran = cli("measure", "linear", "--condition", "acyclic", "--worst", "--no-save", "--json")
    found = ran.document["worst"]
    assert ran.code == INCONSISTENT and 0 < Fraction(found["lower"]) <= Fraction(found["upper"])


def test_nothing_found_is_undecided(cli):
    ran = cli("measure", "difference-square", "--condition", "low-noise", "--budget", "0.5", "--no-save")
    assert ran.code == UNDECIDED
    assert "No data of 3 items that fool difference-square" in ran.said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--surrogates", "hinge,logistic", "--phi", "exp(-x)"), "an atlas takes surrogates by name"),
        (("logistic", "--samples", "0"), "--samples is 0"),
        (("logistic", "--condition", "low-nois"), "did you mean 'low-noise'"),
        (("logistic", "--items", "9"), "at most 6"),
        (("--phi", "-x", "--rate"), "not bounded below"),
        ((), "give either the name"),
    ],
)
def test_wrong_questions(refused, arguments, says):
    assert says in refused("measure", *arguments)


def test_several_surrogates_make_an_atlas(cli):
    cells = ("--condition", "additive", "--rate", "--samples", "500", "--out", "cells")
    first = cli("measure", "--surrogates", "hinge,logistic", *cells)
    assert first.code == 0 and "2 cells made, 0 already there" in first.err
    again = cli("measure", "--surrogates", "hinge,logistic", *cells)
    assert again.code == 0 and "0 cells made, 2 already there" in again.err
    assert cli("atlas", "cells").code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("logistic", "--surrogates", "hinge"), "add logistic to --surrogates"),
        (("--surrogates", "hinge,logistic", "--no-save"), "an atlas is always saved in its folder"),
        (("--surrogates", "hinge,logistic", "--jobs", "0"), "--jobs is 0"),
        (("--surrogates", "hinge,logistic", "--jobs", "65"), "it must be a number from 1 to 64"),
        (
            ("my_losses:Mine", "--items", "2,3"),
            "measure your own class with one --condition and one number",
        ),
    ],
)
def test_options_that_an_atlas_does_not_take(refused, arguments, says):
    assert says in refused("measure", *arguments)


def test_what_the_worst_case_finds_the_smallest_does_not_deny(cli, monkeypatch):
    """Both were asked at once, and one had a witness (5/46) where the other reported none."""
    monkeypatch.setattr("consistency_lab.apps.measure.smallest._MOST", 0)
    phi = "max(0,1-x)+max(0,1-x)**2"
    asked = ("--phi", phi, "--condition", "additive", "--worst", "--smallest", "--no-save")
    ran = cli("measure", *asked)
    assert ran.code == INCONSISTENT
    assert "5/46" in ran.out
    assert "No data of" not in ran.out
    assert "have 46 comparisons. A lighter one may exist" in ran.said


@pytest.mark.parametrize("name", ["xgboost:rank:ndcg", "softmax"])
@pytest.mark.parametrize(
    "arguments",
    [("measure",), ("calibration",), ("measure", "--items", "2,3"), ("measure", "--surrogates")],
    ids=" ".join,
)
def test_a_name_for_a_target_is_sent_to_check_which_has_one(cli, arguments, name):
    ran = cli(*arguments, name)
    assert ran.code == BAD_QUESTION
    asked = "an atlas" if len(arguments) > 1 else arguments[0]
    assert f"{asked} takes surrogates of preference graphs only (list surrogates)" in ran.err
    command = ran.err.partition("; ")[2].partition(" decides it")[0]
    assert command == f"consistency-lab check {name} --target ndcg"
    assert cli(*command.split()[1:], "--budget", "0.5", "--no-save").code != BAD_QUESTION


def test_help_offers_libraries_only_where_they_are_taken(cli):
    assert "rank:ndcg" in cli("check", "--help").out
    for command in ("measure", "calibration"):
        assert "rank:ndcg" not in cli(command, "--help").out


def test_the_worst_case_under_a_ratio_of_counts(cli):
    asked = "measure logistic --condition low-noise --items 3 --worst --design ratio:2"
    ran = cli(*asked.split())
    assert ran.code == INCONSISTENT
    assert "and ratio:2 is 1/16 = 0.0625: Unequal counts (docs/theory.md)." in ran.said
    assert "if each pair is won with a probability above 5/8 = 0.625, no order is wrong" in " ".join(
        ran.out.split()
    )
    (file,) = Path("witnesses").glob("*.json")
    assert verify_file(file).failure == "tie"
    document = cli(*asked.split(), "--json", "--no-save").document
    assert (document["design"], document["worst"]["margin"]) == ("ratio:2", "1/8")
    assert document["worst"]["lower"] == document["worst"]["upper"] == "1/16"


def test_the_worst_case_over_ratios_is_a_table_and_a_picture(cli):
    asked = ("measure", "--surrogates", "logistic,squared-hinge", "--worst", "--over", "ratio:1,2,20")
    ran = cli(*asked, "--plot", "ratio.svg")
    assert ran.code == INCONSISTENT
    assert [line.split() for line in ran.out.splitlines() if line.startswith("   1  ")] == [
        ["1", "0.00", "0.00"]
    ]
    assert [line.split()[1:3] for line in ran.out.splitlines() if line.startswith("   2  ")] == [
        ["6.25", "6.25"]
    ]
    assert Path("ratio.svg").read_bytes().startswith(b"<?xml")
    document = cli(*asked, "--json").document
    assert document["format"] == "consistency-lab/measure-over/1"
    assert [end["ratio"] for end in document["ends"]] == ["1", "2", "20"] * 2
    assert cli("measure", "logistic", "--worst", "--over", "ratio:1").code == CONSISTENT


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--worst", "--design", "ratio:1/2"), "the ratio of a design is 1/2; it must be at least 1"),
        (("--worst", "--design", "forest"), "known for balanced, ratio:R and any, not for forest"),
        (("--smallest", "--design", "ratio:2"), "--design applies to the worst case only; give --worst"),
        (("--over", "ratio"), "--over applies to the worst case only; give --worst"),
        (("--worst", "--over", "items"), "--over is 'items'; it must be ratio, or ratio:R,R,..."),
        (("--worst", "--over", "ratio:2,x"), "--over is 'x'"),
        (("--worst", "--over", "ratio:1/2"), "must be at least 1"),
        (("--worst", "--plot", "a.svg"), "--plot draws the worst case over ratios; add --over ratio"),
        (("--worst", "--over", "ratio", "--design", "ratio:2"), "--design does not fit --over; leave it out"),
        (("--worst", "--items", "3,4", "--design", "ratio:2"), "--design does not fit: an atlas"),
    ],
)
def test_a_wrong_design_is_one_clear_sentence(refused, options, message):
    assert message in refused("measure", "logistic", *options, "--no-save")
