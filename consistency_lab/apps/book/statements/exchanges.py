"""Exchanging two items: what follows for labels and equal counts, and where W does not tell two apart."""

from fractions import Fraction
from itertools import combinations, permutations
from random import Random
from typing import Final

from consistency_lab.apps.book.rat13 import law, losses, not_on_task, sorted_orders
from consistency_lab.apps.book.risk import exact_risk, rational_scores, refuted_by_core, weights
from consistency_lab.apps.book.statement import (
    FalseVariant,
    Refutation,
    Statement,
    Step,
    check,
    step,
    with_cases,
)
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.certify.witness import certify
from consistency_lab.core.document import CONSISTENT_AT_P
from consistency_lab.decide.theorems.difference import exchangeable
from consistency_lab.model.designs import design
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.phi import named
from consistency_lab.search.designs import constructions

_OURS: Final = "ours"
_EDGE: Final = r"\(W = \sum a_{ij} \phi(\alpha_i - \alpha_j)\)"
_REGULAR: Final = r"\(\phi\) is convex, differentiable, bounded below, \(\phi'(0) < 0\)"
_PHI: Final = "all φ convex, differentiable and bounded below with φ'(0) < 0"


def _pairs(name: str, weighted: str = "unit") -> PairsSurrogate:
    return PairsSurrogate(name, named(name).expression, weighted)


def _on_graphs(statement: str, name: str, a: str, condition: str) -> FalseVariant:
    """A variant that the core sees refuted at this aggregate, a_ij row by row."""

    def refute() -> Refutation:
        found = refuted_by_core(surrogate(name), [[int(x) for x in row] for row in a.split()], condition)
        return Refutation(found.refuted, f"{name}, a = {a}: {found.witness}")

    return FalseVariant(statement, refute)


def _built(statement: str, case: str) -> FalseVariant:
    """A variant that a construction refutes; the case is a loss, a condition, a design and how many items."""

    def refute() -> Refutation:
        name, noise, schedule, m = case.split()
        for one in constructions(surrogate(name).functions[0], noise, schedule, int(m)):
            found = refuted_by_core(surrogate(name), one.aggregate, noise, strict=one.strict)
            if found.refuted and design(schedule).holds(one.aggregate):
                return Refutation(True, f"{name}, {schedule}: {found.witness}")
        return Refutation(False, "no construction")

    return FalseVariant(statement, refute)


# --- Labels that exchanging two items makes less likely --------------------------------------------------


def _means() -> tuple[Step, Step]:
    task = target("pairwise", labels=(0, 1, 2))

    def holds(rng: Random, f: tuple[int, int, int]) -> bool:
        worth = sorted((Fraction(rng.randint(1, 9)) for _ in range(3)), reverse=True)
        p = law({y: worth[0] ** y[0] * worth[1] ** y[1] * worth[2] ** y[2] for y in task.space.labels})
        means = [sum((q * f[y[i]] for y, q in p.items()), Fraction(0)) for i in range(3)]
        lost = losses(task, p)
        return all(lost[t] == min(lost.values()) for t in sorted_orders(means))

    return with_cases(
        "Sorting by E f is optimal",
        "all m, all f and losses as stated",
        "identities for a label and its exchange, by SymPy; tried at {} random p, exactly",
        holds,
        ((0, 1, 3), (0, 1, 2), (0, 1, 9)),
        6,
        2012,
        "Let i be before j, y' be y with the two exchanged. To E f_i − E f_j",
        "y and y' add",
        ticked("p(y) f_i + p(y') f_j − p(y) f_j − p(y') f_i = (p(y) − p(y'))(f_i − f_j)"),
        "where y prefers i, with p(y) ≥ p(y'), once >, and f_i(y) > f_j(y); others add 0: so E f_i > E f_j.",
        "Let t have j above i, t' be t with the two exchanged, ℓ = ℓ(y, t), ℓ' = ℓ(y, t'). To E ℓ − E ℓ'",
        "y and y' add",
        ticked("p(y) ℓ + p(y') ℓ' − p(y) ℓ' − p(y') ℓ = (p(y) − p(y'))(ℓ − ℓ')"),
        "both factors being ≥ 0. Step by step every ranking becomes that order, and no step raises E ℓ.",
    )


