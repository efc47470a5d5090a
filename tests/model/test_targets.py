"""Pairwise disagreement and the tie rule tau (DMJ10 Eq. 7, 8)."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.errors import InputError
from consistency_lab.model.distribution import (
    loss,
    normalized_regret,
    order_of,
    regret,
    scores_loss,
    total_weight,
)
from consistency_lab.numbers.exact import LogRational

LEVELS = [LogRational.parse(text) for text in ("0", "log(2)", "log(3)", "1", "log(2/3)", "-1/2")]
NUMBERS = st.fractions(min_value=0, max_value=5, max_denominator=4)


@st.composite
def questions(draw):
    m = draw(st.integers(2, 5))
    a = [[draw(NUMBERS) if i != j else Fraction(0) for j in range(m)] for i in range(m)]
    return a, [draw(st.sampled_from(LEVELS)) for _ in range(m)]


@pytest.mark.parametrize(
    ("scores", "order"),
    [
        (["0", "0", "0"], (2, 1, 0)),
        (["log(3)", "1", "log(2)"], (0, 1, 2)),
        (["1", "log(3)", "1"], (1, 2, 0)),
        (["log(8/3)", "1"], (1, 0)),
        (["1/2+log(2)", "log(2)", "1/2+log(2)"], (2, 0, 1)),
    ],
)
def test_ties_put_the_higher_index_first_and_comparisons_are_exact(scores, order):
    assert order_of([LogRational.parse(text) for text in scores]) == order


@given(questions())
def test_the_loss_of_scores_is_the_formula_of_dmj10_eq_8(question):
    a, scores = question
    m = len(a)
    pairs = permutations(range(m), 2)
    wrong = [(i, j) for i, j in pairs if scores[i] < scores[j] or (i < j and scores[i] == scores[j])]
    total = sum(a[i][j] for i, j in wrong)
    assert scores_loss(a, scores) == loss(a, order_of(scores)) == total


@given(questions())
def test_regret_is_a_share_between_zero_and_one(question):
    a, scores = question
    optimum = min(loss(a, order) for order in permutations(range(len(a))))
    share = normalized_regret(a, scores, optimum)
    assert 0 <= share <= 1
    assert share * total_weight(a) == regret(a, scores, optimum)


def test_loss_wants_a_permutation_and_a_score_for_each_item():
    a = [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]]
    with pytest.raises(InputError, match="each of the 2 items once"):
        loss(a, (0, 0))
    with pytest.raises(InputError, match="3 scores for 2 items"):
        scores_loss(a, LEVELS[:3])
