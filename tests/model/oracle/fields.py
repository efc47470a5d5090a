"""Gradient fields of ranking libraries, with their slopes written out, and a proof that a field vanishes.

A field is something with ``pull(label, ranking, scores)``: the gradient of a label and its Jacobian,
where `ranking` sorts the scores for certain.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import factorial
from typing import Any, Final, Protocol

from flint import arb, arb_mat, ctx

from .numbers import Number, ball
from .surrogates import SMOOTH
from .targets import Label

Vector = list[arb]
Matrix = list[list[arb]]
Pull = tuple[Vector, Matrix]
"""A gradient and its Jacobian."""


class Field(Protocol):
    """What makes a gradient of a label, a strict ranking and scores that it sorts."""

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[arb]) -> Pull:
        """The gradient and its Jacobian, enclosed."""


# --- Pair forces, as XGBoost and LightGBM compute them ---------------------------------------------------
# Grades s_i > s_j at distance d = u_i - u_j have the force f = w c q / D with q = 1/(1 + exp(c d)) and
# D = |d| + 1/100, or 1. Its slope in d is -f (c (1 - q) + sign(d)/D), the last term only if D is not 1.

Weight = Callable[["PairField", Label, Sequence[int], int, int], Number]
"""The weight of the items at two positions of the ranking, which have different grades."""

_OFFSET: Final = Fraction(1, 100)


@dataclass(frozen=True)
class PairField:
    """LambdaRank or RankNet with its normalizations.

    Parameters
    ----------
    weight
        What a pair weighs in the current ranking.
    gain
        G of a grade.
    depth
        Pairs with an item among so many first positions count; None if every item draws its partners.
    ideal
        How many positions the ideal DCG counts.
    steepness
        The factor c.
    by_score, by_sum
        Whether D is |d| + 1/100; whether the query is multiplied by log2(1 + S)/S, S twice its forces.
    factor
        What multiplies all forces.
    """

    weight: Weight
    gain: Callable[[int], Fraction]
    depth: int | None
    ideal: int
    steepness: Fraction
    by_score: bool
    by_sum: bool
    factor: Fraction

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[arb]) -> Pull:
        """The gradient of a label and its Jacobian, where `ranking` sorts the scores for certain."""
        m = len(ranking)
        value = [arb(0)] * m
        slopes = [[arb(0)] * m for _ in range(m)]
        pairs, whole, rise = 0, arb(0), [arb(0)] * m
        for k in range(m):
            for n in range(k + 1, m):
                weight = self._weight(label, ranking, k, n)
                if weight == 0:
                    continue
                pairs += 1
                upper, lower = ranking[k], ranking[n]
                i, j = (upper, lower) if label[upper] > label[lower] else (lower, upper)
                force, slope = self._force(scores[i] - scores[j], 1 if i == upper else -1)
                force, slope = ball(weight) * force, ball(weight) * slope
                value[i], value[j] = value[i] - force, value[j] + force
                for a, b, sign in ((i, i, -1), (i, j, 1), (j, i, 1), (j, j, -1)):
                    slopes[a][b] = slopes[a][b] + sign * slope
                whole = whole + 2 * force
                rise[i], rise[j] = rise[i] + 2 * slope, rise[j] - 2 * slope
        if not self.by_sum or not pairs:
            return value, slopes
        share = whole.log1p() / arb(2).log() / whole
        change = (1 / (1 + whole) / arb(2).log() - share) / whole
        scaled = [[share * slopes[a][b] + value[a] * change * rise[b] for b in range(m)] for a in range(m)]
        return [share * entry for entry in value], scaled

    def _weight(self, label: Label, ranking: Sequence[int], k: int, n: int) -> Number:
        """The weight of a pair times how often it meets; 0 if it never does."""
        grades = [label[ranking[at]] for at in (k, n)]
        if grades[0] == grades[1] or (self.depth is not None and k >= self.depth):
            return Fraction(0)
        weight = self.weight(self, label, ranking, k, n)
        often = self.factor
        if self.depth is None:  # An item draws its partner among those of other grades.
            often *= sum(Fraction(1, len(label) - label.count(grade)) for grade in grades)
        return weight * often if isinstance(weight, Fraction) else weight * ball(often)

    def _force(self, distance: arb, sign: int) -> tuple[arb, arb]:
        c = ball(self.steepness)
        q = 1 / (1 + (c * distance).exp())
        if not self.by_score:
            return c * q, -c * c * q * (1 - q)
        wide = sign * distance + ball(_OFFSET)
        force = c * q / wide
        return force, -force * (c * (1 - q) + sign / wide)


def one(field: PairField, label: Label, ranking: Sequence[int], k: int, n: int) -> Fraction:
    """Every pair weighs the same."""
    return Fraction(1)


def ndcg(field: PairField, label: Label, ranking: Sequence[int], k: int, n: int) -> Number:
    """How much NDCG changes if the items at positions k < n swap places."""
    apart = abs(field.gain(label[ranking[k]]) - field.gain(label[ranking[n]]))
    if not apart:
        return apart
    best = arb(0)
    for position, grade in enumerate(sorted(label, reverse=True)[: field.ideal]):
        best = best + ball(field.gain(grade)) / arb(position + 2).log()
    return ball(apart) * (1 / arb(k + 2).log() - 1 / arb(n + 2).log()) / best


def average_precision(field: PairField, label: Label, ranking: Sequence[int], k: int, n: int) -> Fraction:
    """How much the average precision changes if items at positions k < n, one of them relevant, swap places.

    The relevant item moves between the positions; those between gain or lose one above them.
    """
    hits = [label[item] for item in ranking]
    above, within = sum(hits[:k]), sum(hits[: n + 1])
    between = sum((Fraction(hits[at], at + 1) for at in range(k + 1, n)), Fraction(0))
    return abs(Fraction(above + 1, k + 1) + between - Fraction(within, n + 1)) / sum(hits)


# --- LightGBM's rank_xendcg ------------------------------------------------------------------------------
# LightGBM's rank_xendcg in expectation over its random numbers, with its slopes written out.
#
# With r = softmax(u) and the expected shares x of the label it is t + A t + A A t, t = r - x, where
# (A t)_i = r_i (h_1 + ... + h_m - h_i) and h_i = t_i/(1 - r_i): everything is affine in x.


@dataclass(frozen=True)
class ShareField:
    """The field that draws softmax(u) to the expected shares."""

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[arb]) -> Pull:
        """The gradient of a label and its Jacobian; the ranking does not matter."""
        m = len(scores)
        powers = [score.exp() for score in scores]
        whole = _sum(powers)
        r = [power / whole for power in powers]
        dr = [[r[i] * ((i == j) - r[j]) for j in range(m)] for i in range(m)]
        t = [r[i] - share for i, share in enumerate(expected_shares(label))]
        value, slopes, dt = t, dr, dr
        for _ in range(2):
            h = [t[i] / (1 - r[i]) for i in range(m)]
            dh = [[(dt[i][j] + h[i] * dr[i][j]) / (1 - r[i]) for j in range(m)] for i in range(m)]
            rest, drest = _sum(h), [_sum([row[j] for row in dh]) for j in range(m)]
            t = [r[i] * (rest - h[i]) for i in range(m)]
            dt = [
                [dr[i][j] * (rest - h[i]) + r[i] * (drest[j] - dh[i][j]) for j in range(m)] for i in range(m)
            ]
            value = [value[i] + t[i] for i in range(m)]
            slopes = [[slopes[i][j] + dt[i][j] for j in range(m)] for i in range(m)]
        return value, slopes


def _sum(balls: Sequence[arb]) -> arb:
    found = arb(0)
    for entry in balls:
        found = found + entry
    return found


def expected_shares(label: Label) -> list[arb]:
    """E[x_i / sum_j x_j], x_i uniform between 2^grade - 1 and 2^grade.

    It is 1/m plus the alternating sum over the corners c of the box, S their total, of
    S^(m-1) log(S) (c_i/(m-1)! - S/m!).
    """
    m = len(label)
    ctx.prec = 1024  # large grades cancel most digits
    found = [1 / arb(m)] * m
    for down in product((0, 1), repeat=m):
        corner = [2**grade - step for grade, step in zip(label, down, strict=True)]
        whole = sum(corner)
        if not whole:
            continue
        size = (-1) ** sum(down) * arb(whole ** (m - 1)) * arb(whole).log()
        found = [
            share + size * ball(Fraction(c, factorial(m - 1)) - Fraction(whole, factorial(m)))
            for share, c in zip(found, corner, strict=True)
        ]
    return found


# --- Fixed losses ----------------------------------------------------------------------------------------
# Fixed losses as fields, with their first and second derivatives written out.
#
# sigma = 1/(1 + exp(-x)) has the slopes sigma (1 - sigma) and sigma (1 - sigma)(1 - 2 sigma).

Curve = Callable[[arb], tuple[arb, arb]]
"""The first two derivatives of a discount."""


def _logarithmic(r: arb) -> tuple[arb, arb]:
    """Of log(2)/log(1 + r)."""
    log, base = (1 + r).log(), 1 + r
    return -arb(2).log() / (base * log**2), arb(2).log() * (log + 2) / (base**2 * log**3)


def _reciprocal(r: arb) -> tuple[arb, arb]:
    """Of 1/r."""
    return -1 / r**2, 2 / r**3


@dataclass(frozen=True)
class PositionField:
    """The gradient of -sum_i w_i D(r_i), r_i = 1 + sum over j != i of sigma(c (u_j - u_i)).

    Parameters
    ----------
    weights
        w of a label.
    curve
        The derivatives of D.
    c
        The steepness.
    """

    weights: str
    curve: Curve
    c: Fraction

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[arb]) -> Pull:
        """The gradient and its Jacobian; the ranking does not matter."""
        m, c = len(scores), ball(self.c)
        value, slopes = _zeros(m)
        for i, weight in enumerate(map(ball, SMOOTH[self.weights](label))):
            position, first = arb(1), [arb(0)] * m
            second = [[arb(0)] * m for _ in range(m)]
            for j in range(m):
                if j != i:
                    level, rise, bend = _sigmoid(c * (scores[j] - scores[i]))
                    position = position + level
                    first[j], first[i] = first[j] + c * rise, first[i] - c * rise
                    _spread(second, j, i, c * c * bend)
            down, curved = self.curve(position)
            for k in range(m):
                value[k] = value[k] - weight * down * first[k]
                for n in range(m):
                    change = curved * first[k] * first[n] + down * second[k][n]
                    slopes[k][n] = slopes[k][n] - weight * change
        return value, slopes


@dataclass(frozen=True)
class CountField:
    """The gradient of the sum, or the mean, over y_i > y_j of sigma(c (u_j - u_i))."""

    c: Fraction
    mean: bool

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[arb]) -> Pull:
        """The gradient and its Jacobian; the ranking does not matter."""
        m = len(scores)
        value, slopes = _zeros(m)
        pairs = [(i, j) for i in range(m) for j in range(m) if label[i] > label[j]]
        share = ball(Fraction(1, len(pairs)) if self.mean and pairs else Fraction(1))
        c = ball(self.c)
        for i, j in pairs:
            _, rise, bend = _sigmoid(c * (scores[j] - scores[i]))
            value[j], value[i] = value[j] + share * c * rise, value[i] - share * c * rise
            _spread(slopes, j, i, share * c * c * bend)
        return value, slopes


@dataclass(frozen=True)
class PolyField:
    """The gradient of -sum_i y_i log r_i - epsilon sum_i (y_i / sum y) r_i, r = softmax(u)."""

    epsilon: Fraction

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[arb]) -> Pull:
        """The gradient and its Jacobian; the ranking does not matter."""
        m, whole = len(scores), sum(label)
        powers = [score.exp() for score in scores]
        r = [power / sum(powers[1:], powers[0]) for power in powers]
        dr = [[r[i] * ((i == j) - r[j]) for j in range(m)] for i in range(m)]
        b = [ball(self.epsilon * grade / (whole or 1)) for grade in label]
        mean = sum((x * y for x, y in zip(b, r, strict=True)), arb(0))
        above = [x - mean for x in b]
        value = [whole * r[i] - label[i] - r[i] * above[i] for i in range(m)]
        slopes = [
            [dr[i][j] * (whole - above[i]) + r[i] * r[j] * above[j] for j in range(m)] for i in range(m)
        ]
        return value, slopes


def _zeros(m: int) -> Pull:
    return [arb(0)] * m, [[arb(0)] * m for _ in range(m)]


def _sigmoid(x: arb) -> tuple[arb, arb, arb]:
    """sigma and its first two derivatives."""
    level = 1 / (1 + (-x).exp())
    rise = level / (1 + x.exp())
    return level, rise, rise * (1 - 2 * level)


def _spread(matrix: list[list[arb]], i: int, j: int, bend: arb) -> None:
    """Add the second derivatives of f(u_i - u_j)."""
    for a, b, sign in ((i, i, 1), (i, j, -1), (j, i, -1), (j, j, 1)):
        matrix[a][b] = matrix[a][b] + sign * bend


# --- Losses of NeuralSort's matrix -----------------------------------------------------------------------
# Losses of NeuralSort's matrix as fields, inside one order of the scores.
#
# Row k of the matrix is the softmax over i of c ((m + 1 - 2k) u_i - sum_j |u_i - u_j|). In the order of a
# ranking sum_j |u_i - u_j| = sum_j s_j (u_i - u_j) with s_j = 1 for the items below i and -1 for those above,
# so that the logits of a row are M u with a constant matrix M. A loss f of the logits has the gradient M^T f'
# and the Jacobian M^T f'' M in u.


@dataclass(frozen=True)
class RowField:
    """The gradient of the mean over rows of the cross-entropy of the matrices of grades and of scores."""

    c: Fraction

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[arb]) -> Pull:
        """The gradient and its Jacobian; a label of zeros has none."""
        m = len(scores)
        parts = []
        if any(label):
            grades = [arb(grade) for grade in label]
            order = sorted(range(m), key=lambda item: -label[item])
            for k in range(m):
                wanted = _softmax(_times(_logits(order, k, Fraction(1)), grades))
                matrix = _logits(ranking, k, self.c)
                p = _softmax(_times(matrix, scores))
                first = [(p[i] - wanted[i]) / m for i in range(m)]
                parts.append((matrix, first, [[x / m for x in row] for row in _softmax_slopes(p)]))
        return _added(parts, m)


@dataclass(frozen=True)
class SortingField:
    """The gradient of -sum_k D_k sum_i P_ki w_i, w the gains over Z, D_k = 1/log2(1 + k)."""

    c: Fraction

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[arb]) -> Pull:
        """The gradient and its Jacobian."""
        m = len(scores)
        w = [ball(x) for x in SMOOTH["ndcg"](label)]
        parts = []
        for k in range(m):
            discount = arb(2).log() / arb(k + 2).log()
            matrix = _logits(ranking, k, self.c)
            p = _softmax(_times(matrix, scores))
            dp = _softmax_slopes(p)
            mean = sum((x * y for x, y in zip(p, w, strict=True)), arb(0))
            first = [-discount * p[i] * (w[i] - mean) for i in range(m)]
            second = [
                [-discount * (dp[i][j] * (w[i] - mean) - p[i] * p[j] * (w[j] - mean)) for j in range(m)]
                for i in range(m)
            ]
            parts.append((matrix, first, second))
        return _added(parts, m)


def _logits(ranking: Sequence[int], k: int, c: Fraction) -> Matrix:
    """The matrix M of row k, counted from 0; equal neighbors may stand in any order."""
    m = len(ranking)
    place = {item: n for n, item in enumerate(ranking)}
    found = []
    for i in range(m):
        signs = [(place[j] > place[i]) - (place[j] < place[i]) for j in range(m)]
        row = [c * sign for sign in signs]
        row[i] = c * (m - 1 - 2 * k - sum(signs))
        found.append([ball(x) for x in row])
    return found


def _times(matrix: Matrix, vector: Sequence[arb]) -> Vector:
    return [sum((a * x for a, x in zip(row, vector, strict=True)), arb(0)) for row in matrix]


def _softmax(logits: Vector) -> Vector:
    powers = [x.exp() for x in logits]
    whole = sum(powers, arb(0))
    return [power / whole for power in powers]


def _softmax_slopes(p: Vector) -> Matrix:
    """The Jacobian of the softmax."""
    return [[x * ((i == j) - y) for j, y in enumerate(p)] for i, x in enumerate(p)]


def _added(parts: Sequence[tuple[Matrix, Vector, Matrix]], m: int) -> Pull:
    """The sums of M^T f' and of M^T f'' M."""
    value, slopes = [arb(0)] * m, [[arb(0)] * m for _ in range(m)]
    items = range(m)
    for matrix, first, second in parts:
        for a in items:
            value[a] = value[a] + sum((matrix[i][a] * first[i] for i in items), arb(0))
            carried = [sum((matrix[i][a] * second[i][j] for i in items), arb(0)) for j in items]
            for b in items:
                slopes[a][b] = slopes[a][b] + sum((carried[j] * matrix[j][b] for j in items), arb(0))
    return value, slopes


