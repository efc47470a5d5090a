"""Exact and rigorous values and one-sided slopes of a scalar function at a point a + log q.

One pass over the tree carries, for every subtree, what is known exactly (a number a + log q, or nothing) and
a ball that certainly contains it. Kinks are followed by direction: the one-sided derivative of a
maximum at an exact tie is the largest of the one-sided derivatives of the functions that tie (Hiriart-Urruty
and Lemaréchal, Fundamentals of Convex Analysis, D.4.4), and that of abs(u) where u = 0 is abs(u').
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final, final

from consistency_lab.core.phi.expression import Expression
from consistency_lab.core.phi.quantity import NOTHING, ONE, ZERO, Quantity, largest, union
from consistency_lab.exact import Ball, LogRational

_Sides = tuple[Quantity, Quantity]
"""The left and the right derivative; one and the same object where they are known to be equal."""


@final
@dataclass(frozen=True, slots=True)
class _Germ:
    """A function near the point: its value, its one-sided derivatives (if asked), whether it may bend."""

    value: Quantity
    sides: Callable[[], _Sides]
    kink: bool = False


def quantity_at(e: Expression, x: LogRational) -> Quantity:
    """All that is known of the value at x."""
    return _germ(e, x).value


def exact_value(e: Expression, x: LogRational) -> LogRational | None:
    """The value at x if it is known to be of the form a + log q, else None.

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> str(exact_value(parse("log(1+exp(-x))"), LogRational.parse("log(2)")))
    'log(3/2)'
    """
    return _germ(e, x).value.exact


def enclose_value(e: Expression, x: LogRational) -> Ball:
    """A ball that contains the value at x; NaN where the function is undefined or nothing is known.

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> enclose_value(parse("exp(-x)"), LogRational.parse("log(2)")) == Ball("0.5")
    True
    """
    return _germ(e, x).value.ball


def exact_slopes(e: Expression, x: LogRational) -> tuple[Fraction | None, Fraction | None]:
    """The left and right derivatives at x, each None if it is not known to be rational.

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> exact_slopes(parse("max(0, 1-x)"), LogRational.parse("1"))
    (Fraction(-1, 1), Fraction(0, 1))
    >>> exact_slopes(parse("log(1+exp(-x))"), LogRational.parse("log(2)"))[0]
    Fraction(-1, 3)
    """
    left, right = _slopes(e, x)
    return left.rational(), right.rational()


def enclose_slopes(e: Expression, x: LogRational) -> tuple[Ball, Ball]:
    """Balls that contain the left and the right derivative at x, NaN where nothing is known.

    Where a tie in a kink can be neither proved nor excluded, the balls hold every slope that may occur.
    """
    left, right = _slopes(e, x)
    return left.ball, right.ball


def is_differentiable(e: Expression, x: LogRational) -> bool | None:
    """Whether the function has a derivative at x; None if it is not known.

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> is_differentiable(parse("exp(1-x)+max(0,x)"), LogRational.parse("1"))
    True
    >>> is_differentiable(parse("abs(x)"), LogRational.parse("0"))
    False
    """
    left, right = _slopes(e, x)
    if not (left.is_known() and right.is_known()):
        return None
    if left.exact is not None and right.exact is not None:
        return (left.exact - right.exact).sign() == 0
    if left.ball < right.ball or right.ball < left.ball:
        return False
    return None if _germ(e, x).kink else True


def _slopes(e: Expression, x: LogRational) -> _Sides:
    germ = _germ(e, x)
    return germ.sides() if germ.value.is_known() else (NOTHING, NOTHING)


def _germ(e: Expression, x: LogRational) -> _Germ:
    if e.value is not None:
        return _Germ(Quantity.of(e.value), lambda: (ZERO, ZERO))
    if e.op == "variable":
        return _Germ(Quantity.exactly(x), lambda: (ONE, ONE))
    parts = [_germ(child, x) for child in (e.args[:1] if e.op == "power" else e.args)]
    if e.op == "power":
        return _power(parts[0], e.exponent)
    return _RULES[e.op](parts)


def _add(parts: Sequence[_Germ]) -> _Germ:
    u, v = parts
    return _both(u, v, u.value + v.value, lambda du, dv: du + dv)


def _subtract(parts: Sequence[_Germ]) -> _Germ:
    u, v = parts
    return _both(u, v, u.value - v.value, lambda du, dv: du - dv)


def _multiply(parts: Sequence[_Germ]) -> _Germ:
    u, v = parts
    return _both(u, v, u.value * v.value, lambda du, dv: du * v.value + u.value * dv)


def _divide(parts: Sequence[_Germ]) -> _Germ:
    u, v = parts
    value = u.value / v.value
    return _both(u, v, value, lambda du, dv: (du - value * dv) / v.value)


def _negate(parts: Sequence[_Germ]) -> _Germ:
    return _chain(parts[0], -parts[0].value, lambda du: -du)


def _exp(parts: Sequence[_Germ]) -> _Germ:
    value = parts[0].value.exp()
    return _chain(parts[0], value, lambda du: value * du)


def _log(parts: Sequence[_Germ]) -> _Germ:
    u = parts[0].value
    return _chain(parts[0], u.log(), lambda du: du / u)


def _sqrt(parts: Sequence[_Germ]) -> _Germ:
    return _power(parts[0], Fraction(1, 2))


def _power(u: _Germ, exponent: Fraction) -> _Germ:
    value = u.value.power(exponent)
    if exponent == 0:
        return _Germ(value, lambda: (ZERO, ZERO))

    def outer() -> Quantity:
        return Quantity.of(exponent) * u.value.power(exponent - 1)

    def at_the_edge() -> _Sides:
        # A fractional power lives on u >= 0 only, so u must be seen to grow on that side.
        left, right = u.sides()
        slope = outer()
        return slope * left if left.ball < 0 else NOTHING, slope * right if right.ball > 0 else NOTHING

    if exponent.denominator > 1 and u.value.is_zero():
        return _Germ(value, at_the_edge, kink=True)
    return _chain(u, value, lambda du: outer() * du)


def _largest(parts: Sequence[_Germ]) -> _Germ:
    winners, certain = largest([part.value for part in parts])
    chosen = [parts[k] for k in winners]
    if len(chosen) == 1:
        return chosen[0]

    def sides() -> _Sides:
        lefts, rights = zip(*(germ.sides() for germ in chosen), strict=True)
        if not certain:
            return union(lefts), union(rights)
        # Of functions that tie, the one that falls most is the largest on the left.
        return -_maximum([-left for left in lefts]), _maximum(rights)

    return _Germ(_maximum([germ.value for germ in chosen]), sides, kink=True)


def _maximum(values: Sequence[Quantity]) -> Quantity:
    winners, _ = largest(values)
    if len(winners) == 1 or all(values[k].exact is not None for k in winners):
        return values[winners[0]]
    ball = values[winners[0]].ball
    for k in winners[1:]:
        ball = ball.max(values[k].ball)
    return Quantity(None, ball)


def _smallest(parts: Sequence[_Germ]) -> _Germ:
    return _negate([_largest([_negate([part]) for part in parts])])


def _abs(parts: Sequence[_Germ]) -> _Germ:
    return _largest([parts[0], _negate(parts)])


def _chain(u: _Germ, value: Quantity, slope: Callable[[Quantity], Quantity]) -> _Germ:
    """A smooth function of one germ."""

    def sides() -> _Sides:
        left, right = u.sides()
        first = slope(left)
        return first, first if left is right else slope(right)

    return _Germ(value, sides, u.kink)


def _both(u: _Germ, v: _Germ, value: Quantity, slope: Callable[[Quantity, Quantity], Quantity]) -> _Germ:
    """A smooth function of two germs."""

    def sides() -> _Sides:
        (u_left, u_right), (v_left, v_right) = u.sides(), v.sides()
        first = slope(u_left, v_left)
        return first, first if u_left is u_right and v_left is v_right else slope(u_right, v_right)

    return _Germ(value, sides, u.kink or v.kink)


_RULES: Final[Mapping[str, Callable[[Sequence[_Germ]], _Germ]]] = MappingProxyType(
    {
        "add": _add,
        "subtract": _subtract,
        "multiply": _multiply,
        "divide": _divide,
        "negate": _negate,
        "exp": _exp,
        "log": _log,
        "sqrt": _sqrt,
        "abs": _abs,
        "max": _largest,
        "min": _smallest,
    }
)
