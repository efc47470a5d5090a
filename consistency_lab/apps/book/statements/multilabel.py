"""What the page on several relevant labels computes, and what refutes its false variants."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from consistency_lab.apps.book.risk import (
    entropy,
    rational_scores,
    refuted_by_core,
    regret_and_excess,
    weights,
)
from consistency_lab.apps.book.statement import Line, Refutation
from consistency_lab.certify.witness import certify
from consistency_lab.core.document import CONSISTENT_AT_P
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact import certainly_less, enclose

Ballots = Sequence[tuple[frozenset[int], Fraction]]

# --- Gao and Zhou 2011: losses of pairs on approval ballots ----------------------------------------------

_VOTES: Final = ((frozenset({0}), 5), (frozenset({2}), 3), (frozenset({0, 1}), 4))
_STRICT: Final = ("logistic", "exponential", "square", "squared-hinge", "smoothed-hinge", "huberized-hinge")


def _aggregate(ballots: Sequence[tuple[frozenset[int], int]]) -> list[list[Fraction]]:
    votes = ((i, j, n) for s, n in ballots for i in s for j in range(3) if j not in s)
    a = [[Fraction(0)] * 3 for _ in range(3)]
    for i, j, n in votes:
        a[i][j] += n
    return a


def twelve_ballots() -> Iterator[Line | bool]:
    a = _aggregate(_VOTES)
    total = sum(n for _, n in _VOTES)
    yield Line(
        "2 is on 4 ballots and 3 on 3: 1 > 2 > 3 is optimal, and 3 above 2 costs 1 more",
        a[1][2] - a[2][1] == 1,
    )
    for name in (*_STRICT, "hinge"):
        witness = certify(surrogate(name), Distribution.from_aggregate(a))
        assert witness is not None
        found = witness.verified
        yield Line(
            f"{name}: {found.failure}, regret {found.regret}/{total}",
            found.regret == 1 and found.failure == ("tie" if name == "hinge" else "strict"),
        )
    yield a == weights(3, {(1, 2): 5, (1, 3): 9, (3, 1): 3, (2, 3): 4, (3, 2): 3})


def linear() -> Refutation:
    found = certify(surrogate("linear"), Distribution.from_aggregate(_aggregate(_VOTES)))
    right = found is not None and found.verified.claim == CONSISTENT_AT_P
    return Refutation(right, "the linear loss, α = N, is right at these ballots, accepted by the core")


def single_labels() -> Refutation:
    ballots = ((frozenset({0}), 5), (frozenset({2}), 3), (frozenset({1}), 4))
    found = certify(surrogate("logistic"), Distribution.from_aggregate(_aggregate(ballots)))
    right = found is not None and found.verified.claim == CONSISTENT_AT_P
    return Refutation(
        right, "one relevant item a ballot: the logistic loss is right there, accepted by the core"
    )


# --- Dembczyński, Kotłowski and Hüllermeier 2012: losses of single items ---------------------------------


def relevance(ballots: Ballots, r: int) -> list[Fraction]:
    """Δ_i = E[w(S) 1(i ∈ S)], w(S) = 1/(|S| (r − |S|))."""
    return [sum((_weight(s, r) * p for s, p in ballots if i in s), Fraction(0)) for i in range(r)]


def _weight(s: frozenset[int], r: int) -> Fraction:
    return Fraction(1, len(s) * (r - len(s))) if 0 < len(s) < r else Fraction(0)


def rank_loss(ballots: Ballots, order: Sequence[int]) -> Fraction:
    """The expected ranking loss of an order."""
    r = len(order)
    pairs = [(order[k], order[n]) for k in range(r) for n in range(k + 1, r)]
    return sum(
        (p * _weight(s, r) * sum(j in s and i not in s for i, j in pairs) for s, p in ballots), Fraction(0)
    )


def unweighted() -> Refutation:
    ballots = [(frozenset({0}), Fraction(9, 20)), (frozenset({1, 2}), Fraction(11, 20))]
    lost = [rank_loss(ballots, t) for t in ((1, 2, 0, 3), (0, 1, 2, 3))]
    return Refutation(
        lost[0] > lost[1],
        f"{{1}} with 9/20, {{2, 3}} with 11/20, r = 4: 2, 3 first loses {lost[0]}, 1 first {lost[1]}",
    )


# --- Gao and Zhou 2015: AUC ------------------------------------------------------------------------------

_AUC: Final = weights(3, {(1, 2): 2, (1, 3): 4, (2, 1): 1, (2, 3): 2, (3, 1): 1, (3, 2): 1})


def on_auc(phi: str) -> Iterator[Line]:
    loss = surrogate(phi=phi)
    pairs = [[[0, _AUC[i][j]], [_AUC[j][i], 0]] for i, j in combinations(range(3), 2)]
    alone = [certify(loss, Distribution.from_aggregate(pair)) for pair in pairs]
    right = all(one is not None and one.verified.claim == CONSISTENT_AT_P for one in alone)
    found = refuted_by_core(loss, _AUC, "auc")
    yield Line(f"{phi}: right on each pair, wrong on all three", right and found.refuted)
    yield Line(f"    {found.witness}", found.refuted)


def root_of_the_excess(larger: str) -> Refutation:
    a, b, root = Fraction(larger), 1 - Fraction(larger), Fraction(2, 5)
    excess = 1 - 2 * root
    return Refutation(
        root**2 == a * b and (a - b) ** 2 > excess,
        f"two items, a_12 = {a}, a_21 = {b}, a tie, or just wrong: R − R* = {a - b}, and R_φ − R_φ* ="
        f" {excess} for the exponential loss, or as near as one likes",
    )


def square_of_auc() -> Refutation:
    # η = (1, 1/2, 0), μ = (1, 2, 1): one preference of weight 1 for each pair of different items.
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (1, 3): 1, (2, 3): 1}))
    best = rational_scores([Fraction(4, 3), Fraction(2, 3), Fraction(0)])
    found = regret_and_excess(surrogate("square"), p, rational_scores([0, 0, 0]), best)
    assert found is not None
    lost, excess = (x / 3 for x in found)
    return Refutation(
        lost**2 > excess,
        f"η = (1, 1/2, 0), μ in proportion to (1, 2, 1), all scores tied, or just wrong: regret"
        f" {lost}, excess {excess}, or as near as one likes",
    )


def without_shift() -> Refutation:
    # One item, μ = 1, η = 4/5, at the score 0.
    pairs, single = Fraction(4, 5) * Fraction(1, 5), Fraction(1)
    return Refutation(
        4 * pairs < single**2, f"one item, η = 4/5, α = 0: V²/4 = {single / 4}, the sum over pairs {pairs}"
    )


def logistic_pairs() -> Refutation:
    # One item: the only pair is the item with itself, at 0, and the least V is the entropy.
    (x, y), (u, v) = (
        (enclose(eta * (1 - eta)) * enclose(2).log(), entropy(eta) * entropy(eta))
        for eta in (Fraction(1, 2), Fraction(4, 5))
    )
    return Refutation(
        certainly_less(x * v, u * y),
        "one item, η = 1/2 and 4/5: η(1 − η) log 2 for the pair is no multiple of min V² = h(η)²",
    )
