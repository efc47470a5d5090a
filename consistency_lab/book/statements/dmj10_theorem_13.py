"""DMJ10 Theorem 13: the value-regularized linear loss is right exactly where net preferences are in order."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from consistency_lab.book.linear_loss import INVERSES, inverse_lines, kink_lines, monotone_lines, risk_lines
from consistency_lab.book.polynomials import Lines, confirmed, question, step
from consistency_lab.book.risk import differences, refuted_by_core, weights
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.certify.witness import certify
from consistency_lab.core.document import CONSISTENT_AT_P
from consistency_lab.exact import LogRational
from consistency_lab.model.conditions import condition
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.posets import orientations
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.optimal import optimal_orders

SLOPES_FILE: Final = "theorem_13.smt2"

KINKED: Final = "x**2/2 + abs(x)"
"""Strictly convex and 1-coercive, but not differentiable at 0."""

FLAT: Final = "max(0, abs(x) - 1)**2"
"""Convex, differentiable and 1-coercive, but constant on [-1, 1]."""

_CYCLE: Final = weights(3, {(1, 2): 3, (2, 3): 3, (3, 1): 1})


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m, all convex differentiable 1-coercive r, all ν > 0",
        [closed_form(), monotone(), equivalence(), _boundary(), kink(), _flat(), _examples()],
        (
            "The paper leaves out that r is differentiable; without it the theorem is false, even for two "
            "items and additive differences (r = x²/2 + |x|, d_12 = 1/2).",
            "Strict convexity of r is not needed: a convex, differentiable, 1-coercive r is enough.",
            "The proof says that α* ∈ A(p) if and only if Eq. 16 holds; with N_i = N_k on an edge i → k with "
            "i > k, α* is in A(p), on its boundary. The theorem stands, as points near α* are not in A(p).",
        ),
    )


def closed_form() -> Step:
    """Eq. 15."""
    lines: Lines = [
        "W(p, α) = Σ_ij a_ij (α_j − α_i) + ν Σ_i r(α_i); for one pair of items",
        *risk_lines(),
        "so W(p, α) = Σ_i (ν r(α_i) − N_i α_i) with N_i = Σ_j d_ij: one problem for each item,",
        "solved by r'(α_i) = N_i/ν, that is α_i = s(N_i/ν) with s the inverse of r' (Eq. 15):",
        *(line for inverse in INVERSES for line in inverse_lines(inverse)),
    ]
    scope = f"all m, r = {', '.join(inverse.r for inverse in INVERSES)}"
    how = f"identities for one pair and one item, by SymPy; {len(INVERSES)} regularizers"
    return step("Eq. 15 in closed form", Kind.PROOF_ALL_M, scope, how, lines)


def monotone() -> Step:
    """Items are scored in the order of N, for every r at once."""
    lines: Lines = [
        "Let g₁ = r'(x₁) and g₂ = r'(x₂). A convex r lies above both tangents:",
        "r₂ ≥ r₁ + g₁(x₂−x₁) and r₁ ≥ r₂ + g₂(x₁−x₂). Adding the two differences,",
        *monotone_lines(),
        "so (g₂−g₁)(x₂−x₁) ≥ 0. If g₁ < g₂ then x₁ ≤ x₂, and x₁ = x₂ would give g₁ = r'(x₁) = g₂.",
        "Hence g₁ < g₂ implies x₁ < x₂: every minimizer has α_i > α_k where N_i > N_k. As r is",
        "1-coercive, r' takes every value, so minimizers exist and are bounded.",
    ]
    return step(
        "Minimizers are ordered as N is",
        Kind.PROOF_ALL_M,
        "all m, all convex differentiable 1-coercive r",
        "two tangent inequalities, added up by SymPy; z3 finds no x₁ > x₂ with g₁ < g₂ either",
        lines,
        confirmed(SLOPES_FILE, smt_question()),
    )


def smt_question() -> str:
    """Can a convex function have smaller slope at the larger of two points?"""
    return question(
        "Slopes of a convex function r at x1 and x2: g1 < g2 implies x1 <= x2.",
        ["r2 - r1 >= g1*(x2 - x1)", "r1 - r2 >= g2*(x1 - x2)", "g1 < g2", "x1 > x2"],
    )


def equivalence() -> Step:
    """Both directions, from the closed form and the monotone inverse."""
    lines: Lines = [
        "Let G̃ be acyclic. By Lemma 16, A(p) = {α : α_i > α_k on edges i → k, or ≥ if i > k}.",
        "⇐  Let N_i > N_k on every edge. Then α_i > α_k on every edge at every minimizer, so the set of",
        "   minimizers, which is compact, lies inside A(p). The closure of the complement of A(p) is",
        "   {α : α_i ≤ α_k on some edge}; W is convex and coercive, so it has a least value there, and",
        "   that is not W*.",
        "⇒  Let N_i ≤ N_k on an edge. Then some minimizer has α_i ≤ α_k (take α_i = α_k if N_i = N_k).",
        "   Points with α_i < α_k lie as near to it as one likes, outside A(p), so by continuity of W",
        "   inf{W(p, α) : α ∉ A(p)} = W*(p).",
    ]
    return step(
        "W* < inf outside A(p) if and only if Eq. 16 holds",
        Kind.PROOF_ALL_M,
        "all m, all convex differentiable 1-coercive r",
        "by hand, from the two findings above and Lemma 16; tried out on examples below",
        lines,
    )


def _boundary() -> Step:
    """The printed proof's "alpha* is in A(p) if and only if Eq. 16 holds" is not so."""
    p = Distribution.from_aggregate(weights(3, {(2, 1): 1, (1, 3): 2}))
    best = optimal_orders(p.aggregate)
    inside = best.in_optimal_set(_rational(1, 1, -2))
    near = best.in_optimal_set(_rational(Fraction(1001, 1000), 1, -2))
    return step(
        "With N_i = N_k on an edge with i > k, α* lies in A(p) although Eq. 16 fails",
        Kind.CERTIFICATE,
        "m = 3, one example",
        "all optimal orders, by dynamic programming",
        [
            f"{differences(p)}, r = x²/2, ν = 1: α* = N = (1, 1, −2) is in A(p), since 2 > 1 breaks the tie;",
            "but (1 + ε, 1, −2) is not, and W exceeds W* there by ε²/2 only.",
        ],
        inside and not near,
        not condition("net-order").holds(p.difference),
    )


