"""Designs of comparison (ours): orders by addition, and which designs are harmless under which conditions.

Throughout W = Σ a_ij φ(α_i − α_j), n_ij = a_ij + a_ji, P_ij = a_ij/n_ij, d_ij = a_ij − a_ji, N_i = Σ_k d_ik,
u(x) = −φ'(x) − φ'(−x). See docs/theory.md, Orders by addition and Designs.
"""

from fractions import Fraction
from functools import cache
from typing import Final

from consistency_lab.apps.book.risk import refuted_by_core
from consistency_lab.apps.book.statement import (
    FalseVariant,
    Line,
    Refutation,
    Statement,
    Step,
    check,
    idea,
    step,
)
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.certify.addition import proved_by_addition
from consistency_lab.decide.theorems.unequal_counts import unequal_counts
from consistency_lab.model.conditions import condition, whole
from consistency_lab.model.designs import design
from consistency_lab.model.surrogates import surrogate
from consistency_lab.search.designs import constructions

_OURS: Final = "ours"
_EDGE: Final = r"\(W = \sum a_{ij} \phi(\alpha_i - \alpha_j)\)"
_REGULAR: Final = r"\(\phi\) is convex, differentiable and bounded below, \(\phi'(0) < 0\)"
_ALGEBRA: Final = "the slope along one direction; its algebra by SymPy"


@cache
def _built(case: str) -> Refutation:
    """A construction leads to a witness; the case is a loss, a condition, a design and how many items."""
    name, noise, schedule, m = case.split()
    for one in constructions(surrogate(name).functions[0], noise, schedule, int(m)):
        found = refuted_by_core(surrogate(name), one.aggregate, condition(noise).name, strict=one.strict)
        if found.refuted and design(schedule).holds(one.aggregate):
            return Refutation(True, f"{name}, {schedule}, counts {whole(one.aggregate)}: {found.witness}")
    return Refutation(False, f"{name}: no construction for {noise} and {schedule} with {m} items")


def _false(statement: str, case: str) -> FalseVariant:
    """A variant without one hypothesis, which a construction refutes."""
    return FalseVariant(statement, lambda: _built(case))


def _unlike(statement: str, rule: str, name: str, counts: str, i: int, j: int) -> FalseVariant:
    """The rule puts i above j for a regular loss, and this loss does not; a_ij row by row."""

    def refute() -> Refutation:
        a = [[Fraction(x) for x in row] for row in counts.split()]
        regular = "logistic" if rule == "gap" else "exponential"  # of which the gap says nothing
        proved = proved_by_addition(surrogate(regular).functions[0], a, [(i - 1, j - 1)]).pairs
        found = refuted_by_core(surrogate(name), a, "acyclic", strict=True)
        refuted = found.refuted and any(one.rule == rule for one in proved)
        return Refutation(refuted, f"the {rule} proves {i} above {j}; {name}, {found.witness}")

    return FalseVariant(statement, refute)


# --- Domination (Theorem D), with what it rests on: edges are enough, and slopes make gaps ---------------


def _edges_are_enough() -> Step:
    return step(
        "Pairs proved one by one prove a whole distribution, and a slope proves a pair",
        "all m, φ convex, differentiable and bounded below",
        "two arguments in words",
        "Write i ▷ j if inf {W : α_i ≤ α_j} > W*. If i ▷ j on every edge, no cycle can be, since every",
        "α inverts an edge of it; and the complement of A(p) is a union of finitely many such sets.",
        "If at each α with α_i ≤ α_j one of finitely many slopes is at most −c, then i ▷ j: where",
        "W ≤ W* + 1 each argument x ≥ −B, and φ' is uniformly continuous there, so for one t > 0 the slope",
        "is at most −c/2 along the length t, and W ≥ W* + tc/2.",
    )


_END: Final = step(
    "The same for λ = ∞",
    "all m, φ as stated",
    "by hand, from λ = 0 in Coq",
    "Let a'_ij = a_ji, so W'(α) = W(−α). The hypothesis at λ = ∞ for i and j in a is that at λ = 0 for",
    "j and i in a', so inf {W' : α_j ≤ α_i} > inf W', and with −α for α this is what is claimed.",
)


