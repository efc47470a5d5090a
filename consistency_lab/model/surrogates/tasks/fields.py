"""Gradient fields: what shipped ranking objectives really do, where that is not descent on a convex loss.

A rule says for a label, where `ranking` sorts the scores u, the gradient of each item and what the library
divides it by (gradient boosting takes the step -G/H). Losses that are not convex are written as losses, and
their slopes are worked out.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import combinations, product
from math import factorial
from operator import mul
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from consistency_lab.core.equilibrium import DIFFERENCE, Program, Step
from consistency_lab.errors import InputError, did_you_mean
from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.labels import Grades, Label
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.numbers.exact import rational, rational_text
from consistency_lab.numbers.expression import Expression
from consistency_lab.numbers.tape import (
    ALONE,
    Number,
    Real,
    at,
    exp,
    in_floats,
    log,
    log_softmax,
    slopes,
    softmax,
    total,
    walked,
)

if TYPE_CHECKING:
    from consistency_lab.numbers.arrays import Floats

Value = bool | int | str | tuple[str, ...]
"""A value as JSON has it; rationals are texts."""

Scores = Sequence[Real]
FieldValue = tuple[Sequence[Real], Sequence[Real] | None]
"""A gradient, and what the library divides it by: None where it just descends."""

FieldRule = Callable[[Label, Prediction, Scores, Mapping[str, Value]], FieldValue]
MeanGradient = Callable[["Floats"], tuple["Floats", "Floats"]]
"""From scores of shape (..., m) to a mean gradient, and the mean of its divisor (see `FieldValue`)."""

_EVERYWHERE: Final = 2**31
"""More positions than any ranking has."""

# --- The parameters of shipped objectives: their names, their defaults, and what a value may be ----------


def _count(value: object) -> Value | None:
    return value if type(value) is int and 1 <= value < _EVERYWHERE else None


def _positive(value: object) -> Value | None:
    number = _rational(value)
    return rational_text(number) if number > 0 else None


def _gains(value: object) -> Value | None:
    gains = [_rational(x) for x in value] if isinstance(value, list | tuple) else [Fraction(-1)]
    rising = gains == sorted(gains) and min(gains, default=0) >= 0 and len(gains) != 1
    return tuple(map(rational_text, gains)) if rising else None


def _rational(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | str | Fraction):
        raise InputError("no rational")
    return rational(value)


_BOOLEAN: Final = (True, "true or false", lambda value: value if isinstance(value, bool) else None)
_METHODS: Final = ("topk", "mean")
_RATIONAL: Final = ("1", "a positive rational", _positive)
PARAMETERS: Final[Mapping[str, tuple[Value, str, Callable[[object], Value | None]]]] = MappingProxyType(
    {
        "lambdarank_pair_method": ("topk", "'topk' or 'mean'", lambda x: x if x in _METHODS else None),
        **dict.fromkeys(("lambdarank_normalization", "lambdarank_score_normalization"), _BOOLEAN),
        **dict.fromkeys(("ndcg_exp_gain", "lambdarank_norm", "norm"), _BOOLEAN),
        **dict.fromkeys(("sigmoid", "temperature", "alpha", "epsilon", "sigma"), _RATIONAL),
        "lambdarank_num_pair_per_sample": (32, "a positive integer", _count),
        "lambdarank_truncation_level": (30, "a positive integer", _count),
        "label_gain": ((), "empty, or two or more rationals from 0 on that do not fall", _gains),
    }
)
"""The default, what is right, and the value in its one spelling, by the names that libraries use."""


def read_parameter(name: str, value: object) -> Value:
    """The value of a parameter in its one spelling, as "2" for "4/2"."""
    _, wanted, read = PARAMETERS[name]
    with suppress(InputError):
        if (known := read(value)) is not None:
            return known
    raise InputError(f"{name} is {str(value)[:60]!r}; it must be {wanted}")


# --- Gradient fields: the updates that a library really makes --------------------------------------------


@frozen_with_cache
class Piece:
    """The field of one label where the scores have one strict order; smooth there."""

    rule: FieldRule
    label: Label
    ranking: Prediction
    values: tuple[tuple[str, Value], ...]  #: The parameters; with "even" all scores are equal.

    def at(self, scores: Scores) -> FieldValue:
        """The gradient, and what it is divided by, at scores of this order."""
        return self.rule(self.label, self.ranking, scores, dict(self.values))

    def program(self, m: int) -> Program:
        """The gradient in all scores but the last, which is minus their sum, as the core reads it."""
        return program(self.at(differences(m))[0][:-1])

    @staticmethod
    def together(pieces: "Sequence[tuple[float, Piece]]") -> MeanGradient:
        """The mean of pieces with these shares, and what the library divides an item's mean gradient by."""
        # Gradient boosting takes the step -G/H, H the sum of second derivatives as the objective states them;
        # libraries that descend along the gradient divide by nothing. No zero depends on it.
        shares, m = tuple(pieces), len(pieces[0][1].label)

        def descent(scores: "Floats") -> tuple["Floats", "Floats"]:
            flat = scores.reshape(-1, m)
            both = _mean(shares)(flat)
            equal = flat.max(axis=1) == flat.min(axis=1)
            if equal.any():
                both[:, equal] = _mean(shares, even=True)(flat[equal])
            return both[:m].T.reshape(scores.shape), both[m:].T.reshape(scores.shape)

        return descent


