"""The words that `explain` knows."""

import re
from pathlib import Path

import pytest

from consistency_lab.errors import InputError
from consistency_lab.report.glossary import TERMS, explained, glossary, glossary_table
from consistency_lab.report.text import rendered

THEORY = (Path(__file__).parents[2] / "docs" / "theory.md").read_text("utf-8")
SECTIONS = set(re.findall(r"^## (.+)$", THEORY, re.MULTILINE))


def said(word: str) -> str:
    return " ".join(" ".join(rendered(explained(word))).split())


def test_the_words_are_sorted_and_point_to_sections_of_the_theory() -> None:
    words = [term.name for term in TERMS]
    assert words == sorted(words, key=str.lower)
    assert {section for term in TERMS for section in term.section.split(", ")} <= SECTIONS
    for word in (
        *("A(p)", "Assumption A", "certificate", "chamber", "circulation", "closure", "escape"),
        *("Farkas multipliers", "interval Newton", "P_f, P_reinforce", "phi'_inf", "rank-differentiable"),
        *("separation", "verdict", "W, W*", "witness"),
    ):
        assert word in words
    rows = glossary_table().splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == [f"| {word}" for word in words]
    everything = " ".join(" ".join(rendered(glossary())).split())
    assert all(f"{term.name}: {term.meaning}" in everything for term in TERMS)


def test_every_word_is_explained_however_it_is_spelled() -> None:
    for term in TERMS:
        for name in (term.name, term.name.upper(), *term.others):
            assert said(name).startswith(f"{term.name}: ")


@pytest.mark.parametrize(
    ("word", "fact"),
    [
        ("low noise", "3 + 1 ≤ 4"),  # DMJ10 Definition 8
        ("regret", "a regret of 1 of 16, 6.25%"),
        ("kemeny", "A > B > C contradicts 4, A > C > B contradicts 5"),
        ("consistent", "orders A > C > B"),
        ("Borda", "N_A = 7, N_B = -2, N_C = -5"),
    ],
)
def test_the_example_is_computed(word: str, fact: str) -> None:
    assert fact in said(word)


def test_a_word_that_is_not_known() -> None:
    with pytest.raises(InputError, match="there is no explanation of 'lownois'; did you mean 'low noise'"):
        explained("lownois")


def test_conditions_and_targets_are_explained_from_their_tables() -> None:
    """The example has rows in order, but C is never preferred to B: no chances in the sense of AUC."""
    assert said("Row dominated").startswith("row-dominated: d_ij > 0 implies d_ik ≥ d_jk")
    assert "it holds here" in said("row-dominated") and "it does not hold here" in said("auc")
    assert said("sst").startswith("strong-stochastic-transitivity: ")
    assert said("NDCG").startswith("ndcg (NDCG, a target): 1 - (1/Z(s))")
