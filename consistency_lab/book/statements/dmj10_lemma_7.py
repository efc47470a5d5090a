r"""DMJ10 Lemma 7: minimizing the pairwise loss is NP-hard, by reduction from feedback arc set.

A digraph (V, E) without loops becomes a distribution: each arc is a preference graph by itself, of
probability 1/|E| and weight |E|, so that a_ij = 1 on E and 0 elsewhere. For scores alpha let B(alpha) be the
arcs that Eq. 8 charges. Then l(p, alpha) = |B(alpha)|, and

- B(alpha) is a feedback arc set: the arcs outside B(alpha) lead down in the order of the scores, ties with
  the higher index first, and around a cycle the places cannot fall all the way;
- if E' is a feedback arc set, (V, E - E') has a topological order; scores that fall along it charge arcs of
  E' only, so l(p, alpha) <= |E'|.

Hence min l = the least size of a feedback arc set, and "is there an alpha with l <= k" is Karp's decision
problem. What is proved is this reduction; that feedback arc set is NP-complete is Karp's theorem (1972) and
is cited, not checked.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from random import Random
from typing import Final

from consistency_lab.book.feedback import (
    Arc,
    Arcs,
    digraphs,
    least_feedback,
    least_feedback_vertices,
    random_digraph,
    topological_order,
    unlabeled_digraphs,
    weak_orders,
)
from consistency_lab.book.risk import rational_scores
from consistency_lab.book.statement import (
    Checked,
    FalseVariant,
    Finding,
    Kind,
    Refutation,
    Statement,
    Step,
    concluded,
)
from consistency_lab.core.inequalities import check_farkas
from consistency_lab.errors import RejectedError
from consistency_lab.model.conditions import net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.targets import scores_loss
from consistency_lab.solve.optimal import optimal_orders

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
    stands = True
    for length in _CYCLES:
        # place(j) - place(i) <= -1 on each arc i → j, for places >= 0.
        arcs = [(i, (i + 1) % length) for i in range(length)]
        rows = [[Fraction((k == j) - (k == i)) for k in range(length)] for i, j in arcs]
        try:
            check_farkas(rows, [Fraction(-1)] * length, [], [], [Fraction(1)] * length, [])
        except RejectedError:
            stands = False
    details = (
        "Suppose place(j) <= place(i) - 1 for every arc i → j of a cycle i_1 → i_2 → ... → i_k → i_1.",
        "Add the k inequalities, each once: every place stands once on each side, so 0 <= -k.",
        "So for any order each cycle has an arc in B(alpha), and (V, E - B(alpha)) is acyclic.",
        "Conversely, if (V, E - E') is acyclic, scores falling along a topological order charge",
        "no arc outside E': B(alpha) is a subset of E', and l(p, alpha) = |B(alpha)| <= |E'|.",
    )
    how = "each place cancels between two arcs, for any length; the core accepts the multipliers for 2..12"
    claim = "B(alpha), of l(p, alpha) arcs, meets every cycle; every feedback arc set contains some B(alpha)"
    return Step(stands, Finding(claim, Kind.PROOF_ALL_M, "all m", how, details))


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
    for scores in weak_orders(m):
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
    return Step(stands, Finding(claim, Kind.PROOF_THIS_M, "m <= 3, and m = 4 up to isomorphism", how))


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
    return Step(stands, Finding(claim, Kind.TEST, "m <= 7", how))


def _check() -> Checked:
    remarks = (
        "What is checked is the reduction, which is polynomial: |E| graphs of one edge, numbers up to |E|. "
        "That feedback arc set is NP-complete is Karp's theorem (1972), not checked here.",
        "An arc from a vertex to itself is in every feedback arc set and is no preference: remove it first.",
        "The appendix prints that the back edges sum to less than k; its formula has <= k, as is needed.",
    )
    scope = "all m (the reduction)"
    return concluded(Kind.PROOF_ALL_M, scope, [_cycles_rise(), _exhaustive(), _decisions()], remarks)


_TRIANGLE: Final[Arcs] = ((0, 1), (1, 2), (2, 0))


def _free_ties() -> Refutation:
    scores = (0, 0, 0)
    strict = sum(scores[i] < scores[j] for i, j in _TRIANGLE)
    least = least_feedback(_TRIANGLE, 3)
    witness = (
        f"the cycle 1 → 2 → 3 → 1: equal scores would lose {strict}, but {len(least)} arc must go; "
        "Eq. 8 charges a tie to i < j, and loses 2 there"
    )
    return Refutation(strict < len(least) and len(charged(_TRIANGLE, scores)) == 2, witness)


def _vertices() -> Refutation:
    arcs: Arcs = tuple(permutations(range(3), 2))
    loss = optimal_orders(reduction(arcs, 3).aggregate).loss
    vertices = least_feedback_vertices(arcs, 3)
    witness = f"all six arcs on 3 items: min l = {loss}, but {vertices} vertices meet every cycle"
    return Refutation(loss != vertices, witness)


def _net_order_is_enough() -> Refutation:
    """The smallest digraph on which no order by out-degree minus in-degree has the least loss."""
    found = _first(unlabeled_digraphs(4), _beats_net_order)
    if found is None:
        return Refutation(False, "none on 4 items")
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


def _first(graphs: Sequence[Arcs], wanted: Callable[[Arcs], bool]) -> Arcs | None:
    return next((arcs for arcs in sorted(graphs, key=len) if wanted(arcs)), None)


STATEMENT: Final = Statement(
    name="lemma-7",
    title="DMJ10 Lemma 7",
    latex=r"Finding an \(\alpha\) that minimizes \(\ell(p, \alpha)\) of Eq. 8 is NP-hard.",
    plain="Minimizing the pairwise disagreement is as hard as finding a smallest feedback arc set.",
    hypotheses=("feedback arc set is NP-complete (Karp 1972)",),
    citation="DMJ10 Lemma 7 (proof in Appendix A); Karp 1972",
    check=_check,
    variants=(
        FalseVariant("Lemma 7's equality where ties cost nothing.", _free_ties),
        FalseVariant("The least loss is the least number of vertices that meet every cycle.", _vertices),
        FalseVariant("Sorting by out-degree minus in-degree minimizes the loss.", _net_order_is_enough),
    ),
)
