"""Zeros of an averaged gradient field, and limits of training from equal scores, in floats."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field as kept
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise, permutations, product
from math import gcd
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.tasks.fields import GradientField, MeanGradient, Piece
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.arrays import Floats
from consistency_lab.search.atoms import loss_table

# --- Where an averaged gradient field stands still: batched Newton inside one order of the scores --------

Whole = tuple[int, ...]
"""Probabilities as whole numbers, to be divided by their sum."""

NARROW: Final = 0.01
"""The smallest gap between neighbors in the order."""

_WIDE: Final = 8.0
_STEPS: Final = 14
_LONGEST: Final = 0.7
_STILL: Final = 1e-12
_NUDGE: Final = 1e-6
_STABLE: Final = 1e-3


@frozen_with_cache
class FieldInOrder:
    """The scores u_1 > u_2 > ... > u_m = 0 and the labels that pull at them; one order stands for all."""

    #: Who pulls, and who judges the order.
    field: GradientField
    task: Task
    #: The labels to be used; those with equal grades pull at nothing and are left out.
    labels: tuple[Label, ...]
    losses: Floats | None = kept(default=None, compare=False)  #: Of `loss_table`, where they are known.

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The order of the scores, from top to bottom."""
        return tuple(range(self.task.space.m))

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(self.field.piece(label, self.order) for label in self.labels)

    @cached_property
    def _steps(self) -> tuple[MeanGradient, ...]:
        return tuple(piece.together([(1.0, piece)]) for piece in self.pieces)

    @cached_property
    def excess(self) -> Floats:
        """How much worse this order is than each other one, label by label."""
        known, predictions = self.losses, self.task.predictions
        loss = loss_table(self.task, self.labels, predictions) if known is None else known
        return loss[:, [self.task.predictions.index(self.order)]] - loss

    def pull(self, k: int, free: Floats) -> Floats:
        """The gradient of label k without the last item, at scores (B, m-1) whose last one is 0."""
        n = free.shape[1]
        return self._steps[k](np.concatenate((free, np.zeros((len(free), 1))), axis=1))[0][:, :n]

    def slopes(self, k: int, free: Floats) -> Floats:
        """The Jacobians (B, m-1, m-1) of `pull`, by central differences."""
        n = free.shape[1]
        steps = _NUDGE * np.eye(n)
        return np.stack([self.pull(k, free + h) - self.pull(k, free - h) for h in steps], axis=2) / (
            2 * _NUDGE
        )


@frozen
class StationaryPoint:
    """A candidate: labels with whole-number weights and scores at which they balance, in floats."""

    support: tuple[int, ...]  #: The labels, as numbers in `FieldInOrder.labels`.
    weights: Whole  #: Their probabilities up to a factor.
    scores: tuple[float, ...]  #: The scores but the last.
    regret: float  #: How much worse this order is than the best one.
    attracting: bool  #: Whether the symmetric part of the Jacobian is positive definite.

    @property
    def probabilities(self) -> tuple[Fraction, ...]:
        return tuple(Fraction(weight, sum(self.weights)) for weight in self.weights)


def small_weights(parts: int, least: int, most: int) -> Iterator[Whole]:
    """The coprime positive whole numbers with a sum between two bounds, by rising sum."""
    for total in range(least, most + 1):
        for ends in combinations(range(1, total), parts - 1):
            whole = tuple(high - low for low, high in pairwise((0, *ends, total)))
            if gcd(*whole) == 1:
                yield whole


def start_grid(m: int, gaps: Sequence[float]) -> Floats:
    """Scores (B, m-1) whose neighbors are a given gap apart."""
    return np.array([np.cumsum(gap[::-1])[::-1] for gap in product(gaps, repeat=m - 1)], dtype=float)