@lru_cache(maxsize=1024)
def _mean(pieces: tuple[tuple[float, Piece], ...], *, even: bool = False) -> "Callable[[Floats], Floats]":
    m = len(pieces[0][1].label)
    mean: list[Real] = [Fraction(0)] * (2 * m)
    for share, piece in pieces:
        case = replace(piece, values=(*piece.values, ("even", True))) if even else piece
        gradient, divisor = case.at([Number((i, ALONE)) for i in range(m)])
        both = [*gradient, *(divisor or [Fraction(1)] * m)]
        mean = [before + Fraction(share) * x for before, x in zip(mean, both, strict=True)]
    return in_floats(mean, m)


def differences(m: int) -> Scores:
    """The scores of m items, as their differences from the last, which is 0."""
    return [*(Number((i, m - 1)) for i in range(m - 1)), Fraction(0)]


def program(entries: Sequence[Real]) -> Program:
    """The steps that make these numbers, each step once, and only those that are needed."""
    steps: dict[Step, int] = {}

    def place(*step: object) -> int:
        return steps.setdefault(step[0] if len(step) == 1 else step, len(steps))  # type: ignore[arg-type]

    def leaf(of: Fraction | tuple[int, int]) -> int:
        return place(of) if isinstance(of, Fraction) else place(DIFFERENCE, *of)

    gradient = tuple(walked(entries, leaf, place))
    return Program(tuple(steps), gradient)


def of_pairs(phi: Expression, weights: Sequence[tuple[tuple[int, int], Fraction]], m: int) -> Program:
    """The gradient of sum c phi(u_i - u_j) over pairs (i, j) with weights c, in all scores but the last."""
    u = differences(m)
    return program(slopes(total([c * at(phi, u[i] - u[j]) for (i, j), c in weights]), m)[:-1])


@frozen_with_cache
class GradientField:
    """A gradient g(y, u) for each label, smooth in every strict order: training descends along its mean."""

    name: str  #: Library and objective, "xgboost:rank:pairwise".
    version: str  #: The release it was read from.
    citation: str
    formula: str  #: g(y, u).
    note: str  #: Why this is not the minimization of a fixed loss.
    parameters: Mapping[str, Value]  #: By the names that the library uses.
    rule: FieldRule
    highest: int = 30  #: The highest grade the objective takes.

    @property
    def library(self) -> str:
        """The library: the name up to its first colon."""
        return self.name.partition(":")[0]

    @property
    def objective(self) -> str:
        """What the library calls it."""
        return self.name.partition(":")[2]

    def with_parameters(self, **values: object) -> "GradientField":
        """The same objective with other parameters."""
        for key in values:
            if key not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise InputError(f"{self.name} has no parameter {key!r}; its parameters are: {known}")
        read = {key: read_parameter(key, value) for key, value in values.items()}
        return replace(self, parameters={**self.parameters, **read})

    @property
    def most(self) -> int:
        """The highest grade that it takes with these parameters."""
        gains = self.parameters.get("label_gain")
        return len(gains) - 1 if isinstance(gains, tuple) and gains else self.highest

    def check(self, task: Task) -> None:
        """Refuse a task that it does not fit."""
        if not isinstance(task.space, Grades):
            raise InputError(f"{self.name} needs graded labels, such as 0..2; these are {task.space.kind}")
        if task.space.grades[-1] > self.most:
            raise InputError(f"{self.name} takes grades up to {self.most}; there are {task.space.grades[-1]}")

    def describe(self) -> dict[str, object]:
        """The ``surrogate`` entry of a witness document: enough to derive the field again."""
        values = {key: list(x) if isinstance(x, tuple) else x for key, x in self.parameters.items()}
        names = {"name": self.name, "library": self.library, "objective": self.objective}
        return {"family": "field", **names, **values}

    def piece(self, label: Label, ranking: Prediction) -> Piece:
        """The field of a label where `ranking` sorts the scores, from top to bottom."""
        return Piece(self.rule, label, ranking, tuple(self.parameters.items()))

    def gradient(self, label: Label, scores: "Floats") -> "Floats":
        """g(y, u) in floats at scores of shape (..., m); equal scores rank in the order of the items."""
        import numpy as np

        rows = np.asarray(scores, dtype=float)
        flat = rows.reshape(-1, rows.shape[-1])
        orders = map(tuple, np.argsort(-flat, axis=1, kind="stable").tolist())
        pieces = (self.piece(label, order) for order in orders)
        each = [one.together([(1.0, one)])(at[None])[0][0] for one, at in zip(pieces, flat, strict=True)]
        return np.array(each).reshape(rows.shape)