DOMINATION: Final = Statement(
    latex=(
        r"If \(a_{ij} > a_{ji}\) and \(\lambda a_{ik} \ge a_{jk}\), \(\lambda a_{ki} \le a_{kj}\) for all"
        r" \(k \ne i, j\) and one \(\lambda \in [0, \infty]\), then"
        r" \(\inf\{W : \alpha_i \le \alpha_j\} > \inf W\)."
    ),
    plain="An item that does better than another against every third one, after scaling, is put above it.",
    hypotheses=(_EDGE, _REGULAR, r"\(\phi\) is nonincreasing", r"\(a_{ij} > a_{ji}\)", "one λ for all k"),
    citation=_OURS,
    check=check(
        "all m, all φ convex, differentiable, bounded below and nonincreasing with φ'(0) < 0",
        lambda: [_END],
        "With a kink of φ no minimizer is strictly inverted, but two items may be tied.",
    ),
    variants=(
        _unlike(
            "φ need not be nonincreasing: the square.", "domination", "square", "0138 0030 0005 0000", 1, 2
        ),
        _false("φ may have a kink: on an AUC every edge is dominated.", "hinge auc any 3"),
        _false("That a_ij > a_ji is enough.", "logistic additive complete 3"),
    ),
)


# --- The gap of net wins (Theorem R) ---------------------------------------------------------------------


GAP_OF_WINS: Final = Statement(
    latex=(
        r"If \(\lambda N_i - N_j > \sum_{k \ne i,j} |\lambda n_{ik} - n_{jk}|\) for one"
        r" \(\lambda \in [0, \infty]\), then \(\inf\{W : \alpha_i \le \alpha_j\} > \inf W\)."
    ),
    plain="A gap of net wins that exceeds the difference of the schedules decides the order of two items.",
    hypotheses=(_EDGE, _REGULAR, r"\(\phi\) is nonincreasing", r"\(u\) is constant"),
    citation=_OURS,
    check=check(
        "all m, all φ convex, differentiable, bounded below and nonincreasing with u constant",
        lambda: [_END],
    ),
    variants=(
        _unlike("φ need not be nonincreasing: the square.", "gap", "square", "0205 0074 0201 0200", 3, 4),
        _unlike("u need not be constant: the exponential loss.", "gap", "exponential", "013 003 100", 1, 2),
        _false("A gap of net wins is enough, whatever the schedules.", "logistic additive complete 3"),
    ),
)


# --- Products (D', its corollary under SST, and Theorem P), and weighted Borda (Theorem B) ---------------


def _equal_links() -> Step:
    return step(
        "If λn_ik = n_jk and P_ik ≥ P_jk, the slope along λe_i − e_j is at most (λ + 1)(a_ij − a_ji)φ'(0)",
        "all m, φ convex and differentiable with u ≥ 0",
        _ALGEBRA,
        "s(P, x) = −Pφ'(x) + (1 − P)φ'(−x), the push of one comparison, falls in x, and rises in P:",
        ticked("−Pφ'(x) + (1 − P)φ'(−x) = φ'(−x) + P u(x) for u(x) = −φ'(x) − φ'(−x)"),
        "so s(P, x) − s(Q, x) is",
        ticked("φ'(−x) + P u(x) − (φ'(−x) + Q u(x)) = (P − Q)u(x)"),
        "So n_jk(s(P_jk, δ_jk) − s(P_ik, δ_ik)) ≤ 0 where α_i ≤ α_j. With n_ik = w_i w_k take λ = w_j/w_i;",
        "with three items λ = n_jk/n_ik for the one other item. Strong transitivity says P_ik ≥ P_jk.",
    )


def _only_products() -> Step:
    return step(
        "A complete design that is no product has an SST P at which two tied items should not be",
        "all m ≥ 4, φ regular with a strictly increasing link near 0",
        "a regular 2 × 2 system by SymPy; that the tie can be made strict, by continuity",
        "Take small scores, β_i = β_j above all others, all P from the link, and P_ij = 1/2 + ε. The pushes",
        "on i and j vanish again if n_ik s_k + n_il s_l = −c and n_jk s_k + n_jl s_l = c, c = εu(0)n_ij,",
        "for changes s_k, s_l of P_ik = P_jk and P_il = P_jl. This has one solution if and only if",
        "n_ik n_jl ≠ n_il n_jk, as n_jl times the first less n_il times the second, −c(n_jl + n_il), is",
        ticked("(n_ik s_k + n_il s_l)n_jl − (n_jk s_k + n_jl s_l)n_il = s_k (n_ik n_jl − n_il n_jk)"),
        "P_kl balances k; then l is balanced, since pushes add up to 0.",
    )


