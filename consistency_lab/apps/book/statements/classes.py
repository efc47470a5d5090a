"""Surrogates of the 0-1 loss of several classes, decoded by the largest score, and of the top-k error.

Class k has the probability p_k, P = max p_k, and W(u) = Σ_k p_k ψ(k, u).
"""

from fractions import Fraction
from random import Random
from typing import Final

from consistency_lab.apps.book.rat13 import law, not_on_task
from consistency_lab.apps.book.statement import Refutation, Statement, Step, check, false, step, with_cases
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.exact import Ball, LogRational, certainly_less, enclose
from consistency_lab.numbers.phi import exact_slopes, named

_ANY: Final = "all numbers of classes, every p"
_ZERO: Final = Fraction(0)


def _drawn(rng: Random, m: int) -> tuple[Fraction, ...]:
    weights = [rng.randint(0, 9) for _ in range(m)]
    weights[rng.randrange(m)] += 1
    return tuple(law({(k,): w for k, w in enumerate(weights)}).values())


# --- Softmax: the excess is a Kullback-Leibler divergence ------------------------------------------------


def _divergence(p: tuple[Fraction, ...], q: list[Fraction]) -> Ball:
    """KL(p, q) in a ball."""
    return sum((enclose(x) * enclose(x / y).log() for x, y in zip(p, q, strict=True) if x), enclose(0))


def _pinsker(claim: str, close: str) -> tuple[Step, Step]:

    def holds(rng: Random, m: int) -> bool | None:
        chances, weights = _drawn(rng, m), [Fraction(rng.randint(1, 9)) for _ in range(m)]
        excess = _divergence(chances, [w / sum(weights) for w in weights])
        gaps = [
            x - y
            for x, v in zip(chances, weights, strict=True)
            for y, w in zip(chances, weights, strict=True)
            if v <= w
        ]
        return certainly_less(enclose(max(gaps) ** 2 / 2), excess) if max(gaps) else None

    return with_cases(
        claim,
        _ANY,
        "Gibbs and Pinsker; one identity by SymPy; tried at {} random p and u, in balls",
        holds,
        (2, 3, 4, 5),
        8,
        2004,
        "W(u) = −Σ p_k log s_k with s = softmax u, so W(u) − W* = Σ p_k log(p_k/s_k) = KL(p, s), which is",
        "at least |p − s|²/2 in the sum norm (Pinsker). Let p_i > p_j and u_i ≤ u_j, so s_i ≤ s_j. Then",
        ticked("(p_i − s_i) + (s_j − p_j) = (p_i − p_j) + (s_j − s_i)"),
        "is at least p_i − p_j, and so is |p − s|: the excess is at least (p_i − p_j)²/2.",
        close,
    )


@false("Softmax with the largest score is calibrated for every loss of classes: |y − t|.")
def _ordinal() -> Refutation:
    p = (Fraction(2, 5), Fraction(1, 5), Fraction(2, 5))
    lost = [sum((q * abs(y - t) for y, q in enumerate(p)), _ZERO) for t in range(3)]
    shown = ", ".join(map(str, lost))
    return Refutation(
        lost[1] < min(lost[0], lost[2]) and p[1] < p[0],
        f"p = (2/5, 1/5, 2/5): the largest score is that of class 1 or 3, and |y − t| costs {shown}",
    )


@false("The excess is at least the regret, without a square.")
def _linear_bound() -> Refutation:
    p = (Fraction(3, 5), Fraction(2, 5))
    excess = _divergence(p, [Fraction(1, 2)] * 2)
    return Refutation(
        certainly_less(excess, enclose(Fraction(1, 5))),
        f"p = (3/5, 2/5), u = 0: a regret of 1/5 costs {excess.str(4, radius=False)}",
    )


SOFTMAX: Final = Statement(
    latex=r"\(-\log \mathrm{softmax}(u)_y\) is calibrated for the 0-1 loss: \(H(\epsilon) \ge \epsilon^2/2\)",
    plain="The cross-entropy of softmax predicts a most probable class.",
    hypotheses=("the class of the largest score is predicted",),
    citation="Zhang 2004; Tewari and Bartlett 2007",
    check=check(
        _ANY,
        lambda: [
            *_pinsker(
                "A class j of regret p_i − p_j costs an excess of (p_i − p_j)²/2",
                "With p_i = P and j predicted this is half of the squared regret.",
            )
        ],
    ),
    variants=(_ordinal, _linear_bound),
)


# --- One against all -------------------------------------------------------------------------------------


