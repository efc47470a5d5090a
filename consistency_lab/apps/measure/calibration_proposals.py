"""Upper bounds on H at one regret: points refined in floats, then proved."""

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from typing import Final, final

import numpy as np

from consistency_lab.apps.measure.cones import RegretPiece, rays_of
from consistency_lab.apps.measure.worst_bounds import OrderedPiece
from consistency_lab.certify.separation import Boundary, dual_slopes
from consistency_lab.core.risk import conjugate
from consistency_lab.errors import RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates import Surrogate, Term
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.balls import ball
from consistency_lab.numbers.exact import Ball, LogRational, enclose
from consistency_lab.numbers.phi import Expression, enclose_slopes, enclose_value
from consistency_lab.search.size import TermTable
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.numeric import compiled

# --- The terms of an edge loss over the aggregate, in floats and as enclosures that are looked up --------

Vector = tuple[Fraction, ...]


@final
class AggregateRisk:
    """W(a, alpha) = sum_ij a_ij phi(alpha_i - alpha_j) of an edge loss with h(a) = a, linear in a."""

    def __init__(self, surrogate: Surrogate, m: int) -> None:
        self.m = m
        self.phi: Expression = surrogate.functions[0]
        self.table = TermTable(surrogate, m)
        self.pairs = [(i, j) for i in range(m) for j in range(m) if i != j]
        #: Enclosures of phi(x), and of a subgradient at x: the slope on the right.
        self.value = cache(lambda x: enclose_value(self.phi, LogRational(x)))
        self.slope = cache(lambda x: enclose_slopes(self.phi, LogRational(x))[1])

    @cached_property
    def directions(self) -> Floats:
        """e_i - e_j for each ordered pair, shape (pairs, m)."""
        above, below = np.array(self.pairs).T
        return np.asarray(np.eye(self.m)[above] - np.eye(self.m)[below])

    def weights(self, aggregates: Sequence[Vector]) -> Floats:
        """The entries of aggregates on the ordered pairs, shape (B, pairs)."""
        return np.array([[float(x) for x in self.on_pairs(a)] for a in aggregates])

    def on_pairs(self, aggregate: Vector) -> Vector:
        """The entries of one aggregate on the ordered pairs."""
        return tuple(aggregate[i * self.m + j] for i, j in self.pairs)

    def floats(self, scores: Floats) -> Floats:
        """phi(alpha_i - alpha_j), shape (B, pairs), for scores of shape (B, m)."""
        return np.asarray(compiled(self.phi)(scores @ self.directions.T)[0])

    def phi_at(self, x: Floats) -> tuple[Floats, Floats]:
        """phi and its slope, in floats."""
        value, slope, _ = compiled(self.phi)(x)
        return np.asarray(value), np.asarray(slope)

    def at(self, aggregate: Vector, scores: Sequence[Fraction]) -> Ball:
        """An enclosure of W."""
        parts = (
            enclose(c) * self.value(scores[i] - scores[j])
            for c, (i, j) in zip(self.on_pairs(aggregate), self.pairs, strict=True)
            if c
        )
        return sum(parts, enclose(0))

    def terms(self, aggregate: Vector) -> list[Term]:
        """The terms of W at one aggregate."""
        return [
            Term(c, self.phi, ((i, 1), (j, -1)) if i < j else ((j, -1), (i, 1)))
            for c, (i, j) in zip(self.on_pairs(aggregate), self.pairs, strict=True)
            if c
        ]


# --- The distributions of total weight 1 over one case with at least a given regret, as a polytope -------

_ZERO = Fraction(0)
_HALF = Fraction(1, 2)


@frozen
class Section:
    """A polytope of aggregates with the regret of a case at its corners."""

    corners: tuple[Vector, ...]  #: Aggregates as vectors over the ordered pairs i * m + j; they sum to 1.
    regrets: tuple[Fraction, ...]  #: The regret of the order at each of them.

    @staticmethod
    def of(case: OrderedPiece) -> "Section":
        """All distributions of the case, whatever the regret."""
        piece, m = case.piece, case.piece.m
        corners, regrets = [], []
        for ray in rays(piece):
            aggregate = [_ZERO] * (m * m)
            for (i, j), value in zip(piece.pairs, ray, strict=True):
                aggregate[i * m + j] = value
            corners.append(tuple(aggregate))
            regrets.append(sum((x for x, w in zip(ray, case.wrong, strict=True) if w), _ZERO))
        for i, j in combinations(range(m), 2):
            balanced = [_ZERO] * (m * m)
            balanced[i * m + j] = balanced[j * m + i] = _HALF
            corners.append(tuple(balanced))
            regrets.append(_ZERO)
        return Section(tuple(corners), tuple(regrets))

    def at_least(self, regret: Fraction) -> tuple[Vector, ...]:
        """Points whose convex hull is the part of the polytope with at least this regret.

        Those corners, and where segments to the other corners meet the bound; all vertices are among them.
        """
        inside = [(x, r) for x, r in zip(self.corners, self.regrets, strict=True) if r >= regret]
        outside = [(x, r) for x, r in zip(self.corners, self.regrets, strict=True) if r < regret]
        points = [x for x, _ in inside]
        for x, r in inside:
            for y, s in outside:
                share = (regret - s) / (r - s)
                points.append(tuple(share * a + (1 - share) * b for a, b in zip(x, y, strict=True)))
        return tuple(dict.fromkeys(points))


def rays(piece: RegretPiece) -> list[Vector]:
    """The extreme rays of the cone of d, each with the sum 1; all d >= 0, so the cone holds no line."""
    rows = [[piece.on_pairs(form) for form in forms] for forms in (piece.equal, piece.least)]
    integral = rays_of(len(piece.pairs), *rows)
    return sorted(tuple(Fraction(x, sum(ray)) for x in ray) for ray in integral)


