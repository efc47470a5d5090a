"""Fixed losses as fields, with their first and second derivatives written out.

sigma = 1/(1 + exp(-x)) has the slopes sigma (1 - sigma) and sigma (1 - sigma)(1 - 2 sigma).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final, final

from consistency_lab.core.numbers import ball
from consistency_lab.core.reading import fraction
from consistency_lab.errors import InputError
from consistency_lab.exact import Ball, enclose

from .field_pairs import Pull
from .field_sorting import RowField, SortingField
from .labels import Label
from .relaxed import METRICS

Entry = Mapping[str, object]
Curve = Callable[[Ball], tuple[Ball, Ball]]
"""The first two derivatives of a discount."""


def _logarithmic(r: Ball) -> tuple[Ball, Ball]:
    """Of log(2)/log(1 + r)."""
    log, base = (1 + r).log(), 1 + r
    return -Ball(2).log() / (base * log**2), Ball(2).log() * (log + 2) / (base**2 * log**3)


def _reciprocal(r: Ball) -> tuple[Ball, Ball]:
    """Of 1/r."""
    return -1 / r**2, 2 / r**3


@final
@dataclass(frozen=True, slots=True)
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

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[Ball]) -> Pull:
        """The gradient and its Jacobian; the ranking does not matter."""
        m, c = len(scores), enclose(self.c)
        value, slopes = _zeros(m)
        for i, weight in enumerate(map(ball, METRICS[self.weights](label))):
            position, first = Ball(1), [Ball(0)] * m
            second = [[Ball(0)] * m for _ in range(m)]
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


@final
@dataclass(frozen=True, slots=True)
class CountField:
    """The gradient of the sum, or the mean, over y_i > y_j of sigma(c (u_j - u_i))."""

    c: Fraction
    mean: bool

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[Ball]) -> Pull:
        """The gradient and its Jacobian; the ranking does not matter."""
        m = len(scores)
        value, slopes = _zeros(m)
        pairs = [(i, j) for i in range(m) for j in range(m) if label[i] > label[j]]
        share = enclose(Fraction(1, len(pairs)) if self.mean and pairs else Fraction(1))
        c = enclose(self.c)
        for i, j in pairs:
            _, rise, bend = _sigmoid(c * (scores[j] - scores[i]))
            value[j], value[i] = value[j] + share * c * rise, value[i] - share * c * rise
            _spread(slopes, j, i, share * c * c * bend)
        return value, slopes


@final
@dataclass(frozen=True, slots=True)
class PolyField:
    """The gradient of -sum_i y_i log r_i - epsilon sum_i (y_i / sum y) r_i, r = softmax(u)."""

    epsilon: Fraction

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[Ball]) -> Pull:
        """The gradient and its Jacobian; the ranking does not matter."""
        m, whole = len(scores), sum(label)
        powers = [score.exp() for score in scores]
        r = [power / sum(powers[1:], powers[0]) for power in powers]
        dr = [[r[i] * ((i == j) - r[j]) for j in range(m)] for i in range(m)]
        b = [enclose(self.epsilon * grade / (whole or 1)) for grade in label]
        mean = sum((x * y for x, y in zip(b, r, strict=True)), Ball(0))
        above = [x - mean for x in b]
        value = [whole * r[i] - label[i] - r[i] * above[i] for i in range(m)]
        slopes = [
            [dr[i][j] * (whole - above[i]) + r[i] * r[j] * above[j] for j in range(m)] for i in range(m)
        ]
        return value, slopes


def _zeros(m: int) -> Pull:
    return [Ball(0)] * m, [[Ball(0)] * m for _ in range(m)]


def _sigmoid(x: Ball) -> tuple[Ball, Ball, Ball]:
    """sigma and its first two derivatives."""
    level = 1 / (1 + (-x).exp())
    rise = level / (1 + x.exp())
    return level, rise, rise * (1 - 2 * level)


def _spread(matrix: list[list[Ball]], i: int, j: int, bend: Ball) -> None:
    """Add the second derivatives of f(u_i - u_j)."""
    for a, b, sign in ((i, i, 1), (i, j, -1), (j, i, -1), (j, j, 1)):
        matrix[a][b] = matrix[a][b] + sign * bend


Forces = PositionField | CountField | PolyField | RowField | SortingField
Reader = Callable[[Entry, str], tuple[Forces, None]]


def _with(key: str, make: Callable[[Fraction], Forces]) -> tuple[tuple[str, ...], int, Reader]:
    """A loss with one positive parameter."""

    def read(entry: Entry, where: str) -> tuple[Forces, None]:
        number = fraction(entry[key], f"{where}.{key}")
        if number <= 0:
            raise InputError(f"{where}.{key} is {number}; it must be positive")
        return make(number), None

    return (key,), _HIGHEST, read


_HIGHEST: Final = 30

LOSSES: Final[Mapping[tuple[str, str], tuple[tuple[str, ...], int, Reader]]] = MappingProxyType(
    {
        ("tf-ranking", "pairwise_soft_zero_one_loss"): _with(
            "temperature", lambda t: CountField(1 / t, False)
        ),
        ("tf-ranking", "approx_ndcg_loss"): _with(
            "temperature", lambda t: PositionField("ndcg", _logarithmic, 1 / t)
        ),
        ("tf-ranking", "approx_mrr_loss"): _with(
            "temperature", lambda t: PositionField("mrr", _reciprocal, 1 / t)
        ),
        ("tf-ranking", "neural_sort_cross_entropy_loss"): _with("temperature", lambda t: RowField(1 / t)),
        ("tf-ranking", "neural_sort_ndcg_loss"): _with("temperature", lambda t: SortingField(1 / t)),
        ("rax", "poly1_softmax_loss"): _with("epsilon", PolyField),
        ("rax", "pairwise_soft_zero_one_loss"): (
            (),
            _HIGHEST,
            lambda entry, where: (CountField(Fraction(1), True), None),
        ),
        ("allrank", "approxNDCGLoss"): _with("alpha", lambda c: PositionField("ndcg", _logarithmic, c)),
    }
)
"""Losses by library and name, as in `fields.OBJECTIVES`."""