PRODUCT_DESIGNS: Final = Statement(
    latex=(
        r"Under strong stochastic transitivity \(W\) is right at every p with \(n_{ij} = w_i w_j\), and with"
        r" three items at every p; for every other complete design it is wrong at some."
    ),
    plain="Under strong transitivity the harmless complete designs are the products.",
    hypotheses=(
        _EDGE,
        _REGULAR,
        r"\(u \ge 0\); for the converse that the link \(-\phi'(-x)/u(x)\) increases strictly near 0",
        "P is strongly transitive",
        r"\(n_{ij} = w_i w_j\), or \(m = 3\)",
    ),
    citation=_OURS,
    check=check(
        "all m, all φ convex, differentiable and bounded below with φ'(0) < 0 and u ≥ 0",
        lambda: [
            _edges_are_enough(),
            _equal_links(),
            _only_products(),
        ],
    ),
    variants=(
        _false("Any complete design will do.", "logistic sst complete 4"),
        _false("No pair compared more than three times another will do.", "square sst ratio:3 4"),
        _false(
            "Additive differences will do in place of strong transitivity.", "logistic additive product 3"
        ),
        _false("φ may have a kink.", "hinge sst balanced 3"),
    ),
)


def _borda_slope() -> Step:
    return step(
        "Along e_i/w_i − e_j/w_j the slope is −|c|(N_i/w_i − N_j/w_j) + F(α_i) − F(α_j), F nondecreasing",
        "all m, φ convex and differentiable with u constant",
        _ALGEBRA,
        "φ(x) = cx + e(x), e even, convex, c = φ'(0) < 0: W = c Σ N_i α_i + Σ_{i<j} n_ij e(α_i − α_j).",
        ticked("−|c|N_i/w_i + |c|N_j/w_j = −|c|(N_i/w_i − N_j/w_j)"),
        "and the pair i, k has, as j, k has,",
        ticked("w_i w_k e'/w_i = w_k e'"),
        "So F(x) = Σ_k w_k e'(x − α_k), and e' does not fall: where α_i ≤ α_j the slope is at most",
        "−|c|(N_i/w_i − N_j/w_j). The pair i, j itself has e'(α_i − α_j) ≤ 0 with positive weights.",
    )


WEIGHTED_BORDA: Final = Statement(
    latex=(
        r"If \(n_{ij} = w_i w_j\) and \(N_i/w_i > N_j/w_j\), then"
        r" \(\inf\{W : \alpha_i \le \alpha_j\} > \inf W\), for every P."
    ),
    plain="On a product design W sorts by Borda counts weighted by popularity.",
    hypotheses=(_EDGE, _REGULAR, r"\(u\) is constant", r"\(n_{ij} = w_i w_j\)"),
    citation=_OURS,
    check=check(
        "all m, all φ convex, differentiable and bounded below with φ'(0) < 0 and u constant",
        lambda: [_edges_are_enough(), _borda_slope()],
        "So with equal counts it is Borda, right wherever net preferences are in order.",
    ),
    variants=(
        _false("u need not be constant: the exponential loss.", "exponential net-order balanced 3"),
        _false("u constant where φ' < 0 is enough: the squared hinge.", "squared-hinge net-order balanced 4"),
        _false("It sorts by N_i itself, which orders additive differences.", "logistic additive product 3"),
        _false("Borda is right wherever the difference graph is acyclic.", "logistic acyclic balanced 3"),
    ),
)


# --- Balanced designs (D' and its corollary under low noise), and only these (Theorem A) -----------------


def _rows_in_order() -> Step:
    return step(
        "Low noise puts rows in order: d_ij > 0 implies d_ik ≥ d_jk for all k",
        "all m",
        "three cases, each a linear identity",
        "d_jk = x > 0: d_ik = d_ij + x + y with y ≥ 0, by low noise,",
        ticked("d_ik − d_jk = d_ij + y > 0 for d_ik = d_ij + x + y, d_jk = x, d_ij > 0, y ≥ 0"),
        "d_ki = x > 0: d_kj = x + d_ij + y with y ≥ 0,",
        ticked("d_ik − d_jk = d_ij + y > 0 for d_ik = −x, d_jk = −(x + d_ij + y), d_ij > 0, y ≥ 0"),
        "Else d_jk ≤ 0 ≤ d_ik. With equal counts d_ik ≥ d_jk says P_ik ≥ P_jk, and λ = 1 serves.",
    )


