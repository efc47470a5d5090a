"""The upper end of a worst case: bounds on boxes of score gaps, and branch and bound."""

from fractions import Fraction
from functools import cache, cached_property
from math import ceil, floor, inf, isinf
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.apps.measure.cones import RegretPiece
from consistency_lab.core.orders import Order
from consistency_lab.errors import UnsupportedError
from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.limits import towards
from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.numbers.exact import Ball, LogRational
from consistency_lab.numbers.phi import Expression, PiecewisePolynomial, enclose_slopes, facts
from consistency_lab.search.effort import Effort

# --- Rigorous bounds of the slope of a convex phi on intervals, as whole multiples of 2^-40 --------------
# phi' increases, so on [low, high] every subgradient lies between the left derivative at `low` and the right
# derivative at `high`; at the ends of the line the recession slopes phi'_inf take their place (Rockafellar,
# Convex Analysis, Theorem 24.1).

Slope = int | float
"""A whole number of units, or plus or minus infinity."""

UNIT: Final = 40
"""Slopes are counted in units of 2^-40."""

_STEEPEST: Final = 100
"""Slopes above 2^100 count as infinite."""

_FLATTEST: Final = Ball(2) ** -_STEEPEST
"""Slopes below 2^-100 are less than one unit, and are not written out."""


@final
class SlopeTable:
    """The slopes of one convex function, cached."""

    def __init__(self, phi: Expression) -> None:
        self._phi = phi
        #: Bounds of the subgradients at a point: a lower one from there on, an upper one up to there.
        self.at = cache(self._at)

    def bounds(self, low: Floats, high: Floats) -> tuple[NDArray[Any], NDArray[Any]]:
        """Bounds on intervals [low, high] of any shape, as arrays of whole numbers or infinities."""
        points, place = np.unique(np.concatenate((low.ravel(), high.ravel())), return_inverse=True)
        table = np.empty((len(points), 2), dtype=object)
        for k, point in enumerate(points):
            table[k, 0], table[k, 1] = self.at(float(point))
        count = low.size
        return (table[place[:count], 0].reshape(low.shape), table[place[count:], 1].reshape(high.shape))

    def _at(self, x: float) -> tuple[Slope, Slope]:
        if isinf(x):
            return self._end(x)
        left, right = enclose_slopes(self._phi, LogRational(Fraction(x)))
        return _units(left, -1), _units(right, 1)

    def _end(self, x: float) -> tuple[Slope, Slope]:
        side = 1 if x > 0 else -1
        slope = _recession(self._phi, side)
        if slope is None:
            return (-inf, inf)
        if isinf(slope):
            return (inf, inf) if side > 0 else (-inf, -inf)
        # phi'_inf(-1) is the recession slope outwards, so the slope of phi is its negative.
        exact = Fraction(slope) * side * (1 << UNIT)
        return floor(exact), ceil(exact)


def _units(ball: Ball, side: int) -> Slope:
    """The ball's lower (side -1) or upper end, rounded outwards."""
    end = (ball.upper() if side > 0 else ball.lower()) if ball.is_finite() else None
    if end is None:
        return side * inf
    if abs(end) < _FLATTEST:
        return side * int((end > 0) == (side > 0) and end != 0)
    mantissa, exponent = end.man_exp()
    if abs(end) > 2**_STEEPEST:
        return side * inf if (end > 0) == (side > 0) else -side * (1 << _STEEPEST + UNIT)
    exact = Fraction(int(mantissa)) * Fraction(2) ** (int(exponent) + UNIT)
    return ceil(exact) if side > 0 else floor(exact)


def _recession(phi: Expression, side: int) -> Fraction | float | None:
    """phi'_inf(side) if it is known: from the normal form, the rules, or SymPy's limit."""
    form = PiecewisePolynomial.of(phi)
    if form is not None:
        ahead, behind = form.recession()
        return ahead if side > 0 else behind
    known = facts(phi)
    falling = known.nonincreasing if side > 0 else known.nondecreasing
    if falling and known.lower is not None:
        return Fraction(0)
    slope = towards(phi, side).slope
    if slope is None:
        return None
    if not slope.finite:
        return inf if slope.sign > 0 else -inf
    try:
        return Fraction(slope.text)
    except ValueError:
        return None


