"""What the page on order-preserving spaces computes, and what refutes its false variants."""

from fractions import Fraction
from itertools import combinations, permutations
from typing import Final

from consistency_lab.apps.book.rat13 import Law, law
from consistency_lab.apps.book.risk import differences
from consistency_lab.apps.book.statement import Refutation
from consistency_lab.model.conditions import TASK_CONDITIONS, conditions_of
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.labels import Rankings
from consistency_lab.solve.optimal import optimal_orders

_SPACE: Final = Rankings(3)


def _rankings(p: Law, w: Fraction) -> Distribution:
    """The preferences of orders whose pairs at distance two weigh w."""
    return Distribution.of(3, [(q, {(i, j): 1, (j, k): 1, (i, k): w}) for (i, j, k), q in p.items()])


def _mallows(q: Fraction) -> Law:
    """Each inversion of the order 1 → 2 → 3 has the factor q."""
    orders = list(permutations(range(3)))
    return law({t: q ** sum(a > b for a, b in combinations(t, 2)) for t in orders})


def _preserving(p: Law) -> bool:
    return TASK_CONDITIONS["order-preserving"].holds_for(_SPACE, p, lambda label: ())


def not_preserving(p: str) -> bool:
    chance = Fraction(p)
    return not _preserving({(0, 1, 2): chance, (1, 2, 0): 1 - chance})


def mallows_differences(w: str, q: str) -> bool:
    p, (weight, factor) = _mallows(Fraction(q)), map(Fraction, (w, q))
    d = _rankings(p, weight).difference
    near = (1 - factor) * (1 + factor**2 + weight * factor)
    far = (1 - factor) * (weight * (1 + factor + factor**2) + 2 * factor)
    first = p[0, 1, 2]
    return _preserving(p) and (d[0][1], d[1][2], d[0][2]) == (near * first, near * first, far * first)


def mallows(w: str, q: str) -> Refutation:
    p = _mallows(Fraction(q))
    found = _rankings(p, Fraction(w))
    refuted = _preserving(p) and not conditions_of(found.difference)["low-noise"]
    return Refutation(refuted, f"Mallows' model, q = {q}, w2 = {w}: {differences(found)}, d_13 < d_12 + d_23")


def two_orders(p: str) -> Refutation:
    found = _rankings({(0, 1, 2): Fraction(p), (1, 2, 0): 1 - Fraction(p)}, Fraction(2))
    only = list(optimal_orders(found.aggregate).orders()) == [(0, 1, 2)]
    return Refutation(
        only and not_preserving(p),
        f"1 → 2 → 3 with {p}, else 2 → 3 → 1: {differences(found)}, but 1 and 2 cannot be exchanged",
    )
