"""Where training from equal scores ends, in floating point: small steps against an averaged gradient field.

All scores begin at zero, as in the libraries, and item i follows u_i' = -G_i/H_i: G = sum_y p_y g(y, u), and
H averages what the library divides by (`Piece.curvature`). Two things may decide where this leads: libraries
rank equal scores in the order in which the items are stored, and by default their steps are not small. So it
is followed for every order of the items (of more than 5: as stored and reversed), with small steps and with
those of the libraries, and what is said holds for all of them. Nothing here is proved, and nothing that is
proved depends on it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.model.surrogates.tasks.fields import GradientField, Piece
from consistency_lab.model.tasks.labels import Label

Array = NDArray[np.float64]

_SHORTEST: Final = (1e-3, 0.1, 0.3)
"""The first step, and what a step is never shorter than, since at a jump the direction turns at any length:
small, and the learning rates of LightGBM and XGBoost."""

_LONGEST: Final = 1e3
_TURN: Final = 0.3
"""A step is halved where the direction changes by more than this share of its length."""

_ALL_ORDERS: Final = 5
"""There are too many orders of more items than this."""

_FLAT: Final = 1e-16
"""No gradient is divided by less."""

_STEPS: Final = 1000
_STILL: Final = 1e-7
_NEAR: Final = 1e-4
_FAR: Final = 30.0
"""Scores that are farther apart are on their way to infinity."""


@final
@dataclass(frozen=True)
class Ends:
    """Where the flow from zero is in the end: a row for each length of the first step and order of items.

    Parameters
    ----------
    scores
        Shape (3 m!, m), or (6, m) for many items; only differences matter, and the last score is 0.
    at_rest
        Whether it has come to rest: not if it slides along a tie, or is on its way to infinity.
    """

    scores: Array
    at_rest: NDArray[np.bool_]


def flow_from_zero(field: GradientField, weights: Mapping[Label, Fraction]) -> Ends:
    """Follow the flow from zero.

    Parameters
    ----------
    field
        The gradient.
    weights
        The labels with their probabilities.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.fields import field
    >>> weights = {(2, 1, 1): Fraction(3, 5), (0, 1, 2): Fraction(2, 5)}
    >>> ends = flow_from_zero(field("xgboost:rank:ndcg"), weights)
    >>> sorted({tuple(map(float, row.round(2))) for row in ends.scores})  # 1 > 3 > 2, however ties are broken
    [(0.12, -1.28, 0.0)]
    """
    mean = _Mean(field, weights)
    orders = _orders(len(next(iter(weights))))
    first = np.array(orders * len(_SHORTEST))
    shortest = np.repeat(_SHORTEST, len(orders))[:, None]
    scores, step, going = np.zeros(first.shape), shortest.copy(), np.arange(len(first))
    way = mean.direction(scores, first)
    for _ in range(_STEPS):
        going = going[(_largest(way)[going, 0] > _STILL) & (np.ptp(scores[going], axis=1) < _FAR)]
        if not len(going):
            break
        here, length = way[going], step[going]
        ahead = scores[going] + length * here
        there = mean.direction(ahead, first[going])
        change, size = _largest(there - here), _largest(here)
        taken = (change <= _TURN * size) | (length <= shortest[going])
        scores[going], way[going] = np.where(taken, ahead, scores[going]), np.where(taken, there, here)
        longer = np.where(change <= _TURN * size / 2, 1.5 * length, length)
        step[going] = np.clip(np.where(taken, longer, length / 2), shortest[going], _LONGEST)
    return Ends(scores - scores[:, -1:], _largest(way)[:, 0] <= _STILL)


def reached_from_zero(
    field: GradientField, weights: Mapping[Label, Fraction], box: Sequence[tuple[Fraction, Fraction]]
) -> bool:
    """Whether the flow from zero comes to rest in the box, in floats, in all of its rows.

    Parameters
    ----------
    field, weights
        The gradient, and the labels with their probabilities.
    box
        An interval for each score but the last, which is 0.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.fields import field
    >>> weights = {(0, 1): Fraction(2, 5), (2, 1): Fraction(3, 5)}
    >>> reached_from_zero(field("xgboost:rank:pairwise"), weights, [(Fraction("0.61"), Fraction("0.63"))])
    True
    """
    low, high = np.array(box, dtype=float).T
    ends = flow_from_zero(field, weights)
    free = ends.scores[:, :-1]
    return bool(ends.at_rest.all() and ((low - _NEAR <= free) & (free <= high + _NEAR)).all())


def _orders(m: int) -> list[tuple[int, ...]]:
    items = tuple(range(m))
    return list(permutations(items)) if m <= _ALL_ORDERS else [items, items[::-1]]


@final
class _Mean:
    """The averaged field, whose pieces are made once for each order of the scores."""

    def __init__(self, field: GradientField, weights: Mapping[Label, Fraction]) -> None:
        self._field, self._weights = field, weights
        self._pieces: dict[tuple[int, ...], list[tuple[float, Piece]]] = {}

    def direction(self, scores: Array, first: NDArray[np.int64]) -> Array:
        """-G/H at scores (B, m); each row has its order of the items, which ranks equal scores."""
        orders = np.lexsort((first, -scores))
        found = np.zeros_like(scores)
        for order in sorted(set(map(tuple, orders.tolist()))):
            rows = (orders == order).all(axis=1)
            here = scores[rows]
            pull = sum(p * piece.floats(here) for p, piece in self._at(order))
            slope = sum(p * piece.curvature(here) for p, piece in self._at(order))
            found[rows] = -pull / np.maximum(slope, _FLAT)
        return found

    def _at(self, order: tuple[int, ...]) -> list[tuple[float, Piece]]:
        if order not in self._pieces:
            pieces = [(float(p), self._field.piece(label, order)) for label, p in self._weights.items()]
            self._pieces[order] = pieces
        return self._pieces[order]


def _largest(rows: Array) -> Array:
    return np.asarray(np.abs(rows).max(axis=1, keepdims=True))
