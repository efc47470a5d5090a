"""NDCG by its definition, on queries so small that all orders can be listed."""

from itertools import pairwise, permutations
from math import log2

import numpy as np
import pytest

from consistency_lab.apps.learn.experiments.web import ndcg_losses, ndcg_risk
from consistency_lab.errors import InputError

ONE = np.zeros(3, dtype=np.int64)


def _by_hand(scores: np.ndarray, relevance: np.ndarray) -> float:
    """The mean over all orders that the scores allow, divided by the best over all orders."""
    gains = [2 ** (r - relevance.min()) - 1 for r in relevance]

    def value(order: tuple[int, ...]) -> float:
        return sum(gains[j] / log2(1 + rank) for rank, j in enumerate(order, start=1))

    orders = list(permutations(range(len(scores))))
    allowed = [order for order in orders if all(scores[a] >= scores[b] for a, b in pairwise(order))]
    return 1 - sum(map(value, allowed)) / len(allowed) / max(map(value, orders))


def test_three_documents_by_hand() -> None:
    relevance, scores = np.array([2.0, 0.0, 1.0]), np.array([1.0, 2.0, 0.0])
    loss = 1 - (0 + 3 / log2(3) + 1 / 2) / (3 + 1 / log2(3))
    assert ndcg_risk(scores, relevance, ONE) == pytest.approx(loss)
    assert ndcg_risk(relevance, relevance, ONE) == 0.0
    assert ndcg_risk(scores, relevance, ONE, cutoff=2) == pytest.approx(1 - 3 / log2(3) / (3 + 1 / log2(3)))
    assert ndcg_risk(scores, relevance, ONE, cutoff=1) == 1.0


def test_random_queries_agree_with_the_definition() -> None:
    rng = np.random.default_rng(0)
    queries = np.repeat(np.arange(40), 5)
    relevance = rng.integers(0, 5, 200).astype(float)
    relevance[::5] = relevance[1::5] + 1  # no query is of equal documents
    scores = rng.integers(0, 3, 200).astype(float)  # many ties
    expected = [_by_hand(scores[queries == q], relevance[queries == q]) for q in range(40)]
    shuffle = rng.permutation(200)
    found = ndcg_losses(scores[shuffle], relevance[shuffle], queries[shuffle])
    assert found == pytest.approx(expected)
    assert ndcg_risk(scores, relevance, queries) == pytest.approx(np.mean(expected))


def test_a_shift_of_the_relevances_of_a_query_changes_nothing() -> None:
    """So limiting scores, which are relevances less their mean, give the gains of the labels."""
    relevance, scores = np.array([4.0, 0.0, 1.0]), np.array([0.0, 2.0, 1.0])
    assert ndcg_risk(scores, relevance - 5 / 3, ONE) == pytest.approx(ndcg_risk(scores, relevance, ONE))


def test_queries_of_equal_documents_do_not_count() -> None:
    queries = np.array([0, 0, 1, 1])
    relevance = np.array([3.0, 3.0, 1.0, 0.0])
    assert ndcg_losses(np.zeros(4), relevance, queries) == pytest.approx([0.5 - 0.5 / log2(3)])
    with pytest.raises(InputError, match="documents of equal relevance only"):
        ndcg_risk(np.zeros(2), np.ones(2), np.zeros(2, dtype=np.int64))
