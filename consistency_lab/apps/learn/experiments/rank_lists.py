"""Does the better order bring relevance? Lists of several rankers, aggregated, against true labels."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import numpy as np

from consistency_lab.apps.learn.experiments.exact import disagreement, pairwise_logistic
from consistency_lab.apps.learn.experiments.web import Letor, ndcg_losses
from consistency_lab.data.rows import Unranked
from consistency_lab.errors import InputError
from consistency_lab.numbers.arrays import Floats
from consistency_lab.solve.kemeny import kemeny

RULES: Final = ("bradley-terry", "difference-logistic", "borda", "kemeny")
CUTOFFS: Final = (10, None)
_LAM: Final = 1e-6


def rank_lists(data: Letor, title: str, tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Aggregate the rank lists of each query in four ways, and compare with the labels.

    The features are ranks, 1 the best, or NULL where a ranker did not list the document. Such documents have
    no preferences ("unknown") or are below all listed ones ("last"). Measured are the share of preferences
    that each order contradicts beyond the least possible, and NDCG.
    """
    if not np.isnan(data.features).any():
        raise InputError(
            f"{title}: no document has NULL for a rank, so these are not rank lists, such as MQ2007-agg"
        )
    return {
        "experiment": "rank lists",
        "data": {
            "title": title,
            "queries": len(data.names),
            "documents": len(data.grades),
            "rankers": data.features.shape[1],
            "unranked": float(np.isnan(data.features).mean()),
        },
        "unranked": [_measured(data, unranked, tell) for unranked in ("unknown", "last")],
    }


def wins_of(ranks: Floats, unranked: Unranked) -> Floats:
    """The number of rankers with document i above j, shape (m, m)."""
    filled = np.where(np.isnan(ranks), np.inf, ranks) if unranked == "last" else ranks
    return np.asarray((filled[:, None, :] < filled[None, :, :]).sum(axis=2), dtype=np.float64)


def _measured(data: Letor, unranked: Unranked, tell: Callable[[str], None]) -> dict[str, Any]:
    scores = {rule: np.zeros(len(data.grades)) for rule in RULES}
    regrets: dict[str, list[float]] = {rule: [] for rule in RULES}
    cyclic = proved = 0
    for query, name in enumerate(data.names):
        tell(f"query {name}, unranked {unranked}")
        rows = data.queries == query
        wins = wins_of(data.features[rows], unranked)
        best = kemeny([[Fraction(int(x)) for x in row] for row in wins])
        cyclic += best.cost > Fraction(int(np.minimum(wins, wins.T).sum()), 2)
        proved += best.is_optimal
        for rule, found in _aggregated(wins, best.order).items():
            scores[rule][rows] = found
            if wins.any():
                regrets[rule].append((disagreement(wins, found) - float(best.cost)) / float(wins.sum()))
    losses = {
        (rule, cutoff): ndcg_losses(scores[rule], data.grades, data.queries, cutoff)
        for rule in RULES
        for cutoff in CUTOFFS
    }
    return {
        "unranked": unranked,
        "cyclic": cyclic,
        "optimal_proved": proved,
        "judged": len(losses[RULES[0], None]),
        "rules": [
            {
                "rule": rule,
                "regret": float(np.mean(regrets[rule])),
                "ndcg": [{"cutoff": c, "mean": float(1 - losses[rule, c].mean())} for c in CUTOFFS],
                "gain_over_kemeny": [
                    {"cutoff": c, "runs": (losses["kemeny", c] - losses[rule, c]).tolist()} for c in CUTOFFS
                ],
            }
            for rule in RULES
        ],
    }


def _aggregated(wins: Floats, best: tuple[int, ...]) -> dict[str, Floats]:
    def logistic(weights: Floats) -> Floats:
        return pairwise_logistic([np.eye(len(wins))], [weights], _LAM)

    places = np.empty(len(wins))
    places[list(best)] = -np.arange(len(wins))
    return {
        "bradley-terry": logistic(wins),
        "difference-logistic": logistic(np.maximum(wins - wins.T, 0.0)),
        "borda": wins.sum(axis=1) - wins.sum(axis=0),
        "kemeny": places,
    }
