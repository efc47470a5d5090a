"""Several relevant labels at once, and AUC: Gao and Zhou 2011 and 2015, Dembczyński and others 2012.

Labels are sets S of relevant items; a pair i ∈ S, j ∉ S that is ranked the other way costs w(S).
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations
from random import Random
from typing import Final

from consistency_lab.apps.book.rat13 import sorted_orders
from consistency_lab.apps.book.risk import refuted_by_core, weights
from consistency_lab.apps.book.statement import (
    FalseVariant,
    Line,
    Refutation,
    Statement,
    Step,
    check,
    false,
    step,
    with_cases,
)
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.certify.witness import certify
from consistency_lab.core.document import CONSISTENT_AT_P
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate

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


def _twelve_ballots() -> Step:
    a = _aggregate(_VOTES)
    total = sum(n for _, n in _VOTES)
    found = {name: certify(surrogate(name), Distribution.from_aggregate(a)) for name in (*_STRICT, "hinge")}
    lines = [
        Line(
            f"{name}: {one.verified.failure}, regret {one.verified.regret}/{total}",
            one.verified.regret == 1 and one.verified.failure == ("tie" if name == "hinge" else "strict"),
        )
        for name, one in found.items()
        if one is not None
    ]
    return step(
        "At the ballots {1} × 5, {3} × 3, {1, 2} × 4 losses of pairs put 3 above 2, and lose 1/12",
        "m = 3, one distribution, the named φ",
        "separations and stationary points, each accepted by the core",
        Line(
            "2 is on 4 ballots and 3 on 3: 1 > 2 > 3 is optimal, and 3 above 2 costs 1 more",
            a[1][2] - a[2][1] == 1,
        ),
        *lines,
        len(lines) == len(_STRICT) + 1,
        a == weights(3, {(1, 2): 5, (1, 3): 9, (3, 1): 3, (2, 3): 4, (3, 2): 3}),
    )


@false("So is every convex loss: the linear one.")
def _linear() -> Refutation:
    found = certify(surrogate("linear"), Distribution.from_aggregate(_aggregate(_VOTES)))
    right = found is not None and found.verified.claim == CONSISTENT_AT_P
    return Refutation(right, "the linear loss, α = N, is right at these ballots, accepted by the core")


@false("The ballots {1, 2} do no harm: the logistic loss is wrong at {1} × 5, {3} × 3, {2} × 4 too.")
def _single_labels() -> Refutation:
    ballots = ((frozenset({0}), 5), (frozenset({2}), 3), (frozenset({1}), 4))
    found = certify(surrogate("logistic"), Distribution.from_aggregate(_aggregate(ballots)))
    right = found is not None and found.verified.claim == CONSISTENT_AT_P
    return Refutation(
        right, "one relevant item a ballot: the logistic loss is right there, accepted by the core"
    )


GAO_ZHOU_2011: Final = Statement(
    latex=(
        r"With \(\{1\}\) on 5 ballots, \(\{3\}\) on 3 and \(\{1, 2\}\) on 4, \(\sum_{i \in S, j"
        r" \notin S} \phi(u_i -"
        r" u_j)\) ranks 3 above 2, of regret 1/12, for the named convex \(\phi\); the hinge ties them."
    ),
    plain="Twelve approval ballots show that convex losses of pairs are wrong for the ranking loss.",
    hypotheses=(r"\(\phi\) is one of the named convex functions",),
    citation="after Gao and Zhou 2011 (read: the abstract); the ballots are ours",
    check=check(
        "m = 3, one distribution, the named φ",
        lambda: [_twelve_ballots()],
        "The paper's abstract says that no convex surrogate is consistent with its ranking loss. Its exact"
        " statement was not read; where ties may be broken in any way, as here, the linear loss and"
        " the losses"
        " of single items below are convex and right (approval-ballots, dembczynski-2012).",
    ),
    variants=(_linear, _single_labels),
)


# --- Dembczyński, Kotłowski and Hüllermeier 2012: losses of single items ---------------------------------


def _relevance(ballots: Ballots, r: int) -> list[Fraction]:
    """Δ_i = E[w(S) 1(i ∈ S)], w(S) = 1/(|S| (r − |S|))."""
    return [sum((_weight(s, r) * p for s, p in ballots if i in s), Fraction(0)) for i in range(r)]


def _weight(s: frozenset[int], r: int) -> Fraction:
    return Fraction(1, len(s) * (r - len(s))) if 0 < len(s) < r else Fraction(0)


def _rank_loss(ballots: Ballots, order: Sequence[int]) -> Fraction:
    r = len(order)
    pairs = [(order[k], order[n]) for k in range(r) for n in range(k + 1, r)]
    return sum(
        (p * _weight(s, r) * sum(j in s and i not in s for i, j in pairs) for s, p in ballots), Fraction(0)
    )


def _single_items() -> tuple[Step, Step]:

    def holds(rng: Random, r: int) -> bool:
        sets = [frozenset(i for i in range(r) if rng.random() < 1 / 2) for _ in range(5)]
        ballots = [(s, Fraction(rng.randint(1, 9), 45)) for s in sets]
        lost = {t: _rank_loss(ballots, t) for t in permutations(range(r))}
        best = min(lost.values())
        return {t for t in lost if lost[t] == best} == set(sorted_orders(_relevance(ballots, r)))

    return with_cases(
        "Weighted losses of single items order them by Δ_i = E[w(S) 1(i ∈ S)], and this is optimal",
        "all r, all w ≥ 0, all φ convex, differentiable, bounded below, φ'(0) < 0",
        "identities by SymPy; tried at {} random distributions, orders counted exactly",
        holds,
        (2, 3, 4),
        8,
        2012,
        "On one label the preference of i to j has, with x = 1(i ∈ S) and y = 1(j ∈ S), the difference",
        ticked("w x(1 − y) − w y(1 − x) = w x − w y"),
        "so d_ij = Δ_i − Δ_j, and exactly the orders in which Δ falls are optimal. The risk of score u_i is",
        "Δ_i φ(u_i) + (v − Δ_i) φ(−u_i), v = E w(S). At a minimizer for Δ_j, that for Δ_i has the slope",
        ticked("Δ_i φ'(u) − (v − Δ_i) φ'(−u) − (Δ_j φ'(u) − (v − Δ_j) φ'(−u)) = (Δ_i − Δ_j)(φ'(u) + φ'(−u))"),
        "< 0 if Δ_i > Δ_j (one-against-all, with Δ/v for p): so its minimizers are above, with a gap.",
    )


@false("The weights w may be left out.")
def _unweighted() -> Refutation:
    ballots = [(frozenset({0}), Fraction(9, 20)), (frozenset({1, 2}), Fraction(11, 20))]
    lost = [_rank_loss(ballots, t) for t in ((1, 2, 0, 3), (0, 1, 2, 3))]
    return Refutation(
        lost[0] > lost[1],
        f"{{1}} with 9/20, {{2, 3}} with 11/20, r = 4: 2, 3 first loses {lost[0]}, 1 first {lost[1]}",
    )


DEMBCZYNSKI_2012: Final = Statement(
    latex=(
        r"\(w(S) (\sum_{i \in S} \phi(u_i) + \sum_{i \notin S} \phi(-u_i))\) is calibrated with the"
        r" ranking loss"
        r" \(w(S) \#\{i \in S, j \notin S : j \text{ above } i\}\) at every p."
    ),
    plain="Losses of single items, weighted like the ranking loss, are right where losses of pairs are not.",
    hypotheses=(r"\(\phi\) is convex, differentiable, bounded below, \(\phi'(0) < 0\)", r"\(w \ge 0\)"),
    citation=(
        "after Dembczyński, Kotłowski and Hüllermeier 2012 (read: the abstract, on the exponential"
        " and the logistic"
        " loss); the proof is ours"
    ),
    check=check(
        "all r, all w ≥ 0, all φ convex, differentiable, bounded below, φ'(0) < 0",
        lambda: [*_single_items()],
        "The paper's bounds of the regret were not read and are not claimed.",
    ),
    variants=(
        _unweighted,
        FalseVariant(
            "The logistic loss of pairs will do.",
            lambda: refuted_by_core(surrogate("logistic"), _aggregate(_VOTES), "additive", strict=True),
        ),
    ),
)


# --- Gao and Zhou 2015: AUC ------------------------------------------------------------------------------

_AUC: Final = weights(3, {(1, 2): 2, (1, 3): 4, (2, 1): 1, (2, 3): 2, (3, 1): 1, (3, 2): 1})


def _on_auc() -> Step:
    lines = []
    for phi in ("max(0,1-x)", "abs(1-x)"):
        loss = surrogate(phi=phi)
        pairs = [[[0, _AUC[i][j]], [_AUC[j][i], 0]] for i, j in combinations(range(3), 2)]
        alone = [certify(loss, Distribution.from_aggregate(pair)) for pair in pairs]
        right = all(one is not None and one.verified.claim == CONSISTENT_AT_P for one in alone)
        found = refuted_by_core(loss, _AUC, "auc")
        lines.append(Line(f"{phi}: right on each pair, wrong on all three", right and found.refuted))
        lines.append(Line(f"    {found.witness}", found.refuted))
    return step(
        "The hinge and |1 − x| order each pair of an AUC alone, and tie items that differ on all three",
        "m = 3, one distribution",
        "separations and stationary points, each accepted by the core",
        *lines,
    )


@false("What orders each pair alone orders an AUC: the hinge.")
def _pairs_are_enough() -> Refutation:
    return refuted_by_core(surrogate("hinge"), _AUC, "auc")


GAO_ZHOU_2015: Final = Statement(
    latex=(
        r"That \(\phi\) orders each pair alone is not sufficient for AUC: the hinge and \(|1 - x|\)"
        r" do, and tie"
        r" items that differ. The logistic, exponential, squared hinge and square loss are right."
    ),
    plain="Calibration of each pair does not make a pairwise loss right for AUC.",
    hypotheses=("pairs of a positive and a negative, both drawn independently",),
    citation="Gao and Zhou 2015 (read: the abstract; there for the hinge and the absolute loss)",
    check=check(
        "m = 3, one distribution",
        lambda: [_on_auc()],
        "The statement auc has a sufficient condition: φ regular and nonincreasing, or a parabola.",
    ),
    variants=(_pairs_are_enough,),
)
