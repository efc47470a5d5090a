"""Edge losses: a scalar loss of the score difference on every edge (DMJ10 Eq. 9)."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.exact import LogRational, certainly_positive
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates.base import Surrogate, Term, merged, pair
from consistency_lab.model.surrogates.family import Family
from consistency_lab.phi import Expression, X, enclose_value, exact_value


@final
@dataclass(frozen=True, slots=True)
class EdgeSurrogate(Surrogate):
    """phi(alpha, G) = sum over edges i → j of G of h(a^G_ij) phi(alpha_i - alpha_j) (DMJ10 Eq. 9).

    Parameters
    ----------
    name
        The name of phi, or its text.
    phi
        The scalar loss, an expression in x.
    h
        How much an edge of weight a counts, an expression in a; h >= 0.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> s = EdgeSurrogate("logistic", parse("log(1+exp(-x))"), parse("a", "a"))
    >>> s.risk_terms(Distribution.from_aggregate([[0, 2], [1, 0]]))[0].c
    Fraction(2, 1)
    """

    name: str
    phi: Expression
    h: Expression
    family: ClassVar[str] = "edge"

    @property
    def of_aggregate(self) -> bool:
        """Where an edge counts by its weight: h_ij = a_ij."""
        return self.h == X

    @property
    def functions(self) -> tuple[Expression, ...]:
        """Only phi."""
        return (self.phi,)

    def risk_terms(self, distribution: Distribution) -> tuple[Term, ...]:
        """The terms h_ij phi(alpha_i - alpha_j), h_ij = sum over G of p_G h(a^G_ij)."""
        count = edge_factors(self.h, (w for graph in distribution.graphs for *_, w in graph))
        return merged(
            pair(p * count[w], self.phi, i, j)
            for p, graph in zip(distribution.probabilities, distribution.graphs, strict=True)
            for i, j, w in graph
        )

    def describe(self, distribution: Distribution) -> dict[str, object]:
        """Family, name, phi and h as texts."""
        return {"family": self.family, "name": self.name, "phi": str(self.phi), "h": self.h.text("a")}


def edge_factors(h: Expression, weights: Iterable[Fraction]) -> dict[Fraction, Fraction]:
    """h(w) for each weight; 1 where all weights are equal and h of it is positive but irrational.

    A positive factor common to all edges changes no minimizer, so such an h is as exact as any other.

    Raises
    ------
    InputError
        If h is negative at a weight.
    UnsupportedError
        If h is irrational at one of several weights.
    """
    distinct = sorted(set(weights))
    factors: dict[Fraction, Fraction] = {}
    for w in distinct:
        exact = exact_value(h, LogRational(w))
        value = exact.as_rational() if exact is not None else None
        if value is None and len(distinct) == 1 and certainly_positive(enclose_value(h, LogRational(w))):
            value = Fraction(1)
        if value is None:
            raise UnsupportedError(
                f"h({w}) is not known to be rational; use edge weights at which h is rational"
            )
        if value < 0:
            raise InputError(f"h({w}) = {value}; h must be at least 0 on positive weights")
        factors[w] = value
    return factors


EDGE: Final = Family(
    EdgeSurrogate,
    "sum over i→j of h(a_ij) phi(alpha_i - alpha_j)",
    "DMJ10 Eq. 9",
    (("phi(x)", "phi"), ("h(a)", "h")),
    every_phi=True,
    words="sum over edges i → j of h(a) φ(α_i - α_j), h(a) = {h}",
)
