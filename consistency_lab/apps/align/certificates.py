"""Scores that are linear in features: what is least within the class, proved to the core."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, lcm, log10
from typing import Final

import numpy as np

from consistency_lab.certify.proofs.orders import OrderQuestion
from consistency_lab.certify.proofs.record import Entry
from consistency_lab.certify.separation import Dual, boundary_minimizer, dual_slopes, exact_dual, stated
from consistency_lab.certify.witness import closure_proof
from consistency_lab.core.orders import Costs, Order, Pair
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.surrogates import Term
from consistency_lab.numbers.exact import ONE, ZERO, LogRational, Matrix
from consistency_lab.numbers.exact.linear import pivot_columns, solve_linear
from consistency_lab.numbers.phi import parse
from consistency_lab.solve.connectivity import Trend, attainment, growth
from consistency_lab.solve.lp import LPSolution, LPStatus, solve_lp
from consistency_lab.solve.minimize import Minimum, minimize
from consistency_lab.solve.stationary import stationary_slopes

# --- Weights that put given pairs in order, or Farkas multipliers ----------------------------------------


_MOST: Final = 2**62
"""Largest factor of a coordinate: floats minimize with 64-bit directions."""


def ordering(rows: Matrix, pairs: Sequence[Pair]) -> LPSolution:
    """Parts of w with <x_i - x_j, w> >= 1 for all pairs, or multipliers y with sum y_ij (x_i - x_j) = 0."""
    solution = solve_lp([ZERO] * (2 * len(rows[0])), A_ub=system(rows, pairs), b_ub=[-ONE] * len(pairs))
    k = len(solution.x) // 2
    return replace(
        solution, x=tuple(up - down for up, down in zip(solution.x[:k], solution.x[k:], strict=True))
    )


def system(rows: Matrix, pairs: Sequence[Pair]) -> list[list[Fraction]]:
    """The rows A of A (w+, w-) <= -1: that w puts all pairs in order."""
    apart = [[y - x for x, y in zip(rows[i], rows[j], strict=True)] for i, j in pairs]
    return [[*row, *(-x for x in row)] for row in apart]


def scored(rows: Matrix, weights: Sequence[Fraction]) -> list[Fraction]:
    """Xw."""
    return [sum((x * w for x, w in zip(row, weights, strict=True)), ZERO) for row in rows]


# --- W within the class ----------------------------------------------------------------------------------
# The scores of affinely independent items are free, and those of all others are their affine combinations
# with the coefficients of their features. So W within the class is a risk of the scores of a few items, of
# any two whose features differ among others. A loss that sees more than differences has one item more, whose
# features and score are 0.

APART: Final = 1e-7
"""Scores nearer than this are too near to be told apart."""

_FAR: Final = 40.0
"""How far apart scores are placed that run to infinity: exp(-40) is near the precision of floats."""


@frozen
class Chart:
    """Items whose scores are free, and all scores as averages of theirs."""

    basis: tuple[int, ...]
    weights: tuple[tuple[Fraction, ...], ...]  #: One row a point; each adds up to 1.
    scale: int  #: Their common denominator; coordinates are scores divided by it.

    @staticmethod
    def of(points: Matrix, first: Sequence[int] = ()) -> "Chart":
        """With the `first` points in the basis, if they are affinely independent."""
        order = [*first, *(k for k in range(len(points)) if k not in first)]
        lifted = [[ONE, *point] for point in points]
        basis = tuple(order[n] for n in pivot_columns(_transpose([lifted[k] for k in order])))
        columns = _transpose([lifted[k] for k in basis])
        weights = [solve_linear(columns, point) or [] for point in lifted]
        scale = lcm(*(x.denominator for row in weights for x in row))
        return Chart(basis, tuple(map(tuple, weights)), scale)

    def term(self, term: Term, ground: int | None) -> Term:
        """A term of W in the coordinates."""
        v = dict(term.v)
        if ground is not None:
            v[ground] = -sum(v.values())
        entries = [sum(n * self.weights[i][k] for i, n in v.items()) for k in range(len(self.basis))]
        whole = tuple((k, int(self.scale * n)) for k, n in enumerate(entries) if n)
        if any(abs(n) > _MOST for _, n in whole):
            raise InputError(
                "the features have so many digits that their dependencies do not fit into machine numbers; "
                "round them to fewer, such as 6"
            )
        return replace(term, v=whole)


def escape(terms: Sequence[Term], m: int) -> tuple[Fraction, ...] | None:
    """A direction along which W falls forever; zeros if its minimum is attained, None if undecided."""
    lines: dict[tuple[tuple[int, int], ...], tuple[bool, bool]] = {}
    ends: set[Trend] = set()
    for term in terms:
        trend = growth(term.phi)
        if trend.behind is not Trend.GROWS or trend.ahead in (Trend.FALLS, Trend.UNKNOWN):
            return None
        still, fades = lines.get(term.v, (False, False))
        lines[term.v] = still or trend.ahead is Trend.GROWS, fades or trend.ahead is Trend.FADES
        ends.add(trend.ahead)
    if {Trend.RESTS, Trend.FADES} <= ends:
        return None  # where some rest and others fade, more than directions decides
    fading = {v for v, (_, fades) in lines.items() if fades}
    way = [ZERO] * m
    rows = {v: [Fraction(dict(v).get(k, 0)) for k in range(m - 1)] for v in lines}
    equal = [[*row, *(-x for x in row)] for v, row in rows.items() if lines[v][0]]
    above = [[*(-x for x in row), *row] for v, row in rows.items() if not lines[v][0]]
    box = [[ONE if j == k else ZERO for j in range(2 * m - 2)] for k in range(2 * m - 2)]
    right = [ZERO] * len(above) + [ONE] * len(box)
    for _ in range(m):
        pull = [sum((rows[v][k] for v in fading), ZERO) for k in range(m - 1)]
        solution = solve_lp([*(-x for x in pull), *pull], equal, [ZERO] * len(equal), [*above, *box], right)
        if solution.status is not LPStatus.OPTIMAL or solution.value is None:
            return None
        if not solution.value:
            break
        way = [x + solution.x[k] - solution.x[m - 1 + k] for k, x in enumerate(way[:-1])] + [ZERO]
        fading = {v for v in fading if not sum(n * way[k] for k, n in v)}
    return tuple(way)


def least(terms: Sequence[Term], m: int) -> Minimum:
    """As `minimize`, of terms in any directions; where W falls forever, at scores far along that way."""
    moving = [term for term in terms if term.v]
    way = escape(moving, m)
    if not moving or way is None or not any(way):
        minimum = minimize(moving, m)
        return minimum if way is None else replace(minimum, attained=True)
    rates = [sum(n * way[k] for k, n in term.v) for term in moving]
    inside = minimize([term for term, rate in zip(moving, rates, strict=True) if not rate], m, exact=False)
    spread = max(abs(sum(n * float(inside.scores[k]) for k, n in term.v)) for term in moving)
    far = (_FAR + spread) / float(min(rate for rate in rates if rate))
    scores = inside.scores + far * np.array([float(x) for x in way])
    return replace(inside, scores=scores, exact=None, attained=False)


# --- Proofs in the scores of all items -------------------------------------------------------------------
# To the core the class is a penalty: N |<q, u>| for every dependency q of the features, which vanishes on the
# class. The stated scores are in the class, so whatever is there and as good has the pairs that a separation
# of W with the penalty proves. Its slopes are those of W within the class; what these leave over is balanced
# by the slopes of the penalties, if N is large enough.

_ABSOLUTE: Final = parse("abs(x)")
_DIGITS: Final = (2, 3, 4, 6, 8, 10, 12)


@frozen_with_cache
class InClass:
    """W on the scores Xw."""

    rows: tuple[tuple[Fraction, ...], ...]  #: X, one row an item.
    terms: tuple[Term, ...]  #: Of W, on the scores of all items.

    @cached_property
    def ground(self) -> int | None:
        """The number of the point whose score is 0, if W sees more than differences."""
        return len(self.rows) if any(sum(n for _, n in term.v) for term in self.terms) else None

    @cached_property
    def points(self) -> Matrix:
        """The features of the items, and those of the ground."""
        return self.rows if self.ground is None else (*self.rows, (ZERO,) * len(self.rows[0]))

    @cached_property
    def chart(self) -> Chart:
        """Coordinates of the class."""
        return Chart.of(self.points, () if self.ground is None else (self.ground,))

    @cached_property
    def minimum(self) -> Minimum:
        """Where W is least within the class, in the coordinates."""
        terms = [self.chart.term(term, self.ground) for term in self.terms]
        return least(terms, len(self.chart.basis))

    @cached_property
    def weights(self) -> list[float]:
        """The same w, in floats; that of least size, if there are many."""
        first, *rest = self.chart.basis
        apart = [
            [float(x - y) for x, y in zip(self.points[k], self.points[first], strict=True)] for k in rest
        ]
        scores = self.minimum.scores * self.chart.scale
        if not rest:
            return [0.0] * len(self.rows[0])
        return [float(x) for x in np.linalg.lstsq(np.array(apart), scores[1:] - scores[0], rcond=None)[0]]

    @cached_property
    def floats(self) -> list[float]:
        """The scores of the items."""
        return [sum(float(x) * w for x, w in zip(row, self.weights, strict=True)) for row in self.rows]

    @cached_property
    def exact(self) -> tuple[LogRational, ...] | None:
        """The scores of the items where W is least, if they could be named."""
        exact = self.minimum.exact
        if exact is None:
            return None
        scores: list[LogRational] = []
        for row in self.chart.weights:
            parts = [u.times(self.chart.scale * x) for u, x in zip(exact, row, strict=True)]
            if None in parts:
                return None
            scores.append(sum((part for part in parts if part is not None), LogRational(ZERO)))
        if self.ground is None:
            return tuple(scores)
        zero = scores.pop()
        return tuple(score - zero for score in scores)

    @cached_property
    def attained(self) -> bool | None:
        """Whether some weights minimize W; None if that is not decided."""
        known = self.minimum.attained
        return known if known is not None else attainment(self.terms, len(self.rows)).attained or None

    @cached_property
    def order(self) -> Order:
        """The items by falling score, in floats."""
        return tuple(sorted(range(len(self.rows)), key=lambda k: (-self.floats[k], k)))

    def dual(self, pair: Pair, digits: int) -> Dual | None:
        """Slopes that bound W within the class where the first item of the pair is not above the second."""
        chart = Chart.of(self.points, pair)
        if chart.basis[:2] != pair:
            return None  # the features are the same, so the scores are
        terms, m = [chart.term(term, self.ground) for term in self.terms], len(chart.basis)
        boundary = boundary_minimizer(terms, m, (0, 1), least)
        slopes = exact_dual(terms, m, boundary, (1, 0)) or dual_slopes(terms, m, boundary, (1, 0), digits)
        return None if slopes is None else replace(slopes, multiplier=slopes.multiplier / chart.scale)

    def balanced(self, duals: Mapping[Pair | None, Dual]) -> tuple[list[Term], dict[Pair | None, Dual]]:
        """W with its penalties, and the duals with their slopes."""
        free = [k for k in range(len(self.rows)) if k not in self.chart.basis]
        rest: dict[Pair | None, list[Fraction]] = {}
        for pair, dual in duals.items():
            left = [ZERO] * len(self.rows)
            for term, slope in zip(self.terms, dual.slopes, strict=True):
                for k, n in term.v:
                    left[k] += term.c * slope * n
            for k, sign in zip(pair or (), (1, -1), strict=False):
                left[k] += sign * dual.multiplier
            rest[pair] = left
        penalty = Fraction(1 + ceil(max((abs(x) for left in rest.values() for x in left), default=0)))
        terms, scales = list(self.terms), []
        for k in free:
            own = self.chart.weights[k]
            scale = lcm(*(x.denominator for x in own))
            v = {k: scale, **{b: int(-scale * x) for b, x in zip(self.chart.basis, own, strict=True)}}
            own_v = tuple((j, n) for j, n in sorted(v.items()) if n and j != self.ground)
            terms.append(Term(penalty, _ABSOLUTE, own_v))
            scales.append(scale)
        more = {
            pair: tuple(-left[k] / (penalty * scale) for k, scale in zip(free, scales, strict=True))
            for pair, left in rest.items()
        }
        level = ((ZERO, ZERO),) * len(free)
        return terms, {
            pair: Dual(dual.multiplier, dual.slopes + more[pair], dual.brackets + level)
            for pair, dual in duals.items()
        }

    def proofs(
        self, costs: Costs, names: Sequence[str], better: Order, forced: Sequence[Pair], *, tie: bool = False
    ) -> Iterator[Entry]:
        """Proofs of the outcome if the scores put each forced pair in its order; if `tie`, also at a tie."""
        question = OrderQuestion(self.terms, costs, names, better)
        if all(self.floats[i] > self.floats[j] + APART for i, j in forced):
            yield from self._separations(question, forced)
        proof = self._at_a_tie(question) if tie else None
        if proof is not None:
            yield proof

    def _separations(self, question: OrderQuestion, forced: Sequence[Pair]) -> Iterator[Entry]:
        outcome = question.outcome(forced, [[k] for k in self.order])
        size = max(abs(x - y) for rows in pairwise(self.rows) for x, y in zip(*rows, strict=True))
        for digits in _DIGITS if outcome is not None else ():
            fine = digits + max(0, ceil(log10(size or 1)))
            scores = scored(self.rows, [Fraction(round(w * 10**fine), 10**fine) for w in self.weights])
            if any(scores[i] < scores[j] for i, j in pairwise(self.order)):
                continue
            if any(scores[i] <= scores[j] for i, j in forced):
                continue
            duals: dict[Pair | None, Dual] = {
                pair: dual for pair in forced if (dual := self.dual(pair, digits + 1)) is not None
            }
            if len(duals) < len(forced):
                continue
            terms, balanced = self.balanced(duals)
            bounds = {pair: dual for pair, dual in balanced.items() if pair is not None}
            for proof in stated(terms, question.coordinates, list(map(LogRational, scores)), bounds):
                yield {**(outcome or {}), **replace(question, terms=terms).entry(proof)}

    def _at_a_tie(self, question: OrderQuestion) -> Entry | None:
        """A proof at exact scores that minimize W within the class."""
        exact = self.minimum.exact
        if exact is None or self.exact is None:
            return None
        terms = [self.chart.term(term, self.ground) for term in self.terms]
        slopes = stationary_slopes(terms, len(exact), exact)
        if slopes is None:
            return None
        whole, _ = self.balanced({None: Dual(ZERO, slopes, ((ZERO, ZERO),) * len(slopes))})
        return closure_proof(replace(question, terms=whole), self.exact)


def _transpose(rows: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    return [list(row) for row in zip(*rows, strict=True)]
