"""DMJ10 Theorem 13 to Corollary 15: the value-regularized linear loss and the order of net preferences.

All of it is proved in formal/theorems, Theorem13.v and Domination.v; what stands here are the statements, the
ideas, what goes beyond, and false variants with counterexamples.
"""

from fractions import Fraction
from typing import Final

from consistency_lab.apps.book.risk import (
    differences,
    linear_falls,
    rational_scores,
    refuted_by_core,
    weights,
)
from consistency_lab.apps.book.slopes import right
from consistency_lab.apps.book.statement import (
    FalseVariant,
    Line,
    Refutation,
    Statement,
    Step,
    check,
    false,
    step,
)
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.decide.theorems.infeasibility import AffineWitness, prove_affine
from consistency_lab.model.conditions import condition, net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact import rational_text
from consistency_lab.solve.optimal import optimal_orders

# --- DMJ10 Theorem 13: the value-regularized linear loss is right exactly where net preferences are in order

KINKED: Final = "x**2/2 + abs(x)"
"""Strictly convex and 1-coercive, but not differentiable at 0."""

FLAT: Final = "max(0, abs(x) - 1)**2"
"""Convex, differentiable and 1-coercive, but constant on [-1, 1]."""

_CYCLE: Final = weights(3, {(1, 2): 3, (2, 3): 3, (3, 1): 1})


def _boundary() -> Step:
    """The printed proof's "alpha* is in A(p) if and only if Eq. 16 holds" is not so."""
    p = Distribution.from_aggregate(weights(3, {(2, 1): 1, (1, 3): 2}))
    best = optimal_orders(p.aggregate)
    inside = best.in_optimal_set(rational_scores([1, 1, -2]))
    near = best.in_optimal_set(rational_scores([Fraction(1001, 1000), 1, -2]))
    return step(
        "With N_i = N_k on an edge with i > k, α* lies in A(p) although Eq. 16 fails",
        "m = 3, one example",
        "all optimal orders, by dynamic programming",
        Line(
            f"{differences(p)}, r = x²/2, ν = 1: α* = N = (1, 1, −2) is in A(p), as 2 > 1 breaks the tie",
            inside,
        ),
        Line("(1 + ε, 1, −2) is not, where W exceeds W* by ε²/2 only", not near),
        not condition("net-order").holds(p.difference),
    )


def kink() -> Step:
    """A regularizer with a kink fails at some additive differences of at most three items."""
    return step(
        "Differentiability of r is necessary, even for additive differences",
        "m = 3, all convex 1-coercive r with a kink",
        "identities by SymPy; for one r the core has accepted a witness (see the false variants)",
        "Let ∂r(x) = [c−e', c+e'] at a kink x, and 0 < e < e'. Three items with N = ν(c+e, c−e, −2c),",
        "y = N/3, for which Σ_j (y_i − y_j) = N_i as N_1 + N_2 + N_3 = 0:",
        ticked("    2y_1 − y_2 − y_3 = N_1 for y_1 = N_1/3, y_2 = N_2/3, y_3 = −(N_1 + N_2)/3"),
        ticked("    2y_3 − y_1 − y_2 = −(N_1 + N_2) for y_1 = N_1/3, y_2 = N_2/3, y_3 = −(N_1 + N_2)/3"),
        "    and d_12 = y_1 − y_2 is",
        ticked("    N_1/3 − N_2/3 = 2νe/3 > 0 for N_1 = ν(c + e), N_2 = ν(c − e), ν, e > 0"),
        "have α_1 = α_2 = x in the minimizer, though 1 → 2 is an edge: W* is attained outside A(p).",
        "So for strictly convex, 1-coercive r: consistent under additive (low-noise, net-order)",
        "differences if and only if r is differentiable.",
    )


def _flat() -> Step:
    """A regularizer that is not strictly convex, at a distribution where an item sits on its flat part."""
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 4}))
    return step(
        "A flat part of r, which is then not strictly convex, does no harm here",
        f"m = 3, r = {FLAT}",
        f"the core accepts that W* < inf outside A(p) at {differences(p)}, where α_2 is free in [−1, 1]",
        right(p, surrogate("linear", r=FLAT)) is not None,
    )


