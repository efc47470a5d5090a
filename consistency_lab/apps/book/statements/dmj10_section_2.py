"""DMJ10 §2 and §3 read closely: two items, low noise, every convex phi, P and NP, Theorem 13 as printed."""

from fractions import Fraction
from itertools import combinations
from typing import Final

from consistency_lab.apps.book.risk import (
    enclosed_risk,
    rational_scores,
    refuted_by_core,
    score_orders,
    weights,
)
from consistency_lab.apps.book.slopes import convex_names, named_step, refuted_where_right, wrong
from consistency_lab.apps.book.statement import (
    FalseVariant,
    Line,
    Refutation,
    Statement,
    Step,
    also,
    check,
    false,
    idea,
    step,
)
from consistency_lab.apps.book.statements.dmj10_linear_loss import KINKED, without_differentiability
from consistency_lab.apps.book.statements.edge_losses import rising_case, single_edges
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.distribution import Distribution, Matrix
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.targets import scores_loss
from consistency_lab.numbers.exact import certainly_less, enclose
from consistency_lab.solve.optimal import optimal_orders

# --- DMJ10 §2.2, what two items ask of an edge loss: phi'(0) < 0, no kink at 0, and a linear h -----------

_KINK: Final = "max(0,max(1-x,1-3*x))"
_RAMP: Final = "max(0,min(1,1-x))"


def bent(h: str) -> Distribution:
    """Two items, 1 → 2 of weight 4 against 2 → 1 of weight 1, at which this h turns the preference round."""
    odds = Fraction(1, 8) if h in {"a**2", "a+a**3"} else Fraction(1, 3)
    chance = odds / (1 + odds)
    return Distribution.of(2, [(chance, {(0, 1): 4}), (1 - chance, {(1, 0): 1})])


def _linear_h() -> Step:
    return step(
        "If an edge loss is right at two items, then h(a) = ca with c ≠ 0, whatever φ is, convex or not",
        "two items, every φ, every h, all weights that graphs may have",
        "two distributions with proportional W and opposite edges; W by SymPy",
        "h(a) = 0: one edge of weight a has W = 0. h(a) > 0 > h(b): both weights on 1 → 2, with chances as",
        "−h(b) to h(a), have W = 0. Either way W* is attained everywhere, though 1 → 2 is an edge.",
        "Else all h have one sign. Let r = h(a)/h(b) < a/b (or exchange a and b), and draw 1 → 2 with",
        "weight a t times as often as 2 → 1 with weight b, b/a < t < 1/r, so d_12 > 0. If q is the",
        "chance of 2 → 1",
        ticked("    q t h(a)φ(x) + q h(b)φ(−x) = q h(b)(t r φ(x) + φ(−x)) for h(a) = r h(b)"),
        "The weight a alone, on 1 → 2 as t r to 1 on 2 → 1, has the same W up to a positive factor, and as",
        "t r < 1 the edge 2 → 1. So W* would be below the infimum over x ≤ 0 and below that over x > 0.",
    )


def ramp_costs_more(phi: str, p: Distribution, reach: int) -> bool:
    """Whether W ≥ ℓ at every weak order of scores, and W = ℓ* at an optimal order with gaps of `reach`."""
    terms, best = surrogate(phi=phi).risk_terms(p), optimal_orders(p.aggregate)
    above = all(
        not certainly_less(
            enclosed_risk(terms, rational_scores(x)), enclose(scores_loss(p.aggregate, rational_scores(x)))
        )
        for x in score_orders(p.m)
    )
    order = next(best.orders(1))
    spread = enclosed_risk(terms, rational_scores([-reach * order.index(i) for i in range(p.m)]))
    return above and not certainly_less(enclose(best.loss), spread)


