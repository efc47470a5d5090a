"""RAT13 Theorem 4 and Corollary 5: mean average precision by sorting the diagonal of u."""

from fractions import Fraction
from itertools import permutations
from typing import Final

from consistency_lab.book.polynomials import is_positive, sp, vanishes
from consistency_lab.book.rat13 import (
    Law,
    diagonal,
    earned,
    exchange_holds,
    feature,
    law,
    map_task,
    means,
    numbers,
    optimal,
    positive_sum,
    ranking,
    reinforces,
    sorted_orders,
    text,
    worst_diagonal,
    wrong_diagonal,
)
from consistency_lab.book.statement import (
    Cases,
    FalseVariant,
    Line,
    Refutation,
    Statement,
    Step,
    also,
    check,
    false,
    step,
)
from consistency_lab.model.labels import Label

# --- RAT13 Theorem 4: sorting by the diagonal of u = E[Y Yᵀ/ΣY] is right for MAP under P_reinforce -------
# Where no item is relevant, MAP is 0/0. Here that label has loss 0 and f(0) = 0; other constants would do.

_SIZES: Final = (2, 3, 4)
_ANY: Final = "all r"


def _labels() -> list[Label]:
    """The labels of 2, 3 and 4 items."""
    return [y for r in _SIZES for y in map_task(r).space.labels]


def rewriting() -> Step:
    """The loss is linear in f(y), for every label and order."""
    tasks = [map_task(r) for r in _SIZES]
    agreed = [
        task.loss(y, order) == any(y) - earned(means({y: Fraction(1)}), order)
        for task in tasks
        for order in task.predictions
        for y in task.space.labels
    ]
    return step(
        "MAP is 1(y ≠ 0) − ⟨f(y), β_σ⟩",
        _ANY,
        f"counted by pairs; compared exactly for r ≤ 4, {len(agreed)} labels and orders, y = 0 among them",
        "A relevant item i at position σ(i) has the precision (1/σ(i)) Σ y_j over j with σ(j) ≤ σ(i); so",
        "the pair {i, j} is counted once, at the lower of its two positions, max(σ(i), σ(j)):",
        "    ℓ(y, σ) = c(y) − Σ_{i≤j} f_ij(y) / max(σ(i), σ(j)), f_ij(y) = y_i y_j/Σy,",
        "with c(y) = 1 and c(0) = 0, f(0) = 0. In expectation it is P(Y ≠ 0) − ⟨u, β_σ⟩, u = E f(Y).",
        all(agreed),
    )


def exchange() -> Step:
    """What exchanging two neighbors changes."""
    k = sp.Symbol("k", positive=True, integer=True)
    a, b, c, s, t = sp.symbols("u_ii u_jj u_ij S_i S_j", real=True)
    first = (a + s) / k + (b + t + c) / (k + 1)
    other = (b + t) / k + (a + s + c) / (k + 1)
    compared = [(o, n) for r in _SIZES for o in permutations(range(r)) for n in range(1, r)]
    return step(
        "Exchanging the neighbors i, j below A gains a positive multiple of u_ii − u_jj + Σ_A (u_iγ − u_jγ)",
        _ANY,
        f"an identity by SymPy; every coefficient compared for r ≤ 4, {len(compared)} orders and positions",
        "Let i and j stand at positions k and k+1 below the set A, S_i = Σ_{γ∈A} u_iγ. Positions above",
        "and below earn the same either way, these two earn (u_ii + S_i)/k + (u_jj + S_j + u_ij)/(k+1);",
        vanishes(
            "with i first minus with j first: (1/k − 1/(k+1)) (u_ii − u_jj + S_i − S_j)",
            first - other - (1 / k - 1 / (k + 1)) * (a - b + s - t),
        ),
        is_positive("1/k − 1/(k+1) = 1/(k(k+1)) > 0", sp.factor(1 / k - 1 / (k + 1))),
        all(exchange_holds(order, place) for order, place in compared),
    )


