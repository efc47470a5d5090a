"""DMJ13 section 5.3: losses on the difference graph."""

import pytest

from consistency_lab.book.statement import FalseVariant, Kind, Outcome
from consistency_lab.book.statements import difference_losses as theorem
from consistency_lab.phi import NAMED


def test_it_holds() -> None:
    checked = theorem.DMJ13_DIFFERENCE.check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.HAND)
    assert "✓ square: phi is nonincreasing, which is not proved here" in checked.findings[1].details
    assert "54 of 54" in checked.findings[2].how


@pytest.mark.parametrize("variant", theorem.DMJ13_DIFFERENCE.variants, ids=lambda v: v.statement[:30])
def test_false_variants_are_refuted(variant: FalseVariant) -> None:
    assert variant.refute().refuted


def test_every_named_function_is_placed() -> None:
    assert set(theorem.COVERED) == set(NAMED)
    assert [name for name, found in theorem.COVERED.items() if found is None] == ["square"]


def test_a_function_in_the_wrong_place_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theorem, "COVERED", {**theorem.COVERED, "square": theorem.CONVEX_DIFFERENCE})
    assert not theorem.hypotheses().stands
