"""DMJ13 §5.3: losses on the difference graph are consistent wherever that graph is acyclic."""

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from types import MappingProxyType
from typing import Final

from consistency_lab.book.polynomials import Lines, is_positive, step, vanishes
from consistency_lab.book.risk import (
    acyclic_differences,
    differences,
    refuted_by_core,
    weights,
    with_differences,
)
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.certify.witness import certify
from consistency_lab.core.document import CONSISTENT_AT_P
from consistency_lab.exact import LogRational
from consistency_lab.model.conditions import condition, net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.phi import NAMED
from consistency_lab.solve.optimal import optimal_orders
from consistency_lab.theorems.base import Evidence, Refusal, Theorem
from consistency_lab.theorems.difference import CONVEX_DIFFERENCE, MONOTONE_DIFFERENCE

COVERED: Final[Mapping[str, Theorem | None]] = MappingProxyType(
    {
        "hinge": CONVEX_DIFFERENCE,
        "squared-hinge": CONVEX_DIFFERENCE,
        "square": None,
        "smoothed-hinge": CONVEX_DIFFERENCE,
        "huberized-hinge": CONVEX_DIFFERENCE,
        "logistic": CONVEX_DIFFERENCE,
        "exponential": CONVEX_DIFFERENCE,
        "sigmoid": MONOTONE_DIFFERENCE,
        "ramp": MONOTONE_DIFFERENCE,
    }
)
"""Which form of the theorem covers each named phi: with convexity, without, or none."""

_SQUARE_WEIGHTS: Final = weights(4, {(1, 2): 9, (1, 3): 15, (1, 4): 72, (2, 3): 6, (2, 4): 7, (3, 4): 1})
_CYCLE: Final = weights(3, {(1, 3): 1, (3, 2): 2, (2, 1): 1})


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m, all φ nonincreasing and bounded below with φ(0) > inf φ",
        [_excess(), hypotheses(), _certificates()],
        (
            "Convexity is not needed, so the sigmoid and ramp losses are covered too (ours).",
            "That φ is nonincreasing is needed: the square loss is refused, and fails for low noise.",
        ),
    )


def _excess() -> Step:
    import sympy as sp

    d, fall, rise = sp.symbols("d_ij u t", positive=True)
    least = sp.Symbol("inf", real=True)
    at_zero, at_wrong = least + fall, least + fall + rise
    lines: Lines = [
        "Let G̃ be acyclic, W(p, α) = Σ d_ij φ(α_i − α_j) over its edges i → j.",
        "Scores t·y with y falling along a topological order send all α_i − α_j on edges to infinity,",
        "where the nonincreasing φ tends to inf φ: so W* = Σ d_ij inf φ, the sum of the terms' infima.",
        "By Lemma 16, α ∉ A(p) has δ = α_i − α_j ≤ 0 on some edge, where φ(δ) ≥ φ(0). As all other",
        "terms are at least their infima,",
        "    W(p, α) − W* ≥ d_ij (φ(δ) − inf φ) ≥ d_ij (φ(0) − inf φ), by",
        vanishes(
            "d_ij(φ(δ) − inf φ) = d_ij(φ(0) − inf φ) + d_ij(φ(δ) − φ(0))",
            d * (at_wrong - least) - d * (at_zero - least) - d * (at_wrong - at_zero),
        ),
        is_positive("d_ij(φ(0) − inf φ) > 0 if φ(0) = inf φ + u, u > 0", sp.expand(d * (at_zero - least))),
        "There are finitely many edges, so inf outside A(p) ≥ W* + min d_ij (φ(0) − inf φ) > W*.",
        "A convex φ with φ'(0) < 0 has φ(0) > inf φ; nothing else uses convexity.",
    ]
    return step(
        "A wrong edge i → j costs at least d_ij (φ(0) − inf φ)",
        Kind.PROOF_ALL_M,
        "all m, all φ nonincreasing and bounded below with φ(0) > inf φ",
        "one inequality for each edge; its algebra by SymPy",
        lines,
    )


