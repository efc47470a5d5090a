"""Piecewise polynomials with rational breakpoints: a normal form on which shape is decided, not guessed.

On an open interval where all arguments of an operation are polynomials, so is the result, unless two
arguments of a maximum cross there: then the interval is cut.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import Final, final

from consistency_lab.core.phi.algebra import Algebra, apply
from consistency_lab.core.phi.expression import Expression
from consistency_lab.core.phi.polynomial import (
    End,
    Polynomial,
    is_nonnegative,
    polynomial,
    rational_roots,
    sign,
    sign_changes,
    value,
)

Piece = tuple[End, End, Polynomial]
"""The ends of an interval, and the polynomial there."""

Pieces = tuple[Piece, ...]
"""A continuous function from left to right; neighbors differ."""

_MAX_DEGREE: Final = 64
_MAX_PIECES: Final = 64
_BISECTIONS: Final = 24


@lru_cache(maxsize=1024)
def pieces_of(e: Expression) -> Pieces | None:
    """The normal form, or None if the function is not known to have one.

    There is none for functions with exp, log or roots in them, for irrational breakpoints, and for
    degrees or numbers of pieces above 64.

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> [str(p) for _, _, p in pieces_of(parse("max(0, 1-x)"))]
    ['(-1)*x + 1', '0']
    """
    parts = [f for child in e.args if (f := pieces_of(child)) is not None]
    if len(parts) < len(e.args):
        return None
    inner = sorted({high for f in parts for _, high, _ in f if high is not None})
    done: list[Piece] = []
    waiting: list[tuple[End, End]] = list(pairwise([None, *inner, None]))[::-1]
    while waiting:
        low, high = waiting.pop()
        try:
            p = apply(e, [_right_of(f, low) for f in parts], _On(low, high))
        except _NoPolynomialError:
            return None
        except _CutError as cut:
            waiting += reversed(list(pairwise([low, *cut.places, high])))
        else:
            if done and done[-1][2] == p:
                low = done.pop()[0]
            done.append((low, high, p))
        if len(done) + len(waiting) > _MAX_PIECES:
            return None
    return tuple(done)


class _NoPolynomialError(Exception):
    """The function is not a polynomial there, or none of moderate degree."""


class _CutError(Exception):
    """A maximum changes hands at these places."""

    def __init__(self, places: Sequence[Fraction]) -> None:
        super().__init__()
        self.places = places


@final
@dataclass(frozen=True, slots=True)
class _On(Algebra[Polynomial]):
    """Polynomials on an open interval."""

    low: End
    high: End

    def number(self, value: Fraction) -> Polynomial:
        return polynomial([value])

    def variable(self) -> Polynomial:
        return polynomial([Fraction(0), Fraction(1)])

    def add(self, u: Polynomial, v: Polynomial) -> Polynomial:
        return u + v

    def multiply(self, u: Polynomial, v: Polynomial) -> Polynomial:
        if u.degree() + v.degree() > _MAX_DEGREE:
            raise _NoPolynomialError
        return u * v

    def power(self, u: Polynomial, exponent: Fraction) -> Polynomial:
        if exponent < 0 and u.degree() == 0:
            u, exponent = polynomial([1 / value(u, Fraction(0))]), -exponent
        if exponent.denominator > 1 or exponent < 0 or u.degree() * exponent > _MAX_DEGREE:
            raise _NoPolynomialError
        return u ** int(exponent)

    def exp(self, u: Polynomial) -> Polynomial:
        raise _NoPolynomialError

    def log(self, u: Polynomial) -> Polynomial:
        raise _NoPolynomialError

    def maximum(self, parts: Sequence[Polynomial]) -> Polynomial:
        largest, *others = parts
        for p in others:
            first = sign(largest - p, self.low, self.high)
            if first is None:
                places = sign_changes(largest - p, self.low, self.high)
                raise _NoPolynomialError if places is None else _CutError(places)
            largest = p if first < 0 else largest
        return largest


def beside(f: Pieces, x: Fraction) -> tuple[Polynomial, Polynomial]:
    """The polynomials to the left and to the right of x."""
    return next(p for _, high, p in f if high is None or x <= high), _right_of(f, x)


def _right_of(f: Pieces, x: End) -> Polynomial:
    return next(p for _, high, p in f if high is None or x is None or x < high)


def negative(f: Pieces) -> Pieces:
    """The function -f."""
    return tuple((low, high, -p) for low, high, p in f)


def is_convex(f: Pieces) -> bool:
    """Whether the function is convex: decided."""
    return _curves(f, lambda p: p.derivative().derivative())


def is_nonincreasing(f: Pieces) -> bool:
    """Whether the function is nonincreasing: decided."""
    return all(is_nonnegative(-p.derivative(), low, high) for low, high, p in f)


def has_convex_power(f: Pieces, exponent: Fraction) -> bool:
    """Whether f**exponent is convex, f and the exponent being positive.

    (f**r)'' = r f**(r-2) (f f'' + (r-1) f'**2), and at a kink the slopes must not fall.
    """
    rank = polynomial([exponent - 1])
    return _curves(f, lambda p: p * p.derivative().derivative() + rank * p.derivative() ** 2)


def _curves(f: Pieces, bend: Callable[[Polynomial], Polynomial]) -> bool:
    """Whether slopes rise at the kinks, and the bend is nowhere negative in between."""
    inner = [high for _, high, _ in f if high is not None]
    kinks = [[value(p.derivative(), x) for p in beside(f, x)] for x in inner]
    return all(left <= right for left, right in kinks) and all(
        is_nonnegative(bend(p), low, high) for low, high, p in f
    )


def lower_bound(f: Pieces) -> Fraction | float:
    """The infimum if it is rational or minus infinity, else a rational slightly below it."""
    if not (_bounded(f[-1][2], 1) and _bounded(f[0][2], -1)):
        return -inf
    high = least_value(f)
    if exceeds(f, high):
        return high
    step = Fraction(1)
    while not exceeds(f, high - step):
        step *= 2
    low = high - step
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if exceeds(f, middle) else (low, middle)
    return low


def least_value(f: Pieces) -> Fraction:
    """The least value at 0, at breakpoints and at rational critical points."""
    places = {Fraction(0)}
    for low, high, p in f:
        places |= {x for x in (low, *rational_roots(p.derivative(), low, high)) if x is not None}
    return min(value(beside(f, x)[0], x) for x in places)


def exceeds(f: Pieces, bound: Fraction) -> bool:
    """Whether every value is at least `bound`: decided."""
    return all(is_nonnegative(p - polynomial([bound]), low, high) for low, high, p in f)


def _bounded(p: Polynomial, side: int) -> bool:
    """Whether a polynomial stays bounded below towards `side` times infinity."""
    degree = p.degree()
    return degree < 1 or p[degree] * side**degree > 0
