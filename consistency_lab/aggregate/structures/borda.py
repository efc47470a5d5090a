"""Borda: how far an item is ahead of all others together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, final

from consistency_lab.aggregate import kernels
from consistency_lab.aggregate.structures.average_adjacency import AverageAdjacency
from consistency_lab.aggregate.structures.base import MatrixStructure
from consistency_lab.aggregate.structures.btl_log_odds import BTLLogOdds
from consistency_lab.aggregate.structures.of_matrix import ScoresOfMatrix


@final
@dataclass(frozen=True, slots=True)
class Borda(ScoresOfMatrix):
    """Borda count: s = A1, the row sums of the skew part of the matrix of another structure (DMJ13 §5.1).

    Of the average adjacency, s_i = (1/2) sum_j (a_ij - a_ji): on complete orders of m items Borda's count
    less (m - 1)/2. Pairs that were never compared add nothing.

    Parameters
    ----------
    of
        The structure that gives A.

    Raises
    ------
    InputError
        If `of` gives no matrix.

    Examples
    --------
    >>> Borda().scores([[0, 1, 1], [0, 0, 1], [0, 0, 0]], total=1).tolist()
    [1.0, 0.0, -1.0]
    """

    of: MatrixStructure = field(default_factory=AverageAdjacency)

    name: ClassVar[str] = "borda"
    title: ClassVar[str] = "Borda count"
    formula: ClassVar[str] = "s = A1"
    limit: ClassVar[str] = "A1 of the limit A"
    kernel_of: ClassVar[Mapping[type, Callable[..., Any]]] = MappingProxyType(
        {AverageAdjacency: kernels.borda_of_average, BTLLogOdds: kernels.borda_of_log_odds}
    )