SECTION_2_2: Final = Statement(
    latex=(
        r"Two items: if \(\sum h(a^G_{ij}) \phi(\alpha_i - \alpha_j)\) is edge-consistent, then"
        r" \(h(a) = c a\), \(c \ne 0\). For convex \(\phi\) and \(c > 0\) it is if and only if \(\phi\)"
        r" is differentiable at 0 with \(\phi'(0) < 0\)."
    ),
    plain="At two items an edge loss is right only if h is linear and, for convex phi, phi'(0) < 0 exists.",
    hypotheses=("two items, every distribution on graphs of one edge", r"\(\phi\) is convex (second claim)"),
    citation="DMJ10 §2.2 (before Assumption A) and DMJ13 §3; that h must be linear is ours",
    check=check(
        "two items; every φ and h (linear h), every convex φ (slopes at 0)",
        lambda: [_linear_h()],
        "The paper requires h ≥ 0, strictly increasing; in fact h must be linear on the weights that occur.",
        "Its sentence on φ'(0) is about nonincreasing φ; without convexity it is false: ramps that are flat "
        "at 0, or have a kink there, are right everywhere (bounded-stand-ins).",
        "All differences of two items are additive, so no noise condition helps.",
    ),
    variants=(
        FalseVariant(
            "A convex φ may have a kink at 0.",
            lambda: refuted_by_core(
                surrogate(phi=_KINK), weights(2, {(1, 2): 2, (2, 1): 1}), "additive", scores=(0, 0)
            ),
        ),
        FalseVariant(
            "A convex φ may have φ'(0) = 0.",
            lambda: refuted_by_core(
                surrogate(phi="x**2"), weights(2, {(1, 2): 1}), "additive", scores=(0, 0)
            ),
        ),
        FalseVariant(
            "Any h ≥ 0 that increases strictly will do at two items.",
            lambda: _wrong_at("h(a) = a²", bent("a**2"), "a**2"),
        ),
    ),
)


def _wrong_at(note: str, p: Distribution, h: str) -> Refutation:
    found = wrong(p, surrogate("logistic", h=h))
    regret = found.verified.regret if found is not None else "not certified"
    return Refutation(found is not None, f"{note}: logistic is wrong at two items, regret {regret}")


# --- DMJ10 after Definition 8: low noise leaves no cycle -------------------------------------------------


@false("An acyclic difference graph is low-noise.")
def _converse() -> Refutation:
    held = conditions_of(_mirrored({(1, 2): 1, (2, 3): 1}))
    return Refutation(held["acyclic"] and not held["low-noise"], "d_12 = d_23 = 1, d_13 = 0 < d_12 + d_23")


@false("It is enough that d_ik ≥ d_ij + d_jk wherever all three of ij, jk, ik are edges.")
def _only_edges() -> Refutation:
    d = _mirrored({(1, 2): 1, (2, 3): 1, (3, 1): 1})
    asked = [c for c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) if d[c[0]][c[2]] > 0]
    held = conditions_of(d)
    return Refutation(not asked and not held["acyclic"], "the cycle 1 → 2 → 3 → 1 has no such triple")


def _mirrored(edges: dict[tuple[int, int], int]) -> Matrix:
    return Distribution.from_aggregate(weights(3, edges)).difference


LOW_NOISE_ACYCLIC: Final = Statement(
    latex=r"If \(d_{ij}, d_{jk} > 0\) imply \(d_{ik} \ge d_{ij} + d_{jk}\), then \(\tilde G\) is a DAG.",
    plain="A low-noise difference graph has no cycle.",
    hypotheses=("low noise (Definition 8)",),
    citation="DMJ10 §2.2 (after Definition 8)",
    check=check(
        "all m",
        lambda: [
            idea(
                "The idea: a cycle can be shortened",
                "all m",
                "If i → j → k are edges, so is i → k, and it replaces both. A cycle of two edges is d_ij >",
                "0 > d_ij.",
            )
        ],
    ),
    variants=(_converse, _only_edges),
)


# --- Theorems 11 and 12 for every m >= 3 and every convex phi ----------------------------------------------


def one_distribution(m: int) -> Distribution:
    """Items 1, 2 and m − 2 others, which are alike: the distribution that refutes every convex phi."""
    w = 2 * m - 1
    odds = {(0, 1, Fraction(1)): w}
    for k in range(2, m):
        odds |= {(0, k, Fraction(1)): 2 * w + 1, (1, k, Fraction(1)): 1, (k, 0, Fraction(1)): w}
    whole = sum(odds.values())
    return Distribution.single_edges({edge: Fraction(n, whole) for edge, n in odds.items()}, m)


def _four_and_five() -> Step:
    wide = {m: one_distribution(m) for m in (4, 5)}
    cases = [
        (f"{name}, m = {m}", p, surrogate(name))
        for m, p in wide.items()
        for name in ("logistic", "hinge", "margin-logistic", "margin-hinge")
    ]
    return named_step("That distribution, which is additive", "m = 4 and 5, four surrogates", cases)


