"""RAT13 Theorem 4 and Corollary 5: mean average precision by sorting the diagonal of u."""

from fractions import Fraction
from typing import Final

from consistency_lab.apps.book.rat13 import (
    diagonal,
    feature,
    law,
    map_task,
    means,
    numbers,
    optimal,
    positive_sum,
    ranking,
    reinforces,
    text,
    wrong_diagonal,
)
from consistency_lab.apps.book.statement import (
    FalseVariant,
    Refutation,
    Statement,
    Step,
    check,
    false,
    idea,
    step,
)
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.model.labels import Label

# --- RAT13 Theorem 4: sorting by the diagonal of u = E[Y Yᵀ/ΣY] is right for MAP under P_reinforce -------
# Where no item is relevant, MAP is 0/0. Here that label has loss 0 and f(0) = 0; other constants would do.

_SIZES: Final = (2, 3, 4)
_ANY: Final = "all r"


def _labels() -> list[Label]:
    """The labels of 2, 3 and 4 items."""
    return [y for r in _SIZES for y in map_task(r).space.labels]


@false("Sorting the diagonal is right only in P_reinforce.")
def _necessary() -> Refutation:
    p = law({(1, 0, 0): 3, (0, 1, 1): 4})
    u, task = means(p), map_task(3)
    best = optimal(task, p)
    return Refutation(
        not reinforces(u) and best == {(0, 1, 2), (0, 2, 1)},
        f"{text(task, p)}: the diagonal is {numbers(diagonal(u))} and 1 > 2 > 3, 1 > 3 > 2 are the optimal "
        "orders, as it says; yet u_11 = 3/7 < u_22 + (u_23 − u_13)_+ = 4/7",
    )


RAT13_THEOREM_4: Final = Statement(
    latex=(
        r"\((\psi^*_{\mathrm{MAP}}, \mathrm{pred}_{\mathrm{MAP}})\), which sorts by \(u_{ii}\), is calibrated"
        r" with MAP over \(P_{\mathrm{reinforce}} = \{p : u_{ii} \ge u_{jj} \implies u_{ii} \ge u_{jj} +"
        r" \sum_{\gamma \ne i,j} (u_{j\gamma} - u_{i\gamma})_+\}\), where"
        r" \(u = \mathbf{E}[YY^\top / \sum_\gamma Y_\gamma]\)"
    ),
    plain="Sorting by the diagonal of the surrogate's scores is right for MAP where the diagonal dominates.",
    hypotheses=(
        r"\(p \in P_{\mathrm{reinforce}}\)",
        r"\(f(0) = 0\) and \(\ell(0, \sigma) = 1\) (not in the paper)",
    ),
    citation="RAT13 Theorem 4",
    check=check(
        "all r, every p in P_reinforce, every rule for ties",
        lambda: [
            idea(
                "The idea: exchange two neighbors",
                "all r",
                "With u = E[YYᵀ/ΣY] an order costs P(Y ≠ 0) − Σ_{i≤j} u_ij/max(σ(i), σ(j)). Exchanging the",
                "neighbors i, j below the items A gains a positive multiple of u_ii − u_jj + Σ_A (u_iγ −",
                "u_jγ): P_reinforce says that this is at least 0 where u_ii ≥ u_jj, whatever A is.",
            ),
        ],
        "MAP is 0/0 where no item is relevant (y = 0), which the paper lets be a label; with f(0) = 0 "
        "any constant loss will do there, since it affects neither u nor the regrets.",
        "For r = 2 the sum is empty and every p is in P_reinforce: sorting the diagonal is always right.",
    ),
    variants=(
        FalseVariant(
            "Sorting the diagonal is right for every p.",
            lambda: wrong_diagonal(law({(1, 0, 1): 4, (0, 1, 0): 3, (1, 0, 0): 2})),
        ),
        FalseVariant(
            "P_reinforce may have the plain sum of u_jγ − u_iγ in place of the positive parts.",
            lambda: wrong_diagonal(
                law({(1, 0, 1, 0): 8, (1, 0, 0, 0): 5, (0, 1, 0, 0): 5, (0, 1, 0, 1): 3}),
                lambda differences: sum(differences, Fraction(0)),
            ),
        ),
        _necessary,
    ),
)


# --- RAT13 Corollary 5: for MAP under P_reinforce the r scores y_i/Σy are enough -------------------------


