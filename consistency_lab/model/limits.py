"""Limits of a scalar function by SymPy: the last resort of `consistency_lab.model.properties`.

SymPy is imported only when a limit is asked for, and sees a formula that is built node by node from our own
tree, never a text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, final

from consistency_lab.phi import Expression

if TYPE_CHECKING:
    Formula = Any

_MAX_NODES: Final = 60
_MAX_HEIGHT: Final = 4
"""Larger trees, and higher towers of functions, are not handed to SymPy: it might not come back."""


@final
@dataclass(frozen=True, slots=True)
class Limit:
    """A limit: its text, its sign, and whether it is a real number (rather than plus or minus infinity)."""

    text: str
    sign: int
    finite: bool

    @property
    def is_minus_infinity(self) -> bool:
        """Whether it is minus infinity."""
        return self.sign < 0 and not self.finite

    @property
    def is_plus_infinity(self) -> bool:
        """Whether it is plus infinity."""
        return self.sign > 0 and not self.finite

    def __str__(self) -> str:
        return self.text


@final
@dataclass(frozen=True, slots=True)
class End:
    """lim phi(s t) and lim (phi(s t) - phi(0)) / t as t grows, for a side s; None where unknown."""

    value: Limit | None = None
    slope: Limit | None = None


class _TieError(Exception):
    """It is not clear which argument of a maximum is the largest in the end."""


def towards(phi: Expression, side: int) -> End:
    """How a function, defined everywhere, behaves towards `side` times infinity.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> end = towards(parse("sqrt(1+x**2)-x"), -1)
    >>> str(end.value), str(end.slope)
    ('inf', '2')
    """
    if not _is_modest(phi):
        return End()
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
        return End()
    start = _formula(phi, sympy.Integer(0), sympy.Max)
    return End(_limit(formula, t, sympy.oo), _limit((formula - start) / t, t, sympy.oo))


def slopes_at_zero(phi: Expression) -> tuple[Limit, Limit] | None:
    """The left and the right derivative at 0, None if SymPy does not find both.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> left, right = slopes_at_zero(parse("sqrt(x**2)"))
    >>> left.text, right.text
    ('-1', '1')
    """
    if not _is_modest(phi):
        return None
    import sympy

    x = sympy.Symbol("x", real=True)
    start = _formula(phi, sympy.Integer(0), sympy.Max)
    quotient = (_formula(phi, x, sympy.Max) - start) / x
    left, right = (_limit(quotient, x, sympy.Integer(0), direction) for direction in ("-", "+"))
    return None if left is None or right is None else (left, right)


def _is_modest(phi: Expression) -> bool:
    return phi.nodes <= _MAX_NODES and _height(phi) <= _MAX_HEIGHT


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
