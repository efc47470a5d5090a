"""``measure``: exit codes, text, JSON and files."""

from pathlib import Path

import pytest

from consistency_lab.certify.proofs.file import verify_file
from consistency_lab.cli.codes import BAD_QUESTION, CONSISTENT, INCONSISTENT


def test_the_smallest_witness_is_saved_and_verified(cli):
    ran = cli("measure logistic --condition low-noise --items 3 --smallest")
    assert ran.code == INCONSISTENT
    assert "low noise, have 12 comparisons. None is smaller: " in ran.said
    (file,) = Path("witnesses").glob("*.json")
    assert verify_file(file).failure == "strict"


def test_the_earlier_name_is_the_same_command(cli):
    asked = ("logistic", "--condition", "low-noise", "--smallest", "--json")
    named, earlier = (cli(command, *asked) for command in ("measure", "search"))
    assert earlier.code == named.code == INCONSISTENT
    assert earlier.document["smallest"]["witness"] == named.document["smallest"]["witness"]
    assert cli("search --help").out == cli("measure --help").out
    assert "Earlier: search." in cli("--help --all").said


def test_json_has_every_level(cli):
    ran = cli("measure hinge --condition additive --json --no-save")
    found = ran.document["smallest"]
    assert (found["total"], found["proved"], found["failure"], found["open"]) == (6, True, "tie", 0)
    assert found["aggregate"] == [[0, 1, 3], [0, 0, 1], [1, 0, 0]]
    assert [level["total"] for level in found["levels"]] == list(range(1, 13))
    assert not Path("witnesses").exists()


def test_a_rate_says_that_it_is_an_estimate(cli):
    ran = cli("measure logistic --rate --samples 500 --json --no-save")
    found = ran.document["rate"]
    assert ran.code == INCONSISTENT
    assert found["samples"] == 500 and "estimate" in found["note"]
    assert found["interval"][0] < found["share"] < found["interval"][1]
    assert [share["margin"] for share in found["by_margin"]] == ["1/100", "1/50", "1/20", "1/10"]
    again = cli("measure logistic --rate --samples 500 --no-save")
    assert f"{100 * found['share']:.2f} %" in again.out


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


@pytest.mark.parametrize(
    ("arguments", "name"),
    [(("measure", "--items", "2,3"), "xgboost:rank:ndcg"), (("calibration",), "softmax")],
)
def test_a_name_for_a_target_is_sent_to_check_which_has_one(cli, arguments, name):
    ran = cli(*arguments, name)
    assert ran.code == BAD_QUESTION
    asked = "an atlas" if len(arguments) > 1 else arguments[0]
    assert f"{asked} takes surrogates of preference graphs only (list surrogates)" in ran.err
    command = ran.err.partition("; ")[2].partition(" decides it")[0]
    assert command == f"consistency-lab check {name} --target ndcg"


def test_help_offers_libraries_only_where_they_are_taken(cli):
    assert "rank:ndcg" in cli("check --help").out
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
    assert cli("measure logistic --worst --over ratio:1").code == CONSISTENT
