"""Which pairs of items a loss certainly orders, by adding up comparisons alone.

Floats propose the factor of each pair, whole numbers decide. See docs/theory.md, Orders by addition.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from math import ceil, inf, lcm
from operator import sub
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.certify.proofs.record import Entry
from consistency_lab.core.addition import DOMINATION, GAP, Above, Addition, AdditionRule, Factor, lacking
from consistency_lab.core.orders import Pair
from consistency_lab.frozen import frozen
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.exact import ONE, exact_sum, rational_text
from consistency_lab.numbers.phi import Expression

Matrix = Sequence[Sequence[Fraction | int]]

Whole = NDArray[Any]
"""Whole numbers: 64 bits where no sum can be larger, else those of Python."""


@final
@dataclass(frozen=True)
class ByAddition:
    """What is proved of the order of the scores wherever the risk is near its infimum."""

    pairs: tuple[Above, ...]  #: The pairs that a rule puts in order, the upper item first.
    slack: tuple[Fraction, ...]  #: By how much the rule of each pair holds, in comparisons.
    wins: Matrix  #: The weights a_ij of which it is proved.

    @property
    def stated(self) -> Addition:
        """The certificate, as the core reads it."""
        return Addition(self.pairs)

    def entry(self, names: Sequence[str]) -> Entry:
        """The certificate, as a file has it."""
        return {
            "kind": "addition",
            "pairs": [
                {
                    "above": names[pair.above],
                    "below": names[pair.below],
                    "rule": pair.rule,
                    "factor": "infinity" if pair.factor == inf else rational_text(Fraction(pair.factor)),
                }
                for pair in self.pairs
            ],
        }

    @cached_property
    def _sums(self) -> tuple[list[Fraction], list[Fraction]]:
        """How often each item wins, and loses."""
        rows = ([Fraction(x) for x in row] for row in self.wins)
        columns = (map(Fraction, column) for column in zip(*self.wins, strict=True))
        return list(map(exact_sum, rows)), list(map(exact_sum, columns))

    def radius(self, number: int, unit: Fraction | int = 1) -> int:
        """No removal of fewer comparisons breaks the rule of a pair; a weight of 1 is `unit` of them.

        The slack of a gap is (x + 1)(a_ij - a_ji) + 2 sum over k of min(x a_ik - a_jk, a_kj - x a_ki) for the
        factor x. So only wins of i and over j hold it up, each by at most its price, and the dearest are
        removed first; an infinite factor divides all of it. With the factor 1 all prices are 2, and some
        removal of so many does break the rule. A domination asks for exact inequalities: its radius is 1.
        """
        pair, left, removed = self.pairs[number], self.slack[number], Fraction(0)
        if pair.rule == DOMINATION:
            return 1
        x, y = (ONE, Fraction(0)) if pair.factor == inf else (Fraction(pair.factor), ONE)
        direct, (won, lost) = self.wins[pair.above][pair.below], self._sums
        over_others, by_others = won[pair.above] - direct, lost[pair.below] - direct
        for price, most in sorted([(2 * x, over_others), (x + y, direct), (2 * y, by_others)], reverse=True):
            if left > 0:
                part = min(most, left / price)
                left, removed = left - part * price, removed + part
        return ceil(removed * unit)


@frozen
class Schedules:
    """What the rule `gap` compares of two items, at the factor that leaves most room (1, if that does)."""

    above: int
    below: int
    factor: Factor
    gap: Fraction  #: factor N_i - N_j; N_i where the factor is infinite.
    apart: Fraction  #: The sum over other k of |factor n_ik - n_jk|; of n_ik where the factor is infinite.
    distance: Fraction  #: The schedule distance: the least such sum, whatever the factor.

    @property
    def room(self) -> Fraction:
        """How far the gap exceeds the sum, divided by the factor where that is more than 1."""
        return (self.gap - self.apart) / (ONE if self.factor == inf else max(ONE, Fraction(self.factor)))


def proved_by_addition(
    phi: Expression, a: Matrix, pairs: Sequence[Pair] | None = None, *, quick: bool = False
) -> ByAddition:
    """The pairs that the logistic loss, or another edge loss, certainly puts in order."""
    rules = [rule for rule in _RULES if rule not in lacking(phi)]
    table = _Table(a)
    above: dict[Pair, tuple[Above, Fraction]] = {}
    for i, others in _by_upper(table, pairs):
        left = [j for j in others if (j, i) not in above]
        for rule in rules:
            for j, x, y, slack in table.proved(rule, i, left, quick):
                factor = Fraction(x, y) if y else inf
                above[i, j] = Above(i, j, rule, factor), Fraction(slack, y or 1) * table.unit
            left = [j for j in left if (i, j) not in above]
    order = sorted(above) if pairs is None else [pair for pair in dict.fromkeys(pairs) if pair in above]
    return ByAddition(tuple(above[pair][0] for pair in order), tuple(above[pair][1] for pair in order), a)


_RULES: Final[tuple[AdditionRule, ...]] = (GAP, DOMINATION)
"""A gap says more where both hold: by how much."""


def _by_upper(table: "_Table", pairs: Sequence[Pair] | None) -> Iterator[tuple[int, list[int]]]:
    """The pairs to try, by their upper item; of all pairs, items that win more come first."""
    if pairs is None:
        everyone = range(len(table.net))
        for i in sorted(everyone, key=lambda i: -table.net[i]):
            yield i, [j for j in everyone if j != i]
        return
    for i, group in groupby(sorted(set(pairs)), lambda pair: pair[0]):
        yield i, [j for _, j in group]


Factors = tuple[Whole, Whole]
"""Factors x/y for several items, infinite where y = 0."""


_FEW: Final = 16
_NEAR: Final = 1e-9
"""Floats as near as this do not tell that no factor serves."""


@final
class _Table:
    """How often items win, and what the rules make of one item above several others."""

    def __init__(self, a: Matrix) -> None:
        scale = lcm(*{x.denominator for row in a for x in row})
        rows = [[x.numerator * (scale // x.denominator) for x in row] for row in a]
        most, total = max(map(max, rows), default=0), max(map(sum, zip(*rows, strict=True)), default=0)
        # Factors are counts of a pair, at most 2 most; each of four sums of a row at most as many as it has.
        bound = 16 * max(most, 1) * (total + max(map(sum, rows), default=0))
        self.won: Whole = np.array(rows, dtype=np.int64 if bound < 2**62 else object)
        self.lost: Whole = np.ascontiguousarray(self.won.T)
        self.met: Whole = self.won + self.lost
        self._wins, self._losses = self.won.sum(axis=1), self.lost.sum(axis=1)
        self.net: Whole = self._wins - self._losses
        self._few = np.arange(len(rows))[:: max(1, len(rows) // _FEW)]
        self.unit, self.most = Fraction(1, scale), max(most, 1)

    def _floats(self, counts: Whole) -> Floats:
        """Shares of the largest count, which are floats even where the counts are too large."""
        return np.asarray(counts / self.most, dtype=np.float64)

    def proved(
        self, rule: AdditionRule, i: int, js: Sequence[int], quick: bool
    ) -> Iterator[tuple[int, int, int, int]]:
        """Each j that is proved below i, x and y of a factor, and y times the slack (the slack if y = 0)."""
        left = np.array(js, dtype=np.intp)
        if rule == DOMINATION:
            left = left[self.won[i, left] > self.lost[i, left]]
            left = left[self._may_dominate(i, left)]
        for fixed in ((1, 1), None, (0, 1), (1, 0))[: 1 if quick else None]:
            if rule == GAP and fixed is None:
                left = left[self._may_gain(i, left)]
            if not left.size:
                return
            x, y = self._best(rule, i, left) if fixed is None else self.all(*fixed, left)
            slack = self._domination(i, left, x, y) if rule == DOMINATION else sub(*self.sides(i, left, x, y))
            good = slack > 0
            yield from zip(*(part[good].tolist() for part in (left, x, y, slack)), strict=True)
            left = left[~good]

    def _rows(self, counts: Whole, i: int, js: NDArray[np.intp]) -> tuple[Whole, Whole]:
        """The counts of i beside those of each j, without those of the two with each other."""
        ours, theirs = np.repeat(counts[i][None], len(js), axis=0), counts[js]
        ours[np.arange(len(js)), js] = 0
        theirs[:, i] = 0
        return ours, theirs

    def sides(self, i: int, js: NDArray[np.intp], x: Whole, y: Whole) -> tuple[Whole, Whole]:
        """x N_i - y N_j, and the sum of |x n_ik - y n_jk|, exactly."""
        ours, theirs = self._rows(self.met, i, js)
        apart = np.abs(x[:, None] * ours - y[:, None] * theirs).sum(axis=1)
        return x * self.net[i] - y * self.net[js], apart

    def _may_dominate(self, i: int, js: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which j some factor may still put below i, by what a few others say of the factor."""
        k = self._few[self._few != i]
        won, lost, won_j, lost_j = (
            self._floats(part)
            for part in (self.won[i, k], self.lost[i, k], self.won[js][:, k], self.lost[js][:, k])
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            least, most = won_j / won, lost_j / lost
        beside = js[:, None] != k
        low = np.where(beside & (won_j > 0), least, 0.0).max(axis=1, initial=0.0)
        high = np.where(beside & (lost > 0), most, inf).min(axis=1, initial=inf)
        return np.asarray(low <= high * (1 + _NEAR))

    def _may_gain(self, i: int, js: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which j some factor f may still put below i; f = 1 does not.

        With n_ij = d the sum is at least |f (n_i - d) - (n_j - d)|, so f (2 l_i - d) < 2 l_j - d and
        f (2 w_i - d) > 2 w_j - d. Between these ends the slack, which is concave, is below its tangents at 1.
        """
        met = self._floats(self.met[i, js])
        won, lost, won_j, lost_j = (
            2 * self._floats(part) - met
            for part in (self._wins[i], self._losses[i], self._wins[js], self._losses[js])
        )
        ours, theirs = map(self._floats, self._rows(self.met, i, js))
        apart, net = ours - theirs, self._floats(self.net[[i]])
        slack = net - self._floats(self.net[js]) - np.abs(apart).sum(axis=1)
        rise, tied = (ours * np.sign(apart)).sum(axis=1), np.where(apart == 0, ours, 0.0).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = np.maximum(won_j / won, 0.0), lost_j / lost
            most = np.maximum((net - rise - tied) * (high - 1), (net - rise + tied) * (low - 1))
        size = _NEAR * (np.abs(slack) + np.abs(most) + ours.sum(axis=1) + theirs.sum(axis=1))
        bounded = (lost > 0) & (won > 0) & (won_j > 0)
        return np.asarray(
            ~bounded | ((low <= high * (1 + _NEAR)) & (slack + np.maximum(most, 0.0) + size > 0))
        )

    def _domination(self, i: int, js: NDArray[np.intp], x: Whole, y: Whole) -> Whole:
        """a_ij - a_ji, times y where it is not 0, if all inequalities hold; else -1."""
        ours, theirs = self._rows(self.won, i, js)
        holds = (x[:, None] * ours >= y[:, None] * theirs).all(axis=1)
        ours, theirs = self._rows(self.lost, i, js)
        holds &= (x[:, None] * ours <= y[:, None] * theirs).all(axis=1)
        margin = (self.won[i, js] - self.lost[i, js]) * np.maximum(y, 1)
        slack: Whole = np.where(holds, margin, -1)
        return slack

    def schedules(self, i: int, js: NDArray[np.intp]) -> Iterator[Schedules]:
        """The schedules of i and of each j, at the factor that leaves most room."""
        best, least = (self._at(self.met, i, js, k) for k in self._breakpoints(i, js))
        tried = [self.all(1, 1, js), best, self.all(0, 1, js), self.all(1, 0, js), least]
        sides = [(x, y, *self.sides(i, js, x, y)) for x, y in tried]
        for place, j in enumerate(js.tolist()):
            tried_here = []
            for p, q, gap, apart in ([int(part[place]) for part in parts] for parts in sides):
                unit, factor = self.unit / (q or 1), Fraction(p, q) if q else inf
                tried_here.append((factor, gap * unit, apart * unit))
            distance = min(apart for factor, _, apart in tried_here if factor < inf)
            ones = [Schedules(i, j, *one, distance) for one in tried_here[:4]]
            yield ones[0] if ones[0].room > 0 else max(ones, key=lambda one: one.room)

    # --- Factors to try ---

    def all(self, x: int, y: int, js: NDArray[np.intp]) -> Factors:
        return np.full(len(js), x, self.won.dtype), np.full(len(js), y, self.won.dtype)

    def _best(self, rule: AdditionRule, i: int, js: NDArray[np.intp]) -> Factors:
        """Factors by floats: at the breakpoint with most slack, or the least one that may dominate."""
        if rule == GAP:
            k = self._breakpoints(i, js)[0]
            return self._at(self.met, i, js, k)
        ours, theirs = map(self._floats, self._rows(self.won, i, js))
        with np.errstate(divide="ignore", invalid="ignore"):
            k = np.where(theirs == 0, 0, theirs / ours).argmax(axis=1)
        return self._at(self.won, i, js, k)

    def _at(self, counts: Whole, i: int, js: NDArray[np.intp], k: NDArray[np.intp]) -> Factors:
        ours, theirs = self._rows(counts, i, js)
        rows = np.arange(len(js))
        x, y = theirs[rows, k], ours[rows, k]
        return np.where(y == 0, np.minimum(x, 1), x), np.where((x == 0) & (y == 0), 1, y)

    def _breakpoints(self, i: int, js: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The k whose n_jk/n_ik has most slack, which is concave; and the least distance, which is convex.

        Slacks are divided by the factor where that is more than 1. Each, as the distance, is linear between
        breakpoints: up to its own a term is y - factor x, and beyond it factor x - y.
        """
        x, y = map(self._floats, self._rows(self.met, i, js))
        both = (x > 0) & (y > 0)
        ratio = np.divide(y, x, out=np.full_like(x, inf), where=both)
        order = np.argsort(ratio, axis=1, kind="stable")
        ratio = np.take_along_axis(ratio, order, axis=1)
        passed_x = np.cumsum(np.take_along_axis(np.where(both, x, 0.0), order, axis=1), axis=1)
        passed_x += np.where(y == 0, x, 0.0).sum(axis=1, keepdims=True)  # y = 0 is passed from the start
        passed_y = np.cumsum(np.take_along_axis(np.where(both, y, 0.0), order, axis=1), axis=1)
        factors = np.where(np.isfinite(ratio), ratio, 1.0)
        apart = factors * (2 * passed_x - x.sum(axis=1, keepdims=True))
        apart -= 2 * passed_y - y.sum(axis=1, keepdims=True)
        won, lost = self._floats(self.net[[i]]), self._floats(self.net[js])[:, None]
        slack = (factors * won - lost - apart) / np.maximum(factors, 1.0)
        ends = np.isfinite(ratio)
        best, least = np.where(ends, slack, -inf).argmax(axis=1), np.where(ends, apart, inf).argmin(axis=1)
        rows = np.arange(len(js))
        return order[rows, best], order[rows, least]


# --- How far apart two schedules are, and which comparisons would bring them together --------------------


def schedules(a: Matrix) -> tuple[Schedules, ...]:
    """The schedules of all pairs of items, each pair in the order that is nearer to being proved."""
    table, best = _Table(a), dict[Pair, Schedules]()
    for i in sorted(range(len(a)), key=lambda i: (-table.net[i], i)):
        js = np.array([j for j in range(len(a)) if j != i], dtype=np.intp)
        for j, one in zip(js.tolist(), table.schedules(i, js), strict=True):
            if (j, i) not in best or best[j, i].room < one.room:
                best.pop((j, i), None)
                best[i, j] = one
    return tuple(best[pair] for pair in sorted(best, key=sorted))


def sides(a: Matrix, pair: Above) -> tuple[Fraction, Fraction]:
    """The two sides of the rule `gap` at the factor of a pair."""
    table, j = _Table(a), np.array([pair.below])
    x, y = (1, 0) if pair.factor == inf else Fraction(pair.factor).as_integer_ratio()
    gap, apart = table.sides(pair.above, j, *table.all(x, y, j))
    return int(gap[0]) * table.unit / (y or 1), int(apart[0]) * table.unit / (y or 1)


@frozen
class More:
    """Comparisons that would bring two schedules nearer to each other."""

    first: int
    second: int
    times: int  #: So many more of these two.
    nearer: Fraction  #: By so much the sum falls that the gap has to exceed.


def more_comparisons(a: Matrix, one: Schedules) -> tuple[More, ...]:
    """Which comparisons would bring the two schedules of a pair together, those first that do most.

    At the same factor no comparisons do more, one for one. How they will end is not known, and the gap
    changes with them, so that they prove the order is not promised.
    """
    i, j, factor = one.above, one.below, one.factor
    x, y = (1, 0) if factor == inf else Fraction(factor).as_integer_ratio()
    all_more = []
    for k in set(range(len(a))) - {i, j}:
        apart = x * (Fraction(a[i][k]) + a[k][i]) - y * (Fraction(a[j][k]) + a[k][j])
        item, step = (i, x) if apart < 0 else (j, y)
        times = abs(apart) // step if step else 0
        if times:
            nearer = times * Fraction(step, y or 1)
            all_more.append(More(min(item, k), max(item, k), int(times), nearer))
    return tuple(sorted(all_more, key=lambda more: (-more.nearer, more.first, more.second)))
