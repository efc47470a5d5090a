"""DMJ10 Lemmas 7 and 16: minimizing pairwise disagreement is NP-hard, and where its minimizers are."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from random import Random
from typing import Final

from consistency_lab.apps.book.risk import differences, rational_scores, score_orders, weights
from consistency_lab.apps.book.statement import (
    Cases,
    Refutation,
    Statement,
    Step,
    also,
    check,
    excluded,
    false,
    step,
)
from consistency_lab.model.conditions import net
from consistency_lab.model.distribution import Distribution, Matrix, difference
from consistency_lab.model.targets import scores_loss
from consistency_lab.solve.optimal import optimal_orders

# --- Feedback arc sets of small digraphs, by trying sets of arcs: no dynamic program, unlike in `solve` ---

Arc = tuple[int, int]
Arcs = tuple[Arc, ...]


def topological_order(arcs: Iterable[Arc], m: int) -> tuple[int, ...] | None:
    """An order in which every arc leads down, or None if there is a cycle (Kahn's algorithm).

    Examples
    --------
    >>> topological_order([(2, 0), (0, 1)], 3), topological_order([(0, 1), (1, 0)], 2)
    ((2, 0, 1), None)
    """
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
    """A smallest set of arcs without which there is no cycle: all sets are tried, small ones first.

    Examples
    --------
    >>> len(least_feedback([(0, 1), (1, 0), (1, 2), (2, 0)], 3))
    1
    """
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
    """All digraphs without loops on 0..m-1; opposite arcs are allowed.

    Examples
    --------
    >>> sum(1 for _ in digraphs(3))
    64
    """
    places = list(permutations(range(m), 2))
    for chosen in product((False, True), repeat=len(places)):
        yield tuple(arc for arc, used in zip(places, chosen, strict=True) if used)


def unlabeled_digraphs(m: int) -> list[Arcs]:
    """One of each class of isomorphic digraphs.

    Examples
    --------
    >>> [len(unlabeled_digraphs(m)) for m in (1, 2, 3)]
    [1, 3, 16]
    """
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


def random_digraph(rng: Random, m: int, size: int) -> Arcs:
    """A digraph with this many arcs."""
    return tuple(sorted(rng.sample(list(permutations(range(m), 2)), size)))


# --- DMJ10 Lemma 7: minimizing the pairwise loss is NP-hard, by reduction from feedback arc set ----------
# "Is there an alpha with l(p, alpha) <= k" is Karp's decision problem. What is proved is the reduction; that
# feedback arc set is NP-complete is Karp's theorem (1972) and is cited, not checked.

_SEED: Final = 1972
_CYCLES: Final = range(2, 13)
_RANDOM: Final = ((5, 9, 30), (6, 11, 20), (7, 12, 10))
"""Items, arcs, how many."""


def reduction(arcs: Arcs, m: int) -> Distribution:
    """The distribution of a digraph: one graph an arc, of probability 1/|E| and weight |E|.

    Examples
    --------
    >>> [[str(x) for x in row] for row in reduction(((0, 1), (1, 0)), 2).aggregate]
    [['0', '1'], ['1', '0']]
    """
    weight, chance = len(arcs), Fraction(1, max(len(arcs), 1))
    return Distribution.of(m, [(chance, {arc: weight}) for arc in arcs] or [(1, {})])


def charged(arcs: Sequence[Arc], scores: Sequence[int]) -> frozenset[Arc]:
    """B(alpha): the arcs that Eq. 8 charges, read off its two indicators.

    Examples
    --------
    >>> sorted(charged([(0, 1), (1, 0)], [0, 0]))  # a tie is charged to the arc that runs up the indices
    [(0, 1)]
    """
    return frozenset((i, j) for i, j in arcs if (scores[i] <= scores[j] if i < j else scores[i] < scores[j]))


def _cycles_rise() -> Step:
    """Around a cycle places cannot fall at every arc: the multipliers 1 add up to 0 >= length."""

    def cannot_fall(length: int) -> bool:
        # place(j) - place(i) <= -1 on each arc i → j, for places >= 0.
        arcs = [(i, (i + 1) % length) for i in range(length)]
        rows = [[Fraction((k == j) - (k == i)) for k in range(length)] for i, j in arcs]
        return excluded(rows, [Fraction(-1)] * length, [Fraction(1)] * length)

    return step(
        "B(alpha), of l(p, alpha) arcs, meets every cycle; every feedback arc set contains some B(alpha)",
        "all m",
        "each place cancels between two arcs, for any length; the core accepts the multipliers for 2..12",
        "Suppose place(j) <= place(i) - 1 for every arc i → j of a cycle i_1 → i_2 → ... → i_k → i_1.",
        "Add the k inequalities, each once: every place stands once on each side, so 0 <= -k.",
        "So for any order each cycle has an arc in B(alpha), and (V, E - B(alpha)) is acyclic.",
        "Conversely, if (V, E - E') is acyclic, scores falling along a topological order charge",
        "no arc outside E': B(alpha) is a subset of E', and l(p, alpha) = |B(alpha)| <= |E'|.",
        all(map(cannot_fall, _CYCLES)),
    )


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


def _exhaustive() -> Step:
    graphs = [(arcs, m) for m in (2, 3) for arcs in digraphs(m)]
    graphs += [(arcs, 4) for arcs in unlabeled_digraphs(4)]
    stands = all(agrees(arcs, m) for arcs, m in graphs)
    how = (
        f"{len(graphs)} digraphs; every ranking with ties; least sets by trying all sets of arcs, "
        "the least loss by the dynamic program"
    )
    claim = "both maps and min l = least feedback arc set, for all digraphs"
    return step(claim, "m <= 3, and m = 4 up to isomorphism", how, stands)


def _decisions() -> Step:
    """For every k: some alpha has l <= k if and only if some feedback arc set has at most k arcs."""
    rng = Random(_SEED)
    stands, total = True, 0
    for m, size, count in _RANDOM:
        for _ in range(count):
            arcs = random_digraph(rng, m, size)
            p = reduction(arcs, m)
            least = least_feedback(arcs, m)
            best = optimal_orders(p.aggregate)
            order = next(best.orders(1))
            back = charged(arcs, [-order.index(i) for i in range(m)])
            stands = stands and len(back) == best.loss == len(least)
            stands = stands and topological_order([arc for arc in arcs if arc not in back], m) is not None
            stands = stands and all((best.loss <= k) == (len(least) <= k) for k in range(size + 1))
            total += 1
    sizes = ", ".join(f"{m} items {size} arcs" for m, size, _ in _RANDOM)
    how = f"{total} random digraphs ({sizes}), every k; least sets by trying all sets of arcs"
    claim = "some alpha has l(p, alpha) <= k if and only if some feedback arc set has at most k arcs"
    return step(claim, "m <= 7", how, Cases(total * stands, total))


_TRIANGLE: Final[Arcs] = ((0, 1), (1, 2), (2, 0))


@false("Lemma 7's equality where ties cost nothing.")
def _free_ties() -> Refutation:
    scores = (0, 0, 0)
    strict = sum(scores[i] < scores[j] for i, j in _TRIANGLE)
    least = least_feedback(_TRIANGLE, 3)
    witness = (
        f"the cycle 1 → 2 → 3 → 1: equal scores would lose {strict}, but {len(least)} arc must go; "
        "Eq. 8 charges a tie to i < j, and loses 2 there"
    )
    return Refutation(strict < len(least) and len(charged(_TRIANGLE, scores)) == 2, witness)


@false("The least loss is the least number of vertices that meet every cycle.")
def _vertices() -> Refutation:
    arcs: Arcs = tuple(permutations(range(3), 2))
    loss = optimal_orders(reduction(arcs, 3).aggregate).loss
    vertices = least_feedback_vertices(arcs, 3)
    witness = f"all six arcs on 3 items: min l = {loss}, but {vertices} vertices meet every cycle"
    return Refutation(loss != vertices, witness)


@false("Sorting by out-degree minus in-degree minimizes the loss.")
def _net_order_is_enough() -> Refutation:
    """The smallest digraph on which no order by out-degree minus in-degree has the least loss."""
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


LEMMA_7: Final = Statement(
    latex=r"Finding an \(\alpha\) that minimizes \(\ell(p, \alpha)\) of Eq. 8 is NP-hard.",
    plain="Minimizing the pairwise disagreement is as hard as finding a smallest feedback arc set.",
    hypotheses=("feedback arc set is NP-complete (Karp 1972)",),
    citation="DMJ10 Lemma 7 (proof in Appendix A); Karp 1972",
    check=check(
        "all m (the reduction)",
        lambda: [_cycles_rise(), _exhaustive(), also(_decisions())],
        "What is checked is the reduction, which is polynomial: |E| graphs of one edge, numbers up to |E|. "
        "That feedback arc set is NP-complete is Karp's theorem (1972), not checked here.",
        "An arc from a vertex to itself is in every feedback arc set and is no preference: remove it first.",
        "The appendix prints that the back edges sum to less than k; its formula has <= k, as is needed.",
    ),
    variants=(_free_ties, _vertices, _net_order_is_enough),
)


# --- DMJ10 Lemma 16: what A(p) is where the difference graph is acyclic, and only there ------------------

Scores = Sequence[int]


_CONVERSE: Final = step(
    "If A(p) is the set of the lemma, G̃ is a DAG",
    "all m",
    "by hand",
    "A(p) is not empty, as the loss takes finitely many values. Scores in the set do not rise along",
    "a cycle of G̃, and fall strictly on one of its edges, as some edge leads to a larger index. So",
    "with a cycle the set is empty, and not A(p). (That the set is A(p) for a DAG is proved in Coq.)",
)


def eq_8(a: Matrix, scores: Scores) -> Fraction:
    """The loss of scores, as DMJ10 Eq. 8 has it.

    Examples
    --------
    >>> eq_8(((Fraction(0), Fraction(3)), (Fraction(1), Fraction(0))), (0, 0))
    Fraction(3, 1)
    """
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


@false("A(p) = {α : α_i > α_j on every edge i → j} if the difference graph is a DAG.")
def _all_strict() -> Refutation:
    p = Distribution.from_aggregate(weights(2, {(2, 1): 1}))
    refuted = (0, 0) in _optimal(p.aggregate)
    return Refutation(refuted, f"{differences(p)}: the tie (0, 0) is in A(p), as ties rank item 2 first")


@false("A(p) is the described set for every difference graph.")
def _cyclic() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (3, 1): 1}))
    described, optimal = _described(p.aggregate), _optimal(p.aggregate)
    return Refutation(
        not described and len(optimal) > 0,
        f"{differences(p)}: no α is in the described set, but {len(optimal)} of the 13 orders of the scores "
        "are in A(p), such as 1 > 2 > 3",
    )


LEMMA_16: Final = Statement(
    latex=(
        r"\(\tilde G\) is a DAG if and only if \(A(p) = \{\alpha : \alpha_i > \alpha_j \text{ for } i < j"
        r" \text{ with } a_{ij} > a_{ji},\ \alpha_i \ge \alpha_j \text{ for } i > j \text{ with }"
        r" a_{ij} > a_{ji}\}\)."
    ),
    plain="The scores of least loss are those that follow all edges, exactly if the edges have no cycle.",
    hypotheses=(r"\(\ell\) is the pairwise disagreement of Eq. 8",),
    citation="DMJ10 Lemma 16 (appendix)",
    check=check(
        "all m",
        lambda: [_CONVERSE],
        "The proof numbers the items along the edges without loss of generality, but the statement "
        "treats i < j and i > j differently; done pair by pair it needs no such numbering.",
    ),
    variants=(_all_strict, _cyclic),
)