# --- What items are worth by position in the shipped metrics, exactly ------------------------------------


def discount(position: int) -> Real:
    """1/log2(2 + position), for positions from 0 on."""
    return log(2) / log(position + 2) if position else Fraction(1)


@lru_cache(maxsize=4096)
def ideal(gains: tuple[Fraction, ...], top: int) -> Real:
    """The largest discounted sum of the gains in the first positions."""
    return total([gain * discount(k) for k, gain in enumerate(sorted(gains, reverse=True)[:top])])


def _ndcg(label: Label) -> list[Real]:
    gains = tuple(map(_powers, label))
    return [gain / ideal(gains, len(gains)) if any(gains) else Fraction(0) for gain in gains]


WEIGHTS: Final[Mapping[str, Callable[[Label], Sequence[Real]]]] = MappingProxyType(
    {"ndcg": _ndcg, "mrr": lambda label: [Fraction(grade, sum(label) or 1) for grade in label]}
)
"""What weighs the discount of each item in the smooth metrics."""


def _powers(grade: int) -> Fraction:
    return Fraction(2**grade - 1)


# --- Pairs that are compared, and their weights in the current ranking (LambdaRank, Burges 2010) ---------


def _meetings(label: Label, ranking: Prediction, method: str, n: int) -> Iterator[tuple[int, int, Fraction]]:
    """Positions p < q of items of different grades, and how often they meet, or are expected to."""
    alike = Counter(label)
    for p, q in combinations(range(len(ranking)), 2):
        grades = label[ranking[p]], label[ranking[q]]
        if grades[0] != grades[1] and (method == "mean" or p < n):
            drawn = sum((Fraction(n, len(label) - alike[grade]) for grade in grades), Fraction(0))
            yield p, q, drawn if method == "mean" else Fraction(1)


Gain = Callable[[int], Fraction]
Change = Callable[[Label, Prediction, int, int, Gain, int], Real]
"""How much a metric changes when the items at positions p < q swap places; G, and what the ideal counts."""


def _ndcg_change(label: Label, ranking: Prediction, p: int, q: int, gain: Gain, top: int) -> Real:
    """|G_i - G_j| (1/log2(1+p) - 1/log2(1+q)) / ideal DCG (Burges 2010, §5)."""
    gains = tuple(map(gain, label))
    gap = abs(gains[ranking[p]] - gains[ranking[q]])
    return gap * (discount(p) - discount(q)) / ideal(gains, top) if gap else Fraction(0)


def _precision_change(label: Label, ranking: Prediction, p: int, q: int, gain: Gain, top: int) -> Real:
    """|AP before - AP after|, AP the mean over the relevant items of the precision at their positions."""

    def average_precision(order: Sequence[int]) -> Fraction:
        hits = [label[item] for item in order]
        terms = (Fraction(hit * sum(hits[:at]), at) for at, hit in enumerate(hits, start=1))
        return sum(terms, Fraction(0)) / sum(hits)

    swapped = list(ranking)
    swapped[p], swapped[q] = ranking[q], ranking[p]
    return abs(average_precision(ranking) - average_precision(swapped))


