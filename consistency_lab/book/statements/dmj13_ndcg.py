"""DMJ13's corollary on NDCG: calibrated if and only if minimizers order the items by E[G(s_j)/Z(s)]."""

from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Final

from consistency_lab.book.polynomials import Lines, is_positive, step, vanishes
from consistency_lab.book.rat13 import Weights
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.exact import lower_decimal
from consistency_lab.model.surrogates.tasks.multiclass import LeeLinWahba
from consistency_lab.model.surrogates.tasks.pointwise import Regression
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.real import as_ball
from consistency_lab.model.tasks.task import PositionalTask, certainly_above
from consistency_lab.theorems.base import Evidence
from consistency_lab.theorems.dmj13 import NDCG
from consistency_lab.theorems.everywhere import LEE_LIN_WAHBA

_SCOPE: Final = "all m, all G ≥ 0, all F > 0 that do not fall"
_SAMPLES: Final = 40


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m, all G ≥ 0; 'only if' for F that rises strictly",
        [_neighbors(), _calibrated(), _least_squares(), _hypotheses(), _enumerated()],
        (
            "'Only if' needs F to rise strictly. Precision@k, which the paper counts in, has F = 1 up to k:"
            " a loss can be calibrated for it without ordering the items, see the last false variant (ours).",
        ),
    )


def _neighbors() -> Step:
    import sympy as sp

    first, second = sp.symbols("θ_a θ_b", real=True)
    upper, lower = sp.symbols("D_k D_k+1", nonnegative=True)
    gap, fall = sp.symbols("g d", positive=True)
    cost = -(first * upper + second * lower) + (second * upper + first * lower)
    lines: Lines = [
        "Let D_k = 1/F(k), θ_j = E[G(s_j)/Z(s)]. The expected loss of a ranking t is, by linearity,",
        "    L(t) = P(Z > 0) − Σ_k θ_{t_k} D_k.                                                      (1)",
        "Let a stand right above b, at positions k and k + 1. Exchanging them changes no other term:",
        vanishes(
            "    L(a above b) − L(b above a) = −(θ_a − θ_b)(D_k − D_{k+1})",
            cost + (first - second) * (upper - lower),
        ),
        "If θ_a ≥ θ_b this is at most 0. Exchanging neighbors that stand against θ leads from any order",
        "to one sorted by θ and never raises L, and sorted orders differ by exchanges of ties, which",
        "change nothing: every order sorted by θ is optimal.",
        "If F rises strictly, D_k − D_{k+1} = d > 0, and an order not sorted by θ has neighbors with",
        is_positive("    θ_b − θ_a = g > 0, whose exchange saves g d > 0: it is not optimal.", gap * fall),
    ]
    return step(
        "A ranking is optimal if it sorts by θ, and, for F that rises strictly, only if",
        Kind.PROOF_ALL_M,
        _SCOPE,
        "the exchange of two neighbors, by SymPy",
        lines,
    )


def _calibrated() -> Step:
    lines: Lines = [
        "Ties of scores are broken in the worst way. So if F rises strictly, scores α are safe, all orders",
        "that they may be sorted into being optimal, exactly if θ_i > θ_j always gives α_i > α_j.",
        "Definition 1 asks that for every p",
        "    W*(p) < inf {W(p, α) : α_i ≤ α_j for some θ_i > θ_j},",
        "and as there are finitely many pairs, that says: along every sequence with W(p, α^n) → W*(p),",
        "θ_i > θ_j gives α^n_i > α^n_j from some n on. If F only does not fall, the unsafe α are among",
        "these, so this is still enough.",
    ]
    return step(
        "Calibrated if and only if nearly minimal scores order the items by θ",
        Kind.PROOF_ALL_M,
        _SCOPE,
        "Definition 1, read for orders sorted by θ",
        lines,
    )


def _least_squares() -> Step:
    import sympy as sp

    a, b, x, y = sp.symbols("α_i α_j θ_i θ_j", real=True)
    gap, extra = sp.symbols("g e", positive=True)
    lines: Lines = [
        "Least squares on f(s) = G(s)/Z(s) has W(α) − W* = Σ_i (α_i − θ_i)², as",
        vanishes(
            "    E(α_i − f_i)² = (α_i − θ_i)² + E f_i² − θ_i²",
            (a**2 - 2 * a * x + y) - (a - x) ** 2 - y + x**2,
        ),
        "Where α_i ≤ α_j although θ_i > θ_j, two of its terms are already at least (θ_i − θ_j)²/2:",
        vanishes(
            "    (α_i−θ_i)² + (α_j−θ_j)² = ½((α_i−α_j) − (θ_i−θ_j))² + ½((α_i+α_j) − (θ_i+θ_j))²",
            (a - x) ** 2 + (b - y) ** 2 - ((a - b) - (x - y)) ** 2 / 2 - ((a + b) - (x + y)) ** 2 / 2,
        ),
        is_positive(
            "    and ((α_i−α_j) − (θ_i−θ_j))² ≥ (θ_i−θ_j)² there: (g + e)² − g² > 0",
            sp.expand((gap + extra) ** 2 - gap**2),
        ),
        "So it is calibrated, in m dimensions, whatever p.",
    ]
    return step(
        "Least squares on G/Z is calibrated: a wrong pair costs at least (θ_i − θ_j)²/2",
        Kind.PROOF_ALL_M,
        "all m, all p",
        "completed squares, by SymPy",
        lines,
    )


