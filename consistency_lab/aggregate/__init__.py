"""Structure functions: what several judgments say together, as a matrix or as scores (DMJ13 §2 and §5)."""

from consistency_lab.aggregate.clicks import Clicks
from consistency_lab.aggregate.preferences import Preferences
from consistency_lab.aggregate.structures.ammar_shah import AmmarShah
from consistency_lab.aggregate.structures.average_adjacency import AverageAdjacency
from consistency_lab.aggregate.structures.base import Structure
from consistency_lab.aggregate.structures.borda import Borda
from consistency_lab.aggregate.structures.btl_log_odds import BTLLogOdds
from consistency_lab.aggregate.structures.cascade_mle import CascadeMLE
from consistency_lab.aggregate.structures.principal_eigenvector import PrincipalEigenvector
from consistency_lab.aggregate.structures.table import STRUCTURES, structure
from consistency_lab.aggregate.structures.thurstone_mosteller import ThurstoneMosteller

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