def enough() -> Step:
    """P_reinforce makes the gain nonnegative for every set A, and nothing less does."""
    gap, above, covered, rest = sp.symbols("gap C N R", real=True)
    return step(
        "Every order sorted by the diagonal is optimal at every p in P_reinforce",
        _ANY,
        "multipliers 1, 1, 1, an identity by SymPy; then bubble sort",
        "Let u_ii ≥ u_jj, c_γ = u_jγ − u_iγ, n_γ = (c_γ)_+. P_reinforce is gap = u_ii − u_jj ≥ Σ_γ n_γ.",
        "With C = Σ_A c_γ, N = Σ_A n_γ, R = Σ n_γ outside A, the multipliers 1, 1, 1:",
        vanishes(
            "gap − C = (gap − N − R) + (N − C) + R",
            gap - above - (gap - covered - rest) - (covered - above) - rest,
        ),
        "and the three summands are at least 0. For A = {γ : c_γ > 0} it is gap − Σ n_γ itself: so",
        "P_reinforce says exactly that no exchange towards the sorted order loses, whatever A is.",
        "Bubble sort turns any order into any order σ sorted by the diagonal by exchanges of neighbors",
        "j, i into i, j where σ has i before j, hence u_ii ≥ u_jj: each earns no less. So σ is optimal.",
        "If u_ii = u_jj, both directions hold, all c_γ = 0, and i and j are alike: ties do no harm.",
    )


def margin() -> Step:
    """Definition 1, with a bound: scores that are sorted wrongly have an excess of at least δ²/2."""
    x, y = sp.symbols("e_i e_j", real=True)
    return step(
        "Scores that may be decoded wrongly have an excess of at least δ²/2, δ the least gap of the diagonal",
        _ANY,
        "an identity by SymPy",
        "pᵀψ(v) − min = |v − u|² (Theorem 3). Let δ be the least positive u_ii − u_jj. If sorting the",
        "diagonal of v may give an order that is not optimal, that order is not sorted by the diagonal of",
        "u: it has j above i with u_ii − u_jj ≥ δ and v_jj ≥ v_ii. With e = v − u: e_j − e_i ≥ δ, and",
        vanishes(
            "e_i² + e_j² = ((e_j − e_i)² + (e_i + e_j)²)/2", x**2 + y**2 - ((y - x) ** 2 + (x + y) ** 2) / 2
        ),
        "so |v − u|² ≥ δ²/2: the infimum over wrong scores is at least δ²/2 above the least risk.",
        "If there is no such pair, all orders are optimal and there is nothing to prove.",
    )


def _programs() -> Step:
    found = {r: (worst_diagonal(r, reinforced=True), worst_diagonal(r, reinforced=False)) for r in _SIZES}
    lines = [
        Line(
            f"r = {r}: {within.programs} programs, greatest regret 0 in P_reinforce; for all p "
            f"{anywhere.regret}" + (f", against {ranking(anywhere.better)}" if anywhere.regret else ""),
            within.regret == 0 and (anywhere.regret > 0) == (r > 2),
        )
        for r, (within, anywhere) in found.items()
    ]
    return step(
        "The greatest regret of sorting the diagonal is 0 in P_reinforce, and above 0 without it for r ≥ 3",
        "r ≤ 4, all 2^r labels",
        "exact linear programs with exact multipliers, one for each rival of 1 > 2 > … > r",
        *lines,
    )


def _dominance() -> Step:
    """Which well-known conditions P_reinforce contains."""
    a, b, rest = sp.symbols("θ_i θ_j w", real=True)

    def exchanged(y: Label, i: int, j: int) -> bool:
        moved = [j if g == i else i if g == j else g for g in range(len(y))]
        partner = tuple(y[g] for g in moved)
        return all(feature(partner, i, g) == feature(y, j, moved[g]) for g in range(len(y)))

    agreed = [exchanged(y, i, j) for y in _labels() for i, j in permutations(range(len(y)), 2)]
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
        vanishes("p(y) − p(y') = (θ_i − θ_j) w", a * (1 - b) * rest - b * (1 - a) * rest - (a - b) * rest),
        all(agreed),
    )