def kink() -> Step:
    """A regularizer with a kink fails at some additive differences of at most three items."""
    lines: Lines = [
        "Let ∂r(x) = [c−e', c+e'] at a kink x, and 0 < e < e'. Three items with N = ν(c+e, c−e, −2c),",
        *kink_lines(),
        "have α_1 = α_2 = x in the minimizer, though 1 → 2 is an edge: W* is attained outside A(p).",
        "So for convex, 1-coercive r: consistent under additive (low-noise, net-order) differences",
        "if and only if r is differentiable. The failure is a tie, never a strict inversion.",
    ]
    return step(
        "Differentiability of r is necessary, even for additive differences",
        Kind.PROOF_ALL_M,
        "m = 3, all convex 1-coercive r with a kink",
        "identities by SymPy; for one r the core has accepted a witness (see the false variants)",
        lines,
    )


def _flat() -> Step:
    """A regularizer that is not strictly convex, at a distribution where an item sits on its flat part."""
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 4}))
    witness = certify(surrogate("linear", r=FLAT), p)
    return step(
        "Strict convexity of r is not needed: a flat part does no harm",
        Kind.CERTIFICATE,
        f"m = 3, r = {FLAT}",
        f"the core accepts that W* < inf outside A(p) at {differences(p)}, where α_2 is free in [−1, 1]",
        [],
        witness is not None and witness.verified.claim == CONSISTENT_AT_P,
    )


def _examples() -> Step:
    """The core's verdict against Eq. 16, for every shape of an acyclic difference graph."""
    total = agreed = in_order = 0
    linear = surrogate("linear")
    for p in _shapes():
        holds = condition("net-order").holds(p.difference)
        witness = certify(linear, p)
        total += 1
        in_order += holds
        agreed += witness is not None and (witness.verified.claim == CONSISTENT_AT_P) is holds
    return step(
        "The core's verdict agrees with Eq. 16",
        Kind.TEST,
        "m ≤ 4, r = x²/2, two choices of weights for each shape of G̃",
        f"{agreed} of {total} distributions agree; Eq. 16 holds at {in_order} of them",
        [],
        agreed == total,
        0 < in_order < total,
    )


def _shapes() -> Iterator[Distribution]:
    for m in (2, 3, 4):
        for relation in orientations(m)[1:]:
            for shift in (0, 1):
                a = {(i + 1, j + 1): 1 + (i + shift * j) % 3 for i, j in relation}
                yield Distribution.from_aggregate(weights(m, a))


def _rational(*values: int | Fraction) -> list[LogRational]:
    return [LogRational(Fraction(value)) for value in values]


def _with_equality() -> Refutation:
    return refuted_by_core(surrogate("linear"), weights(3, {(1, 2): 1, (2, 3): 2}), "acyclic")


def without_differentiability() -> Refutation:
    """r = x²/2 + |x| and two items with d_12 = 1/2."""
    r = surrogate("linear", r=KINKED)
    return refuted_by_core(r, weights(2, {(1, 2): Fraction(1, 2)}), "additive", scores=(0, 0))


def _without_dag() -> Refutation:
    p = Distribution.from_aggregate(_CYCLE)
    witness = certify(surrogate("linear"), p)
    right = witness is not None and witness.verified.claim == CONSISTENT_AT_P
    violated = not condition("net-order").holds(p.difference)
    return Refutation(
        right and violated,
        f"{differences(p)}: N = (2, 0, −2), so Eq. 16 fails on 3 → 1; yet the core accepts that"
        " W* < inf outside A(p)",
    )


STATEMENT: Final = Statement(
    name="theorem-13",
    title="DMJ10 Theorem 13",
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
    check=check,
    variants=(
        FalseVariant(
            "Eq. 16 with ≥ in place of > is enough for consistency where the difference graph is acyclic.",
            _with_equality,
        ),
        FalseVariant(
            "The theorem holds for every strictly convex, 1-coercive r, differentiable or not.",
            without_differentiability,
        ),
        FalseVariant("The equivalence also holds where the difference graph has a cycle.", _without_dag),
    ),
    files=(SLOPES_FILE,),
)
