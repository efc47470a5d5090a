"""Edge and margin losses with convex phi are wrong: DMJ10 Lemma 10, Theorems 11 and 12, and beyond."""

from fractions import Fraction
from typing import Final

from consistency_lab.book.lemma_10 import (
    FUNCTIONS,
    MULTIPLIERS,
    PROBABILITIES,
    QUESTIONS,
    SCOPE,
    accepted_step,
    additive_case,
    bounded_below_implies_it,
    convexity_is_not_enough,
    core_steps,
    given_h_steps,
    low_noise_case,
    margin_steps,
    not_needed,
    single_edges,
    substitution_step,
    two_graphs,
    two_items_step,
)
from consistency_lab.book.slopes import from_weights, refuted_where_right
from consistency_lab.book.statement import (
    Refutation,
    Statement,
    Step,
    check,
    false,
    step,
)
from consistency_lab.book.three_items import hinges
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate

# --- DMJ10 Lemma 10: on four edges, two conditions on h under which no convex phi is right ---------------
# Three items, weights on 12, 13, 23 and 31 only. The lemma is proved twice with h unknown, by z3 and by
# multipliers that are polynomials in h, and the core checks numbers at some h. What is more is in
# `four_edges`: the conditions with <= are necessary as well.


_FALLING: Final = r"\(\phi\) is convex, \(\phi'(0) < 0\)"
_ASSUMPTION_A: Final = "Assumption A (not needed)"
_INCREASING: Final = r"\(h\) is continuous and increasing, \(h(0) = 0\)"


@false("Lemma 10 with >= in place of < in both conditions.")
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


@false("Lemma 10 without phi'(0) < 0.")
def _rising() -> Refutation:
    p, phi = rising_case()
    note = "h(a) = a², h12, h13, h23, h31 = 1/5, 2, 1/4, 5, and a13 = 1 > a31 = 1/2; a phi with phi'(0) > 0"
    return refuted_where_right(p, surrogate(phi=phi, h="a**2"), note) if phi else Refutation(False, note)


@false("Lemma 10 without a13 > a31.")
def _heavy_back_edge() -> Refutation:
    p = from_weights({"12": 1, "13": 1, "23": 2, "31": 3})
    note = "h12, h13, h23, h31 = 1, 1, 2, 3, where 2, 3, 1 is the optimal order; Condition 2 is 1 < 2"
    return refuted_where_right(p, surrogate("logistic"), note)


LEMMA_10: Final = Statement(
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
        _FALLING,
        _ASSUMPTION_A,
    ),
    citation="DMJ10 Lemma 10 (with Eq. 10-12)",
    check=check(
        "three items, a13 > a31, every h_ij > 0, every convex φ with φ'(0) < 0",
        lambda: [*core_steps(), accepted_step(), not_needed()],
        "Assumption A, which the paper has for all of its Section 2.2, is not needed: see the last finding.",
        "a13 > a31 serves only to make A(p) the set α₁ > α₂ > α₃; a31 < a13 + min(a12, a23) does as well.",
        "The lemma also holds with ≤ in its conditions, and then they are necessary: see four-edges.",
        "Without φ'(0) < 0 it is false (second false variant); such φ fail with two items:"
        " every-convex-loss.",
    ),
    variants=(_reversed, _rising, _heavy_back_edge),
    files=(MULTIPLIERS, *QUESTIONS.values()),
)


# --- DMJ10 Theorem 11: edge losses with convex phi are inconsistent even under low noise -----------------

_EDGE_SCOPE: Final = (
    "three items, every continuous h with h(0) = 0 < h(a) for a > 0, every convex φ with φ'(0) < 0"
)