def nothing_relevant() -> Step:
    """What happens with y = 0."""
    p = law({(1, 0, 0): 2, (0, 1, 1): 1})
    stands = True
    for share in (Fraction(1, 4), Fraction(2, 3)):
        q = {**{y: (1 - share) * weight for y, weight in p.items()}, (0, 0, 0): share}
        u, v = means(p), means(q)
        scaled = all(v[i][j] == (1 - share) * u[i][j] for i in range(3) for j in range(3))
        same = optimal(map_task(3), p) == optimal(map_task(3), q)
        stands = stands and scaled and same and reinforces(u) == reinforces(v)
    return step(
        "y = 0 changes neither the order of the diagonal, nor P_reinforce, nor which orders are optimal",
        _ANY,
        "u and all regrets are multiplied by 1 − ε; compared exactly at two ε",
        "ℓ(0, σ) does not depend on σ: regrets are those of p without its share ε at y = 0, times 1 − ε.",
        "f(0) = 0 gives u the factor 1 − ε. The order of the diagonal and P_reinforce do not change with",
        "the scale of u, so they do not notice y = 0, whether its loss is called 0, as here, or 1.",
        stands,
    )


@false("Sorting the diagonal is right only in P_reinforce.")
def _necessary() -> Refutation:
    p = law({(1, 0, 0): 3, (0, 1, 1): 4})
    u, task = means(p), map_task(3)
    best = optimal(task, p)
    return Refutation(
        not reinforces(u) and best == {(0, 1, 2), (0, 2, 1)},
        f"{text(task, p)}: the diagonal is {numbers(diagonal(u))} and 1 > 2 > 3, 1 > 3 > 2 are the optimal "
        "orders, as it says; yet u_11 = 3/7 < u_22 + (u_23 − u_13)_+ = 4/7",
    )


RAT13_THEOREM_4: Final = Statement(
    latex=(
        r"\((\psi^*_{\mathrm{MAP}}, \mathrm{pred}_{\mathrm{MAP}})\), which sorts by \(u_{ii}\), is calibrated"
        r" with MAP over \(P_{\mathrm{reinforce}} = \{p : u_{ii} \ge u_{jj} \implies u_{ii} \ge u_{jj} +"
        r" \sum_{\gamma \ne i,j} (u_{j\gamma} - u_{i\gamma})_+\}\), where"
        r" \(u = \mathbf{E}[YY^\top / \sum_\gamma Y_\gamma]\)"
    ),
    plain="Sorting by the diagonal of the surrogate's scores is right for MAP where the diagonal dominates.",
    hypotheses=(
        r"\(p \in P_{\mathrm{reinforce}}\)",
        r"\(f(0) = 0\), and \(\ell(0, \sigma)\) is the same for all \(\sigma\) (not in the paper)",
    ),
    citation="RAT13 Theorem 4; the bound δ²/2 and the part on independent labels are ours",
    check=check(
        "all r, every p in P_reinforce, every rule for ties",
        lambda: [rewriting(), exchange(), enough(), margin(), _programs(), _dominance(), nothing_relevant()],
        "MAP is 0/0 where no item is relevant (y = 0), which the paper lets be a label; with f(0) = 0 "
        "any constant loss will do there, since it moves neither u nor the regrets.",
        "The constant c of RAT13 Theorem 3 is then one of the label: 1, and 0 for y = 0.",
        "For r = 2 the sum is empty and every p is in P_reinforce: sorting the diagonal is always right.",
        "P_reinforce holds every p under which the better of two items is nowhere less likely to be the "
        "relevant one; so it holds all independent labels (ours).",
    ),
    variants=(
        FalseVariant(
            "Sorting the diagonal is right for every p.",
            lambda: wrong_diagonal(law({(1, 0, 1): 4, (0, 1, 0): 3, (1, 0, 0): 2})),
        ),
        FalseVariant(
            "P_reinforce may have the plain sum of u_jγ − u_iγ in place of the positive parts.",
            lambda: wrong_diagonal(
                law({(1, 0, 1, 0): 8, (1, 0, 0, 0): 5, (0, 1, 0, 0): 5, (0, 1, 0, 1): 3}),
                lambda differences: sum(differences, Fraction(0)),
            ),
        ),
        _necessary,
    ),
)


# --- RAT13 Corollary 5: for MAP under P_reinforce the r scores y_i/Σy are enough -------------------------


