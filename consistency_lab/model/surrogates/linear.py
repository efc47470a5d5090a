"""The value-regularized linear loss (DMJ10 Eq. 14)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates.base import Surrogate, Term, merged, pair
from consistency_lab.model.surrogates.family import Family
from consistency_lab.phi import Expression, parse

SLOPE: Final = parse("-x")
"""The linear part: a_ij (alpha_j - alpha_i) is a_ij times -x at x = alpha_i - alpha_j."""


@final
@dataclass(frozen=True, slots=True)
class LinearSurrogate(Surrogate):
    """phi(alpha, G) = sum over edges a^G_ij (alpha_j - alpha_i) + nu sum_i r(alpha_i) (DMJ10 Eq. 14).

    Its minimizer is alpha_i = (r')^{-1}(sum_j d_ij / nu) (Eq. 15).

    Parameters
    ----------
    name
        A short name.
    r
        The regularizer, strictly convex and 1-coercive, an expression in x.
    nu
        Its weight, positive.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> s = LinearSurrogate("linear", parse("x**2/2"), Fraction(1))
    >>> [str(t.phi) for t in s.risk_terms(Distribution.of(2, [(1, {(0, 1): 3})]))]
    ['-x', 'x**2/2', 'x**2/2']
    """

    name: str
    r: Expression
    nu: Fraction
    family: ClassVar[str] = "linear"

    @property
    def of_aggregate(self) -> bool:
        """The preferences enter by their sums."""
        return True

    @property
    def functions(self) -> tuple[Expression, ...]:
        """The slope -x, and r."""
        return SLOPE, self.r

    def risk_terms(self, distribution: Distribution) -> tuple[Term, ...]:
        """The pair terms in index order of the aggregate, then the regularizer item by item."""
        a = distribution.aggregate
        pairs = [pair(a[i][j], SLOPE, i, j) for i in range(len(a)) for j in range(len(a)) if a[i][j]]
        return merged([*pairs, *(Term(self.nu, self.r, ((i, 1),)) for i in range(len(a)))])

    def describe(self, distribution: Distribution) -> dict[str, object]:
        """Family, name, r and nu as texts."""
        return {"family": self.family, "name": self.name, "r": str(self.r), "nu": str(self.nu)}


LINEAR: Final = Family(
    LinearSurrogate,
    "sum over i→j of a_ij (alpha_j - alpha_i) + nu sum_i r(alpha_i)",
    "DMJ10 Eq. 14",
    (("r(x)", "r"), ("nu", "nu")),
    affine=True,
    differences_only=True,
    words="sum over edges i → j of a (α_j - α_i), and ν sum_i r(α_i) with ν = {nu}",
)
