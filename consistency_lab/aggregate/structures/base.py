"""What a structure is: a formula from the judgments of one query to a matrix, or to scores, of its items."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consistency_lab.aggregate.kernels import row_means
from consistency_lab.aggregate.rows import numbers
from consistency_lab.checked import checked
from consistency_lab.errors import InputError

Array = NDArray[np.float64]

Kind = Literal["matrix", "scores", "clicks"]
"""What the kernel gives: a matrix of wins becomes a matrix or scores; clicks become scores."""


class Structure(ABC):
    """A structure function s(Y_1, ..., Y_k) of DMJ13 §2 and §5, symmetric in the judgments Y of a query.

    Attributes
    ----------
    name
        What the command line calls it.
    title, formula, limit
        What it is called in words, its formula, and what it estimates as k grows.
    kind
        What its kernel takes and gives.
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
        """The compiled formula, see `consistency_lab.aggregate.kernels`."""


class PairStructure(Structure, ABC):
    """A structure of pairwise preferences."""

    __slots__ = ()

    @property
    def smoothing(self) -> float:
        """The number c that the kernel is called with; 0 where there is none."""
        return 0.0

    def matrix(self, wins: ArrayLike, total: float | None = None) -> Array:
        """How far each item is ahead of each other one.

        Parameters
        ----------
        wins
            Shape (m, m): the weight with which i was preferred to j.
        total
            The number k of labels; by default the sum of the wins, as where each label is one comparison.

        Returns
        -------
        numpy.ndarray
            Shape (m, m).

        Raises
        ------
        InputError
            If the wins are no square matrix of numbers from 0 on with 0 on the diagonal, or the total is not
            above 0.
        """
        scores = self.scores(wins, total)
        return np.subtract.outer(scores, scores)

    def scores(self, wins: ArrayLike, total: float | None = None) -> Array:
        """One number for each item, larger for what is preferred.

        Parameters
        ----------
        wins, total
            As for `matrix`.

        Returns
        -------
        numpy.ndarray
            Shape (m,).

        Raises
        ------
        InputError
            As `matrix`.
        """
        return self._run(wins, total)

    def pair_weights(self, wins: ArrayLike, total: float | None = None) -> Array:
        """[s_ij - s_ji]_+, the weights of DMJ13's consistent pairwise loss.

        Parameters
        ----------
        wins, total
            As for `matrix`.

        Returns
        -------
        numpy.ndarray
            Shape (m, m).

        Raises
        ------
        InputError
            As `matrix`.
        """
        matrix = self._run(wins, total) if self.kind == "matrix" else self.scores(wins, total)
        ahead = matrix - matrix.T if matrix.ndim > 1 else np.subtract.outer(matrix, matrix)
        return np.maximum(ahead, 0.0)

    @checked
    def _run(self, wins: ArrayLike, total: float | None) -> Array:
        given = _checked(wins)
        k = float(given.sum()) if total is None else float(total)
        if total is not None and not 0.0 < k < np.inf:
            raise InputError(f"the number of labels is {total}; it must be above 0")
        found: Array = self.kernel(given, k, self.smoothing)
        return found


class MatrixStructure(PairStructure, ABC):
    """A structure whose kernel gives a matrix A; its scores are the row means of (A - A^T)/2."""

    __slots__ = ()

    kind: ClassVar[Kind] = "matrix"

    def matrix(self, wins: ArrayLike, total: float | None = None) -> Array:
        return self._run(wins, total)

    def scores(self, wins: ArrayLike, total: float | None = None) -> Array:
        return row_means(self._run(wins, total))


class ScoreStructure(PairStructure, ABC):
    """A structure whose kernel gives scores s; its matrix has the differences s_i - s_j."""

    __slots__ = ()

    kind: ClassVar[Kind] = "scores"


_LARGEST: Final = 1e300


def smoothing(c: float) -> float:
    """The smoothing c, as a float.

    Raises
    ------
    InputError
        If it is not above 0: then a pair that only one item has won would have infinite odds.
    """
    if not (isinstance(c, int | float | np.number) and 0.0 < c <= _LARGEST):
        raise InputError(f"the smoothing c is {c!r}; it must be a number above 0, as 1")
    return float(c)


def _checked(wins: ArrayLike) -> Array:
    given = numbers(wins, "wins")
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise InputError(f"the wins have shape {given.shape}; they must be a square matrix")
    if not np.all((given >= 0.0) & (given < np.inf)):
        raise InputError("the wins hold a number that is negative or not finite; they count preferences")
    if given.diagonal().any():
        raise InputError("the wins hold an item that is preferred to itself; their diagonal must be 0")
    return given
