"""Pair forces of a query, as XGBoost and LightGBM compute them, with their slopes written out.

A pair of grades s_i > s_j at distance d = u_i - u_j has the force f = w c q / D with q = 1/(1 + exp(c d)) and
D = |d| + 1/100, or 1. Its slope in d is -f (c (1 - q) + sign(d)/D), the last term only if D is not 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.core.numbers import Real, ball
from consistency_lab.exact import Ball, enclose

from .labels import Label

Pull = tuple[list[Ball], list[list[Ball]]]
"""A gradient and its Jacobian."""

Weight = Callable[["PairField", Label, Sequence[int], int, int], Real]
"""The weight of the items at two positions of the ranking, which have different grades."""

_OFFSET: Final = Fraction(1, 100)


@final
@dataclass(frozen=True, slots=True)
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

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[Ball]) -> Pull:
        """The gradient of a label and its Jacobian, where `ranking` sorts the scores for certain."""
        m = len(ranking)
        value = [Ball(0)] * m
        slopes = [[Ball(0)] * m for _ in range(m)]
        pairs, whole, rise = 0, Ball(0), [Ball(0)] * m
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
        share = whole.log1p() / Ball(2).log() / whole
        change = (1 / (1 + whole) / Ball(2).log() - share) / whole
        scaled = [[share * slopes[a][b] + value[a] * change * rise[b] for b in range(m)] for a in range(m)]
        return [share * entry for entry in value], scaled

    def _weight(self, label: Label, ranking: Sequence[int], k: int, n: int) -> Real:
        """The weight of a pair times how often it meets; 0 if it never does."""
        grades = [label[ranking[at]] for at in (k, n)]
        if grades[0] == grades[1] or (self.depth is not None and k >= self.depth):
            return Fraction(0)
        weight = self.weight(self, label, ranking, k, n)
        often = self.factor
        if self.depth is None:  # An item draws its partner among those of other grades.
            often *= sum(Fraction(1, len(label) - label.count(grade)) for grade in grades)
        return weight * often if isinstance(weight, Fraction) else weight * enclose(often)

    def _force(self, distance: Ball, sign: int) -> tuple[Ball, Ball]:
        c = enclose(self.steepness)
        q = 1 / (1 + (c * distance).exp())
        if not self.by_score:
            return c * q, -c * c * q * (1 - q)
        wide = sign * distance + enclose(_OFFSET)
        force = c * q / wide
        return force, -force * (c * (1 - q) + sign / wide)


def one(field: PairField, label: Label, ranking: Sequence[int], k: int, n: int) -> Fraction:
    """Every pair weighs the same."""
    return Fraction(1)


def ndcg(field: PairField, label: Label, ranking: Sequence[int], k: int, n: int) -> Real:
    """How much NDCG changes if the items at positions k < n swap places."""
    apart = abs(field.gain(label[ranking[k]]) - field.gain(label[ranking[n]]))
    if not apart:
        return apart
    best = Ball(0)
    for position, grade in enumerate(sorted(label, reverse=True)[: field.ideal]):
        best = best + enclose(field.gain(grade)) / Ball(position + 2).log()
    return enclose(apart) * (1 / Ball(k + 2).log() - 1 / Ball(n + 2).log()) / best


def average_precision(field: PairField, label: Label, ranking: Sequence[int], k: int, n: int) -> Fraction:
    """How much the average precision changes if items at positions k < n, one of them relevant, swap places.

    The relevant item moves between the positions; those between gain or lose one above them.
    """
    hits = [label[item] for item in ranking]
    above, within = sum(hits[:k]), sum(hits[: n + 1])
    between = sum((Fraction(hits[at], at + 1) for at in range(k + 1, n)), Fraction(0))
    return abs(Fraction(above + 1, k + 1) + between - Fraction(within, n + 1)) / sum(hits)