# --- A proved lower bound on W* at one distribution, by weak duality (docs/theory.md, Separation) --------

PRECISION: Final = 96
_DIGITS: Final = (8, 6, 4)


def least_risk_bound(terms: Sequence[Term], m: int) -> Ball | None:
    """A ball of which the lower end is at most W*; None if no dual point was found."""
    # Two more items that nothing ranks: a multiplier of their half-space can only be 0, so the bound holds
    # everywhere.
    floats = np.append(minimize(terms, m, exact=False).scores, [0.0, 0.0])
    for digits in _DIGITS:
        dual = dual_slopes(terms, m + 2, Boundary(floats, None), (m, m + 1), digits)
        if dual is None:
            continue
        with suppress(RejectedError):
            total = enclose(0)
            for term, slope, ends in zip(terms, dual.slopes, dual.brackets, strict=True):
                most = ball(conjugate(term.phi, slope, ends, PRECISION))
                total -= enclose(term.c) * (enclose(slope) * term.b.ball() + most)
            return total
    return None


# --- Upper bounds on H at one regret: a population of points, refined in floats; then proved -------------

_MEMBERS: Final = 240
_KEPT: Final = 24
_ROUNDS: Final = 30
_BITS: Final = 24
_TRIED: Final = 3
_PROPOSED_DIGITS: Final = 9


@frozen
class Region:
    """One case at one regret: the order of the scores and the corners of the distributions."""

    order: tuple[int, ...]
    corners: tuple[Vector, ...]


def upper_bound(
    risk: AggregateRisk, regions: Sequence[Region], infimum: Fraction, seed: int
) -> tuple[Fraction, tuple[int, ...]]:
    """A proved upper bound on H over the regions, and the regions by rising excess as found in floats.

    There is at least one region, and `infimum` is a proved lower bound on phi.
    """
    random = np.random.default_rng(seed)
    searched = [_searched(risk, region, random) for region in regions]
    ranking = sorted(range(len(regions)), key=lambda k: searched[k][0])
    bounds = [_proved(risk, regions[k], *searched[k][1:]) for k in ranking[:_TRIED]]
    known = [bound for bound in bounds if bound is not None]
    # All scores tied, total weight 1: W - W* is at most phi(0) - inf phi.
    tied = _up(float((risk.value(Fraction(0)) - enclose(infimum)).upper()))
    return min([*known, tied]), tuple(ranking)


def _searched(
    risk: AggregateRisk, region: Region, random: np.random.Generator
) -> tuple[float, Floats, Floats]:
    """The least excess found, with the shares of the corners and the gaps of the scores."""
    weights = risk.weights(region.corners)
    shares = random.dirichlet(np.full(len(weights), 0.5), _MEMBERS)
    gaps = random.exponential(1.0, (_MEMBERS, risk.m - 1)) * random.integers(0, 2, (_MEMBERS, risk.m - 1))
    best = _excess(risk, region, weights, shares, gaps)
    size = 0.5
    for _ in range(_ROUNDS):
        kept = np.argsort(best)[:_KEPT]
        parents = random.choice(kept, _MEMBERS)
        more = np.clip(
            shares[parents] + size * random.standard_normal((_MEMBERS, len(weights))) * 0.3, 0, None
        )
        more /= np.maximum(more.sum(axis=1, keepdims=True), 1e-12)
        wider = np.clip(gaps[parents] + size * random.standard_normal((_MEMBERS, risk.m - 1)), 0, None)
        values = _excess(risk, region, weights, more, wider)
        shares, gaps = np.vstack([shares[kept], more]), np.vstack([gaps[kept], wider])
        best = np.concatenate([best[kept], values])
        size *= 0.8
    first = int(np.argmin(best))
    return float(best[first]), shares[first], gaps[first]


def _excess(risk: AggregateRisk, region: Region, weights: Floats, shares: Floats, gaps: Floats) -> Floats:
    c = shares @ weights
    scores = _scores(region.order, gaps)
    aggregates = np.zeros((len(c), risk.m, risk.m))
    for k, (i, j) in enumerate(risk.pairs):
        aggregates[:, i, j] = c[:, k]
    least = minimize_batch(risk.table.structure, risk.table.coefficients(aggregates), tolerance=1e-8).value
    return np.asarray((c * risk.floats(scores)).sum(axis=1) - least)


def _scores(order: Sequence[int], gaps: Floats) -> Floats:
    scores = np.zeros((len(gaps), len(order)))
    scores[:, list(order[1:])] = -np.cumsum(gaps, axis=1)
    return scores


def _proved(risk: AggregateRisk, region: Region, shares: Floats, gaps: Floats) -> Fraction | None:
    """The excess at a rational point next to the proposal, rounded up; W* by weak duality."""
    scale = 1 << _BITS
    whole = [round(float(x) * scale) for x in shares]
    total = sum(whole)
    aggregate = tuple(
        sum(
            (Fraction(n, total) * corner[k] for n, corner in zip(whole, region.corners, strict=True)),
            Fraction(0),
        )
        for k in range(risk.m**2)
    )
    scores = [Fraction(0)] * risk.m
    height = Fraction(0)
    for item, gap in zip(region.order[1:], gaps, strict=True):
        height -= Fraction(round(float(gap) * scale), scale)
        scores[item] = height
    least = least_risk_bound(risk.terms(aggregate), risk.m)
    return None if least is None else _up(float((risk.at(aggregate, scores) - least).upper()))


def _up(value: float) -> Fraction:
    """A decimal that is certainly not below what the float stands for."""
    scale = 10**_PROPOSED_DIGITS
    return max(Fraction(int(value * scale) + 2, scale), Fraction(0))
