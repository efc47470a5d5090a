"""RAT13 Theorems 6 and 7: pairwise disagreement by sorting scores, and by Algorithm 1."""

from fractions import Fraction
from itertools import permutations, product
from random import Random
from typing import Final

from consistency_lab.book.polynomials import sp, vanishes
from consistency_lab.book.rat13 import (
    SCORES,
    Law,
    Matrix,
    Programs,
    edges_of,
    in_p_dag,
    in_p_f,
    law,
    net_feature,
    numbers,
    optimal,
    ranking,
    regret,
    sorted_orders,
    text,
    topological_orders,
    upside_down,
)
from consistency_lab.book.rat13 import expected_scores as expected
from consistency_lab.book.risk import acyclic_differences
from consistency_lab.book.statement import Line, Refutation, Statement, Step, also, check, drawn, false, step
from consistency_lab.model.conditions import condition
from consistency_lab.model.label_cones import differences
from consistency_lab.model.labels import Dags, Label
from consistency_lab.model.surrogates.tasks.decoders import algorithm_1
from consistency_lab.model.tasks.discrete import PairwiseDisagreement
from consistency_lab.model.tasks.task import Prediction

# --- RAT13 Theorem 6: least squares on any scores f of a preference graph is right wherever E f orders by d

_ANY: Final = "all r, all f"
_THREE: Final = PairwiseDisagreement(Dags(3))


def pairs_step() -> Step:
    """The loss of a rival is the loss of 1 > … > r plus d_ij for the pairs that it has upside down."""
    count, agreed = 0, True
    for r in (2, 3, 4):
        task = PairwiseDisagreement(Dags(r))
        first, *rivals = task.predictions
        for y in task.space.labels:
            least, d = task.loss(y, first), differences(task.space, {y: Fraction(1)})
            agreed = agreed and all(task.loss(y, t) - least == upside_down(d, t) for t in rivals)
            count += len(rivals)
    return step(
        "An order along which every d_ij ≥ 0 is optimal",
        "all r",
        f"pair by pair; compared exactly for every DAG and order of r ≤ 4 items, {count} differences",
        "ℓ(y, σ) is a sum over pairs {i, j}: y_ji if σ has i before j, and y_ij if j before i. So",
        "    pᵀℓ_τ − pᵀℓ_π = Σ d_ij over the i, j with i before j in π and j before i in τ,",
        "d_ij = E Y_ij − E Y_ji. If d_ij ≥ 0 whenever i is before j in π, then π is optimal, and τ is too",
        "exactly if all those d_ij are 0.",
        agreed,
    )


_SORTED: Final = step(
    "At every p in P_f every order that sorts E f is optimal",
    _ANY,
    "the contrapositive of the condition, and the step before",
    "Let p be in P_f and σ sort u = E f(Y), its ties broken in any way; i before j gives u_i ≥ u_j.",
    "If d_ji were above 0, P_f would give u_j > u_i. So d_ij ≥ 0 along σ, and σ is optimal.",
)


def _margin() -> Step:
    x, y, v, f, q = sp.symbols("e_i e_j v f q", real=True)
    half = ((y - x) ** 2 + (x + y) ** 2) / 2
    return step(
        "Scores that may be decoded wrongly have an excess of at least δ²/2, δ the least gap on an edge",
        _ANY,
        "two identities by SymPy",
        vanishes("E (v − f_i)² = (v − E f_i)² + var f_i", v**2 - 2 * v * f + q - (v - f) ** 2 - (q - f**2)),
        "so u = E f is the minimizer and the excess of v is |v − u|². Let δ be the least u_i − u_j over",
        "the edges d_ij > 0. If v may be decoded to an order that is not optimal, some edge is upside",
        "down there: v_j ≥ v_i and u_i − u_j ≥ δ. With e = v − u, e_j − e_i ≥ δ and",
        vanishes("e_i² + e_j² = ((e_j − e_i)² + (e_i + e_j)²)/2", x**2 + y**2 - half),
        "so the excess is at least δ²/2 > 0, which is Definition 1.",
    )


