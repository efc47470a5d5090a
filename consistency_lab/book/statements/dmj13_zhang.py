"""DMJ13 on Zhang's loss: calibrated for the NDCG family; phi need not be nonincreasing (ours)."""

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from types import MappingProxyType
from typing import Final

from consistency_lab.book.polynomials import Lines, is_positive, step, vanishes
from consistency_lab.book.rat13 import Weights, refuted_at
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.exact import LogRational
from consistency_lab.exact.linear import null_space
from consistency_lab.model.surrogates.tasks.pairs import PairsSurrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.phi import exact_slopes, named, parse
from consistency_lab.theorems.base import Evidence
from consistency_lab.theorems.dmj13 import ZHANG

_SCOPE: Final = "all m, all φ convex, differentiable, bounded below, φ'(0) < 0"

COVERED: Final[Mapping[str, bool]] = MappingProxyType(
    {
        "hinge": False,
        "squared-hinge": True,
        "square": True,
        "smoothed-hinge": True,
        "huberized-hinge": True,
        "logistic": True,
        "exponential": True,
    }
)
"""Which convex named phi satisfy the hypotheses."""

_ON_LOGS: Final = ("logistic", "exponential")
_ON_RATIONALS: Final = ("squared-hinge", "square", "huberized-hinge")
_SAMPLES: Final = 12


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        _SCOPE,
        [_slopes(), _order(), _sequences(), hypotheses(), _samples()],
        (
            "φ need not be nonincreasing: the square loss with these weights is calibrated too (ours).",
            "That φ is bounded below is assumed of every surrogate in the paper (its definition of a "
            "structure-consistent loss); φ(x) = −x shows that it is needed.",
            "That φ is differentiable everywhere, not only at 0, is needed: the hinge loss can tie.",
        ),
    )


def _slopes() -> Step:
    import sympy as sp

    x, y = sp.symbols("α_i α_l", real=True)
    own, other = sp.symbols("θ_i θ_l", nonnegative=True)
    phi = sp.Function("φ")
    pair = own * phi(x - y) + other * phi(y - x)
    claimed = own * phi(x - y).fdiff() - other * phi(y - x).fdiff()
    lines: Lines = [
        "Let θ_j = E[G(s_j)/Z(s)] ≥ 0, not all 0: W(α) = Σ_j θ_j Σ_l φ(α_j − α_l). (If all θ_j are 0,",
        "every order is optimal.) The part of W that α_i and α_l share has the slope along α_i",
        vanishes("    θ_i φ'(α_i − α_l) − θ_l φ'(α_l − α_i)", sp.diff(pair, x) - claimed),
        "which is 0 for l = i, so summed over all l",
        "    ∂W/∂α_i = θ_i A(α_i) − B(α_i),  A(x) = Σ_l φ'(x − α_l),  B(x) = Σ_l θ_l φ'(α_l − x).    (1)",
        "The same two functions serve every i. φ' does not fall: A does not fall, B does not rise.",
    ]
    return step(
        "Minimizers solve θ_i A(α_i) = B(α_i) with A rising and B falling, the same for every i",
        Kind.PROOF_ALL_M,
        _SCOPE,
        "the derivative of one pair, by SymPy",
        lines,
    )


def _order() -> Step:
    import sympy as sp

    gap, fall, total, slope = sp.symbols("g a Θ s", positive=True)
    least = sp.Symbol("θ_2", nonnegative=True)
    lines: Lines = [
        "Let α be a minimizer, t its top item. In B(α_t) all arguments are at most 0, so",
        is_positive("    −B(α_t) ≥ −φ'(0) Σ θ_l > 0", slope * total),
        "By (1) θ_t A(α_t) = B(α_t) < 0, so A(α_t) < 0, and A(α_i) ≤ A(α_t) < 0 for every i.",
        "Now suppose θ_1 > θ_2 and α_1 ≤ α_2. Then A(α_1) ≤ A(α_2) and B(α_1) ≥ B(α_2), so",
        "    θ_1 A(α_1) = B(α_1) ≥ B(α_2) = θ_2 A(α_2) ≥ θ_2 A(α_1),",
        "that is (θ_1 − θ_2) A(α_1) ≥ 0. But with θ_1 = θ_2 + g and A(α_1) = −a",
        vanishes("    (θ_1 − θ_2) A(α_1) = −g a", (least + gap - least) * -fall + gap * fall),
        is_positive("    g a > 0, a contradiction. So θ_1 > θ_2 gives α_1 > α_2.", gap * fall),
        "Nothing else is used of φ: it may rise again.",
    ]
    return step(
        "A minimizer has α_i > α_j wherever θ_i > θ_j",
        Kind.PROOF_ALL_M,
        _SCOPE,
        "two monotone functions; signs by SymPy",
        lines,
    )


