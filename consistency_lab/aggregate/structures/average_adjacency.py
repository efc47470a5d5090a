"""The average of the judges' graphs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

from consistency_lab.aggregate.kernels import average_adjacency
from consistency_lab.aggregate.structures.base import MatrixStructure


@final
@dataclass(frozen=True, slots=True)
class AverageAdjacency(MatrixStructure):
    """Mean adjacency matrix: a_ij = (1/k) sum_l a_ij(Y_l) (DMJ13 §5.3).

    Its limit is the aggregate of the population, so where the difference graph of that is acyclic the
    difference-graph loss is consistent. Pairs that no label compares have weight 0.

    Examples
    --------
    >>> AverageAdjacency().matrix([[0, 3], [1, 0]]).tolist()
    [[0.0, 0.75], [0.25, 0.0]]
    """

    name: ClassVar[str] = "average-adjacency"
    title: ClassVar[str] = "average adjacency"
    formula: ClassVar[str] = "a_ij = (1/k) Σ_l a_ij(Y_l)"
    limit: ClassVar[str] = "E a_ij(Y), the aggregate"
    shares: ClassVar[bool] = False

    @property
    def kernel(self) -> Callable[..., Any]:
        return average_adjacency