def _above() -> tuple[Step, Step]:
    def holds(rng: Random, name: str) -> bool | None:
        one, two = sorted(Fraction(rng.randint(1, 19), 20) for _ in range(2))
        lower, upper = (
            LogRational(_ZERO, x / (1 - x)) if name == "logistic" else LogRational(2 * x - 1)
            for x in (one, two)
        )
        slopes = [exact_slopes(named(name).expression, u)[0] for u in (lower, -lower, upper, -upper)]
        if one == two or None in slopes:
            return None
        a, b, c, d = map(Fraction, map(str, slopes))
        return one * a == (1 - one) * b and two * c == (1 - two) * d and lower < upper

    return with_cases(
        "The minimizing scores of two classes have the order of their probabilities",
        _ANY,
        "one identity by SymPy; tried at {} random pairs",
        holds,
        ("logistic", "square", "squared-hinge"),
        12,
        2005,
        "W(u) = Σ_k [p_k φ(u_k) + (1 − p_k) φ(−u_k)], one score a term. Let p < q, u minimize the term for",
        "p: pφ'(u) = (1 − p)φ'(−u). If 0 < p both slopes have one sign, and that at min(u, −u) is at most",
        "φ'(0) < 0: so φ'(u) + φ'(−u) < 0. If p = 0, φ'(−u) = 0, so u < 0 and φ'(u) ≤ φ'(0). At u the",
        "term for q has the slope",
        ticked("qφ'(u) − (1 − q)φ'(−u) = (q − p)(φ'(u) + φ'(−u)) for φ'(−u) = pφ'(u)/(1 − p)"),
        "which is < 0, so all its minimizers are above u. Where there is none (p = 0 or q = 1), scores",
        "that come near the infimum tend to −∞ or ∞, which only helps.",
    )


@false("φ may have a kink: the hinge.")
def _one_vs_all_hinge() -> Refutation:
    phi, p = named("hinge").expression, (Fraction(2, 5), Fraction(7, 20), Fraction(1, 4))
    at = LogRational(Fraction(-1))
    (won, _), (left, right) = exact_slopes(phi, at), exact_slopes(phi, -at)
    assert won is not None and left is not None and right is not None
    # The slope of p phi(u) + (1 - p) phi(-u) at -1 has 0 between its one-sided values.
    minimal = all(q * won - (1 - q) * right <= 0 <= q * won - (1 - q) * left for q in p)
    return Refutation(
        minimal, "p = (2/5, 7/20, 1/4): u = (−1, −1, −1) is minimal, and any class may be predicted"
    )


ONE_AGAINST_ALL: Final = Statement(
    latex=(
        r"\(\phi(u_y) + \sum_{k \ne y} \phi(-u_k)\) is calibrated for the 0-1 loss when \(\phi\) is convex,"
        r" differentiable and bounded below with \(\phi'(0) < 0\)."
    ),
    plain="Binary losses of one class against all others predict a most probable class.",
    hypotheses=(r"\(\phi\) is convex, differentiable, bounded below", r"\(\phi'(0) < 0\)"),
    citation="Zhang 2004; Tewari and Bartlett 2007",
    check=check(f"{_ANY}, all φ convex, differentiable, bounded below, φ'(0) < 0", lambda: [*_above()]),
    variants=(_one_vs_all_hinge,),
)


# --- Lee, Lin and Wahba ----------------------------------------------------------------------------------


def _centered(p: tuple[Fraction, ...], v: list[Fraction]) -> Fraction:
    """Σ (1 − p_j) [v_j]₊ − (1 − P) m: the excess, or more."""
    return sum(((1 - q) * max(x, _ZERO) for q, x in zip(p, v, strict=True)), _ZERO) - (1 - max(p)) * len(p)


def _excess_of_hinges() -> tuple[Step, Step]:

    def holds(rng: Random, size: int) -> bool:
        chances = _drawn(rng, size)
        v = [Fraction(rng.randint(-6, 9), 2) for _ in range(size)]
        v = [x + 1 - sum(v, _ZERO) / size for x in v]
        return _centered(chances, v) >= max(chances) - chances[v.index(max(v))]

    return with_cases(
        "The excess is at least the regret of the predicted class",
        _ANY,
        "one identity by SymPy; tried at {} random p and u, exactly",
        holds,
        (2, 3, 4, 5),
        8,
        2006,
        "Let v_j = 1 + u_j, so Σ v_j = m, w_j = [v_j]₊, W = Σ (1 − p_j) w_j. The scores v = m e_k at a",
        "class with p_k = P give W* ≤ (1 − P)m. If t has the largest score, v_t ≥ 1, and Σ w_j ≥ m:",
        "W − (1 − P)m = Σ (P − p_j) w_j + (1 − P)(Σ w_j − m), as for every j",
        ticked("(1 − p_j)w_j = (P − p_j)w_j + (1 − P)w_j"),
        "The sum is at least (P − p_t) v_t ≥ P − p_t, the regret.",
    )


