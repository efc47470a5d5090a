"""Structure functions: what several judgments say together, as a matrix or as scores (DMJ13 §2 and §5)."""

from consistency_lab.apps.learn.aggregate.preferences import Clicks, Preferences
from consistency_lab.solve.structures import (
    STRUCTURES,
    AmmarShah,
    AverageAdjacency,
    Borda,
    BTLLogOdds,
    CascadeMLE,
    PrincipalEigenvector,
    Structure,
    ThurstoneMosteller,
    structure,
)

__all__ = [
    "STRUCTURES",
    "AmmarShah",
    "AverageAdjacency",
    "BTLLogOdds",
    "Borda",
    "CascadeMLE",
    "Clicks",
    "Preferences",
    "PrincipalEigenvector",
    "Structure",
    "ThurstoneMosteller",
    "structure",
]