def minimizer() -> Step:
    """The minimizer is the diagonal of u, and a wrong order has an excess of at least δ²/2."""
    v, f, q = sp.symbols("v f q", real=True)
    labels = _labels()
    same = all(
        feature(y, i, i) == (Fraction(y[i], sum(y)) if any(y) else 0) for y in labels for i in range(len(y))
    )
    return step(
        "The r scores are the diagonal of Theorem 4's matrix, which is all that its decoder looks at",
        _ANY,
        f"an identity by SymPy; f_ii compared exactly for r ≤ 4, {len(labels)} labels",
        "f_ii(y) = y_i²/Σy = y_i/Σy. For each i, with f = E f_ii and q = E f_ii²,",
        vanishes(
            "E (v − f_ii)² = v² − 2vf + q = (v − f)² + (q − f²)",
            v**2 - 2 * v * f + q - (v - f) ** 2 - q + f**2,
        ),
        "so the minimizer is the diagonal of u, and the excess of v is Σ_i (v_i − u_ii)².",
        "The decoder is that of Theorem 4, which sorts the diagonal: every order it may return at u is",
        "optimal, and as there, scores that may be decoded wrongly have an excess of at least δ²/2.",
        same,
    )


def sharp() -> Step:
    """With a factor c < 1 in the condition there is a counterexample."""
    c = sp.Symbol("c", positive=True)
    less = sp.Symbol("ε", positive=True)
    u11, u22, u33, u13 = sp.Integer(3), 1 + c, sp.Integer(1), sp.Integer(1)
    ahead = (u22 - u33 - u13) / 6
    grid = [Fraction(k, 10) for k in range(1, 10)]
    refuted = all(_scaled(c, items).refuted for c in grid for items in (3, 4))
    return step(
        "No factor c < 1 may stand before the sum in P_reinforce",
        "all r ≥ 3, all 0 < c < 1",
        "one family of three labels, identities by SymPy; compared exactly for c = 1/10, …, 9/10, r ≤ 4",
        "Weights 2, 2, 1 + c of the labels 101, 100, 010, any further items never relevant: up to scale",
        "u_11 = 3, u_22 = 1 + c, u_33 = u_13 = 1, all else 0. The condition is only about 2, 3:",
        vanishes("u_22 − u_33 = c (u_13 − u_12), so with the factor c it holds.", u22 - u33 - c * u13),
        vanishes("Yet 1 > 2 > 3 earns (u_22 − u_33 − u_13)/6 = (c − 1)/6 more", ahead - (c - 1) / 6),
        is_positive(
            "than 1 > 3 > 2, which for c = 1 − ε is ε/6 > 0 less.", sp.simplify(-ahead.subs(c, 1 - less))
        ),
        is_positive(
            "For 0 < c < 1 the diagonal falls: u_11 − u_22 = 2 − c = 1 + ε,", (u11 - u22).subs(c, 1 - less)
        ),
        is_positive("u_22 − u_33 = c, u_33 = 1: the decoder has no choice.", u22 - u33),
        refuted,
    )


def row_sums() -> Step:
    """On P_reinforce, E Y orders the items as the diagonal does, or ties them."""
    gap, rises, falls = sp.symbols("gap P N", real=True)
    labels = _labels()
    sums = all(sum(feature(y, i, g) for g in range(len(y))) == y[i] for y in labels for i in range(len(y)))
    return step(
        "On P_reinforce u_ii ≥ u_jj implies E Y_i ≥ E Y_j: sorting E Y can go wrong only where E Y has a tie",
        _ANY,
        f"the rows of f(y) sum to y, compared exactly for r ≤ 4 ({len(labels)} labels); an identity by SymPy",
        "Σ_γ f_iγ(y) = y_i Σ_γ y_γ/Σy = y_i. So with gap = u_ii − u_jj, P = Σ_γ (u_iγ − u_jγ)_+ and",
        "N = Σ_γ (u_jγ − u_iγ)_+ over γ ≠ i, j, as u_ij stands in both rows,",
        "    E Y_i − E Y_j = Σ_γ (u_iγ − u_jγ) = gap + P − N, and",
        vanishes(
            "gap + P − N = (gap − N) + P ≥ 0, as P_reinforce says gap ≥ N",
            gap + rises - falls - (gap - falls) - rises,
        ),
        sums,
    )