@frozen
class _Pairs:
    """What a library makes of its parameters: the pairs, their weights, and what rescales the forces."""

    meetings: tuple[str, int]  #: Which pairs meet.
    top: int  #: How many positions the ideal counts.
    by_score: bool  #: Whether forces are divided by |d| + 1/100.
    by_sum: bool  #: Whether they are all rescaled by log2(1 + S)/S.
    gain: Gain = _powers
    c: Fraction = Fraction(1)
    factor: Fraction = Fraction(1)


def _lambda(
    label: Label,
    ranking: Prediction,
    u: Scores,
    values: Mapping[str, Value],
    read: Callable[[Mapping[str, Value]], _Pairs],
    change: Change | None = _ndcg_change,
) -> FieldValue:
    """Forces w c / (1 + exp(c d)) of pairs, perhaps over |d| + 1/100, perhaps all times log2(1 + S)/S."""
    # d is what the item of the higher grade is ahead, w the weight of the pair, S twice the sum of forces.
    # XGBoost doubles the slopes, which is the same as a shorter step.
    to = read(values)
    pulls: list[Real] = [Fraction(0)] * len(u)
    steep, both = list(pulls), pulls[0]
    for p, q, count in _meetings(label, ranking, *to.meetings):
        changed = 1 if change is None else change(label, ranking, p, q, to.gain, to.top)
        weight = to.factor * count * changed
        if weight == 0:
            continue
        i, j = (ranking[p], ranking[q]) if label[ranking[p]] > label[ranking[q]] else (ranking[q], ranking[p])
        gap = u[i] - u[j]
        share = to.c / (exp(to.c * gap) + 1)
        apart = (gap if i == ranking[p] else -gap) + Fraction(1, 100)
        pull = weight * (share / apart if to.by_score and "even" not in values else share)
        slope = (to.c - share) * pull
        pulls[i], pulls[j] = pulls[i] - pull, pulls[j] + pull
        steep[i], steep[j] = steep[i] + slope, steep[j] + slope
        both = both + 2 * pull
    if not to.by_sum or both == 0:
        return pulls, steep
    scale = 1 / log(2) * log(both + 1) / both
    return [scale * x for x in pulls], [scale * x for x in steep]


def _xgboost(values: Mapping[str, Value]) -> _Pairs:
    method, n = str(values["lambdarank_pair_method"]), _whole(values["lambdarank_num_pair_per_sample"])
    sampled, normalized = method == "mean", bool(values["lambdarank_normalization"])
    return _Pairs(
        (method, n),
        _EVERYWHERE if sampled else n,
        bool(values["lambdarank_score_normalization"]),
        normalized and not sampled,
        _powers if values.get("ndcg_exp_gain", True) else Fraction,
        factor=Fraction(1, n) if normalized and sampled else Fraction(1),
    )


def _lightgbm(values: Mapping[str, Value]) -> _Pairs:
    gains, n = values["label_gain"], _whole(values["lambdarank_truncation_level"])
    gain = tuple(map(Fraction, gains)).__getitem__ if isinstance(gains, tuple) and gains else _powers
    norm = bool(values["lambdarank_norm"])
    return _Pairs(("topk", n), n, norm, norm, gain, Fraction(str(values["sigmoid"])))


def _catboost(values: Mapping[str, Value]) -> _Pairs:
    norm, c = bool(values["norm"]), Fraction(str(values["sigma"]))
    return _Pairs(("topk", _EVERYWHERE), _EVERYWHERE, norm, norm, Fraction, c)


def _whole(value: Value) -> int:
    assert isinstance(value, int)
    return value


# --- XE-NDCG as LightGBM ships it: three terms of a Newton step, with random targets ---------------------
# Each step draws a uniform gamma_i in [0, 1) for every item and aims at the shares x_i / sum_j x_j of
# x_i = 2^grade_i - gamma_i (Bruch 2021). The gradient is affine in these shares, so its expectation is the
# gradient at the expected shares.


