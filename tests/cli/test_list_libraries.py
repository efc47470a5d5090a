"""`list`: the losses of libraries, and the tables of finite tasks."""

import pytest

from consistency_lab.model.surrogates.tasks.libraries import (
    LIBRARIES,
    PAIR_LIBRARIES,
    entries,
    library_names,
)
from consistency_lab.model.tasks.catalogue import TARGETS


def test_the_losses_of_a_library(cli) -> None:
    ran = cli("list", "surrogates", "--library", "lightgbm")
    assert ran.code == 0
    assert "4.7.0" in ran.out
    for line in entries("lightgbm"):
        assert line.objective in ran.out
    assert "a gradient field" in ran.out
    assert "rank:pairwise" not in ran.out


def test_all_libraries_as_json(cli) -> None:
    document = cli("list", "libraries", "--json").document
    assert document.pop("format") == "consistency-lab/list/1"
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
    ],
)
def test_what_does_not_fit(cli, arguments: tuple[str, ...], message: str) -> None:
    ran = cli("list", *arguments)
    assert ran.code == 2
    assert message in ran.err
