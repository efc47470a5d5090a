"""The structures of pairwise preferences, in the order of DMJ13 §5."""

from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, final

from consistency_lab.aggregate import kernels
from consistency_lab.aggregate.structures.base import MatrixStructure, ScoreStructure, smoothing
from consistency_lab.errors import InputError


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
        return kernels.average_adjacency


@final
@dataclass(frozen=True, slots=True)
class BTLLogOdds(MatrixStructure):
    """Smoothed log odds: A_ij = log((P(i over j) + c) / (P(j over i) + c)) (DMJ13 §5.1).

    P(i over j) is the share, among the k labels, of those that prefer i to j. Pairs that were never compared
    have A_ij = 0, and the smoothing keeps those finite that only one item has won.

    Parameters
    ----------
    c
        The smoothing, above 0.

    Raises
    ------
    InputError
        If c is not above 0.

    Examples
    --------
    >>> BTLLogOdds(c=1).matrix([[0, 1], [0, 0]]).round(3).tolist()
    [[0.0, 0.693], [-0.693, 0.0]]
    """

    c: float = 1.0

    name: ClassVar[str] = "btl-log-odds"
    title: ClassVar[str] = "Bradley-Terry-Luce log odds"
    formula: ClassVar[str] = "A_ij = log((P̂(i≻j) + c)/(P̂(j≻i) + c))"
    limit: ClassVar[str] = "log((P(i≻j) + c)/(P(j≻i) + c))"

    def __post_init__(self) -> None:
        smoothing(self.c)

    @property
    def smoothing(self) -> float:
        return float(self.c)

    @property
    def kernel(self) -> Callable[..., Any]:
        return kernels.log_odds


class ScoresOfMatrix(ScoreStructure, ABC):
    """Scores that are made from the matrix of the structure `of`: a compiled formula for each such structure.

    Attributes
    ----------
    kernel_of
        The formula for each class of `of`.
    """

    __slots__ = ()

    of: MatrixStructure
    kernel_of: ClassVar[Mapping[type, Callable[..., Any]]]

    def __post_init__(self) -> None:
        if type(self.of) not in self.kernel_of:
            known = ", ".join(f"{one.__name__}()" for one in self.kernel_of)
            raise InputError(f"the scores are made of {self.of!r}; it must be one of {known}")

    @property
    def shares(self) -> bool:  # type: ignore[override]
        return self.of.shares

    @property
    def smoothing(self) -> float:
        return self.of.smoothing

    @property
    def kernel(self) -> Callable[..., Any]:
        return self.kernel_of[type(self.of)]


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


@final
@dataclass(frozen=True, slots=True)
class AmmarShah(ScoreStructure):
    """Mean win rate: s_i = (1/(m-1)) sum_j P(i over j) (DMJ13 §5.1, after Ammar and Shah).

    P(i over j) is here the share of i's wins among the comparisons of i and j, 1/2 where there are none:
    then s_i estimates the chance to win against an opponent chosen uniformly, however often each pair is
    compared. It is 1/2 + (Borda count of the matrix P - 1/2)/(m-1).

    Examples
    --------
    >>> AmmarShah().scores([[0, 3, 0], [1, 0, 0], [0, 0, 0]]).tolist()
    [0.625, 0.375, 0.5]
    """

    name: ClassVar[str] = "ammar-shah"
    title: ClassVar[str] = "Ammar-Shah win rate"
    formula: ClassVar[str] = "s_i = (1/(m−1)) Σ_j P̂(i≻j)"
    limit: ClassVar[str] = "the chance that i wins against an opponent drawn uniformly"

    @property
    def kernel(self) -> Callable[..., Any]:
        return kernels.win_rates


@final
@dataclass(frozen=True, slots=True)
class PrincipalEigenvector(ScoreStructure):
    """Saaty's scores: the Perron vector of A_ij = (P(i over j) + c) / (P(j over i) + c) (DMJ13 §5.1).

    The matrix is reciprocal and positive, so the vector of sum 1 is unique and positive. If A_ij = w_i/w_j
    it is w, up to its sum. Pairs that were never compared have ratio 1.

    Parameters
    ----------
    c
        The smoothing, above 0. The smaller it is, the longer the power iteration takes.

    Raises
    ------
    InputError
        If c is not above 0.

    Examples
    --------
    >>> PrincipalEigenvector(c=1).scores([[0, 1], [0, 0]]).round(6).tolist()
    [0.666667, 0.333333]
    """

    c: float = 1.0

    name: ClassVar[str] = "principal-eigenvector"
    title: ClassVar[str] = "principal eigenvector"
    formula: ClassVar[str] = "As = λs, A_ij = (P̂(i≻j) + c)/(P̂(j≻i) + c)"
    limit: ClassVar[str] = "the Perron vector of the ratios (P(i≻j) + c)/(P(j≻i) + c)"

    def __post_init__(self) -> None:
        smoothing(self.c)

    @property
    def smoothing(self) -> float:
        return float(self.c)

    @property
    def kernel(self) -> Callable[..., Any]:
        return kernels.perron