@false("Under Condition 1 no convex φ is right at three items, falling or not.")
def _rising() -> Refutation:
    p, phi = rising_case()
    return refuted_where_right(p, surrogate(phi=phi, h="a**2"), "a φ that rises at 0")


@false("φ need not be convex.")
def _ramp() -> Refutation:
    p = single_edges(Fraction(1))
    stands = ramp_costs_more(_RAMP, p, 1)
    return Refutation(stands, f"φ(x) = {_RAMP} has W ≥ ℓ, and W = ℓ* at (2, 1, 0): it is right there")


EVERY_CONVEX_LOSS: Final = Statement(
    latex=(
        r"Let \(\phi\) be convex, \(m \ge 3\). \(\sum h(a^G_{ij}) \phi(\alpha_i - \alpha_j)\) with"
        r" \(h(a) \ge 0\) for some \(a > 0\), and \(\sum \phi(\alpha_i - \alpha_j - h(a^G_{ij}))\) with"
        r" any \(h\), are not edge-consistent, even where \(d_{ij} = y_i - y_j\)."
    ),
    plain="No edge loss and no margin loss with a convex phi is consistent, for any number of items from 3.",
    hypotheses=(r"\(\phi\) is convex",),
    citation="DMJ10 Theorems 11 and 12; without φ'(0) < 0, Assumption A, minimizers, and for all m: ours",
    check=check(
        "all m ≥ 3, every convex φ",
        lambda: [
            idea(
                "The idea: the other items are one item of Lemma 10",
                "all m ≥ 3, every convex φ",
                "Graphs of one edge of one weight a; chances as w on 12, and 2w + 1 on 1k, 1 on 2k, w on k1",
                "for each of the n = m − 2 other items k, with w = 2n + 3: y is as (w + 1, 1, 0, ..., 0). In",
                "A(p) let all others have the score of the one that costs least; then they are one item,",
                "and Condition 1 is n(n(2w + 1) + w) < nw². If φ falls nowhere right of 0, equal scores",
                "cost no more than those in A(p).",
            ),
            _four_and_five(),
        ],
        "Neither φ'(0) < 0 nor Assumption A nor a minimizer (Lemma 9) is needed.",
    ),
    variants=(_rising, _ramp),
)


# --- DMJ10 Theorem 13 and Corollary 15 as printed: false -------------------------------------------------


def _printed() -> Step:
    found = without_differentiability()
    held = conditions_of(Distribution.from_aggregate(weights(2, {(1, 2): Fraction(1, 2)})).difference)
    return step(
        "r = x²/2 + |x|, strictly convex and 1-coercive, ties the items of an edge under additive"
        " differences",
        "two items, ν = 1, d_12 = 1/2",
        "an exact minimizer, accepted by the core",
        Line(found.witness, found.refuted),
        held["net-order"] and held["low-noise"] and held["additive"],
    )


THEOREM_13_AS_PRINTED: Final = Statement(
    latex=(
        r"Theorem 13 and Corollary 15 fail for \(r(x) = x^2/2 + |x|\), which is strictly convex and"
        r" 1-coercive: with \(\nu = 1\) and \(d_{12} = 1/2\) the minimizer is \((0, 0)\)."
    ),
    plain="Theorem 13 and Corollary 15 as printed are false: the regularizer must be differentiable.",
    hypotheses=("the printed ones: r is strictly convex and 1-coercive",),
    citation="ours, on DMJ10 Theorem 13 and Corollary 15",
    check=check(
        "one r and one p of two items",
        lambda: [_printed()],
        "With a differentiable r both hold: theorem-13, corollary-15. Every r with a kink fails.",
    ),
    variants=(
        FalseVariant(
            "That r is wrong wherever 1 → 2 is an edge.",
            lambda: refuted_where_right(
                Distribution.from_aggregate(weights(2, {(1, 2): 2})),
                surrogate("linear", r=KINKED),
                "d_12 = 2",
            ),
        ),
        FalseVariant(
            "r = x²/2 fails there too.",
            lambda: refuted_where_right(
                Distribution.from_aggregate(weights(2, {(1, 2): Fraction(1, 2)})),
                surrogate("linear"),
                "d_12 = 1/2",
            ),
        ),
    ),
)