@lru_cache(maxsize=1024)
def expected_shares(label: Label) -> tuple[Real, ...]:
    """E[x_i / sum_j x_j] for independent x_i uniform between 2^grade_i - 1 and 2^grade_i.

    The k-fold antiderivative of 1/S is D_k(S) = S^(k-1)/(k-1)! (log S - 1 - 1/2 - ... - 1/(k-1)), and
    x_i D_m(S) - D_(m+1)(S) has the mixed derivative x_i/S in all m variables: the integral over the box is
    its alternating sum over the corners. There x_i S^(m-1)/(m-1)! and S^m/m! both sum to 1, so that

        E x_i/S = 1/m + sum over corners of +-S^(m-1) log(S) (m x_i - S)/m!;

    corners of one sum S share its logarithm.
    """
    m = len(label)
    factors: dict[int, list[int]] = {}
    for low in product((False, True), repeat=m):
        corner = [2**grade - down for grade, down in zip(label, low, strict=True)]
        if s := sum(corner):
            power = (-1) ** sum(low) * s ** (m - 1)
            sums = factors.get(s, [0] * m)
            factors[s] = [before + power * (m * x - s) for before, x in zip(sums, corner, strict=True)]
    logs = {s: log(s) for s in factors}
    parts = [[Fraction(sums[i], factorial(m)) * logs[s] for s, sums in factors.items()] for i in range(m)]
    return tuple(total([Fraction(1, m), *part]) for part in parts)


def _xendcg(label: Label, ranking: Prediction, u: Scores, values: Mapping[str, Value]) -> FieldValue:
    r = softmax(u)
    term = gradient = [x - share for x, share in zip(r, expected_shares(label), strict=True)]
    for _ in range(2):
        term = [x / (1 - y) for x, y in zip(term, r, strict=True)]
        rest = total(term)
        term = [y * (rest - x) for x, y in zip(term, r, strict=True)]
        gradient = [before + x for before, x in zip(gradient, term, strict=True)]
    return gradient, [x * (1 - x) for x in r]


# --- Losses that are not convex, or that no other family holds -------------------------------------------
# An equilibrium says that descent can stand still, not that the loss is least there.


def _above(u: Scores, temperature: Fraction) -> Callable[[int, int], Real]:
    """1/(1 + exp((u_i - u_j)/T)): how much j counts as above i."""
    return cache(lambda i, j: 1 / (exp((u[i] - u[j]) / temperature) + 1))


def _soft_count(
    label: Label, ranking: Prediction, u: Scores, temperature: Fraction = Fraction(1), mean: bool = False
) -> Real:
    pairs = [(i, j) for i, s in enumerate(label) for j, t in enumerate(label) if s > t]
    count = total([_above(u, temperature)(*pair) for pair in pairs])
    return count / (len(pairs) or 1) if mean else count


def _smooth_metric(label: Label, ranking: Prediction, u: Scores, metric: str, temperature: Fraction) -> Real:
    above, items = _above(u, temperature), range(len(label))
    positions = [total([above(i, j) for j in items if j != i]) + 1 for i in items]
    falls = [log(2) / log(r + 1) if metric == "ndcg" else 1 / r for r in positions]
    return -total(list(map(mul, WEIGHTS[metric](label), falls)))


def _alpha_ndcg(label: Label, ranking: Prediction, u: Scores, alpha: Fraction) -> Real:
    return _smooth_metric(label, ranking, u, "ndcg", 1 / alpha)


def _sorted_logits(u: Scores, ranking: Prediction, temperature: Fraction) -> list[list[Real]]:
    """NeuralSort: P_k is the softmax over i of these, ((m + 1 - 2k) u_i - sum_j |u_i - u_j|)/T."""
    m, place = len(u), {item: at for at, item in enumerate(ranking)}
    apart = [
        total([u[i] - u[j] if place[i] < place[j] else u[j] - u[i] for j in range(m) if j != i])
        for i in range(m)
    ]
    return [
        [((m + 1 - 2 * k) * (x - u[-1]) - y) / temperature for x, y in zip(u, apart, strict=True)]
        for k in range(1, m + 1)
    ]


def _sorted_gains(label: Label, ranking: Prediction, u: Scores, temperature: Fraction) -> Real:
    rows, gains = map(softmax, _sorted_logits(u, ranking, temperature)), WEIGHTS["ndcg"](label)
    return -total([discount(k) * total(list(map(mul, row, gains))) for k, row in enumerate(rows)])