def _losses_of_pairs() -> Step:
    return step(
        "Losses of pairs put i above j, with a gap, if φ is regular and does not rise",
        "all m, all w as stated",
        "two identities by SymPy; the limit in words",
        "Let x = u_j − u_i ≥ 0, u' be u with the two exchanged, a = Σ (p(y) − p(y')) w_ij(y) > 0 over y",
        "that prefer i to j. Third items k: with φ(u_i − u_k) = p ≥ q = φ(u_j − u_k), in ψ(y, u) − ψ(y, u')",
        ticked("w_ik p + w_jk q − w_ik q − w_jk p = (w_ik − w_jk)(p − q)"),
        "≥ 0, so W(u) − W(u') ≥ a (φ(−x) − φ(x)) ≥ −a φ'(0) x. Suppose W(u) → W*. Then x → 0; the middle",
        "v of u and u' has W(v) ≤ W(u), and there the slope along e_i − e_j is at most 2aφ'(0) < 0.",
        "Arguments that count are bounded below, φ' is uniformly continuous there: one step lowers W by one",
        "amount. So W(u) does not tend to W*.",
    )


def _losses_of_lists() -> Step:
    return step(
        "So do ListMLE with ties averaged, and unique softmax with strictly rising gains",
        "all m",
        "signs by SymPy; the limit as for pairs",
        "Let x = u_j − u_i ≥ 0, S the sum below j in an order that refines y. The exchange turns sums",
        "S' + exp(u_j) between the two into S' + exp(u_i), at j itself S + exp(u_j) into S + exp(u_i):",
        ticked("(S + exp(u_j)) − (S + exp(u_i)) = d > 0 for exp(u_j) = exp(u_i) + d, d > 0"),
        "so ψ(y, u) − ψ(y, u') ≥ log((S + exp(u_j))/(S + exp(u_i))) > 0 for x > 0. In unique softmax",
        "the terms of i and j change by G_i x and by no less than −G_j x, and no other falls:",
        "ψ(y, u) − ψ(y, u') ≥ (G_i − G_j) x.",
        "Second derivatives of log-sum-exp are at most 1, so a step of one size lowers W by one amount.",
    )


EXCHANGE: Final = Statement(
    latex=(
        r"Let \(p\) be rank-differentiable, and no exchange against a preference lower \(\ell\). Sorting by"
        r" \(\mathbf{E} f\) is optimal, \(f\) equivariant with \(f_i(y) > f_j(y)\) where y prefers i, and"
        r" losses of pairs with \(w_{ij} > 0 = w_{ji}\), \(w_{ik} \ge w_{jk}\), \(w_{ki} \le w_{kj}\),"
        " ListMLE with ties averaged, and unique softmax are calibrated."
    ),
    plain="Where exchanging two items makes labels less likely, every reasonable loss is right.",
    hypotheses=(
        "in one order, with i before j and y preferring i, exchanging them never raises p(y), once lowers it",
        r"for pairs: \(\phi\) is regular and does not rise",
    ),
    citation="ours, after Lan, Guo, Cheng and Liu 2012, and Xia et al. 2008",
    check=check(
        "all m, all p that are rank-differentiable",
        lambda: [*_means(), _losses_of_pairs(), _losses_of_lists()],
    ),
    variants=(
        not_on_task(
            "The hinge, which has a kink, will do.", _pairs("hinge"), target("ndcg"), "rank-differentiable"
        ),
        not_on_task("RankNet is right for NDCG at every p.", _pairs("logistic"), target("ndcg")),
    ),
)


# --- Complete rankings -----------------------------------------------------------------------------------


def _once() -> Step:
    rankings = [(m, t) for m in (2, 3, 4) for t in permutations(range(m))]
    once = all(
        (t.index(i) < t.index(j)) + (t.index(j) < t.index(i)) == 1
        for m, t in rankings
        for i, j in combinations(range(m), 2)
    )
    return step(
        "A distribution on complete rankings has a_ij + a_ji = 1 for all pairs",
        "all m",
        f"by definition; counted at all {len(rankings)} rankings of 2, 3, 4 items",
        "Every ranking compares every pair once. So the loss of pairs is an edge loss at equal counts:",
        "weighted-borda, with all w equal, gives the order of N for u constant, and balanced-designs gives",
        "low noise for u ≥ 0; and the loss of a ranking is the pairwise disagreement of the aggregate.",
        once,
    )


