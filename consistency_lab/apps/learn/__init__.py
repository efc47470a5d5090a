"""Learning to rank from partial preferences: aggregate, then descend (DMJ13 §3 and §6)."""

from typing import TYPE_CHECKING, Any

from consistency_lab.apps.learn.losses import LOSSES, Loss
from consistency_lab.apps.learn.risk import u_statistic_risk

if TYPE_CHECKING:
    from consistency_lab.apps.learn.ranker import StructureRanker

__all__ = ["LOSSES", "Loss", "StructureRanker", "u_statistic_risk"]


def __getattr__(name: str) -> Any:
    """The ranker, which needs scikit-learn, when it is first used."""
    if name == "StructureRanker":
        from consistency_lab.apps.learn.ranker import StructureRanker

        return StructureRanker
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
