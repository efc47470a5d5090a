"""DMJ10 section 3.1: labels that are scores, and order-preserving spaces."""

from fractions import Fraction

import pytest

from consistency_lab.apps.book.statement import FalseVariant, Kind, Outcome
from consistency_lab.apps.book.statements import labels as section
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.distribution import Distribution


def test_it_holds() -> None:
    checked = section.SECTION_3_1.check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.HAND)
    assert "32 of 32" in checked.findings[1].how
    assert "2/5 (2 − w2) + 1 (w2 q − p) = 1/5 > 0" in checked.findings[3].details[-1]


@pytest.mark.parametrize("variant", section.SECTION_3_1.variants, ids=lambda v: v.statement[:30])
def test_false_variants_are_refuted(variant: FalseVariant) -> None:
    assert variant.refute().refuted


@pytest.mark.parametrize("multipliers", [("2/5", "0"), ("0", "1"), ("1", "1"), ("-2/5", "-1"), ("1/5", "1")])
def test_other_multipliers_are_rejected(multipliers: tuple[str, str]) -> None:
    first, second = map(Fraction, multipliers)
    assert not section.no_w2((first, second)).stands


@pytest.mark.parametrize("w2", ["0", "1/2", "1", "4/3", "7/5", "3/2", "2", "3"])
def test_no_w2_at_three_fifths(w2: str) -> None:
    p, w = Fraction(3, 5), Fraction(w2)
    first = {(0, 1): 1, (1, 2): 1, (0, 2): w}
    second = {(1, 2): 1, (2, 0): 1, (1, 0): w}
    d = Distribution.of(3, [(p, first), (1 - p, second)]).difference
    assert not (conditions_of(d)["low-noise"] and d[0][1] > 0)