@false("The excess is at least 1.01 times the regret.")
def _more_than_the_regret() -> Refutation:
    p = (Fraction(3, 4), Fraction(1, 4))
    excess = _centered(p, [Fraction(1)] * 2)
    return Refutation(
        excess == p[0] - p[1], f"p = (3/4, 1/4), u = 0: class 2 has regret 1/2 and excess {excess}"
    )


LEE_LIN_WAHBA: Final = Statement(
    latex=(
        r"\(\sum_{j \ne y} \max(0, 1 + u_j)\) under \(\sum_j u_j = 0\) is calibrated for the 0-1 loss:"
        r" \(H(\epsilon) \ge \epsilon\)."
    ),
    plain="The loss of Lee, Lin and Wahba predicts a most probable class, and its excess bounds the regret.",
    hypotheses=("the class of the largest score is predicted", r"\(\sum_j u_j = 0\)"),
    citation="Lee, Lin and Wahba 2004; Tewari and Bartlett 2007; the bound on the excess is ours",
    check=check(_ANY, lambda: [*_excess_of_hinges()]),
    variants=(
        _more_than_the_regret,
        not_on_task("Crammer and Singer's hinge does as well.", "crammer-singer", target("zero-one")),
        not_on_task("Weston and Watkins' sum of hinges does as well.", "weston-watkins", target("zero-one")),
    ),
)


# --- The top-k error (Yang and Koyejo 2020) --------------------------------------------------------------
# Only the abstract could be read; statement and proof of this row are ours.


def _squares() -> Step:
    return step(
        "With least squares on the indicators it costs as much",
        _ANY,
        "completed squares, by SymPy",
        "W(u) − W* = Σ_k (u_k − p_k)², of which two terms are",
        ticked("(u_i − p_i)² + (u_j − p_j)² = ½((u_j − u_i) + (p_i − p_j))² + ½((u_i + u_j) − (p_i + p_j))²"),
        "and the first is at least ½g², g = p_i − p_j > 0, e = u_j − u_i, as",
        ticked("(e + g)² − g² ≥ 0 for e ≥ 0, g > 0"),
    )


@false("The top-k hinge, max(0, the mean of the k largest 1(j ≠ y) + u_j − u_y), is calibrated: k = 2.")
def _hinge_of_two() -> Refutation:
    half = Fraction(1, 2)
    p = (half, Fraction(3, 10), Fraction(1, 5))
    # At u = (1, 0, 0): slopes of the one active piece for y = 2, 3, and of two active pieces for y = 1.
    second, third = (half, -2 * half, half), (half, half, -2 * half)
    first = [
        Fraction(4, 5) * x + Fraction(1, 5) * y
        for x, y in zip((-half, half, _ZERO), (-half, _ZERO, half), strict=True)
    ]
    total = [
        sum(q * x for q, x in zip(p, column, strict=True))
        for column in zip(first, second, third, strict=True)
    ]
    u = (1, 0, 0)
    values = [_hinges(u, y) for y in range(3)]
    return Refutation(
        not any(total) and values == [[0, 0, 0], [1, Fraction(3, 2), half], [Fraction(3, 2), 1, half]],
        "p = (1/2, 3/10, 1/5): slopes at u = (1, 0, 0) add up to 0, so it is minimal; 2 and 3 tie",
    )


def _hinges(u: tuple[int, ...], y: int) -> list[Fraction]:
    """The means over the pairs 12, 13, 23 of what the top-2 hinge sums up."""
    margins = [Fraction((j != y) + u[j] - u[y]) for j in range(3)]
    return [(margins[i] + margins[j]) / 2 for i, j in ((0, 1), (0, 2), (1, 2))]


TOP_K: Final = Statement(
    latex=(
        r"Softmax, and least squares on \(1(y = k)\), are calibrated for the top-k error: scores near the"
        r" infimum have \(u_i > u_j\) wherever \(p_i > p_j\)."
    ),
    plain="Cross-entropy and least squares put the k most probable classes on top, for every k.",
    hypotheses=("the k classes of the largest scores are predicted, ties broken in any way",),
    citation="after Yang and Koyejo 2020 (read: the abstract, on Bregman divergences); the proof is ours",
    check=check(
        f"{_ANY}, all k",
        lambda: [
            *_pinsker(
                "A pair with p_i > p_j and u_i ≤ u_j costs an excess of (p_i − p_j)²/2",
                "k classes that are not the most probable ones hold such a j and leave out such an i.",
            ),
            _squares(),
        ],
        "The paper's theorems were not read, only its abstract. It says that hinge-like losses known before"
        " fail, as the one below does, and suggests that every convex hinge does: that is not claimed here.",
    ),
    variants=(
        _hinge_of_two,
        not_on_task("Crammer and Singer's hinge will do for k = 1.", "crammer-singer", target("zero-one")),
    ),
)
