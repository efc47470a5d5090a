"""DMJ10 Lemma 4 along sequences, at distributions with certificates."""

from fractions import Fraction
from itertools import permutations

import pytest

from consistency_lab.apps.book.risk import enclosed_risk, rational_scores
from consistency_lab.apps.book.statement import Kind, Outcome
from consistency_lab.apps.book.statements import dmj10_limits as exhibits
from consistency_lab.apps.book.statements import dmj10_limits as lemma
from consistency_lab.apps.book.statements.dmj10_limits import RIGHT, Exhibit, certified, threshold
from consistency_lab.numbers.exact import certainly_less
from consistency_lab.solve.optimal import optimal_orders


def test_it_holds_and_is_called_a_test() -> None:
    checked = lemma.LEMMA_4.check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.TEST)
    assert len(checked.findings) == len(RIGHT)


@pytest.mark.parametrize("exhibit", RIGHT, ids=lambda exhibit: exhibit.shown())
def test_scores_outside_the_optimal_set_are_above_the_threshold(exhibit: Exhibit) -> None:
    witness = certified(exhibit)
    assert witness is not None
    optimum = optimal_orders(exhibit.distribution.aggregate)
    outside = 0
    for ranks in permutations(range(exhibit.distribution.m)):
        for scale in (Fraction(1, 100), Fraction(1), Fraction(10)):
            scores = rational_scores([scale * rank for rank in ranks])
            if not optimum.in_optimal_set(scores):
                outside += 1
                assert not certainly_less(enclosed_risk(witness.terms, scores), threshold(witness))
    assert outside


@pytest.mark.parametrize("exhibit", RIGHT, ids=lambda exhibit: exhibit.shown())
def test_the_sequences_do_tend_to_the_infimum(exhibit: Exhibit) -> None:
    assert exhibit.tends()


def test_a_wrong_minimizer_is_noticed() -> None:
    wrong = Exhibit("logistic", ((0, 3), (1, 0)), ("log(2)", "0"), (0, 0))
    assert not wrong.tends()
    assert lemma._followed(wrong).stands is False


def test_a_distribution_without_certificate_is_noticed() -> None:
    # The logistic loss is wrong there (DMJ10 Lemma 10), so nothing can be followed.
    wrong = Exhibit("logistic", ((0, 3, 8), (0, 0, 1), (4, 0, 0)), ("0", "0", "0"), (0, 0, 0))
    assert certified(wrong) is None
    assert lemma._followed(wrong).stands is False


def test_an_inconsistent_surrogate_refutes_it() -> None:
    (variant,) = lemma.LEMMA_4.variants
    found = variant.refute()
    assert found.refuted
    assert "(log(3), 0, log(2))" in found.witness


def test_the_wrong_witnesses_are_accepted_by_the_kernel() -> None:
    found = list(exhibits.wrong_witnesses())
    assert [(witness.verified.failure, witness.verified.regret) for witness in found] == [
        ("strict", 3),
        ("tie", 1),
    ]
    assert all(witness.verified.conditions["additive"] for witness in found)
