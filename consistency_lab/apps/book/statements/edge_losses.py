"""Edge and margin losses with convex phi are wrong: DMJ10 Lemma 10, Theorems 11 and 12, and beyond.

All of it is proved in formal/theorems, Lemma10.v and Theorems11and12.v; what stands here are the statements,
the ideas, and false variants with counterexamples.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from consistency_lab.apps.book.slopes import from_weights, refuted_where_right
from consistency_lab.apps.book.statement import Refutation, Statement, check, false, step
from consistency_lab.apps.book.three_items import hinges
from consistency_lab.model.conditions import condition, conditions_of
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.properties import ASSUMPTION_A, Status, properties
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.phi import parse

# --- DMJ10 Lemma 10: on four edges, two conditions on h under which no convex phi is right ---------------
# Three items, weights on 12, 13, 23 and 31 only. What is more is in `four-edges`: the conditions with <= are
# necessary as well.

_FALLING: Final = r"\(\phi\) is convex, \(\phi'(0) < 0\)"
_ASSUMPTION_A: Final = "Assumption A (not needed)"
_INCREASING: Final = r"\(h\) is continuous and increasing, \(h(0) = 0\)"


def printed_conditions(p: Distribution) -> tuple[bool, bool]:
    """Conditions 1 and 2 at a p of three items, for h(a) = a."""
    (_, h12, h13), (_, _, h23), (h31, _, _) = p.aggregate
    return h23 * (h13 + h12) < h31 * h12, h12 * (h13 + h23) < h31 * h23


@false("Lemma 10 with >= in place of < in both conditions.")
def _reversed() -> Refutation:
    p = from_weights({"12": 1, "13": 2, "23": 1, "31": 1})
    note = "h12, h13, h23, h31 = 1, 2, 1, 1: h23 = 1 > 1/3 = h31 h12/(h13+h12), and so for Condition 2"
    return refuted_where_right(p, surrogate("logistic"), note, not any(printed_conditions(p)))


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
    return refuted_where_right(p, surrogate("logistic"), note, any(printed_conditions(p)))


LEMMA_10: Final = Statement(
    latex=(
        r"For convex \(\phi\) with \(\phi'(0) < 0\),"
        r" \(W^*(p) = \inf_\alpha \{W(p,\alpha) : \alpha \notin A(p)\}\) whenever Condition 1,"
        r" \(h_{23} < \frac{h_{31} h_{12}}{h_{13} + h_{12}}\), or Condition 2,"
        r" \(h_{12} < \frac{h_{31} h_{23}}{h_{13} + h_{23}}\), is satisfied."
    ),
    plain="With weights on the edges 12, 13, 23, 31 under one of two conditions, no convex phi is right.",
    hypotheses=(
        r"\(A(p) \subseteq \{\alpha : \alpha_1 > \alpha_2 > \alpha_3\}\), as where"
        r" \(a_{13} > a_{31} > 0\), \(a_{12} > 0\), \(a_{23} > 0\)",
        r"\(W(p,\alpha) = h_{12}\phi(\alpha_1-\alpha_2) + h_{13}\phi(\alpha_1-\alpha_3)"
        r" + h_{23}\phi(\alpha_2-\alpha_3) + h_{31}\phi(\alpha_3-\alpha_1)\)",
        _FALLING,
        _ASSUMPTION_A,
    ),
    citation="DMJ10 Lemma 10 (with Eq. 10-12)",
    check=check(
        "three items, a13 > a31, every h_ij > 0, every convex φ with φ'(0) < 0",
        lambda: [
            step(
                "The idea: scores in the right order are matched by scores with a tie that cost no more",
                "three items, every convex φ with φ'(0) < 0",
                "in short; Coq has every step",
                "Let Condition 1 hold and α₁ > α₂ > α₃. Move 2 down to 3, and 1 down by",
                "(α₂ − α₃) h12/(h12 + h13): by subgradients of φ, of which those at 0 are negative, W does",
                "not rise. So inf {W : α ∉ A(p)} = W*, attained or not. Condition 2 is the mirror image.",
            )
        ],
        "Assumption A, which the paper makes throughout Section 2.2, is not needed.",
        "The paper requires a13 > a31 only to make A(p) the set α₁ > α₂ > α₃; "
        "a31 < a13 + min(a12, a23) is enough.",
        "The lemma also holds with ≤ in its conditions, and then they are necessary: see four-edges.",
        "Without φ'(0) < 0 it is false (second false variant); such φ fail with two items: see theorem-11.",
    ),
    variants=(_reversed, _rising, _heavy_back_edge),
)


# --- DMJ10 Theorem 11: edge losses with convex phi are inconsistent even under low noise -----------------

_HALF: Final = Fraction(1, 2)


def two_graphs(edges: Mapping[str, Fraction]) -> Distribution:
    """G1 = {12, 13} and G2 = {23, 31} with these weights and probability 1/2 each (proof of Theorem 11)."""
    first = {(0, 1): edges["12"], (0, 2): edges["13"]}
    second = {(1, 2): edges["23"], (2, 0): edges["31"]}
    return Distribution.of(3, [(_HALF, first), (_HALF, second)])


_EDGE_SCOPE: Final = "every h with h(a) ≥ 0 for some a > 0, every convex φ"
_MARGIN_SCOPE: Final = "every h, every convex φ"


def _edges(a12: str, a13: str, a23: str, a31: str) -> dict[str, Fraction]:
    return {"12": Fraction(a12), "13": Fraction(a13), "23": Fraction(a23), "31": Fraction(a31)}


@false("The construction of Theorem 11 with any a23 > 0 that is low-noise.")
def _heavy() -> Refutation:
    p = two_graphs(_edges("1", "9", "4", "1"))
    note = "h(a) = a, a12, a13, a23, a31 = 1, 9, 4, 1, low-noise, but a23 is not light"
    return refuted_where_right(p, surrogate("logistic"), note, condition("low-noise").holds(p.difference))


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
        lambda: [
            step(
                "The idea: one distribution does for every h, and Lemma 10 applies",
                "three items, h(a) ≥ 0",
                "in short; Coq has every step",
                "Graphs of one edge of one weight a; chances 5/22, 11/22, 1/22, 5/22 on 12, 13, 23, 31.",
                "h(a) is a common factor, d12 = 5a/22, d23 = a/22, d13 = 6a/22 = d12 + d23, and Condition 1",
                "is 1 < 25/16. If φ falls nowhere right of 0, equal scores cost no more than those in A(p).",
            )
        ],
        "The printed proof bounds a23 by a13 − a12 and omits a31: a12, a13, a23, a31 = 2, 3, 1/4, 5/2 fits "
        "its choice, but d13 = 1/4 < d12 = 1, so it is not low-noise. Take a13 > a12 + a31 first, and then "
        "a23 <= min{ε, a13 − a12 − a31}.",
        "Neither Assumption A nor φ'(0) < 0 is needed, nor that h is continuous, increasing or 0 at 0; and "
        "it already holds under additive noise: additive-theorem-11.",
    ),
    variants=(_heavy, _printed_weights),
)


# --- DMJ10 Theorem 12: margin losses with convex phi are inconsistent even under low noise ---------------

PROBABILITIES: Final[Mapping[tuple[int, int], Fraction]] = {
    (0, 1): Fraction(25, 100),
    (1, 2): Fraction(1, 100),
    (0, 2): Fraction(50, 100),
    (2, 0): Fraction(24, 100),
}
"""p = (.25, .01, .5, .24) on the edges 12, 23, 13, 31."""


def single_edges(weight: Fraction, p: Mapping[tuple[int, int], Fraction] = PROBABILITIES) -> Distribution:
    """The four graphs, all edges of this weight."""
    return Distribution.single_edges({(i, j, weight): q for (i, j), q in p.items()}, 3)


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
        _MARGIN_SCOPE,
        lambda: [
            step(
                "The idea: one distribution does for every margin",
                "three items, every margin",
                "in short; Coq has every step",
                "All edges have one weight a with c = h(a), so W(α) = Σ p_ij ψ(α_i − α_j), ψ(x) = φ(x − c),",
                "and Lemma 10 applies to ψ; if ψ falls nowhere right of 0, equal scores refute it.",
            )
        ],
        "The weights of G2 and G3 are printed for the edges 13 and 23; G2 has the edge 23 and G3 the edge "
        "13. Read as printed, the difference graph is a cycle.",
        "Neither Assumption A nor φ'(0) < 0 is needed, nor any property of h.",
        "d13 = d12 + d23 exactly, so the same distribution is additive: see additive-theorem-12.",
    ),
    variants=(_printed_edges, _other_probabilities),
)


# --- DMJ13's inconsistency theorems: DMJ10 Theorems 11 and 12 without Assumption A ------------------------


@false("Every convex phi satisfies Assumption A, bounded below or not.")
def _convexity_is_not_enough() -> Refutation:
    phi = parse("max(0-x,0-2*x)")
    found = properties(phi)
    refuted = found[ASSUMPTION_A].status is Status.REFUTED and found["convex"].status is Status.PROVED
    return Refutation(refuted, f"phi = {phi} is convex, and {found[ASSUMPTION_A].value}")


_AS_DMJ10: Final = step(
    "Where structures are graphs, structure-consistency is edge-consistency",
    "finitely many graphs",
    "by hand, from the definitions",
    "Let the structures be graphs G, finitely many, with the pairwise disagreement as the loss L. Then",
    "structure-consistency asks at every p that W(p, α^n) → W*(p) makes L(p, α^n) least: Definition 2",
    "of DMJ10, as L takes finitely many values. So what is not edge-consistent does not have it.",
)
_PROOF_OF_DMJ10: Final = (
    "The paper defers the proof to its supplement; this is the one of DMJ10. Assumption A follows from "
    "boundedness below, which the paper requires, and is not needed."
)

DMJ13_EDGE: Final = Statement(
    latex=(
        r"If \(\phi\) is convex, then even in the low-noise setting the loss "
        r"\(\sum_{(i \to j) \in G} h(a^G_{ij}) \phi(\alpha_i - \alpha_j)\) is not structure-consistent."
    ),
    plain="No edge loss with any convex phi is consistent under low noise; Assumption A is not needed.",
    hypotheses=(_INCREASING, r"\(\phi\) is convex"),
    citation="DMJ13 §3 (its theorem on surrogates of the pairwise form)",
    check=check(_EDGE_SCOPE, lambda: [_AS_DMJ10], _PROOF_OF_DMJ10),
    variants=(_convexity_is_not_enough,),
)

DMJ13_MARGIN: Final = Statement(
    latex=(
        r"If \(\phi\) is convex, then even in the low-noise setting the loss "
        r"\(\sum_{(i \to j) \in G} \phi(\alpha_i - \alpha_j - h(a^G_{ij}))\) is not structure-consistent."
    ),
    plain="No margin loss with a convex phi is consistent under low noise.",
    hypotheses=(_INCREASING, r"\(\phi\) is convex"),
    citation="DMJ13 §3 (its theorem on margin-based losses)",
    check=check(_MARGIN_SCOPE, lambda: [_AS_DMJ10], _PROOF_OF_DMJ10),
    variants=(_convexity_is_not_enough,),
)


# --- Ours: both already hold under additive noise, the smallest of the five conditions -------------------


@false("No convex phi is right at any additive distribution on these four edges.")
def _any_additive_edges() -> Refutation:
    p = Distribution.from_aggregate([[0, 3, 5], [0, 0, 1], [1, 0, 0]])
    note = "a12, a13, a23, a31 = 3, 5, 1, 1, additive"
    return refuted_where_right(p, surrogate("logistic"), note, condition("additive").holds(p.difference))


ADDITIVE_THEOREM_11: Final = Statement(
    latex=(
        r"Let \(h(a) \ge 0\) for some \(a > 0\). For convex \(\phi\) the edge loss "
        r"\(\sum_{(i \to j) \in G} h(a^G_{ij}) \phi(\alpha_i - \alpha_j)\) is not edge-consistent, even "
        r"where \(d_{ij} = y_i - y_j\) for some \(y\)."
    ),
    plain="No edge loss with a convex phi is consistent, not even under additive noise.",
    hypotheses=(r"\(h(a) \ge 0\) for some \(a > 0\)", r"\(\phi\) is convex"),
    citation="ours",
    check=check(
        _EDGE_SCOPE,
        list,
        "h need be neither continuous nor increasing, and h(0) = 0 is not used.",
    ),
    variants=(_any_additive_edges,),
)


# --- Ours: Theorem 12 already holds under additive noise -------------------------------------------------


@false("No convex phi is right at any additive distribution of these four graphs.")
def _any_additive_margins() -> Refutation:
    p, note = _with_chances(30, 10, 50, 10), "p = (.3, .1, .5, .1), additive"
    given = condition("additive").holds(p.difference)
    return refuted_where_right(p, surrogate("margin-logistic"), note, given)


ADDITIVE_THEOREM_12: Final = Statement(
    latex=(
        r"For convex \(\phi\) and any \(h\) the margin loss "
        r"\(\sum_{(i \to j) \in G} \phi(\alpha_i - \alpha_j - h(a^G_{ij}))\) is not edge-consistent, even "
        r"where \(d_{ij} = y_i - y_j\) for some \(y\)."
    ),
    plain="No margin loss with a convex phi is consistent, not even under additive noise.",
    hypotheses=(r"\(\phi\) is convex",),
    citation="ours",
    check=check(
        _MARGIN_SCOPE,
        list,
        "The distribution of Theorem 12 is additive: d13 = d12 + d23 exactly.",
    ),
    variants=(_any_additive_margins,),
)