_CONTINUITY: Final = step(
    "Condition 1 and low noise can be had together, whatever h is",
    _EDGE_SCOPE,
    "by hand, from Lemma 10 (two independent proofs above) and the continuity of h at 0",
    "G1 = {12, 13} and G2 = {23, 31} with probability 1/2 each, so h_ij = h(a_ij)/2.",
    "Fix a12, a31 > 0 and a13 > a12 + a31: then c = h31 h12/(h13 + h12) > 0 is a constant.",
    "h is continuous with h(0) = 0: some ε > 0 has h(a)/2 < c for all 0 < a ≤ ε.",
    "Take a23 = min{ε, a13 − a12 − a31}. Then h23 < c, which is Condition 1, and",
    "    d12 = a12/2, d23 = a23/2, d13 = (a13 − a31)/2 ≥ (a12 + a23)/2 = d12 + d23: low noise.",
    "By Lemma 10, W* = inf {W : α ∉ A(p)} for every convex φ with φ'(0) < 0.",
)


def _low_noise() -> tuple[Step, Step, Step]:
    return given_h_steps({h: low_noise_case(h) for h in FUNCTIONS}, "low-noise")


def _edges(a12: str, a13: str, a23: str, a31: str) -> dict[str, Fraction]:
    return {"12": Fraction(a12), "13": Fraction(a13), "23": Fraction(a23), "31": Fraction(a31)}


@false("The construction of Theorem 11 with any a23 > 0 that is low-noise.")
def _heavy() -> Refutation:
    p = two_graphs(_edges("1", "9", "4", "1"))
    note = "h(a) = a, a12, a13, a23, a31 = 1, 9, 4, 1, low-noise, but a23 is not light"
    return refuted_where_right(p, surrogate("logistic"), note)


def printed_choice() -> dict[str, bool]:
    """The noise conditions at weights that the printed proof allows."""
    return conditions_of(two_graphs(_edges("2", "3", "1/4", "5/2")).difference)


@false("Every choice of weights that the printed proof allows is low-noise.")
def _printed_weights() -> Refutation:
    held = printed_choice()
    return Refutation(
        not held["low-noise"] and held["acyclic"],
        "a12, a13, a23, a31 = 2, 3, 1/4, 5/2: a13 > a12, a13 > a31 and a23 <= (a13 − a12)/2, but "
        "d12 = 1, d23 = 1/8, d13 = 1/4, so d13 < d12 + d23",
    )


THEOREM_11: Final = Statement(
    latex=(
        r"Let \(\varphi(\alpha, G) = \sum_{(i \to j) \in G} h(a^G_{ij}) \phi(\alpha_i - \alpha_j)\) for "
        r"\(h\) continuous and increasing with \(h(0) = 0\). Even in the low-noise setting, for \(\phi\) "
        r"convex and satisfying Assumption A, \(\varphi\) is not edge-consistent."
    ),
    plain="No edge loss with a convex phi is consistent, not even under low noise.",
    hypotheses=(_INCREASING, _FALLING, _ASSUMPTION_A),
    citation="DMJ10 Theorem 11",
    check=check(
        _EDGE_SCOPE,
        lambda: [*core_steps(), _CONTINUITY, *_low_noise(), not_needed()],
        "The printed proof bounds a23 by a13 − a12 and forgets a31: a12, a13, a23, a31 = 2, 3, 1/4, 5/2 fits "
        "its choice, but d13 = 1/4 < d12 = 1, so it is not low-noise. Take a13 > a12 + a31 first, and then "
        "a23 <= min{ε, a13 − a12 − a31}.",
        "Assumption A is not needed, and the theorem already holds under additive noise: "
        "additive-theorem-11.",
    ),
    variants=(_heavy, _printed_weights),
)


# --- DMJ10 Theorem 12: margin losses with convex phi are inconsistent even under low noise ---------------


def _margin_steps(condition: str) -> list[Step]:
    return [*core_steps(), substitution_step(), *margin_steps(condition)]


def _with_chances(*percent: int) -> Distribution:
    """The four graphs with other probabilities of the edges 12, 23, 13, 31."""
    chances = (Fraction(n, 100) for n in percent)
    return single_edges(Fraction(1), dict(zip(PROBABILITIES, chances, strict=True)))


