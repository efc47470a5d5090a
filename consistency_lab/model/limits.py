"""Limits of a scalar function by SymPy: the last resort of `consistency_lab.model.properties`.

SymPy is imported only when a limit is needed, and sees a formula that is built node by node from our own
tree, never a text. It is held within bounds that know no clock: the size of the formula, the size of the
numbers in it, and the number of functions that SymPy may call.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any, Final, TypeVar

from consistency_lab.frozen import frozen
from consistency_lab.model.foreign import CALLS, within
from consistency_lab.numbers.balls import ORIGIN, ball, is_zero
from consistency_lab.numbers.exact import Ball, working_precision
from consistency_lab.numbers.phi import Expression
from consistency_lab.numbers.values import value_at

if TYPE_CHECKING:
    Formula = Any

_Found = TypeVar("_Found", "Tail", "SlopesAtZero")

_MAX_NODES: Final = 60
_MAX_HEIGHT: Final = 4
"""Larger trees, and higher towers of functions, are not handed to SymPy: it might not come back."""

_MAX_CALLS: Final = 1_000_000
"""SymPy's limits are stopped after so many calls of functions; most take a tenth of that."""

_PRECISION: Final = 128
_MAX_BITS: Final = 4096
_HUGE: Final = Ball(2) ** _MAX_BITS
_TINY: Final = Ball(2) ** -_MAX_BITS
STOPPED: Final = f"SymPy was stopped after {_MAX_CALLS:,} calls"
"""Why a limit is not known, for people."""


@frozen
class Limit:
    """A limit: its text, its sign, and whether it is a real number (rather than plus or minus infinity)."""

    text: str
    sign: int
    finite: bool

    def __str__(self) -> str:
        return self.text


@frozen
class Tail:
    """lim phi(s t) and lim (phi(s t) - phi(0)) / t as t grows, for a side s; None where unknown."""

    #: The two limits.
    value: Limit | None = None
    slope: Limit | None = None
    stopped: bool = False  #: Whether SymPy was stopped before it found them.


@frozen
class SlopesAtZero:
    """The left and the right derivative at 0; None where unknown."""

    #: The two derivatives.
    left: Limit | None = None
    right: Limit | None = None
    stopped: bool = False  #: Whether SymPy was stopped before it found them.


class _TieError(Exception):
    """It is not clear which argument of a maximum is the largest in the end."""


@lru_cache(maxsize=512)
def towards(phi: Expression, side: int) -> Tail:
    """How a function, defined everywhere, behaves towards `side` times infinity."""
    return _counted(phi, Tail, lambda: _towards(phi, side))


def _towards(phi: Expression, side: int) -> Tail:
    import sympy

    t = sympy.Symbol("t", positive=True)

    def largest(u: "Formula", v: "Formula") -> "Formula":
        gap = _limit(u - v, t, sympy.oo)
        if gap is None or gap.sign == 0:
            raise _TieError
        return u if gap.sign > 0 else v

    try:
        formula = _formula(phi, side * t, largest)
    except _TieError:
        return Tail()
    start = _formula(phi, sympy.Integer(0), sympy.Max)
    return Tail(_limit(formula, t, sympy.oo), _limit((formula - start) / t, t, sympy.oo))


@lru_cache(maxsize=512)
def slopes_at_zero(phi: Expression) -> SlopesAtZero:
    """The left and the right derivative at 0."""
    return _counted(phi, SlopesAtZero, lambda: _slopes_at_zero(phi))


def _slopes_at_zero(phi: Expression) -> SlopesAtZero:
    import sympy

    x = sympy.Symbol("x", real=True)
    start = _formula(phi, sympy.Integer(0), sympy.Max)
    quotient = (_formula(phi, x, sympy.Max) - start) / x
    left, right = (_limit(quotient, x, sympy.Integer(0), direction) for direction in ("-", "+"))
    return SlopesAtZero(left, right)


def _counted(phi: Expression, kind: type[_Found], work: Callable[[], _Found]) -> _Found:
    """What SymPy finds within `_MAX_CALLS`; it starts without memories, so the count has no history."""
    if phi.nodes > _MAX_NODES or _height(phi) > _MAX_HEIGHT:
        return kind()
    with working_precision(_PRECISION):
        if not _has_modest_numbers(phi):
            return kind()
    from sympy.core.cache import clear_cache

    clear_cache()
    return within(_MAX_CALLS, CALLS, work) or kind(stopped=True)


def _has_modest_numbers(e: Expression, most: Ball = _HUGE) -> bool:
    """Whether the values of all parts at 0 are neither huge nor tiny: SymPy writes 7**(10**29) out."""
    # In an exponent no part may be as large as the bits of such a number: a maximum may leave any of them.
    value = value_at(e, ORIGIN)
    size = abs(ball(value)).upper()
    if not (is_zero(value) or bool(_TINY < size < most)):
        return False
    if e.op == "exp":
        most = Ball(_MAX_BITS)
    factors = e.op in ("multiply", "divide")  # a constant factor alone makes no number large
    return all(_has_modest_numbers(part, most) for part in e.args if part.value is None or not factors)


def _height(e: Expression) -> int:
    """How many functions and powers stand inside each other."""
    own = int(e.op in ("exp", "log", "sqrt", "power"))
    return own + max(map(_height, e.args), default=0)


def _limit(formula: "Formula", variable: "Formula", point: "Formula", direction: str = "+") -> Limit | None:
    import sympy

    try:
        found = sympy.simplify(sympy.limit(formula, variable, point, direction))
    except Exception:  # SymPy gives up in many ways, and every one of them means "unknown"
        return None
    if not isinstance(found, sympy.Expr) or found.free_symbols or found.has(sympy.Limit, sympy.nan):
        return None
    if found.is_extended_real is not True:
        return None
    signs = {1: found.is_extended_positive, 0: found.is_zero, -1: found.is_extended_negative}
    sign = next((value for value, holds in signs.items() if holds), None)
    if sign is None:
        return None
    return Limit(str(found).replace("oo", "inf"), sign, bool(found.is_finite))


def _formula(e: Expression, x: "Formula", largest: Callable[["Formula", "Formula"], "Formula"]) -> "Formula":
    """The SymPy formula of a tree, with maxima as `largest` makes them of two formulas."""
    import sympy

    if e.value is not None:
        return sympy.Rational(e.value.numerator, e.value.denominator)
    if e.op == "variable":
        return x
    if e.op == "power":
        exponent = sympy.Rational(e.exponent.numerator, e.exponent.denominator)
        return _formula(e.args[0], x, largest) ** exponent
    parts = [_formula(child, x, largest) for child in e.args]
    if e.op == "max":
        return _greatest(parts, largest)
    if e.op == "min":
        return -_greatest([-part for part in parts], largest)
    if e.op == "abs":
        return _greatest([parts[0], -parts[0]], largest)
    plain: Mapping[str, Callable[..., Formula]] = {
        "add": lambda u, v: u + v,
        "subtract": lambda u, v: u - v,
        "multiply": lambda u, v: u * v,
        "divide": lambda u, v: u / v,
        "negate": lambda u: -u,
        "exp": sympy.exp,
        "log": sympy.log,
        "sqrt": sympy.sqrt,
    }
    return plain[e.op](*parts)


def _greatest(parts: Sequence["Formula"], largest: Callable[["Formula", "Formula"], "Formula"]) -> "Formula":
    """The maximum, left as it is where SymPy would compare numbers that are too large for it."""
    import sympy

    try:
        return reduce(largest, parts)
    except OverflowError:
        return sympy.Max(*parts, evaluate=False)
