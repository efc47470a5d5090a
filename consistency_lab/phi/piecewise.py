"""Piecewise polynomials as plain data: breakpoints and coefficients."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import final

from consistency_lab.core.phi.expression import Expression
from consistency_lab.core.phi.piecewise import (
    Pieces,
    beside,
    is_convex,
    is_nonincreasing,
    least_value,
    lower_bound,
    pieces_of,
)
from consistency_lab.core.phi.polynomial import (
    End,
    Polynomial,
    count_roots,
    polynomial,
    rational_roots,
    value,
)
from consistency_lab.errors import UnsupportedError
from consistency_lab.exact.linear import fraction


@final
@dataclass(frozen=True, slots=True)
class PiecewisePolynomial:
    """A continuous piecewise polynomial function.

    Parameters
    ----------
    breakpoints
        The points at which the polynomial changes, in increasing order.
    pieces
        One more tuple of coefficients (the constant one first, () for zero) than there are breakpoints.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> hinge = PiecewisePolynomial.of(parse("max(0, 1-x)"))
    >>> hinge.breakpoints, hinge.is_convex(), hinge.infimum()
    ((Fraction(1, 1),), True, Fraction(0, 1))
    """

    breakpoints: tuple[Fraction, ...]
    pieces: tuple[tuple[Fraction, ...], ...]

    @staticmethod
    def of(e: Expression) -> "PiecewisePolynomial | None":
        """The normal form, or None if the function is not known to have one, see `pieces_of`."""
        found = pieces_of(e)
        if found is None:
            return None
        breakpoints = tuple(high for _, high, _ in found if high is not None)
        return PiecewisePolynomial(breakpoints, tuple(coefficients(p) for _, _, p in found))

    @property
    def degree(self) -> int:
        """The largest degree of a piece (0 for zero)."""
        return max(0, *(len(piece) - 1 for piece in self.pieces))

    def intervals(self) -> Pieces:
        """The pieces with the ends of their intervals."""
        ends: list[End] = [None, *self.breakpoints, None]
        return tuple((a, b, polynomial(p)) for (a, b), p in zip(pairwise(ends), self.pieces, strict=True))

    def value(self, x: Fraction) -> Fraction:
        """The value at x."""
        return value(beside(self.intervals(), x)[0], x)

    def slope(self, x: Fraction) -> tuple[Fraction, Fraction]:
        """The left and the right derivative at x."""
        left, right = (value(p.derivative(), x) for p in beside(self.intervals(), x))
        return left, right

    def is_convex(self) -> bool:
        """Whether the function is convex: decided."""
        return is_convex(self.intervals())

    def is_nonincreasing(self) -> bool:
        """Whether the function is nonincreasing: decided."""
        return is_nonincreasing(self.intervals())

    def is_twice_differentiable(self) -> bool:
        """Whether it has a second derivative everywhere: decided."""

        def bends(x: Fraction) -> list[tuple[Fraction, Fraction]]:
            slopes = (p.derivative() for p in beside(self.intervals(), x))
            return [(value(p, x), value(p.derivative(), x)) for p in slopes]

        return all(left == right for left, right in map(bends, self.breakpoints))

    def infimum(self) -> Fraction | None:
        """The infimum, None for minus infinity; unless it is minus infinity it is attained.

        Raises
        ------
        UnsupportedError
            If it is not known to be rational; `lower_bound` gives a rational number below it.
        """
        bound = self.lower_bound()
        if bound is None or bound == least_value(self.intervals()) or self._reaches(bound):
            return bound
        raise UnsupportedError(f"the infimum, just above {bound}, is not known to be rational")

    def lower_bound(self) -> Fraction | None:
        """The infimum if it is rational, else a rational slightly below it; None for minus infinity."""
        bound = lower_bound(self.intervals())
        return bound if isinstance(bound, Fraction) else None

    def recession(self) -> tuple[Fraction | float, Fraction | float]:
        """The recession slopes phi'_inf(1) and phi'_inf(-1), rationals or plus or minus infinity.

        phi'_inf(d) is the limit of (phi(t d) - phi(0)) / t as t grows (DMJ10, Assumption A).
        """
        return _recession(self.pieces[-1], 1), _recession(self.pieces[0], -1)

    def _reaches(self, bound: Fraction) -> bool:
        """Whether some value is `bound`: decided."""
        return any(self.value(b) == bound for b in self.breakpoints) or any(
            has_root(p - polynomial([bound]), a, b) for a, b, p in self.intervals()
        )

    def zeros(self) -> list[Fraction]:
        """The rational points where the function is zero (the ends, of an interval on which it is)."""
        found = {b for b in self.breakpoints if self.value(b) == 0}
        for a, b, p in self.intervals():
            found.update(rational_roots(p, a, b))
        return sorted(found)

    def __neg__(self) -> "PiecewisePolynomial":
        return PiecewisePolynomial(self.breakpoints, tuple(tuple(-c for c in p) for p in self.pieces))


def coefficients(p: Polynomial) -> tuple[Fraction, ...]:
    """The coefficients, the constant one first; () for zero."""
    return tuple(fraction(c) for c in p.coeffs())


def has_root(p: Polynomial, low: End, high: End) -> bool:
    """Whether p is zero somewhere between `low` and `high`."""
    if p.degree() < 1:
        return p.degree() < 0
    return any(count_roots(factor, low, high) for factor, _ in p.factor_squarefree()[1])


def _recession(piece: tuple[Fraction, ...], side: int) -> Fraction | float:
    degree = len(piece) - 1
    if degree < 1:
        return Fraction(0)
    return side * piece[1] if degree == 1 else inf * side**degree * (1 if piece[-1] > 0 else -1)
