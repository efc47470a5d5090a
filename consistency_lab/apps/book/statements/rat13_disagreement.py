"""RAT13 Theorems 6 and 7: pairwise disagreement by sorting scores, and by Algorithm 1."""

from fractions import Fraction
from itertools import permutations, product
from typing import Final

from consistency_lab.apps.book.rat13 import (
    Law,
    Matrix,
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
)
from consistency_lab.apps.book.rat13 import expected_scores as expected
from consistency_lab.apps.book.statement import Refutation, Statement, Step, check, false, idea, step
from consistency_lab.model.label_cones import differences
from consistency_lab.model.labels import Dags, Label
from consistency_lab.model.surrogates.tasks.decoders import algorithm_1
from consistency_lab.model.tasks.discrete import PairwiseDisagreement
from consistency_lab.model.tasks.task import Prediction

# --- RAT13 Theorem 6: least squares on any scores f of a preference graph is right wherever E f orders by d

_ANY: Final = "all r, all f"
_THREE: Final = PairwiseDisagreement(Dags(3))


_CONVERSE: Final = step(
    "At a p in P_DAG outside P_f some order that sorts E f is not optimal",
    _ANY,
    "the same sum over pairs",
    "Let p be in P_DAG but not in P_f: some d_ij > 0 has E f_i ≤ E f_j. Some order that sorts E f has",
    "j before i; against an order along the acyclic edges it loses Σ d over pairs upside down, all at",
    "least 0, among them d_ij > 0. So with ties broken at will the decoder is wrong at p.",
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
    citation="RAT13 Theorem 6; the converse within P_DAG is ours",
    check=check(
        "all r, all f, every p in P_f, every rule for ties",
        lambda: [
            idea(
                "The idea: an order along which every d_ij ≥ 0 is optimal",
                "all r, all f",
                "At p in P_f an order that sorts E f has no d_ji > 0 with i before j, so it costs no more",
                "than any other; and scores near E f keep the order of those that differ.",
            ),
            _CONVERSE,
        ],
        "f is arbitrary, and labels may be any weighted graphs, even with cycles.",
        "Not in Coq: within P_DAG the condition is exact: outside P_f some way to break ties errs (ours).",
        "That ψ_DMJ is right on P_f for any λ that is strictly convex and 1-coercive needs λ to be "
        "differentiable as well (see DMJ10 Theorem 13).",
    ),
    variants=(_on_p_dag, _weak, _more_than_p_f),
)


# --- RAT13 Theorem 7: pairwise least squares with Algorithm 1 is right where the difference graph is acyclic

_FOUR: Final = PairwiseDisagreement(Dags(4))


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
    citation="RAT13 Theorem 7",
    check=check(
        "all r, every p in P_DAG, every rule for ties",
        lambda: [
            idea(
                "The idea: near E Y a cycle needs a false edge, and these are the lightest",
                "all r",
                "The edges of P_DAG have no cycle, so of the edges that are left while there is one, one",
                "is false and weighs little: Algorithm 1 deletes it before any edge with d_ij > 0, and",
                "returns an order along those.",
            ),
        ],
        "Algorithm 1 gives every pair an edge, of weight (u_ij − u_ji)_+; weight 0 is meant to be no "
        "edge, or there would always be a cycle. Keeping those would delete them first.",
        "Algorithm 1 also deletes light edges that are on no cycle; under P_DAG they are false edges.",
    ),
    variants=(_any_p, _heaviest_first, _more_than_p_dag),
)

ALGORITHM_1_ON_THREE: Final = Statement(
    latex=(
        r"With \(r \le 3\), \(\sum_{i \ne j} (u_{ij} - y_{ij})^2\) with Algorithm 1 is calibrated with"
        r" pairwise disagreement at every p."
    ),
    plain="With three items Algorithm 1 is right everywhere, cycles and all; with four it is not.",
    hypotheses=(r"\(r \le 3\)", "labels are graphs with nonnegative weights"),
    citation="ours",
    check=check("r ≤ 3, every p, every rule for ties", lambda: [_three_items()]),
    variants=(_any_p,),
)
