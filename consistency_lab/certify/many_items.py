"""Proofs for hundreds of items: the order that W has near its infimum, and one that costs less.

If W is certainly larger wherever an item of a level is not above one of the next, then whatever comes near
the infimum orders the levels like the scores. It is wrong if all such orders cost more than some other one,
which is exhibited, and right if they all cost the least. Neither takes a list of all optimal orders.

See docs/theory.md, Separation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Any, Final

import numpy as np

from consistency_lab.certify.addition import ByAddition, proved_by_addition
from consistency_lab.certify.proofs.orders import Apart, OrderQuestion, Stated, restricted
from consistency_lab.certify.proofs.record import Entry
from consistency_lab.core.certificates import Bound, Common, Separation
from consistency_lab.core.orders import (
    NO_CYCLES,
    Below,
    Costs,
    Evidence,
    Order,
    Pair,
    closure,
    cost,
    levels,
    lower_bound,
    reversed_costs,
)
from consistency_lab.errors import UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates import Term, pair
from consistency_lab.numbers.exact import ZERO, LogRational, Matrix, rational_text
from consistency_lab.numbers.phi import Expression, exact_slopes
from consistency_lab.solve.connectivity import strong_components
from consistency_lab.solve.edges import minimize_edges
from consistency_lab.solve.kemeny import Effort, KemenyOrder, kemeny, worthwhile
from consistency_lab.solve.order_bounds import order_bounds
from consistency_lab.solve.stationary import polished

_FIRST: Final = Effort(20, 5_000)
"""Enough for an order that costs less than a wrong one."""

_LESS: Final = 1 - Fraction(1, 10**6)
_DOWN: Final = Context(prec=6, rounding=ROUND_FLOOR)


def proof_for_many(question: OrderQuestion, a: Matrix, best: KemenyOrder | None = None) -> Stated:
    """A proof that W is wrong, or right, near its infimum (UnsupportedError if there is none, and why).

    `best` is a good order of `a`, if one is known.
    """
    terms, costs, m = question.terms, question.costs, len(question.coordinates)
    edges = _edge_loss(terms, m)
    near = _by_pulls(*edges, question) if edges else _by_items(terms, m, question)
    best, order = _better(a, costs, near.order, best), near.order
    proof = near.separation(best) or near.tie(best)
    if proof is None and len(near.levels) < m:
        exact = near.exactly()
        proof = None if exact is None else exact.tie(best)
    if proof is None:
        raise UnsupportedError(
            f"no proof was found: the order of the scores costs {cost(costs, order)}, the best one that was "
            f"found {best.cost}, and every order is proved to cost at least {best.lower}; {len(near.forced)} "
            "pairs are proved to be ordered like the scores wherever W is near its infimum"
        )
    return proof


def proof_by_addition(
    question: OrderQuestion, a: Matrix, best: KemenyOrder | None = None, found: ByAddition | None = None
) -> Stated | None:
    """A proof that W is wrong, or right, near its infimum, by adding comparisons up; None if none is found.

    `best` and `found` are a good order, and the pairs that are put in order, if they are known.
    """
    m = len(question.coordinates)
    if found is None:
        edges = _edge_loss(question.terms, m)
        found = None if edges is None else proved_by_addition(*edges)
    if found is None or not found.pairs:
        return None
    below = closure(m, [(pair.above, pair.below) for pair in found.pairs])
    if not _may_decide(a, below, question.costs, best):
        return None
    above = [sum(1 << i for i in range(m) if below[i] >> k & 1) for k in range(m)]
    # A pair that follows from two others need not be stated.
    needed = [pair for pair in found.pairs if not below[pair.above] & above[pair.below]]
    order = sorted(range(m), key=lambda k: -below[k].bit_count())
    certificate = ByAddition(tuple(needed), (), a)
    near = _Near(question, None, [[k] for k in order], [(p.above, p.below) for p in needed], certificate)
    return near.separation(_better(a, question.costs, near.order, best))


def _may_decide(a: Matrix, below: Below, costs: Costs, best: KemenyOrder | None) -> bool:
    """Whether what is proved may be wrong, or all of it right: it saves a search for evidence.

    Without a cycle one pair must be against a majority, or all pairs with one. With cycles all pairs within
    these must be proved, unless those that are cost too much as they are.
    """
    m = len(below)
    edges = [(i, j) for i, j in permutations(range(m), 2) if a[i][j] > a[j][i]]
    cyclic = [part for part in strong_components(edges, m) if len(part) > 1]
    if not cyclic:
        against = any(below[j] >> i & 1 for i, j in edges)
        return against or all(below[i] >> j & 1 for i, j in edges)
    if all((below[i] | below[j]) & (1 << i | 1 << j) for part in cyclic for i, j in combinations(part, 2)):
        return True
    return best is None or lower_bound(costs, below, NO_CYCLES) > best.cost


def _better(a: Matrix, costs: Costs, order: Order, known: KemenyOrder | None) -> KemenyOrder:
    """An order that costs less than this one, or else as good as can be found and proved."""
    most = worthwhile(len(a))
    quick = known or kemeny(a, min(_FIRST, most, key=lambda effort: effort.iterations))
    return quick if quick.is_optimal or quick.cost < cost(costs, order) else kemeny(a, most)


@frozen
class _Near:
    """What is known near the infimum of W."""

    question: OrderQuestion  #: Its terms in the order of the slopes.
    scores: Sequence[Fraction] | Sequence[LogRational] | None  #: Near its minimizer; None if none are needed.
    levels: Sequence[Sequence[int]]  #: The items by falling score.
    forced: Sequence[Pair]  #: The pairs that are separated.
    certificate: Apart | None  #: How they are separated; unused without pairs.
    slopes: Sequence[Fraction] | None = None  #: Of a minimum, where the scores are one exactly.

    @property
    def order(self) -> Order:
        """One of the orders that the scores allow; items of a level may be a little apart."""
        scores: Any = self.scores
        if scores is None:
            return tuple(k for level in self.levels for k in level)
        return tuple(k for level in self.levels for k in sorted(level, key=scores.__getitem__, reverse=True))

    def separation(self, best: KemenyOrder) -> Stated | None:
        """A proof if all orders with the forced pairs cost more than the best one, or all cost the least."""
        if not self.forced:
            return None
        question, costs = self.question, self.question.costs
        below = closure(len(self.order), self.forced)
        scores = None if self.scores is None else list(map(str, self.scores))
        evidence = _above(costs, below, best.cost)
        if evidence is not None:
            wrong = question.wrong(self.order, best.order, evidence)
            return Stated(question, {**wrong, "scores": scores}, self.certificate)
        # What an order costs and what it saves add up to all.
        rest = sum(costs.values(), ZERO) - best.lower
        evidence = _above(reversed_costs(costs), below, rest, reached=True)
        if evidence is None:
            return None
        right = question.right(best.evidence, evidence)
        return Stated(question, {**right, "scores": scores}, self.certificate)

    def tie(self, best: KemenyOrder) -> Stated | None:
        """A proof by an order that breaks exact ties and costs more than the best one."""
        if self.slopes is None or self.scores is None:
            return None
        reverse = tuple(k for level in self.levels for k in reversed(level))
        worse = max(self.order, reverse, key=lambda order: cost(self.question.costs, order))
        if cost(self.question.costs, worse) <= best.cost:
            return None
        wrong = self.question.at_a_minimum(self.scores, self.slopes, worse, best.order, None)
        return Stated(self.question, wrong)

    def exactly(self) -> "_Near | None":
        """The same at exact scores that minimize W, near these; None if none are found."""
        if self.scores is None:
            return None
        minimum = polished(self.question.terms, len(self.order), np.array([float(x) for x in self.scores]))
        if minimum is None:
            return None
        scores, slopes = minimum
        height = levels(scores)
        parts = [[k for k, x in enumerate(height) if x == y] for y in sorted(set(height), reverse=True)]
        return _Near(self.question, scores, parts, (), None, slopes)


def _above(costs: Costs, below: Below, least: Fraction, *, reached: bool = False) -> Evidence | None:
    """Evidence that orders with the forced pairs cost more, or as much if `reached`; None if none is found.

    Mostly the forced pairs alone are enough. Items that are tied may stand in a cycle, which costs too.
    """

    def suffices(evidence: Evidence) -> bool:
        bound = lower_bound(costs, below, evidence)
        return bound > least or (reached and bound == least)

    def free(i: int, j: int) -> Fraction:
        return ZERO if (below[i] >> j | below[j] >> i) & 1 else costs.get((i, j), ZERO)

    if suffices(NO_CYCLES):
        return NO_CYCLES
    m = len(below)
    cycles = kemeny([[free(i, j) for j in range(m)] for i in range(m)], _FIRST).evidence
    evidence = restricted(cycles, below)
    return evidence if suffices(evidence) else None


def _edge_loss(terms: Sequence[Term], m: int) -> tuple[Expression, Matrix] | None:
    """phi and h, if W is the sum of h_ij phi(alpha_i - alpha_j)."""
    h = [[ZERO] * m for _ in range(m)]
    for term in terms:
        match term.v:
            case ((i, 1), (j, -1)) | ((j, -1), (i, 1)) if not term.b.sign() and term.phi == terms[0].phi:
                h[i][j] = h[i][j] + term.c if h[i][j] else term.c
            case _:
                return None
    return (terms[0].phi, h) if terms else None


def _by_pulls(phi: Expression, h: Matrix, question: OrderQuestion) -> _Near:
    """The order of an edge loss, by bounds whose slopes differ along a path."""
    try:
        bounded = order_bounds(phi, h, minimize_edges(phi, [list(map(float, line)) for line in h]))
    except UnsupportedError as error:
        raise UnsupportedError(f"for more than 15 items slopes must be continuous: {error}") from None
    if bounded is None:
        raise UnsupportedError(
            f"floats are too coarse for slopes of {phi} that balance at the {len(h)} items"
        )
    pulls = [pull for pull in bounded.pulls if pull is not None]
    bounds = []
    for pull in pulls:
        slopes, brackets = zip(
            *((slope.value, slope.bracket) for slope in pull.changes.values()), strict=True
        )
        bounds.append(Bound(pull.above, pull.below, slopes, brackets, tuple(pull.changes)))
    return _Near(
        replace(question, terms=[pair(h[i][j], phi, i, j) for i, j in bounded.pairs]),
        bounded.scores,
        bounded.levels,
        [(pull.above, pull.below) for pull in pulls],
        _Bounds(bounds, Common(bounded.slopes, bounded.radii), [Fraction(pull.gap) for pull in pulls]),
    )


def _by_items(terms: Sequence[Term], m: int, question: OrderQuestion) -> _Near:
    """The order of lines and of quadratics of single scores, by an exact minimizer."""
    known = {phi: _line(phi) for phi in {term.phi for term in terms}}
    lines = [line for term in terms if (line := known[term.phi]) is not None]
    if len(lines) < len(terms) or any(term.b.as_rational() is None for term in terms):
        raise UnsupportedError(_FAMILIES)
    pulls, rates = [ZERO] * m, [ZERO] * m
    own: list[list[int]] = [[] for _ in range(m)]
    # The slope of a term is start + rate <v, alpha>.
    rate = [rise for _, rise in lines]
    start = [first - rise * term.b.a for (first, rise), term in zip(lines, terms, strict=True)]
    for t, term in enumerate(terms):
        if rate[t] and (len(term.v) != 1 or term.v[0][1] != 1):
            raise UnsupportedError(_FAMILIES)
        for item, n in term.v:
            pulls[item] -= term.c * n * start[t]
            rates[item] += term.c * rate[t]
            if rate[t]:
                own[item].append(t)
    if min(rates) <= 0:
        raise UnsupportedError(_FAMILIES)
    scores = [pull / r for pull, r in zip(pulls, rates, strict=True)]
    at = [sum((n * scores[k] for k, n in term.v), ZERO) for term in terms]
    slopes = [first + r * x for first, r, x in zip(start, rate, at, strict=True)]
    levels = [[k for k in range(m) if scores[k] == x] for x in sorted(set(scores), reverse=True)]
    forced = [(i, j) for upper, lower in pairwise(levels) for i, j in product(upper, lower)]
    bounds, gaps = [], []
    for i, j in forced:
        middle = (rates[i] * scores[i] + rates[j] * scores[j]) / (rates[i] + rates[j])
        changed = own[i] + own[j]
        at_middle = tuple([start[t] + rate[t] * middle for t in changed])
        brackets = tuple([(middle - terms[t].b.a, middle - terms[t].b.a) for t in changed])
        bounds.append(Bound(i, j, at_middle, brackets, tuple(changed)))
        gaps.append((rates[i] * (scores[i] - middle) ** 2 + rates[j] * (scores[j] - middle) ** 2) / 2)
    common = Common(tuple(slopes), (ZERO,) * len(terms))
    return _Near(question, scores, levels, forced, _Bounds(bounds, common, gaps), slopes)


_FAMILIES: Final = (
    "for more than 15 items proofs are made of one loss of differences of two scores, and of lines and "
    "quadratics of single scores; this is neither"
)


def _line(phi: Expression) -> tuple[Fraction, Fraction] | None:
    """The slope at 0 and its growth per unit, None if it is seen not to be steady; the core checks it."""
    rates = [exact_slopes(phi, LogRational(Fraction(x)))[0] for x in (0, 1, 2, 5)]
    first, second, third, last = (ZERO if s is None else s for s in rates)
    rise = second - first
    steady = None not in rates and third - second == rise and last - first == 5 * rise
    return (first, rise) if steady else None


@frozen
class _Bounds:
    """The bounds of a separation."""

    bounds: Sequence[Bound]
    common: Common
    gaps: Sequence[Fraction]  #: By how much each of them exceeds the value at the scores.

    @property
    def gap(self) -> str:
        """A decimal a little below all gaps."""
        least = min(self.gaps, default=ZERO) * _LESS
        return str(_DOWN.divide(Decimal(least.numerator), Decimal(least.denominator)))

    @property
    def stated(self) -> Separation:
        """As the core reads it."""
        return Separation(tuple(self.bounds), Fraction(self.gap), self.common)

    def entry(self, names: Sequence[str]) -> Entry:
        """As a file has it."""
        common = {"slopes": _texts(self.common.slopes), "radii": _texts(self.common.radii)}
        bounds = [
            {
                "above": names[bound.above],
                "below": names[bound.below],
                "terms": list(bound.listed(0)),
                "slopes": _texts(bound.slopes),
                "brackets": [None if ends is None else _texts(ends) for ends in bound.brackets],
            }
            for bound in self.bounds
        ]
        return {"kind": "separation", "common": common, "bounds": bounds, "gap": self.gap}


def _texts(numbers: Iterable[Any]) -> list[str | None]:
    return [None if x is None else rational_text(x) for x in numbers]
