"""RAT13 Corollary 5: for MAP under P_reinforce the r scores y_i/Σy are enough.

The diagonal of u is the mean of y_i/Σy, least squares on that has this mean as its minimizer, and the decoder
of Theorem 4 looks at nothing else. Here also: no factor below 1 may stand before the sum in the condition, if
there are three items; and least squares on y itself, not divided by Σy, is right but for ties, which nothing
can break.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.book.polynomials import Lines, is_positive, step, vanishes
from consistency_lab.book.rat13 import (
    Law,
    feature,
    law,
    map_task,
    means,
    optimal,
    positive_sum,
    ranking,
    reinforces,
    sorted_orders,
    text,
    wrong_diagonal,
)
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.model.tasks.labels import Label

_SIZES: Final = (2, 3, 4)
_ANY: Final = "all r"


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all r, every p in P_reinforce, every rule for ties",
        [minimizer(), sharp(), row_sums(), _optimal_everywhere()],
        (
            "The text under the corollary prints s_i(y) = y_i/Σ_γ y_r; the index of the sum is γ.",
            "At y = 0 the score y_i/Σy is 0/0; it is 0 here, see RAT13 Theorem 4.",
        ),
    )


def minimizer() -> Step:
    """The minimizer is the diagonal of u, and a wrong order has an excess of at least δ²/2."""
    import sympy as sp

    v, f, q = sp.symbols("v f q", real=True)
    labels = [y for r in _SIZES for y in map_task(r).space.labels]
    same = all(
        feature(y, i, i) == (Fraction(y[i], sum(y)) if any(y) else 0) for y in labels for i in range(len(y))
    )
    lines: Lines = [
        "f_ii(y) = y_i²/Σy = y_i/Σy. For each i, with f = E f_ii and q = E f_ii²,",
        vanishes(
            "E (v − f_ii)² = v² − 2vf + q = (v − f)² + (q − f²)",
            v**2 - 2 * v * f + q - (v - f) ** 2 - q + f**2,
        ),
        "so the minimizer is the diagonal of u, and the excess of v is Σ_i (v_i − u_ii)².",
        "The decoder is that of Theorem 4, which sorts the diagonal: every order it may return at u is",
        "optimal, and as there, scores that may be decoded wrongly have an excess of at least δ²/2.",
    ]
    return step(
        "The r scores are the diagonal of Theorem 4's matrix, which is all that its decoder looks at",
        Kind.PROOF_ALL_M,
        _ANY,
        f"an identity by SymPy; f_ii compared exactly for r ≤ 4, {len(labels)} labels",
        lines,
        same,
    )


def sharp() -> Step:
    """With a factor c < 1 in the condition there is a counterexample."""
    import sympy as sp

    c = sp.Symbol("c", positive=True)
    less = sp.Symbol("ε", positive=True)
    u11, u22, u33, u13 = sp.Integer(3), 1 + c, sp.Integer(1), sp.Integer(1)
    ahead = (u22 - u33 - u13) / 6
    lines: Lines = [
        "Weights 2, 2, 1 + c of the labels 101, 100, 010, any further items never relevant: up to scale",
        "u_11 = 3, u_22 = 1 + c, u_33 = u_13 = 1, all else 0. The condition is only about 2, 3:",
        vanishes("u_22 − u_33 = c (u_13 − u_12), so with the factor c it holds.", u22 - u33 - c * u13),
        vanishes("Yet 1 > 2 > 3 earns (u_22 − u_33 − u_13)/6 = (c − 1)/6 more", ahead - (c - 1) / 6),
        is_positive(
            "than 1 > 3 > 2, which for c = 1 − ε is ε/6 > 0 less.", sp.simplify(-ahead.subs(c, 1 - less))
        ),
        is_positive(
            "For 0 < c < 1 the diagonal falls: u_11 − u_22 = 2 − c = 1 + ε,", (u11 - u22).subs(c, 1 - less)
        ),
        is_positive("u_22 − u_33 = c, u_33 = 1: the decoder has no choice.", u22 - u33),
    ]
    grid = [Fraction(k, 10) for k in range(1, 10)]
    refuted = all(_scaled(c, items).refuted for c in grid for items in (3, 4))
    return step(
        "No factor c < 1 may stand before the sum in P_reinforce",
        Kind.PROOF_ALL_M,
        "all r ≥ 3, all 0 < c < 1",
        "one family of three labels, identities by SymPy; compared exactly for c = 1/10, …, 9/10, r ≤ 4",
        lines,
        refuted,
    )


def row_sums() -> Step:
    """On P_reinforce, E Y orders the items as the diagonal does, or ties them."""
    import sympy as sp

    gap, rises, falls = sp.symbols("gap P N", real=True)
    labels = [y for r in _SIZES for y in map_task(r).space.labels]
    sums = all(sum(feature(y, i, g) for g in range(len(y))) == y[i] for y in labels for i in range(len(y)))
    lines: Lines = [
        "Σ_γ f_iγ(y) = y_i Σ_γ y_γ/Σy = y_i. So with gap = u_ii − u_jj, P = Σ_γ (u_iγ − u_jγ)_+ and",
        "N = Σ_γ (u_jγ − u_iγ)_+ over γ ≠ i, j, as u_ij stands in both rows,",
        "    E Y_i − E Y_j = Σ_γ (u_iγ − u_jγ) = gap + P − N, and",
        vanishes(
            "gap + P − N = (gap − N) + P ≥ 0, as P_reinforce says gap ≥ N",
            gap + rises - falls - (gap - falls) - rises,
        ),
    ]
    return step(
        "On P_reinforce u_ii ≥ u_jj implies E Y_i ≥ E Y_j: sorting E Y can go wrong only where E Y has a tie",
        Kind.PROOF_ALL_M,
        _ANY,
        f"the rows of f(y) sum to y, compared exactly for r ≤ 4 ({len(labels)} labels); an identity by SymPy",
        lines,
        sums,
    )


def _optimal_everywhere() -> Step:
    """All orders that the decoder may return, at laws on the boundary of P_reinforce."""
    count, right = 0, True
    for p in _boundary():
        u = means(p)
        best = optimal(map_task(len(u)), p)
        returned = set(sorted_orders([u[i][i] for i in range(len(u))]))
        right = right and reinforces(u) and returned <= best
        count += len(returned)
    return step(
        "On the boundary of P_reinforce every order that the decoder may return is optimal",
        Kind.TEST,
        "r = 3, 4",
        f"{count} orders compared with all orders, in exact arithmetic",
        [],
        right,
    )


def _boundary() -> list[Law]:
    """Laws with equality in the condition: 1 alone against a group, and c = 1 in the family above."""
    groups: list[tuple[Label, Label]] = [
        ((1, 0, 0), (0, 1, 1)),
        ((1, 0, 0, 0), (0, 1, 1, 0)),
        ((1, 0, 0, 0), (0, 1, 1, 1)),
    ]
    alone = [law({one: 1, group: 1}) for one, group in groups]
    return [*alone, law(_family(Fraction(1), 3)), law(_family(Fraction(1), 4))]


def _family(c: Fraction, items: int) -> dict[Label, Fraction]:
    rest = (0,) * (items - 3)
    return {
        (1, 0, 1, *rest): Fraction(2),
        (1, 0, 0, *rest): Fraction(2),
        (0, 1, 0, *rest): 1 + c,
    }


def _scaled(c: Fraction, items: int = 3) -> Refutation:
    def demand(differences: Sequence[Fraction]) -> Fraction:
        return c * positive_sum(differences)

    p = law(_family(c, items))
    u = means(p)
    return wrong_diagonal(p, reinforces(u, demand), not reinforces(u))


def _nine_tenths() -> Refutation:
    return _scaled(Fraction(9, 10))


def _largest() -> Refutation:
    p = law({(1, 1, 0, 1): 6, (1, 0, 0, 0): 5, (0, 1, 0, 0): 4, (0, 0, 1, 0): 4})
    u = means(p)
    return wrong_diagonal(p, reinforces(u, _greatest), not reinforces(u))


def _greatest(differences: Sequence[Fraction]) -> Fraction:
    return max(*differences, Fraction(0))


def _without_division() -> Refutation:
    """Two laws with the same E Y, both in P_reinforce, that no one order serves."""
    laws = [law({(1, 0, 0): 1, (0, 1, 1): 1}), law({(0, 1, 0): 1, (1, 0, 1): 1})]
    task = map_task(3)
    expected = {tuple(sum(weight * y[i] for y, weight in p.items()) for i in range(3)) for p in laws}
    first, second = (optimal(task, p) for p in laws)
    refuted = len(expected) == 1 and all(reinforces(means(p)) for p in laws) and not first & second
    shown = " | ".join(
        f"{text(task, p)}: optimal {', '.join(map(ranking, sorted(best)))}"
        for p, best in zip(laws, (first, second), strict=True)
    )
    return Refutation(
        refuted, f"{shown} | both have the minimizer E Y = (1/2, 1/2, 1/2), and no order is in both"
    )


STATEMENT: Final = Statement(
    name="rat13-corollary-5",
    title="RAT13 Corollary 5",
    latex=(
        r"\(\tilde\psi(y, v) = \sum_i (v_i - y_i / \sum_\gamma y_\gamma)^2\), decoded by sorting \(v\), is"
        r" calibrated with MAP over \(P_{\mathrm{reinforce}}\)"
    ),
    plain="For MAP, least squares on y_i/Σy, one score an item, is right wherever Theorem 4 is.",
    hypotheses=(
        r"\(p \in P_{\mathrm{reinforce}}\)",
        r"\(y_i / \sum_\gamma y_\gamma\) is 0 at \(y = 0\) (not in the paper, but needed)",
    ),
    citation="RAT13 Corollary 5; that no factor below 1 will do, and the part on E Y, are ours",
    check=check,
    variants=(
        FalseVariant("It is enough that the gap is 9/10 of the sum in P_reinforce.", _nine_tenths),
        FalseVariant(
            "It is enough that the gap is at least the largest of the summands, not their sum.", _largest
        ),
        FalseVariant(
            "Least squares on y, without dividing by Σy, has a decoder that is right.", _without_division
        ),
    ),
)
