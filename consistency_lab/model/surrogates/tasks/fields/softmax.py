"""XE-NDCG as LightGBM ships it: three terms of a Newton step on a listwise cross-entropy with random targets.

Each step draws a uniform gamma_i in [0, 1) for every item and aims at the shares
``x_i / sum_j x_j`` of ``x_i = 2^grade_i - gamma_i`` (Bruch 2021). The gradient is affine in these shares, so
its expectation is the gradient at the expected shares, and those are an exact sum of logarithms.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import factorial
from typing import TYPE_CHECKING, Final, final

from consistency_lab.exact import working_precision
from consistency_lab.model.surrogates.tasks.fields.numbers import N, softmax, total
from consistency_lab.model.surrogates.tasks.fields.rules import Piece, Rule
from consistency_lab.model.surrogates.tasks.fields.written import ONE, Written, whole
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction

if TYPE_CHECKING:
    from consistency_lab.model.surrogates.tasks.fields.numbers import Array

_PRECISION: Final = 1024
"""Bits for the expected shares: their sum over corners cancels most digits of large grades."""


@final
@dataclass(frozen=True, slots=True)
class ExpectedShares(Rule):
    """The expected gradient of rank_xendcg over its random numbers; the same in every order."""

    def piece(self, label: Label, ranking: Prediction) -> "SharePiece":
        return SharePiece(expected_shares(label))


@final
@dataclass(frozen=True, slots=True)
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
