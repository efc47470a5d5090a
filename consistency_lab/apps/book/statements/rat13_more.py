"""What the page on decoders and order-preserving losses of RAT13 computes, and what refutes its variants."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from consistency_lab.apps.book.rat13 import (
    Law,
    earned,
    feature,
    law,
    map_task,
    means,
    optimal,
    regret,
    sorted_orders,
)
from consistency_lab.apps.book.statement import Refutation
from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.rat13 import MAP_SORTED
from consistency_lab.model.conditions import condition, net
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.tasks.means import MapDiagonal, Softmax

# --- Theorem 2: calibration is what consistency needs ----------------------------------------------------


def uniform() -> Refutation:
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


def minimizers() -> Refutation:
    # One score, y in {0, 1}, (u − y)², p = (1/4, 3/4): predict 1 at u = 3/4 alone, and 0 elsewhere.
    p, excess = Fraction(3, 4), [Fraction(1, 10**k) ** 2 for k in range(1, 6)]
    return Refutation(
        1 - p < p and all(x > 0 for x in excess) and excess[-1] <= Fraction(1, 10**10),
        "least squares, p(1) = 3/4, pred(u) = 1 only at u = 3/4: the minimizer is decoded well, and 3/4 + t"
        " has the excess t² → 0 and the regret 1/2",
    )


# --- The surrogates of RAT13 with exact decoders ----------------------------------------------------------


def _value(u: Sequence[int], discounts: Sequence[Fraction], order: Sequence[int]) -> Fraction:
    return sum((u[i] * d for i, d in zip(order, discounts, strict=True)), Fraction(0))


def short_half_life() -> Refutation:
    discounts = [Fraction(4) ** (k - 1) for k in (1, 2)]  # 2^((1 − k)/(w − 1)) at w = 1/2
    values = [_value((1, 0), discounts, t) for t in ((0, 1), (1, 0))]
    return Refutation(
        values[0] < values[1], f"w = 1/2, u = (1, 0): 1 > 2 earns {values[0]}, and 2 > 1 earns {values[1]}"
    )


def only_sorted() -> Refutation:
    values = [_value((2, 1, 0), [Fraction(1), Fraction(1), Fraction(0)], t) for t in ((0, 1, 2), (1, 0, 2))]
    return Refutation(values[0] == values[1], "q = 2, u = (2, 1, 0): 2 > 1 > 3 is as good as 1 > 2 > 3")


# --- Order-preserving surrogates for MAP -----------------------------------------------------------------


def covered() -> bool:
    """Whether the theorem that gives verdicts takes both examples."""
    task = map_task(3)
    return all(
        isinstance(MAP_SORTED.applies(s, "reinforce", task), Evidence)
        for s in (MapDiagonal(), Softmax("sum"))
    )


def exchanged() -> Iterator[Mapping[str, str] | bool]:
    """Whether f_jγ(y') = f_iγ(y), y' being y with i and j exchanged."""
    cases = [
        (y, i, j)
        for r in (2, 3, 4)
        for y in map_task(r).space.labels
        for i, j in permutations(range(len(y)), 2)
    ]
    yield {"cases": str(len(cases))}
    yield all(_exchanged(*case) for case in cases)


def _exchanged(y: Label, i: int, j: int) -> bool:
    moved = [j if g == i else i if g == j else g for g in range(len(y))]
    partner = tuple(y[g] for g in moved)
    return all(feature(partner, i, g) == feature(y, j, moved[g]) for g in range(len(y)))


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


def arranged() -> Iterator[Mapping[str, str] | bool]:
    graphs = [
        (size, edges)
        for size in (3, 4)
        for k in range(1, size * (size - 1) // 2 + 1)
        for edges in combinations(combinations(range(size), 2), k)
    ]
    held = sum(_arranges(size, edges, 4 * size**4) for size, edges in graphs)
    yield {"held": str(held), "graphs": str(len(graphs))}
    yield held == len(graphs)
    path = ((0, 1), (1, 2))
    p = _graph_law(3, path, 2)
    u = means(p)
    values = {earned(u, (3, 4, *t)) / u[0][1] - _earned(3, path, t, 2) for t in permutations(range(3))}
    yield len(values) == 1
    yield all(set(order[:2]) == {3, 4} for order in optimal(map_task(5), p))


def one_weight() -> Refutation:
    star = ((0, 1), (0, 2), (0, 3))
    orders = ((1, 0, 2, 3), (0, 1, 2, 3))
    earned = [sum(Fraction(1, 1024 + max(t.index(i), t.index(j))) for i, j in star) for t in orders]
    lengths = [_length(star, t) for t in orders]
    return Refutation(
        earned[0] == earned[1] and lengths[0] < lengths[1],
        "a star with three leaves: its center first earns as much as second, at length"
        f" {lengths[1]}, not {lengths[0]}",
    )


def diagonal_decodes() -> Refutation:
    p = _graph_law(3, ((0, 1), (1, 2)), 2)
    u = means(p)
    order = next(sorted_orders([u[i][i] for i in range(5)]))
    lost = regret(map_task(5), p, order)
    return Refutation(lost > 0, f"the path of three vertices, N = 2: the diagonal loses {lost}")
