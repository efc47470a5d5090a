"""Target losses: what a ranking really costs."""

from consistency_lab.model.targets.pairwise import (
    best_refinement_loss,
    loss,
    normalized_regret,
    order_of,
    regret,
    scores_loss,
    total_weight,
)

__all__ = [
    "best_refinement_loss",
    "loss",
    "normalized_regret",
    "order_of",
    "regret",
    "scores_loss",
    "total_weight",
]
