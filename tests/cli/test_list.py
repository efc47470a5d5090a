"""`list`: every table, the losses of libraries, and which loss is right where."""

import re
from pathlib import Path

import pytest

from consistency_lab import CONDITIONS, Verdict, surrogate, surrogate_names
from consistency_lab.certify.witness import certify
from consistency_lab.decide.cases import not_proved_convex
from consistency_lab.decide.frontier import pairs_of
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.model.designs import DESIGNS
from consistency_lab.model.surrogates.catalogue import answer_names
from consistency_lab.model.surrogates.tasks.libraries import PAIR_LIBRARIES, library_losses, library_names
from consistency_lab.model.surrogates.tasks.shipped import LIBRARIES
from consistency_lab.model.tasks.catalogue import TARGETS
from consistency_lab.search.size import KNOWN, realize, two_items
from consistency_lab.show.frontier import COLUMNS, MAPPED, WORDS, the_map
from consistency_lab.show.listing import CELLS, VERDICTS


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("surrogates", (*surrogate_names(), *answer_names())),
        ("conditions", tuple(CONDITIONS)),
        ("targets", ("pairwise-disagreement", *TARGETS)),
    ],
)
def test_one_table_as_json(cli, what, names):
    document = cli("list", what, "--json").document
    assert tuple(row["name"] for row in document[what]) == names
    assert all(row["citation"] for row in document[what])


def test_the_losses_of_a_library(cli):
    ran = cli("list surrogates --library lightgbm")
    assert ran.code == 0
    assert "4.7.0" in ran.out
    for line in library_losses("lightgbm"):
        assert line.objective in ran.out
    assert "a gradient field" in ran.out
    assert "rank:pairwise" not in ran.out


def test_the_losses_of_pairs_are_one_table_on_one_screen(cli):
    lines = cli("list --library trl").screen
    rows = {line.split("  ")[0].strip(): line.split()[-4:] for line in lines}
    assert rows["hinge"] == ["wrong", "wrong", "wrong", "right"]
    named = [one for one in PAIR_LIBRARIES.values() if one.release.library == "trl"]
    assert "simpo[2]" in rows  # which is not the loss of the paper of this name
    said = " ".join(lines).replace(",", " ").replace("[2]", "").split()
    assert all(said.count(one.objective) >= 1 for one in named)
    details = cli("list --library trl --details").out
    assert "It sorts the batch" in " ".join(details.split())


@pytest.mark.parametrize("loss", [loss for loss in VERDICTS if loss is not None])
def test_the_verdicts_of_the_table_are_those_of_theorems_and_certified_examples(loss):
    """Where no theorem speaks, a stored example that the core accepts; a star where phi is not convex."""
    ours = surrogate(loss)
    star = "" if not_proved_convex(ours) is None else "*"
    found = {
        (name, row): f"right{star}"
        for *_, name, row in CELLS
        if consistency_theorem(ours, name, design=row) is not None
    }
    lightest = () if ours.of_aggregate else two_items()
    for p in () if star else (*lightest, *(realize(ours, a) for a in KNOWN)):
        a = p.aggregate
        holding = {
            (name, row) for *_, name, row in CELLS if CONDITIONS[name].holds(a) and DESIGNS[row].holds(a)
        }
        if holding <= found.keys():
            continue
        witness = certify(ours, p)
        if witness is not None and witness.inconsistent:
            found |= {pair: "wrong" for pair in pairs_of(witness) & holding if pair not in found}
    assert VERDICTS[loss].split() == [found.get((name, row), "open") for *_, name, row in CELLS]


def test_all_libraries_as_json(cli):
    document = cli("list libraries --json").document
    assert document.pop("format") == "consistency-lab/list/1"
    assert document.pop("line1") == "Each field is a list."
    assert tuple(document) == (*library_names(), "trl")
    rows = [row for table in document.values() for row in table]
    assert tuple(row["name"] for row in rows) == (*LIBRARIES, *PAIR_LIBRARIES)
    assert all(row["citation"] and row["note"] and row["formula"] for row in rows)


DOCS = Path(__file__).parents[2] / "docs"
SST = "strong-stochastic-transitivity"
RIGHT = {
    "hinge": {("any", "forest")},
    "square": {("net-order", "balanced"), (SST, "product"), ("auc", "complete"), ("any", "forest")},
    "logistic": set(COLUMNS) - {("additive", "product"), ("acyclic", "balanced"), ("acyclic", "any")},
    "exponential": {("bradley-terry", "any"), (SST, "product"), ("auc", "complete"), ("any", "forest")},
    "linear": {("net-order", "balanced"), ("additive", "product")},
    "difference-logistic": set(COLUMNS),
}


@pytest.mark.parametrize("name", RIGHT)
def test_the_known_losses_are_right_where_theorems_say_and_wrong_elsewhere(name):
    row = the_map()[name]
    assert {pair for pair, one in row.items() if one.verdict is Verdict.CONSISTENT} == RIGHT[name]
    assert {one.verdict for pair, one in row.items() if pair not in RIGHT[name]} <= {Verdict.INCONSISTENT}


def test_every_cell_has_its_evidence_and_open_ones_say_so(cli):
    cells = cli("list --map --json").document["map"]
    assert len(cells) == len(MAPPED) * len(COLUMNS)
    for cell in cells:
        own = the_map()[cell["loss"]][cell["condition"], cell["design"]]
        assert own.pair == (cell["condition"], cell["design"])
        assert bool(cell["citation"]) == (cell["verdict"] == "CONSISTENT")
        assert (cell["counts"] is not None) == (cell["verdict"] == "INCONSISTENT")
        if cell["counts"] is not None:
            assert CONDITIONS[cell["condition"]].holds(cell["counts"])
            assert DESIGNS[cell["design"]].holds(cell["counts"])
            assert own.witness is not None and own.witness.fails_under(cell["condition"])
    assert all(cell["verdict"] != "UNDECIDED" for cell in cells)


def test_the_committed_picture_has_every_cell(cli):
    """Compared by its cells, since each version of Matplotlib writes other bytes."""
    cells = {
        "_".join((name, *pair, WORDS[one.verdict]))
        for name, row in the_map().items()
        for pair, one in row.items()
    }
    ran = cli("list --map --plot map.svg")
    assert (ran.code, ran.err) == (0, "written: map.svg\n") and ran.screen
    for drawn in (Path("map.svg").read_text("utf-8"), (DOCS / "map.svg").read_text("utf-8")):
        assert {name for name in re.findall(r'id="([^"]+)"', drawn) if name.split("_")[0] in MAPPED} == cells


def test_links_of_the_table_lead_to_sections():
    from docs.tables import TABLES

    for page, anchor in set(re.findall(r"\]\((\w+\.md)#?([\w-]*)\)", TABLES["map"]())):
        heads = re.findall(r"^## (.+)$", (DOCS / page).read_text("utf-8"), re.MULTILINE)
        assert not anchor or anchor in [head.lower().replace(" ", "-") for head in heads]