def _unbalanced() -> Step:
    return step(
        "With n_ik ≠ n_jk some additive d leaves equal scores of i and j where d_ij ≠ 0",
        "all m ≥ 3, φ convex, differentiable and bounded below with φ'(0) < 0",
        "the difference of two rows of a weighted Laplacian; the rest by continuity",
        "All scores are 0 but that of k, −t, where φ leaves the line through 0. The pushes vanish for the y",
        "that solve Σ_q u(β_p − β_q)(y_p − y_q) = Σ_q n_pq(φ'(β_p − β_q) − φ'(β_q − β_p)). In rows i and j",
        "all other terms agree but for those of y_i and y_j. Up to sign",
        "row i less row j is, with h = φ'(−t) − φ'(t),",
        ticked("u(t)(y_i − y_k) − n_ik h − (u(t)(y_j − y_k) − n_jk h) = u(t)(y_i − y_j) − (n_ik − n_jk)h"),
        "plus u(0)(y_i − y_j) for each other item and twice for the pair. All factors of y_i − y_j are",
        "positive for small t, so it has a sign, and |d| ≤ n. Then let β_i = −θ, θ small.",
    )


BALANCED_DESIGNS: Final = Statement(
    latex=(
        r"Under low noise \(W\) is right at every p whose \(n_{ij}\) are all equal; for every other"
        r" complete design it is wrong at some p with additive differences."
    ),
    plain="Under low noise, and for additive differences, the harmless complete designs are balanced.",
    hypotheses=(_EDGE, _REGULAR, r"\(u \ge 0\)", "low noise, or rows in order", r"\(n_{ij} = n_{kl}\)"),
    citation=_OURS,
    check=check(
        "all m, all φ convex, differentiable and bounded below with φ'(0) < 0 and u ≥ 0",
        lambda: [
            _edges_are_enough(),
            _rows_in_order(),
            _equal_links(),
            _unbalanced(),
        ],
    ),
    variants=(
        _false("Drawing both items independently will do.", "logistic additive product 3"),
        _false("No pair compared more than twice another will do.", "logistic low-noise ratio:2 3"),
        _false("Net preferences in order will do, for every φ.", "exponential net-order balanced 3"),
        _false("An acyclic difference graph will do.", "square acyclic balanced 3"),
        _false("φ may have a kink.", "hinge additive balanced 3"),
    ),
)


# --- Bradley-Terry chances (Theorem T3), and AUC ---------------------------------------------------------


BRADLEY_TERRY: Final = Statement(
    latex=(
        r"\(W\) is right at every p with \(a_{ij}/a_{ji} = s_i/s_j\), whatever the counts, if and only if"
        r" \(\phi'(-x) = e^{kx} \phi'(x)\) for some \(k > 0\); four items are enough for 'only if'."
    ),
    plain="Under Bradley-Terry the order is correct for all counts if and only if the link is logistic.",
    hypotheses=(_EDGE, _REGULAR, r"\(\phi\) is nonincreasing", r"\(a_{ij}/a_{ji} = s_i/s_j\)"),
    citation=_OURS,
    check=check(
        "all m, all counts, all φ convex, differentiable, bounded below and nonincreasing with φ'(0) < 0",
        lambda: [
            idea(
                "The idea: pairs are minimal together, or a ring of four contradicts itself",
                "all m",
                "If φ'(−x) = e^(kx) φ'(x), then α = log(s)/k minimizes each pair. Otherwise the best",
                "differences of pairs do not add up as log odds do: on a ring of four three frequent pairs",
                "outweigh the fourth, and put it in the wrong order.",
            )
        ],
        "If φ'(−x) = e^(kx) φ'(x), φ does not rise, as φ' does not fall.",
    ),
    variants=(
        _false("The square, whose link is a line, will do.", "square bradley-terry any 4"),
        _false(
            "The squared hinge will do if all pairs are compared.", "squared-hinge bradley-terry complete 4"
        ),
        _false("φ may have a kink.", "hinge bradley-terry any 4"),
        _false("Strong transitivity will do in place of Bradley-Terry.", "logistic sst complete 4"),
    ),
)