def _sorted_rows(label: Label, ranking: Prediction, u: Scores, temperature: Fraction) -> Real:
    order = tuple(sorted(range(len(label)), key=lambda item: -label[item]))
    goals = map(softmax, _sorted_logits(list(map(Fraction, label)), order, Fraction(1)))
    rows = map(log_softmax, _sorted_logits(u, ranking, temperature))
    entropies = [total(list(map(mul, goal, row))) for goal, row in zip(goals, rows, strict=True)]
    return Fraction(-any(label), len(label)) * total(entropies)


def _poly_softmax(label: Label, ranking: Prediction, u: Scores, epsilon: Fraction) -> Real:
    """The loss is convex in r: a zero of a mean of gradients is the only minimizer, up to a shift."""
    sizes, terms = sum(label) or 1, zip(label, softmax(u), log_softmax(u), strict=True)
    return -total([s * y + epsilon * Fraction(s, sizes) * r for s, r, y in terms])


def _descends(
    loss: Callable[..., Real], label: Label, ranking: Prediction, u: Scores, values: Mapping[str, Value]
) -> FieldValue:
    exact = {key: Fraction(str(x)) for key, x in values.items() if key != "even"}
    return slopes(loss(label, ranking, u, **exact), len(u)), None


# --- What each library ships -----------------------------------------------------------------------------

_READ: Final = MappingProxyType(
    {
        "xgboost": (
            "3.4.1",
            "XGBoost 3.4.1 (commit 6fe8c547b), src/objective/lambdarank_obj.{h,cc} and "
            "src/common/ranking_utils.h",
        ),
        "lightgbm": ("4.7.0", "LightGBM 4.7.0 (commit 8f7036f03), src/objective/rank_objective.hpp"),
        "catboost": (
            "1.2.10",
            "CatBoost 1.2.10 (commit 460a799fb), catboost/private/libs/algo_helpers/error_functions.{h,cpp}",
        ),
        "tf-ranking": (
            "0.5.5.dev",
            "TensorFlow Ranking 0.5.5.dev (commit 5b1d1338c), tensorflow_ranking/python/losses_impl.py",
        ),
        "rax": ("0.4.0", "Rax 0.4.0 (commit a0a3b334b), rax/_src/losses.py"),
        "allrank": ("1.4.3", "allRank 1.4.3 (commit c88475661), allrank/models/losses/approxNDCG.py"),
    }
)
"""The version of each library, and what was read."""

_FORCE: Final = "1/(1 + exp(d)) / (|d| + 1/100), d = u_i - u_j, for each pair with s_i > s_j"
_SCALED: Final = "all times log2(1 + S)/S, S twice the sum of the query's forces"
_SUM_NOTE: Final = (
    "each query is rescaled by its own forces, so that the slopes of its gradient are not symmetric: "
    "it is the gradient of no loss"
)
_JUMP_NOTE: Final = f"the weights jump when the ranking changes, and {_SUM_NOTE}"
_NOT_CONVEX: Final = (
    "it is the gradient of a fixed loss that is not convex: descent may stand still where the loss is not "
    "least"
)
_FADES: Final = f"{_NOT_CONVEX}; it also fades away as scores move apart"
_POSITIONS: Final = "r_i = 1 + sum over j != i of 1/(1 + exp((u_i - u_j)/T))"
_MATRIX: Final = "P_k = softmax((m + 1 - 2k) u_i - sum_j |u_i - u_j|)"
_XGBOOST: Final = (
    "lambdarank_pair_method",
    "lambdarank_num_pair_per_sample",
    "lambdarank_normalization",
    "lambdarank_score_normalization",
)
_LIGHTGBM: Final = ("sigmoid", "lambdarank_norm", "lambdarank_truncation_level", "label_gain")


def _field(
    name: str, formula: str, note: str, rule: FieldRule, *parameters: str, highest: int = 30
) -> GradientField:
    values = {key: PARAMETERS[key][0] for key in parameters}
    return GradientField(name, *_READ[name.partition(":")[0]], formula, note, values, rule, highest)


def _loss(name: str, formula: str, note: str, loss: Callable[..., Real], **values: Value) -> GradientField:
    made = _field(name, f"the gradient of {formula}", note, partial(_descends, loss))
    return replace(made, parameters=values)


