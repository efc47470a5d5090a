"""DMJ10 Lemma 16."""

from fractions import Fraction
from random import Random

from consistency_lab.apps.book.risk import any_differences, score_orders, with_differences
from consistency_lab.apps.book.statements import dmj10_disagreement as lemma
from consistency_lab.model.distribution import scores_loss
from consistency_lab.numbers.exact import LogRational


def test_a_tie_is_charged_to_the_pair_that_runs_up_the_indices() -> None:
    assert lemma.eq_8(((Fraction(0), Fraction(3)), (Fraction(1), Fraction(0))), (0, 0)) == 3


def test_eq_8_is_the_target_loss() -> None:
    rng = Random(1)
    a = with_differences(any_differences(rng, 4), rng).aggregate
    for scores in score_orders(4):
        assert lemma.eq_8(a, scores) == scores_loss(a, [LogRational(Fraction(x)) for x in scores])