def _sequences() -> Step:
    lines: Lines = [
        "Let α^n have W(α^n) → W*, α^n_1 ≤ α^n_2, θ_1 > θ_2, and α^n_1 = 0 (W does not see shifts).",
        "φ is bounded below, so each θ_j φ(α^n_j − α^n_l) is bounded. φ is convex, φ'(0) < 0, so φ → ∞",
        "towards −∞: from θ_1 φ(−α^n_l), α^n_l ≤ K for all l. Take a subsequence that converges in",
        "[−∞, K]; F: the items with a finite limit ᾱ. 1 and 2 are in F, and ᾱ_1 ≤ ᾱ_2.",
        "If l is not in F, then θ_l = 0 (look at θ_l φ(α^n_l)), and φ is bounded towards ∞ (θ_1 φ(−α^n_l)),",
        "so the convex φ is nonincreasing and φ(β_j − α^n_l) → inf φ for every finite β_j. Hence with",
        "W_F(β) = Σ θ_j φ(β_j − β_l) over j, l in F, and c = inf φ · Σ θ_j · (number of items outside F),",
        "    W_F(ᾱ) + c = W*  and  W_F(β) + c = lim W(β, α^n outside F) ≥ W*  for every β.",
        "So ᾱ minimizes W_F, a loss of the same form, with θ_1 > θ_2 and ᾱ_1 ≤ ᾱ_2: a contradiction.",
        "There are finitely many pairs, so the infimum of W where some θ_i > θ_j has α_i ≤ α_j is above",
        "W*: the loss is calibrated for every target that sorts by θ (statement dmj13-ndcg).",
    ]
    return step(
        "Scores with W near W* are ordered as the minimizers are, attained or not",
        Kind.PROOF_ALL_M,
        _SCOPE,
        "limits along a sequence, in words",
        lines,
    )


def hypotheses() -> Step:
    """The hypotheses, checked for every convex phi with a name; the hinge loss told apart."""
    lines: Lines = []
    agreed = True
    for name, expected in COVERED.items():
        loss = PairsSurrogate(name, named(name).expression, "zhang")
        answer = ZHANG.applies(loss, "any", target("ndcg"))
        agreed = agreed and isinstance(answer, Evidence) is expected
        said = "covered" if isinstance(answer, Evidence) else answer.reason.partition(" assumes that ")[2]
        lines.append(f"{name}: {said}")
    return step(
        "The hypotheses hold for every convex named φ but the hinge loss",
        Kind.PROOF_ALL_M,
        f"φ = {', '.join(COVERED)}",
        "convexity, smoothness, bounds and slopes proved from the expression of φ",
        lines,
        agreed,
    )


def _samples() -> Step:
    """For given scores, the only θ for which they are minimal, solved for exactly."""
    rng = Random(2004)
    total = right = 0
    for name in (*_ON_LOGS, *_ON_RATIONALS):
        for m in (2, 3, 4, 5):
            for _ in range(_SAMPLES):
                drawn = [Fraction(rng.randint(1, 4), rng.randint(2, 4)) for _ in range(m)]
                scores = [LogRational(Fraction(0), q) if name in _ON_LOGS else LogRational(q) for q in drawn]
                theta = stationary(name, scores)
                if theta is not None:
                    pairs = [(i, j) for i in range(m) for j in range(m) if theta[i] > theta[j]]
                    total += 1
                    right += all(drawn[i] > drawn[j] for i, j in pairs)
    return step(
        "For random scores the θ that makes them minimal has their order",
        Kind.TEST,
        f"m ≤ 5, φ = {', '.join((*_ON_LOGS, *_ON_RATIONALS))}",
        f"(1) solved exactly for θ ≥ 0 and compared: {right} of {total}",
        [],
        right == total > 0,
    )


