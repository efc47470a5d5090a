r"""Ours: Theorem 11 already holds under additive noise, the smallest of the five conditions."""

from fractions import Fraction
from typing import Final

from consistency_lab.book.lemma_10 import FUNCTIONS, additive_case, core_steps, given_h_steps, not_needed
from consistency_lab.book.slopes import refuted_where_right
from consistency_lab.book.statement import (
    Checked,
    FalseVariant,
    Finding,
    Kind,
    Refutation,
    Statement,
    Step,
    concluded,
)
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate

_SCOPE: Final = "three items, every h with h(a) > 0 for some a > 0, every convex φ with φ'(0) < 0"


def _construction() -> Step:
    h12, h13, h23, h31 = (Fraction(n, 16) for n in (3, 8, 1, 4))
    return Step(
        h23 < h31 * h12 / (h13 + h12) and h13 - h31 == h12 + h23,
        Finding(
            "One distribution does for every h",
            Kind.PROOF_THIS_M,
            _SCOPE,
            "exact arithmetic, and Lemma 10",
            (
                "Graphs of one edge of one weight a with h(a) > 0; probabilities 3/16, 8/16, 1/16, 4/16 on",
                "12, 13, 23, 31. Then h_ij = h(a) p_ij: h is a common factor, and it changes no minimizer.",
                "d12 = 3a/16, d23 = a/16, d13 = (8 − 4)a/16 = d12 + d23: additive, with y = (4, 1, 0)·a/16.",
                "Condition 1: p23 = 1/16 < p31 p12/(p13 + p12) = 12/(11·16). So Lemma 10 applies.",
            ),
        ),
    )


def _check() -> Checked:
    cases = {h: additive_case() for h in FUNCTIONS}
    steps = [*core_steps(), _construction(), *given_h_steps(cases, "additive"), not_needed()]
    remark = "h need be neither continuous nor increasing, and h(0) = 0 is not used."
    return concluded(Kind.PROOF_THIS_M, _SCOPE, steps, [remark])


def _any_additive() -> Refutation:
    p = Distribution.from_aggregate([[0, 3, 5], [0, 0, 1], [1, 0, 0]])
    note = "a12, a13, a23, a31 = 3, 5, 1, 1, additive"
    return refuted_where_right(p, surrogate("logistic"), note)


STATEMENT: Final = Statement(
    name="additive-theorem-11",
    title="Theorem 11 under additive noise",
    latex=(
        r"Let \(h(a) > 0\) for some \(a > 0\). For \(\phi\) convex with \(\phi'(0) < 0\) the edge loss "
        r"\(\sum_{(i \to j) \in G} h(a^G_{ij}) \phi(\alpha_i - \alpha_j)\) is not edge-consistent, even "
        r"where \(d_{ij} = y_i - y_j\) for some \(y\)."
    ),
    plain="No edge loss with a convex phi is consistent, not even under additive noise.",
    hypotheses=(r"\(h(a) > 0\) for some \(a > 0\)", r"\(\phi\) is convex, \(\phi'(0) < 0\)"),
    citation="ours",
    check=_check,
    variants=(
        FalseVariant(
            "No convex phi is right at any additive distribution on these four edges.", _any_additive
        ),
    ),
)