_CONVERSE: Final = step(
    "At a p in P_DAG outside P_f some order that sorts E f is not optimal",
    _ANY,
    "the same sum over pairs",
    "Let p be in P_DAG but not in P_f: some d_ij > 0 has E f_i ≤ E f_j. Some order that sorts E f has",
    "j before i; against an order along the acyclic edges it loses Σ d over pairs upside down, all at",
    "least 0, among them d_ij > 0. So with ties broken at will the decoder is wrong at p.",
)


def _programs() -> Step:
    programs = Programs(_THREE)
    along = programs.along_worst()
    found = {name: programs.sorted_worst(make(_THREE.space)) for name, make in SCORES.items()}
    lines = [Line(f"{name}: {value}, at {text(_THREE, p)}", value > 0) for name, (value, p) in found.items()]
    return step(
        "Along d ≥ 0 no order has a regret; over P_DAG every one of four scores f is wrong somewhere",
        "r = 3, all 25 DAGs",
        "exact linear programs with exact multipliers; each with its greatest regret",
        *lines,
        along == 0,
    )


def _squares() -> Step:
    """ψ_DMJ with λ(z) = z² and ν = 1/2 is least squares on the net preference."""
    f, u = sp.symbols("f_i u_i", real=True)
    y, a, b = sp.symbols("y_ij u_i u_j", real=True)
    return step(
        "With f_i = Σ_j (y_ij − y_ji), ψ_f is twice the value-regularized linear loss up to a constant",
        "all r",
        "two identities by SymPy",
        vanishes(
            "y_ij (u_j − u_i) = −u_i y_ij + u_j y_ij: in all, −Σ u_i f_i, f_i = Σ_j (y_ij − y_ji)",
            y * (b - a) + a * y - b * y,
        ),
        vanishes(
            "u_i²/2 − u_i f_i = (u_i − f_i)²/2 − f_i²/2", u**2 / 2 - u * f - (u - f) ** 2 / 2 + f**2 / 2
        ),
        "so ψ_DMJ with λ(z) = z², ν = 1/2 is half of ψ_f less what does not depend on u.",
    )


def sorted_wrongly(p: Law, inside: bool) -> Refutation:
    """Refute that sorting the mean net preference is right at a p, for some way of breaking ties."""
    f = net_feature(_THREE.space)
    scores = expected(p, f)
    worst = max(sorted_orders(scores), key=lambda order: regret(_THREE, p, order))
    lost = regret(_THREE, p, worst)
    return Refutation(
        inside and lost > 0,
        f"f = wins − losses; {text(_THREE, p)}: {edges_of(differences(_THREE.space, p))}, E f = "
        f"{numbers(scores)}, so {ranking(worst)}; its regret is {lost}",
    )


@false("With f = wins − losses it is right on P_DAG.")
def _on_p_dag() -> Refutation:
    p = law({(0, 1): 1, (1, 2): 3})
    return sorted_wrongly(
        p, in_p_dag(_THREE.space, p) and len(set(expected(p, net_feature(_THREE.space)))) == 3
    )


@false("It is enough that E Y_ij > E Y_ji implies E f_i ≥ E f_j.")
def _weak() -> Refutation:
    """With ≥ the constant f fulfils the condition everywhere, and no decoder can be right."""
    task = PairwiseDisagreement(Dags(2))
    laws = [law({(0, 1): 1}), law({(1, 0): 1})]
    first, second = (optimal(task, p) for p in laws)
    means = [expected(p, _constant) for p in laws]
    return Refutation(
        means[0] == means[1] and not first & second,
        f"f = 0, two items: {text(task, laws[0])}, or {text(task, laws[1])}: both have the minimizer 0, and "
        "their optimal orders differ, so no decoder is right at both",
    )


def _constant(label: Label) -> list[Fraction]:
    return [Fraction(0), Fraction(0)]