def without_differentiability() -> Refutation:
    """r = x²/2 + |x| and two items with d_12 = 1/2."""
    r = surrogate("linear", r=KINKED)
    return refuted_by_core(r, weights(2, {(1, 2): Fraction(1, 2)}), "additive", scores=(0, 0))


@false("The equivalence also holds where the difference graph has a cycle.")
def _without_dag() -> Refutation:
    p = Distribution.from_aggregate(_CYCLE)
    return Refutation(
        right(p, surrogate("linear")) is not None and not condition("net-order").holds(p.difference),
        f"{differences(p)}: N = (2, 0, −2), so Eq. 16 fails on 3 → 1; yet the core accepts that"
        " W* < inf outside A(p)",
    )


THEOREM_13: Final = Statement(
    latex=(
        r"\(W^*(p) < \inf_\alpha\{W(p,\alpha) : \alpha \notin A(p)\} \iff"
        r" \sum_j d_{ij} > \sum_j d_{kj} \text{ whenever } d_{ik} > 0\), for"
        r" \(\varphi(\alpha,G) = \sum_{i \to j} a^G_{ij}(\alpha_j - \alpha_i) + \nu \sum_i r(\alpha_i)\)"
    ),
    plain=(
        "The value-regularized linear loss is consistent at p exactly if every edge of the difference graph "
        "leads to an item of smaller net preference."
    ),
    hypotheses=(
        r"\(\nu > 0\)",
        "r is strictly convex and 1-coercive",
        "r is differentiable (not in the paper, but needed)",
        r"\(\tilde G\) is a DAG",
    ),
    citation="DMJ10 Theorem 13, Eq. 15 and 16",
    check=check(
        "all m, all strictly convex differentiable 1-coercive r, all ν > 0",
        lambda: [
            step(
                "The idea: one problem for each item, solved in the order of the net preferences",
                "all m",
                "in short; Coq has every step",
                "W(p, α) = Σ_i (ν r(α_i) − N_i α_i) with N_i = Σ_j d_ij, so r'(α_i) = N_i/ν (Eq. 15), and",
                "r' rises strictly: α* has the order of N. If N_i > N_k on every edge of G̃, W has a gap",
                "outside A(p); if not, points next to α*, outside A(p), come as near to W* as one likes.",
            ),
            _boundary(),
            kink(),
            _flat(),
        ],
        "The paper does not require r to be differentiable; without it the theorem is false, even for two "
        "items and additive differences (r = x²/2 + |x|, d_12 = 1/2).",
        "The proof says that α* ∈ A(p) if and only if Eq. 16 holds; with N_i = N_k on an edge i → k with "
        "i > k, α* is in A(p), on its boundary. The theorem stands, as points near α* are not in A(p).",
    ),
    variants=(
        FalseVariant(
            "Eq. 16 with ≥ in place of > is enough for consistency where the difference graph is acyclic.",
            lambda: refuted_by_core(surrogate("linear"), weights(3, {(1, 2): 1, (2, 3): 2}), "acyclic"),
        ),
        FalseVariant(
            "The theorem holds for every strictly convex, 1-coercive r, differentiable or not.",
            without_differentiability,
        ),
        _without_dag,
    ),
)


# --- DMJ10 Lemma 14: low noise puts the net preferences in order, for any number of items ----------------


@false("An acyclic difference graph is enough for Eq. 16.")
def _acyclic() -> Refutation:
    found = prove_affine(surrogate("regression"), "acyclic", 3)
    if not isinstance(found, AffineWitness):
        return Refutation(False, "every acyclic d on three items has its net preferences in order")
    i, k = found.edge
    nets = ", ".join(map(rational_text, found.net))
    wrong = found.d[i][k] > 0 and found.net[i] <= found.net[k] and condition("acyclic").holds(found.d)
    shown = differences(Distribution.from_aggregate(found.aggregate))
    return Refutation(wrong, f"{shown}: N = ({nets}), in the wrong order on {i + 1} → {k + 1}")