def _parabola() -> Step:
    return step(
        "A parabola, which is not nonincreasing, is right on an AUC all the same",
        "all m, φ(x) = ax² + bx + c with a > 0 > b",
        "the normal equations, by SymPy",
        "Let x, y be the masses of positives and negatives, of sum 1 each, β = Σ y_j α_j, γ = Σ x_j α_j and",
        "κ = −b/a. Terms with i = j are constant; W is least where its slopes are 0:",
        ticked("x(α − β) − xκ/2 + y(α − γ) + yκ/2 = 0 for α = (x(β + κ/2) + y(γ − κ/2))/(x + y)"),
        ticked("(x(β + κ/2) + y(γ − κ/2))/(x + y) = γ − κ/2 + (κ − (γ − β)) x/(x + y)"),
        "With D = γ − β and Δ = Σ (x − y) x/(x + y) = ½ Σ (x − y)²/(x + y) ≥ 0, D = (κ − D)Δ, so",
        ticked("κ − D = κ/(1 + Δ) > 0 for D = κΔ/(1 + Δ), κ > 0, Δ ≥ 0"),
        "Both forms of Δ are the same, as masses have sum 1:",
        ticked("(x − y)x/(x + y) − ½(x − y)²/(x + y) = ½(x − y)"),
    )


AUC: Final = Statement(
    latex=(
        r"If \(a_{ij} = \mu_i \mu_j \eta_i (1 - \eta_j)\), W is right whatever the masses, for \(\phi\)"
        r" nonincreasing and for \(\phi(x) = a x^2 + b x + c\) with \(a > 0 > b\)."
    ),
    plain="Nonincreasing losses and parabolas rank correctly in bipartite ranking (AUC).",
    hypotheses=(_EDGE, _REGULAR, r"\(\phi\) is nonincreasing, or a parabola", r"\(a_{ij} = x_i y_j\)"),
    citation="ours; for the logistic and the exponential loss Gao and Zhou 2015",
    check=check(
        "all m, all masses > 0, φ regular and nonincreasing, or a parabola",
        lambda: [_parabola()],
        "For nonincreasing φ every edge is dominated, with λ = μ_j(1 − η_j)/(μ_i(1 − η_i)) where η_i < 1.",
    ),
    variants=(
        _false("φ may have a kink: the hinge.", "hinge auc any 3"),
        _false("Bradley-Terry chances will do for parabolas.", "square bradley-terry complete 4"),
        _false("Strong transitivity will do.", "exponential sst complete 4"),
    ),
)


# --- How much unequal counts cost (T5) -------------------------------------------------------------------


def _worst_of_three() -> Step:
    values = [(Fraction(k, 4), unequal_counts(Fraction(k, 4)).reached) for k in range(4, 13)]
    exact = all(value == (x - 1) / (x + 2) ** 2 for x, value in values)
    return step(
        "An adjacent pair may be wrong by D ≤ n_23(n_13 − n_23)/(n_13 + 2n_23) at most",
        "m = 3, low noise",
        "the crossing of two bounds, by SymPy; the four pieces compared with the tool's",
        "Items 1, 2 can be wrong only where P_13 < P_23. Stationarity and low noise give, with 0 < τ ≤ 1,",
        "3D ≤ (n_13 − n_23)τ and D ≤ n_23(1 − τ). The first rises in τ, the second falls; they cross at",
        ticked("(n_13 − n_23)τ/3 = n_23(1 − τ) for τ = 3n_23/(n_13 + 2n_23)"),
        ticked("n_23(1 − τ) = n_23(n_13 − n_23)/(n_13 + 2n_23) for τ = 3n_23/(n_13 + 2n_23)"),
        "and n_12 = n_23 = 1, n_13 = r loses the share D/(n_12 + n_13 + n_23):",
        ticked("D/(2 + r) = (r − 1)/(r + 2)² for D = (r − 1)/(r + 2)"),
        Line("the tool's bracket is (r − 1)/(r + 2)² at r = 1, 5/4, ..., 3", exact),
    )


UNEQUAL_COUNTS: Final = Statement(
    latex=(
        r"With three items under low noise and no pair compared more than \(r \le (3 + \sqrt{13})/2\) times"
        r" another, the normalized regret is at most \((r - 1)/(r + 2)^2\), and comes as near as one likes."
    ),
    plain="Three items under low noise lose at most (r − 1)/(r + 2)² of all preferences.",
    hypotheses=(_EDGE, _REGULAR, r"\(u\) is constant where \(\phi' < 0\)", "low noise", r"\(m = 3\)"),
    citation=_OURS,
    check=check(
        "m = 3, φ regular with u constant where φ' < 0, r ≤ (3 + √13)/2",
        lambda: [_worst_of_three()],
        "The other three pieces, for larger r, are in docs/theory.md, Unequal counts.",
    ),
    variants=(_false("At r = 2 nothing is lost.", "logistic additive ratio:2 3"),),
)