_RANKINGS: Final = target("pairwise", labels="rankings")

COMPLETE_RANKINGS: Final = Statement(
    latex=(
        r"If labels are complete rankings, \(\sum \phi(u_i - u_j)\) over the pairs of a label is calibrated"
        r" with pairwise disagreement where net-order holds if \(u(x) = -\phi'(x) - \phi'(-x)\) is constant,"
        r" and under low noise if \(\phi\) does not rise."
    ),
    plain="On complete rankings, losses of pairs are Borda counts, or right under low noise.",
    hypotheses=(_REGULAR, "every pair has the same weight"),
    citation="ours (weighted-borda, balanced-designs)",
    check=check(f"all m, {_PHI}, u constant or φ nonincreasing", lambda: [_once()]),
    variants=(
        not_on_task(
            "The exponential loss is right under net-order.", _pairs("exponential"), _RANKINGS, "net-order"
        ),
        not_on_task("RankNet is right under acyclic.", _pairs("logistic"), _RANKINGS, "acyclic"),
        not_on_task("The hinge is right under low noise.", _pairs("hinge"), _RANKINGS, "low-noise"),
    ),
)


# --- Zhang's loss for ERR --------------------------------------------------------------------------------


_BOTH_SORT: Final = step(
    "Scores near the infimum are sorted by E G, and for independent grades this is optimal for ERR",
    f"all m, {_PHI}",
    "by dmj13-zhang with Z = 1, and dmj13-err",
    "With Z = 1, θ_j = E G(s_j): wherever θ_i > θ_j, inf {W : u_i ≤ u_j} > W*, whatever the joint",
    "distribution of the grades. The ERR of independent grades is least where E G falls, a positive",
    "multiple of θ. There are finitely many orders, so W* is below its infimum over the wrong ones.",
)


ZHANG_ERR: Final = Statement(
    latex=(
        r"If the grades are independent, \(\sum_j G(s_j) \sum_l \phi(u_j - u_l)\) is calibrated for ERR when"
        r" \(\phi\) is convex, differentiable and bounded below with \(\phi'(0) < 0\)."
    ),
    plain="Zhang's loss with the weights G is right for ERR if grades are independent.",
    hypotheses=(_REGULAR, "grades are independent", r"the weights are \(G\)"),
    citation="DMJ13 (lemma on ERR, after Zhang 2004, Theorem 5); that phi need not be nonincreasing is ours",
    check=check(f"all m, {_PHI}", lambda: [_BOTH_SORT]),
    variants=(
        not_on_task("Grades may depend on each other.", _pairs("logistic", "zhang-gain"), target("err")),
    ),
)


# --- Equal counts of three items, and losses of single answers -------------------------------------------


def _three() -> Step:
    return step(
        "On an edge 1 → 2 with N_1 > N_2, where α_1 ≤ α_2, some slope of W is at most one negative number",
        "m = 3, φ regular and nonincreasing, u(x) ≤ u(0) where x > 0 and φ'(x) < 0",
        "identities, by SymPy",
        "The push s(P, x) = −Pφ'(x) + (1 − P)φ'(−x) of a comparison falls in x and rises in P:",
        "s(P, x) = φ'(−x) + P u(x), so s(P_13, x) − s(P_23, x) is",
        ticked("φ'(−x) + P_13 u(x) − (φ'(−x) + P_23 u(x)) = (P_13 − P_23)u(x)"),
        "Let x = α_2 − α_3, y = P_13 − P_23; N_1 > N_2 says d_12 + y > 0. The pair 1, 2 pushes 1 up, and 2",
        "down, by at least s(P_12, 0), which is above 0:",
        ticked("−P_12 φ'(0) + (1 − P_12) φ'(0) = d_12 u(0)/2 for φ'(0) = −u(0)/2, P_12 = (1 + d_12)/2"),
        "If φ'(|x|) < 0 or y ≥ 0, the slope along e_1 − e_2 is at most −(d_12 u(0) + y u(x)), where",
        ticked("d_12 u(0) + y u(x) = (d_12 + y)u(0) − y(u(0) − u(x))"),
        "positive for y < 0 as u(x) ≤ u(0), and for y ≥ 0 as u ≥ 0. If φ'(|x|) = 0 and 2 is above 3, then 3",
        "pushes 2 up by (1 − P_23)φ'(−x) ≤ 0, so the slope along −e_2 is at most −d_12 u(0)/2;",
        "if 2 is below 3, then 3 pushes 1 up by −P_13 φ'(α_1 − α_3) ≥ 0, and e_1 serves as well. That such",
        "slopes make a gap, and that edges are enough, is the first step of domination.",
    )


