"""Least squares on a score of each item that a preference graph gives (RAT13 Theorem 6)."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

from consistency_lab.exact import LogRational
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.graph import PreferenceGraph
from consistency_lab.model.surrogates.base import GraphSurrogate, Term
from consistency_lab.model.surrogates.family import Family
from consistency_lab.phi import Expression, parse

SQUARE: Final = parse("x**2")


@final
@dataclass(frozen=True, slots=True)
class RegressionSurrogate(GraphSurrogate):
    """sum_i (alpha_i - f_i(G))^2 with f_i(G) = sum_j (a^G_ij - a^G_ji), the net preference for i.

    Its minimizer is alpha = E f(G), so the order is that of sum_j d_ij.

    Examples
    --------
    >>> terms = RegressionSurrogate("regression").risk_terms(Distribution.of(2, [(1, {(0, 1): 3})]))
    >>> [str(t.b) for t in terms]
    ['3', '-3']
    """

    name: str
    family: ClassVar[str] = "regression"

    @property
    def of_aggregate(self) -> bool:
        """W = sum_i (alpha_i - E f_i)^2, and the variances of the f_i, which no score changes."""
        return True

    @property
    def functions(self) -> tuple[Expression, ...]:
        """Only x**2."""
        return (SQUARE,)

    def graph_terms(self, graph: PreferenceGraph, m: int) -> Iterable[Term]:
        """One term an item."""
        f = [Fraction(0)] * m
        for i, j, w in graph:
            f[i] += w
            f[j] -= w
        return [Term(Fraction(1), SQUARE, ((i, 1),), LogRational(value)) for i, value in enumerate(f)]

    def describe(self, distribution: Distribution) -> dict[str, object]:
        """Family, name and the regressed score."""
        return {"family": self.family, "name": self.name, "f": "net"}


REGRESSION: Final = Family(
    RegressionSurrogate,
    "sum_i (alpha_i - f_i)^2 with f_i = sum_j (a_ij - a_ji)",
    "RAT13 Thm 6",
    fixed=(("f", "net"),),
    affine=True,
    differences_only=True,
    words="sum_i (α_i - f_i(G))², with f_i(G) = sum_j (a^G_ij - a^G_ji)",
)