def hypotheses() -> Step:
    """The hypotheses, checked for every named phi, and the square loss told apart."""
    lines: Lines = []
    agreed = set(COVERED) == set(NAMED)
    for name, expected in COVERED.items():
        loss = surrogate(f"difference-{name}")
        answers = {t: t.applies(loss, "acyclic") for t in (CONVEX_DIFFERENCE, MONOTONE_DIFFERENCE)}
        first = next((t for t, answer in answers.items() if isinstance(answer, Evidence)), None)
        agreed = agreed and first is expected
        lines.append(f"{name}: {_said(first, answers)}")
    return step(
        "The hypotheses hold for every named φ but the square loss",
        Kind.PROOF_ALL_M,
        f"φ = {', '.join(COVERED)}",
        "convexity, monotonicity, bounds and slopes proved from the expression of φ",
        lines,
        agreed,
    )


def _said(theorem: Theorem | None, answers: Mapping[Theorem, Evidence | Refusal]) -> str:
    if theorem is not None:
        return "convex case" if theorem is CONVEX_DIFFERENCE else "without convexity"
    refused = answers[MONOTONE_DIFFERENCE]
    return refused.reason.partition(" assumes that ")[2] if isinstance(refused, Refusal) else "covered"


def _certificates() -> Step:
    """The core's verdict at random acyclic distributions."""
    rng = Random(53)
    names = [name for name, theorem in COVERED.items() if theorem is CONVEX_DIFFERENCE]
    total = accepted = 0
    for m in (2, 3, 4):
        for _ in range(3):
            p = with_differences(acyclic_differences(rng, m), rng)
            if not any(x for row in p.difference for x in row):
                continue
            for name in names:
                witness = certify(surrogate(f"difference-{name}"), p)
                total += 1
                accepted += witness is not None and witness.verified.claim == CONSISTENT_AT_P
    return step(
        "The core accepts that W* < inf outside A(p)",
        Kind.TEST,
        "m ≤ 4, the convex named φ",
        f"at {accepted} of {total} pairs of a loss and a random acyclic distribution",
        [],
        accepted == total,
    )


def _cyclic() -> Refutation:
    return refuted_by_core(surrogate("difference-logistic"), _CYCLE, "any", strict=True)


def square_under_low_noise() -> Refutation:
    """Four items at which the square loss on the difference graph is strictly wrong."""
    return refuted_by_core(surrogate("difference-square"), _SQUARE_WEIGHTS, "low-noise", strict=True)


def _flat() -> Refutation:
    loss = surrogate(phi="max(0,-x)", form="difference")
    return refuted_by_core(loss, weights(2, {(1, 2): 1}), "additive", scores=(0, 0))


def _unbounded() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 2}))
    direction = (3, -2, -1)
    # For phi(x) = -x, W(p, alpha) = -sum N_i alpha_i is linear.
    slope = -sum((n * v for n, v in zip(net(p.difference), direction, strict=True)), Fraction(0))
    outside = not optimal_orders(p.aggregate).in_optimal_set([LogRational(Fraction(v)) for v in direction])
    return Refutation(
        slope < 0 and outside and condition("acyclic").holds(p.difference),
        f"φ(x) = −x, {differences(p)}: W(p, tα) = {slope}t → −∞ along α = {direction}, which has 3 above 2",
    )


STATEMENT: Final = Statement(
    name="dmj13-difference",
    title="DMJ13 §5.3",
    latex=(
        r"If the difference graph is acyclic, \(\sum_{i,j} [d_{ij}]_+ \phi(\alpha_i - \alpha_j)\) is"
        r" consistent when \(\phi\) is nonincreasing, convex and bounded below with \(\phi'(0) < 0\)."
    ),
    plain="Losses on the edges of the difference graph are consistent wherever that graph is acyclic.",
    hypotheses=(
        r"\(\tilde G\) is a DAG",
        r"\(\phi\) is nonincreasing and bounded below",
        r"\(\phi'(0) < 0\) and \(\phi\) is convex, or, which is enough, \(\phi(0) > \inf \phi\)",
    ),
    citation="DMJ13 §5.3; that convexity is not needed is ours",
    check=check,
    variants=(
        FalseVariant("It is consistent for every distribution, with cycles too.", _cyclic),
        FalseVariant(
            "A convex φ with φ'(0) < 0 that is not nonincreasing will do: the square loss.",
            square_under_low_noise,
        ),
        FalseVariant("A convex, nonincreasing φ will do without φ'(0) < 0.", _flat),
        FalseVariant("A convex, nonincreasing φ with φ'(0) < 0 will do, bounded below or not.", _unbounded),
    ),
)
