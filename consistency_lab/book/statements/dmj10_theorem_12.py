r"""DMJ10 Theorem 12: margin losses with convex phi are inconsistent even under low noise."""

from fractions import Fraction
from typing import Final

from consistency_lab.book.lemma_10 import (
    PROBABILITIES,
    SCOPE,
    core_steps,
    margin_steps,
    not_needed,
    single_edges,
    substitution_step,
)
from consistency_lab.book.slopes import refuted_where_right
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, concluded
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.surrogates import surrogate

_REMARKS: Final = (
    "The weights of G2 and G3 are printed for the edges 13 and 23; G2 has the edge 23 and G3 the edge 13. "
    "Read as printed, the difference graph is a cycle.",
    "φ need not be differentiable at −c: every slope there is at most φ'(0) < 0. Assumption A is not needed.",
    "d13 = d12 + d23 exactly, so the same distribution is additive: see additive-theorem-12.",
)


def _check() -> Checked:
    steps = [*core_steps(), substitution_step(), *margin_steps("low-noise"), not_needed()]
    return concluded(Kind.PROOF_THIS_M, SCOPE, steps, _REMARKS)


def as_printed() -> dict[str, bool]:
    """The noise conditions if .01 belongs to the edge 13 and .5 to the edge 23."""
    p = {**PROBABILITIES, (0, 2): PROBABILITIES[1, 2], (1, 2): PROBABILITIES[0, 2]}
    return conditions_of(single_edges(Fraction(1), p).difference)


def _printed() -> Refutation:
    held = as_printed()
    witness = "d12 = .25, d23 = .5, d31 = .24 − .01 = .23: the difference graph is the cycle 1 → 2 → 3 → 1"
    return Refutation(not held["acyclic"], witness)


def _other_probabilities() -> Refutation:
    p = {(0, 1): "1/4", (1, 2): "1/4", (0, 2): "9/20", (2, 0): "1/20"}
    chosen = single_edges(Fraction(1), {edge: Fraction(q) for edge, q in p.items()})
    note = "p = (.25, .25, .45, .05)"
    return refuted_where_right(chosen, surrogate("margin-logistic"), note)


STATEMENT: Final = Statement(
    name="theorem-12",
    title="DMJ10 Theorem 12",
    latex=(
        r"Let \(\varphi(\alpha, G) = \sum_{(i \to j) \in G} \phi(\alpha_i - \alpha_j - h(a^G_{ij}))\) for "
        r"\(h\) continuous and increasing with \(h(0) = 0\). Even in the low-noise setting, for \(\phi\) "
        r"convex and satisfying Assumption A, \(\varphi\) is not edge-consistent."
    ),
    plain="No margin loss with a convex phi is consistent, not even under low noise.",
    hypotheses=(
        r"\(h\) is continuous and increasing, \(h(0) = 0\)",
        r"\(\phi\) is convex, \(\phi'(0) < 0\)",
        "Assumption A (not needed)",
    ),
    citation="DMJ10 Theorem 12",
    check=_check,
    variants=(
        FalseVariant("Theorem 12's example with the weights as they are printed is low-noise.", _printed),
        FalseVariant(
            "No convex phi is right at any probabilities of these four graphs.", _other_probabilities
        ),
    ),
)
