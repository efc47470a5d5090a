"""Structure functions: what several judgments of a query say together."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import field, fields
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consistency_lab.errors import InputError, did_you_mean
from consistency_lab.frozen import frozen
from consistency_lab.model.checked import checked
from consistency_lab.numbers.arrays import Floats
from consistency_lab.solve import structure_kernels as kernels
from consistency_lab.solve.structure_kernels import click_rates, row_means


def numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """An array of floats."""
    try:
        return np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"the {what} must be an array of numbers") from None


# --- What a structure is ---------------------------------------------------------------------------------
# A formula from the judgments of one query to a matrix, or to scores, of its items.


Kind = Literal["matrix", "scores", "clicks"]
"""What the kernel maps to what: wins to a matrix or scores, clicks to scores."""


class Structure(ABC):
    """A structure function s(Y_1, ..., Y_k) of DMJ13 §2 and §5, symmetric in the judgments Y of a query.

    Attributes
    ----------
    name
        Its name on the command line.
    title, formula, limit
        Its title, its formula, and what it estimates as k grows.
    kind
        The input and output of its kernel.
    shares
        Whether it counts how often i is preferred to j, so that each judge's preference has weight 1; else
        the weights of the preferences are added up.
    """

    __slots__ = ()

    name: ClassVar[str]
    title: ClassVar[str]
    formula: ClassVar[str]
    limit: ClassVar[str]
    kind: ClassVar[Kind]
    shares: ClassVar[bool] = True

    @property
    @abstractmethod
    def kernel(self) -> Callable[..., Any]:
        """The compiled formula, see `consistency_lab.solve.structure_kernels`."""


class PairStructure(Structure, ABC):
    """A structure of pairwise preferences."""

    __slots__ = ()

    @property
    def smoothing(self) -> float:
        """The number c that the kernel is called with; 0 where there is none."""
        return 0.0

    def matrix(self, wins: ArrayLike, total: float | None = None) -> Floats:
        """How far each item is ahead of each other one."""
        scores = self.scores(wins, total)
        return np.subtract.outer(scores, scores)

    def scores(self, wins: ArrayLike, total: float | None = None) -> Floats:
        """One number for each item, larger for what is preferred."""
        return scores_of(self, *self._given(wins, total))

    def pair_weights(self, wins: ArrayLike, total: float | None = None) -> Floats:
        """[s_ij - s_ji]_+, the weights of DMJ13's consistent pairwise loss."""
        matrix = self._run(wins, total) if self.kind == "matrix" else self.scores(wins, total)
        ahead = matrix - matrix.T if matrix.ndim > 1 else np.subtract.outer(matrix, matrix)
        return np.maximum(ahead, 0.0)

    def _run(self, wins: ArrayLike, total: float | None) -> Floats:
        result: Floats = self.kernel(*self._given(wins, total), self.smoothing)
        return result

    @checked
    def _given(self, wins: ArrayLike, total: float | None) -> tuple[Floats, float]:
        given = _checked(wins)
        k = float(given.sum()) if total is None else float(total)
        if total is not None and not 0.0 < k < np.inf:
            raise InputError(f"the number of labels is {total}; it must be above 0")
        return given, k


def scores_of(structure: PairStructure, wins: Floats, total: float) -> Floats:
    """The scores of wins that nobody needs to check."""
    result: Floats = structure.kernel(wins, total, structure.smoothing)
    return row_means(result) if structure.kind == "matrix" else result


class MatrixStructure(PairStructure, ABC):
    """A structure whose kernel gives a matrix A; its scores are the row means of (A - A^T)/2."""

    __slots__ = ()

    kind: ClassVar[Kind] = "matrix"

    def matrix(self, wins: ArrayLike, total: float | None = None) -> Floats:
        return self._run(wins, total)


class ScoreStructure(PairStructure, ABC):
    """A structure whose kernel gives scores s; its matrix has the differences s_i - s_j."""

    __slots__ = ()

    kind: ClassVar[Kind] = "scores"


_LARGEST: Final = 1e300


def smoothing(c: float) -> float:
    """The smoothing c, as a float."""
    if not (isinstance(c, int | float | np.number) and 0.0 < c <= _LARGEST):
        raise InputError(f"the smoothing c is {c!r}; it must be a number above 0, such as 1")
    return float(c)


