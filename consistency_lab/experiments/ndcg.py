r"""The NDCG risk of scores: how much of the gain that a perfect order has is lost, a query on average."""

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import InputError

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def ndcg_losses(scores: Floats, relevance: Floats, queries: Codes, cutoff: int | None = None) -> Floats:
    r"""The loss 1 - NDCG of each query that has documents of different relevance.

    With gains G and the usual discount (the NDCG family of DMJ13 Section 3; Section 6.3 has the gains of
    the limiting scores),

    .. math:: 1 - \frac{1}{Z} \sum_j \frac{G_j}{\log_2(1 + \pi(j))}, \qquad G_j = 2^{r_j - \min_l r_l} - 1,

    where pi(j) is the rank of j by falling score and Z the largest value of the sum. Limiting scores are
    relevances up to a shift for each query, so G is a function of them alone; where the least relevance of a
    query is 0 it is the usual gain 2^r - 1. Documents of equal score share their gains: the loss is the
    expectation over the orders that break the ties.

    Parameters
    ----------
    scores, relevance, queries
        Shape (N,): of each document.
    cutoff
        Only so many ranks count; all without it.

    Returns
    -------
    Shape (Q,): the losses, by rising number of the query, without queries whose documents are all equal.

    Raises
    ------
    InputError
        If no query has documents of different relevance.

    Examples
    --------
    >>> loss = ndcg_losses(np.array([0.0, 1.0]), np.array([2.0, 1.0]), np.array([0, 0]))
    >>> bool(abs(loss[0] - (1 - 1 / np.log2(3))) < 1e-15)
    True
    """
    places, sizes = _query_places(queries)
    order = np.lexsort((-scores, places))
    gains = _gains(relevance, places, len(sizes))
    ranks = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
    discounts = 1.0 / np.log2(1.0 + ranks)
    if cutoff is not None:
        discounts[ranks > cutoff] = 0.0
    sorted_places, sorted_scores = places[order], scores[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (sorted_places[1:] != sorted_places[:-1]) | (sorted_scores[1:] != sorted_scores[:-1])
    ties = np.cumsum(first) - 1
    shared = np.bincount(ties, discounts)[ties] / np.bincount(ties)[ties]
    found = np.bincount(sorted_places, gains[order] * shared, len(sizes))
    perfect = np.lexsort((-gains, places))
    best = np.bincount(places[perfect], gains[perfect] * discounts, len(sizes))
    if not best.any():
        raise InputError(
            "in every query all documents are equally relevant; then no order is better than another"
        )
    losses: Floats = 1.0 - found[best > 0] / best[best > 0]
    return losses


def ndcg_risk(scores: Floats, relevance: Floats, queries: Codes, cutoff: int | None = None) -> float:
    """The mean of `ndcg_losses`: queries are equally likely.

    Raises
    ------
    InputError
        If no query has documents of different relevance.
    """
    return float(ndcg_losses(scores, relevance, queries, cutoff).mean())


def _query_places(queries: Codes) -> tuple[Codes, Codes]:
    _, places, sizes = np.unique(queries, return_inverse=True, return_counts=True)
    return places, sizes


def _gains(relevance: Floats, places: Codes, queries: int) -> Floats:
    least = np.full(queries, np.inf)
    np.minimum.at(least, places, relevance)
    gains: Floats = np.exp2(relevance - least[places]) - 1.0
    return gains