@false("The converse: Eq. 16 implies low noise.")
def _eq_16_implies_low_noise() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 1}))
    d = p.difference
    refuted = condition("net-order").holds(d) and not condition("low-noise").holds(d)
    return Refutation(refuted, f"{differences(p)}: N = (2, 0, −2) is in order, but d_13 < d_12 + d_23")


@false("d_ik ≥ min(d_ij, d_jk) along paths i → j → k is enough for Eq. 16.")
def _smaller() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (1, 3): 1, (2, 3): 5}))
    d = p.difference
    n = net(d)
    refuted = d[0][2] >= min(d[0][1], d[1][2]) and d[0][1] > 0 and n[0] < n[1]
    return Refutation(refuted, f"{differences(p)}: d_13 ≥ min(d_12, d_23), but N_1 = 2 < N_2 = 4 on 1 → 2")


LEMMA_14: Final = Statement(
    latex=(
        r"If \(d_{ij} > 0,\ d_{jk} > 0 \implies d_{ik} \ge d_{ij} + d_{jk}\), then"
        r" \(\sum_j d_{ij} > \sum_j d_{kj}\) whenever \(d_{ik} > 0\)."
    ),
    plain="Under low noise, every edge of the difference graph leads to an item of smaller net preference.",
    hypotheses=(r"\((G, p)\) is low-noise (Definition 8)",),
    citation="DMJ10 Lemma 14",
    check=check(
        "all m",
        lambda: [
            step(
                "d_ik ≥ max(d_ij, d_jk) along paths i → j → k is enough (ours)",
                "all m",
                "by hand",
                "Let i → k be an edge of G̃. N_i − N_k = 2 d_ik + Σ_j (d_ij + d_jk) over the other items j,",
                "and d_ij + d_jk ≥ 0 for each: if k → j, then d_ij ≥ d_kj by i → k → j; if j → i, then",
                "d_jk ≥ d_ji by j → i → k; else neither summand is negative. (So under low noise.)",
            )
        ],
        "Where the last line of the proof says that (j → k) is not in G̃, it means (k → j).",
    ),
    variants=(_acyclic, _eq_16_implies_low_noise, _smaller),
)


# --- DMJ10 Corollary 15: the value-regularized linear loss is consistent under low noise -----------------


@false("The linear loss is consistent wherever the difference graph is acyclic.")
def _acyclic_alone() -> Refutation:
    aggregate = weights(3, {(1, 2): 1, (2, 3): 3})
    return refuted_by_core(surrogate("linear"), aggregate, "acyclic", strict=True)


@false("Under low noise the loss is consistent without r too (ν = 0).")
def _without_regularizer() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 2}))
    return linear_falls(p, (3, -2, -1))


COROLLARY_15: Final = Statement(
    latex=(
        r"The loss \(\sum_{i \to j} a^G_{ij}(\alpha_j - \alpha_i) + \nu \sum_i r(\alpha_i)\)"
        r" of Eq. 14 is edge-consistent if \((G,p)\) is low-noise."
    ),
    plain="The value-regularized linear loss is consistent wherever low noise holds.",
    hypotheses=(
        r"\(\nu > 0\)",
        "r is strictly convex and 1-coercive",
        "r is differentiable (not in the paper, but needed)",
        r"\((G, p)\) is low-noise (Definition 8)",
    ),
    citation="DMJ10 Corollary 15 (Theorem 13 with Lemma 14)",
    check=check(
        "all m, all strictly convex differentiable 1-coercive r, all ν > 0",
        list,
        "Like Theorem 13, it needs r to be differentiable, which the paper does not say.",
        "By the remark to Lemma 14, d_ik ≥ max(d_ij, d_jk) along paths i → j → k is enough for it.",
    ),
    variants=(
        _acyclic_alone,
        FalseVariant(
            "Corollary 15 holds for every strictly convex, 1-coercive r, differentiable or not.",
            without_differentiability,
        ),
        _without_regularizer,
    ),
)
