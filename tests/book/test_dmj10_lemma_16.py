"""DMJ10 Lemma 16."""

from fractions import Fraction
from random import Random

import pytest

from consistency_lab.book.risk import any_differences, score_orders, with_differences
from consistency_lab.book.statement import FalseVariant, Kind, Outcome
from consistency_lab.book.statements import dmj10_disagreement as lemma
from consistency_lab.exact import LogRational
from consistency_lab.model.targets import scores_loss


def test_it_holds() -> None:
    checked = lemma.LEMMA_16.check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.HAND)
    assert [finding.kind for finding in checked.findings] == [
        Kind.HAND,
        Kind.MACHINE,
        Kind.TEST,
    ]
    # There are 3, 25 and 543 labeled acyclic digraphs on 2, 3 and 4 nodes (OEIS A003024).
    assert "759 of 759 labeled difference graphs, 571 of them acyclic" in checked.findings[1].how
    assert "196 of 196" in checked.findings[2].how


@pytest.mark.parametrize("variant", lemma.LEMMA_16.variants, ids=lambda v: v.statement[:30])
def test_false_variants_are_refuted(variant: FalseVariant) -> None:
    assert variant.refute().refuted


def test_eq_8_is_the_target_loss() -> None:
    rng = Random(1)
    a = with_differences(any_differences(rng, 4), rng).aggregate
    for scores in score_orders(4):
        assert lemma.eq_8(a, scores) == scores_loss(a, [LogRational(Fraction(x)) for x in scores])