BALANCED_THREE: Final = Statement(
    latex=(
        r"If \(m = 3\), all pairs are compared equally often and net-order holds, \(W\) is right for \(\phi\)"
        r" nonincreasing with \(u(x) \le u(0)\) where \(x > 0\), \(\phi'(x) < 0\)."
    ),
    plain="Three items at equal counts: the squared hinge, too, is right where net preferences are in order.",
    hypotheses=(_EDGE, _REGULAR, r"\(\phi\) is nonincreasing, \(u(x) \le u(0)\) as stated", r"\(m = 3\)"),
    citation=_OURS,
    check=check("m = 3, φ as stated", lambda: [_three()]),
    variants=(
        _built("u may grow: the exponential loss.", "exponential net-order balanced 3"),
        _built("Four items will do: the squared hinge.", "squared-hinge net-order balanced 4"),
    ),
)


def _single_slopes() -> Step:
    return step(
        "Where N_i > N_j and α_i ≤ α_j the slope along e_i − e_j is at most (A_i − A_j) r'(α_i) < 0",
        "all m, all parts as stated",
        "an identity, by SymPy; the limit in words",
        "A_i and B_i = c − A_i are the wins and losses of i, T all comparisons. The part of one answer is",
        "F_A(x) = A f(x) + (c − A) g(−x) + T e(x), convex, and bounded below as A ≤ T. F' does not fall, so",
        "F'_i(α_i) − F'_j(α_j) ≤ F'_i(α_i) − F'_j(α_i), and at x = α_i",
        "F'_i(x) − F'_j(x) is (A_i − A_j) r'(x), as T e'(x) cancels and",
        ticked("A_i f'(x) − (c − A_i) g'(−x) − (A_j f'(x) − (c − A_j) g'(−x)) = (A_i − A_j)(f'(x) + g'(−x))"),
        "The pairs add at most −(u/2)(N_i − N_j) ≤ 0 (weighted-borda, w equal). r' is constant, or α_i is",
        "bounded above where W ≤ W* + 1, as f grows and A_i > 0. All parts are convex, differentiable and",
        "bounded below, so a step of one size lowers W by one amount: inf {W : α_i ≤ α_j} > W*.",
    )


SINGLE_ANSWERS: Final = Statement(
    latex=(
        r"If all pairs are compared equally often, \(\sum a_{ij} (\phi(\alpha_i - \alpha_j) + f(\alpha_i) +"
        r" g(-\alpha_j) + \sum_k e(\alpha_k))\) near its infimum orders the items by \(N\)."
    ),
    plain="At equal counts, losses of single answers order them by net wins.",
    hypotheses=(
        r"\(\phi, f, g, e\) are convex and differentiable; \(\phi, g, e, f + e\) bounded below",
        r"\(u = -\phi'(x) - \phi'(-x) \ge 0\) is constant",
        r"\(r(x) = f(x) - g(-x)\) is a falling line, or convex and falling, and \(f\) grows without bound",
    ),
    citation=_OURS,
    check=check("all m, all parts as stated", lambda: [_single_slopes()]),
    variants=(_on_graphs("Counts may differ: BCO.", "bco", "014 002 300", "net-order"),),
)


# --- Two items that W does not tell apart ----------------------------------------------------------------


