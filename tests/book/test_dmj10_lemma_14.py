"""DMJ10 Lemma 14: the multipliers, and that wrong ones are rejected."""

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from consistency_lab.book.linear_loss import cases, larger_rows, triples
from consistency_lab.book.risk import low_noise_differences
from consistency_lab.book.statement import FalseVariant, Kind, Outcome, concluded, excluded, stored
from consistency_lab.book.statements import dmj10_linear_loss as lemma
from consistency_lab.errors import RejectedError
from consistency_lab.model.conditions import low_noise_rows, net

Document = dict[str, Any]


def evidence() -> Document:
    return deepcopy(dict(stored(lemma.MULTIPLIERS_FILE)))


def test_it_holds() -> None:
    checked = lemma.LEMMA_14.check()
    assert (checked.outcome, checked.kind, checked.scope) == (Outcome.HOLDS, Kind.HAND, "all m")
    assert "2980 of 2980" in checked.findings[1].how
    assert "399 posets" in checked.findings[1].how
    assert checked.findings[1].scope == "m ≤ 6"
    assert "61 of 61" in checked.findings[2].how


@pytest.mark.parametrize("variant", lemma.LEMMA_14.variants, ids=lambda v: v.statement[:30])
def test_false_variants_are_refuted(variant: FalseVariant) -> None:
    assert variant.refute().refuted


def _negative(document: Document) -> None:
    document["low-noise"][7]["y"][0] = "-1"


def _too_small(document: Document) -> None:
    document["low-noise"][7]["y"][0] = "0"


def _too_large(document: Document) -> None:
    document["low-noise"][7]["y"][0] = "2"


def _short(document: Document) -> None:
    document["low-noise"][8]["y"].pop()


def _missing(document: Document) -> None:
    document["low-noise"].pop()


def _another_case(document: Document) -> None:
    document["low-noise"][0]["case"] = "13: 13"


def _not_a_number(document: Document) -> None:
    document["low-noise"][0]["y"] = ["one"]


@pytest.mark.parametrize(
    "spoil", [_negative, _too_small, _too_large, _short, _missing, _another_case, _not_a_number]
)
def test_spoiled_triples_prove_nothing(spoil: Callable[[Document], None]) -> None:
    document = evidence()
    spoil(document)
    checked = concluded("all m", lemma.lemma_14_steps(document))
    assert checked.outcome is Outcome.OPEN
    assert checked.findings[0].claim.startswith("not confirmed")
    assert "0 of 2980" in checked.findings[1].how


@pytest.mark.parametrize("number", [0, 8, 60])
def test_spoiled_multipliers_for_few_items_are_rejected(number: int) -> None:
    document = evidence()
    document["up-to-4-items"][number]["y"][-1] = "0"
    assert "60 of 61" in concluded("all m", lemma.lemma_14_steps(document)).findings[2].how


def test_a_list_of_something_else_is_rejected() -> None:
    with pytest.raises(RejectedError, match="low-noise"):
        lemma.three_items({"low-noise": "everything"})


def test_every_case_is_there() -> None:
    assert len(list(triples())) == 10
    assert [sum(1 for _ in cases(m)) for m in (2, 3, 4, 5)] == [1, 8, 52, 344]


def test_the_proof_for_three_items_is_needed() -> None:
    # Without the condition's rows the systems of the chain have solutions.
    chain = next(case for case in triples() if case.name == "12 13 23: 12")
    rows, _ = chain.third_item(larger_rows)
    assert len(rows) == 3
    assert not excluded(*chain.third_item(low_noise_rows), [Fraction(0), Fraction(1)])


def test_net_preferences_of_random_low_noise_differences() -> None:
    rng = Random(8)
    for m in (3, 5, 8, 12):
        d = low_noise_differences(rng, m)
        n = net(d)
        assert all(n[i] > n[k] for i in range(m) for k in range(m) if d[i][k] > 0)
