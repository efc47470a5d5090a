"""RAT13 Theorem 2, surrogates with exact decoders, order-preserving ones, and the conjecture on MAP's."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations
from random import Random
from typing import Final

from consistency_lab.apps.book.rat13 import (
    Law,
    earned,
    feature,
    law,
    map_task,
    means,
    not_on_task,
    optimal,
    regret,
    reinforces,
    sorted_orders,
)
from consistency_lab.apps.book.statement import (
    Refutation,
    Statement,
    Step,
    check,
    false,
    idea,
    step,
    with_cases,
)
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.rat13 import MAP_SORTED
from consistency_lab.model.conditions import condition, net
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.tasks.means import MapDiagonal, Softmax
from consistency_lab.model.tasks.catalogue import target

_ANY: Final = "all r"

# --- Theorem 2: calibration is what consistency needs ----------------------------------------------------


def _convergence() -> Step:
    return step(
        "If (ψ, pred) is calibrated over P, a vanishing excess of ψ makes the regret vanish",
        "all P, all distributions D with p(x) in P and finite er*_ψ, all sequences",
        "subsequences and bounded convergence, in words",
        "Let e_m(x) = p(x)·ψ(f_m(x)) − inf p(x)·ψ ≥ 0, E e_m → 0 in probability. From each subsequence take",
        "one along which it does so almost surely, and of that one along which e_m(x) → 0 for almost all x.",
        "At such an x, by calibration, e_m(x) is at least one positive number whenever pred(f_m(x)) is not",
        "optimal at p(x): so it is optimal from some m on. Regrets are at most R = max ℓ − min ℓ, so by",
        "bounded convergence E regret → 0 along it; as every subsequence has such a one, in probability.",
        "Conversely let D have one x of label distribution p, where pred(u_m) is not optimal though the",
        "excess of u_m tends to 0: f_m = u_m has a vanishing excess, and the least regret above 0 or more.",
        "With a bound H on all of P no subsequence is needed: where P(regret ≥ ε) is P, the excess is at",
        "least H P, and E regret ≤ ε + R P ≤ ε + R excess/H.",
    )


@false("Over a set P it is uniform: some ζ → 0 has regret ≤ ζ(excess) for all p in P, P = P_f.")
def _uniform() -> Refutation:
    found = []
    for k in range(1, 6):
        t = Fraction(1, 10**k)
        d = [
            [Fraction(0), 2 - t, Fraction(0)],
            [t - 2, Fraction(0), Fraction(1)],
            [Fraction(0), Fraction(-1), Fraction(0)],
        ]
        n = net(d)
        found.append(condition("net-order").holds(d) and n[1] - n[2] == t)
    return Refutation(
        all(found),
        "f = wins − losses, d_12 = 2 − t, d_23 = 1: N_2 − N_3 = t > 0, so p is in P_f; a tie of 2 and 3 has"
        " the excess t²/2 and the regret 1, for t = 10^−1 to 10^−5",
    )


@false("It is enough that all minimizers are decoded to optimal predictions.")
def _minimizers() -> Refutation:
    # One score, y in {0, 1}, (u − y)², p = (1/4, 3/4): predict 1 at u = 3/4 alone, and 0 elsewhere.
    p, excess = Fraction(3, 4), [Fraction(1, 10**k) ** 2 for k in range(1, 6)]
    return Refutation(
        1 - p < p and all(x > 0 for x in excess) and excess[-1] <= Fraction(1, 10**10),
        "least squares, p(1) = 3/4, pred(u) = 1 only at u = 3/4: the minimizer is decoded well, and 3/4 + t"
        " has the excess t² → 0 and the regret 1/2",
    )


RAT13_THEOREM_2: Final = Statement(
    latex=(
        r"\((\psi, \mathrm{pred})\) is calibrated over \(P\) if and only if, for all distributions with"
        r" \(p(x) \in P\) and all random \(f_m\), \(\mathrm{er}^\psi[f_m] \to \mathrm{er}^{\psi,*}\) implies"
        r" \(\mathrm{er}^\ell[\mathrm{pred} \circ f_m] \to \mathrm{er}^{\ell,*}\) in probability."
    ),
    plain="Calibration at each label distribution is exactly what makes minimizing the surrogate consistent.",
    hypotheses=("Y and T are finite", r"\(\psi \ge 0\), and the least risk is finite and measurable"),
    citation="RAT13 Theorem 2 (there after Zhang 2004, Tewari and Bartlett 2007, Ramaswamy and Agarwal 2012)",
    check=check(
        "all P, all finite Y and T",
        lambda: [_convergence()],
        "The paper extends the theorem to P without a proof; it holds for every P, closed or not, though then"
        " without a bound of the regret by the excess.",
    ),
    variants=(_uniform, _minimizers),
)


# --- The surrogates of RAT13 with exact decoders ----------------------------------------------------------


def _value(u: Sequence[int], discounts: Sequence[Fraction], order: Sequence[int]) -> Fraction:
    return sum((u[i] * d for i, d in zip(order, discounts, strict=True)), Fraction(0))


@false("The half-life w of ERU may be any real number: w = 1/2.")
def _short_half_life() -> Refutation:
    discounts = [Fraction(4) ** (k - 1) for k in (1, 2)]  # 2^((1 − k)/(w − 1)) at w = 1/2
    values = [_value((1, 0), discounts, t) for t in ((0, 1), (1, 0))]
    return Refutation(
        values[0] < values[1], f"w = 1/2, u = (1, 0): 1 > 2 earns {values[0]}, and 2 > 1 earns {values[1]}"
    )


@false("For P@q, too, only sorted orders will do.")
def _only_sorted() -> Refutation:
    values = [_value((2, 1, 0), [Fraction(1), Fraction(1), Fraction(0)], t) for t in ((0, 1, 2), (1, 0, 2))]
    return Refutation(values[0] == values[1], "q = 2, u = (2, 1, 0): 2 > 1 > 3 is as good as 1 > 2 > 3")


RAT13_DECODERS: Final = Statement(
    latex=(
        r"At every p least squares are calibrated on \(y_i\), decoded by any order with the q largest scores"
        r" first, with P@q; on"
        r" \(\max(y_i - v, 0)\), by sorting, with ERU if \(w > 1\) (not, for two items, if \(w < 1\)); on"
        r" \(y_i y_j / \sum_\gamma y_\gamma\), by \(\mathrm{pred}^*_{\mathrm{MAP}}\), with MAP; and on"
        r" \(y_{ij}\), by \(\mathrm{pred}^*_{\mathrm{PD}}\), with pairwise disagreement."
    ),
    plain="The four surrogates of RAT13 with their exact decoders are right at every distribution.",
    hypotheses=(
        r"\(1 \le q \le r\)",
        r"\(w > 1\) (the paper has \(w \in \mathbf{R}\))",
        r"for MAP: \(\ell(0, \sigma) = 1\), and the features are 0 at \(y = 0\)",
    ),
    citation="RAT13 §4, RAT13 §5, RAT13 §6 and RAT13 §7",
    check=check(
        "all r, every p, every rule for ties",
        lambda: [
            idea(
                "The idea: each is Theorem 3, with a decoder that solves its problem",
                "all r",
                "Sorting maximizes Σ u_i D_σ(i) if D does not rise: exchange two items. P@q has D_k = 1(k",
                "≤ q), and ERU D_k = 2^((1 − k)/(w − 1)), which falls if w > 1. The other two decoders",
                "minimize by definition.",
            )
        ],
        "The paper lets w be any real number. At w = 1 the loss is not defined, and for w < 1 sorting is the"
        " worst order.",
    ),
    variants=(_short_half_life, _only_sorted),
)


# --- Order-preserving surrogates for MAP -----------------------------------------------------------------


def _preserved() -> tuple[Step, Step]:
    task = map_task(3)

    def holds(rng: Random, _: int) -> bool | None:
        p = law({y: rng.randint(0, 5) for y in task.space.labels if any(y)})
        u = means(p)
        scores = [u[i][i] for i in range(3)]
        return set(sorted_orders(scores)) <= optimal(task, p) if reinforces(u) else None

    covered = [
        isinstance(MAP_SORTED.applies(s, "reinforce", task), Evidence)
        for s in (MapDiagonal(), Softmax("sum"))
    ]
    return with_cases(
        "What is order-preserving for s is calibrated with MAP over P_reinforce",
        "all r, every p in P_reinforce, every rule for ties",
        "by Theorem 4; tried at {} random p in P_reinforce, exactly, that sorting is optimal",
        holds,
        (3,),
        120,
        13,
        "Let ψ be order-preserving for s: inf {E ψ(Y, u) : u_i ≤ u_j} > inf E ψ where E s_i > E s_j. Then,",
        "there being finitely many pairs, all u near the infimum are sorted into orders that sort E s,",
        "u_ii = E s_i for s_i = y_i/Σy, and by Theorem 4 every such order is optimal in P_reinforce.",
        "Least squares on s, and the cross-entropy of softmax with s, are: the excess is Σ (u_i − E s_i)²,",
        "or a multiple of KL(E s, softmax u) (softmax, top-k).",
        all(covered),
    )


def _dominance() -> Step:
    """Which well-known conditions P_reinforce contains."""

    def exchanged(y: Label, i: int, j: int) -> bool:
        moved = [j if g == i else i if g == j else g for g in range(len(y))]
        partner = tuple(y[g] for g in moved)
        return all(feature(partner, i, g) == feature(y, j, moved[g]) for g in range(len(y)))

    agreed = [
        exchanged(y, i, j)
        for y in [y for r in (2, 3, 4) for y in map_task(r).space.labels]
        for i, j in permutations(range(len(y)), 2)
    ]
    return step(
        "Independent labels are in P_reinforce, and all p under which one of any two items is the better",
        _ANY,
        f"the exchange of two items compared exactly for r ≤ 4 ({len(agreed)} cases); an identity by SymPy",
        "Call i the better of i, j if p(y) ≥ p(y') for every y with y_i = 1, y_j = 0, y' being y with i",
        "and j exchanged. As f_jγ(y') = f_iγ(y), over those y",
        "    u_ii − u_jj = Σ_y (p(y) − p(y'))/Σy,   u_iγ − u_jγ = Σ_y (p(y) − p(y')) y_γ/Σy,",
        "all at least 0. So Σ_γ (u_jγ − u_iγ)_+ = 0 ≤ u_ii − u_jj: p is in P_reinforce if one of any two",
        "items is the better (both are if u_ii = u_jj, for then every p(y) = p(y')).",
        "For independent Y_i with P(Y_i = 1) = θ_i and w the probability of the rest,",
        "p(y) − p(y') is",
        ticked("θ_i(1 − θ_j)w − θ_j(1 − θ_i)w = (θ_i − θ_j)w"),
        all(agreed),
    )


RAT13_ORDER_PRESERVING: Final = Statement(
    latex=(
        r"Every surrogate that is order-preserving with the standardization \(y_i/\sum_\gamma y_\gamma\)"
        r" is calibrated with MAP over \(P_{\mathrm{reinforce}}\), which holds all independent labels."
    ),
    plain="Order-preserving surrogates of the standardized relevance are right for MAP where RAT13's is.",
    hypotheses=(r"\(p \in P_{\mathrm{reinforce}}\)",),
    citation="RAT13 §6, after Buffoni, Calauzènes, Gallinari and Usunier 2011 (not read; definition ours)",
    check=check("all r, every p in P_reinforce, every rule for ties", lambda: [*_preserved(), _dominance()]),
    variants=(
        not_on_task(
            "RankNet, which compares pairs of a label, will do.", "ranknet", target("map"), "reinforce"
        ),
        not_on_task("It is right at every p.", MapDiagonal(), target("map")),
    ),
)


# --- The conjecture: decoding for MAP is NP-hard ---------------------------------------------------------
# A graph with n vertices becomes a p: each edge is a label of weight 2, each vertex v alone one of weight
# 2n - 3 deg(v)/2, and each of N further items, the top ones, alone one of weight 3n.

Graph = Sequence[tuple[int, int]]


def _degree(edges: Graph, v: int) -> int:
    return sum(v in edge for edge in edges)


def _length(edges: Graph, order: Sequence[int]) -> int:
    return sum(abs(order.index(i) - order.index(j)) for i, j in edges)


def _graph_law(n: int, edges: Graph, top: int) -> Law:
    ones = {v: Fraction(2 * n) - Fraction(3 * _degree(edges, v), 2) for v in range(n)}
    chosen = [({v}, weight) for v, weight in ones.items()]
    chosen += [({v}, Fraction(3 * n)) for v in range(n, n + top)] + [({i, j}, Fraction(2)) for i, j in edges]
    return law({tuple(int(v in one) for v in range(n + top)): weight for one, weight in chosen})


def _earned(n: int, edges: Graph, order: Sequence[int], top: int) -> Fraction:
    """What the vertices earn below the top items, up to one factor: Σ u_ij / max(σ(i), σ(j))."""
    place = {v: top + k for k, v in enumerate(order, start=1)}
    ones = (Fraction(4 * n - _degree(edges, v), 2 * place[v]) for v in range(n))
    return sum(ones, Fraction(0)) + sum((Fraction(1, max(place[i], place[j])) for i, j in edges), Fraction(0))


def _arranges(n: int, edges: Graph, top: int) -> bool:
    """Whether the orders of the vertices that earn the most have the least length."""
    orders = list(permutations(range(n)))
    best = max(_earned(n, edges, t, top) for t in orders)
    least = min(_length(edges, t) for t in orders)
    return all(_length(edges, t) == least for t in orders if _earned(n, edges, t, top) == best)


def _arranged() -> Step:
    pairs = {size: list(combinations(range(size), 2)) for size in (3, 4)}
    graphs = [
        (n_, e) for n_, all_ in pairs.items() for k in range(1, len(all_) + 1) for e in combinations(all_, k)
    ]
    exact = sum(_arranges(size, edges, 4 * size**4) for size, edges in graphs)
    path = ((0, 1), (1, 2))
    law_ = _graph_law(3, path, 2)
    u = means(law_)
    values = {earned(u, (3, 4, *t)) / u[0][1] - _earned(3, path, t, 2) for t in permutations(range(3))}
    first = all(set(order[:2]) == {3, 4} for order in optimal(map_task(5), law_))
    return step(
        "Whoever finds best rankings for MAP, or pred*_MAP(u_p), finds least linear arrangements of graphs",
        "all graphs; u = E[yyᵀ/Σy] of the p above",
        f"identities by SymPy; compared exactly at {exact} of {len(graphs)} graphs with 3 and 4 vertices",
        "Of this p, up to scale, u_ij = 1 on edges, u_vv = 2n − deg(v)/2, u_ii = 3n for N = 4n⁴ top items,",
        "all else 0. By Theorem 4's exchange, moving a top item above a vertex v right before it gains a",
        "positive multiple of 3n − u_vv − (edges of v to what is above) ≥ n − deg(v)/2 > 0: all top items",
        "come first, N < σ ≤ N + n on vertices, and Σ 2n/σ(v) is one number. An edge of ends x and x + y",
        "adds",
        ticked("1/(x + y) − ½(1/x + 1/(x + y)) = −½ y/(x(x + y))"),
        "with half of −deg(v) at both. As N² < x(x + y) < (N + n)², an order of length L = Σ |σ(i) − σ(j)|",
        "loses between L/(N + n)² and L/N², halved; one of L + 1 or more, more than one of L:",
        ticked("(L + 1)/(N + n)² − L/N² = (N² − L(2N n + n²))/((N + n)² N²)"),
        "which is above 0, as L < n³ and",
        ticked("N² − n³(2N n + n²) = n⁵(8n³ − 1) > 0 for N = 4n⁴, n = 1 + t, t ≥ 0"),
        "A least L is NP-hard to find (Garey, Johnson and Stockmeyer 1976); r = 4n⁴ + n is a polynomial.",
        exact == len(graphs),
        first and len(values) == 1,
    )


@false("All vertices may have one weight, deg(v)/2 left out.")
def _one_weight() -> Refutation:
    star = ((0, 1), (0, 2), (0, 3))
    orders = ((1, 0, 2, 3), (0, 1, 2, 3))
    earned = [sum(Fraction(1, 1024 + max(t.index(i), t.index(j))) for i, j in star) for t in orders]
    lengths = [_length(star, t) for t in orders]
    return Refutation(
        earned[0] == earned[1] and lengths[0] < lengths[1],
        "a star with three leaves: its center first earns as much as second, at length"
        f" {lengths[1]}, not {lengths[0]}",
    )


@false("The diagonal decodes it: sort u_ii.")
def _by_diagonal() -> Refutation:
    p = _graph_law(3, ((0, 1), (1, 2)), 2)
    u = means(p)
    order = next(sorted_orders([u[i][i] for i in range(5)]))
    lost = regret(map_task(5), p, order)
    return Refutation(lost > 0, f"the path of three vertices, N = 2: the diagonal loses {lost}")


RAT13_MAP_DECODER: Final = Statement(
    latex=(
        r"\(\mathrm{pred}^*_{\mathrm{MAP}}(u) \in \mathrm{argmax}_\sigma \sum_{i \ge j} u_{ij} /"
        r" \max(\sigma(i), \sigma(j))\) is NP-hard to compute, even at"
        r" \(u = \mathbf{E}[YY^\top / \sum_\gamma Y_\gamma]\)."
    ),
    plain="To rank best for mean average precision is NP-hard, even if the distribution of labels is known.",
    hypotheses=("labels have at most two relevant items",),
    citation="conjectured in RAT13 §6; the proof is ours, from the optimal linear arrangement problem",
    check=check(
        "all graphs, N = 4n⁴",
        lambda: [_arranged()],
        "The paper leaves this as a conjecture. We have not searched the literature for a proof of it.",
    ),
    variants=(_one_weight, _by_diagonal),
)