# --- Fields by library and objective ---------------------------------------------------------------------


def _power(grade: int) -> Fraction:
    return Fraction(2**grade - 1)


def _xgboost(weight: Weight) -> Callable[[Mapping[str, Any]], Field]:
    def made(entry: Mapping[str, Any]) -> Field:
        sampled = entry["lambdarank_pair_method"] == "mean"
        number, normalized = entry["lambdarank_num_pair_per_sample"], entry["lambdarank_normalization"]
        return PairField(
            weight=weight,
            gain=_power if entry.get("ndcg_exp_gain", True) else Fraction,
            depth=None if sampled else number,
            ideal=2**31 if sampled else number,
            steepness=Fraction(1),
            by_score=entry["lambdarank_score_normalization"],
            by_sum=normalized and not sampled,
            # Each item draws `number` partners; the normalization divides by that number.
            factor=Fraction(number) if sampled and not normalized else Fraction(1),
        )

    return made


def _lambdarank(entry: Mapping[str, Any]) -> Field:
    gains = [Fraction(gain) for gain in entry["label_gain"]]
    depth, normalized = entry["lambdarank_truncation_level"], entry["lambdarank_norm"]
    return PairField(
        weight=ndcg,
        gain=gains.__getitem__ if gains else _power,
        depth=depth,
        ideal=depth,
        steepness=Fraction(entry["sigmoid"]),
        by_score=normalized,
        by_sum=normalized,
        factor=Fraction(1),
    )