def _optimal_everywhere() -> Step:
    """All orders that the decoder may return, at laws on the boundary of P_reinforce."""
    count, right = 0, True
    for p in _boundary():
        u = means(p)
        best = optimal(map_task(len(u)), p)
        returned = set(sorted_orders([u[i][i] for i in range(len(u))]))
        right = right and reinforces(u) and returned <= best
        count += len(returned)
    return step(
        "On the boundary of P_reinforce every order that the decoder may return is optimal",
        "r = 3, 4",
        "{} orders compared with all orders, in exact arithmetic",
        Cases(count * right, count),
    )


def _boundary() -> list[Law]:
    """Laws with equality in the condition: 1 alone against a group, and c = 1 in the family above."""
    groups: list[tuple[Label, Label]] = [
        ((1, 0, 0), (0, 1, 1)),
        ((1, 0, 0, 0), (0, 1, 1, 0)),
        ((1, 0, 0, 0), (0, 1, 1, 1)),
    ]
    alone = [law({one: 1, group: 1}) for one, group in groups]
    return [*alone, law(_family(Fraction(1), 3)), law(_family(Fraction(1), 4))]


def _family(c: Fraction, items: int) -> dict[Label, Fraction]:
    rest = (0,) * (items - 3)
    return {(1, 0, 1, *rest): Fraction(2), (1, 0, 0, *rest): Fraction(2), (0, 1, 0, *rest): 1 + c}


def _scaled(c: Fraction, items: int = 3) -> Refutation:
    return wrong_diagonal(law(_family(c, items)), lambda differences: c * positive_sum(differences))


@false("Least squares on y, without dividing by Σy, has a decoder that is right.")
def _without_division() -> Refutation:
    """Two laws with the same E Y, both in P_reinforce, that no one order serves."""
    laws = [law({(1, 0, 0): 1, (0, 1, 1): 1}), law({(0, 1, 0): 1, (1, 0, 1): 1})]
    task = map_task(3)
    expected = {tuple(sum(weight * y[i] for y, weight in p.items()) for i in range(3)) for p in laws}
    first, second = (optimal(task, p) for p in laws)
    refuted = len(expected) == 1 and all(reinforces(means(p)) for p in laws) and not first & second
    shown = " | ".join(
        f"{text(task, p)}: optimal {', '.join(map(ranking, sorted(best)))}"
        for p, best in zip(laws, (first, second), strict=True)
    )
    return Refutation(
        refuted, f"{shown} | both have the minimizer E Y = (1/2, 1/2, 1/2), and no order is in both"
    )


RAT13_COROLLARY_5: Final = Statement(
    latex=(
        r"\(\tilde\psi(y, v) = \sum_i (v_i - y_i / \sum_\gamma y_\gamma)^2\), decoded by sorting \(v\), is"
        r" calibrated with MAP over \(P_{\mathrm{reinforce}}\)"
    ),
    plain="For MAP, least squares on y_i/Σy, one score an item, is right wherever Theorem 4 is.",
    hypotheses=(
        r"\(p \in P_{\mathrm{reinforce}}\)",
        r"\(y_i / \sum_\gamma y_\gamma\) is 0 at \(y = 0\) (not in the paper, but needed)",
    ),
    citation="RAT13 Corollary 5; that no factor below 1 will do, and the part on E Y, are ours",
    check=check(
        "all r, every p in P_reinforce, every rule for ties",
        lambda: [minimizer(), sharp(), row_sums(), also(_optimal_everywhere())],
        "The text under the corollary prints s_i(y) = y_i/Σ_γ y_r; the index of the sum is γ.",
        "At y = 0 the score y_i/Σy is 0/0; it is 0 here, see RAT13 Theorem 4.",
    ),
    variants=(
        FalseVariant(
            "It is enough that the gap is 9/10 of the sum in P_reinforce.", lambda: _scaled(Fraction(9, 10))
        ),
        FalseVariant(
            "It is enough that the gap is at least the largest of the summands, not their sum.",
            lambda: wrong_diagonal(
                law({(1, 1, 0, 1): 6, (1, 0, 0, 0): 5, (0, 1, 0, 0): 4, (0, 0, 1, 0): 4}),
                lambda differences: max(*differences, Fraction(0)),
            ),
        ),
        _without_division,
    ),
)