def _checked(wins: ArrayLike) -> Floats:
    given = numbers(wins, "wins")
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise InputError(f"the wins have shape {given.shape}; they must be a square matrix")
    if not np.all((given >= 0.0) & (given < np.inf)):
        raise InputError("the wins must be finite numbers, at least 0, since they count preferences")
    if given.diagonal().any():
        raise InputError("the wins contain an item preferred to itself; the diagonal must be 0")
    return given


# --- The structures of pairwise preferences, in the order of DMJ13 §5 ------------------------------------


@frozen
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
    kernel = staticmethod(kernels.average_adjacency)
    shares: ClassVar[bool] = False


@frozen
class BTLLogOdds(MatrixStructure):
    """Smoothed log odds: A_ij = log((P(i over j) + c) / (P(j over i) + c)) (DMJ13 §5.1).

    P(i over j) is the share, among the k labels, of those that prefer i to j. Pairs that were never compared
    have A_ij = 0, and the smoothing keeps those finite that only one item has won.

    Examples
    --------
    >>> BTLLogOdds(c=1).matrix([[0, 1], [0, 0]]).round(3).tolist()
    [[0.0, 0.693], [-0.693, 0.0]]
    """

    c: float = 1.0  #: The smoothing, above 0.

    name: ClassVar[str] = "btl-log-odds"
    title: ClassVar[str] = "Bradley-Terry-Luce log odds"
    formula: ClassVar[str] = "A_ij = log((P̂(i≻j) + c)/(P̂(j≻i) + c))"
    limit: ClassVar[str] = "log((P(i≻j) + c)/(P(j≻i) + c))"
    kernel = staticmethod(kernels.log_odds)

    def __post_init__(self) -> None:
        smoothing(self.c)

    @property
    def smoothing(self) -> float:
        return float(self.c)


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


@frozen
class ThurstoneMosteller(ScoresOfMatrix):
    """Least squares: s minimizes sum over compared pairs of (A_ij - (s_i - s_j))^2, s = L^+ (Omega o A)1.

    Omega has a 1 for each pair that was compared, L is its Laplacian, and A the skew part of the matrix of
    another structure (DMJ13 §5.1). With all pairs compared s = A1/m. Of all solutions this is the shortest:
    on each component of the graph of comparisons the scores have mean 0, so scores of different components
    say nothing of each other, and an item that was never compared has score 0.

    Examples
    --------
    >>> ThurstoneMosteller(of=AverageAdjacency()).scores([[0, 1], [0, 0]]).round(3).tolist()
    [0.25, -0.25]
    """

    of: MatrixStructure = field(default_factory=BTLLogOdds)  #: The structure that gives A.

    name: ClassVar[str] = "thurstone-mosteller"
    title: ClassVar[str] = "Thurstone-Mosteller least squares"
    formula: ClassVar[str] = "s = L_Ω⁺(Ω∘A)1; A1/m if all pairs are compared"
    limit: ClassVar[str] = "L_Ω⁺(Ω∘A)1 of the limit A"
    kernel_of: ClassVar[Mapping[type, Callable[..., Any]]] = MappingProxyType(
        {AverageAdjacency: kernels.thurstone_of_average, BTLLogOdds: kernels.thurstone_of_log_odds}
    )


@frozen
class Borda(ScoresOfMatrix):
    """Borda count: s = A1, the row sums of the skew part of the matrix of another structure (DMJ13 §5.1).

    Of the average adjacency, s_i = (1/2) sum_j (a_ij - a_ji): on complete orders of m items Borda's count
    less (m - 1)/2. Pairs that were never compared add nothing.

    Examples
    --------
    >>> Borda().scores([[0, 1, 1], [0, 0, 1], [0, 0, 0]], total=1).tolist()
    [1.0, 0.0, -1.0]
    """

    of: MatrixStructure = field(default_factory=AverageAdjacency)  #: The structure that gives A.

    name: ClassVar[str] = "borda"
    title: ClassVar[str] = "Borda count"
    formula: ClassVar[str] = "s = A1"
    limit: ClassVar[str] = "A1 of the limit A"
    kernel_of: ClassVar[Mapping[type, Callable[..., Any]]] = MappingProxyType(
        {AverageAdjacency: kernels.borda_of_average, BTLLogOdds: kernels.borda_of_log_odds}
    )


