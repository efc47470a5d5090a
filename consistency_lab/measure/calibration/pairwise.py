"""The terms of an edge loss over the aggregate, in floats and as enclosures that are looked up."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import Ball, LogRational, enclose
from consistency_lab.model.surrogates import Surrogate, Term
from consistency_lab.phi import Expression, enclose_slopes, enclose_value
from consistency_lab.search.realize import TermTable
from consistency_lab.solve.numeric import compiled

Array = NDArray[np.float64]
Vector = tuple[Fraction, ...]


@final
class EdgeRisk:
    """W(a, alpha) = sum_ij a_ij phi(alpha_i - alpha_j), linear in the aggregate a.

    Parameters
    ----------
    surrogate
        An edge loss with h(a) = a.
    m
        Number of items.
    """

    def __init__(self, surrogate: Surrogate, m: int) -> None:
        self.m = m
        self.phi: Expression = surrogate.functions[0]
        self.table = TermTable(surrogate, m)
        self.pairs = [(i, j) for i in range(m) for j in range(m) if i != j]
        self._values: dict[Fraction, Ball] = {}
        self._slopes: dict[Fraction, Ball] = {}

    @cached_property
    def directions(self) -> Array:
        """e_i - e_j for each ordered pair, shape (pairs, m)."""
        rows = np.zeros((len(self.pairs), self.m))
        for k, (i, j) in enumerate(self.pairs):
            rows[k, i], rows[k, j] = 1.0, -1.0
        return rows

    def weights(self, aggregates: Sequence[Vector]) -> Array:
        """The entries of aggregates on the ordered pairs, shape (B, pairs)."""
        return np.array([[float(x) for x in self.on_pairs(a)] for a in aggregates])

    def on_pairs(self, aggregate: Vector) -> Vector:
        """The entries of one aggregate on the ordered pairs."""
        return tuple(aggregate[i * self.m + j] for i, j in self.pairs)

    def floats(self, scores: Array) -> Array:
        """phi(alpha_i - alpha_j), shape (B, pairs), for scores of shape (B, m)."""
        return np.asarray(compiled(self.phi)(scores @ self.directions.T)[0])

    def phi_at(self, x: Array) -> tuple[Array, Array]:
        """phi and its slope, in floats."""
        value, slope, _ = compiled(self.phi)(x)
        return np.asarray(value), np.asarray(slope)

    def value(self, x: Fraction) -> Ball:
        """An enclosure of phi(x)."""
        if x not in self._values:
            self._values[x] = enclose_value(self.phi, LogRational(x))
        return self._values[x]

    def slope(self, x: Fraction) -> Ball:
        """An enclosure of a subgradient at x: the slope on the right."""
        if x not in self._slopes:
            self._slopes[x] = enclose_slopes(self.phi, LogRational(x))[1]
        return self._slopes[x]

    def at(self, aggregate: Vector, scores: Sequence[Fraction]) -> Ball:
        """An enclosure of W."""
        parts = (
            enclose(c) * self.value(scores[i] - scores[j])
            for c, (i, j) in zip(self.on_pairs(aggregate), self.pairs, strict=True)
            if c
        )
        return sum(parts, enclose(0))

    def terms(self, aggregate: Vector) -> list[Term]:
        """The terms of W at one aggregate."""
        return [
            Term(c, self.phi, ((i, 1), (j, -1)) if i < j else ((j, -1), (i, 1)))
            for c, (i, j) in zip(self.on_pairs(aggregate), self.pairs, strict=True)
            if c
        ]
