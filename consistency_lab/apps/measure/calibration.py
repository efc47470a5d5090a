"""Calibration functions: how much excess surrogate risk a regret must cost (DMJ10 Eq. 3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.apps.measure.calibration_laws import (
    Calibration,
    Point,
    cases,
    has_linear_law,
    is_quadratic,
    linear_calibration,
    quadratic_calibration,
)
from consistency_lab.apps.measure.calibration_proposals import (
    PRECISION,
    AggregateRisk,
    Region,
    Section,
    Vector,
    upper_bound,
)
from consistency_lab.apps.measure.smallest import certified_regret
from consistency_lab.apps.measure.worst import worst_case
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.conditions import CONDITIONS, implies
from consistency_lab.model.conditions import condition as known_condition
from consistency_lab.model.distribution import total_weight
from consistency_lab.model.properties import CONVEX, NONINCREASING, Status, properties
from consistency_lab.model.surrogates import EdgeSurrogate, Surrogate
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.exact import Ball, certainly_less, enclose, working_precision
from consistency_lab.numbers.phi import X, facts
from consistency_lab.search.effort import LARGEST as MOST_ITEMS
from consistency_lab.search.effort import Effort
from consistency_lab.search.find import find
from consistency_lab.search.inverse import inverse_search
from consistency_lab.search.size import realize

# --- A proved lower bound on H at one regret: branch and bound over the scores of one order --------------
# Two bounds by corners and a fixed beta: docs/theory.md, Calibration functions. A gap runs from 0 to
# infinity, where phi is at least a proved lower bound.
#
# Floats propose boxes and betas; a box counts when Arb enclosures at rational points confirm its bound. The
# ends of boxes are small dyadic numbers, which floats hold exactly.

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

    low: Floats
    high: Floats
    beta: Floats

    def chosen(self, which: NDArray[np.bool_]) -> "_Boxes":
        return _Boxes(self.low[which], self.high[which], self.beta[which])

    def lengths(self) -> Floats:
        """The lengths of the sides; an unbounded one counts for less the further out it is."""
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
class BoxSearch:
    """One case at one regret."""

    risk: AggregateRisk  #: The loss.
    order: tuple[int, ...]  #: The items by falling score.
    corners: tuple[Vector, ...]  #: Of P, as exact aggregates.
    infimum: Fraction  #: A proved lower bound on phi.

    def proves(self, target: Fraction, effort: Effort, most: int) -> tuple[bool, int]:
        """Whether the excess is proved to be `target` or more on the order, by `most` boxes; and how many."""
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
    def _weights(self) -> Floats:
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

    def _floors(self, boxes: _Boxes) -> Floats:
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

    def _improved(self, boxes: _Boxes, floor: Floats) -> tuple[_Boxes, Floats]:
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

    def _worst(self, floor: Floats, beta: Floats) -> Floats:
        return np.asarray((floor - self.risk.floats(beta) @ self._weights.T).min(axis=1))

    def _certain(self, low: Floats, high: Floats, beta: Floats, target: Fraction) -> bool:
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
        tops = [end for sign, end in zip(step, ends, strict=True) if sign > 0]
        known = [end for end in tops if end is not None]
        lost = (start for sign, start in zip(step, starts, strict=True) if sign < 0)
        return None if len(known) < len(tops) else sum(known, Fraction(0)) - sum(lost)

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


# --- Where H is 0: a certified distribution whose minimizing scores have a large regret ------------------
# A stationary certificate proves that the scores minimize W, so H is 0 up to their regret. A separation
# certificate proves that W comes closer to its infimum outside A(p) than inside, so H is 0 up to the least
# regret of any order that is not optimal at p.

_TRIED: Final = 12
_ENOUGH: Final = 2_000


def largest_zero(
    surrogate: Surrogate,
    condition: str,
    m: int,
    effort: Effort,
    seed: int = 0,
    provenance: dict[str, str] | None = None,
) -> tuple[Fraction, Witness | None]:
    """The largest normalized regret found at which H is certainly 0, and its witness; 0 and None if none."""
    best: tuple[Fraction, Witness | None] = (Fraction(0), None)
    try:
        for witness in _witnesses(surrogate, condition, m, effort, seed, provenance or {}):
            regret = certified_regret(witness)
            if regret > best[0]:
                best = regret, witness
    except KeyboardInterrupt:
        effort.interrupted = True
    return best


def _witnesses(
    surrogate: Surrogate, condition: str, m: int, effort: Effort, seed: int, provenance: dict[str, str]
) -> Iterator[Witness]:
    """Certified witnesses: those that the inverse search finds worst, and one from the general search."""
    try:
        proposals = inverse_search(surrogate, condition, m, effort, ties=True, seed=seed)
        candidates = [candidate for candidate in islice(proposals, _ENOUGH) if candidate.exact]
    except UnsupportedError:
        candidates = []
    candidates.sort(key=lambda candidate: -candidate.regret)
    certified = 0
    for candidate in candidates[:_TRIED]:
        effort.count(certificates=1)
        distribution = realize(surrogate, candidate.a)
        witness = certify(surrogate, distribution, candidate.scores, provenance=provenance)
        if witness is not None and witness.fails_under(condition):
            certified += 1
            yield witness
    if not certified:
        effort.until = None
        witness = find(surrogate, condition, (m,), effort=effort, provenance=provenance)
        if witness is not None:
            yield witness


# --- Surrogates without a law: where H is certainly 0, where it is not, and bounds at a few regrets ------
# H(eps) > 0 for every eps above the worst case: docs/theory.md, Calibration functions.

_LARGEST: Final = 3
"""The most items: with more, the scores have too many dimensions for boxes."""

REGRETS: Final = 6
_SHARES: Final = {
    2: (Fraction(99, 100), Fraction(9, 10), Fraction(1, 2)),
    3: (Fraction(9, 10), Fraction(2, 3), Fraction(1, 3)),
}
"""Lower bounds that are tried, as shares of the upper bound, by the number of items."""

_BOXES: Final = 6_000
_NEGLIGIBLE: Final = Fraction(1, 10_000)


def brackets(
    surrogate: Surrogate,
    condition: str,
    m: int,
    effort: Effort,
    seed: int,
    provenance: dict[str, str] | None = None,
) -> Calibration:
    """Proved bounds on H for a surrogate without a law; the witness document gets the provenance."""
    effort.ration(3)
    zero, witness = largest_zero(surrogate, condition, m, effort, seed, provenance)
    effort.until = None
    reason = _why_not(surrogate, condition, m)
    above: Fraction | None = None
    if reason is None:
        effort.ration(3)
        worst = worst_case(surrogate, condition, m, effort=effort, provenance=provenance)
        effort.until = None
        above = worst.upper
        if worst.lower > zero:
            zero, witness = worst.lower, worst.witness
    if reason is not None:
        reason += _about_weight(surrogate, witness)
        return Calibration(surrogate, condition, m, "none", None, zero, witness, (), reason)
    points = []
    try:
        with working_precision(PRECISION):
            problem = Problem(surrogate, condition, m)
            for k in range(1, REGRETS + 1):
                if effort.expired:
                    break
                regret = zero + (1 - zero) * Fraction(k, REGRETS)
                effort.say(
                    f"calibration, {surrogate.name}, {condition}, {m} items, regret {float(regret):.2f}"
                )
                effort.ration(REGRETS + 1 - k)
                points.append(problem.point(regret, effort, seed))
                effort.until = None
    except KeyboardInterrupt:
        effort.interrupted = True
    except UnsupportedError as error:
        why = f"There are no bounds beyond a witness: {error}."
        return Calibration(surrogate, condition, m, "none", None, zero, witness, (), why, above)
    ending = (effort.ending or "budget used up; ").removesuffix("; ").capitalize()
    note = "" if len(points) == REGRETS else f"{ending} before all regrets were bounded."
    return Calibration(
        surrogate, condition, m, "bracket", None, zero, witness, _monotone(points), note, above
    )


def _about_weight(surrogate: Surrogate, witness: Witness | None) -> str:
    """The scope of the witness if W is not linear in the weights."""
    if witness is None or surrogate.of_aggregate:
        return ""
    total = total_weight(witness.distribution.aggregate)
    return f" The witness covers distributions on single edges with total weight {total}."


def _why_not(surrogate: Surrogate, condition: str, m: int) -> str | None:
    """Why there are no bounds beyond the witness, None if there are."""
    if type(surrogate) is not EdgeSurrogate or surrogate.h != X:
        return "Beyond a witness, bounds are computed for edge losses with h(a) = a only."
    if m > _LARGEST:
        return f"Beyond a witness, bounds are computed for at most {_LARGEST} items."
    if m > 2 and not implies(condition, "acyclic"):
        return "Beyond a witness, bounds are computed for acyclic difference graphs only."
    known = properties(surrogate.functions[0])
    for name in (CONVEX, NONINCREASING):
        if known[name].status is not Status.PROVED:
            return f"Beyond a witness, bounds need a phi that is proved {name}; this one is not."
    if facts(surrogate.functions[0]).lower is None:
        return "Beyond a witness, bounds need a phi with a lower bound that follows from its form."
    return None


@final
class Problem:
    """One edge loss under a condition, with all cases prepared."""

    def __init__(self, surrogate: Surrogate, condition: str, m: int) -> None:
        self.risk = AggregateRisk(surrogate, m)
        if not self.risk.table.batched:
            raise UnsupportedError(
                f"{surrogate.name} is minimized one distribution at a time, which is too slow"
            )
        name = condition if implies(condition, "acyclic") else "acyclic"
        self.sections = [(case.order, Section.of(case)) for case in cases(name, m)]
        lower = facts(surrogate.functions[0]).lower
        assert lower is not None
        self.infimum = lower

    def point(self, regret: Fraction, effort: Effort, seed: int) -> Point:
        """Bounds on H at one regret: the largest share of the upper bound that is proved in every case."""
        every = [Region(order, section.at_least(regret)) for order, section in self.sections]
        regions = [region for region in every if region.corners]
        upper, ranking = upper_bound(self.risk, regions, self.infimum, seed)
        if upper < _NEGLIGIBLE:
            return Point(regret, Fraction(0), upper, 0)
        for share in _SHARES[self.risk.m]:
            boxes = 0
            for k in ranking:
                search = BoxSearch(self.risk, regions[k].order, regions[k].corners, self.infimum)
                proved, used = search.proves(share * upper, effort, _BOXES)
                boxes += used
                if not proved:
                    break
            else:
                return Point(regret, share * upper, upper, boxes)
        return Point(regret, Fraction(0), upper, 0)


def _monotone(points: list[Point]) -> tuple[Point, ...]:
    """H does not decrease: a lower bound holds for larger regrets too, an upper bound for smaller ones."""
    return tuple(
        Point(
            point.regret,
            max(other.lower for other in points[: k + 1]),
            min(other.upper for other in points[k:]),
            point.boxes,
        )
        for k, point in enumerate(points)
    )


# --- One question, three ways to an answer: a squared distance, a closed form, or bounds -----------------


def calibration(
    surrogate: Surrogate | str,
    condition: str,
    m: int,
    *,
    effort: Effort | None = None,
    seed: int = 0,
    provenance: dict[str, str] | None = None,
) -> Calibration:
    """The calibration function H_m of a surrogate under a condition (DMJ10 Eq. 3).

    Surrogates with a law H(eps) = c eps^k get it (docs/measure.md); others proved bounds at a few regrets,
    the total weight being 1, which are wider where the effort ends too soon.

    As for every infimum, the condition stands for its closure. The seed is for the search for a witness, and
    the provenance goes into its document.
    """
    surrogate = as_surrogate(surrogate)
    name = known_condition(condition).name
    if not 2 <= m <= MOST_ITEMS:
        raise InputError(f"there are {m} items; calibration functions are computed for 2 to {MOST_ITEMS}")
    if not CONDITIONS[name].of_differences:
        raise UnsupportedError(
            "calibration functions are computed only for conditions on the differences a_ij - a_ji; "
            f"{name} depends on more"
        )
    spent = effort or Effort()
    if is_quadratic(surrogate):
        return quadratic_calibration(surrogate, name, m, spent)
    if has_linear_law(surrogate, name, m):
        return linear_calibration(surrogate, name, m)
    return brackets(surrogate, name, m, spent, seed, provenance)
