"""Piecewise polynomials with rational breakpoints: a normal form on which shape is decided, not guessed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Final, final

from consistency_lab.core.phi.expression import Expression
from consistency_lab.core.phi.polynomial import (
    End,
    Polynomial,
    coefficients,
    has_root,
    is_nonnegative,
    polynomial,
    rational_roots,
    sign,
    sign_changes,
    value,
)
from consistency_lab.errors import UnsupportedError

_MAX_DEGREE: Final = 64
_MAX_PIECES: Final = 64
_BISECTIONS: Final = 24


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
    >>> from consistency_lab.core.phi import parse
    >>> hinge = PiecewisePolynomial.of(parse("max(0, 1-x)"))
    >>> hinge.breakpoints, hinge.is_convex(), hinge.infimum()
    ((Fraction(1, 1),), True, Fraction(0, 1))
    """

    breakpoints: tuple[Fraction, ...]
    pieces: tuple[tuple[Fraction, ...], ...]

    @staticmethod
    def of(e: Expression) -> "PiecewisePolynomial | None":
        """The normal form, or None if the function is not known to have one.

        There is none for functions with exp, log or roots in them, for irrational breakpoints, and for
        degrees or numbers of pieces above 64.
        """
        parts = []
        for child in e.args if e.op != "power" else e.args[:1]:
            part = PiecewisePolynomial.of(child)
            if part is None:
                return None
            parts.append(part)
        return combine(e, parts)

    @property
    def degree(self) -> int:
        """The largest degree of a piece (0 for zero)."""
        return max(0, *(len(piece) - 1 for piece in self.pieces))

    def intervals(self) -> list[tuple[End, End, Polynomial]]:
        """The pieces with the ends of their intervals."""
        ends: list[End] = [None, *self.breakpoints, None]
        return [(a, b, polynomial(p)) for (a, b), p in zip(pairwise(ends), self.pieces, strict=True)]

    def value(self, x: Fraction) -> Fraction:
        """The value at x."""
        return value(polynomial(self.pieces[sum(b < x for b in self.breakpoints)]), x)

    def slope(self, x: Fraction) -> tuple[Fraction, Fraction]:
        """The left and the right derivative at x."""
        left = self.pieces[sum(b < x for b in self.breakpoints)]
        right = self.pieces[sum(b <= x for b in self.breakpoints)]
        return value(polynomial(left).derivative(), x), value(polynomial(right).derivative(), x)

    def is_convex(self) -> bool:
        """Whether the function is convex: decided."""
        kinks = (self.slope(b) for b in self.breakpoints)
        return all(left <= right for left, right in kinks) and all(
            is_nonnegative(p.derivative().derivative(), a, b) for a, b, p in self.intervals()
        )

    def is_nonincreasing(self) -> bool:
        """Whether the function is nonincreasing: decided."""
        return all(is_nonnegative(-p.derivative(), a, b) for a, b, p in self.intervals())

    def is_twice_differentiable(self) -> bool:
        """Whether it has a second derivative everywhere: decided."""
        bends = (
            (polynomial(p).derivative().derivative(), polynomial(q).derivative().derivative())
            for p, q in pairwise(self.pieces)
        )
        return all(
            left == right and value(p, b) == value(q, b)
            for b, (left, right), (p, q) in zip(
                self.breakpoints, map(self.slope, self.breakpoints), bends, strict=True
            )
        )

    def infimum(self) -> Fraction | None:
        """The infimum, None for minus infinity; unless it is minus infinity it is attained.

        Raises
        ------
        UnsupportedError
            If it is not known to be rational; `lower_bound` gives a rational number below it.
        """
        lowest = self._lowest_rational()
        if not self._is_bounded_below():
            return None
        if self._exceeds(lowest):
            return lowest
        bound = self.lower_bound()
        if bound is not None and self._reaches(bound):
            return bound
        raise UnsupportedError(f"the infimum, just above {bound}, is not known to be rational")

    def lower_bound(self) -> Fraction | None:
        """The infimum if it is rational, else a rational slightly below it; None for minus infinity."""
        if not self._is_bounded_below():
            return None
        high = self._lowest_rational()
        if self._exceeds(high):
            return high
        step = Fraction(1)
        while not self._exceeds(high - step):
            step *= 2
        low = high - step
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._exceeds(middle) else (low, middle)
        return low

    def recession(self) -> tuple[Fraction | float, Fraction | float]:
        """The recession slopes phi'_inf(1) and phi'_inf(-1), rationals or plus or minus infinity.

        phi'_inf(d) is the limit of (phi(t d) - phi(0)) / t as t grows (DMJ10, Assumption A).
        """
        return _recession(self.pieces[-1], 1), _recession(self.pieces[0], -1)

    def _is_bounded_below(self) -> bool:
        return _bounded(self.pieces[-1], 1) and _bounded(self.pieces[0], -1)

    def _lowest_rational(self) -> Fraction:
        """The least value at breakpoints and rational critical points."""
        places = {Fraction(0), *self.breakpoints}
        for a, b, p in self.intervals():
            places.update(rational_roots(p.derivative(), a, b))
        return min(map(self.value, places))

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

    def _exceeds(self, bound: Fraction) -> bool:
        """Whether every value is at least `bound`: decided."""
        return all(is_nonnegative(p - polynomial([bound]), a, b) for a, b, p in self.intervals())

    def __neg__(self) -> "PiecewisePolynomial":
        return PiecewisePolynomial(self.breakpoints, tuple(tuple(-c for c in p) for p in self.pieces))


