"""Features of labels, and the families of surrogates that are minimized by their mean."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from types import MappingProxyType
from typing import Final

from consistency_lab.core.numbers import Real, ball, times, total
from consistency_lab.core.reading import array, fraction, integer, one_of
from consistency_lab.errors import InputError, RejectedError

from .family import Family, Fields, Form, MeanFamily
from .labels import MAX_GRADE, Grades, Label
from .target import Prediction, Target, inverse

Feature = Callable[[Target, Label], tuple[Real, ...]]

ZERO: Final = Fraction(0)


def _grade(target: Target, label: Label) -> tuple[Fraction, ...]:
    if not isinstance(target.space, Grades):
        raise RejectedError("only labels of grades have grades")
    return tuple(map(Fraction, label))


def _gain(target: Target, label: Label) -> tuple[Real, ...]:
    return target.gains(label)


def _scaled_gain(target: Target, label: Label) -> tuple[Real, ...]:
    scale = target.scale(label)
    return tuple(times(gain, scale) for gain in target.gains(label))


def _net(target: Target, label: Label) -> tuple[Real, ...]:
    net = [ZERO] * target.space.m
    for i, j in target.space.edges(label):
        net[i] += 1
        net[j] -= 1
    return tuple(net)


FEATURES: Final[Mapping[str, Feature]] = MappingProxyType(
    {"grade": _grade, "gain": _gain, "gain/Z": _scaled_gain, "net": _net}
)
"""f(y) by name, one number an item."""


def _shares(values: tuple[Real, ...]) -> tuple[Real, ...]:
    """The values divided by their sum; zeros stay."""
    whole = total(values)
    if isinstance(whole, Fraction) and not whole:
        return values
    share = inverse(whole)
    return tuple(times(value, share) for value in values)


def _exponentials(target: Target, label: Label) -> tuple[Real, ...]:
    return _shares(tuple(ball(grade).exp() for grade in _grade(target, label)))


WEIGHTS: Final[Mapping[str, Feature]] = MappingProxyType(
    {
        "sum": lambda target, label: _shares(_grade(target, label)),
        "exp": _exponentials,
        "none": _grade,
        "gain-sum": lambda target, label: _shares(_gain(target, label)),
        "gain-none": _gain,
    }
)
"""The weights P of a listwise cross-entropy, by what becomes of the label."""


def regression(fields: Fields, target: Target, where: str) -> Family:
    """sum_i (u_i - f_i(y))^2 (RAT13 Theorem 6; DMJ13)."""
    return MeanFamily(FEATURES[one_of(fields["f"], f"{where}.f", FEATURES)])


def pair_square(fields: Fields, target: Target, where: str) -> Family:
    """sum_{i<j} ((f_i - f_j) - (u_i - u_j))^2, least at u = E f up to a shift."""
    return MeanFamily(FEATURES[one_of(fields["weights"], f"{where}.weights", ("grade", "gain"))])


def ordinal(fields: Fields, target: Target, where: str) -> Family:
    """Cross-entropy of 1(y_i >= k) for k = 1..n; the scores are sums of chances, E min(y_i, n)."""
    most = integer(fields["n"], f"{where}.n", 1, MAX_GRADE)

    def features(task: Target, label: Label) -> tuple[Real, ...]:
        return tuple(min(grade, Fraction(most)) for grade in _grade(task, label))

    return MeanFamily(features)


def softmax(fields: Fields, target: Target, where: str) -> Family:
    """-sum_i P_i log softmax_i(u), least at u_i = log E P_i up to a shift."""
    return MeanFamily(WEIGHTS[one_of(fields["labels"], f"{where}.labels", WEIGHTS)], "log")


def sigmoid(fields: Fields, target: Target, where: str) -> Family:
    """Cross-entropy of t_i = f_i / max f, item by item."""
    feature = FEATURES[one_of(fields["f"], f"{where}.f", ("grade", "gain"))]
    if not isinstance(target.space, Grades):
        raise RejectedError("only labels of grades have grades")
    top = feature(target, (target.space.grades[-1],) * target.space.m)[0]
    if not isinstance(top, Fraction) or top <= 0:
        raise RejectedError("no label has a positive feature")
    share = 1 / top
    return MeanFamily(lambda task, label: tuple(times(x, share) for x in feature(task, label)), "logit")


def map_full(fields: Fields, target: Target, where: str) -> Family:
    """f_ij = y_i y_j / sum y for i <= j (RAT13 §6)."""
    _only(target, "map")

    def features(task: Target, label: Label) -> tuple[Real, ...]:
        pairs = combinations_with_replacement(label, 2)
        return tuple(Fraction(a * b, sum(label) or 1) for a, b in pairs)

    def form(task: Target, prediction: Prediction) -> Form:
        place = {item: n for n, item in enumerate(prediction, start=1)}
        pairs = combinations_with_replacement(range(task.space.m), 2)
        return tuple(Fraction(-1, max(place[i], place[j])) for i, j in pairs), ZERO

    return MeanFamily(features, decoders=("linear", "diagonal"), form=form)


def map_diagonal(fields: Fields, target: Target, where: str) -> Family:
    """f_i = y_i / sum y (RAT13 Corollary 5)."""
    _only(target, "map")
    return MeanFamily(WEIGHTS["sum"])


def pd_least_squares(fields: Fields, target: Target, where: str) -> Family:
    """f_ij = the weight of the edge i → j, for i ≠ j (RAT13 Eq. 1)."""
    _only(target, "pairwise", "kendall")

    def features(task: Target, label: Label) -> tuple[Real, ...]:
        edges = set(task.space.edges(label))
        return tuple(Fraction(pair in edges) for pair in permutations(range(task.space.m), 2))

    def form(task: Target, prediction: Prediction) -> Form:
        place = {item: n for n, item in enumerate(prediction)}
        return tuple(Fraction(place[i] > place[j]) for i, j in permutations(range(task.space.m), 2)), ZERO

    return MeanFamily(features, decoders=("linear", "algorithm-1"), form=form)


INDICATORS: Final[Mapping[str, str]] = MappingProxyType(
    {"softmax": "log", "ova-logistic": "logit", "ova-square": "2x-1", "ova-squared-hinge": "2x-1"}
)
"""Losses of a class whose minimizer is a function of its probability, and that function."""


def indicator(fields: Fields, target: Target, where: str) -> Family:
    """f_k = 1(y = k)."""
    _only(target, "zero-one")
    link = INDICATORS[one_of(fields["psi"], f"{where}.psi", INDICATORS)]
    return MeanFamily(
        lambda task, label: tuple(Fraction(k == label[0]) for k in range(task.space.m)), link, ("argmax",)
    )


def factor(fields: Fields, target: Target, where: str) -> Family:
    """f(y) = alpha_y, decoded by the least <u, beta_t> + offset_t (RAT13 Theorem 3)."""
    _only(target, "matrix")
    alpha, beta = (
        array(fields[key], f"{where}.{key}", lambda line, at: array(line, at, fraction))
        for key in ("alpha", "beta")
    )
    offset = array(fields["offset"], f"{where}.offset", fraction)
    predictions = len(target.predictions)
    if len(alpha) != target.space.m or len(beta) != predictions or len(offset) != predictions:
        raise InputError(f"{where} needs one alpha a row, and one beta and one offset a column")
    if len({len(line) for line in (*alpha, *beta)}) > 1:
        raise InputError(f"{where} has vectors alpha and beta of different lengths")
    return MeanFamily(
        lambda task, label: alpha[label[0]],
        decoders=("linear",),
        form=lambda task, prediction: (beta[prediction[0]], offset[prediction[0]]),
    )


def _only(target: Target, *losses: str) -> None:
    if target.loss_name not in losses:
        raise RejectedError(f"this surrogate is for the target {' or '.join(losses)}")