def sharp() -> Step:
    """With a factor c < 1 in the condition there is a counterexample."""
    grid = [Fraction(k, 10) for k in range(1, 10)]
    refuted = all(_scaled(c, items).refuted for c in grid for items in (3, 4))
    return step(
        "No factor c < 1 may stand before the sum in P_reinforce",
        "all r ≥ 3, all 0 < c < 1",
        "one family of three labels, identities by SymPy; compared exactly for c = 1/10, …, 9/10, r ≤ 4",
        "Weights 2, 2, 1 + c of the labels 101, 100, 010, any further items never relevant: up to scale",
        "u_11 = 3, u_22 = 1 + c, u_33 = u_13 = 1, all else 0. The condition is only about 2, 3:",
        ticked("u_22 − u_33 = c (u_13 − u_12) for u_22 = 1 + c, u_33 = 1, u_13 = 1, u_12 = 0"),
        "so with the factor c it holds. Yet 1 > 2 > 3 earns less than 1 > 3 > 2, namely",
        ticked("(u_22 − u_33 − u_13)/6 = (c − 1)/6 for u_22 = 1 + c, u_33 = 1, u_13 = 1"),
        ticked("(c − 1)/6 < 0 for c = 1 − ε, ε > 0"),
        "more, and for 0 < c < 1 the diagonal falls, so that the decoder has no choice:",
        ticked("u_11 − u_22 = 2 − c = 1 + ε > 0 for u_11 = 3, u_22 = 1 + c, c = 1 − ε, ε > 0"),
        ticked("u_22 − u_33 = c > 0 for u_22 = 1 + c, u_33 = 1, c > 0"),
        refuted,
    )


def row_sums() -> Step:
    """On P_reinforce, E Y orders the items as the diagonal does, or ties them."""
    labels = _labels()
    sums = all(sum(feature(y, i, g) for g in range(len(y))) == y[i] for y in labels for i in range(len(y)))
    return step(
        "On P_reinforce u_ii ≥ u_jj implies E Y_i ≥ E Y_j: sorting E Y can go wrong only where E Y has a tie",
        _ANY,
        f"the rows of f(y) sum to y, compared exactly for r ≤ 4 ({len(labels)} labels); an identity by SymPy",
        "Σ_γ f_iγ(y) = y_i Σ_γ y_γ/Σy = y_i. So with g = u_ii − u_jj, P = Σ_γ (u_iγ − u_jγ)_+ and",
        "N = Σ_γ (u_jγ − u_iγ)_+ over γ ≠ i, j, as u_ij stands in both rows,",
        "    E Y_i − E Y_j = Σ_γ (u_iγ − u_jγ) = g + P − N, and as P_reinforce says g ≥ N,",
        ticked("g + P − N ≥ 0 for g = N + x, x, P ≥ 0"),
        sums,
    )


def _family(c: Fraction, items: int) -> dict[Label, Fraction]:
    rest = (0,) * (items - 3)
    return {(1, 0, 1, *rest): Fraction(2), (1, 0, 0, *rest): Fraction(2), (0, 1, 0, *rest): 1 + c}


def _scaled(c: Fraction, items: int = 3) -> Refutation:
    return wrong_diagonal(law(_family(c, items)), lambda differences: c * positive_sum(differences))


@false("Least squares on y, without dividing by Σy, has a decoder that is right.")
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


RAT13_COROLLARY_5: Final = Statement(
    latex=(
        r"\(\tilde\psi(y, v) = \sum_i (v_i - y_i / \sum_\gamma y_\gamma)^2\), decoded by sorting \(v\), is"
        r" calibrated with MAP over \(P_{\mathrm{reinforce}}\)"
    ),
    plain="For MAP, least squares on y_i/Σy, one score an item, is right wherever Theorem 4 is.",
    hypotheses=(
        r"\(p \in P_{\mathrm{reinforce}}\)",
        r"\(y_i / \sum_\gamma y_\gamma\) is 0 at \(y = 0\) (not in the paper, but needed)",
        r"labels are 0 or 1",
    ),
    citation="RAT13 Corollary 5; that no factor below 1 will do, and the part on E Y, are ours",
    check=check(
        "all r, every p in P_reinforce, every rule for ties",
        lambda: [sharp(), row_sums()],
        "The text under the corollary prints s_i(y) = y_i/Σ_γ y_r; the index of the sum is γ.",
        "At y = 0 the score y_i/Σy is 0/0; it is 0 here, see RAT13 Theorem 4.",
        "Not in Coq: no factor below 1 will do, and sorting E Y goes wrong only where it has a tie.",
    ),
    variants=(
        FalseVariant(
            "It is enough that the gap is 9/10 of the sum in P_reinforce.", lambda: _scaled(Fraction(9, 10))
        ),
        FalseVariant(
            "It is enough that the gap is at least the largest of the summands, not their sum.",
            lambda: wrong_diagonal(
                law({(1, 1, 0, 1): 6, (1, 0, 0, 0): 5, (0, 1, 0, 0): 4, (0, 0, 1, 0): 4}),
                lambda differences: max(*differences, Fraction(0)),
            ),
        ),
        _without_division,
    ),
)
