"""Gradients of losses of smooth permutation matrices (NeuralSort), inside one order of the scores.

Row k of the matrix is P_k = softmax over i of L_ki = (c_k u_i - sum_j |u_i - u_j|)/T, c_k = m + 1 - 2k for
the position k = 1..m. Inside an order L is linear in u: sum_j |u_i - u_j| has the slope "items below i minus
items above i" in u_i and -1 or +1 in the others. So g_i = sum over k, j of d_kj dL_kj/du_i, d the slope of
the loss in L.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.model.surrogates.tasks.fields.gains import WEIGHTS, discount
from consistency_lab.model.surrogates.tasks.fields.numbers import N, softmax, total
from consistency_lab.model.surrogates.tasks.fields.smooth import Gradient
from consistency_lab.model.surrogates.tasks.fields.written import Written, whole
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction


@final
@dataclass(frozen=True, slots=True)
class SortedGains:
    """The gradient of -(1/Z) sum_k (1/log2(1 + k)) sum_i P_ki (2^s_i - 1).

    Parameters
    ----------
    temperature
        T.
    """

    temperature: Fraction

    def at(self, label: Label, ranking: Prediction) -> Gradient:
        gains = WEIGHTS["ndcg"](label)
        discounts = [discount(k) for k in range(len(label))]
        matrices = _logits(ranking, self.temperature)

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


@final
@dataclass(frozen=True, slots=True)
class SortedRows:
    """The gradient of the mean over k of the cross-entropy of P_k(s) and P_k(u); labels of zeros count 0.

    Parameters
    ----------
    temperature
        T of the scores; the grades are sorted with T = 1.
    """

    temperature: Fraction

    def at(self, label: Label, ranking: Prediction) -> Gradient:
        share = whole(Fraction(bool(any(label)), len(label)))
        matrices = _logits(ranking, self.temperature)
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
