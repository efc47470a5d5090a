"""The upper end of a worst case: branch and bound over all score gaps in [0, infinity], bounds proved."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.measure.worst.bounds import (
    GRAIN,
    WHOLE,
    Cell,
    Objects,
    Proposal,
    as_fraction,
    propose,
    proved,
)
from consistency_lab.measure.worst.slopes import UNIT, SlopeTable
from consistency_lab.search.effort import Effort

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_CHUNK: Final = 2048
_EASE: Final = 1e-6
_NO_BLAME: Final = 1e-7
_STEEP: Final = 64.0
BOX: Final = 50
"""Steps that it takes to bound a box."""
"""Slopes count as at most so far apart when the gap to bisect is chosen."""


@final
@dataclass(frozen=True)
class Boxes:
    """Boxes of score gaps of one cell.

    Parameters
    ----------
    low, high
        The gaps between neighbors from above to below lie between these, shape (B, m - 1); exact floats.
    bounds
        Proved bounds of the regret in units of 2^-(60+40), shape (B,).
    axis
        Which gap to bisect next.
    """

    low: Floats
    high: Floats
    bounds: Objects
    axis: Integers

    @staticmethod
    def everything(m: int) -> "Boxes":
        """One box that holds all gaps; a normalized regret is at most 1."""
        shape = (1, m - 1)
        whole = np.array([WHOLE], dtype=object)
        return Boxes(np.zeros(shape), np.full(shape, np.inf), whole, np.zeros(1, dtype=np.int64))

    def where(self, chosen: NDArray[np.bool_]) -> "Boxes":
        """Some of the boxes."""
        return Boxes(self.low[chosen], self.high[chosen], self.bounds[chosen], self.axis[chosen])

    def joined(self, other: "Boxes") -> "Boxes":
        """These boxes and others."""
        return Boxes(
            np.vstack((self.low, other.low)),
            np.vstack((self.high, other.high)),
            np.concatenate((self.bounds, other.bounds)),
            np.concatenate((self.axis, other.axis)),
        )

    def halves(self) -> "Boxes":
        """Each box bisected: at the middle of a finite gap, at twice the lower end (at least 1) else."""
        each = np.arange(len(self.axis))
        low, high = self.low[each, self.axis], self.high[each, self.axis]
        finite = np.isfinite(high)
        middle = np.where(finite, (low + np.where(finite, high, 0.0)) / 2, np.maximum(2 * low, 1.0))
        upper, lower = self.low.copy(), self.high.copy()
        lower[each, self.axis] = middle
        upper[each, self.axis] = middle
        return Boxes(self.low, lower, self.bounds, self.axis).joined(
            Boxes(upper, self.high, self.bounds, self.axis)
        )


@final
@dataclass(frozen=True, slots=True)
class Ceiling:
    """What branch and bound has proved.

    Parameters
    ----------
    upper
        No distribution has a larger normalized regret.
    boxes
        How many boxes were bounded.
    finished
        Whether the upper end is at most the target.
    hardest
        The cell of the open box with the largest bound, and gaps in that box; None if no box is open.
    """

    upper: Fraction
    boxes: int
    finished: bool
    hardest: tuple[Cell, tuple[float, ...]] | None = None


def ceiling(
    cells: tuple[Cell, ...], table: SlopeTable, target: Fraction, effort: Effort, limit: int = 10**9
) -> Ceiling:
    """Prove that the regret in all cells is at most the target, or as little as the budget allows.

    Parameters
    ----------
    cells
        Together they hold all distributions and scores in question.
    table
        The slopes of phi.
    target
        The bound at which a box is closed.
    effort
        The budget; when it is used up, or the user interrupts, the bound of the worst open box stands.
    limit
        Stop after so many boxes.
    """
    goal = floor(target * WHOLE)
    waiting = [Boxes.everything(cell.piece.m) for cell in cells]
    closed = count = 0
    while True:
        bounds = np.sort(np.concatenate([boxes.bounds for boxes in waiting]))
        if not len(bounds) or effort.expired or count > limit:
            break
        effort.say(f"at most {float(as_fraction(bounds[-1])):.6f}, {len(bounds):,} boxes open")
        least = bounds[-min(len(bounds), _CHUNK)]
        try:
            for k, cell in enumerate(cells):
                chosen = waiting[k].bounds >= least
                if chosen.any():
                    halves = bounded(cell, waiting[k].where(chosen).halves(), table, goal)
                    count += len(halves.bounds)
                    effort.count(steps=BOX * len(halves.bounds))
                    still = halves.bounds > goal
                    closed = max([closed, *halves.bounds[~still]])
                    # One assignment, so that an interruption never loses a box.
                    waiting[k] = waiting[k].where(~chosen).joined(halves.where(still))
        except KeyboardInterrupt:
            effort.interrupted = True
    upper, hardest = closed, None
    for cell, boxes in zip(cells, waiting, strict=True):
        if len(boxes.bounds) and boxes.bounds.max() > upper:
            k = int(boxes.bounds.argmax())
            upper = boxes.bounds[k]
            middle = np.where(np.isfinite(boxes.high[k]), (boxes.low[k] + boxes.high[k]) / 2, boxes.low[k])
            hardest = cell, tuple(map(float, middle))
    return Ceiling(as_fraction(upper), count, upper <= goal, hardest)


def bounded(cell: Cell, boxes: Boxes, table: SlopeTable, goal: int) -> Boxes:
    """The boxes with the bounds that their own multipliers prove, where those are better.

    The bound of a box that has become too small for exact sums of gaps stays that of the box before.
    """
    least, most = cell.slopes(boxes.low, boxes.high, table)
    enough = np.full(len(least), float(as_fraction(goal)) * (1 - _EASE))
    proposal = propose(cell, least, most, enough)
    bounds = np.minimum(boxes.bounds, proved(cell, proposal, least, most))
    bounds = np.where(_adds_exactly(boxes.low) & _adds_exactly(boxes.high), bounds, boxes.bounds)
    return Boxes(boxes.low, boxes.high, bounds, _axis(cell, boxes, proposal, least, most))


def _adds_exactly(gaps: Floats) -> NDArray[np.bool_]:
    """Whether floats add these gaps without rounding: multiples of 2^-30 up to 2^20, or infinity."""
    finite = np.where(np.isfinite(gaps), gaps, 0.0)
    fine = np.ldexp(finite, 30)
    return np.asarray(((fine == np.floor(fine)) & (finite <= 2.0**20)).all(axis=1))


def _axis(cell: Cell, boxes: Boxes, proposal: Proposal, least: Objects, most: Objects) -> Integers:
    """The gap that the bound suffers from most: weight times price times slopes apart, shared by width."""
    spread = np.minimum((most.astype(float) - least.astype(float)) / 2.0**UNIT, _STEEP)
    upper, lower = (list(ends) for ends in zip(*cell.piece.pairs, strict=True))
    price = np.abs(np.ldexp((proposal.pi[:, upper] - proposal.pi[:, lower]).astype(float), -GRAIN))
    blame = price * spread * np.maximum(proposal.used, 0.0)
    width = np.minimum(boxes.high - boxes.low, _STEEP)
    total = np.zeros_like(width)
    for k, (p, q, _) in enumerate(cell.spans):
        across = width[:, p:q].sum(axis=1, keepdims=True)
        share = width[:, p:q] / np.where(across > 0, across, 1.0)
        total[:, p:q] += share * blame[:, k : k + 1]
    relative = width / (1.0 + boxes.low)
    return np.asarray(np.where(total.max(axis=1) > _NO_BLAME, total.argmax(axis=1), relative.argmax(axis=1)))
