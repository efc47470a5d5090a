"""Fixed losses that libraries ship, as gradient fields."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations
from types import MappingProxyType
from typing import Final

from consistency_lab.exact import working_precision
from consistency_lab.model.surrogates.tasks.fields.lambdas import WEIGHTS, discount
from consistency_lab.model.surrogates.tasks.fields.written import (
    ONE,
    Gradient,
    GradientField,
    N,
    Rule,
    SmoothPiece,
    Value,
    Written,
    softmax,
    total,
    whole,
)
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import PRECISION, Prediction

# --- Gradients of losses of smooth permutation matrices (NeuralSort), inside one order of the scores -----
# Row k of the matrix is P_k = softmax over i of L_ki = (c_k u_i - sum_j |u_i - u_j|)/T, c_k = m + 1 - 2k for
# the position k = 1..m. Inside an order L is linear in u: sum_j |u_i - u_j| has the slope "items below i
# minus items above i" in u_i and -1 or +1 in the others. So g_i = sum over k, j of d_kj dL_kj/du_i, d the
# slope of the loss in L.


def sorted_gains(label: Label, ranking: Prediction, temperature: Fraction) -> Gradient:
    """The gradient of -(1/Z) sum_k (1/log2(1 + k)) sum_i P_ki (2^s_i - 1)."""
    gains = WEIGHTS["ndcg"](label)
    discounts = [discount(k) for k in range(len(label))]
    matrices = _logits(ranking, temperature)

    def gradient(scores: Sequence[N], /) -> Sequence[N]:
        slopes = []
        for matrix, fall in zip(matrices, discounts, strict=True):
            row = softmax(_times(matrix, scores))
            mean = total([x.scaled(gain) for x, gain in zip(row, gains, strict=True)])
            slopes.append(
                [(x * mean.shifted(-gain)).scaled(fall) for x, gain in zip(row, gains, strict=True)]
            )
        return _back(matrices, slopes)

    return gradient


def sorted_rows(label: Label, ranking: Prediction, temperature: Fraction) -> Gradient:
    """The gradient of the mean over k of the cross-entropy of P_k(s) and P_k(u); labels of zeros count 0."""
    share = whole(Fraction(bool(any(label)), len(label)))
    matrices = _logits(ranking, temperature)
    targets = grade_rows(label)

    def gradient(scores: Sequence[N], /) -> Sequence[N]:
        slopes = [
            [
                x.shifted(-wanted).scaled(share)
                for x, wanted in zip(softmax(_times(matrix, scores)), target, strict=True)
            ]
            for matrix, target in zip(matrices, targets, strict=True)
        ]
        return _back(matrices, slopes)

    return gradient


def grade_rows(label: Label) -> list[list[Written]]:
    """The smooth permutation matrix of the grades.

    Examples
    --------
    >>> [[round(float(x), 3) for x in row] for row in grade_rows((1, 0))]
    [[0.731, 0.269], [0.269, 0.731]]
    """
    m = len(label)
    found = []
    for k in range(1, m + 1):
        found.append(
            softmax([whole((m + 1 - 2 * k) * s - sum(abs(s - other) for other in label)) for s in label])
        )
    return found


def _logits(ranking: Prediction, temperature: Fraction) -> list[list[list[Written]]]:
    """For each k the slopes dL_kj/du_i, row by j."""
    m = len(ranking)
    own = [sum(_sign(ranking, j, i) for i in range(m)) for j in range(m)]
    return [
        [
            [
                whole((m + 1 - 2 * k - own[j] if i == j else _sign(ranking, j, i)) / temperature)
                for i in range(m)
            ]
            for j in range(m)
        ]
        for k in range(1, m + 1)
    ]


def _times(matrix: Sequence[Sequence[Written]], vector: Sequence[N]) -> list[N]:
    return [total([x.scaled(factor) for x, factor in zip(vector, row, strict=True)]) for row in matrix]


def _back(matrices: Sequence[Sequence[Sequence[Written]]], slopes: Sequence[Sequence[N]]) -> list[N]:
    """The gradient in u, from the slopes d_kj in L."""
    parts = [
        _times([list(column) for column in zip(*matrix, strict=True)], row)
        for matrix, row in zip(matrices, slopes, strict=True)
    ]
    return [total(column) for column in zip(*parts, strict=True)]


def _sign(ranking: Prediction, i: int, j: int) -> int:
    """1 if item i is above item j, -1 if below, 0 if it is the same."""
    return (ranking.index(i) < ranking.index(j)) - (ranking.index(i) > ranking.index(j))


# --- The gradient of the poly-1 softmax loss -------------------------------------------------------------
# Cross-entropy and a first polynomial term (Leng et al. 2022).


def poly_softmax(label: Label, ranking: Prediction, epsilon: Fraction) -> Gradient:
    """The gradient of - sum_i s_i log r_i + epsilon (1 - sum_i b_i r_i), r = softmax(u), b = s / sum s.

    It is (sum s) r_i - s_i - epsilon r_i (b_i - sum_j b_j r_j). The loss is convex in r, and r runs through
    the inside of the simplex: a zero of a mean of such gradients is the only minimizer, up to a shift.
    """
    shares = [whole(epsilon * grade / (sum(label) or 1)) for grade in label]
    heavy, grades = whole(sum(label)), [whole(-grade) for grade in label]

    def gradient(scores: Sequence[N], /) -> Sequence[N]:
        r = softmax(scores)
        mean = total([x.scaled(b) for x, b in zip(r, shares, strict=True)])
        return [
            (x * mean.shifted(heavy - b)).shifted(grade)
            for x, b, grade in zip(r, shares, grades, strict=True)
        ]

    return gradient


# --- Gradients of losses that count, smoothly, which items are above -------------------------------------
# sigma_ij = 1/(1 + exp((u_i - u_j)/T)).
#
# With q_ij = sigma_ij (1 - sigma_ij)/T, the slope of sigma_ij in u_j, every gradient here is
# g_i = sum_j q_ij a_ij for some a_ij = -a_ji. All q_ij vanish as scores move apart: training also comes to
# rest, ever more slowly, at infinity, in any order.


def _logarithmic(position: N) -> N:
    """The slope of 1/log2(1 + r), -log(2) / ((1 + r) log(1 + r)^2)."""
    log = position.log1p()
    return position.constant(-whole(2).log()) / (position.shifted(ONE) * log * log)


def _reciprocal(position: N) -> N:
    """The slope of 1/r."""
    return position.constant(-ONE) / (position * position)


def _falls(metric: str, position: N) -> N:
    return _logarithmic(position) if metric == "ndcg" else _reciprocal(position)


def smooth_metric(label: Label, ranking: Prediction, metric: str, temperature: Fraction) -> Gradient:
    """The gradient of -sum_i w_i D(r_i), r_i = 1 + sum_{j != i} sigma_ij.

    a_ij = w_i D'(r_i) - w_j D'(r_j).
    """
    items = range(len(label))
    rate = whole(1 / temperature)
    weights = [w * rate for w in WEIGHTS[metric](label)]

    def gradient(scores: Sequence[N], /) -> Sequence[N]:
        above = _above(scores, rate)
        positions = [total([above[i, j] for j in items if j != i]).shifted(ONE) for i in items]
        pulls = [_falls(metric, r).scaled(w) for r, w in zip(positions, weights, strict=True)]
        return [
            total([above[i, j] * above[j, i] * (pulls[i] - pulls[j]) for j in items if j != i]) for i in items
        ]

    return gradient


def soft_count(
    label: Label, ranking: Prediction, normalized: str, temperature: Fraction = Fraction(1)
) -> Gradient:
    """The gradient of the sum over s_i > s_j of sigma_ij: a_ij = sign(s_j - s_i)."""
    items = range(len(label))
    rate, pairs = whole(1 / temperature), sum(a > b for a in label for b in label) or 1
    share = 1 / temperature / (pairs if normalized == "pairs" else 1)
    signs = {(i, j): (label[i] < label[j]) - (label[i] > label[j]) for i, j in permutations(items, 2)}
    factors = {pair: whole(share * sign) for pair, sign in signs.items()}

    def gradient(scores: Sequence[N], /) -> Sequence[N]:
        above = _above(scores, rate)
        return [
            total([(above[i, j] * above[j, i]).scaled(factors[i, j]) for j in items if j != i]) for i in items
        ]

    return gradient


def _above(scores: Sequence[N], rate: Written) -> dict[tuple[int, int], N]:
    """sigma_ij = 1/(1 + exp((u_i - u_j)/T)), rate = 1/T: how much j counts as above i."""
    found = {}
    for i, j in combinations(range(len(scores)), 2):
        apart = (scores[i] - scores[j]).scaled(rate)
        one = apart.constant(ONE)
        found[i, j] = one / apart.exp().shifted(ONE)
        found[j, i] = one - found[i, j]
    return found


# --- Fixed losses that libraries ship, as fields ---------------------------------------------------------
# Those that are not convex, and one that no family holds.

_TF: Final = (
    "0.5.5.dev",
    "TensorFlow Ranking 0.5.5.dev (commit 5b1d1338c), tensorflow_ranking/python/losses_impl.py",
)
_RAX: Final = ("0.4.0", "Rax 0.4.0 (commit a0a3b334b), rax/_src/losses.py")
_ALLRANK: Final = ("1.4.3", "allRank 1.4.3 (commit c88475661), allrank/models/losses/approxNDCG.py")
_NOT_CONVEX: Final = (
    "it is the gradient of a fixed loss that is not convex: descent may stand still where the loss is not "
    "least"
)
_FADES: Final = f"{_NOT_CONVEX}; it also fades away as scores move apart"
_POSITIONS: Final = "r_i = 1 + sum over j != i of 1/(1 + exp((u_i - u_j)/T))"
_MATRIX: Final = "P_k = softmax((m + 1 - 2k) u_i - sum_j |u_i - u_j|)"
_HIGHEST: Final = 30


def _loss(
    name: str,
    source: tuple[str, str],
    formula: str,
    note: str,
    parameters: Mapping[str, str],
    gradient: Callable[..., Gradient],
) -> GradientField:
    def build(values: Mapping[str, Value]) -> Rule:
        exact = {key: Fraction(str(value)) for key, value in values.items()}

        def piece(label: Label, ranking: Prediction) -> SmoothPiece:
            with working_precision(PRECISION):
                return SmoothPiece(gradient(label, ranking, **exact))

        return piece

    version, citation = source
    defaults = MappingProxyType(dict(parameters))
    says = f"the gradient of {formula}"
    return GradientField(name, version, says, citation, note, _HIGHEST, defaults, build)


# fmt: off
LOSS_FIELDS: Final = (
    _loss("tf-ranking:pairwise_soft_zero_one_loss", _TF,
        "the sum over s_i > s_j of 1/(1 + exp((u_i - u_j)/T))",
        _FADES, {"temperature": "1"}, partial(soft_count, normalized="none")),
    _loss("tf-ranking:approx_ndcg_loss", _TF, f"- sum_i (2^s_i - 1)/Z / log2(1 + r_i), {_POSITIONS}",
        _FADES, {"temperature": "1/10"}, partial(smooth_metric, metric="ndcg")),
    _loss("tf-ranking:approx_mrr_loss", _TF, f"- sum_i (s_i / sum s) / r_i, {_POSITIONS}",
        _FADES, {"temperature": "1/10"}, partial(smooth_metric, metric="mrr")),
    _loss("tf-ranking:neural_sort_cross_entropy_loss", _TF,
        f"the mean over k of - sum_i P_ki(s) log P_ki(u/T), {_MATRIX}",
        _NOT_CONVEX, {"temperature": "1"}, sorted_rows),
    _loss("tf-ranking:neural_sort_ndcg_loss", _TF,
        f"- sum_k (1/log2(1 + k)) sum_i P_ki(u/T) (2^s_i - 1)/Z, {_MATRIX}",
        _FADES, {"temperature": "1"}, sorted_gains),
    _loss("rax:poly1_softmax_loss", _RAX,
        "- sum_i s_i log r_i + epsilon (1 - sum_i (s_i / sum s) r_i), r = softmax(u)",
        "it is the gradient of a fixed loss that is convex in the softmax, so that its mean vanishes only "
        "where that loss is least",
        {"epsilon": "1"}, poly_softmax),
    _loss("rax:pairwise_soft_zero_one_loss", _RAX, "the mean over s_i > s_j of 1/(1 + exp(u_i - u_j))",
        _FADES, {}, partial(soft_count, normalized="pairs")),
    _loss("allrank:approxNDCGLoss", _ALLRANK,
        "- sum_i (2^s_i - 1)/Z / log2(1 + r_i), r_i = 1 + sum over j != i of 1/(1 + exp(alpha (u_i - u_j)))",
        _FADES, {"alpha": "1"},
        lambda label, ranking, alpha: smooth_metric(label, ranking, "ndcg", 1 / alpha)),
)
# fmt: on
"""Losses by the names that their libraries use."""
