"""DMJ10 Lemma 4 along sequences, at distributions with certificates."""

import re
from fractions import Fraction
from itertools import permutations

import pytest

from consistency_lab.apps.book.book import statement
from consistency_lab.apps.book.risk import enclosed_risk, rational_scores
from consistency_lab.apps.book.statement import Cases, Kind, Outcome
from consistency_lab.apps.book.statements import dmj10_limits as exhibits
from consistency_lab.apps.book.statements import dmj10_limits as lemma
from consistency_lab.apps.book.statements.dmj10_limits import Exhibit, certified, threshold
from consistency_lab.numbers.exact import certainly_less
from consistency_lab.solve.optimal import optimal_orders

CALLS = re.findall(r"▸ followed (.+)", statement("lemma-4").text)
RIGHT = [Exhibit.of(*call.split(", ")) for call in CALLS]


def test_it_holds_and_is_called_a_test() -> None:
    checked = statement("lemma-4").check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.TEST)
    assert len(checked.findings) == len(RIGHT)


@pytest.mark.parametrize("exhibit", RIGHT, ids=CALLS)
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


@pytest.mark.parametrize("exhibit", RIGHT, ids=CALLS)
def test_the_sequences_do_tend_to_the_infimum(exhibit: Exhibit) -> None:
    assert exhibit.tends()


def held(*words: str) -> list[int]:
    return [one.held for one in lemma.followed(*words) if isinstance(one, Cases)]


def test_a_wrong_minimizer_is_noticed() -> None:
    wrong = ("logistic", "12:3 21:1", "log(2) 0")
    assert not Exhibit.of(*wrong).tends()
    assert held(*wrong) == [0]


def test_a_distribution_without_certificate_is_noticed() -> None:
    # The logistic loss is wrong there (DMJ10 Lemma 10), so nothing can be followed.
    wrong = ("logistic", "12:3 13:8 23:1 31:4", "0 0 0")
    assert certified(Exhibit.of(*wrong)) is None
    assert held(*wrong) == [0]


def test_an_inconsistent_surrogate_refutes_it() -> None:
    found = lemma.inconsistent()
    assert found.refuted
    assert "(log(3), 0, log(2))" in found.witness


def test_the_wrong_witnesses_are_accepted_by_the_kernel() -> None:
    found = list(exhibits.wrong_witnesses())
    assert [(witness.verified.failure, witness.verified.regret) for witness in found] == [
        ("strict", 3),
        ("tie", 1),
    ]
    assert all(witness.verified.conditions["additive"] for witness in found)
