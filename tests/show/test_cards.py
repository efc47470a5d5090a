"""Answers in a console, in a notebook and in a failing test."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

import consistency_lab as lab
from consistency_lab.apps.learn.aggregate import Preferences
from consistency_lab.decide.surrogate import strongest
from consistency_lab.model.surrogates.own import OwnSurrogate, as_surrogate
from consistency_lab.numbers.phi import parse
from consistency_lab.show.cards import assert_consistent

P = lab.Distribution.from_aggregate([[0, 3, 8], [0, 0, 1], [4, 0, 0]], ["<b>A</b>", "B & C", "D"])
GALLERY = sorted((Path(__file__).parents[2] / "counterexamples").rglob("*.json"))


class Mine(lab.GraphSurrogate):
    name = "mine"
    functions = (parse("exp(-x)"),)

    def graph_terms(self, graph: lab.PreferenceGraph, m: int) -> list[lab.Term]:
        return [lab.pair(weight, self.functions[0], i, j) for i, j, weight in graph]


THINGS = {
    "decision": lambda: lab.check("logistic", ["additive", "low-noise"], items=3, effort=1, prescribe=False),
    "consistent": lambda: lab.check("linear", "low-noise"),
    "labels": lambda: lab.check("softmax", "any", target="ndcg", prescribe=False),
    "witness": lambda: thing("decision").witnesses[0],
    "label witness": lambda: thing("labels").witnesses[0],
    "at p": lambda: lab.check_profile("logistic", P),
    "right at p": lambda: lab.check_profile("linear", P),
    "distribution": lambda: P,
    "many items": lambda: lab.Distribution.of(5000, [(1, {(i, i + 1): 1 for i in range(4999)})]),
    "profile": lambda: lab.Profile.from_pairs([("<i>", "B"), ("B", "C")]),
    "strongest": lambda: strongest("linear", effort=1),
    "graph surrogate": lambda: lab.surrogate("linear"),
    "task surrogate": lambda: lab.task_surrogate("softmax"),
    "own": lambda: as_surrogate(Mine()),
    "minimum": lambda: lab.minimize("logistic", P),
    "no minimum": lambda: lab.minimize("logistic", lab.Distribution.from_aggregate([[0, 1], [0, 0]])),
    "audit": lambda: lab.audit("vermont.toc", ["logistic", "linear"], resamples=0, simulations=0),
}


@cache
def thing(name):
    return THINGS[name]()


class _Balanced(HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("img", "br", "meta", "circle", "line", "path", "rect", "polygon"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag


@pytest.mark.parametrize("name", THINGS)
def test_a_console_shows_a_screen_or_five_lines_and_a_notebook_a_card(name):
    lines = repr(thing(name)).splitlines()
    screen = type(thing(name)) in (lab.Decision, lab.AuditReport)
    assert 2 <= len(lines) <= (24 if screen else 5) and max(map(len, lines)) <= 80
    assert screen == any(line.startswith(" more:    .") for line in lines)
    assert thing(name).summary().startswith(lines[0].removesuffix("…"))
    page, reader = thing(name)._repr_html_(), _Balanced()
    reader.feed(page)
    assert reader.open == []
    assert "<b>A</b>" not in page and "B & C" not in page


def test_a_decision_begins_in_the_words_of_who_asked():
    found = lab.check("dpo", effort=1)
    lines = repr(found).splitlines()
    assert lines[0] == "dpo is right under Bradley-Terry; otherwise it can be wrong."
    assert not any("--" in line for line in lines)
    page = found._repr_html_()
    assert "dpo is right under Bradley-Terry" in page and "instead:" in page
    assert repr(thing("audit")).startswith("Beck is first; without resamples")


def test_what_the_five_lines_say():
    assert repr(thing("at p")) == (
        "Decision at one distribution: INCONSISTENT\n"
        "  loss    logistic\n"
        "  at      3 items: <b>A</b>, B & C, D\n"
        "  order   <b>A</b> > D > B & C comes out, <b>A</b> > B & C > D is better\n"
        "  regret  1 (6.25 % of all preferences)"
    )
    assert repr(thing("minimum")).splitlines()[2] == "  order    1 > 3 > 2"
    assert repr(lab.minimize("hinge", P)).splitlines()[2] == "  order    1 > 2 = 3"


def test_the_plane_the_matrix_and_the_proof_are_on_the_card():
    page = lab.check_profile("logistic", P)._repr_html_()
    assert "data:image/png;base64," in page
    assert re.search(r"<th scope=.row.[^>]*>&lt;b&gt;A&lt;/b&gt;</th><td[^>]*>·</td><td[^>]*>3</td>", page)
    assert "<details><summary>proof</summary>" in page


@pytest.mark.parametrize("file", GALLERY[:: max(1, len(GALLERY) // 5)], ids=lambda file: file.stem)
def test_every_kind_of_witness_has_a_card(file):
    import json

    document = json.loads(file.read_text(encoding="utf-8"))
    if document["proof"]["claim"] != "infeasible":
        witness = lab.Witness.of(document)
        assert repr(witness).startswith(f"Witness: {witness.verified.claim}")
        assert witness._repr_html_()


def test_a_class_of_the_users_own_keeps_its_repr():
    assert repr(Mine()).startswith("<")
    assert Mine()._repr_html_() is None
    assert type(thing("own")) is OwnSurrogate
    assert repr(thing("own")).startswith("Surrogate: mine")


def test_a_decision_as_a_frame_and_a_witness_as_a_picture():
    decision = thing("decision")
    assert list(decision.to_frame()["verdict"]) == ["INCONSISTENT"] * 2
    assert decision.witnesses[0].plot().content("svg").startswith(b"<?xml")


def test_answers_as_frames():
    p = lab.Distribution.from_aggregate([[0, 3, 8], [0, 0, 1], [4, 0, 0]], ["A", "B", "C"])
    assert p.to_frame().loc["C", "A"] == 4.0
    decided = lab.check_profile("logistic", p)
    assert list(decided.to_frame()["item"]) == ["A", "B", "C"]
    placed = decided.witness.to_frame().set_index("item")
    assert placed["better"].to_dict() == {"A": 1, "B": 2, "C": 3}
    assert placed["learned"].to_dict() == {"A": 1, "C": 2, "B": 3}
    assert list(lab.minimize("linear", p).to_frame()["exact"]) == ["7", "-2", "-5"]
    said = Preferences([0, 1], [1, 2], ["a", "a", "a"]).to_frame()
    assert list(zip(said["winner"], said["loser"], strict=True)) == [(0, 1), (1, 2)]


def test_a_witness_as_a_document_and_as_a_program():
    witness = thing("decision").witnesses[0]
    assert r"\begin{document}" in witness.latex()
    assert "import torch" in witness.script("torch")
    hinge = lab.check("hinge", "additive", items=3).witnesses[0]
    with pytest.raises(lab.InputError, match="LightGBM has no objective that is hinge"):
        hinge.script("lightgbm")


def test_a_test_of_somebody_elses_passes_or_says_why():
    assert_consistent("linear", condition="low-noise")
    with pytest.raises(AssertionError) as wrong:
        assert_consistent("hinge", condition="additive", items=3, effort=1)
    first, *rest = str(wrong.value).splitlines()
    assert first == "hinge is INCONSISTENT for additive: certified witness with 3 items (tie)"
    assert rest[0] == "Witness: inconsistent (tie)"
    assert "may come out of a tie" in str(wrong.value)
    with pytest.raises(AssertionError, match="softmax is INCONSISTENT for any: "):
        assert_consistent("softmax", "ndcg", "any")
    with pytest.raises(AssertionError, match=r"UNDECIDED for auc: [^\n]*\nNothing is proved either way"):
        assert_consistent("margin-sigmoid", condition="auc", items=3, effort=0)
    with pytest.raises(lab.InputError, match="no surrogate called"):
        assert_consistent("hingee")