@false("P_f is the largest set on which ψ_f and sorting are right.")
def _more_than_p_f() -> Refutation:
    space = _THREE.space
    p = law({(0, 1): 2, (1, 2): 2, (2, 0): 1})
    f = net_feature(space)
    scores = expected(p, f)
    orders, best = set(sorted_orders(scores)), optimal(_THREE, p)
    return Refutation(
        not in_p_f(space, p, f) and not in_p_dag(space, p) and orders == best and len(set(scores)) == 3,
        f"f = wins − losses; {text(_THREE, p)}: a cycle, so p is in no P_f; E f = {numbers(scores)} has no"
        f" ties and gives {', '.join(map(ranking, orders))}, which is the optimal order",
    )


RAT13_THEOREM_6: Final = Statement(
    latex=(
        r"For every \(f : Y \to \mathbf{R}^r\), \(\psi_f(y,u) = \sum_i (u_i - f_i(y))^2\), decoded by"
        r" sorting, is calibrated with pairwise disagreement over \(P_f = \{p : \mathbf{E} Y_{ij} >"
        r" \mathbf{E} Y_{ji} \implies \mathbf{E} f_i(Y) > \mathbf{E} f_j(Y)\}\)"
    ),
    plain="Least squares on any scores of a preference graph is right wherever their means order each edge.",
    hypotheses=(r"\(p \in P_f\)", "labels are graphs with nonnegative weights"),
    citation="RAT13 Theorem 6; the bound δ²/2 and the converse within P_DAG are ours",
    check=check(
        "all r, all f, every p in P_f, every rule for ties",
        lambda: [pairs_step(), _SORTED, _margin(), _CONVERSE, _programs(), _squares()],
        "Nothing is asked of f, and of labels only that they are weighted graphs; they may have cycles.",
        "Within P_DAG the condition is exact: outside P_f some way to break ties is wrong (ours).",
        "That ψ_DMJ is right on P_f for any λ that is strictly convex and 1-coercive needs λ to be "
        "differentiable as well (see DMJ10 Theorem 13).",
    ),
    variants=(_on_p_dag, _weak, _more_than_p_f),
)


# --- RAT13 Theorem 7: pairwise least squares with Algorithm 1 is right where the difference graph is acyclic
# Near the minimizer E Y a cycle needs a false edge, of little weight, and these are deleted first.

_FOUR: Final = PairwiseDisagreement(Dags(4))
_HALF: Final = Fraction(1, 2)


def margin() -> Step:
    """Scores that may be decoded wrongly have an excess of at least δ²/4."""
    d, w, x, y = sp.symbols("d w x y", real=True)
    halves, split = ((x - y) ** 2 + (x + y) ** 2) / 2, (w**2 + (d - w) ** 2) / 2
    return step(
        "Scores that may be decoded wrongly have an excess of at least δ²/4, δ the least d_ij on an edge",
        "all r",
        "two identities by SymPy",
        "The excess of v is |e|², e = v − E Y (Theorem 3); let x_ij = e_ij − e_ji, of which",
        vanishes("e_ij² + e_ji² = (x_ij² + (e_ij + e_ji)²)/2 ≥ x_ij²/2", x**2 + y**2 - halves),
        "An order that is not optimal has an edge i → j of P_DAG upside down, d = d_ij ≥ δ. Either it is",
        "no edge of v's graph: then d + x_ij ≤ 0, x_ij² ≥ d², and |e|² ≥ d²/2.",
        "Or it has weight w = d + x_ij > 0 and was deleted while a cycle was left. All edges left weigh",
        "at least w; as the true edges have no cycle, one k → l of them is false: d_kl ≤ 0, so its weight",
        "d_kl + x_kl ≥ w gives x_kl ≥ w. It is another pair than {i, j}, one of whose edges is i → j. So",
        "    |e|² ≥ (x_kl² + x_ij²)/2 ≥ (w² + (d − w)²)/2 if w ≤ d, and ≥ w²/2 > d²/2 if w > d, where",
        vanishes("(w² + (d − w)²)/2 = d²/4 + (2w − d)²/4", split - d**2 / 4 - (2 * w - d) ** 2 / 4),
        "Either way |e|² ≥ δ²/4 > 0, which is Definition 1. If p has no edge, every order is optimal.",
    )


