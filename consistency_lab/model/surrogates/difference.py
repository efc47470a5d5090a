"""Losses on the difference graph, a structure aggregated over labels first (DMJ13)."""

from dataclasses import dataclass
from typing import ClassVar, Final, final

from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates.base import Surrogate, Term, pair
from consistency_lab.model.surrogates.family import Family
from consistency_lab.phi import Expression


@final
@dataclass(frozen=True, slots=True)
class DifferenceSurrogate(Surrogate):
    """sum over edges of the difference graph of [d_ij]_+ phi(alpha_i - alpha_j) (DMJ13).

    Parameters
    ----------
    name
        "difference-" and the name of phi, or its text.
    phi
        The scalar loss, an expression in x.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> s = DifferenceSurrogate("difference-logistic", parse("log(1+exp(-x))"))
    >>> [str(t.c) for t in s.risk_terms(Distribution.from_aggregate([[0, 2], [1, 0]]))]
    ['1']
    """

    name: str
    phi: Expression
    family: ClassVar[str] = "difference"

    @property
    def of_aggregate(self) -> bool:
        """It is defined on the aggregate."""
        return True

    @property
    def functions(self) -> tuple[Expression, ...]:
        """Only phi."""
        return (self.phi,)

    def risk_terms(self, distribution: Distribution) -> tuple[Term, ...]:
        """The terms [d_ij]_+ phi(alpha_i - alpha_j) in index order."""
        d = distribution.difference
        return tuple(
            pair(d[i][j], self.phi, i, j) for i in range(len(d)) for j in range(len(d)) if d[i][j] > 0
        )

    def describe(self, distribution: Distribution) -> dict[str, object]:
        """Family, name and phi as texts."""
        return {"family": self.family, "name": self.name, "phi": str(self.phi)}


DIFFERENCE: Final = Family(
    DifferenceSurrogate,
    "sum over i→j of [d_ij]_+ phi(alpha_i - alpha_j)",
    "DMJ13 §5.3",
    (("phi(x)", "phi"),),
    differences_only=True,
    takes_differences=True,
    words="sum over the edges of the difference graph of d_ij φ(α_i - α_j)",
)
