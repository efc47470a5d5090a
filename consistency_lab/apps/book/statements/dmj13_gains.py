"""DMJ13 on gains by position: NDCG, ERR, and Zhang's pairwise loss."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from math import prod
from typing import Final

from consistency_lab.apps.book.rat13 import Weights, law, losses, refuted_at
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
from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.everywhere import LEE_LIN_WAHBA
from consistency_lab.model.surrogates.tasks.atoms import LeeLinWahba, PairsSurrogate
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.positional import ExpectedReciprocalRank
from consistency_lab.model.tasks.task import Prediction, certainly_above
from consistency_lab.numbers.exact import LogRational, lower_decimal
from consistency_lab.numbers.phi import named, parse
from consistency_lab.numbers.tape import as_ball

# --- DMJ13's corollary on NDCG: calibrated if and only if minimizers order the items by E[G(s_j)/Z(s)] ---

_NDCG_SCOPE: Final = "all m, all G ≥ 0, all F > 0 that do not fall"


_BY_LINEARITY: Final = (
    "With D_k = 1/F(k) and θ_j = E[G(s_j)/Z(s)] the expected loss of a ranking t is, by linearity,",
    "L(t) = P(Z > 0) − Σ_k θ_{t_k} D_k: t is optimal if, and for F that rises strictly only if, it",
    "sorts by θ.",
)


def _calibrated(scope: str, how: str, *first: str) -> Step:
    return step(
        "Calibrated if and only if nearly minimal scores order the items by θ",
        scope,
        f"Definition 1, read for orders sorted by θ{how}",
        *first,
        "Ties of scores are broken in the worst way. So if F rises strictly, scores α are safe, all orders",
        "that they may be sorted into being optimal, exactly if θ_i > θ_j always gives α_i > α_j.",
        "Definition 1 asks that for every p",
        "    W*(p) < inf {W(p, α) : α_i ≤ α_j for some θ_i > θ_j},",
        "and as there are finitely many pairs, that says: along every sequence with W(p, α^n) → W*(p),",
        "θ_i > θ_j gives α^n_i > α^n_j from some n on. If F only does not fall, the unsafe α are among",
        "these, so this is still enough.",
    )


def _least_squares() -> Step:
    return step(
        "Least squares on G/Z is calibrated: a wrong pair costs at least (θ_i − θ_j)²/2",
        "all m, all p",
        "completed squares, by SymPy",
        "Least squares on f(s) = G(s)/Z(s) has W(α) − W* = Σ_i (α_i − θ_i)², as",
        "    E(α_i − f_i)² = (α_i − θ_i)² + E f_i² − θ_i²: with q = E f_i² it is",
        ticked("    α_i² − 2α_i θ_i + q = (α_i − θ_i)² + q − θ_i²"),
        "Where α_i ≤ α_j although θ_i > θ_j, two of its terms are already at least (θ_i − θ_j)²/2:",
        ticked("    (α_i−θ_i)² + (α_j−θ_j)² = ½((α_i−α_j) − (θ_i−θ_j))² + ½((α_i+α_j) − (θ_i+θ_j))²"),
        "    and ((α_i−α_j) − (θ_i−θ_j))² ≥ (θ_i−θ_j)² there, as with g = θ_i − θ_j, e = α_j − α_i",
        ticked("    (g + e)² − g² ≥ 0 for g > 0, e ≥ 0"),
        "So it is calibrated, in m dimensions, whatever p.",
    )


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


@false("'Only if' holds for precision@k too, where F = 1 up to k.")
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


DMJ13_NDCG: Final = Statement(
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
    check=check(
        "all m, all G ≥ 0; 'only if' for F that rises strictly",
        lambda: [
            _calibrated(_NDCG_SCOPE, "; which orders are optimal is proved in Coq", *_BY_LINEARITY),
            _least_squares(),
        ],
        "'Only if' needs F to rise strictly. Precision@k, which the paper includes, has F = 1 up to k:"
        " a loss can be calibrated for it without ordering the items, see the last false variant (ours).",
    ),
    variants=(
        FalseVariant(
            "Least squares on the gain, without 1/Z, is calibrated for NDCG.",
            lambda: _wrong_mean(Regression("gain"), {(2, 0): Fraction(2, 5), (0, 1): Fraction(3, 5)}),
        ),
        FalseVariant(
            "Least squares on the grades is calibrated for NDCG.",
            lambda: _wrong_mean(Regression("grade"), {(2, 1): Fraction(3, 5), (0, 1): Fraction(2, 5)}),
        ),
        _precision,
    ),
)


# --- DMJ13's lemma on ERR: if the grades are independent, sorting by E G(s_i) is optimal -----------------

_ERR_SCOPE: Final = "all m, all G in [0, 1], all F > 0 that do not fall"


def independent(
    task: ExpectedReciprocalRank, marginals: Sequence[Sequence[int]]
) -> tuple[dict[tuple[int, ...], Fraction], list[Fraction]]:
    """The product measure with these marginals (one more is added to the lowest grade), and E G.

    Examples
    --------
    >>> task = target("err", items=2, labels=(0, 1))
    >>> p, theta = independent(task, [[0, 1], [0, 0]])
    >>> {label: str(weight) for label, weight in p.items()}, str(theta[0])
    ({(0, 0): '1/2', (1, 0): '1/2'}, '1/4')
    """
    grades = task.space.grades
    chances = [[Fraction(w + (k == 0), 1 + sum(row)) for k, w in enumerate(row)] for row in marginals]
    weights = {
        tuple(grades[k] for k in chosen): prod((row[k] for row, k in zip(chances, chosen, strict=True)))
        for chosen in product(range(len(grades)), repeat=len(chances))
    }
    theta = [
        sum((c * task.table[grade] for c, grade in zip(row, grades, strict=True)), Fraction(0))
        for row in chances
    ]
    return {label: Fraction(w) for label, w in weights.items() if w}, theta


def earned(theta: Sequence[Fraction], discounts: Sequence[Fraction], order: Prediction) -> Fraction:
    """1 - L for independent grades.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> earned([half, half], [Fraction(1), half], (0, 1))
    Fraction(5, 8)
    """
    total, going = Fraction(0), Fraction(1)
    for item, factor in zip(order, discounts, strict=True):
        total += factor * going * theta[item]
        going *= 1 - theta[item]
    return total


@false("Sorting by E G is optimal for dependent grades too.")
def _dependent() -> Refutation:
    task = target("err", items=3, labels=(0, 1))
    assert isinstance(task, ExpectedReciprocalRank)
    p: Weights = {(1, 1, 0): Fraction(3, 5), (0, 0, 1): Fraction(2, 5)}
    lost = losses(task, p)
    by_mean = [lost[0, 1, 2], lost[1, 0, 2]]
    return Refutation(
        min(by_mean) > lost[0, 2, 1],
        "p(1, 1, 0) = 3/5, p(0, 0, 1) = 2/5, G = s/2: E G = (3/10, 3/10, 1/5), but the orders with 3 last"
        f" lose {min(by_mean)}, and 1 > 3 > 2 only {lost[0, 2, 1]}",
    )


@false("It is optimal for every positive F, falling or not.")
def _rising() -> Refutation:
    theta, discounts = (Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 2), Fraction(1))
    sorted_value, other = (earned(theta, discounts, order) for order in permutations(range(2)))
    return Refutation(
        sorted_value < other,
        f"F = (2, 1), E G = (3/4, 1/4): 1 > 2 earns {sorted_value}, and 2 > 1 earns {other}",
    )


@false("If F rises strictly, no other order is optimal, even where E G = 1.")
def certain() -> Refutation:
    """Three items, the first surely satisfying."""
    theta = (Fraction(1), Fraction(1, 2), Fraction(1, 4))
    discounts = tuple(Fraction(1, j) for j in (1, 2, 3))
    values = {order: earned(theta, discounts, order) for order in permutations(range(3))}
    return Refutation(
        values[0, 2, 1] == max(values.values()),
        f"F(j) = j, E G = (1, 1/2, 1/4): 1 > 3 > 2 earns {values[0, 2, 1]}, as much as any order",
    )


DMJ13_ERR: Final = Statement(
    latex=(
        r"If \(s_1, \dots, s_m\) are independent, the orders in which \(\mathbf{E} G(s_i)\) falls minimize"
        r" \(\mathbf{E}[1 - \sum_i \frac{1}{F(i)} G(s_{\pi^{-1}(i)}) \prod_{k<i} (1 - G(s_{\pi^{-1}(k)}))]\);"
        r" no other order does if \(F\) rises strictly and all \(\mathbf{E} G(s_i) < 1\)."
    ),
    plain=(
        "For independent grades, sorting by expected gain minimizes the ERR loss; only sorting does if F"
        " rises strictly and no expected gain is 1."
    ),
    hypotheses=(
        r"\(p\) is a product measure on finitely many grades",
        r"\(0 \le G \le 1\)",
        r"\(F\) is positive and does not fall",
    ),
    citation="DMJ13 (lemma on ERR; its proof is in a supplement, this one is ours)",
    check=check(
        _ERR_SCOPE,
        lambda: [
            idea(
                "The idea: the mean depends on p through E G alone, and neighbors are exchanged",
                "all m",
                "For independent grades 1 − L(t) = Σ_k D_k θ_{t_k} Π_{l<k} (1 − θ_{t_l}), D_k = 1/F(k),",
                "θ_i = E G(s_i). Exchanging neighbors a, b that a reader reaches with chance P ≥ 0 earns P",
                "(θ_a − θ_b)(D_k − D_{k+1}).",
            )
        ],
        "That no other order is optimal is ours; below an item with E G = 1 the order is free.",
        "With two items sorting by E G is optimal for dependent grades too: three are the fewest that"
        " fail (ours).",
    ),
    variants=(_dependent, _rising, certain),
)


# --- DMJ13: a surrogate is consistent for ERR if and only if it orders the items by E G(s_i) -------------

_SURE_SCOPE: Final = "all m, F > 0 that rises strictly, independent grades with E G < 1"

DMJ13_ERR_IFF: Final = Statement(
    latex=(
        r"Let \(F\) rise strictly and \(p\) range over product measures with \(\mathbf E G(s_i) < 1\)."
        r" A surrogate"
        r" is calibrated for ERR if and only if its minimizing sequences order the items by \(\mathbf E"
        r" G(s_i)\)."
    ),
    plain=(
        "For independent grades a loss is calibrated for ERR exactly if it orders the items by expected gain."
    ),
    hypotheses=(
        r"\(p\) is a product measure",
        r"\(F\) rises strictly and \(\mathbf E G(s_i) < 1\) (not in the paper; for 'only if')",
        "ties of scores are broken in the worst way",
    ),
    citation="DMJ13 §3 (after the lemma on ERR)",
    check=check(
        _SURE_SCOPE,
        lambda: [
            _calibrated(
                _SURE_SCOPE,
                "; which orders are optimal at given θ is proved in Coq",
                "θ_i = E G(s_i), and p ranges over product measures with all θ < 1. So",
                "1 − L(t) = Σ_k D_k θ_{t_k} Π_{l<k} (1 − θ_{t_l}), D_k = 1/F(k): t is optimal if and only",
                "if it sorts by θ.",
            ),
        ],
        "The paper says 'necessary and sufficient' without E G < 1: below an item that surely satisfies,"
        " every order costs the same, so a safe ranking need not be sorted there.",
    ),
    variants=(
        FalseVariant("Only sorted orders are safe, even where E G = 1.", certain.refute),
        FalseVariant("Sorting by E G is safe for dependent grades.", _dependent.refute),
    ),
)


# --- DMJ13 on Zhang's loss: calibrated for the NDCG family; phi need not be nonincreasing (ours) ---------

_ZHANG_SCOPE: Final = "all m, all φ convex, differentiable, bounded below, φ'(0) < 0"


def _slopes() -> Step:
    return step(
        "Minimizers solve θ_i A(α_i) = B(α_i) with A rising and B falling, the same for every i",
        _ZHANG_SCOPE,
        "the derivative of one pair, by hand",
        "Let θ_j = E[G(s_j)/Z(s)] ≥ 0, not all 0: W(α) = Σ_j θ_j Σ_l φ(α_j − α_l). (If all θ_j are 0,",
        "every order is optimal.) The part of W that α_i and α_l share has the slope along α_i",
        "    θ_i φ'(α_i − α_l) − θ_l φ'(α_l − α_i),",
        "which is 0 for l = i, so summed over all l",
        "    ∂W/∂α_i = θ_i A(α_i) − B(α_i),  A(x) = Σ_l φ'(x − α_l),  B(x) = Σ_l θ_l φ'(α_l − x).    (1)",
        "The same two functions serve every i. φ' does not fall: A does not fall, B does not rise.",
    )


def _order() -> Step:
    return step(
        "A minimizer has α_i > α_j wherever θ_i > θ_j",
        _ZHANG_SCOPE,
        "two monotone functions; signs by SymPy",
        "Let α be a minimizer, t its top item. In B(α_t) all arguments are at most 0, so",
        "    −B(α_t) ≥ −φ'(0) Σ θ_l > 0.",
        "By (1) θ_t A(α_t) = B(α_t) < 0, so A(α_t) < 0, and A(α_i) ≤ A(α_t) < 0 for every i.",
        "Now suppose θ_1 > θ_2 and α_1 ≤ α_2. Then A(α_1) ≤ A(α_2) and B(α_1) ≥ B(α_2), so",
        "    θ_1 A(α_1) = B(α_1) ≥ B(α_2) = θ_2 A(α_2) ≥ θ_2 A(α_1),",
        "that is (θ_1 − θ_2) A(α_1) ≥ 0. But with θ_1 = θ_2 + g and A(α_1) = −a",
        ticked("    (θ_1 − θ_2)A = −g a < 0 for θ_1 = θ_2 + g, A = −a, g, a > 0"),
        "    a contradiction. So θ_1 > θ_2 gives α_1 > α_2.",
        "Nothing else is used of φ: it may rise again.",
    )


_SEQUENCES: Final = step(
    "Scores with W near W* are ordered as the minimizers are, attained or not",
    _ZHANG_SCOPE,
    "limits along a sequence, in words",
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
)


def _numbers(*values: str) -> list[LogRational]:
    return [LogRational.parse(value) for value in values]


@false("A convex, differentiable φ will do without φ'(0) < 0.")
def _flat() -> Refutation:
    loss = PairsSurrogate("flat", parse("max(0,-x)**2"), "zhang")
    task = target("ndcg", items=2, labels=(0, 1), discount="j")
    return refuted_at(loss, task, {(1, 0): Fraction(1)}, _numbers("0", "0"), (0, 1))


@false("It is enough that φ is differentiable at 0: the hinge loss.")
def _kink() -> Refutation:
    loss = PairsSurrogate("hinge", named("hinge").expression, "zhang")
    task = target("ndcg", items=3, labels=(0, 1), discount="j")
    p = law({(1, 0, 0): 3, (0, 1, 0): 2, (0, 0, 1): 4})
    slopes = {(2, 0): Fraction(-1), (2, 1): Fraction(-1, 4)}
    return refuted_at(loss, task, p, _numbers("0", "0", "1"), (2, 0, 1), slopes)


@false("A convex φ with φ'(0) < 0 will do, bounded below or not.")
def _unbounded() -> Refutation:
    theta = (Fraction(3, 6), Fraction(2, 6), Fraction(1, 6))
    direction = (2, 3, -5)
    # For phi(x) = -x, W(alpha) = sum_l alpha_l (sum_j theta_j - m theta_l) is linear.
    slope = sum(((1 - 3 * weight) * v for weight, v in zip(theta, direction, strict=True)), Fraction(0))
    return Refutation(
        slope < 0,
        f"φ(x) = −x, θ = (1/2, 1/3, 1/6): W(tα) = {slope}t → −∞ along α = {direction}, which has 2 above 1",
    )


_RANKNET: Final = PairsSurrogate("ranknet", named("logistic").expression)


@false("The pairwise logistic loss on s_i > s_j is calibrated for NDCG.")
def graded() -> Refutation:
    """Two items with grades at which the pairwise logistic loss is strictly wrong for NDCG."""
    p = law({(2, 1): 3, (0, 1): 2})
    return refuted_at(_RANKNET, target("ndcg", items=2), p, _numbers("log(3/2)", "0"), (1, 0))


@false("The pairwise logistic loss is calibrated for NDCG if relevance is 0 or 1.")
def binary() -> Refutation:
    """Three items, relevant or not, at which the pairwise logistic loss is strictly wrong for NDCG."""
    p, scores = law({(1, 0, 1): 3, (0, 1, 0): 2}), _numbers("log(3/2)", "0", "log(3/2)")
    return refuted_at(_RANKNET, target("ndcg", items=3, labels=(0, 1)), p, scores, (1, 0, 2))


DMJ13_ZHANG: Final = Statement(
    latex=(
        r"\(\sum_j \frac{G(s_j)}{Z(s)} \sum_l \phi(\alpha_j - \alpha_l)\) is calibrated for the NDCG family"
        r" when \(\phi\) is convex, differentiable and bounded below with \(\phi'(0) < 0\)."
    ),
    plain=(
        "Zhang's pairwise loss with gains over their normalization is calibrated for NDCG, if bounded below."
    ),
    hypotheses=(
        r"\(\phi\) is convex, differentiable and bounded below",
        r"\(\phi'(0) < 0\)",
        r"\(G \ge 0\), \(F\) is positive and does not fall",
        r"\(\phi\) is nonincreasing (in the paper, but not needed)",
    ),
    citation="DMJ13 (after Zhang 2004, Theorem 5); that phi need not be nonincreasing is ours",
    check=check(
        _ZHANG_SCOPE,
        lambda: [_slopes(), _order(), _SEQUENCES],
        "φ need not be nonincreasing: the square loss with these weights is calibrated too (ours).",
        "That φ is bounded below is assumed of every surrogate in the paper (its definition of a "
        "structure-consistent loss); φ(x) = −x shows that it is needed.",
        "That φ is differentiable everywhere, not only at 0, is needed: the hinge loss can tie.",
    ),
    variants=(_flat, _kink, _unbounded, graded, binary),
)
