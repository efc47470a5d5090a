r"""A proved lower bound on H at one regret: branch and bound over the scores of one order.

Let P be the distributions of total weight 1 over a case whose order has at least the regret, with corners
v, and let alpha run over a box of score gaps. W(a, alpha) is linear in a, so for any fixed scores beta

    W(a, alpha) - W*(a) >= L(a) - W(a, beta),  where W(a, alpha) >= L(a) on the box,

and if L is linear or concave in a the least value of the right side over P is attained at a corner. Two
such L: phi is nonincreasing, so each phi(alpha_i - alpha_j) is at least phi at the upper end of its
interval; and phi is convex, so W(a, alpha) is at least its tangent at the middle of the box. Any beta is
allowed; floats choose a good one (a saddle point exists, by Sion's theorem, so one beta suffices in the
limit). A gap runs from 0 to infinity, where phi is at least a proved lower bound.

Floats propose boxes and betas; a box counts when Arb enclosures at rational points confirm its bound. The
ends of boxes are small dyadic numbers, which floats hold exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import Ball, certainly_less, enclose
from consistency_lab.measure.calibration.pairwise import Array, EdgeRisk, Vector
from consistency_lab.search.effort import Effort

_ENDS: Final = (0.0, 1.0, 2.0, 4.0, 8.0, np.inf)
"""The sides of the first boxes."""

_ROUNDS: Final = 14
_DIRECTIONS: Final = 12
_BITS: Final = 20
_FINEST: Final = 2.0**-12
_SAFETY: Final = 1e-9
_BOX: Final = 800
"""Steps that it takes to bound a box."""


@final
@dataclass(frozen=True, eq=False)
class _Boxes:
    """Gaps between the scores of neighbors in the order, from low to high, and a beta for each box.

    All have one row a box; `high` may be infinite.
    """

    low: Array
    high: Array
    beta: Array

    def chosen(self, which: NDArray[np.bool_]) -> "_Boxes":
        """Some of them."""
        return _Boxes(self.low[which], self.high[which], self.beta[which])

    def lengths(self) -> Array:
        """Of the sides; an unbounded one counts for less the further out it is."""
        bounded = np.where(np.isinf(self.high), 0.0, self.high) - self.low
        return np.asarray(np.where(np.isinf(self.high), 2.0 / (1.0 + self.low), bounded))

    def halves(self) -> "_Boxes":
        """Each box cut in two along its longest side."""
        rows = np.arange(len(self.low))
        side = self.lengths().argmax(axis=1)
        low, high = self.low[rows, side], self.high[rows, side]
        middle = np.where(np.isinf(high), 2.0 * low, (low + np.where(np.isinf(high), low, high)) / 2.0)
        below, above = self.high.copy(), self.low.copy()
        below[rows, side] = above[rows, side] = middle
        return _Boxes(
            np.vstack([self.low, above]), np.vstack([below, self.high]), np.vstack([self.beta, self.beta])
        )


@final
@dataclass(frozen=True)
class Search:
    """One case at one regret.

    Parameters
    ----------
    risk
        The loss.
    order
        The items by falling score.
    corners
        Of P, as exact aggregates.
    infimum
        A proved lower bound on phi.
    """

    risk: EdgeRisk
    order: tuple[int, ...]
    corners: tuple[Vector, ...]
    infimum: Fraction

    def proves(self, target: Fraction, effort: Effort, most: int) -> tuple[bool, int]:
        """Whether the excess is proved to be at least `target` on all scores of the order; and the boxes.

        It gives up after `most` boxes, or when the effort expires.
        """
        open_boxes = self._first()
        proved = looked = 0
        while len(open_boxes.low):
            looked += len(open_boxes.low)
            if looked > most or effort.expired:
                return False, proved
            effort.count(steps=_BOX * len(open_boxes.low))
            floor = self._floors(open_boxes)
            open_boxes, bounds = self._improved(open_boxes, floor)
            left = bounds <= float(target) + _SAFETY
            for k in np.flatnonzero(~left):
                left[k] = not self._certain(open_boxes.low[k], open_boxes.high[k], open_boxes.beta[k], target)
            proved += int((~left).sum())
            open_boxes = open_boxes.chosen(left)
            if (open_boxes.lengths().max(axis=1, initial=0.0) <= _FINEST).any():
                return False, proved
            open_boxes = open_boxes.halves()
        return True, proved

    def _first(self) -> _Boxes:
        sides = self.risk.m - 1
        low, high = (
            np.stack(np.meshgrid(*[ends] * sides, indexing="ij"), axis=-1).reshape(-1, sides)
            for ends in (np.array(_ENDS[:-1]), np.array(_ENDS[1:]))
        )
        return _Boxes(low, high, np.zeros((len(low), self.risk.m)))

    @cached_property
    def _weights(self) -> Array:
        return self.risk.weights(self.corners)

    @cached_property
    def _steps(self) -> tuple[tuple[int, ...], ...]:
        """How alpha_i - alpha_j changes with each gap, by ordered pair: 1, -1 or 0."""
        place = {item: k for k, item in enumerate(self.order)}
        rows = []
        for i, j in self.risk.pairs:
            first, last = sorted((place[i], place[j]))
            sign = 1 if place[i] < place[j] else -1
            rows.append(tuple(sign if first <= side < last else 0 for side in range(self.risk.m - 1)))
        return tuple(rows)

    def _floors(self, boxes: _Boxes) -> Array:
        """L at the corners, shape (boxes, corners): by upper ends or by the tangent, whichever is better."""
        steps, weights = np.array(self._steps, dtype=float), self._weights
        unbounded = np.isinf(boxes.high)
        high = np.where(unbounded, 0.0, boxes.high)
        endless = unbounded @ (steps > 0).T
        top = high @ np.maximum(steps, 0.0).T + boxes.low @ np.minimum(steps, 0.0).T
        by_ends = np.where(endless, float(self.infimum), self.risk.phi_at(top)[0]) @ weights.T
        middle = (boxes.low + high) / 2.0
        values, slopes = self.risk.phi_at(middle @ steps.T)
        by_tangent = values @ weights.T
        for side in range(self.risk.m - 1):
            tilt = (slopes * steps[:, side]) @ weights.T
            by_tangent -= np.abs(tilt) * (high - boxes.low)[:, side, None] / 2.0
        better = (by_tangent.min(axis=1) > by_ends.min(axis=1)) & ~unbounded.any(axis=1)
        return np.asarray(np.where(better[:, None], by_tangent, by_ends))

    def _improved(self, boxes: _Boxes, floor: Array) -> tuple[_Boxes, Array]:
        """Betas that make the worst corner as good as a pattern search gets it, and what it is then."""
        m = self.risk.m
        beta = boxes.beta.copy()
        random = np.random.default_rng(0)
        step = np.full(len(beta), 1.0)
        worst = self._worst(floor, beta)
        for _ in range(_ROUNDS):
            ways = random.standard_normal((_DIRECTIONS, m))
            ways -= ways.mean(axis=1, keepdims=True)
            ways /= np.linalg.norm(ways, axis=1, keepdims=True)
            before = worst.copy()
            for way in ways:
                trial = beta + step[:, None] * way
                value = self._worst(floor, trial)
                gain = value > worst
                beta[gain], worst[gain] = trial[gain], value[gain]
            step = np.where(worst > before, 1.5 * step, 0.4 * step)
        return _Boxes(boxes.low, boxes.high, beta), worst

    def _worst(self, floor: Array, beta: Array) -> Array:
        return np.asarray((floor - self.risk.floats(beta) @ self._weights.T).min(axis=1))

    def _certain(self, low: Array, high: Array, beta: Array, target: Fraction) -> bool:
        """Whether the bound of a box exceeds the target at every corner, by enclosures at rational points."""
        scale = 1 << _BITS
        at = [Fraction(round(float(x) * scale), scale) for x in beta]
        against = [self.risk.value(at[i] - at[j]) for i, j in self.risk.pairs]
        starts = [Fraction(float(x)) for x in low]
        ends = [None if np.isinf(x) else Fraction(float(x)) for x in high]
        tops = [self._top(step, starts, ends) for step in self._steps]
        by_ends = [enclose(self.infimum) if x is None else self.risk.value(x) for x in tops]
        if self._above(by_ends, against, (), target):
            return True
        bounded = [end for end in ends if end is not None]
        if len(bounded) < len(ends):
            return False
        gaps = [(start + end) / 2 for start, end in zip(starts, bounded, strict=True)]
        middle = [
            sum((s * gap for s, gap in zip(step, gaps, strict=True)), Fraction(0)) for step in self._steps
        ]
        tilts = [
            [
                self.risk.slope(x) * enclose(step[side] * (end - start) / 2)
                for x, step in zip(middle, self._steps, strict=True)
            ]
            for side, (start, end) in enumerate(zip(starts, bounded, strict=True))
        ]
        return self._above([self.risk.value(x) for x in middle], against, tilts, target)

    @staticmethod
    def _top(
        step: Sequence[int], starts: Sequence[Fraction], ends: Sequence[Fraction | None]
    ) -> Fraction | None:
        """The largest alpha_i - alpha_j on a box, None for infinity."""
        total = Fraction(0)
        for sign, start, end in zip(step, starts, ends, strict=True):
            if sign > 0:
                if end is None:
                    return None
                total += end
            elif sign < 0:
                total -= start
        return total

    def _above(
        self,
        values: Sequence[Ball],
        against: Sequence[Ball],
        tilts: Sequence[Sequence[Ball]],
        target: Fraction,
    ) -> bool:
        bound = enclose(target)
        gains = [x - y for x, y in zip(values, against, strict=True)]
        for corner in self.corners:
            weights = [enclose(c) for c in self.risk.on_pairs(corner)]
            total = _dot(weights, gains)
            for tilt in tilts:
                total -= abs(_dot(weights, tilt))
            if not certainly_less(bound, total):
                return False
        return True


def _dot(left: Sequence[Ball], right: Sequence[Ball]) -> Ball:
    return sum((x * y for x, y in zip(left, right, strict=True)), enclose(0))