def stationary(name: str, scores: list[LogRational]) -> list[Fraction] | None:
    """The θ ≥ 0, unique up to a factor, for which the scores are minimal; None if there is none or many.

    Examples
    --------
    >>> list(map(str, stationary("logistic", [LogRational.parse("log(3)"), LogRational.parse("0")])))
    ['3', '1']
    """
    phi = named(name).expression
    known = [[exact_slopes(phi, x - y)[0] for y in scores] for x in scores]
    slopes = [[Fraction(0) if value is None else value for value in row] for row in known]
    items = range(len(scores))
    rows = [[(sum(slopes[i]) if i == j else Fraction(0)) - slopes[j][i] for j in items] for i in items]
    basis = null_space(rows, len(scores))
    if len(basis) != 1 or any(value is None for row in known for value in row):
        return None
    sign = 1 if sum(basis[0]) > 0 else -1
    theta = [sign * value for value in basis[0]]
    return theta if min(theta) >= 0 else None


def _numbers(*values: str) -> list[LogRational]:
    return [LogRational.parse(value) for value in values]


def _flat() -> Refutation:
    loss = PairsSurrogate("flat", parse("max(0,-x)**2"), "zhang")
    task = target("ndcg", items=2, labels=(0, 1), discount="j")
    return refuted_at(loss, task, {(1, 0): Fraction(1)}, _numbers("0", "0"), (0, 1))


def _kink() -> Refutation:
    loss = PairsSurrogate("hinge", named("hinge").expression, "zhang")
    task = target("ndcg", items=3, labels=(0, 1), discount="j")
    p: Weights = {(1, 0, 0): Fraction(3, 9), (0, 1, 0): Fraction(2, 9), (0, 0, 1): Fraction(4, 9)}
    slopes = {(2, 0): Fraction(-1), (2, 1): Fraction(-1, 4)}
    return refuted_at(loss, task, p, _numbers("0", "0", "1"), (2, 0, 1), slopes)


def _unbounded() -> Refutation:
    theta = (Fraction(3, 6), Fraction(2, 6), Fraction(1, 6))
    direction = (2, 3, -5)
    # For phi(x) = -x, W(alpha) = sum_l alpha_l (sum_j theta_j - m theta_l) is linear.
    slope = sum(((1 - 3 * weight) * v for weight, v in zip(theta, direction, strict=True)), Fraction(0))
    return Refutation(
        slope < 0,
        f"φ(x) = −x, θ = (1/2, 1/3, 1/6): W(tα) = {slope}t → −∞ along α = {direction}, which has 2 above 1",
    )


def graded() -> Refutation:
    """Two items with grades at which the pairwise logistic loss is strictly wrong for NDCG."""
    loss = PairsSurrogate("ranknet", named("logistic").expression)
    p: Weights = {(2, 1): Fraction(3, 5), (0, 1): Fraction(2, 5)}
    return refuted_at(loss, target("ndcg", items=2), p, _numbers("log(3/2)", "0"), (1, 0))


def binary() -> Refutation:
    """Three items, relevant or not, at which the pairwise logistic loss is strictly wrong for NDCG."""
    loss = PairsSurrogate("ranknet", named("logistic").expression)
    p: Weights = {(1, 0, 1): Fraction(3, 5), (0, 1, 0): Fraction(2, 5)}
    scores = _numbers("log(3/2)", "0", "log(3/2)")
    return refuted_at(loss, target("ndcg", items=3, labels=(0, 1)), p, scores, (1, 0, 2))


STATEMENT: Final = Statement(
    name="dmj13-zhang",
    title="DMJ13 Zhang's loss",
    latex=(
        r"\(\sum_j \frac{G(s_j)}{Z(s)} \sum_l \phi(\alpha_j - \alpha_l)\) is calibrated for the NDCG family"
        r" when \(\phi\) is convex, differentiable and bounded below with \(\phi'(0) < 0\)."
    ),
    plain="Zhang's pairwise loss, weighted by gains over their normalization, is calibrated for NDCG.",
    hypotheses=(
        r"\(\phi\) is convex, differentiable and bounded below",
        r"\(\phi'(0) < 0\)",
        r"\(G \ge 0\), \(F\) is positive and does not fall",
        r"\(\phi\) is nonincreasing (in the paper, but not needed)",
    ),
    citation="DMJ13 (after Zhang 2004, Theorem 5); that phi need not be nonincreasing is ours",
    check=check,
    variants=(
        FalseVariant("A convex, differentiable φ will do without φ'(0) < 0.", _flat),
        FalseVariant("It is enough that φ is differentiable at 0: the hinge loss.", _kink),
        FalseVariant("A convex φ with φ'(0) < 0 will do, bounded below or not.", _unbounded),
        FalseVariant("The pairwise logistic loss on s_i > s_j is calibrated for NDCG.", graded),
        FalseVariant("The pairwise logistic loss is calibrated for NDCG if relevance is 0 or 1.", binary),
    ),
)
