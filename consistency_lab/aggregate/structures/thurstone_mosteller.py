"""Thurstone and Mosteller: the scores whose differences are nearest to a matrix."""

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
class ThurstoneMosteller(ScoresOfMatrix):
    """Least squares: s minimizes sum over compared pairs of (A_ij - (s_i - s_j))^2, s = L^+ (Omega o A)1.

    Omega has a 1 for each pair that was compared, L is its Laplacian, and A the skew part of the matrix of
    another structure (DMJ13 §5.1). With all pairs compared s = A1/m. Of all solutions this is the shortest:
    on each component of the graph of comparisons the scores have mean 0, so scores of different components
    say nothing of each other, and an item that was never compared has score 0.

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
    >>> ThurstoneMosteller(of=AverageAdjacency()).scores([[0, 1], [0, 0]]).round(3).tolist()
    [0.25, -0.25]
    """

    of: MatrixStructure = field(default_factory=BTLLogOdds)

    name: ClassVar[str] = "thurstone-mosteller"
    title: ClassVar[str] = "Thurstone-Mosteller least squares"
    formula: ClassVar[str] = "s = L_Ω⁺(Ω∘A)1; A1/m if all pairs are compared"
    limit: ClassVar[str] = "L_Ω⁺(Ω∘A)1 of the limit A"
    kernel_of: ClassVar[Mapping[type, Callable[..., Any]]] = MappingProxyType(
        {AverageAdjacency: kernels.thurstone_of_average, BTLLogOdds: kernels.thurstone_of_log_odds}
    )
