"""RAT13 Theorem 7: pairwise least squares with Algorithm 1 is right wherever the difference graph is acyclic.

Near the minimizer E Y the graph of the scores has the true edges, of weight at least δ less a little, and
perhaps some tiny false ones. A cycle needs a false edge, and these are deleted first. So an order that has a
true edge upside down needs scores whose excess is at least δ²/4, and that bound is attained.
"""

from fractions import Fraction
from itertools import permutations, product
from random import Random
from typing import Final

from consistency_lab.book.polynomials import Lines, step, vanishes
from consistency_lab.book.rat13 import (
    Law,
    Matrix,
    edges_of,
    in_p_dag,
    law,
    optimal,
    ranking,
    regret,
    text,
    topological_orders,
)
from consistency_lab.book.risk import acyclic_differences
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.book.statements.rat13_theorem_6 import pairs_step
from consistency_lab.model.conditions import condition
from consistency_lab.model.surrogates.tasks.decoders import algorithm_1
from consistency_lab.model.tasks.conditions import differences
from consistency_lab.model.tasks.discrete import PairwiseDisagreement
from consistency_lab.model.tasks.labels import Dags, Label
from consistency_lab.model.tasks.task import Prediction

_THREE: Final = PairwiseDisagreement(Dags(3))
_FOUR: Final = PairwiseDisagreement(Dags(4))
_HALF: Final = Fraction(1, 2)


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all r, every p in P_DAG, every rule for ties",
        [pairs_step(), margin(), _attained(), _three_items(), _random()],
        (
            "Algorithm 1 gives every pair an edge, of weight (u_ij − u_ji)_+; weight 0 is meant to be no "
            "edge, or there would always be a cycle. Keeping those would delete them first.",
            "With three items Algorithm 1 is right for every p, cycles and all (ours); with four it is not.",
            "Algorithm 1 also deletes light edges that are on no cycle; under P_DAG they are false edges.",
        ),
    )


def margin() -> Step:
    """Scores that may be decoded wrongly have an excess of at least δ²/4."""
    import sympy as sp

    d, w, x, y = sp.symbols("d w x y", real=True)
    halves, split = ((x - y) ** 2 + (x + y) ** 2) / 2, (w**2 + (d - w) ** 2) / 2
    lines: Lines = [
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
    ]
    return step(
        "Scores that may be decoded wrongly have an excess of at least δ²/4, δ the least d_ij on an edge",
        Kind.PROOF_ALL_M,
        "all r",
        "two identities by SymPy",
        lines,
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
        Kind.CERTIFICATE,
        "r = 3, one p",
        f"{text(_THREE, p)}: with v_12, v_13 less and v_21, v_31 more by δ/4 = {delta / 4} the edges 1 → 2 "
        f"and 3 → 1 tie, and Algorithm 1 may return {', '.join(map(ranking, sorted(returned - best)))}, not "
        f"optimal, at the excess {excess}",
        [],
        excess == delta**2 / 4,
        bool(returned - best),
    )


def _three_items() -> Step:
    """Three items: right for every p."""
    laws = right = 0
    for a, b, c in product(range(-3, 4), repeat=3):
        p = _singles({(0, 1): a, (1, 2): b, (2, 0): c})
        if p:
            laws += 1
            right += _returned(_means(p, 3)) <= optimal(_THREE, p)
    lines: Lines = [
        "If d has a cycle, all three pairs are edges, 1 → 2 → 3 → 1 say, of weights ≥ a > 0, a the least.",
        "Let every |x_ij| be below half of a, and below half of every positive difference of two of the",
        "weights: the edges stay, and the lightest at v is one of weight a. Algorithm 1 deletes it and",
        "returns the one order along the other two. It has one pair upside down, of weight a; every order",
        "has an edge of the cycle upside down, of weight at least a. Hence it is optimal.",
        "If d has no cycle, the theorem applies.",
    ]
    return step(
        "With three items Algorithm 1 is right for every p",
        Kind.PROOF_THIS_M,
        "r ≤ 3, every p",
        f"two cases; at E Y compared exactly with all orders for {laws} p on single edges",
        lines,
        laws == right,
    )


