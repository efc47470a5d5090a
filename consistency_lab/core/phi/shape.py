"""A calculus of composition: bounds and shape of a function, proved from those of its parts.

Every rule is a theorem of elementary convex analysis (Boyd and Vandenberghe, Convex Optimization, 3.2 and
3.5); what is not proved is not refuted. Parts that are piecewise polynomials with rational breakpoints are
decided exactly.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from fractions import Fraction
from functools import lru_cache, reduce
from operator import and_, or_
from types import MappingProxyType
from typing import Final, final

from consistency_lab.core.phi.algebra import Algebra, apply
from consistency_lab.core.phi.expression import Expression
from consistency_lab.core.phi.piecewise import (
    Pieces,
    has_convex_power,
    is_convex,
    is_nonincreasing,
    lower_bound,
    negative,
    pieces_of,
)
from consistency_lab.core.phi.ranges import Range, largest, undominated
from consistency_lab.exact import working_precision

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


@final
@dataclass(frozen=True, slots=True)
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
    """Everything that the rules prove of a function; None if it is not proved to be finite everywhere.

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> known = facts(parse("log(1+exp(-x))"))
    >>> known.shape, known.lower
    (<Shape.CONVEX|NONINCREASING: 5>, Fraction(0, 1))
    """
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

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> convexity_proof(parse("max(0, 1-x)")), convexity_proof(parse("log(1+exp(-x))"))
    ('piecewise polynomial', 'composition rules')
    >>> convexity_proof(parse("1/(1+exp(x))")) is None
    True
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
