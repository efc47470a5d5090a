"""The gradients that ranking libraries follow: LambdaRank, XE-NDCG, and losses that are not convex."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations, product
from math import factorial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.tasks.written import (
    ONE,
    ZERO,
    Descent,
    Gradient,
    N,
    Piece,
    Written,
    softmax,
    total,
    whole,
)
from consistency_lab.model.tasks.task import PRECISION, Prediction
from consistency_lab.numbers.exact import working_precision

if TYPE_CHECKING:
    from consistency_lab.model.surrogates.tasks.written import Array


# --- What items are worth by position in the shipped metrics, exactly ------------------------------------


def discount(position: int) -> Written:
    """1/log2(2 + position), for positions from 0 on.

    Examples
    --------
    >>> round(float(discount(0)), 6), round(float(discount(1)), 6)
    (1.0, 0.63093)
    """
    return ONE if position == 0 else whole(2).log() / whole(position + 2).log()


def ideal(gains: Sequence[Fraction], top: int) -> Written:
    """The largest discounted sum of the gains in the first positions.

    Examples
    --------
    >>> float(ideal([Fraction(0), Fraction(3)], 2))
    3.0
    """
    best = sorted(gains, reverse=True)[:top]
    return total([whole(gain) * discount(k) for k, gain in enumerate(best)])


def _ndcg(label: Label) -> tuple[Written, ...]:
    gains = [Fraction(2**grade - 1) for grade in label]
    if not any(gains):
        return (ZERO,) * len(label)
    most = ideal(gains, len(gains))
    return tuple(whole(gain) / most for gain in gains)


def _reciprocal_rank(label: Label) -> tuple[Written, ...]:
    return tuple(whole(Fraction(grade, sum(label) or 1)) for grade in label)


WEIGHTS: Final[Mapping[str, Callable[[Label], tuple[Written, ...]]]] = MappingProxyType(
    {"ndcg": _ndcg, "mrr": _reciprocal_rank}
)
"""What weighs the discount of each item in the metrics of `relaxed.METRICS`."""


# --- Which pairs of a query are compared, and how often on average ---------------------------------------

PairRule = Callable[[Label, Prediction, int], Iterator[tuple[int, int, Fraction]]]
"""Positions k < l of the current ranking whose items have different grades, and how often they meet."""


def top_pairs(label: Label, ranking: Prediction, k: int) -> Iterator[tuple[int, int, Fraction]]:
    """Every pair with an item among the first k of the current ranking, once.

    Examples
    --------
    >>> [(i, j) for i, j, _ in top_pairs((2, 0, 1), (0, 1, 2), 1)]
    [(0, 1), (0, 2)]
    """
    for i, j in _different(label, ranking):
        if i < k:
            yield i, j, Fraction(1)


def sampled_pairs(label: Label, ranking: Prediction, n: int) -> Iterator[tuple[int, int, Fraction]]:
    """Every item draws n items of another grade, uniformly: the expected number of meetings of each pair.

    Examples
    --------
    >>> [(i, j, str(count)) for i, j, count in sampled_pairs((1, 0, 0), (0, 1, 2), 1)]
    [(0, 1, '3/2'), (0, 2, '3/2')]
    """
    alike = Counter(label)
    others = {grade: len(label) - count for grade, count in alike.items()}
    for i, j in _different(label, ranking):
        yield i, j, sum((Fraction(n, others[label[ranking[at]]]) for at in (i, j)), Fraction(0))


def _different(label: Label, ranking: Prediction) -> Iterator[tuple[int, int]]:
    for i, j in combinations(range(len(ranking)), 2):
        if label[ranking[i]] != label[ranking[j]]:
            yield i, j


# --- How much a metric changes when two items of the current ranking swap places -------------------------
# The weights of LambdaRank.


@frozen
class Setting:
    """What a weight may look at besides the label and the current ranking."""

    gain: Callable[[int], Fraction]  #: G of a grade.
    top: int  #: How many positions the ideal DCG counts.


Swap = Callable[[Label, Prediction, int, int, Setting], Written]
"""Weight of a pair at positions k < l of the ranking, at least 0."""


def no_metric(label: Label, ranking: Prediction, k: int, n: int, setting: Setting) -> Written:
    """All pairs weigh 1 (RankNet)."""
    return ONE


def ndcg_change(label: Label, ranking: Prediction, k: int, n: int, setting: Setting) -> Written:
    """|NDCG before - NDCG after| = |G_i - G_j| (1/log2(1+k) - 1/log2(1+l)) / ideal DCG (Burges 2010, §5).

    Examples
    --------
    >>> setting = Setting(lambda grade: Fraction(grade), 32)
    >>> weight = ndcg_change((1, 0), (1, 0), 0, 1, setting)
    >>> round(float(weight), 6)  # 1 - log(2)/log(3)
    0.36907
    """
    gains = [setting.gain(grade) for grade in label]
    gap = abs(gains[ranking[k]] - gains[ranking[n]])
    return whole(gap) * (discount(k) - discount(n)) / _ideal(tuple(gains), setting.top) if gap else ZERO


_ideal: Final = lru_cache(4096)(ideal)
"""Every pair of a label, in every order, asks for the same."""


def average_precision_change(label: Label, ranking: Prediction, k: int, n: int, setting: Setting) -> Written:
    """|AP before - AP after|, AP the mean over the relevant items of the precision at their positions.

    Examples
    --------
    >>> average_precision_change((0, 1, 1), (0, 1, 2), 0, 1, Setting(Fraction, 32)).origin
    Fraction(1, 4)
    """
    swapped = list(ranking)
    swapped[k], swapped[n] = ranking[n], ranking[k]
    return whole(abs(_average_precision(label, ranking) - _average_precision(label, swapped)))


def _average_precision(label: Label, ranking: Prediction | list[int]) -> Fraction:
    found, relevant = Fraction(0), 0
    for position, item in enumerate(ranking, start=1):
        relevant += label[item]
        found += Fraction(label[item] * relevant, position)
    return found / relevant


# --- LambdaRank and RankNet as libraries ship them: pair forces, weighted and normalized -----------------
# A pair with grades s_i > s_j and scores apart by d = u_i - u_j pulls i up and j down with the force
# ``w c / (1 + exp(c d))``, divided by ``|d| + 1/100`` if asked for; w is the weight of the pair in the
# current ranking. If asked for, all forces of the query are multiplied by ``log2(1 + S)/S``, S twice their
# sum.

OFFSET: Final = Fraction(1, 100)
"""What both libraries add to |d| before they divide by it."""

_TWO: Final = whole(2)


@frozen
class LambdaRule:
    """A pair rule, a weight and two normalizations."""

    #: Which pairs meet, and its parameter.
    pairs: PairRule
    number: int
    #: The weight of a pair in the current ranking.
    swap: Swap
    setting: Setting
    steepness: Fraction = Fraction(1)  #: The factor c of the score differences.
    by_score: bool = True  #: Whether a force is divided by |d| + 1/100.
    by_sum: bool = True  #: Whether the forces of a query are multiplied by log2(1 + S)/S.
    factor: Fraction = Fraction(1)  #: What all forces are multiplied with.

    def __call__(self, label: Label, ranking: Prediction) -> "LambdaPiece":
        forces: list[tuple[int, int, Written]] = []
        with working_precision(PRECISION):
            for k, n, count in self.pairs(label, ranking, self.number):
                weight = self.swap(label, ranking, k, n, self.setting).scaled(whole(self.factor * count))
                i, j = ranking[k], ranking[n]
                if weight.origin != 0:
                    forces.append((i, j, weight) if label[i] > label[j] else (j, i, weight))
        return LambdaPiece(self, tuple(forces), {item: place for place, item in enumerate(ranking)})


@frozen
class LambdaPiece(Piece):
    """The forces (item of higher grade, item of lower grade, weight) in one order of the scores."""

    rule: LambdaRule  #: What is done with them.
    forces: tuple[tuple[int, int, Written], ...]  #: One a pair, of positive weight.
    place: dict[int, int]  #: The position of each item.

    def floats(self, scores: "Array") -> "Array":
        return self.together([(1.0, self)])(scores)[0]

    def curvature(self, scores: "Array") -> "Array":
        return self.together([(1.0, self)])(scores)[1]

    @classmethod
    def together(cls, pieces: Sequence[tuple[float, Piece]]) -> Descent:
        """All forces at once.

        The slopes of pairs are c^2 / (2 + exp(c d) + exp(-c d)), with what scales their forces. XGBoost
        doubles them, which is the same as a shorter step.
        """
        import numpy as np

        mine = [(share, piece) for share, piece in pieces if isinstance(piece, LambdaPiece) and piece.forces]
        if not mine:
            return lambda scores: (np.zeros_like(scores), np.zeros_like(scores))
        rule = mine[0][1].rule
        higher, lower, weights = map(
            np.array, zip(*(force for _, p in mine for force in p.forces), strict=True)
        )
        weights, c = weights.astype(float), float(rule.steepness)
        of = np.repeat(np.arange(len(mine)), [len(piece.forces) for _, piece in mine])
        scale, belongs = np.array([share for share, _ in mine])[of], of[:, None] == np.arange(len(mine))

        def step(scores: "Array") -> tuple["Array", "Array"]:
            flat = scores.reshape(-1, scores.shape[-1])
            gap = flat[:, higher] - flat[:, lower]
            share = 1 / (1 + np.exp(np.minimum(c * gap, 700.0)))
            pull = weights * c * share
            if rule.by_score:  # The libraries leave it out while all scores are equal.
                spread = flat.max(axis=1) != flat.min(axis=1)
                pull = np.where(spread[:, None], pull / (np.abs(gap) + float(OFFSET)), pull)
            scaled = pull * scale
            if rule.by_sum:
                total = 2 * pull @ belongs
                safe = np.where(total > 0, total, 1.0)
                scaled *= np.where(total > 0, np.log1p(safe) / np.log(2) / safe, 1.0)[:, of]
            ends = np.eye(scores.shape[-1])
            gradient = scaled @ (ends[lower] - ends[higher])
            slopes = (c * (1 - share) * scaled) @ (ends[lower] + ends[higher])
            return gradient.reshape(scores.shape), slopes.reshape(scores.shape)

        return step

    def entries(self, scores: Sequence[N]) -> tuple[N, ...]:
        zero = scores[0].constant(ZERO)
        found = [zero] * len(scores)
        total = zero
        for i, j, weight in self.forces:
            pull = self._pull(scores[i] - scores[j], self.place[i] < self.place[j]).scaled(weight)
            found[i] = found[i] - pull
            found[j] = found[j] + pull
            total = total + pull.scaled(_TWO)
        if self.rule.by_sum and self.forces:
            share = total.log1p().scaled(ONE / _TWO.log()) / total
            found = [share * entry for entry in found]
        return tuple(found)

    def _pull(self, gap: N, above: bool) -> N:
        """c / (1 + exp(c d)), perhaps divided by |d| + 1/100; |d| is smooth inside an order."""
        c = whole(self.rule.steepness)
        pull = gap.constant(c) / gap.scaled(c).exp().shifted(ONE)
        if not self.rule.by_score:
            return pull
        return pull / (gap if above else -gap).shifted(whole(OFFSET))


# --- XE-NDCG as LightGBM ships it ------------------------------------------------------------------------
# Three terms of a Newton step on a listwise cross-entropy with random targets.
#
# Each step draws a uniform gamma_i in [0, 1) for every item and aims at the shares
# ``x_i / sum_j x_j`` of ``x_i = 2^grade_i - gamma_i`` (Bruch 2021). The gradient is affine in these shares,
# so its expectation is the gradient at the expected shares, and those are an exact sum of logarithms.

_PRECISION: Final = 1024
"""Bits for the expected shares: their sum over corners cancels most digits of large grades."""


def expected_gradient(label: Label, ranking: Prediction) -> "SharePiece":
    """The expected gradient of rank_xendcg over its random numbers; the same in every order."""
    return SharePiece(expected_shares(label))


@frozen
class SharePiece(Piece):
    """The gradient that aims at given shares."""

    shares: tuple[Written, ...]

    def floats(self, scores: "Array") -> "Array":
        import numpy as np

        rho = _softmax(scores)
        term = rho - np.array([float(share) for share in self.shares])
        found: Array = term.copy()
        for _ in range(2):
            term = term / (1 - rho)
            term = rho * (term.sum(axis=-1, keepdims=True) - term)
            found += term
        return found

    def curvature(self, scores: "Array") -> "Array":
        """r (1 - r), r = softmax(u)."""
        rho = _softmax(scores)
        return rho * (1 - rho)

    def entries(self, scores: Sequence[N]) -> tuple[N, ...]:
        one = scores[0].constant(ONE)
        rho = softmax(scores)
        term = [entry.shifted(-share) for entry, share in zip(rho, self.shares, strict=True)]
        found = term
        for _ in range(2):
            term = [entry / (one - part) for entry, part in zip(term, rho, strict=True)]
            rest = total(term)
            term = [part * (rest - entry) for entry, part in zip(term, rho, strict=True)]
            found = [before + entry for before, entry in zip(found, term, strict=True)]
        return tuple(found)


def expected_shares(label: Label) -> tuple[Written, ...]:
    """E[x_i / sum_j x_j] for independent x_i uniform between 2^grade_i - 1 and 2^grade_i.

    The k-fold antiderivative of 1/S is D_k(S) = S^(k-1)/(k-1)! (log S - 1 - 1/2 - ... - 1/(k-1)), and
    x_i D_m(S) - D_(m+1)(S) has the mixed derivative x_i/S in all m variables: the integral over the box is
    its alternating sum over the corners. There x_i S^(m-1)/(m-1)! and S^m/m! both sum to 1, so that

        E x_i/S = 1/m + sum over corners of +-S^(m-1) log(S) (m x_i - S)/m!;

    corners of one sum S share its logarithm.

    Examples
    --------
    >>> [round(float(share), 6) for share in expected_shares((0, 0))]
    [0.5, 0.5]
    """
    m = len(label)
    factors: dict[int, list[int]] = {}
    for low in product((False, True), repeat=m):
        corner = [2**grade - down for grade, down in zip(label, low, strict=True)]
        s = sum(corner)
        if s:
            sums = factors.setdefault(s, [0] * m)
            power = (-1) ** sum(low) * s ** (m - 1)
            factors[s] = [before + power * (m * x - s) for before, x in zip(sums, corner, strict=True)]
    with working_precision(_PRECISION):
        logs = {s: whole(s).log() for s in factors}
        parts = ([_share(sums[i], m) * logs[s] for s, sums in factors.items()] for i in range(m))
        return tuple(total([whole(Fraction(1, m)), *part]) for part in parts)


def _share(factor: int, m: int) -> Written:
    return whole(Fraction(factor, factorial(m)))


def _softmax(scores: "Array") -> "Array":
    import numpy as np

    power = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(power / power.sum(axis=-1, keepdims=True))


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
