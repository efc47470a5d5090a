"""Convexity and monotonicity of phi, proved: piecewise polynomials exactly, all else from its parts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Flag, auto
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import pairwise
from math import inf
from operator import and_, or_
from types import MappingProxyType
from typing import Final, final

from flint import fmpq_poly

from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact import working_precision
from consistency_lab.numbers.exact.rational import fraction, quotient
from consistency_lab.numbers.expression import Algebra, Expression, apply
from consistency_lab.numbers.values import Range, undominated
from consistency_lab.numbers.values import largest_range as largest

# --- Questions about the sign of one rational polynomial on an interval, decided exactly -----------------
# Sturm's theorem counts real roots; FLINT factors over the rationals. An interval is open and given by its
# ends, None standing for minus or plus infinity.

Polynomial = fmpq_poly
End = Fraction | None


def polynomial(coefficients: Sequence[Fraction]) -> Polynomial:
    """The polynomial with these coefficients, the constant one first."""
    return fmpq_poly([quotient(c) for c in coefficients])


def value(p: Polynomial, x: Fraction) -> Fraction:
    """The value at x."""
    return fraction(p(quotient(x)))


def is_nonnegative(p: Polynomial, low: End, high: End) -> bool:
    """Whether p >= 0 everywhere between `low` and `high`: decided, never a guess."""
    return sign(p, low, high) in (0, 1)


def sign(p: Polynomial, low: End, high: End) -> int | None:
    """The one sign that p has between `low` and `high` (zeros aside), 0 if p = 0, None if it changes."""
    if p.degree() < 0:
        return 0
    if any(count_roots(factor, low, high) for factor in _odd_factors(p)):
        return None
    return _sample(p, low, high)


def sign_changes(p: Polynomial, low: End, high: End) -> list[Fraction] | None:
    """Where p changes sign between `low` and `high`, in order; None if one such place is irrational."""
    places = []
    for factor in _odd_factors(p):
        if not count_roots(factor, low, high):
            continue
        for prime, _ in factor.factor()[1]:
            count = count_roots(prime, low, high)
            if count and prime.degree() > 1:
                return None
            if count:
                places.append(fraction(-prime[0] / prime[1]))
    return sorted(places)


def rational_roots(p: Polynomial, low: End, high: End) -> list[Fraction]:
    """The rational roots between `low` and `high`, in order."""
    if p.degree() < 1:
        return []
    linear = [prime for prime, _ in p.factor()[1] if prime.degree() == 1]
    return sorted(fraction(-prime[0] / prime[1]) for prime in linear if count_roots(prime, low, high))


def _odd_factors(p: Polynomial) -> list[Polynomial]:
    """Square-free factors at whose roots p changes sign."""
    if p.degree() < 1:
        return []
    return [factor for factor, multiplicity in p.factor_squarefree()[1] if multiplicity % 2]


def count_roots(p: Polynomial, low: End, high: End) -> int:
    """The number of real roots of a square-free polynomial strictly between `low` and `high` (Sturm)."""
    chain = [p, p.derivative()]
    while chain[-1].degree() > 0:
        chain.append(-(chain[-2] % chain[-1]))
    at_end = int(high is not None and value(p, high) == 0)
    return _variations(chain, low, -1) - _variations(chain, high, 1) - at_end


def _variations(chain: Sequence[Polynomial], x: End, side: int) -> int:
    """Sign changes along the chain at x, or at `side` times infinity."""
    signs = [_sign_at(p, x, side) for p in chain]
    kept = [s for s in signs if s]
    return sum(a != b for a, b in pairwise(kept))


def _sign_at(p: Polynomial, x: End, side: int) -> int:
    degree = p.degree()
    found = p[degree] * (side**degree) if x is None else p(quotient(x))
    return int(found > 0) - int(found < 0)


def _sample(p: Polynomial, low: End, high: End) -> int:
    """The sign at some point between `low` and `high` that is not a root."""
    start = low if low is not None else (high or Fraction(0)) - 1
    width = (high if high is not None else start + 1) - start
    tries = p.degree() + 1
    signs = (_sign_at(p, start + width * Fraction(k, tries + 1), 1) for k in range(1, tries + 1))
    return next(s for s in signs if s)


# --- Piecewise polynomials with rational breakpoints -----------------------------------------------------
# A normal form on which shape is decided, not guessed.
#
# On an open interval where all arguments of an operation are polynomials, so is the result, unless two
# arguments of a maximum cross there: then the interval is cut.

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


@frozen
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


# --- A calculus of composition: bounds and shape of a function, proved from those of its parts -----------
# Every rule is a theorem of elementary convex analysis (Boyd and Vandenberghe, Convex Optimization, 3.2 and
# 3.5); what is not proved is not refuted. Parts that are piecewise polynomials with rational breakpoints are
# decided exactly.

_BITS: Final = 640
"""Bits of balls, whatever the working precision is: as many as the longest bounds have."""

PIECEWISE: Final = "piecewise polynomial"
RULES: Final = "composition rules"


@final
class Shape(Flag):
    """What may be proved on the whole real line; the last two: the logarithm exists and is of that kind."""

    CONVEX = auto()
    CONCAVE = auto()
    NONINCREASING = auto()
    NONDECREASING = auto()
    LOG_CONVEX = auto()
    LOG_CONCAVE = auto()


CONVEX, CONCAVE, NONINCREASING, NONDECREASING, LOG_CONVEX, LOG_CONCAVE = Shape
NONE: Final = Shape(0)
AFFINE: Final = CONVEX | CONCAVE
MONOTONE: Final = NONINCREASING | NONDECREASING
CONSTANT: Final = AFFINE | MONOTONE

_Table = Mapping[Shape, Shape]
_MIRRORED: Final[_Table] = MappingProxyType(
    {CONVEX: CONCAVE, CONCAVE: CONVEX, NONINCREASING: NONDECREASING, NONDECREASING: NONINCREASING}
)
_INVERTED: Final[_Table] = MappingProxyType(
    {
        NONINCREASING: NONDECREASING,
        NONDECREASING: NONINCREASING,
        LOG_CONVEX: LOG_CONCAVE,
        LOG_CONCAVE: LOG_CONVEX,
    }
)
_EXP: Final[_Table] = MappingProxyType({CONVEX: LOG_CONVEX, CONCAVE: LOG_CONCAVE})
_LOG: Final[_Table] = MappingProxyType({LOG_CONVEX: CONVEX, LOG_CONCAVE: CONCAVE})


@frozen
class Facts:
    """What is proved of a function that is finite at every real x: bounds on its values, and its shape."""

    range: Range
    shape: Shape
    pieces: Pieces | None = None

    @property
    def lower(self) -> Fraction | None:
        """A proved lower bound."""
        bound = self.range.low[0]
        return bound if isinstance(bound, Fraction) else None


@lru_cache(maxsize=1024)
def facts(e: Expression) -> Facts | None:
    """Everything that the rules prove of a function; None if it is not proved to be finite everywhere."""
    pieces = pieces_of(e)
    if pieces is not None:
        return _of_pieces(pieces)
    parts = [known for child in e.args if (known := facts(child)) is not None]
    try:
        with working_precision(_BITS):
            return apply(e, parts, _Rules()) if len(parts) == len(e.args) else None
    except _NotFiniteError:
        return None


def convexity_proof(e: Expression) -> str | None:
    """How it is proved that the function is finite and convex on the real line; None: it is not proved.

    Returns
    -------
    str or None
        "piecewise polynomial" (second derivatives and kinks decided exactly), "composition rules", or None.
    """
    pieces = pieces_of(e)
    if pieces is not None:
        return PIECEWISE if is_convex(pieces) else None
    known = facts(e)
    return RULES if known is not None and CONVEX in known.shape else None


def _known(bounds: Range, shape: Shape, pieces: Pieces | None = None) -> Facts:
    """The facts, with what follows from them for every function."""
    if MONOTONE in shape or bounds.is_point:
        shape |= CONSTANT | (LOG_CONVEX | LOG_CONCAVE if bounds.positive else NONE)
    if LOG_CONVEX in shape:
        shape |= CONVEX
    return Facts(bounds, shape, pieces)


def _of_pieces(f: Pieces) -> Facts:
    """A piecewise polynomial is decided: what is not found here is false.

    If it is at least some c > 0, its logarithm is bounded below and grows slower than any line: convex or
    concave on the whole line it is only if it is constant.
    """
    minus = negative(f)
    bounds = Range((lower_bound(f), False), (lower_bound(minus), False))
    found = {
        CONVEX: is_convex(f),
        CONCAVE: is_convex(minus),
        NONINCREASING: is_nonincreasing(f),
        NONDECREASING: is_nonincreasing(minus),
    }
    return _known(bounds, _union(kind for kind, is_so in found.items() if is_so), f)


def _union(kinds: Iterable[Shape]) -> Shape:
    return reduce(or_, kinds, NONE)


def _common(parts: Sequence[Facts]) -> Shape:
    return reduce(and_, (part.shape for part in parts))


def _sent(shape: Shape, table: _Table) -> Shape:
    return _union(table[kind] for kind in shape if kind in table)


class _NotFiniteError(Exception):
    """It is not proved that the function is finite everywhere."""


@final
class _Rules(Algebra[Facts]):
    """What follows for an operation from what is known of its arguments."""

    def number(self, value: Fraction) -> Facts:
        return _known(Range.point(value), CONSTANT)

    def variable(self) -> Facts:
        return _known(Range(), AFFINE | NONDECREASING)

    def negate(self, u: Facts) -> Facts:
        return _known(-u.range, _sent(u.shape, _MIRRORED))

    def add(self, u: Facts, v: Facts) -> Facts:
        return _known(u.range + v.range, u.shape & v.shape & ~LOG_CONCAVE)

    def multiply(self, u: Facts, v: Facts) -> Facts:
        both = u.shape & v.shape
        shape = both & (LOG_CONVEX | LOG_CONCAVE)
        for factor, other in ((u, v), (v, u)):
            if (-factor.range).nonnegative and not factor.range.nonnegative:
                return self.negate(self.multiply(self.negate(factor), other))
            if factor.range.nonnegative and CONSTANT in factor.shape:
                shape |= other.shape & CONSTANT
        if u.range.nonnegative and v.range.nonnegative:
            shape |= both & MONOTONE
            if both & MONOTONE:
                shape |= both & CONVEX
        return _known(u.range * v.range, shape)

    def power(self, u: Facts, exponent: Fraction) -> Facts:
        bounds, odd = u.range.power(exponent), exponent.numerator % 2 == 1
        if exponent == 0:
            return self.number(Fraction(1))
        if u.range.positive or (u.range.nonnegative and exponent > 0):
            shape = u.shape & ~AFFINE if exponent > 0 else _sent(u.shape, _INVERTED)
            if exponent >= 1:
                shape |= u.shape & CONVEX
            # Bounded powers, and concave ones that are bounded below, are constant.
            if u.pieces is not None and u.range.positive and exponent > 0:
                shape |= CONVEX if has_convex_power(u.pieces, exponent) else NONE
            return _known(bounds, shape)
        if exponent.denominator > 1 or (exponent < 0 and not (-u.range).positive):
            raise _NotFiniteError
        if (-u.range).nonnegative:
            mirrored = self.power(self.negate(u), exponent)
            return self.negate(mirrored) if odd else mirrored
        if odd:
            return _known(bounds, u.shape & MONOTONE)
        return _known(bounds, CONVEX if AFFINE in u.shape else NONE)

    def exp(self, u: Facts) -> Facts:
        return _known(u.range.exp(), u.shape & (CONVEX | MONOTONE) | _sent(u.shape, _EXP))

    def log(self, u: Facts) -> Facts:
        if not u.range.positive:
            raise _NotFiniteError
        return _known(u.range.log(), u.shape & MONOTONE | _sent(u.shape, _LOG))

    def maximum(self, parts: Sequence[Facts]) -> Facts:
        kept = [parts[k] for k in undominated([u.range for u in parts])]
        if len(kept) == 1:
            return kept[0]
        return _known(largest([u.range for u in kept]), _common(kept) & (CONVEX | MONOTONE | LOG_CONVEX))

    def minimum(self, parts: Sequence[Facts]) -> Facts:
        known = super().minimum(parts)
        return _known(known.range, known.shape | _common(parts) & LOG_CONCAVE)
