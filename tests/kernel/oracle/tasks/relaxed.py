"""Families that smooth a ranking loss: approximate NDCG and MRR, and the soft zero-one loss of pairs.

Let a ranking be drawn item by item, with chances proportional to exp(u_i/T) among those left. Then j is
before i with chance 1/(1 + exp((u_i - u_j)/T)), so that the smooth position r_i is the mean position of i. A
discount that is convex in the position is, at r_i, at most its mean; a count of wrong pairs is its mean. So
the risk at u is at least the mean of the smoothed loss over that random ranking. An order that sorts u has a
chance of at least 1/m!, and scores far apart in an order t give the smoothed loss of t in the limit: the risk
comes near its infimum in those orders alone that have the least smoothed loss, and in all of them.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import permutations
from types import MappingProxyType
from typing import Final

from consistency_lab.core.numbers import Real
from consistency_lab.core.reading import fraction, one_of
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import Ball

from .family import Family, Fields, Form, MeanFamily
from .labels import Grades, Label
from .target import Prediction, Target

_LIMIT: Final = "limit"


def _ndcg(label: Label) -> tuple[Real, ...]:
    """(2^y_i - 1)/Z, Z the best sum with the discount log2(2)/log2(1 + position), which is convex."""
    best = sorted((2**grade - 1 for grade in label), reverse=True)
    if not any(best[1:]):
        return tuple(Fraction(grade > 0) for grade in label)
    ideal = Ball(best[0])
    for position, gain in enumerate(best[1:], start=2):
        ideal = ideal + Ball(gain) * Ball(2).log() / Ball(position + 1).log()
    return tuple(Ball(2**grade - 1) / ideal if grade else Fraction(0) for grade in label)


def _reciprocal_rank(label: Label) -> tuple[Real, ...]:
    """y_i / sum y; the discount 1/position is convex."""
    return tuple(Fraction(grade, max(sum(label), 1)) for grade in label)


METRICS: Final[Mapping[str, Callable[[Label], tuple[Real, ...]]]] = MappingProxyType(
    {"ndcg": _ndcg, "mrr": _reciprocal_rank}
)
"""What a label gives to each item."""


def smooth_positions(fields: Fields, target: Target, where: str) -> Family:
    """A metric at r_i = 1 + sum_j 1/(1 + exp((u_i - u_j)/T)); T does not matter in the limit."""
    features = METRICS[one_of(fields["metric"], f"{where}.metric", METRICS)]
    temperature = fraction(fields["temperature"], f"{where}.temperature")
    if temperature <= 0:
        raise InputError(f"{where}.temperature is {temperature}; it must be positive")
    _grades(target)
    return MeanFamily(lambda task, label: features(label), _LIMIT)


def soft_pairs(fields: Fields, target: Target, where: str) -> Family:
    """The sum over y_i > y_j of 1/(1 + exp(u_i - u_j)), perhaps divided by the number of such pairs."""
    divided = one_of(fields["normalized"], f"{where}.normalized", ("none", "pairs")) == "pairs"
    _grades(target)

    def features(task: Target, label: Label) -> tuple[Real, ...]:
        better = [label[i] > label[j] for i, j in permutations(range(len(label)), 2)]
        return tuple(Fraction(wins, max(sum(better), 1) if divided else 1) for wins in better)

    def form(task: Target, prediction: Prediction) -> Form:
        place = {item: n for n, item in enumerate(prediction)}
        pairs = permutations(range(len(place)), 2)
        return tuple(Fraction(place[i] > place[j]) for i, j in pairs), Fraction(0)

    return MeanFamily(features, _LIMIT, ("linear",), form)


def _grades(target: Target) -> None:
    if not isinstance(target.space, Grades):
        raise RejectedError("only labels of grades have grades")
