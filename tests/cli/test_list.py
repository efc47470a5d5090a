"""`list`: every table, with citations."""

import pytest

from consistency_lab import CONDITIONS, surrogate_names
from consistency_lab.data.text import samples
from consistency_lab.model.surrogates.catalogue import answer_names


def test_all_tables(cli) -> None:
    ran = cli("list")
    assert ran.code == 0
    for title in (
        "surrogates of",
        "target losses",
        "noise conditions",
        "scalar losses",
        "losses are built from",
    ):
        assert title in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("what", "names"),
    [("surrogates", (*surrogate_names(), *answer_names())), ("conditions", tuple(CONDITIONS))],
)
def test_one_table_as_json(cli, what: str, names: tuple[str, ...]) -> None:
    document = cli("list", what, "--json").document
    assert tuple(row["name"] for row in document[what]) == names
    assert all(row["citation"] for row in document[what])


def test_statements_are_plain_text_in_a_table(cli) -> None:
    assert "implies" in cli("list", "conditions", "--details").out


def test_an_unknown_table(refused) -> None:
    assert "did you mean 'surrogates'" in refused("list", "surrogate")


def test_the_samples_fit_on_a_screen(cli) -> None:
    ran = cli("list", "samples")
    assert all(name in ran.out for name in samples())
    assert ran.screen