def _random() -> Step:
    """Acyclic d with scores moved by less than the bound: only optimal orders are returned."""
    rng = Random(1477)
    total = right = 0
    for m in (3, 4, 5):
        for _ in range(40):
            d = acyclic_differences(rng, m)
            least = min((x for row in d for x in row if x > 0), default=Fraction(1))
            moved = _moved(rng, d, least)
            best = {order for order in permutations(range(m)) if _along(order, d)}
            total += 1
            right += _returned(moved) <= best and condition("acyclic").holds(d)
    return step(
        "Scores moved by less than the bound are decoded to optimal orders",
        Kind.TEST,
        "r ≤ 5",
        f"at {right} of {total} random acyclic d, whole numbers, with all orders that ties allow",
        [],
        right == total,
    )


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
    """The law on single edges with these differences in proportion; empty if all are 0."""
    edges: dict[Label, int | Fraction] = {
        ((i, j) if w > 0 else (j, i)): abs(w) for (i, j), w in weights.items() if w
    }
    return law(edges) if edges else {}


def _returned(u: Matrix) -> set[Prediction]:
    """All orders that Algorithm 1 may return."""
    m = len(u)
    return set(algorithm_1([u[i][j] for i, j in permutations(range(m), 2)], m))


def _means(p: Law, m: int) -> list[list[Fraction]]:
    """E Y for labels that are single edges."""
    return [[p.get((i, j), Fraction(0)) for j in range(m)] for i in range(m)]


def _any_p() -> Refutation:
    p = law({(0, 1): 3, (1, 2): 2, (2, 0): 5, (1, 3): 2, (3, 0): 5})
    returned = _returned(_means(p, 4))
    lost = {regret(_FOUR, p, order) for order in returned}
    return Refutation(
        min(lost) > 0 and not in_p_dag(_FOUR.space, p),
        f"{text(_FOUR, p)}: 2 → 3 and 2 → 4 go, for {' or '.join(map(ranking, sorted(returned)))}, of regret"
        f" {min(lost)}; deleting 1 → 2 alone is better, for {ranking(min(optimal(_FOUR, p)))}",
    )


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


def _largest_set() -> Refutation:
    p = law({(0, 1): 3, (1, 2): 2, (2, 0): 1})
    returned, best = _returned(_means(p, 3)), optimal(_THREE, p)
    return Refutation(
        not in_p_dag(_THREE.space, p) and returned == best and _three_items().stands,
        f"{text(_THREE, p)}: a cycle; 3 → 1 goes, for {ranking(min(returned))}, the optimal order, and stays "
        "the lightest while no score moves by 1/24: Algorithm 1 is right at P_DAG and this p",
    )


STATEMENT: Final = Statement(
    name="rat13-theorem-7",
    title="RAT13 Theorem 7",
    latex=(
        r"\(\psi^*_{\mathrm{PD}}(y,u) = \sum_{i \ne j} (u_{ij} - y_{ij})^2\) with Algorithm 1 is calibrated"
        r" with pairwise disagreement over \(P_{\mathrm{DAG}} = \{p : \tilde G \text{ is acyclic}\}\), where"
        r" \(\tilde G = \{(i,j) : \mathbf{E} Y_{ij} > \mathbf{E} Y_{ji}\}\)"
    ),
    plain="Least squares on ordered pairs, with Algorithm 1, is right where the difference graph is acyclic.",
    hypotheses=(r"\(\tilde G\) is a DAG", "labels are graphs with nonnegative weights"),
    citation="RAT13 Theorem 7; the bound δ²/4 and the part on three items are ours",
    check=check,
    variants=(
        FalseVariant("Algorithm 1 is right for every p.", _any_p),
        FalseVariant(
            "Algorithm 1 is right on P_DAG too if it deletes the heaviest edges first.", _heaviest_first
        ),
        FalseVariant("P_DAG is the largest set on which it is right.", _largest_set),
    ),
)