def combine(e: Expression, parts: Sequence[PiecewisePolynomial]) -> PiecewisePolynomial | None:
    """The normal form of an operation on normal forms (of all arguments, but not of an exponent)."""
    match e.op:
        case "number" if e.value is not None:
            return _single(polynomial([e.value]))
        case "variable":
            return _single(polynomial([Fraction(0), Fraction(1)]))
        case "negate":
            return -parts[0]
        case "add":
            return _pointwise(parts, lambda p, q: p + q)
        case "subtract":
            return _pointwise(parts, lambda p, q: p - q)
        case "multiply":
            return _pointwise(parts, lambda p, q: p * q)
        case "divide":
            return _divide(*parts)
        case "power":
            return _power(parts[0], e.exponent)
        case "abs":
            return _maximum(parts[0], -parts[0])
        case "max":
            return _fold(parts)
        case "min":
            smallest = _fold([-part for part in parts])
            return None if smallest is None else -smallest
    return None


def _single(p: Polynomial) -> PiecewisePolynomial:
    return PiecewisePolynomial((), (coefficients(p),))


def _joined(pieces: Sequence[tuple[End, Polynomial]]) -> PiecewisePolynomial | None:
    """The normal form from (left end, polynomial) in order: neighbors that are equal become one piece."""
    kept: list[tuple[End, Polynomial]] = []
    for start, p in pieces:
        if not kept or kept[-1][1] != p:
            kept.append((start, p))
    if len(kept) > _MAX_PIECES or any(p.degree() > _MAX_DEGREE for _, p in kept):
        return None
    breakpoints = tuple(start for start, _ in kept[1:] if start is not None)
    return PiecewisePolynomial(breakpoints, tuple(coefficients(p) for _, p in kept))


def _refined(parts: Sequence[PiecewisePolynomial]) -> list[tuple[End, End, list[Polynomial]]]:
    """The intervals on which every part is one polynomial."""
    inner = sorted({b for part in parts for b in part.breakpoints})
    ends: list[End] = [None, *inner, None]
    return [
        (a, b, [polynomial(f.pieces[0 if a is None else sum(x <= a for x in f.breakpoints)]) for f in parts])
        for a, b in pairwise(ends)
    ]


def _pointwise(
    parts: Sequence[PiecewisePolynomial], operation: Callable[[Polynomial, Polynomial], Polynomial]
) -> PiecewisePolynomial | None:
    return _joined([(a, operation(*polynomials)) for a, _, polynomials in _refined(parts)])


def _divide(f: PiecewisePolynomial, g: PiecewisePolynomial) -> PiecewisePolynomial | None:
    if g.degree or g.breakpoints or not g.pieces[0]:
        return None
    factor = polynomial([1 / g.pieces[0][0]])
    return _joined([(a, p * factor) for a, _, p in f.intervals()])


def _power(f: PiecewisePolynomial, exponent: Fraction) -> PiecewisePolynomial | None:
    if exponent.denominator > 1 or exponent < 0 or f.degree * exponent > _MAX_DEGREE:
        return None
    return _joined([(a, p ** int(exponent)) for a, _, p in f.intervals()])


def _fold(parts: Sequence[PiecewisePolynomial]) -> PiecewisePolynomial | None:
    largest: PiecewisePolynomial | None = parts[0]
    for part in parts[1:]:
        largest = None if largest is None else _maximum(largest, part)
    return largest


def _maximum(f: PiecewisePolynomial, g: PiecewisePolynomial) -> PiecewisePolynomial | None:
    pieces = []
    for a, b, (p, q) in _refined([f, g]):
        crossings = sign_changes(p - q, a, b)
        if crossings is None:
            return None
        for left, right in pairwise([a, *crossings, b]):
            pieces.append((left, q if sign(p - q, left, right) == -1 else p))
    return _joined(pieces)


def _bounded(piece: tuple[Fraction, ...], side: int) -> bool:
    """Whether a polynomial stays bounded below towards `side` times infinity."""
    degree = len(piece) - 1
    return degree < 1 or piece[-1] * side**degree > 0


def _recession(piece: tuple[Fraction, ...], side: int) -> Fraction | float:
    degree = len(piece) - 1
    if degree < 1:
        return Fraction(0)
    return side * piece[1] if degree == 1 else inf if _bounded(piece, side) else -inf
