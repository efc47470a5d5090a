"""What the page on the value-regularized linear loss computes, and what refutes its false variants."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from consistency_lab.apps.book.risk import (
    differences,
    linear_falls,
    rational_scores,
    refuted_by_core,
    right,
    weights,
)
from consistency_lab.apps.book.statement import Line, Refutation
from consistency_lab.decide.theorems.infeasibility import AffineWitness, prove_affine
from consistency_lab.model.conditions import condition, net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact import rational_text
from consistency_lab.solve.optimal import optimal_orders

KINKED: Final = "x**2/2 + abs(x)"
"""Strictly convex and 1-coercive, but not differentiable at 0."""

FLAT: Final = "max(0, abs(x) - 1)**2"
"""Convex, differentiable and 1-coercive, but constant on [-1, 1]."""


def boundary() -> Iterator[Line | bool]:
    """The printed proof's "alpha* is in A(p) if and only if Eq. 16 holds" is not so."""
    p = Distribution.from_aggregate(weights(3, {(2, 1): 1, (1, 3): 2}))
    best = optimal_orders(p.aggregate)
    near = best.in_optimal_set(rational_scores([Fraction(1001, 1000), 1, -2]))
    yield Line(
        f"{differences(p)}, r = x²/2, ν = 1: α* = N = (1, 1, −2) is in A(p), as 2 > 1 breaks the tie",
        best.in_optimal_set(rational_scores([1, 1, -2])),
    )
    yield Line("(1 + ε, 1, −2) is not, where W exceeds W* by ε²/2 only", not near)
    yield not condition("net-order").holds(p.difference)


def flat() -> Iterator[Mapping[str, str] | bool]:
    """A regularizer that is not strictly convex, at a distribution where an item sits on its flat part."""
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 4}))
    yield {"flat": FLAT, "edges": differences(p)}
    yield right(p, surrogate("linear", r=FLAT)) is not None


def without_differentiability() -> Refutation:
    """r = x²/2 + |x| and two items with d_12 = 1/2."""
    r = surrogate("linear", r=KINKED)
    return refuted_by_core(r, weights(2, {(1, 2): Fraction(1, 2)}), "additive", scores=(0, 0))


def without_dag() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 3, (2, 3): 3, (3, 1): 1}))
    return Refutation(
        right(p, surrogate("linear")) is not None and not condition("net-order").holds(p.difference),
        f"{differences(p)}: N = (2, 0, −2), so Eq. 16 fails on 3 → 1; yet the core accepts that"
        " W* < inf outside A(p)",
    )


def acyclic() -> Refutation:
    found = prove_affine(surrogate("regression"), "acyclic", 3)
    if not isinstance(found, AffineWitness):
        return Refutation(False, "every acyclic d on three items has its net preferences in order")
    i, k = found.edge
    nets = ", ".join(map(rational_text, found.net))
    wrong = found.d[i][k] > 0 and found.net[i] <= found.net[k] and condition("acyclic").holds(found.d)
    shown = differences(Distribution.from_aggregate(found.aggregate))
    return Refutation(wrong, f"{shown}: N = ({nets}), in the wrong order on {i + 1} → {k + 1}")


def net_order_without_low_noise() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 1}))
    d = p.difference
    refuted = condition("net-order").holds(d) and not condition("low-noise").holds(d)
    return Refutation(refuted, f"{differences(p)}: N = (2, 0, −2) is in order, but d_13 < d_12 + d_23")


def smaller() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (1, 3): 1, (2, 3): 5}))
    d = p.difference
    n = net(d)
    refuted = d[0][2] >= min(d[0][1], d[1][2]) and d[0][1] > 0 and n[0] < n[1]
    return Refutation(refuted, f"{differences(p)}: d_13 ≥ min(d_12, d_23), but N_1 = 2 < N_2 = 4 on 1 → 2")


def without_regularizer() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 2}))
    return linear_falls(p, (3, -2, -1))
