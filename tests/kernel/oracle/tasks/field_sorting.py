"""Losses of NeuralSort's matrix as fields, inside one order of the scores.

Row k of the matrix is the softmax over i of c ((m + 1 - 2k) u_i - sum_j |u_i - u_j|). In the order of a
ranking sum_j |u_i - u_j| = sum_j s_j (u_i - u_j) with s_j = 1 for the items below i and -1 for those above,
so that the logits of a row are M u with a constant matrix M. A loss f of the logits has the gradient M^T f'
and the Jacobian M^T f'' M in u.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.core.numbers import ball
from consistency_lab.exact import Ball, enclose

from .field_pairs import Pull
from .labels import Label
from .relaxed import METRICS

Vector = list[Ball]
Matrix = list[list[Ball]]


@final
@dataclass(frozen=True, slots=True)
class RowField:
    """The gradient of the mean over rows of the cross-entropy of the matrices of grades and of scores."""

    c: Fraction

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[Ball]) -> Pull:
        """The gradient and its Jacobian; a label of zeros has none."""
        m = len(scores)
        parts = []
        if any(label):
            grades = [Ball(grade) for grade in label]
            order = sorted(range(m), key=lambda item: -label[item])
            for k in range(m):
                wanted = _softmax(_times(_logits(order, k, Fraction(1)), grades))
                matrix = _logits(ranking, k, self.c)
                p = _softmax(_times(matrix, scores))
                first = [(p[i] - wanted[i]) / m for i in range(m)]
                parts.append((matrix, first, [[x / m for x in row] for row in _spread(p)]))
        return _added(parts, m)


@final
@dataclass(frozen=True, slots=True)
class SortingField:
    """The gradient of -sum_k D_k sum_i P_ki w_i, w the gains over Z, D_k = 1/log2(1 + k)."""

    c: Fraction

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[Ball]) -> Pull:
        """The gradient and its Jacobian."""
        m = len(scores)
        w = [ball(x) for x in METRICS["ndcg"](label)]
        parts = []
        for k in range(m):
            discount = Ball(2).log() / Ball(k + 2).log()
            matrix = _logits(ranking, k, self.c)
            p = _softmax(_times(matrix, scores))
            dp = _spread(p)
            mean = sum((x * y for x, y in zip(p, w, strict=True)), Ball(0))
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
        found.append([enclose(x) for x in row])
    return found


def _times(matrix: Matrix, vector: Sequence[Ball]) -> Vector:
    return [sum((a * x for a, x in zip(row, vector, strict=True)), Ball(0)) for row in matrix]


def _softmax(logits: Vector) -> Vector:
    powers = [x.exp() for x in logits]
    whole = sum(powers, Ball(0))
    return [power / whole for power in powers]


def _spread(p: Vector) -> Matrix:
    """The Jacobian of the softmax."""
    return [[x * ((i == j) - y) for j, y in enumerate(p)] for i, x in enumerate(p)]


def _added(parts: Sequence[tuple[Matrix, Vector, Matrix]], m: int) -> Pull:
    """The sums of M^T f' and of M^T f'' M."""
    value, slopes = [Ball(0)] * m, [[Ball(0)] * m for _ in range(m)]
    items = range(m)
    for matrix, first, second in parts:
        for a in items:
            value[a] = value[a] + sum((matrix[i][a] * first[i] for i in items), Ball(0))
            carried = [sum((matrix[i][a] * second[i][j] for i in items), Ball(0)) for j in items]
            for b in items:
                slopes[a][b] = slopes[a][b] + sum((carried[j] * matrix[j][b] for j in items), Ball(0))
    return value, slopes