# fmt: off
_SHIPPED: Final = (
    _field("xgboost:rank:pairwise", f"-{_FORCE}; {_SCALED}", _SUM_NOTE,
        partial(_lambda, read=_xgboost, change=None), *_XGBOOST),
    _field("xgboost:rank:ndcg", f"-|change of NDCG| {_FORCE}; {_SCALED}", _JUMP_NOTE,
        partial(_lambda, read=_xgboost), *_XGBOOST, "ndcg_exp_gain"),
    _field("xgboost:rank:map", f"-|change of average precision| {_FORCE}; {_SCALED}", _JUMP_NOTE,
        partial(_lambda, read=_xgboost, change=_precision_change), *_XGBOOST, highest=1),
    _field("lightgbm:lambdarank", f"-|change of NDCG| {_FORCE}; {_SCALED}", _JUMP_NOTE,
        partial(_lambda, read=_lightgbm), *_LIGHTGBM),
    _field("lightgbm:rank_xendcg",
        "t + r (1t' - t') + r (1t'' - t''), t = r - E x/1x, r = softmax(u), t' = t/(1 - r), "
        "t'' = r (1t' - t')/(1 - r), x_i uniform in (2^s_i - 1, 2^s_i]",
        "its targets are drawn anew at each step (this is the expectation), and two more terms of a Newton "
        "step are added, so that the slopes are not symmetric: it is the gradient of no loss",
        _xendcg),
    _field("catboost:LambdaMart", f"-|change of NDCG with gains s| {_FORCE}; {_SCALED}", _JUMP_NOTE,
        partial(_lambda, read=_catboost), "sigma", "norm"),
)
LOSS_FIELDS: Final = (
    _loss("tf-ranking:pairwise_soft_zero_one_loss", "the sum over s_i > s_j of 1/(1 + exp((u_i - u_j)/T))",
        _FADES, _soft_count, temperature="1"),
    _loss("tf-ranking:approx_ndcg_loss", f"- sum_i (2^s_i - 1)/Z / log2(1 + r_i), {_POSITIONS}",
        _FADES, partial(_smooth_metric, metric="ndcg"), temperature="1/10"),
    _loss("tf-ranking:approx_mrr_loss", f"- sum_i (s_i / sum s) / r_i, {_POSITIONS}",
        _FADES, partial(_smooth_metric, metric="mrr"), temperature="1/10"),
    _loss("tf-ranking:neural_sort_cross_entropy_loss",
        f"the mean over k of - sum_i P_ki(s) log P_ki(u/T), {_MATRIX}",
        _NOT_CONVEX, _sorted_rows, temperature="1"),
    _loss("tf-ranking:neural_sort_ndcg_loss",
        f"- sum_k (1/log2(1 + k)) sum_i P_ki(u/T) (2^s_i - 1)/Z, {_MATRIX}",
        _FADES, _sorted_gains, temperature="1"),
    _loss("rax:poly1_softmax_loss",
        "- sum_i s_i log r_i + epsilon (1 - sum_i (s_i / sum s) r_i), r = softmax(u)",
        "it is the gradient of a fixed loss that is convex in the softmax, so that its mean vanishes only "
        "where that loss is least",
        _poly_softmax, epsilon="1"),
    _loss("rax:pairwise_soft_zero_one_loss", "the mean over s_i > s_j of 1/(1 + exp(u_i - u_j))",
        _FADES, partial(_soft_count, mean=True)),
    _loss("allrank:approxNDCGLoss",
        "- sum_i (2^s_i - 1)/Z / log2(1 + r_i), r_i = 1 + sum over j != i of 1/(1 + exp(alpha (u_i - u_j)))",
        _FADES, _alpha_ndcg, alpha="1"),
)
# fmt: on
"""Fixed losses: those that are not convex, and one that no other family holds."""

FIELDS: Final[Mapping[str, GradientField]] = MappingProxyType(
    {entry.name: entry for entry in (*_SHIPPED, *LOSS_FIELDS)}
)
"""Shipped objectives by name."""


def field(name: str, **parameters: object) -> GradientField:
    """A shipped objective, with other parameters than its defaults if they are given."""
    if name not in FIELDS:
        raise InputError(f"there is no gradient field {name!r}; {did_you_mean(name, FIELDS, 'there are')}")
    return FIELDS[name].with_parameters(**parameters)
