r"""DMJ10 Theorem 11: edge losses with convex phi are inconsistent even under low noise."""

from fractions import Fraction
from typing import Final

from consistency_lab.book.lemma_10 import (
    FUNCTIONS,
    core_steps,
    given_h_steps,
    low_noise_case,
    not_needed,
    two_graphs,
)
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
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.surrogates import surrogate

_SCOPE: Final = (
    "three items, every continuous h with h(0) = 0 < h(a) for a > 0, every convex φ with φ'(0) < 0"
)

_REMARKS: Final = (
    "The printed proof bounds a23 by a13 − a12 and forgets a31: a12, a13, a23, a31 = 2, 3, 1/4, 5/2 fits its "
    "choice, but d13 = 1/4 < d12 = 1, so it is not low-noise. Take a13 > a12 + a31 first, and then "
    "a23 <= min{ε, a13 − a12 − a31}.",
    "Assumption A is not needed, and the theorem already holds under additive noise: additive-theorem-11.",
)


def _construction() -> Step:
    return Step(
        True,
        Finding(
            "Condition 1 and low noise can be had together, whatever h is",
            Kind.PROOF_THIS_M,
            _SCOPE,
            "by hand, from Lemma 10 (two independent proofs above) and the continuity of h at 0",
            (
                "G1 = {12, 13} and G2 = {23, 31} with probability 1/2 each, so h_ij = h(a_ij)/2.",
                "Fix a12, a31 > 0 and a13 > a12 + a31: then c = h31 h12/(h13 + h12) > 0 is a constant.",
                "h is continuous with h(0) = 0: some ε > 0 has h(a)/2 < c for all 0 < a ≤ ε.",
                "Take a23 = min{ε, a13 − a12 − a31}. Then h23 < c, which is Condition 1, and",
                "    d12 = a12/2, d23 = a23/2, d13 = (a13 − a31)/2 ≥ (a12 + a23)/2 = d12 + d23: low noise.",
                "By Lemma 10, W* = inf {W : α ∉ A(p)} for every convex φ with φ'(0) < 0.",
            ),
        ),
    )


def _check() -> Checked:
    cases = {h: low_noise_case(h) for h in FUNCTIONS}
    steps = [*core_steps(), _construction(), *given_h_steps(cases, "low-noise"), not_needed()]
    return concluded(Kind.PROOF_THIS_M, _SCOPE, steps, _REMARKS)


def _edges(a12: str, a13: str, a23: str, a31: str) -> dict[str, Fraction]:
    return {"12": Fraction(a12), "13": Fraction(a13), "23": Fraction(a23), "31": Fraction(a31)}


def _heavy() -> Refutation:
    p = two_graphs(_edges("1", "9", "4", "1"))
    note = "h(a) = a, a12, a13, a23, a31 = 1, 9, 4, 1, low-noise, but a23 is not light"
    return refuted_where_right(p, surrogate("logistic"), note)


def printed_choice() -> dict[str, bool]:
    """The noise conditions at weights that the printed proof allows."""
    return conditions_of(two_graphs(_edges("2", "3", "1/4", "5/2")).difference)


def _printed() -> Refutation:
    held = printed_choice()
    return Refutation(
        not held["low-noise"] and held["acyclic"],
        "a12, a13, a23, a31 = 2, 3, 1/4, 5/2: a13 > a12, a13 > a31 and a23 <= (a13 − a12)/2, but "
        "d12 = 1, d23 = 1/8, d13 = 1/4, so d13 < d12 + d23",
    )


STATEMENT: Final = Statement(
    name="theorem-11",
    title="DMJ10 Theorem 11",
    latex=(
        r"Let \(\varphi(\alpha, G) = \sum_{(i \to j) \in G} h(a^G_{ij}) \phi(\alpha_i - \alpha_j)\) for "
        r"\(h\) continuous and increasing with \(h(0) = 0\). Even in the low-noise setting, for \(\phi\) "
        r"convex and satisfying Assumption A, \(\varphi\) is not edge-consistent."
    ),
    plain="No edge loss with a convex phi is consistent, not even under low noise.",
    hypotheses=(
        r"\(h\) is continuous and increasing, \(h(0) = 0\)",
        r"\(\phi\) is convex, \(\phi'(0) < 0\)",
        "Assumption A (not needed)",
    ),
    citation="DMJ10 Theorem 11",
    check=_check,
    variants=(
        FalseVariant("The construction of Theorem 11 with any a23 > 0 that is low-noise.", _heavy),
        FalseVariant("Every choice of weights that the printed proof allows is low-noise.", _printed),
    ),
)