# --- Thousands of tiny linear programs at once: a dual simplex method on stacked tableaus ----------------
#     maximize c x  subject to  A x = 0,  D x <= 0,  s x <= 1,  x >= 0
#
# with s >= 0. It starts at a dual feasible basis and stays dual feasible, so its multipliers give an upper
# bound whenever it stops. They are proposals: `proved` turns them into proofs.

_TINY: Final = 1e-9
_NUDGE: Final = 1e-8
_STEPS: Final = 120


@frozen
class Stack:
    """The answers of a stack of programs."""

    y: Floats  #: The multipliers of the rows, shape (B, R).
    x: Floats  #: The basic solution, shape (B, K); not feasible where the program stopped early.
    values: Floats  #: What the multipliers are worth, shape (B,).
    optimal: NDArray[np.bool_]  #: Where the method came to its end.


def solve_stack(
    costs: Floats, rows: Floats, equalities: int, weights: Floats, enough: Floats | None = None
) -> Stack:
    """Solve a stack of programs, of costs c (B, K), rows A above D (B, R, K) and weights s (B, K).

    The first `equalities` rows are those of A, and c = 0 wherever s = 0. A program may stop as soon as its
    bound is at most what is `enough` (B,).
    """
    batch, count, width = rows.shape
    generator = np.random.default_rng(0)
    nudge = _NUDGE * (1.0 + generator.random(width))
    tableau, basis = _start(costs + nudge * (weights > 0), rows, weights)
    y, values, x = np.zeros((batch, count)), np.zeros(batch), np.zeros((batch, tableau.shape[2]))
    optimal = np.zeros(batch, dtype=bool)
    alive = np.arange(batch)
    limit = np.full(batch, -np.inf) if enough is None else enough
    for step in range(_STEPS + 1):
        right = tableau[:, :-1, -1]
        artificial = (basis >= width) & (basis < width + equalities)
        gap = np.where(artificial, np.abs(right), -right)
        row = gap.argmax(axis=1)
        end = gap[np.arange(len(alive)), row] < _TINY
        entering, possible = _entering(tableau, row, equalities, width)
        done = end | (-tableau[:, -1, -1] <= limit) | ~possible | (step == _STEPS)
        if done.any():
            where = alive[done]
            y[where] = -tableau[done, -1, width : width + count]
            values[where] = -tableau[done, -1, -1]
            x[where[:, None], basis[done]] = right[done]
            optimal[where] = end[done]
            if done.all():
                break
            keep = ~done
            tableau, basis, alive, limit = tableau[keep], basis[keep], alive[keep], limit[keep]
            row, entering = row[keep], entering[keep]
        _pivot(tableau, row, entering)
        basis[np.arange(len(alive)), row] = entering
    return Stack(y, x[:, :width], values, optimal)