def as_printed() -> dict[str, bool]:
    """The noise conditions if .01 belongs to the edge 13 and .5 to the edge 23."""
    p = {**PROBABILITIES, (0, 2): PROBABILITIES[1, 2], (1, 2): PROBABILITIES[0, 2]}
    return conditions_of(single_edges(Fraction(1), p).difference)


@false("Theorem 12's example with the weights as they are printed is low-noise.")
def _printed_edges() -> Refutation:
    held = as_printed()
    witness = "d12 = .25, d23 = .5, d31 = .24 − .01 = .23: the difference graph is the cycle 1 → 2 → 3 → 1"
    return Refutation(not held["acyclic"], witness)


@false("No convex phi is right at any probabilities of these four graphs.")
def _other_probabilities() -> Refutation:
    p, note = _with_chances(25, 25, 45, 5), "p = (.25, .25, .45, .05)"
    return refuted_where_right(p, surrogate("margin-logistic"), note)


THEOREM_12: Final = Statement(
    latex=(
        r"Let \(\varphi(\alpha, G) = \sum_{(i \to j) \in G} \phi(\alpha_i - \alpha_j - h(a^G_{ij}))\) for "
        r"\(h\) continuous and increasing with \(h(0) = 0\). Even in the low-noise setting, for \(\phi\) "
        r"convex and satisfying Assumption A, \(\varphi\) is not edge-consistent."
    ),
    plain="No margin loss with a convex phi is consistent, not even under low noise.",
    hypotheses=(_INCREASING, _FALLING, _ASSUMPTION_A),
    citation="DMJ10 Theorem 12",
    check=check(
        SCOPE,
        lambda: [*_margin_steps("low-noise"), not_needed()],
        "The weights of G2 and G3 are printed for the edges 13 and 23; G2 has the edge 23 and G3 the edge "
        "13. Read as printed, the difference graph is a cycle.",
        "φ need not be differentiable at −c: every slope there is at most φ'(0) < 0. Assumption A is not "
        "needed.",
        "d13 = d12 + d23 exactly, so the same distribution is additive: see additive-theorem-12.",
    ),
    variants=(_printed_edges, _other_probabilities),
)


# --- DMJ13's first inconsistency theorem: DMJ10 Theorem 11 for every convex phi, without Assumption A ----

_SCOPE: Final = "three items (two if φ'(0) < 0 fails), every convex φ, h as in Theorem 11"
_PROOF_OF_DMJ10: Final = (
    "The paper defers the proof to its supplement; this is the one of DMJ10, with Assumption A shown to "
    "follow from boundedness below, and not to be needed."
)

DMJ13_EDGE: Final = Statement(
    latex=(
        r"If \(\phi\) is convex, then even in the low-noise setting the loss "
        r"\(\sum_{(i \to j) \in G} h(a^G_{ij}) \phi(\alpha_i - \alpha_j)\) is not structure-consistent."
    ),
    plain="No edge loss with any convex phi is consistent under low noise; Assumption A is not needed.",
    hypotheses=(_INCREASING, r"\(\phi\) is convex"),
    citation="DMJ13 §3 (its theorem on surrogates of the pairwise form)",
    check=check(
        _SCOPE,
        lambda: [*core_steps(), *_low_noise(), two_items_step(), bounded_below_implies_it(), not_needed()],
        _PROOF_OF_DMJ10,
    ),
    variants=(convexity_is_not_enough,),
)


# --- DMJ13's second inconsistency theorem: as DMJ10 Theorem 12, without Assumption A ---------------------

DMJ13_MARGIN: Final = Statement(
    latex=(
        r"If \(\phi\) is convex, then even in the low-noise setting the loss "
        r"\(\sum_{(i \to j) \in G} \phi(\alpha_i - \alpha_j - h(a^G_{ij}))\) is not structure-consistent."
    ),
    plain="No margin loss with a convex phi, phi'(0) < 0, is consistent under low noise.",
    hypotheses=(_INCREASING, _FALLING),
    citation="DMJ13 §3 (its theorem on margin-based losses)",
    check=check(
        SCOPE,
        lambda: [*_margin_steps("low-noise"), bounded_below_implies_it(), not_needed()],
        _PROOF_OF_DMJ10,
    ),
    variants=(convexity_is_not_enough,),
)


