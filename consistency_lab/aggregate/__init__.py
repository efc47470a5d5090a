"""Structure functions: what several judgments say together, as a matrix or as scores (DMJ13 §2 and §5)."""

from consistency_lab.aggregate.clicks import Clicks
from consistency_lab.aggregate.preferences import Preferences
from consistency_lab.aggregate.structures.base import Structure
from consistency_lab.aggregate.structures.cascade_mle import CascadeMLE
from consistency_lab.aggregate.structures.pairs import (
    AmmarShah,
    AverageAdjacency,
    Borda,
    BTLLogOdds,
    PrincipalEigenvector,
    ThurstoneMosteller,
)
from consistency_lab.aggregate.structures.table import STRUCTURES, structure

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