def _start(costs: Floats, rows: Floats, weights: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The tableau (rows, sum row, reduced costs) and its basis, dual feasible by one pivot in the sum row."""
    batch, count, width = rows.shape
    tableau = np.zeros((batch, count + 2, width + count + 2))
    tableau[:, :count, :width] = rows
    tableau[:, count, :width] = weights
    tableau[:, range(count + 1), range(width, width + count + 1)] = 1.0
    tableau[:, count, -1] = 1.0
    tableau[:, -1, :width] = costs
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(weights > 0, costs / weights, -np.inf)
    best = share.argmax(axis=1)
    gains = share[np.arange(batch), best] > 0
    if gains.any():
        part = tableau[gains]
        _pivot(part, np.full(len(part), count), best[gains])
        tableau[gains] = part
    basis = np.tile(np.arange(width, width + count + 1), (batch, 1))
    basis[gains, count] = best[gains]
    return tableau, basis


def _entering(
    tableau: Floats, row: NDArray[np.int64], equalities: int, width: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The ratio test: which column keeps the reduced costs at most 0, and whether there is one."""
    each = np.arange(len(tableau))
    line = tableau[each, row]
    line = np.where(line[:, -1:] < 0, line, -line)[:, :-1]
    line[:, width : width + equalities] = 0.0
    possible = line < -_TINY
    price = np.minimum(tableau[:, -1, :-1], 0.0)
    ratio = np.where(possible, price / np.where(possible, line, 1.0), np.inf)
    return ratio.argmin(axis=1), np.asarray(possible.any(axis=1))


def _pivot(tableau: Floats, row: NDArray[np.int64], column: NDArray[np.int64]) -> None:
    """One pivot in every tableau, in place."""
    each = np.arange(len(tableau))
    lead = tableau[each, row, column]
    line = tableau[each, row] / lead[:, None]
    factor = tableau[each, :, column]
    factor[each, row] = 0.0
    tableau -= factor[:, :, None] * line[:, None, :]
    tableau[each, row] = line


# --- Upper bounds of the regret on boxes of score gaps, by duality, and their exact check ----------------
# docs/theory.md, How wrong and how often. With g = -(large) a term -(pi_i - pi_j) g must not grow.

Objects = NDArray[Any]

GRAIN: Final = 60
"""Multipliers are rounded to units of 2^-60."""

WHOLE: Final = 1 << (GRAIN + UNIT)
"""A regret of 1, in the units of `proved`."""

_TO_INT: Final = np.frompyfunc(int, 1, 1)
_SCALE: Final = float(1 << UNIT)
_STEEP: Final = _SCALE * (1 << 16)


@frozen_with_cache
class OrderedPiece:
    """One piece of the condition and one order of the scores (ties included on its boundary)."""

    piece: RegretPiece
    order: Order

    @cached_property
    def spans(self) -> tuple[tuple[int, int, int], ...]:
        """For each pair (i, j): the places that it spans, from above to below, and 1 if i stands above j."""
        place = {item: k for k, item in enumerate(self.order)}
        ends = [(place[i], place[j]) for i, j in self.piece.pairs]
        return tuple((min(p, q), max(p, q), 1 if p < q else -1) for p, q in ends)

    @cached_property
    def wrong(self) -> list[Fraction]:
        """The regret of the order as a form in a, pair by pair; whole numbers."""
        return self.piece.on_pairs(self.piece.regret(self.order))

    @cached_property
    def cost(self) -> Floats:
        """`wrong` in floats."""
        return _array([self.wrong]).reshape(-1)

    @cached_property
    def forms(self) -> Floats:
        """The condition's forms >= 0, equalities twice with both signs, shape (forms, pairs)."""
        piece = self.piece
        equal = [piece.on_pairs(form) for form in piece.equal]
        both = equal + [[-x for x in row] for row in equal]
        return _array([*both, *map(piece.on_pairs, piece.least), *map(list, piece.schedule)]).reshape(
            -1, len(piece.pairs)
        )

    @cached_property
    def balance(self) -> Floats:
        """+1 at the upper end of a pair and -1 at its lower end, shape (m, pairs)."""
        return np.array(self.piece.nets, dtype=np.float64)

    def slopes(self, low: Floats, high: Floats, table: SlopeTable) -> tuple[Objects, Objects]:
        """Bounds of all subgradients on boxes of gaps (B, m - 1), each of shape (B, pairs)."""
        near = np.stack([low[:, p:q].sum(axis=1) for p, q, _ in self.spans], axis=1)
        far = np.stack([high[:, p:q].sum(axis=1) for p, q, _ in self.spans], axis=1)
        down = np.array([sign > 0 for _, _, sign in self.spans])
        return table.bounds(np.where(down, near, -far), np.where(down, far, -near))


@frozen
class Proposal:
    """Multipliers for boxes of one cell, with other results of the float solver."""

    #: Whole numbers of 2^-60 of shapes (B, m) and (B, forms).
    pi: Objects
    forms: Objects
    values: Floats  #: The float values.
    optimal: NDArray[np.bool_]  #: Where the solver came to its end.
    used: Floats  #: The float aggregate, shape (B, pairs); means nothing where the solver stopped early.


def propose(cell: OrderedPiece, least: Objects, most: Objects, enough: Floats | None = None) -> Proposal:
    """Multipliers that `solve_stack` proposes for boxes with the slopes of `Cell.slopes`."""
    batch, pairs = least.shape
    m = cell.piece.m
    rows = np.zeros((batch, m - 1 + len(cell.forms), 2 * pairs))
    weights, costs = np.empty((batch, 2 * pairs)), np.empty((batch, 2 * pairs))
    for half, slopes in enumerate((least, most)):
        g = slopes.astype(float) / _SCALE
        finite = np.isfinite(g)
        size = 1.0 / np.maximum(1.0, np.abs(np.where(finite, g, 1.0)))
        columns = slice(half * pairs, (half + 1) * pairs)
        weight = np.where(finite, size, 0.0)
        weights[:, columns] = weight
        costs[:, columns] = cell.cost * weight
        w = np.where(finite, np.where(finite, g, 0.0) * size, np.sign(g))
        rows[:, : m - 1, columns] = cell.balance[None, :-1] * w[:, None]
        rows[:, m - 1 :, columns] = -cell.forms[None] * weight[:, None]
    answers = solve_stack(costs, rows, m - 1, weights, enough)
    pi = np.hstack((answers.y[:, : m - 1], np.zeros((batch, 1))))
    _repair(cell, pi, least, most)
    lambdas = np.maximum(answers.y[:, m - 1 :], 0.0)
    mass = answers.x * weights
    used = mass[:, :pairs] + mass[:, pairs:]
    return Proposal(_whole(pi), _whole(lambdas), answers.values, answers.optimal, used)


def proved(cell: OrderedPiece, proposal: Proposal, least: Objects, most: Objects) -> Objects:
    """The exact bounds that multipliers prove, in units of 2^-(60+40); 1 where they prove nothing.

    Only whole numbers are added and multiplied. A negative multiplier of a form proves nothing.
    """
    cost, forms = _exact(cell.cost), _exact(cell.forms)
    base = cost * WHOLE + (proposal.forms @ forms if len(forms) else 0) * (1 << UNIT)
    upper = [i for i, _ in cell.piece.pairs]
    lower = [j for _, j in cell.piece.pairs]
    pull = proposal.pi[:, upper] - proposal.pi[:, lower]
    endless_low, endless_high = np.isinf(least.astype(float)), np.isinf(most.astype(float))
    # On the side of an infinite slope the term falls without bound, or does not depend on g at all.
    low = np.where(endless_low, np.where(endless_high, 0, most), least)
    high = np.where(endless_high, low, most)
    terms = np.maximum(base - pull * low, base - pull * high)
    bad = (endless_low & (pull > 0)) | (endless_high & (pull < 0))
    worthless = bad.any(axis=1) | (proposal.forms < 0).any(axis=1)
    bound = np.maximum(terms.max(axis=1), 0)
    return np.where(worthless, WHOLE, np.minimum(bound, WHOLE))


def as_regret(bound: int) -> Fraction:
    """A bound of `proved` as a rational."""
    return Fraction(int(bound), WHOLE)


def _repair(cell: OrderedPiece, pi: Floats, least: Objects, most: Objects) -> None:
    """Make pi fit endless (or very steep) slopes, in place: it must not rise from above to below there."""
    endless = (least.astype(float) < -_STEEP) | (most.astype(float) > _STEEP)
    m = cell.piece.m
    for upper in range(m - 1):
        for lower in range(upper + 1, m):
            top, bottom = cell.order[upper], cell.order[lower]
            for k, (p, q, _) in enumerate(cell.spans):
                if (p, q) == (upper, lower):
                    pi[:, bottom] = np.where(
                        endless[:, k], np.minimum(pi[:, top], pi[:, bottom]), pi[:, bottom]
                    )


def _whole(values: Floats) -> Objects:
    modest = np.clip(np.nan_to_num(values), -_SCALE, _SCALE)
    return np.asarray(_TO_INT(np.ldexp(modest, GRAIN)), dtype=object)


def _exact(values: Floats) -> Objects:
    return values.astype(np.int64).astype(object)


def _array(rows: list[list[Fraction]]) -> Floats:
    """Forms with whole coefficients, which floats hold exactly."""
    if any(x.denominator > 1 for row in rows for x in row):
        raise UnsupportedError("a form of the condition has a coefficient that is not a whole number")
    return np.array([[float(x) for x in row] for row in rows])


# --- Branch and bound over all score gaps in [0, infinity] -----------------------------------------------


_CHUNK: Final = 2048
_EASE: Final = 1e-6
_NO_BLAME: Final = 1e-7
_STEEP_BOX: Final = 64.0
"""The largest difference of slopes that counts when choosing the gap to bisect."""

BOX: Final = 50
"""Steps that it takes to bound a box."""


@frozen
class Boxes:
    """Boxes of score gaps of one cell."""

    #: The gaps between neighbors from above to below lie between these, shape (B, m - 1); exact floats.
    low: Floats
    high: Floats
    bounds: Objects  #: Proved bounds of the regret in units of 2^-(60+40), shape (B,).
    axis: Whole  #: Which gap to bisect next.

    @staticmethod
    def everything(m: int) -> "Boxes":
        """One box that holds all gaps; a normalized regret is at most 1."""
        shape = (1, m - 1)
        whole = np.array([WHOLE], dtype=object)
        return Boxes(np.zeros(shape), np.full(shape, np.inf), whole, np.zeros(1, dtype=np.int64))

    def where(self, chosen: NDArray[np.bool_]) -> "Boxes":
        return Boxes(self.low[chosen], self.high[chosen], self.bounds[chosen], self.axis[chosen])

    def joined(self, other: "Boxes") -> "Boxes":
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


@frozen
class Ceiling:
    """The result of branch and bound."""

    upper: Fraction  #: No distribution has a larger normalized regret.
    boxes: int  #: How many boxes were bounded.
    finished: bool  #: Whether the upper end is at most the target.
    #: The cell of the open box with the largest bound, and gaps in that box; None if no box is open.
    hardest: tuple[OrderedPiece, tuple[float, ...]] | None = None


def ceiling(
    cells: tuple[OrderedPiece, ...], table: SlopeTable, target: Fraction, effort: Effort, limit: int = 10**9
) -> Ceiling:
    """Prove that the regret in all cells is at most the target, or as little as the budget allows.

    The cells hold all distributions and scores in question; a box is closed when its bound is at most the
    target. When the budget or `limit` boxes are used up, or the user interrupts, the bound of the worst open
    box stands.
    """
    goal = floor(target * WHOLE)
    waiting = [Boxes.everything(cell.piece.m) for cell in cells]
    closed = count = 0
    while True:
        bounds = np.sort(np.concatenate([boxes.bounds for boxes in waiting]))
        if not len(bounds) or effort.expired or count > limit:
            break
        effort.say(f"at most {float(as_regret(bounds[-1])):.6f}, {len(bounds):,} boxes open")
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
    return Ceiling(as_regret(upper), count, upper <= goal, hardest)


def bounded(cell: OrderedPiece, boxes: Boxes, table: SlopeTable, goal: int) -> Boxes:
    """The boxes with the bounds that their own multipliers prove, where those are better.

    The bound of a box that has become too small for exact sums of gaps stays that of the box before.
    """
    least, most = cell.slopes(boxes.low, boxes.high, table)
    enough = np.full(len(least), float(as_regret(goal)) * (1 - _EASE))
    proposal = propose(cell, least, most, enough)
    bounds = np.minimum(boxes.bounds, proved(cell, proposal, least, most))
    bounds = np.where(_adds_exactly(boxes.low) & _adds_exactly(boxes.high), bounds, boxes.bounds)
    return Boxes(boxes.low, boxes.high, bounds, _axis(cell, boxes, proposal, least, most))


def _adds_exactly(gaps: Floats) -> NDArray[np.bool_]:
    """Whether floats add these gaps without rounding: multiples of 2^-30 up to 2^20, or infinity."""
    finite = np.where(np.isfinite(gaps), gaps, 0.0)
    fine = np.ldexp(finite, 30)
    return np.asarray(((fine == np.floor(fine)) & (finite <= 2.0**20)).all(axis=1))


def _axis(cell: OrderedPiece, boxes: Boxes, proposal: Proposal, least: Objects, most: Objects) -> Whole:
    """The gap that weakens the bound most: weight times price times slope difference, shared by width."""
    spread = np.minimum((most.astype(float) - least.astype(float)) / 2.0**UNIT, _STEEP_BOX)
    upper, lower = (list(ends) for ends in zip(*cell.piece.pairs, strict=True))
    price = np.abs(np.ldexp((proposal.pi[:, upper] - proposal.pi[:, lower]).astype(float), -GRAIN))
    blame = price * spread * np.maximum(proposal.used, 0.0)
    width = np.minimum(boxes.high - boxes.low, _STEEP_BOX)
    total = np.zeros_like(width)
    for k, (p, q, _) in enumerate(cell.spans):
        across = width[:, p:q].sum(axis=1, keepdims=True)
        share = width[:, p:q] / np.where(across > 0, across, 1.0)
        total[:, p:q] += share * blame[:, k : k + 1]
    relative = width / (1.0 + boxes.low)
    return np.asarray(np.where(total.max(axis=1) > _NO_BLAME, total.argmax(axis=1), relative.argmax(axis=1)))