# --- Convex surrogates and P = NP: with scores of the items there are none for four items or more --------


def _none() -> Step:
    return step(
        "No φ(·, G) convex in m scores is edge-consistent, if m ≥ 4, or m ≥ 3 and shifts cost nothing",
        "all φ(·, G) convex and bounded below, graphs of one edge among the G",
        "dimensions, and approximate subgradients; counts and an exchange by SymPy",
        "Draw every edge i → j of weight 1 equally often, p₀; let W(p₀, α) ≤ W*(p₀) + ε. Then there are",
        "ε_G-subgradients g_G of φ(·, G) at α with Σ p₀_G g_G = 0 and Σ p₀_G ε_G = ε. The system",
        "Σ_{i<j} t_ij (g_ij − g_ji) = 0 of m equations, or m − 1 if no g_G sees shifts, has some t ≠ 0:",
        ticked("    m(m − 1)/2 − m > 0 for m = 4 + k, k ≥ 0"),
        ticked("    m(m − 1)/2 − (m − 1) > 0 for m = 3 + k, k ≥ 0"),
        "Let p± = p₀ ± v with v_ij = t_ij, v_ji = −t_ij, so large that the least chance is p₀/2. Then",
        "Σ p±_G g_G = 0, so 0 is a 2ε-subgradient: W(p±, α) ≤ W*(p±) + 2ε. Let ε → 0 along t → t*: as",
        "W(p, α) ≤ max(p_G/p'_G) W(p', α) for φ ≥ 0, the scores come near W* at both limits, which are",
        "d = ±2t* ≠ 0. If the loss is right there, they are at last in both A(p), so minimize and maximize",
        "Σ_{i<j} d_ij 1(α_i ≤ α_j), which is then constant, and so is its change d_ij when neighbors i, j",
        "are exchanged: all d_ij = 0, a contradiction.",
    )


def _cycle() -> Step:
    p = Distribution.from_aggregate([[0, 3, 1], [1, 0, 3], [3, 1, 0]])
    names = [*convex_names(), "linear"]
    return named_step(
        "The construction at three items: p₀ and a cycle, where equal scores are minimal",
        f"m = 3, {len(names)} surrogates",
        [(name, p, surrogate(name)) for name in names],
    )


@false("No surrogate convex in the scores is right at two items either.")
def _two_items_are_right() -> Refutation:
    return refuted_where_right(
        Distribution.from_aggregate([[0, 3], [1, 0]]), surrogate("logistic"), "a_12, a_21 = 3, 1"
    )


@false("No surrogate convex in the scores is right at any p of four items.")
def _some_p() -> Refutation:
    a = weights(4, {(i, j): j - i for i, j in combinations((1, 2, 3, 4), 2)})
    return refuted_where_right(Distribution.from_aggregate(a), surrogate("linear"), "a_ij = (j − i)₊")


DMJ13_P_NP: Final = Statement(
    latex=(
        r"If \(\varphi(\cdot, G)\) is convex on \(\mathbf{R}^m\) and bounded below, \(m \ge 4\), then"
        r" \(\varphi\) is not edge-consistent at every \(p\), whether or not P = NP."
    ),
    plain="No surrogate that is convex in one score an item is consistent for every p, from four items on.",
    hypotheses=(
        r"\(\varphi(\cdot, G)\) is convex and bounded below for every \(G\)",
        r"\(m \ge 4\), or \(m \ge 3\) and \(\varphi\) is invariant to shifts",
    ),
    citation="DMJ10 §2.1 and DMJ13 §3 (after the lemma that minimizing is NP-hard); without P ≠ NP: ours",
    check=check(
        "all m ≥ 4 (m ≥ 3 if shifts cost nothing), every φ(·, G) convex and bounded below",
        lambda: [_none(), also(_cycle())],
        "The papers argue that a convex W is minimized to a fixed accuracy in polynomial time, so Lemma 7 "
        "forbids it unless P = NP. This ignores that the accuracy needed, H_m(ε), may shrink fast with m.",
        "With m(m − 1) scores, decoded by a search, one is consistent for every p: see rat13-theorem-3.",
    ),
    variants=(_two_items_are_right, _some_p),
)
