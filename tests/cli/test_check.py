"""`check`: exit codes, JSON, files, and every wrong question answered by one sentence."""

import json
import shlex
from pathlib import Path

import pytest

from consistency_lab import InputError, verify_file
from consistency_lab.certify.proofs import file as saving
from consistency_lab.decide import surrogate

UNDECIDED_FAST = ("--items", "2", "--budget", "5")


def test_a_theorem_gives_exit_code_0(cli):
    """DMJ10 Theorem 13 with Corollary 15."""
    ran = cli("check linear --condition low-noise --json")
    assert ran.code == 0
    (answer,) = ran.document["answers"]
    assert (ran.document["verdict"], answer["verdict"]) == ("CONSISTENT", "CONSISTENT")
    assert "Corollary 15" in answer["citation"]
    assert answer["scope"] == "all m"
    assert {"statement", "how"} == answer["hypotheses"][0].keys()
    (saved,) = Path("witnesses").iterdir()
    assert ran.document["proofs"] == {"low-noise": str(saved)}


def test_a_witness_gives_exit_code_1_and_a_file_that_the_core_accepts(cli):
    ran = cli("check linear --condition acyclic --json --out found")
    assert ran.code == 1
    (answer,) = ran.document["answers"]
    assert answer["verdict"] == "INCONSISTENT"
    assert answer["failure"] == "strict"
    path = Path(answer["witness"]["file"])
    assert path.parent == Path("found")
    assert path.name.startswith("linear-acyclic-3items-")
    assert verify_file(path).conditions["acyclic"]
    assert [entry.name for entry in Path("found").iterdir()] == [path.name]


def test_every_narrowest_example_is_saved(cli):
    ran = cli("check hinge --items 3")
    assert ran.code == 1
    saved = [json.loads(path.read_text())["provenance"]["command"] for path in Path("witnesses").iterdir()]
    assert set(saved) == {"consistency-lab check hinge --items 3"} and len(saved) >= 2


def test_nothing_found_gives_exit_code_3(cli):
    asked = ("--condition", "acyclic", "--design", "balanced", "--items", "3")
    ran = cli("check difference-square", *asked, "--budget", "1", "--details")
    assert ran.code == 3
    said = ran.said
    assert "is open" in said and "no construction for it gave a witness with 3 items" in said
    assert "searched" in ran.err


def test_a_function_that_is_not_convex_is_undecided(cli):
    ran = cli("check margin-sigmoid --condition additive --budget 1 --json")
    assert ran.code == 3
    assert ran.document["properties"]["convex"]["status"] == "refuted"
    assert "not convex" in ran.document["answers"][0]["reason"]


def test_the_table_names_every_condition_and_the_files(cli):
    ran = cli("check regression --condition acyclic --condition net-order --details")
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert any(line.startswith(" right  net order ") for line in lines)
    assert any(line.startswith(" wrong  acyclic ") for line in lines)
    saved = {line.split()[-1] for line in lines if " show " in line}
    assert saved == {*map(str, Path("witnesses").iterdir())}
    assert len(saved) == 2  # the proof under net-order and the witness under acyclic
    assert max(map(len, lines)) <= 100
    assert "\x1b" not in ran.out


def test_why_several_conditions_are_undecided_is_said_once(cli):
    ran = cli("check --phi '7**(max(max(0,1e29),x))' --condition any --condition acyclic")
    assert ran.said.count("not searched") == 1
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("asked", ["--phi (1-x)**2 --form difference", "softmax --target NDCG --gain s"])
def test_the_command_in_the_file_finds_the_same_file(cli, asked):
    first = cli("check", *asked.split(), "--condition", "any", "--json")
    path = Path(first.document["answers"][0]["witness"]["file"])
    command = shlex.split(json.loads(path.read_text(encoding="utf-8"))["provenance"]["command"])
    assert command[:2] == ["consistency-lab", "check"]
    again = cli(*command[1:], "--json", "--out", "again")
    assert Path(again.document["answers"][0]["witness"]["file"]).name == path.name


def test_every_name_of_a_loss_leads_to_the_same_files(cli):
    Path("games.csv").write_text("winner,loser,count\nAnn,Bob,3\nBob,Ann,1\n", encoding="utf-8")
    names = ("logistic", "dpo", "trl:sigmoid")
    for name in names:
        cli("check", name, "--condition", "additive", "--items", "3", "--out", name)
        cli("check", name, "--at", "games.csv", "--out", name)
    one, *others = ({path.name: path.read_bytes() for path in Path(name).iterdir()} for name in names)
    assert len(one) == 3 and [one, one] == others