def _hypotheses() -> Step:
    """The theorem of the catalogue tells regression on G/Z from regression on G."""
    lines: Lines = []
    agreed = True
    for f, expected in (("gain/Z", True), ("gain", False), ("grade", False)):
        answer = NDCG.applies(Regression(f), "any", target("ndcg"))
        agreed = agreed and isinstance(answer, Evidence) is expected
        lines.append(f"regression on {f}: {'covered' if isinstance(answer, Evidence) else 'not covered'}")
    return step(
        "The hypotheses hold for regression on G/Z, and not for regression on G or on the grades",
        Kind.PROOF_THIS_M,
        "m = 3, the standard NDCG",
        "features compared with gains and scales at every label",
        lines,
        agreed,
    )


def _enumerated() -> Step:
    """All rankings compared at random distributions, with rational discounts."""
    rng = Random(13)
    total = right = 0
    for items, grades in ((2, (0, 1, 2)), (3, (0, 1, 2)), (4, (0, 1))):
        task = target("ndcg", items=items, labels=grades, discount="j")
        assert isinstance(task, PositionalTask)
        for _ in range(_SAMPLES):
            drawn = {rng.choice(task.space.labels): Fraction(rng.randint(1, 4)) for _ in range(3)}
            p = {label: weight / sum(drawn.values()) for label, weight in drawn.items()}
            theta = order_values(task, p)
            losses = {t: task.expected_loss(p, t) for t in task.predictions}
            least = min(losses.values())
            total += 1
            right += all(
                (loss == least) is all(theta[a] >= theta[b] for a, b in pairwise(t))
                for t, loss in losses.items()
            )
    return step(
        "The optimal rankings are those sorted by θ",
        Kind.TEST,
        "m ≤ 4, F(j) = j",
        f"all rankings compared exactly at {right} of {total} random distributions",
        [],
        right == total,
    )


def order_values(task: PositionalTask, weights: Weights) -> list[Fraction]:
    """θ_j = E[G(s_j)/Z(s)] where it is rational.

    Examples
    --------
    >>> task = target("ndcg", items=2, discount="j")
    >>> list(map(str, order_values(task, {(2, 1): Fraction(1)})))
    ['6/7', '2/7']
    """
    found = [Fraction(0)] * task.space.m
    for label, p in weights.items():
        scale = task.scale(label)
        assert isinstance(scale, Fraction)  # the discounts are rational
        for j, gain in enumerate(task.gains(label)):
            found[j] += p * scale * gain
    return found


def _wrong_mean(surrogate: Regression, weights: Weights) -> Refutation:
    """Two items that a regression puts in the wrong order for the standard NDCG."""
    task = target("ndcg", items=2)
    first, second = (
        sum((p * surrogate.features(task, label)[j] for label, p in weights.items()), Fraction(0))
        for j in range(2)
    )
    lost = task.expected_loss(weights, (0, 1)) - task.expected_loss(weights, (1, 0))
    shown = ", ".join(f"p{task.space.text(label)} = {p}" for label, p in weights.items())
    return Refutation(
        first > second and certainly_above(lost, Fraction(0)),
        f"{shown}: the minimizer ({first}, {second}) says 1 > 2, which loses at least"
        f" {float(lower_decimal(as_ball(lost), 3))} to 2 > 1",
    )


def _without_z() -> Refutation:
    return _wrong_mean(Regression("gain"), {(2, 0): Fraction(2, 5), (0, 1): Fraction(3, 5)})


def _by_grade() -> Refutation:
    return _wrong_mean(Regression("grade"), {(2, 1): Fraction(3, 5), (0, 1): Fraction(2, 5)})


def _precision() -> Refutation:
    """Lee, Lin and Wahba's loss is calibrated for precision@1 with one relevant item, and ties the others."""
    zero_one, precision = target("zero-one", items=3), target("wta", items=3)
    proof = LEE_LIN_WAHBA.applies(LeeLinWahba(), "any", zero_one)
    one_hot = [tuple(int(i == k) for i in range(3)) for k in range(3)]
    same = all(
        precision.loss(y, t) == zero_one.loss((k,), t[:1])
        for k, y in enumerate(one_hot)
        for t in precision.predictions
    )
    p, scores = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (2, -1, -1)
    risk = sum(((1 - q) * max(0, 1 + u) for q, u in zip(p, scores, strict=True)), Fraction(0))
    # Its proof in `theorems.everywhere`: W >= (1 - max p) m wherever the scores sum to 0.
    minimal = sum(scores) == 0 and risk == (1 - max(p)) * 3
    return Refutation(
        isinstance(proof, Evidence) and same and minimal,
        "one relevant item, p = (1/2, 1/3, 1/6), precision@1: the calibrated loss of Lee, Lin and Wahba is"
        f" minimal, {risk}, at (2, −1, −1), which does not tell 2 and 3 apart",
    )


STATEMENT: Final = Statement(
    name="dmj13-ndcg",
    title="DMJ13 NDCG",
    latex=(
        r"A surrogate is calibrated for \(1 - \frac{1}{Z(s)} \sum_j G(s_j)/F(\pi(j))\) if and only if for"
        r" every \(p\) its minimizing sequences order the items by \(\mathbf{E}[G(s_j)/Z(s)]\)."
    ),
    plain="A loss is calibrated for NDCG exactly if it orders the items by the expected normalized gain.",
    hypotheses=(
        r"\(G \ge 0\)",
        r"\(F\) is positive and does not fall; for 'only if' it rises strictly",
        "ties of scores are broken in the worst way",
    ),
    citation="DMJ13 (corollary on NDCG); that 'only if' needs a strictly rising F is ours",
    check=check,
    variants=(
        FalseVariant("Least squares on the gain, without 1/Z, is calibrated for NDCG.", _without_z),
        FalseVariant("Least squares on the grades is calibrated for NDCG.", _by_grade),
        FalseVariant("'Only if' holds for precision@k too, where F = 1 up to k.", _precision),
    ),
)
