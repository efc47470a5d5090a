r"""DMJ10 Lemma 10: on four edges, two conditions on h under which no convex phi is right.

Three items, weights on 12, 13, 23 and 31 only. The lemma is proved twice with h unknown, by z3 and by
multipliers that are polynomials in h, and the core checks numbers at some h. What is more is in
`four_edges`: the conditions with <= are necessary as well.
"""

from fractions import Fraction
from typing import Final

from consistency_lab.book.lemma_10 import (
    EVERY_H,
    MULTIPLIERS,
    QUESTIONS,
    accepted_step,
    core_steps,
    not_needed,
)
from consistency_lab.book.slopes import from_weights, refuted_where_right
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, concluded
from consistency_lab.book.three_items import hinges
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate

_REMARKS: Final = (
    "Assumption A, which the paper has for all of its Section 2.2, is not needed: see the last finding.",
    "a13 > a31 serves only to make A(p) the set α₁ > α₂ > α₃; a31 < a13 + min(a12, a23) does as well.",
    "The lemma also holds with ≤ in its conditions, and then they are necessary: see four-edges.",
    "Without φ'(0) < 0 it is false (second false variant); such φ fail with two items: see dmj13-edge.",
)


def _check() -> Checked:
    return concluded(Kind.PROOF_THIS_M, EVERY_H, [*core_steps(), accepted_step(), not_needed()], _REMARKS)


def _reversed() -> Refutation:
    p = from_weights({"12": 1, "13": 2, "23": 1, "31": 1})
    note = "h12, h13, h23, h31 = 1, 2, 1, 1: h23 = 1 > 1/3 = h31 h12/(h13+h12), and so for Condition 2"
    return refuted_where_right(p, surrogate("logistic"), note)


def rising_case() -> tuple[Distribution, str]:
    """A distribution with Condition 1 for h = a**2, and a convex phi with phi'(0) > 0 for it.

    phi(x) = chi(-x) for a chi that is right at the weights turned round, h_ji in place of h_ij.
    """
    one = Fraction(1)
    p = Distribution.single_edges(
        {
            (0, 1, one): Fraction(1, 5),
            (1, 2, one): Fraction(1, 4),
            (0, 2, 2 * one): Fraction(1, 2),
            (2, 0, 10 * one): Fraction(1, 20),
        },
        3,
    )
    h = {(i, j): sum_of_squares for i, j, sum_of_squares in _squared(p)}
    turned = [[h.get((j, i), Fraction(0)) for j in range(3)] for i in range(3)]
    chi = hinges(turned, (2, 1, 0))
    return p, "" if chi is None else chi.replace("-x", "+x")


def _squared(p: Distribution) -> list[tuple[int, int, Fraction]]:
    return [(i, j, q * w**2) for q, graph in zip(p.probabilities, p.graphs, strict=True) for i, j, w in graph]


def _rising() -> Refutation:
    p, phi = rising_case()
    note = "h(a) = a², h12, h13, h23, h31 = 1/5, 2, 1/4, 5, and a13 = 1 > a31 = 1/2; a phi with phi'(0) > 0"
    return refuted_where_right(p, surrogate(phi=phi, h="a**2"), note) if phi else Refutation(False, note)


def _heavy_back_edge() -> Refutation:
    p = from_weights({"12": 1, "13": 1, "23": 2, "31": 3})
    note = "h12, h13, h23, h31 = 1, 1, 2, 3, where 2, 3, 1 is the optimal order; Condition 2 is 1 < 2"
    return refuted_where_right(p, surrogate("logistic"), note)


STATEMENT: Final = Statement(
    name="lemma-10",
    title="DMJ10 Lemma 10",
    latex=(
        r"For convex \(\phi\) with \(\phi'(0) < 0\),"
        r" \(W^*(p) = \inf_\alpha \{W(p,\alpha) : \alpha \notin A(p)\}\) whenever Condition 1,"
        r" \(h_{23} < \frac{h_{31} h_{12}}{h_{13} + h_{12}}\), or Condition 2,"
        r" \(h_{12} < \frac{h_{31} h_{23}}{h_{13} + h_{23}}\), is satisfied."
    ),
    plain="With weights on the edges 12, 13, 23, 31 under one of two conditions, no convex phi is right.",
    hypotheses=(
        r"\(a_{13} > a_{31} > 0\), \(a_{12} > 0\), \(a_{23} > 0\)",
        r"\(W(p,\alpha) = h_{12}\phi(\alpha_1-\alpha_2) + h_{13}\phi(\alpha_1-\alpha_3)"
        r" + h_{23}\phi(\alpha_2-\alpha_3) + h_{31}\phi(\alpha_3-\alpha_1)\)",
        r"\(\phi\) is convex, \(\phi'(0) < 0\)",
        "Assumption A (not needed)",
    ),
    citation="DMJ10 Lemma 10 (with Eq. 10-12)",
    check=_check,
    variants=(
        FalseVariant("Lemma 10 with >= in place of < in both conditions.", _reversed),
        FalseVariant("Lemma 10 without phi'(0) < 0.", _rising),
        FalseVariant("Lemma 10 without a13 > a31.", _heavy_back_edge),
    ),
    files=(MULTIPLIERS, *QUESTIONS.values()),
)
