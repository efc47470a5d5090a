"""DMJ10 Lemma 16: what A(p) is where the difference graph is acyclic, and only there."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Final

from consistency_lab.book.polynomials import Lines, step, vanishes
from consistency_lab.book.risk import (
    acyclic_differences,
    any_differences,
    differences,
    score_orders,
    weights,
    with_differences,
)
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.model.conditions import condition
from consistency_lab.model.distribution import Distribution, Matrix, difference

Scores = Sequence[int]


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m",
        [_pairs(), _shapes(4), _losses()],
        (
            "The proof numbers the items along the edges without loss of generality, but the statement "
            "treats i < j and i > j differently; done pair by pair it needs no such numbering.",
        ),
    )


def _pairs() -> Step:
    """The loss, pair by pair."""
    import sympy as sp

    c = sp.Symbol("c", nonnegative=True)
    e = sp.Symbol("e", positive=True)
    texts = ("a_ij = c + e, a_ji = c, edge i → j", "a_ij = c, a_ji = c + e, edge j → i", "a_ij = a_ji = c")
    values = ((c + e, c, (e, e, 0)), (c, c + e, (0, 0, e)), (c, c, (0, 0, 0)))
    lines: Lines = ["For i < j the pair costs a_ij if α_i ≤ α_j, and a_ji if α_i > α_j (Eq. 8):"]
    for text, (a_ij, a_ji, extra) in zip(texts, values, strict=True):
        costs = (a_ij, a_ij, a_ji)
        rest = sum(sp.Abs(cost - sp.Min(a_ij, a_ji) - x) for cost, x in zip(costs, extra, strict=True))
        shown = ", ".join(str(x) for x in extra)
        lines.append(vanishes(f"{text}: cost − min(a_ij, a_ji) = {shown} for α_i <, =, > α_j", rest))
    lines += [
        "so ℓ(p, α) = Σ_{i<j} min(a_ij, a_ji) + Σ |d_ij| over the edges i → j that α gets wrong, that is,",
        "with α_i ≤ α_j for i < j, with α_i < α_j for i > j. The set S of the lemma has no wrong edge.",
        "If G̃ is acyclic, distinct scores along a topological order lie in S, so the least loss is the",
        "first sum, and it is attained on S and nowhere else, as |d_ij| > 0 on edges: A(p) = S.",
        "If G̃ has a cycle, α ∈ S would not rise along it and would fall strictly on one of its edges,",
        "as some edge of a cycle leads to a larger index. So S is empty; A(p) is not.",
    ]
    return step(
        "ℓ(p, α) = Σ min(a_ij, a_ji) + the weight of the wrong edges",
        Kind.PROOF_ALL_M,
        "all m",
        "the three cases of one pair, by SymPy; the rest by hand",
        lines,
    )


def _shapes(most: int) -> Step:
    """Every difference graph on few items, every order of the scores with ties."""
    total = agreed = acyclic = 0
    for m in range(2, most + 1):
        pairs = list(combinations(range(m), 2))
        orders = [[(s[i] > s[j]) for i, j in pairs] for s in score_orders(m)]
        for signs in product((-1, 0, 1), repeat=len(pairs)):
            dag = condition("acyclic").holds(_signed(m, dict(zip(pairs, signs, strict=True))))
            found = any(
                all(sign == 0 or above is (sign > 0) for sign, above in zip(signs, order, strict=True))
                for order in orders
            )
            total += 1
            acyclic += dag
            agreed += found is dag
    return step(
        "Some α gets no edge wrong if and only if G̃ is acyclic",
        Kind.PROOF_THIS_M,
        f"m ≤ {most}, all weights",
        f"{agreed} of {total} labeled difference graphs, {acyclic} of them acyclic, against every order of "
        "the scores, ties included",
        [],
        agreed == total,
    )


def _losses() -> Step:
    """The losses themselves, by Eq. 8, at every order of the scores."""
    rng = Random(16)
    total = agreed = 0
    for m, count in ((2, 6), (3, 40), (4, 40), (5, 12)):
        for sampler in (any_differences, acyclic_differences):
            for _ in range(count):
                a = with_differences(sampler(rng, m), rng).aggregate
                total += 1
                agreed += _optimal(a) == _described(a) if _is_dag(a) else not _described(a)
    return step(
        "A(p), from the losses of all orders of the scores, is the described set if and only if G̃ is a DAG",
        Kind.TEST,
        "m ≤ 5",
        f"{agreed} of {total} random aggregates, all orders of the scores with ties",
        [],
        agreed == total,
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


def _is_dag(a: Matrix) -> bool:
    return condition("acyclic").holds(difference(a))


def _signed(m: int, signs: dict[tuple[int, int], int]) -> list[list[Fraction]]:
    return [[Fraction(signs.get((i, j), 0) - signs.get((j, i), 0)) for j in range(m)] for i in range(m)]


def _all_strict() -> Refutation:
    p = Distribution.from_aggregate(weights(2, {(2, 1): 1}))
    refuted = (0, 0) in _optimal(p.aggregate)
    return Refutation(refuted, f"{differences(p)}: the tie (0, 0) is in A(p), as ties rank item 2 first")


def _cyclic() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (3, 1): 1}))
    described, optimal = _described(p.aggregate), _optimal(p.aggregate)
    return Refutation(
        not described and len(optimal) > 0,
        f"{differences(p)}: no α is in the described set, but {len(optimal)} of the 13 orders of the scores "
        "are in A(p), such as 1 > 2 > 3",
    )


STATEMENT: Final = Statement(
    name="lemma-16",
    title="DMJ10 Lemma 16",
    latex=(
        r"\(\tilde G\) is a DAG if and only if \(A(p) = \{\alpha : \alpha_i > \alpha_j \text{ for } i < j"
        r" \text{ with } a_{ij} > a_{ji},\ \alpha_i \ge \alpha_j \text{ for } i > j \text{ with }"
        r" a_{ij} > a_{ji}\}\)."
    ),
    plain="The scores of least loss are those that follow all edges, exactly if the edges have no cycle.",
    hypotheses=(r"\(\ell\) is the pairwise disagreement of Eq. 8",),
    citation="DMJ10 Lemma 16 (appendix)",
    check=check,
    variants=(
        FalseVariant(
            "A(p) = {α : α_i > α_j on every edge i → j} if the difference graph is a DAG.", _all_strict
        ),
        FalseVariant("A(p) is the described set for every difference graph.", _cyclic),
    ),
)
