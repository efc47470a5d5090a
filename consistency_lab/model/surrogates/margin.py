"""Margin losses: the score difference should exceed a margin that grows with the weight (DMJ10 Eq. 13)."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

from consistency_lab.errors import UnsupportedError
from consistency_lab.exact import LogRational
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.graph import PreferenceGraph
from consistency_lab.model.surrogates.base import GraphSurrogate, Term, pair
from consistency_lab.model.surrogates.family import Family
from consistency_lab.phi import Expression, exact_value


@final
@dataclass(frozen=True, slots=True)
class MarginSurrogate(GraphSurrogate):
    """phi(alpha, G) = sum over edges i → j of G of phi(alpha_i - alpha_j - h(a^G_ij)) (DMJ10 Eq. 13).

    Parameters
    ----------
    name
        "margin-" and the name of phi, or its text.
    phi
        The scalar loss, an expression in x.
    h
        The margin that an edge of weight a asks for, an expression in a.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> s = MarginSurrogate("margin-hinge", parse("max(0,1-x)"), parse("a", "a"))
    >>> str(s.risk_terms(Distribution.of(2, [(1, {(0, 1): 3})]))[0].b)
    '3'
    """

    name: str
    phi: Expression
    h: Expression
    family: ClassVar[str] = "margin"

    @property
    def functions(self) -> tuple[Expression, ...]:
        """Only phi."""
        return (self.phi,)

    def graph_terms(self, graph: PreferenceGraph, m: int) -> Iterable[Term]:
        """One term an edge."""
        return [pair(Fraction(1), self.phi, i, j, self.margin(w)) for i, j, w in graph]

    def margin(self, weight: Fraction) -> LogRational:
        """h(weight), exactly.

        Raises
        ------
        UnsupportedError
            If it is not known to be of the form a + log q.
        """
        value = exact_value(self.h, LogRational(weight))
        if value is None:
            raise UnsupportedError(
                f"h({weight}) is not known exactly; use edge weights at which h is rational"
            )
        return value

    def describe(self, distribution: Distribution) -> dict[str, object]:
        """Family, name, phi and h as texts."""
        return {"family": self.family, "name": self.name, "phi": str(self.phi), "h": self.h.text("a")}


MARGIN: Final = Family(
    MarginSurrogate,
    "sum over i→j of phi(alpha_i - alpha_j - h(a_ij))",
    "DMJ10 Eq. 13",
    (("phi(x)", "phi"), ("h(a)", "h")),
    every_phi=True,
    words="sum over edges i → j of φ(α_i - α_j - h(a)), h(a) = {h}",
)
