"""Smooth stand-ins are calibrated for the loss that they smooth, and the theorem says so for no other one."""

from fractions import Fraction

import pytest

from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.tasks import decide_task
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.decide.theorems.everywhere import SMOOTH_NDCG, SOFT_PAIRS
from consistency_lab.model.surrogates.tasks.means import PairRegression, SmoothPositions, SoftPairs
from consistency_lab.model.tasks.catalogue import target

APPROXIMATE = SmoothPositions("ndcg", Fraction(1, 10))


@pytest.mark.parametrize(
    ("surrogate", "task", "theorem"),
    [
        (APPROXIMATE, target("ndcg"), SMOOTH_NDCG),
        (APPROXIMATE, target("ndcg", items=4, labels=(0, 1, 2, 3)), SMOOTH_NDCG),
        (SoftPairs(), target("pairwise"), SOFT_PAIRS),
        (SoftPairs(), target("pairwise", items=4, labels=(0, 1)), SOFT_PAIRS),
    ],
)
def test_they_are_calibrated_for_what_they_smooth(surrogate, task, theorem):
    evidence = consistency_theorem(surrogate, "any", task)
    assert evidence.scope == "all m"
    assert evidence == theorem.applies(surrogate, "any", task)


# Each of these differs from the theorem in one hypothesis, and is refuted by a certified witness.
FALSE = [
    (APPROXIMATE, target("ndcg", gain="s")),
    (APPROXIMATE, target("ndcg", discount="j")),
    (APPROXIMATE, target("pairwise")),
    (SmoothPositions("mrr"), target("ndcg")),
    (SoftPairs("pairs"), target("pairwise")),
    (SoftPairs(), target("ndcg")),
]


@pytest.mark.parametrize(("surrogate", "task"), FALSE)
def test_false_variants_have_witnesses(surrogate, task):
    assert consistency_theorem(surrogate, "any", task) is None
    (answer,) = decide_task(surrogate, task, ["any"], prescribe=False).answers
    assert answer.verdict is Verdict.INCONSISTENT
    assert answer.witness.document["proof"]["scores"] is None


def test_truncation_is_not_covered():
    assert consistency_theorem(APPROXIMATE, "any", target("ndcg", k=1)) is None
    assert consistency_theorem(APPROXIMATE, "any", target("ndcg", k=2)) is None


@pytest.mark.parametrize("k", [3, 10])
def test_positions_that_no_item_has_need_no_theorem_for_more_items(k):
    evidence = consistency_theorem(APPROXIMATE, "any", target("ndcg", k=k))
    assert evidence.scope == "m <= k"


def test_normalized_pairs_are_right_for_binary_labels_of_two_items():
    # There the number of pairs is 1 or 0, so that dividing by it changes nothing.
    task = target("pairwise", items=2, labels=(0, 1))
    (answer,) = decide_task(SoftPairs("pairs"), task, ["any"], prescribe=False).answers
    assert answer.verdict is Verdict.CONSISTENT


def test_soft_pairs_do_not_pass_for_least_squares():
    """RAT13 Theorem 3 is about squares; the soft count has its own theorem."""
    kinds = [target("pairwise"), target("pairwise", items=2)]
    for task in kinds:
        soft, squares = (consistency_theorem(s, "any", task) for s in (SoftPairs(), PairRegression()))
        assert "Plackett" in soft.citation
        assert "RAT13" in squares.citation