def test_a_class_of_the_users_own(cli, monkeypatch):
    Path("losses_of_this_test.py").write_text(
        "from consistency_lab import GraphSurrogate, pair, parse\n"
        "class Flat(GraphSurrogate):\n"
        "    name = 'flat'\n"
        "    functions = (parse('exp(-x)'),)\n"
        "    def graph_terms(self, graph, m):\n"
        "        return [pair(w, self.functions[0], i, j) for i, j, w in graph]\n",
        encoding="utf-8",
    )
    ran = cli("check losses_of_this_test:Flat --condition additive", *UNDECIDED_FAST, "--json")
    assert ran.code == 3
    assert ran.document["surrogate"]["name"] == "flat"


def test_an_election_where_the_logistic_loss_is_wrong(cli):
    """St Johnsbury, Vermont House 2014 (PrefLib 00031-00000010)."""
    ran = cli("check logistic --profile vermont.toc")
    assert ran.code == 1
    sentence = ran.said
    assert sentence.startswith(
        "logistic ranks these votes wrongly: it puts Fay above Willhoit, but 777 voters prefer Willhoit "
        "and 752 prefer Fay. St Johnsbury, Vermont House of Representatives, 2014: 4 items, 1,960 voters."
    )
    assert "Beck > Fay > Willhoit > South against 25 more (0.34 %)" in sentence
    assert "Beck > Willhoit > Fay > South (the only one; certified)" in sentence
    assert "The preferences have additive noise. Pairs are compared unequally: up to 2.73 times" in sentence
    assert "right here: difference-logistic, linear." in sentence
    details = cli("check logistic --profile vermont.toc --details")
    assert "Certificate: separation; at all scores in a best order the risk is higher" in details.said
    assert "--details" not in details.out and details.out.count("Fay") == ran.out.count("Fay")
    assert "Note: 30 of 1960 ballots do not rank any item above another." in sentence


@pytest.mark.parametrize("folder", ["taken", "taken/below", "/proc/nowhere"])
def test_a_folder_that_cannot_be_written_to_is_refused_before_the_search(refused, monkeypatch, folder):
    Path("taken").write_text("", encoding="utf-8")

    def never(*_, **__):
        raise AssertionError("it searched")

    monkeypatch.setattr(surrogate, "decide", never)
    assert folder in refused("check logistic --out", folder)


LEE = """\
# ALTERNATIVE NAME 1: Lee, Sue
# ALTERNATIVE NAME 2: Bob
# ALTERNATIVE NAME 3: Cy
2: 1,2,3
1: 3,2,1
"""


def test_a_name_with_a_comma_can_be_selected(cli):
    Path("votes.soc").write_text(LEE, encoding="utf-8")
    ran = cli("check", "logistic", "--profile", "votes.soc", "--select", 'Cy, "Lee, Sue"', "--no-save")
    assert ran.code == 0
    assert "2 of 3 items are kept" in ran.out
    assert "Lee, Sue" in ran.out
    unquoted = cli("check logistic --profile votes.soc --select Cy,Lee,Sue")
    assert unquoted.code == 2
    unclosed = cli("check", "logistic", "--profile", "votes.soc", "--select", 'Cy,"Lee, Sue')
    assert unclosed.code == 2
    assert "put a name with a comma in double quotes" in unclosed.err


def test_an_interruption_before_an_answer_gives_exit_code_130(cli, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(surrogate, "decide", interrupted)
    ran = cli("check logistic")
    assert ran.code == 130
    assert ran.err == "interrupted before an answer was ready\n"
    assert list(Path().iterdir()) == []


def test_an_interruption_of_the_search_keeps_what_was_found(cli, monkeypatch):
    from consistency_lab.search.find import Search

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "_with_items", interrupted)
    ran = cli("check logistic --condition additive --items 4 --json")
    assert ran.code == 3
    assert ran.document["effort"]["interrupted"]
    assert "interrupted: this is the best so far" in ran.err


def test_an_answer_is_given_even_if_it_can_no_longer_be_saved(cli, monkeypatch):
    def full(*_):
        raise InputError("witnesses cannot be written to: no space left on device")

    monkeypatch.setattr(saving, "save", full)
    ran = cli("check linear --condition acyclic --json")
    assert ran.code == 1
    assert ran.document["answers"][0]["witness"]["file"] is None
    assert "a witness was not saved: witnesses cannot be written to" in ran.err


def test_the_target_of_graphs_is_what_is_asked_without_one(cli):
    asked = ("check", "linear", "--condition", "acyclic", "--no-save")
    assert cli(*asked, "--target", "pairwise-disagreement").out == cli(*asked).out


def test_several_losses_at_a_profile_are_an_audit(cli):
    refused = cli("check linear,logistic --profile vermont.toc").err
    assert "consistency-lab audit vermont.toc --loss linear,logistic" in refused


def test_a_regression_is_known_in_words(cli):
    typed = cli("check 'regression on normalized gains' --target ndcg --no-save --json").document
    options = cli("check regression --on gain/Z --target ndcg --no-save --json").document
    assert typed["answers"] == options["answers"] and typed["verdict"] == "CONSISTENT"