def _attained() -> Step:
    """Equality: d_12 = δ, d_23 = 2δ, moved by a quarter of δ in four places."""
    p = law({(0, 1): 1, (1, 2): 2})
    u = _means(p, 3)
    delta = u[0][1]
    e = {(0, 1): -delta / 4, (1, 0): delta / 4, (2, 0): delta / 4, (0, 2): -delta / 4}
    v = [[u[i][j] + e.get((i, j), Fraction(0)) for j in range(3)] for i in range(3)]
    returned, best = _returned(v), optimal(_THREE, p)
    excess = sum((x**2 for x in e.values()), Fraction(0))
    return step(
        "The bound δ²/4 is attained",
        "r = 3, one p",
        f"{text(_THREE, p)}: with v_12, v_13 less and v_21, v_31 more by δ/4 = {delta / 4} the edges 1 → 2 "
        f"and 3 → 1 tie, and Algorithm 1 may return {', '.join(map(ranking, sorted(returned - best)))}, not "
        f"optimal, at the excess {excess}",
        excess == delta**2 / 4,
        bool(returned - best),
    )


def _three_items() -> Step:
    """Three items: right for every p."""
    weights = product(range(-3, 4), repeat=3)
    laws = [_singles({(0, 1): a, (1, 2): b, (2, 0): c}) for a, b, c in weights if a or b or c]
    return step(
        "With three items Algorithm 1 is right for every p",
        "r ≤ 3, every p",
        f"two cases; at E Y compared exactly with all orders for {len(laws)} p on single edges",
        "If d has a cycle, all three pairs are edges, 1 → 2 → 3 → 1 say, of weights ≥ a > 0, a the least.",
        "Let every |x_ij| be below half of a, and below half of every positive difference of two of the",
        "weights: the edges stay, and the lightest at v is one of weight a. Algorithm 1 deletes it and",
        "returns the one order along the other two. It has one pair upside down, of weight a; every order",
        "has an edge of the cycle upside down, of weight at least a. Hence it is optimal.",
        "If d has no cycle, the theorem applies.",
        all(_returned(_means(p, 3)) <= optimal(_THREE, p) for p in laws),
    )


def _random() -> Step:
    """Acyclic d with scores moved by less than the bound: only optimal orders are returned."""

    def right(rng: Random, m: int) -> bool:
        d = acyclic_differences(rng, m)
        least = min((x for row in d for x in row if x > 0), default=Fraction(1))
        best = {order for order in permutations(range(m)) if _along(order, d)}
        return _returned(_moved(rng, d, least)) <= best and condition("acyclic").holds(d)

    claim = "Scores moved by less than the bound are decoded to optimal orders"
    how = "at {} random acyclic d, whole numbers, with all orders that ties allow"
    return drawn(claim, "r ≤ 5", how, right, (3, 4, 5), 40, 1477)


def _moved(rng: Random, d: Matrix, delta: Fraction) -> Matrix:
    """Antisymmetric scores with this d, moved by e with |e|² just below δ²/4."""
    m = len(d)
    e = [[Fraction(rng.randint(-9, 9)) for _ in range(m)] for _ in range(m)]
    size = sum((x**2 for row in e for x in row), Fraction(1))
    # (k/100) |e| < δ/2 as long as k² |e|² < 2500 δ².
    k = next(k for k in range(10_000) if (k + 1) ** 2 * size >= 2500 * delta**2)
    return [[d[i][j] / 2 + Fraction(k, 100) * e[i][j] for j in range(m)] for i in range(m)]


def _along(order: Prediction, d: Matrix) -> bool:
    return all(d[i][j] >= 0 for k, i in enumerate(order) for j in order[k + 1 :])


def _singles(weights: dict[tuple[int, int], int]) -> Law:
    """The law on single edges with these differences in proportion."""
    return law({((i, j) if w > 0 else (j, i)): abs(w) for (i, j), w in weights.items() if w})


def _returned(u: Matrix) -> set[Prediction]:
    """All orders that Algorithm 1 may return."""
    m = len(u)
    return set(algorithm_1([u[i][j] for i, j in permutations(range(m), 2)], m))


