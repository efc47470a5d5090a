"""`list --map`: which loss is right where."""

import re
from pathlib import Path

import pytest

from consistency_lab.decide.answers import Verdict
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.designs import DESIGNS
from consistency_lab.show.frontier import COLUMNS, LOSSES, WORDS, map_picture, the_map

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
def test_the_known_losses_are_right_where_theorems_say_and_wrong_elsewhere(name: str) -> None:
    row = the_map()[name]
    assert {pair for pair, one in row.items() if one.verdict is Verdict.CONSISTENT} == RIGHT[name]
    assert {one.verdict for pair, one in row.items() if pair not in RIGHT[name]} <= {Verdict.INCONSISTENT}


def test_every_cell_has_its_evidence_and_open_ones_say_so(cli) -> None:
    cells = cli("list", "--map", "--json").document["map"]
    assert len(cells) == len(LOSSES) * len(COLUMNS)
    for cell in cells:
        own = the_map()[cell["loss"]][cell["condition"], cell["design"]]
        assert own.pair == (cell["condition"], cell["design"])
        assert bool(cell["citation"]) == (cell["verdict"] == "CONSISTENT")
        assert (cell["counts"] is not None) == (cell["verdict"] == "INCONSISTENT")
        if cell["counts"] is not None:
            assert CONDITIONS[cell["condition"]].holds(cell["counts"])
            assert DESIGNS[cell["design"]].holds(cell["counts"])
            assert own.witness is not None and own.witness.fails_under(cell["condition"])
    still = [(cell["loss"], cell["condition"]) for cell in cells if cell["verdict"] == "UNDECIDED"]
    assert still == [("difference-square", "auc"), ("cdpo", "auc")]


def test_the_map_fits_on_a_screen(cli) -> None:
    lines = cli("list", "--map").screen
    assert [line.split()[0] for line in lines if line.split()[1:2] and line.split()[0] in LOSSES] == [*LOSSES]
    assert next(line for line in lines if " cdpo " in line).split().count("open") == 1


def test_the_map_stands_alone(refused) -> None:
    assert "leave out surrogates" in refused("list", "surrogates", "--map")


def test_the_committed_picture_has_every_cell() -> None:
    """Compared by its cells, since each version of Matplotlib writes other bytes."""
    cells = {
        "_".join((name, *pair, WORDS[one.verdict]))
        for name, row in the_map().items()
        for pair, one in row.items()
    }
    for drawn in (map_picture().content("svg").decode(), (DOCS / "map.svg").read_text("utf-8")):
        assert {name for name in re.findall(r'id="([^"]+)"', drawn) if name.split("_")[0] in LOSSES} == cells


def test_links_of_the_table_lead_to_sections() -> None:
    from docs.tables import TABLES

    for page, anchor in set(re.findall(r"\]\((\w+\.md)#?([\w-]*)\)", TABLES["map"]())):
        heads = re.findall(r"^## (.+)$", (DOCS / page).read_text("utf-8"), re.MULTILINE)
        assert not anchor or anchor in [head.lower().replace(" ", "-") for head in heads]
