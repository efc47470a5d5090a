"""`list`: the losses of libraries, and the tables of finite tasks."""

import pytest

from consistency_lab.certify.witness import certify
from consistency_lab.decide.cases import not_proved_convex
from consistency_lab.decide.frontier import pairs_of
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.designs import DESIGNS
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.surrogates.tasks.libraries import PAIR_LIBRARIES, entries, library_names
from consistency_lab.model.surrogates.tasks.shipped import LIBRARIES
from consistency_lab.model.tasks.catalogue import TARGETS
from consistency_lab.search.size import KNOWN, realize, two_items
from consistency_lab.show.listing import CELLS, VERDICTS


def test_the_losses_of_a_library(cli) -> None:
    ran = cli("list", "surrogates", "--library", "lightgbm")
    assert ran.code == 0
    assert "4.7.0" in ran.out
    for line in entries("lightgbm"):
        assert line.objective in ran.out
    assert "a gradient field" in ran.out
    assert "rank:pairwise" not in ran.out


def test_the_losses_of_pairs_are_one_table_on_one_screen(cli) -> None:
    lines = cli("list", "--library", "trl").screen
    rows = {line.split("  ")[0].strip(): line.split()[-4:] for line in lines}
    assert rows["hinge"] == ["wrong", "wrong", "wrong", "right"]
    named = [one for one in PAIR_LIBRARIES.values() if one.release.library == "trl"]
    assert "simpo[2]" in rows  # which is not the loss of the paper of this name
    said = " ".join(lines).replace(",", " ").replace("[2]", "").split()
    assert all(said.count(one.objective) >= 1 for one in named)
    details = cli("list", "--library", "trl", "--details").out
    assert "It sorts the batch" in " ".join(details.split())


@pytest.mark.parametrize("loss", [loss for loss in VERDICTS if loss is not None])
def test_the_verdicts_of_the_table_are_those_of_theorems_and_certified_examples(loss: str) -> None:
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


def test_all_libraries_as_json(cli) -> None:
    document = cli("list", "libraries", "--json").document
    assert document.pop("format") == "consistency-lab/list/1"
    assert document.pop("line1") == "Each field is a list."
    assert tuple(document) == (*library_names(), "trl")
    rows = [row for table in document.values() for row in table]
    assert tuple(row["name"] for row in rows) == (*LIBRARIES, *PAIR_LIBRARIES)
    assert all(row["citation"] and row["note"] and row["formula"] for row in rows)


def test_targets_of_tasks(cli) -> None:
    rows = cli("list", "targets", "--json").document["targets"]
    assert tuple(row["name"] for row in rows) == ("pairwise-disagreement", *TARGETS)
    assert all(row["citation"] for row in rows)


def test_conditions_on_labels(cli) -> None:
    rows = cli("list", "label-conditions", "--json").document["label-conditions"]
    assert [row["name"] for row in rows][:2] == ["p-f", "reinforce"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("surrogates", "--library", "lightbgm"), "did you mean 'lightgbm'"),
        (("phi", "--library", "rax"), "--library applies to the list of surrogates, not to that of phi"),
        (("librarys",), "did you mean 'libraries'"),
        (("trl",), "trl is a library; its losses are in list --library trl"),
    ],
)
def test_what_does_not_fit(refused, arguments: tuple[str, ...], message: str) -> None:
    assert message in refused("list", *arguments)
