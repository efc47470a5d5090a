"""Learning to rank from partial preferences: aggregate, then descend (DMJ13 §3 and §6)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from consistency_lab.apps.learn.losses import LOSSES, Loss
    from consistency_lab.apps.learn.ranker import StructureRanker
    from consistency_lab.apps.learn.risk import u_statistic_risk

__all__ = ["LOSSES", "Loss", "StructureRanker", "u_statistic_risk"]


def __getattr__(name: str) -> Any:
    """Each when it is first used: the ranker needs scikit-learn, and aggregation none of them."""
    if name == "StructureRanker":
        from consistency_lab.apps.learn.ranker import StructureRanker

        return StructureRanker
    if name == "u_statistic_risk":
        from consistency_lab.apps.learn.risk import u_statistic_risk

        return u_statistic_risk
    if name in ("LOSSES", "Loss"):
        from consistency_lab.apps.learn import losses

        return getattr(losses, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