@frozen
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
    kernel = staticmethod(kernels.win_rates)


@frozen
class PrincipalEigenvector(ScoreStructure):
    """Saaty's scores: the Perron vector of A_ij = (P(i over j) + c) / (P(j over i) + c) (DMJ13 §5.1).

    The matrix is reciprocal and positive, so the vector of sum 1 is unique and positive. If A_ij = w_i/w_j
    it is w, up to its sum. Pairs that were never compared have ratio 1.

    Examples
    --------
    >>> PrincipalEigenvector(c=1).scores([[0, 1], [0, 0]]).round(6).tolist()
    [0.666667, 0.333333]
    """

    c: float = 1.0  #: The smoothing, above 0. The smaller it is, the longer the power iteration takes.

    name: ClassVar[str] = "principal-eigenvector"
    title: ClassVar[str] = "principal eigenvector"
    formula: ClassVar[str] = "As = λs, A_ij = (P̂(i≻j) + c)/(P̂(j≻i) + c)"
    limit: ClassVar[str] = "the Perron vector of the ratios (P(i≻j) + c)/(P(j≻i) + c)"
    kernel = staticmethod(kernels.perron)

    def __post_init__(self) -> None:
        smoothing(self.c)

    @property
    def smoothing(self) -> float:
        return float(self.c)


# --- The cascade model of clicks: the chance that an item satisfies a user who examines it ---------------


@frozen
class CascadeMLE(Structure):
    """Maximum likelihood in the cascade model: s_i = clicks on i / how often i was examined (DMJ13 §5.2).

    A user examines a list from the top and clicks the first item that satisfies, which item i does with
    probability s_i. So the items up to the click were examined, or all of them without a click. The
    likelihood does not depend on items that were never examined: they get 0, the least of the maximizers.

    Examples
    --------
    >>> CascadeMLE().scores(clicks=[2, 1, 0], examined=[4, 2, 0]).tolist()
    [0.5, 0.5, 0.0]
    """

    name: ClassVar[str] = "cascade-mle"
    title: ClassVar[str] = "cascade model of clicks"
    formula: ClassVar[str] = "s_i = (clicks on i)/(times i was examined)"
    limit: ClassVar[str] = "the chance that i satisfies a user who examines it"
    kernel = staticmethod(click_rates)
    kind: ClassVar[Kind] = "clicks"

    def scores(self, clicks: ArrayLike, examined: ArrayLike) -> Floats:
        """The chance of each item."""
        given = numbers(clicks, "clicks"), numbers(examined, "examinations")
        if given[0].ndim != 1 or given[0].shape != given[1].shape:
            raise InputError(
                f"clicks have shape {given[0].shape} and examinations {given[1].shape}; both must be (m,)"
            )
        if not np.all((given[0] >= 0.0) & (given[0] <= given[1]) & (given[1] < np.inf)):
            raise InputError("clicks must be between 0 and the examinations of each item")
        chances: Floats = self.kernel(*given)
        return chances


# --- The structures by name ------------------------------------------------------------------------------

STRUCTURES: Final[Mapping[str, type[Structure]]] = MappingProxyType(
    {
        one.name: one
        for one in (
            AverageAdjacency,
            BTLLogOdds,
            ThurstoneMosteller,
            Borda,
            AmmarShah,
            PrincipalEigenvector,
            CascadeMLE,
        )
    }
)
"""In the order of DMJ13 §5."""


@checked
def structure(name: str, **parameters: Any) -> Structure:
    """A structure by its name.

    Examples
    --------
    >>> structure("btl-log-odds", c=0.5)
    BTLLogOdds(c=0.5)
    """
    if name not in STRUCTURES:
        hint = did_you_mean(name, STRUCTURES, "they are")
        raise InputError(f"there is no structure {name[:40]!r}; {hint}")
    kind: Any = STRUCTURES[name]
    known = [field.name for field in fields(kind)]
    for parameter in parameters:
        if parameter not in known:
            raise InputError(
                f"the structure {name} has no parameter {parameter[:40]!r}; "
                f"it has {', '.join(known) or 'none'}"
            )
    built: Structure = kind(**parameters)
    return built