def _lambdamart(entry: Mapping[str, Any]) -> Field:
    everywhere, norm = 2**31, entry["norm"]
    sigma = Fraction(entry["sigma"])
    return PairField(ndcg, Fraction, everywhere, everywhere, sigma, norm, norm, Fraction(1))


def _inverse(entry: Mapping[str, Any]) -> Fraction:
    return 1 / Fraction(entry["temperature"])


FIELDS: Final[Mapping[str, Callable[[Mapping[str, Any]], Field]]] = {
    "xgboost:rank:pairwise": _xgboost(one),
    "xgboost:rank:ndcg": _xgboost(ndcg),
    "xgboost:rank:map": _xgboost(average_precision),
    "lightgbm:lambdarank": _lambdarank,
    "lightgbm:rank_xendcg": lambda entry: ShareField(),
    "catboost:LambdaMart": _lambdamart,
    "tf-ranking:pairwise_soft_zero_one_loss": lambda entry: CountField(_inverse(entry), False),
    "tf-ranking:approx_ndcg_loss": lambda entry: PositionField("ndcg", _logarithmic, _inverse(entry)),
    "tf-ranking:approx_mrr_loss": lambda entry: PositionField("mrr", _reciprocal, _inverse(entry)),
    "tf-ranking:neural_sort_cross_entropy_loss": lambda entry: RowField(_inverse(entry)),
    "tf-ranking:neural_sort_ndcg_loss": lambda entry: SortingField(_inverse(entry)),
    "rax:poly1_softmax_loss": lambda entry: PolyField(Fraction(entry["epsilon"])),
    "rax:pairwise_soft_zero_one_loss": lambda entry: CountField(Fraction(1), True),
    "allrank:approxNDCGLoss": lambda entry: PositionField("ndcg", _logarithmic, Fraction(entry["alpha"])),
}
"""Fields by name, from the entry of a file; the parameters are those of the libraries (docs/fields.md)."""

