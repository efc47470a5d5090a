"""What is proved of a scalar function: domain, kinks, symmetry, one entry a fact.

Convexity is proved in numbers/shape.py; what a loss needs of it, such as phi'(0) < 0, in model/properties.py.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import Final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers import shape
from consistency_lab.numbers.balls import ORIGIN, below, is_known, is_zero
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.exact.rational import fraction
from consistency_lab.numbers.expression import Expression
from consistency_lab.numbers.reflection import odd_slope
from consistency_lab.numbers.shape import (
    End,
    Pieces,
    Polynomial,
    Shape,
    beside,
    count_roots,
    is_convex,
    is_nonincreasing,
    least_value,
    lower_bound,
    pieces_of,
    polynomial,
    rational_roots,
    value,
)
from consistency_lab.numbers.shape import facts as proved_facts
from consistency_lab.numbers.values import enclose_value, slopes_at, undominated, value_at

# --- Piecewise polynomials as plain data: breakpoints and coefficients -----------------------------------


@frozen
class PiecewisePolynomial:
    """A continuous piecewise polynomial function.

    Examples
    --------
    >>> from consistency_lab.numbers.phi import parse
    >>> hinge = PiecewisePolynomial.of(parse("max(0, 1-x)"))
    >>> hinge.breakpoints, hinge.is_convex(), hinge.infimum()
    ((Fraction(1, 1),), True, Fraction(0, 1))
    """

    breakpoints: tuple[Fraction, ...]  #: The points at which the polynomial changes, in increasing order.
    #: One more tuple of coefficients (the constant one first, () for zero) than there are breakpoints.
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

        UnsupportedError if it is not known to be rational; `lower_bound` gives a rational number below it.
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


# --- What is proved of a function, one entry a fact; with `smooth`, that no proof needs ------------------


@frozen
class Facts:
    """What is proved of a function on the whole real line; False or None means "not proved"."""

    defined: bool = False  #: It has a finite value at every real x. Without this nothing else is claimed.
    #: Bounds on its values.
    lower: Fraction | None = None
    upper: Fraction | None = None
    #: Whether the bound is proved not to be attained.
    lower_strict: bool = False
    upper_strict: bool = False
    #: As the words say.
    convex: bool = False
    concave: bool = False
    nonincreasing: bool = False
    nondecreasing: bool = False
    #: It is positive and its logarithm is convex, or concave.
    log_convex: bool = False
    log_concave: bool = False
    smooth: bool = False  #: It is twice differentiable.

    @property
    def constant(self) -> bool:
        """Whether it is proved constant."""
        return self.nonincreasing and self.nondecreasing

    @property
    def positive(self) -> bool:
        """Whether every value is proved to be above 0."""
        return self.lower is not None and (self.lower, self.lower_strict) > (Fraction(0), False)


@lru_cache(maxsize=512)
def facts(e: Expression) -> Facts:
    """Everything that the rules prove of a function."""
    known = shape.facts(e)
    if known is None:
        return Facts()
    (low, low_strict), (minus, minus_strict) = known.range.low, known.range.minus
    return Facts(
        defined=True,
        lower=_exact(low),
        upper=_exact(-minus),
        lower_strict=low_strict,
        upper_strict=minus_strict,
        smooth=_is_smooth(e, known),
        **{kind.name.lower(): kind in known.shape for kind in Shape if kind.name},
    )


def _exact(bound: Fraction | float) -> Fraction | None:
    return bound if isinstance(bound, Fraction) else None


def _is_smooth(e: Expression, known: shape.Facts) -> bool:
    """Whether a function that is finite everywhere is proved to be twice differentiable."""
    if shape.AFFINE in known.shape:
        return True
    form = PiecewisePolynomial.of(e)
    if form is not None:
        return form.is_twice_differentiable()
    parts = [part for child in e.args if (part := shape.facts(child)) is not None]
    smooth = [_is_smooth(child, part) for child, part in zip(e.args, parts, strict=True)]
    if e.op == "abs":
        return smooth[0] and (parts[0].range.nonnegative or (-parts[0].range).nonnegative)
    if e.op in ("max", "min"):
        kept = undominated([part.range if e.op == "max" else -part.range for part in parts])
        return len(kept) == 1 and smooth[kept[0]]
    if e.op not in ("power", "sqrt"):
        return all(smooth)
    exponent = Fraction(1, 2) if e.op == "sqrt" else e.exponent
    return smooth[0] and (parts[0].range.positive or exponent.denominator == 1 or exponent >= 2)


# --- Where a scalar function is undefined, if that can be shown ------------------------------------------

_SIZES: Final = (*map(Fraction, (0, *range(1, 11), 20, 50, 100)), *(Fraction(n, 2) for n in range(1, 20, 2)))
_REACH: Final = 20


def undefined_at(e: Expression, x: Fraction) -> Expression | None:
    """A part of the function that certainly has no value at x, or None if none is found."""
    for child in e.args:
        part = undefined_at(child, x)
        if part is not None:
            return part
    return e if _fails(e, LogRational(x)) else None


def refuse_undefined(phi: Expression) -> None:
    """Refuse a function that is not finite everywhere, where that can be shown at a rational point."""
    if proved_facts(phi) is not None:
        return
    for x in _candidates(phi):
        part = undefined_at(phi, x)
        if part is not None:
            raise InputError(f"{part} is not defined at x = {x}; phi must be finite for every real x")
    for part in _divisions(phi):
        _refuse_pole(part)


def _refuse_pole(part: Expression) -> None:
    """Refuse a quotient whose divisor, a continuous function, changes sign."""
    divisor = part.args[1] if part.op == "divide" else part.args[0]
    if proved_facts(divisor) is None:
        return
    balls = [(x, enclose_value(divisor, LogRational(Fraction(x)))) for x in range(-_REACH, _REACH + 1)]
    for (a, left), (b, right) in pairwise(balls):
        if (left < 0 and right > 0) or (left > 0 and right < 0):
            raise InputError(
                f"{part} is not defined at some x between {a} and {b}; phi must be finite for every real x"
            )


def _fails(e: Expression, x: LogRational) -> bool:
    if e.op == "divide":
        return is_zero(value_at(e.args[1], x))
    if e.op not in ("log", "sqrt", "power"):
        return False
    u = value_at(e.args[0], x)
    if e.op == "log":
        return below(u, ORIGIN) or is_zero(u)
    exponent = Fraction(1, 2) if e.op == "sqrt" else e.exponent
    return (below(u, ORIGIN) and exponent.denominator > 1) or (is_zero(u) and exponent < 0)


def _candidates(phi: Expression) -> Iterator[Fraction]:
    """Points of a grid, then zeros of the parts that must not be zero or negative, and their neighbors."""
    for size in _SIZES:
        yield from (-size, size)
    for part in _guarded(phi):
        form = PiecewisePolynomial.of(part)
        for zero in form.zeros() if form is not None else ():
            yield from (zero, zero - 1, zero + 1)


def _divisions(e: Expression) -> Iterator[Expression]:
    if e.op == "divide" or (e.op == "power" and e.exponent < 0):
        yield e
    for child in e.args:
        yield from _divisions(child)


def _guarded(e: Expression) -> Iterator[Expression]:
    if e.op == "divide":
        yield e.args[1]
    elif e.op in ("log", "sqrt", "power"):
        yield e.args[0]
    for child in e.args:
        yield from _guarded(child)


# --- Whether a scalar function has a derivative at a point -----------------------------------------------


def is_differentiable(e: Expression, x: LogRational) -> bool | None:
    """Whether the function has a derivative at x; None if it is not known."""
    left, right = slopes_at(e, x)
    if not (is_known(left) and is_known(right)):
        return None
    if isinstance(left, LogRational) and isinstance(right, LogRational):
        return left == right
    if below(left, right) or below(right, left):
        return False
    return True if left is right else None


# --- Whether a function is a line plus an even function: then phi'(x) + phi'(-x) is constant -------------


def is_line_plus_even(e: Expression) -> bool:
    """Whether phi(x) - c x is proved to be even for some c; False proves nothing but for polynomials.

    Sums and constant multiples keep the property, also where c is irrational, which `odd_slope` cannot say.
    """
    if pieces_of(e) is not None or e.op not in ("add", "subtract", "negate", "multiply", "divide"):
        return odd_slope(e) is not None
    if e.op in ("add", "subtract", "negate") and all(map(is_line_plus_even, e.args)):
        return True
    constant = [_is_constant(part) for part in e.args]
    if e.op == "divide" and constant[1]:
        return is_line_plus_even(e.args[0])
    if e.op == "multiply" and any(constant):
        return is_line_plus_even(e.args[constant[0]])
    return odd_slope(e) is not None


def _is_constant(e: Expression) -> bool:
    return e.op != "variable" and all(map(_is_constant, e.args))