def _means(p: Law, m: int) -> list[list[Fraction]]:
    """E Y for labels that are single edges."""
    return [[p.get((i, j), Fraction(0)) for j in range(m)] for i in range(m)]


@false("Algorithm 1 is right for every p.")
def _any_p() -> Refutation:
    p = law({(0, 1): 3, (1, 2): 2, (2, 0): 5, (1, 3): 2, (3, 0): 5})
    returned = _returned(_means(p, 4))
    lost = {regret(_FOUR, p, order) for order in returned}
    return Refutation(
        min(lost) > 0 and not in_p_dag(_FOUR.space, p),
        f"{text(_FOUR, p)}: 2 → 3 and 2 → 4 go, for {' or '.join(map(ranking, sorted(returned)))}, of regret"
        f" {min(lost)}; deleting 1 → 2 alone is better, for {ranking(min(optimal(_FOUR, p)))}",
    )


@false("Algorithm 1 is right on P_DAG too if it deletes the heaviest edges first.")
def _heaviest_first() -> Refutation:
    p = law({(0, 1): 1, (1, 2): 1})
    u, best = _means(p, 3), optimal(_THREE, p)
    wrong = True
    for k in range(1, 7):
        t = Fraction(1, 10**k)
        weights = {(0, 1): u[0][1], (1, 2): u[1][2], (2, 0): t}
        for edge, weight in weights.items():
            if weight == max(weights.values()):
                wrong = wrong and not best & set(topological_orders(frozenset(weights) - {edge}, 3))
    return Refutation(
        wrong and in_p_dag(_THREE.space, p),
        f"{text(_THREE, p)}: {edges_of(differences(_THREE.space, p))}, no cycle. With u_31 = t > 0 there is "
        "one, and 1 → 2 or 2 → 3 goes, 3 → 1 stays: not optimal, at an excess of t², for t = 10^−1 to 10^−6",
    )


@false("P_DAG is the largest set on which it is right.")
def _more_than_p_dag() -> Refutation:
    p = law({(0, 1): 3, (1, 2): 2, (2, 0): 1})
    returned, best = _returned(_means(p, 3)), optimal(_THREE, p)
    return Refutation(
        not in_p_dag(_THREE.space, p) and returned == best and _three_items().stands,
        f"{text(_THREE, p)}: a cycle; 3 → 1 goes, for {ranking(min(returned))}, the optimal order, and stays "
        "the lightest while no score moves by 1/24: Algorithm 1 is right at P_DAG and this p",
    )


RAT13_THEOREM_7: Final = Statement(
    latex=(
        r"\(\psi^*_{\mathrm{PD}}(y,u) = \sum_{i \ne j} (u_{ij} - y_{ij})^2\) with Algorithm 1 is calibrated"
        r" with pairwise disagreement over \(P_{\mathrm{DAG}} = \{p : \tilde G \text{ is acyclic}\}\), where"
        r" \(\tilde G = \{(i,j) : \mathbf{E} Y_{ij} > \mathbf{E} Y_{ji}\}\)"
    ),
    plain="Least squares on ordered pairs, with Algorithm 1, is right where the difference graph is acyclic.",
    hypotheses=(r"\(\tilde G\) is a DAG", "labels are graphs with nonnegative weights"),
    citation="RAT13 Theorem 7; the bound δ²/4 and the part on three items are ours",
    check=check(
        "all r, every p in P_DAG, every rule for ties",
        lambda: [pairs_step(), margin(), _attained(), _three_items(), also(_random())],
        "Algorithm 1 gives every pair an edge, of weight (u_ij − u_ji)_+; weight 0 is meant to be no "
        "edge, or there would always be a cycle. Keeping those would delete them first.",
        "With three items Algorithm 1 is right for every p, cycles and all (ours); with four it is not.",
        "Algorithm 1 also deletes light edges that are on no cycle; under P_DAG they are false edges.",
    ),
    variants=(_any_p, _heaviest_first, _more_than_p_dag),
)
