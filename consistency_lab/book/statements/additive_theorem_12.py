r"""Ours: Theorem 12 already holds under additive noise."""

from fractions import Fraction
from typing import Final

from consistency_lab.book.lemma_10 import (
    SCOPE,
    core_steps,
    margin_steps,
    not_needed,
    single_edges,
    substitution_step,
)
from consistency_lab.book.slopes import refuted_where_right
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, concluded
from consistency_lab.model.surrogates import surrogate


def _check() -> Checked:
    steps = [*core_steps(), substitution_step(), *margin_steps("additive"), not_needed()]
    remark = "h need be neither continuous nor increasing; one weight at which h is not negative is enough."
    return concluded(Kind.PROOF_THIS_M, SCOPE, steps, [remark])


def _any_additive() -> Refutation:
    p = {(0, 1): "3/10", (1, 2): "1/10", (0, 2): "5/10", (2, 0): "1/10"}
    chosen = single_edges(Fraction(1), {edge: Fraction(q) for edge, q in p.items()})
    return refuted_where_right(chosen, surrogate("margin-logistic"), "p = (.3, .1, .5, .1), additive")


STATEMENT: Final = Statement(
    name="additive-theorem-12",
    title="Theorem 12 under additive noise",
    latex=(
        r"Let \(h(a) \ge 0\) for some \(a > 0\). For \(\phi\) convex with \(\phi'(0) < 0\) the margin loss "
        r"\(\sum_{(i \to j) \in G} \phi(\alpha_i - \alpha_j - h(a^G_{ij}))\) is not edge-consistent, even "
        r"where \(d_{ij} = y_i - y_j\) for some \(y\)."
    ),
    plain="No margin loss with a convex phi is consistent, not even under additive noise.",
    hypotheses=(r"\(h(a) \ge 0\) for some \(a > 0\)", r"\(\phi\) is convex, \(\phi'(0) < 0\)"),
    citation="ours",
    check=_check,
    variants=(
        FalseVariant(
            "No convex phi is right at any additive distribution of these four graphs.", _any_additive
        ),
    ),
)