def _same_risk() -> tuple[Step, Step]:

    def holds(rng: Random, m: int) -> bool | None:
        counts = [[Fraction(rng.randint(0, 2) if i != j else 0) for j in range(m)] for i in range(m)]
        found = exchangeable(surrogate("difference-square"), counts)
        if found is None:
            return None
        scores = [Fraction(rng.randint(-4, 4)) for _ in range(m)]
        moved = [scores[found[1] if k == found[0] else found[0] if k == found[1] else k] for k in range(m)]
        terms = surrogate("difference-square").risk_terms(Distribution.from_aggregate(counts))
        return exact_risk(terms, rational_scores(scores)) == exact_risk(terms, rational_scores(moved))

    return with_cases(
        "W does not change when the scores of i and j change places",
        "all m, φ convex, a line plus an even function",
        "one identity by SymPy; tried at {} random aggregates, values of W compared exactly",
        holds,
        (3, 4),
        500,
        10,
        "With φ(x) = cx + e(x), e even, a pair adds",
        ticked("h_ij(cx + e(x)) + h_ji(−cx + e(x)) = c(h_ij − h_ji)x + (h_ij + h_ji)e(x)"),
        "so W(α) = c Σ N_i α_i + Σ n_ij e(α_i − α_j), and N_i = N_j, n_ik = n_jk are all that i and j add.",
        "W is convex, so the middle of α and of α with the two exchanged costs no more: near the infimum",
        "there are scores with α_i = α_j, and of the two orders that differ in i and j one is not optimal.",
        "If φ fades ahead and grows behind (components), it is enough that i, j and all k are in one.",
    )


def _moves(statement: str, name: str) -> FalseVariant:
    def refute() -> Refutation:
        counts = weights(3, {(1, 2): 1, (2, 1): 1, (1, 3): 2, (3, 1): 1, (2, 3): 1})
        terms = surrogate(name).risk_terms(Distribution.from_aggregate(counts))
        found = [exact_risk(terms, rational_scores(x)) for x in ((1, 0, 0), (0, 1, 0))]
        return Refutation(
            None not in found and found[0] != found[1], f"{name}, N_1 = N_2: W = {found[0]}, {found[1]}"
        )

    return FalseVariant(statement, refute)


EXCHANGEABLE: Final = Statement(
    latex=(
        r"If \(\phi(x) = cx + e(x)\) is convex, e even, \(N_i = N_j\), \(n_{ik} = n_{jk}\) for all other k,"
        r" but \(a_{ij} \ne a_{ji}\), then \(W = \sum h_{ij} \phi(\alpha_i - \alpha_j)\) is wrong; \(N\) and"
        r" \(n\) are those of \(h\)."
    ),
    plain="Two items that the risk does not tell apart, though the votes do, are ordered by chance.",
    hypotheses=(r"\(\phi\) is convex and a line plus an even function", r"\(h = a\) or \([d]_+\)"),
    citation=_OURS,
    check=check("all m, φ convex, a line plus an even function", lambda: [*_same_risk()]),
    variants=(_moves("N_i = N_j alone will do, whatever n_ik.", "square"),),
)


# --- Strong components -----------------------------------------------------------------------------------


def _apart() -> tuple[Step, Step]:
    def holds(rng: Random, m: int) -> bool:
        a = [[Fraction(rng.randint(1, 9) if i < j else 0) for j in range(m)] for i in range(m)]
        found = certify(surrogate("logistic"), Distribution.from_aggregate(a))
        return found is not None and found.verified.claim == CONSISTENT_AT_P

    return with_cases(
        "inf W is the sum of the infima of the components, and of h_ij inf φ between them",
        "all m, φ convex, falling forever to a bound, growing without bound behind",
        "by hand; tried at {} random acyclic counts, where every item is alone, accepted by the core",
        holds,
        (3, 4),
        4,
        1972,
        "Between two strong components of the h_ij > 0 edges run one way. Far apart along them, they make",
        "these terms as good as h_ij inf φ, whatever the scores inside. No summand is below its infimum, so",
        "scores come near inf W if and only if each component comes near its own, and α_i − α_j → ∞ on each",
        "edge between two. So i is above j there, as in some optimal order, and each component is ordered",
        "as it would be alone: if each is right alone, W is right. One item is, and two are (forests).",
    )


COMPONENTS: Final = Statement(
    latex=(
        r"Let \(\phi\) be convex, fall forever to a bound ahead, and grow without bound behind. If"
        r" \(\sum h_{ij} \phi(\alpha_i - \alpha_j)\) is right on each strong component of \(h\) alone, it is"
        " right."
    ),
    plain="Strong components move apart, so that each is ordered as it would be alone.",
    hypotheses=(r"\(\phi\) falls forever to a bound and grows behind", r"\(h = a\) or \([d]_+\)"),
    citation=_OURS,
    check=check("all m, φ as stated", lambda: [*_apart()]),
    variants=(_on_graphs("φ may grow ahead: the square.", "square", "0138 0030 0005 0000", "acyclic"),),
)