def opposed_pairs(ordered: FieldInOrder, scores: Floats) -> list[tuple[int, int]]:
    """The pairs of labels that at no item have the same sign at all of these scores."""
    pulls = np.array([ordered.pull(k, scores) for k in range(len(ordered.labels))])
    pulls = np.concatenate((pulls, -pulls.sum(axis=2, keepdims=True)), axis=2)
    ways = np.concatenate(((pulls > 0).all(axis=1), (pulls < 0).all(axis=1)), axis=1)
    return [(a, b) for a, b in combinations(range(len(ways)), 2) if not (ways[a] & ways[b]).any()]


def stationary_points(
    ordered: FieldInOrder, support: tuple[int, ...], weights: Sequence[Whole], starts: Floats, worth: float
) -> Iterator[StationaryPoint]:
    """The equilibria that Newton finds for these labels, where the order is worse than another by `worth`."""
    shares = np.array([[entry / sum(whole) for entry in whole] for whole in weights], dtype=float)
    regrets = (shares @ ordered.excess[list(support)]).max(axis=1)
    useful = np.flatnonzero(regrets > worth)
    if not len(useful):
        return
    which = np.repeat(useful, len(starts))
    scores = _newton(ordered, support, shares[which], np.tile(starts, (len(useful), 1)))
    seen: set[tuple[int, ...]] = set()
    for row in np.flatnonzero(np.isfinite(scores).all(axis=1)):
        place = (int(which[row]), *(int(x) for x in np.round(scores[row] * 1e4)))
        if place in seen:
            continue
        seen.add(place)
        k, at = which[row], scores[row : row + 1]
        slopes = sum(p * ordered.slopes(n, at)[0] for n, p in zip(support, shares[k], strict=True))
        least = np.linalg.eigvalsh((slopes + np.transpose(slopes)) / 2)[0]
        yield StationaryPoint(
            support, weights[k], tuple(map(float, at[0])), float(regrets[k]), bool(least > _STABLE)
        )


def _newton(ordered: FieldInOrder, support: tuple[int, ...], shares: Floats, scores: Floats) -> Floats:
    """Zeros from these starts, NaN where Newton leaves the order or does not arrive."""
    zeros = np.full_like(scores, np.nan)
    rows = np.arange(len(scores))
    for _ in range(_STEPS):
        value = sum(shares[rows, [k]][:, None] * ordered.pull(n, scores) for k, n in enumerate(support))
        slopes = sum(
            shares[rows, [k]][:, None, None] * ordered.slopes(n, scores) for k, n in enumerate(support)
        )
        value, slopes = np.asarray(value), np.asarray(slopes)
        still = np.abs(value).max(axis=1) < _STILL
        zeros[rows[still]] = scores[still]
        size = np.abs(np.linalg.det(slopes))
        going = ~still & (size > 1e-12)
        if not going.any():
            break
        step = np.linalg.solve(slopes[going], value[going][:, :, None])[:, :, 0]
        length = np.abs(step).max(axis=1, keepdims=True)
        scores = scores[going] - step * np.minimum(1, _LONGEST / np.maximum(length, _STILL))
        inside = (-np.diff(scores, append=0).max(axis=1) > NARROW) & (scores[:, 0] < _WIDE)
        rows, scores = rows[going][inside], scores[inside]
        if not len(rows):
            break
    return zeros


# --- Where training from equal scores ends: small steps against an averaged field, in floats -------------
# All scores begin at zero, as in the libraries, and item i follows u_i' = -G_i/H_i: G = sum_y p_y g(y, u),
# and H averages what the library divides by (`Piece.curvature`). Two things may decide where this leads:
# libraries rank equal scores in the order in which the items are stored, and by default their steps are not
# small. So it is followed for every order of the items (of more than 5: as stored and reversed), with small
# steps and with those of the libraries, and what is said holds for all of them. Nothing here is proved, and
# nothing that is proved depends on it.

_SHORTEST: Final = (1e-3, 0.1, 0.3)
"""First and shortest step lengths, since at a jump the direction turns at any length: a small one, and the
learning rates of LightGBM and XGBoost."""

_LONGEST_STEP: Final = 1e3
_TURN: Final = 0.3
"""A step is halved where the direction changes by more than this share of its length."""

