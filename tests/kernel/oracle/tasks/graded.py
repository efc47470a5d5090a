"""Target losses of relevance vectors: the NDCG family, ERR, precision, MAP and ERU."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final, final

from consistency_lab.core.numbers import (
    Real,
    ball,
    certainly_above,
    plus,
    rational_at,
    shown,
    times,
    total,
    value_at,
)
from consistency_lab.core.reading import expression, fraction, integer
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.phi import Expression, parse

from .labels import Grades, Label, Space
from .target import Prediction, Target, inverse

ZERO: Final = Fraction(0)
ONE: Final = Fraction(1)


@final
@dataclass(frozen=True, slots=True)
class Ndcg(Target):
    """1 - (1/Z(y)) sum_j G(y_j)/F(position of j), Z the sum of the best order; 0 where Z is 0."""

    space: Space
    table: Mapping[int, Fraction]
    discounts: tuple[Real, ...]
    loss_name: str = "ndcg"

    def gains(self, label: Label) -> tuple[Fraction, ...]:
        return tuple(self.table[grade] for grade in label)

    def scale(self, label: Label) -> Real:
        best = sorted(self.gains(label), reverse=True)
        return inverse(_sum(best, self.discounts)) if best[0] else ONE

    def loss(self, label: Label, prediction: Prediction) -> Real:
        gains = self.gains(label)
        if not any(gains):
            return ZERO
        earned = _sum([gains[item] for item in prediction], self.discounts)
        return plus(ONE, times(Fraction(-1), times(self.scale(label), earned)))


@final
@dataclass(frozen=True, slots=True)
class Precision(Target):
    """1 - (1/q) sum_i y_i 1(position of i <= q) (RAT13 §4)."""

    space: Space
    q: int
    loss_name: str = "precision"

    def loss(self, label: Label, prediction: Prediction) -> Real:
        return 1 - Fraction(sum(label[item] for item in prediction[: self.q]), self.q)


@final
@dataclass(frozen=True, slots=True)
class ReciprocalRank(Target):
    """1 - sum_i (1/F(i)) G(y at i) prod_{k<i} (1 - G(y at k))."""

    space: Space
    table: Mapping[int, Fraction]
    discounts: tuple[Real, ...]
    loss_name: str = "err"

    def gains(self, label: Label) -> tuple[Fraction, ...]:
        return tuple(self.table[grade] for grade in label)

    def loss(self, label: Label, prediction: Prediction) -> Real:
        found, looking = ONE, ONE
        result: Real = found
        for item, discount in zip(prediction, self.discounts, strict=True):
            chance = self.table[label[item]]
            result = plus(result, times(-looking * chance, discount))
            looking *= 1 - chance
        return result


@final
@dataclass(frozen=True, slots=True)
class FirstRelevant(Target):
    """1 - 1/position of the first item of a grade above v, 1 if there is none among the first k."""

    space: Space
    k: int
    v: Fraction
    loss_name: str = "mrr"

    def loss(self, label: Label, prediction: Prediction) -> Real:
        found = [n for n, item in enumerate(prediction, start=1) if label[item] > self.v and n <= self.k]
        return 1 - Fraction(1, found[0]) if found else ONE


@final
@dataclass(frozen=True, slots=True)
class AveragePrecision(Target):
    """1 - (1/sum y) sum_i sum_{j<=i} y_i y_j / max of the positions of i and j (RAT13 §6); 0 where y = 0."""

    space: Space
    loss_name: str = "map"

    def loss(self, label: Label, prediction: Prediction) -> Real:
        relevant = [n for n, item in enumerate(prediction, start=1) if label[item]]
        pairs = [Fraction(1, max(a, b)) for k, a in enumerate(relevant) for b in relevant[: k + 1]]
        return 1 - sum(pairs, ZERO) / len(relevant) if relevant else ZERO


@final
@dataclass(frozen=True, slots=True)
class RankUtility(Target):
    """-sum_i max(y_i - v, 0) 2^((1 - position of i)/(w - 1)) (RAT13 §5)."""

    space: Space
    v: Fraction
    discounts: tuple[Real, ...]
    loss_name: str = "eru"

    def gains(self, label: Label) -> tuple[Fraction, ...]:
        return tuple(max(grade - self.v, ZERO) for grade in label)

    def loss(self, label: Label, prediction: Prediction) -> Real:
        gains = self.gains(label)
        return times(Fraction(-1), _sum([gains[item] for item in prediction], self.discounts))


Fields = Mapping[str, object]


def ndcg(fields: Fields, space: Space, where: str) -> Target:
    """Keys gain, discount and k (null: all positions count)."""
    counted = space.m if fields["k"] is None else integer(fields["k"], f"{where}.k", 1, space.m)
    return Ndcg(space, _gains(fields, space, where), _discounts(fields, space, where, counted))


def precision(fields: Fields, space: Space, where: str) -> Target:
    """The key q."""
    _binary(space, where)
    return Precision(space, integer(fields["q"], f"{where}.q", 1, space.m))


def winner(fields: Fields, space: Space, where: str) -> Target:
    """Precision with q = 1."""
    _binary(space, where)
    return Precision(space, 1, "wta")


def reciprocal_rank(fields: Fields, space: Space, where: str) -> Target:
    """Keys gain and discount; a gain is a chance."""
    table = _gains(fields, space, where)
    if max(table.values()) > 1:
        raise InputError(f"{where}.gain exceeds 1 at a grade; for ERR it is a chance")
    return ReciprocalRank(space, table, _discounts(fields, space, where, space.m))


def first_relevant(fields: Fields, space: Space, where: str) -> Target:
    """Keys k (null: all positions count) and v."""
    counted = space.m if fields["k"] is None else integer(fields["k"], f"{where}.k", 1, space.m)
    v = fraction(fields["v"], f"{where}.v")
    assert isinstance(space, Grades)
    if not space.grades[0] <= v < space.grades[-1]:
        raise InputError(f"{where}.v must be at least the lowest grade and below the highest")
    return FirstRelevant(space, counted, v)


def average_precision(fields: Fields, space: Space, where: str) -> Target:
    """No keys."""
    _binary(space, where)
    return AveragePrecision(space)


def rank_utility(fields: Fields, space: Space, where: str) -> Target:
    """Keys v and w."""
    v, w = fraction(fields["v"], f"{where}.v"), fraction(fields["w"], f"{where}.w")
    if v < 0 or w <= 1:
        raise InputError(f"{where} needs v at least 0 and w above 1")
    halves = parse("2**x")
    discounts = tuple(value_at(halves, (1 - j) / (w - 1), f"{where}.w") for j in range(1, space.m + 1))
    return RankUtility(space, v, discounts)


def _sum(gains: list[Fraction], discounts: tuple[Real, ...]) -> Real:
    return total(times(gain, discount) for gain, discount in zip(gains, discounts, strict=True))


def _gains(fields: Fields, space: Space, where: str) -> Mapping[int, Fraction]:
    """G of each grade: rational, at least 0, not falling."""
    gain = expression(fields["gain"], f"{where}.gain", "s")
    assert isinstance(space, Grades)
    table = {grade: _gain(gain, grade, where) for grade in space.grades}
    if table[space.grades[0]] < 0 or any(a > b for a, b in pairwise(table.values())):
        raise InputError(f"{where}.gain must be at least 0 and not fall")
    return table


def _gain(gain: Expression, grade: int, where: str) -> Fraction:
    value = rational_at(gain, Fraction(grade))
    if value is None:
        raise RejectedError(f"{where}.gain {gain.text('s')} is not known to be rational at {shown(grade)}")
    return value


def _discounts(fields: Fields, space: Space, where: str, counted: int) -> tuple[Real, ...]:
    """1/F of each position, 0 for those that do not count; F is positive and does not fall, there either."""
    discount = expression(fields["discount"], f"{where}.discount", "j")
    values = [value_at(discount, Fraction(j), f"{where}.discount") for j in range(1, space.m + 1)]
    if not certainly_above(values[0], ZERO) or any(ball(a) > ball(b) for a, b in pairwise(values)):
        raise InputError(f"{where}.discount must be positive and not fall")
    return (*map(inverse, values[:counted]), *[ZERO] * (space.m - counted))


def _binary(space: Space, where: str) -> None:
    assert isinstance(space, Grades)
    if space.grades != (0, 1):
        raise InputError(f"{where}.labels must have the grades 0 and 1")
