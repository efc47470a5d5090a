"""DMJ10 Corollary 15."""

import pytest

from consistency_lab.book.statement import FalseVariant, Kind, Outcome
from consistency_lab.book.statements import dmj10_linear_loss as corollary


def test_it_holds() -> None:
    checked = corollary.COROLLARY_15.check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.HAND)
    assert "at 43 of 43" in checked.findings[-1].how
    assert checked.findings[-1].kind is Kind.TEST


@pytest.mark.parametrize("variant", corollary.COROLLARY_15.variants, ids=lambda v: v.statement[:30])
def test_false_variants_are_refuted(variant: FalseVariant) -> None:
    assert variant.refute().refuted


def test_without_low_noise_it_fails_strictly() -> None:
    assert "strict" in corollary.COROLLARY_15.variants[0].refute().witness