_ALL_ORDERS: Final = 5
"""The most items for which all orders are tried."""

_FLAT: Final = 1e-16
"""The least divisor of a gradient."""

_FLOW_STEPS: Final = 1000
_AT_REST: Final = 1e-7
_NEAR: Final = 1e-4
_FAR: Final = 30.0
"""Scores farther apart are taken to diverge."""


@frozen
class FlowEnds:
    """The end of the flow from zero: a row for each length of the first step and order of items."""

    #: Shape (3 m!, m), or (6, m) for many items; only differences matter, and the last score is 0.
    scores: Floats
    #: Whether it has come to rest: not if it slides along a tie, or is on its way to infinity.
    at_rest: NDArray[np.bool_]


def flow_from_zero(field: GradientField, weights: Mapping[Label, Fraction]) -> FlowEnds:
    """Follow the flow of an averaged gradient from zero, the labels having these probabilities."""
    mean = _Mean(field, weights)
    orders = _orders(len(next(iter(weights))))
    first = np.array(orders * len(_SHORTEST))
    shortest = np.repeat(_SHORTEST, len(orders))[:, None]
    scores, step, going = np.zeros(first.shape), shortest.copy(), np.arange(len(first))
    way = mean.direction(scores, first)
    for _ in range(_FLOW_STEPS):
        going = going[(_largest(way)[going, 0] > _AT_REST) & (np.ptp(scores[going], axis=1) < _FAR)]
        if not len(going):
            break
        here, length = way[going], step[going]
        ahead = scores[going] + length * here
        there = mean.direction(ahead, first[going])
        change, size = _largest(there - here), _largest(here)
        taken = (change <= _TURN * size) | (length <= shortest[going])
        scores[going], way[going] = np.where(taken, ahead, scores[going]), np.where(taken, there, here)
        longer = np.where(change <= _TURN * size / 2, 1.5 * length, length)
        step[going] = np.clip(np.where(taken, longer, length / 2), shortest[going], _LONGEST_STEP)
    return FlowEnds(scores - scores[:, -1:], _largest(way)[:, 0] <= _AT_REST)


def reached_from_zero(
    field: GradientField, weights: Mapping[Label, Fraction], box: Sequence[tuple[Fraction, Fraction]]
) -> bool:
    """Whether the flow from zero comes to rest in the box of all scores but the last, in floats, always."""
    low, high = np.array(box, dtype=float).T
    ends = flow_from_zero(field, weights)
    free = ends.scores[:, :-1]
    return bool(ends.at_rest.all() and ((low - _NEAR <= free) & (free <= high + _NEAR)).all())


def _orders(m: int) -> list[tuple[int, ...]]:
    items = tuple(range(m))
    return list(permutations(items)) if m <= _ALL_ORDERS else [items, items[::-1]]


@final
class _Mean:
    """The averaged field, made once for each order of the scores."""

    def __init__(self, field: GradientField, weights: Mapping[Label, Fraction]) -> None:
        self._field, self._weights = field, weights
        self._steps: dict[tuple[int, ...], MeanGradient] = {}

    def direction(self, scores: Floats, first: NDArray[np.int64]) -> Floats:
        """-G/H at scores (B, m); each row has its order of the items, which ranks equal scores."""
        orders = np.lexsort((first, -scores))
        found = np.zeros_like(scores)
        for order in sorted(set(map(tuple, orders.tolist()))):
            rows = (orders == order).all(axis=1)
            pull, slope = self._at(order)(scores[rows])
            found[rows] = -pull / np.maximum(slope, _FLAT)
        return found

    def _at(self, order: tuple[int, ...]) -> MeanGradient:
        if order not in self._steps:
            pieces = [(float(p), self._field.piece(label, order)) for label, p in self._weights.items()]
            self._steps[order] = type(pieces[0][1]).together(pieces)
        return self._steps[order]


def _largest(rows: Floats) -> Floats:
    return np.asarray(np.abs(rows).max(axis=1, keepdims=True))
