"""LightGBM's rank_xendcg in expectation over its random numbers, with its slopes written out.

With r = softmax(u) and the expected shares x of the label it is t + A t + A A t, t = r - x, where
(A t)_i = r_i (h_1 + ... + h_m - h_i) and h_i = t_i/(1 - r_i): everything is affine in x.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import factorial
from typing import Final, final

from consistency_lab.exact import Ball, enclose, working_precision

from .field_pairs import Pull
from .labels import Label

_BITS: Final = 1024
"""Bits for the shares: large grades cancel most digits."""


@final
@dataclass(frozen=True, slots=True)
class ShareField:
    """The field that draws softmax(u) to the expected shares."""

    def pull(self, label: Label, ranking: Sequence[int], scores: Sequence[Ball]) -> Pull:
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


def _sum(balls: Sequence[Ball]) -> Ball:
    found = Ball(0)
    for entry in balls:
        found = found + entry
    return found


def expected_shares(label: Label) -> list[Ball]:
    """E[x_i / sum_j x_j], x_i uniform between 2^grade - 1 and 2^grade.

    It is 1/m plus the alternating sum over the corners c of the box, S their total, of
    S^(m-1) log(S) (c_i/(m-1)! - S/m!).
    """
    m = len(label)
    with working_precision(_BITS):
        found = [1 / Ball(m)] * m
        for down in product((0, 1), repeat=m):
            corner = [2**grade - step for grade, step in zip(label, down, strict=True)]
            whole = sum(corner)
            if not whole:
                continue
            size = (-1) ** sum(down) * Ball(whole ** (m - 1)) * Ball(whole).log()
            found = [
                share + size * enclose(Fraction(c, factorial(m - 1)) - Fraction(whole, factorial(m)))
                for share, c in zip(found, corner, strict=True)
            ]
    return found
