"""What the page on pairwise disagreement computes, and what refutes its false variants."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import permutations, product
from typing import Final

from consistency_lab.apps.book.rat13 import (
    Law,
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
from consistency_lab.apps.book.statement import Refutation
from consistency_lab.model.labels import Dags, Label, differences
from consistency_lab.model.surrogates.tasks.decoders import algorithm_1
from consistency_lab.model.tasks.discrete import PairwiseDisagreement
from consistency_lab.model.tasks.task import Prediction
from consistency_lab.numbers.exact import Matrix

_THREE: Final = PairwiseDisagreement(Dags(3))


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


def on_p_dag() -> Refutation:
    p = law({(0, 1): 1, (1, 2): 3})
    return sorted_wrongly(
        p, in_p_dag(_THREE.space, p) and len(set(expected(p, net_feature(_THREE.space)))) == 3
    )


def weak() -> Refutation:
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


def more_than_p_f() -> Refutation:
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


_FOUR: Final = PairwiseDisagreement(Dags(4))


def three_items() -> Iterator[Mapping[str, str] | bool]:
    """Three items: right for every p."""
    weights = product(range(-3, 4), repeat=3)
    laws = [_singles({(0, 1): a, (1, 2): b, (2, 0): c}) for a, b, c in weights if a or b or c]
    yield {"laws": str(len(laws))}
    yield all(_returned(_means(p, 3)) <= optimal(_THREE, p) for p in laws)


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


def any_p() -> Refutation:
    p = law({(0, 1): 3, (1, 2): 2, (2, 0): 5, (1, 3): 2, (3, 0): 5})
    returned = _returned(_means(p, 4))
    lost = {regret(_FOUR, p, order) for order in returned}
    return Refutation(
        min(lost) > 0 and not in_p_dag(_FOUR.space, p),
        f"{text(_FOUR, p)}: 2 → 3 and 2 → 4 go, for {' or '.join(map(ranking, sorted(returned)))}, of regret"
        f" {min(lost)}; deleting 1 → 2 alone is better, for {ranking(min(optimal(_FOUR, p)))}",
    )


def heaviest_first() -> Refutation:
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


def more_than_p_dag() -> Refutation:
    p = law({(0, 1): 3, (1, 2): 2, (2, 0): 1})
    returned, best = _returned(_means(p, 3)), optimal(_THREE, p)
    return Refutation(
        not in_p_dag(_THREE.space, p) and returned == best and all(three_items()),
        f"{text(_THREE, p)}: a cycle; 3 → 1 goes, for {ranking(min(returned))}, the optimal order, and stays "
        "the lightest while no score moves by 1/24: Algorithm 1 is right at P_DAG and this p",
    )
