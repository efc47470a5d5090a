"""Custom objectives of XGBoost and LightGBM: DMJ13's consistent pairwise loss on aggregated judgments."""

import csv
import os
from pathlib import Path
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from consistency_lab.apps.learn.aggregate.preferences import Preferences
from consistency_lab.errors import InputError
from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.solve.structures import PairStructure


@final
class DifferenceLogistic:
    """sum of w_ij log(1 + exp(f_j - f_i)) over pairs, w_ij = [s_ij - s_ji]_+ of a structure s (DMJ13 §5.3).

    An instance is an objective for ``xgboost.train(..., obj=...)`` and LightGBM's parameter ``objective``:
    called with the scores f of the rows of the training data, it gives the gradient and the diagonal of the
    Hessian. The weights are shares or log odds, so what a library sums up of them may be small: set
    XGBoost's ``min_child_weight`` and LightGBM's ``min_sum_hessian_in_leaf`` to 0.

    Parameters
    ----------
    winners, losers
        Shape (P,): rows of the training data.
    weights
        Shape (P,).

    Examples
    --------
    >>> objective = DifferenceLogistic([0], [1], [2.0])
    >>> [one.tolist() for one in objective(np.zeros(3))]
    [[-1.0, 1.0, 0.0], [0.5, 0.5, 0.0]]
    """

    def __init__(self, winners: ArrayLike, losers: ArrayLike, weights: ArrayLike) -> None:
        won, lost, weighed = np.asarray(winners), np.asarray(losers), np.asarray(weights, np.float64)
        if not won.shape == lost.shape == weighed.shape or won.ndim != 1:
            raise InputError(
                f"winners, losers and weights have shapes {won.shape}, {lost.shape} and {weighed.shape}; "
                "give one of each for every pair"
            )
        whole = all(np.issubdtype(one.dtype, np.integer) for one in (won, lost)) or not won.size
        if not whole or not np.all((won >= 0) & (lost >= 0) & (weighed >= 0) & (weighed < np.inf)):
            raise InputError("rows must be whole numbers, at least 0, and weights finite and at least 0")
        self.winners: Whole = won.astype(np.int64)
        self.losers: Whole = lost.astype(np.int64)
        self.weights: Floats = weighed

    @classmethod
    def of(cls, structure: PairStructure, preferences: Preferences) -> Self:
        """The loss of the preferences of each query, aggregated by a structure.

        Examples
        --------
        >>> from consistency_lab.apps.learn.aggregate import AverageAdjacency
        >>> said = Preferences([0, 0, 1], [1, 1, 0], [7, 7])
        >>> DifferenceLogistic.of(AverageAdjacency(), said).weights.round(3).tolist()
        [0.333]
        """
        won, lost, weighed = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
        for query in preferences.by_query(structure.shares):
            weights = structure.pair_weights(query.wins, query.total or None)
            i, j = np.nonzero(weights)
            won.append(query.rows[i])
            lost.append(query.rows[j])
            weighed.append(weights[i, j])
        return cls(np.concatenate(won), np.concatenate(lost), np.concatenate(weighed))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """The loss of a file of pairs, as ``consistency-lab aggregate --format ...`` writes it."""
        name = os.fspath(path)
        rows: list[tuple[int, int]] = []
        weights: list[float] = []
        try:
            with Path(path).open(encoding="utf-8", newline="") as file:
                for number, cells in enumerate(csv.reader(file, delimiter="\t"), start=1):
                    try:
                        winner, loser, weight = cells
                        rows.append((int(winner), int(loser)))
                        weights.append(float(weight))
                    except ValueError:
                        raise InputError(
                            f"{name}, line {number}: expected two rows and a weight, separated by tabs"
                        ) from None
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            words = error.strerror if isinstance(error, OSError) else None
            raise InputError(f"{name} cannot be read: {(words or str(error)).lower()}") from None
        pairs = np.array(rows, np.int64).reshape(-1, 2)
        return cls(pairs[:, 0], pairs[:, 1], weights)

    def value(self, scores: ArrayLike) -> float:
        """The loss at some scores, shape (N,)."""
        return float(self.weights @ np.logaddexp(0.0, -self._ahead(np.asarray(scores, np.float64))))

    def __call__(self, scores: ArrayLike, data: Any = None) -> tuple[Floats, Floats]:
        """Gradient and diagonal of the Hessian at scores of shape (N,); `data` is ignored."""
        given = np.asarray(scores, np.float64).reshape(-1)
        wrong = 0.5 * (1.0 - np.tanh(0.5 * self._ahead(given)))
        slope, bend = self.weights * wrong, self.weights * wrong * (1.0 - wrong)
        gradient, diagonal = np.zeros_like(given), np.zeros_like(given)
        for rows, sign in ((self.winners, -1.0), (self.losers, 1.0)):
            np.add.at(gradient, rows, sign * slope)
            np.add.at(diagonal, rows, bend)
        return gradient, diagonal

    def _ahead(self, scores: Floats) -> Floats:
        most = max(self.winners.max(initial=-1), self.losers.max(initial=-1))
        if most >= scores.size:
            raise InputError(f"there are {scores.size} scores, but a pair has row {most}; rows count from 0")
        ahead: Floats = scores[self.winners] - scores[self.losers]
        return ahead
