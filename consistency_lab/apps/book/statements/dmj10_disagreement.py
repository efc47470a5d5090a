"""What the page on pairwise disagreement as a feedback arc set computes, and the digraphs it tries."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Final

from consistency_lab.apps.book.risk import differences, rational_scores, score_orders, weights
from consistency_lab.apps.book.statement import Refutation, excluded
from consistency_lab.model.conditions import net
from consistency_lab.model.distribution import Distribution, difference, scores_loss
from consistency_lab.numbers.exact import Matrix
from consistency_lab.solve.optimal import optimal_orders

# --- Feedback arc sets of small digraphs, by trying sets of arcs: no dynamic program, unlike in `solve` ---

Arc = tuple[int, int]
Arcs = tuple[Arc, ...]


def topological_order(arcs: Iterable[Arc], m: int) -> tuple[int, ...] | None:
    """An order in which every arc leads down, or None if there is a cycle (Kahn's algorithm)."""
    left, remaining = list(arcs), set(range(m))
    order: list[int] = []
    while remaining:
        ends = {j for _, j in left}
        free = [i for i in sorted(remaining) if i not in ends]
        if not free:
            return None
        order += free
        remaining -= set(free)
        left = [(i, j) for i, j in left if i in remaining]
    return tuple(order)


def least_feedback(arcs: Sequence[Arc], m: int) -> frozenset[Arc]:
    """A smallest set of arcs without which there is no cycle: all sets are tried, small ones first."""
    return next(
        frozenset(removed)
        for size in range(len(arcs) + 1)
        for removed in combinations(arcs, size)
        if topological_order([arc for arc in arcs if arc not in removed], m) is not None
    )


def least_feedback_vertices(arcs: Sequence[Arc], m: int) -> int:
    """The size of a smallest set of vertices without which there is no cycle."""
    return next(
        size
        for size in range(m + 1)
        for removed in combinations(range(m), size)
        if topological_order([(i, j) for i, j in arcs if i not in removed and j not in removed], m)
        is not None
    )


def digraphs(m: int) -> Iterator[Arcs]:
    """All digraphs without loops on 0..m-1; opposite arcs are allowed."""
    places = list(permutations(range(m), 2))
    for chosen in product((False, True), repeat=len(places)):
        yield tuple(arc for arc, used in zip(places, chosen, strict=True) if used)


def unlabeled_digraphs(m: int) -> list[Arcs]:
    """One of each class of isomorphic digraphs."""
    places = {arc: n for n, arc in enumerate(permutations(range(m), 2))}
    moves = [[1 << places[order[i], order[j]] for i, j in places] for order in permutations(range(m))]
    seen: set[int] = set()
    found = []
    for arcs in digraphs(m):
        numbers = [places[arc] for arc in arcs]
        if sum(1 << n for n in numbers) not in seen:
            seen |= {sum(move[n] for n in numbers) for move in moves}
            found.append(arcs)
    return found


# --- Lemma 7: minimizing the pairwise loss is NP-hard, by reduction from feedback arc set ----------------


def reduction(arcs: Arcs, m: int) -> Distribution:
    """The distribution of a digraph: one graph an arc, of probability 1/|E| and weight |E|."""
    weight, chance = len(arcs), Fraction(1, max(len(arcs), 1))
    return Distribution.of(m, [(chance, {arc: weight}) for arc in arcs] or [(1, {})])


def charged(arcs: Sequence[Arc], scores: Sequence[int]) -> frozenset[Arc]:
    """B(alpha): the arcs that Eq. 8 charges, read off its two indicators."""
    return frozenset((i, j) for i, j in arcs if (scores[i] <= scores[j] if i < j else scores[i] < scores[j]))


def cannot_fall(first: str, last: str) -> bool:
    """Whether places cannot fall around a cycle of these lengths: the multipliers 1 add up to 0 >= length."""

    def excluded_at(length: int) -> bool:
        # place(j) - place(i) <= -1 on each arc i → j, for places >= 0.
        arcs = [(i, (i + 1) % length) for i in range(length)]
        rows = [[Fraction((k == j) - (k == i)) for k in range(length)] for i, j in arcs]
        return excluded(rows, [Fraction(-1)] * length, [Fraction(1)] * length)

    return all(map(excluded_at, range(int(first), int(last) + 1)))


def agrees(arcs: Arcs, m: int) -> bool:
    """Both maps and the optimum, for one digraph; every ranking with ties is tried."""
    p = reduction(arcs, m)
    least = least_feedback(arcs, m)
    best = optimal_orders(p.aggregate)
    if p.aggregate != tuple(tuple(Fraction((i, j) in arcs) for j in range(m)) for i in range(m)):
        return False
    if best.loss != len(least):
        return False
    # From scores to a feedback arc set of the same size, ...
    for scores in score_orders(m):
        found = charged(arcs, scores)
        if topological_order([arc for arc in arcs if arc not in found], m) is None:
            return False
        if scores_loss(p.aggregate, rational_scores(scores)) != len(found):
            return False
    # ... and from a feedback arc set to scores that lose no more.
    order = topological_order([arc for arc in arcs if arc not in least], m)
    return order is not None and charged(arcs, [-order.index(i) for i in range(m)]) <= least


def both_maps() -> Iterator[Mapping[str, str] | bool]:
    graphs = [(arcs, m) for m in (2, 3) for arcs in digraphs(m)]
    graphs += [(arcs, 4) for arcs in unlabeled_digraphs(4)]
    yield {"digraphs": str(len(graphs))}
    yield all(agrees(arcs, m) for arcs, m in graphs)


_TRIANGLE: Final[Arcs] = ((0, 1), (1, 2), (2, 0))


def free_ties() -> Refutation:
    scores = (0, 0, 0)
    strict = sum(scores[i] < scores[j] for i, j in _TRIANGLE)
    least = least_feedback(_TRIANGLE, 3)
    witness = (
        f"the cycle 1 → 2 → 3 → 1: equal scores would lose {strict}, but {len(least)} arc must go; "
        "Eq. 8 charges a tie to i < j, and loses 2 there"
    )
    return Refutation(strict < len(least) and len(charged(_TRIANGLE, scores)) == 2, witness)


def vertices() -> Refutation:
    arcs: Arcs = tuple(permutations(range(3), 2))
    loss = optimal_orders(reduction(arcs, 3).aggregate).loss
    vertices = least_feedback_vertices(arcs, 3)
    witness = f"all six arcs on 3 items: min l = {loss}, but {vertices} vertices meet every cycle"
    return Refutation(loss != vertices, witness)


def net_order_is_enough() -> Refutation:
    found = next(filter(_beats_net_order, sorted(unlabeled_digraphs(4), key=len)))
    p = reduction(found, 4)
    arcs = ", ".join(f"{i + 1}→{j + 1}" for i, j in found)
    nets = ", ".join(map(str, net(p.difference)))
    loss = optimal_orders(p.aggregate).loss
    return Refutation(
        True, f"the arcs {arcs}: the nets are {nets}, and every order by them loses more than min l = {loss}"
    )


def _beats_net_order(arcs: Arcs) -> bool:
    p = reduction(arcs, 4)
    nets = net(p.difference)
    return all(
        any(nets[i] < nets[j] for i, j in pairwise(order)) for order in optimal_orders(p.aggregate).orders()
    )


# --- Lemma 16: what A(p) is where the difference graph is acyclic, and only there ------------------------

Scores = Sequence[int]


def eq_8(a: Matrix, scores: Scores) -> Fraction:
    """The loss of scores, as DMJ10 Eq. 8 has it."""
    m = range(len(a))
    return sum(
        (a[i][j] for i in m for j in m if scores[i] < scores[j] or (i < j and scores[i] == scores[j])),
        Fraction(0),
    )


def _optimal(a: Matrix) -> set[tuple[int, ...]]:
    losses = {scores: eq_8(a, scores) for scores in score_orders(len(a))}
    least = min(losses.values())
    return {scores for scores, value in losses.items() if value == least}


def _described(a: Matrix) -> set[tuple[int, ...]]:
    edges = [(i, j) for i, row in enumerate(difference(a)) for j, d in enumerate(row) if d > 0]
    return {s for s in score_orders(len(a)) if all(s[i] > s[j] or (i > j and s[i] == s[j]) for i, j in edges)}


def all_strict() -> Refutation:
    p = Distribution.from_aggregate(weights(2, {(2, 1): 1}))
    refuted = (0, 0) in _optimal(p.aggregate)
    return Refutation(refuted, f"{differences(p)}: the tie (0, 0) is in A(p), as ties rank item 2 first")


def cyclic() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (3, 1): 1}))
    described, optimal = _described(p.aggregate), _optimal(p.aggregate)
    return Refutation(
        not described and len(optimal) > 0,
        f"{differences(p)}: no α is in the described set, but {len(optimal)} of the 13 orders of the scores "
        "are in A(p), such as 1 > 2 > 3",
    )