Box = Sequence[tuple[Fraction, Fraction]]
"""An interval for each score but the last, which is 0; inside one strict order."""


def vanishes(entry: Mapping[str, Any], p: Sequence[tuple[Label, Fraction]], box: Box) -> tuple[bool, bool]:
    """Whether sum_y p_y g(y, u) certainly has a zero in the box, and whether the zero attracts.

    The interval Newton step: let J enclose the slopes of F on the box X with center c, and let every solution
    of A v = F(c) with a matrix A of J have c - v in X. Then F has a zero in X (Brouwer). It attracts if the
    symmetric part of the slopes is positive definite on all of X (Sylvester).
    """
    ctx.prec = 192
    n, field = len(box), FIELDS[entry["name"]](entry)
    lower = [*(low for low, _ in box), Fraction(0)]
    ranking = sorted(range(n + 1), key=lambda item: -lower[item])

    def mean(free: Sequence[arb]) -> Pull:
        value, slopes = [arb(0)] * n, [[arb(0)] * n for _ in range(n)]
        for label, weight in p:
            gradient, jacobian = field.pull(label, ranking, [*free, arb(0)])
            for i in range(n):
                value[i] = value[i] + ball(weight) * gradient[i]
                for j in range(n):
                    slopes[i][j] = slopes[i][j] + ball(weight) * jacobian[i][j]
        return value, slopes

    center = [ball((low + high) / 2) for low, high in box]
    _, slopes = mean([ball(low).union(ball(high)) for low, high in box])
    try:
        step = arb_mat(slopes).solve(arb_mat([[entry] for entry in mean(center)[0]]))
    except ZeroDivisionError:
        return False, False
    inside = [ball(low) <= center[i] - step[i, 0] <= ball(high) for i, (low, high) in enumerate(box)]
    part = [[(slopes[i][j] + slopes[j][i]) / 2 for j in range(n)] for i in range(n)]
    minors = [arb_mat([row[:k] for row in part[:k]]).det() for k in range(1, n + 1)]
    return all(inside), all(minor > 0 for minor in minors)