# --- Ours: Theorem 11 already holds under additive noise, the smallest of the five conditions ------------

_ADDITIVE_SCOPE: Final = "three items, every h with h(a) > 0 for some a > 0, every convex φ with φ'(0) < 0"


def _one_distribution() -> Step:
    h12, h13, h23, h31 = (Fraction(n, 16) for n in (3, 8, 1, 4))
    return step(
        "One distribution does for every h",
        _ADDITIVE_SCOPE,
        "exact arithmetic, and Lemma 10",
        "Graphs of one edge of one weight a with h(a) > 0; probabilities 3/16, 8/16, 1/16, 4/16 on",
        "12, 13, 23, 31. Then h_ij = h(a) p_ij: h is a common factor, and it changes no minimizer.",
        "d12 = 3a/16, d23 = a/16, d13 = (8 − 4)a/16 = d12 + d23: additive, with y = (4, 1, 0)·a/16.",
        "Condition 1: p23 = 1/16 < p31 p12/(p13 + p12) = 12/(11·16). So Lemma 10 applies.",
        h23 < h31 * h12 / (h13 + h12) and h13 - h31 == h12 + h23,
    )


@false("No convex phi is right at any additive distribution on these four edges.")
def _any_additive_edges() -> Refutation:
    p = Distribution.from_aggregate([[0, 3, 5], [0, 0, 1], [1, 0, 0]])
    note = "a12, a13, a23, a31 = 3, 5, 1, 1, additive"
    return refuted_where_right(p, surrogate("logistic"), note)


ADDITIVE_THEOREM_11: Final = Statement(
    latex=(
        r"Let \(h(a) > 0\) for some \(a > 0\). For \(\phi\) convex with \(\phi'(0) < 0\) the edge loss "
        r"\(\sum_{(i \to j) \in G} h(a^G_{ij}) \phi(\alpha_i - \alpha_j)\) is not edge-consistent, even "
        r"where \(d_{ij} = y_i - y_j\) for some \(y\)."
    ),
    plain="No edge loss with a convex phi is consistent, not even under additive noise.",
    hypotheses=(r"\(h(a) > 0\) for some \(a > 0\)", _FALLING),
    citation="ours",
    check=check(
        _ADDITIVE_SCOPE,
        lambda: [
            *core_steps(),
            _one_distribution(),
            *given_h_steps({h: additive_case() for h in FUNCTIONS}, "additive"),
            not_needed(),
        ],
        "h need be neither continuous nor increasing, and h(0) = 0 is not used.",
    ),
    variants=(_any_additive_edges,),
)


# --- Ours: Theorem 12 already holds under additive noise -------------------------------------------------


@false("No convex phi is right at any additive distribution of these four graphs.")
def _any_additive_margins() -> Refutation:
    p, note = _with_chances(30, 10, 50, 10), "p = (.3, .1, .5, .1), additive"
    return refuted_where_right(p, surrogate("margin-logistic"), note)


ADDITIVE_THEOREM_12: Final = Statement(
    latex=(
        r"Let \(h(a) \ge 0\) for some \(a > 0\). For \(\phi\) convex with \(\phi'(0) < 0\) the margin loss "
        r"\(\sum_{(i \to j) \in G} \phi(\alpha_i - \alpha_j - h(a^G_{ij}))\) is not edge-consistent, even "
        r"where \(d_{ij} = y_i - y_j\) for some \(y\)."
    ),
    plain="No margin loss with a convex phi is consistent, not even under additive noise.",
    hypotheses=(r"\(h(a) \ge 0\) for some \(a > 0\)", _FALLING),
    citation="ours",
    check=check(
        SCOPE,
        lambda: [*_margin_steps("additive"), not_needed()],
        "h need be neither continuous nor increasing; one weight at which h is not negative is enough.",
    ),
    variants=(_any_additive_margins,),
)
