"""DMJ10 Corollary 15: the value-regularized linear loss is consistent under low noise."""

from fractions import Fraction
from random import Random
from typing import Final

from consistency_lab.book.polynomials import step
from consistency_lab.book.risk import (
    differences,
    low_noise_differences,
    refuted_by_core,
    weights,
    with_differences,
)
from consistency_lab.book.statement import (
    Checked,
    FalseVariant,
    Kind,
    Refutation,
    Statement,
    Step,
    concluded,
    stored,
)
from consistency_lab.book.statements.dmj10_lemma_14 import MULTIPLIERS_FILE, three_items
from consistency_lab.book.statements.dmj10_theorem_13 import (
    SLOPES_FILE,
    closed_form,
    equivalence,
    monotone,
    without_differentiability,
)
from consistency_lab.certify.witness import certify
from consistency_lab.core.document import CONSISTENT_AT_P
from consistency_lab.exact import LogRational
from consistency_lab.model.conditions import conditions_of, net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.optimal import optimal_orders
from consistency_lab.theorems.base import Evidence
from consistency_lab.theorems.linear import COROLLARY_15

_REGULARIZERS: Final = ("x**2/2", "x**4/4 + x**2/2", "exp(x) + exp(-x)")
_SAMPLES: Final = 12


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m, all convex differentiable 1-coercive r, all ν > 0",
        [
            three_items(stored(MULTIPLIERS_FILE)),
            closed_form(),
            monotone(),
            equivalence(),
            _hypotheses(),
            _samples(),
        ],
        (
            "As Theorem 13, it needs r to be differentiable, which the paper does not say.",
            "By the remark to Lemma 14, d_ik ≥ max(d_ij, d_jk) along paths i → j → k is enough for it.",
        ),
    )


def _hypotheses() -> Step:
    """The hypotheses of the corollary, checked by machine for regularizers with different growth."""
    lines, proved = [], True
    for text in _REGULARIZERS:
        evidence = COROLLARY_15.applies(surrogate("linear", r=text), "low-noise")
        proved = proved and isinstance(evidence, Evidence)
        if isinstance(evidence, Evidence):
            lines.append(f"r = {text}:")
            lines += [
                f"    {what.split(' (')[0]}: {how.split(': ')[-1]}" for what, how in evidence.hypotheses[1:]
            ]
    return step(
        "Its hypotheses hold for these r",
        Kind.PROOF_ALL_M,
        f"r = {', '.join(_REGULARIZERS)}",
        "piecewise polynomials are decided, others proved by rules of composition",
        lines,
        proved,
    )


def _samples() -> Step:
    """The core's verdict at random low-noise distributions."""
    rng = Random(15)
    linear = surrogate("linear")
    total = accepted = 0
    for m in (2, 3, 4, 5):
        for _ in range(_SAMPLES):
            d = low_noise_differences(rng, m)
            if not any(x for row in d for x in row):
                continue
            witness = certify(linear, with_differences(d, rng))
            total += 1
            accepted += witness is not None and witness.verified.claim == CONSISTENT_AT_P
    return step(
        "The core accepts that W* < inf outside A(p)",
        Kind.TEST,
        "m ≤ 5, r = x²/2",
        f"at {accepted} of {total} random low-noise distributions",
        [],
        accepted == total,
    )


def _acyclic() -> Refutation:
    aggregate = weights(3, {(1, 2): 1, (2, 3): 3})
    return refuted_by_core(surrogate("linear"), aggregate, "acyclic", strict=True)


def _without_regularizer() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 2}))
    direction = (3, -2, -1)
    slope = -sum((n * v for n, v in zip(net(p.difference), direction, strict=True)), Fraction(0))
    outside = not optimal_orders(p.aggregate).in_optimal_set([LogRational(Fraction(v)) for v in direction])
    low_noise = conditions_of(p.difference)["low-noise"]
    return Refutation(
        slope < 0 and outside and low_noise,
        f"{differences(p)}: W(p, tα) = {slope}t → −∞ along α = {direction}, which has 3 above 2",
    )


STATEMENT: Final = Statement(
    name="corollary-15",
    title="DMJ10 Corollary 15",
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
    check=check,
    variants=(
        FalseVariant("The linear loss is consistent wherever the difference graph is acyclic.", _acyclic),
        FalseVariant(
            "Corollary 15 holds for every strictly convex, 1-coercive r, differentiable or not.",
            without_differentiability,
        ),
        FalseVariant("Under low noise the loss is consistent without r too (ν = 0).", _without_regularizer),
    ),
    files=(MULTIPLIERS_FILE, SLOPES_FILE),
)
