"""Where a scalar function is undefined, if that can be shown."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Final

from consistency_lab.core.phi.evaluate import quantity_at
from consistency_lab.core.phi.expression import Expression
from consistency_lab.core.phi.shape import facts
from consistency_lab.errors import InputError
from consistency_lab.exact import LogRational
from consistency_lab.phi.piecewise import PiecewisePolynomial

_SIZES: Final = (*map(Fraction, (0, *range(1, 11), 20, 50, 100)), *(Fraction(n, 2) for n in range(1, 20, 2)))
_REACH: Final = 20


def undefined_at(e: Expression, x: Fraction) -> Expression | None:
    """A part of the function that certainly has no value at x, or None if none is found.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> undefined_at(parse("1+log(x)"), Fraction(0))
    Expression('log(x)')
    """
    for child in e.args:
        part = undefined_at(child, x)
        if part is not None:
            return part
    return e if _fails(e, LogRational(x)) else None


def refuse_undefined(phi: Expression) -> None:
    """Refuse a function that is not finite everywhere, where that can be shown at a rational point.

    Raises
    ------
    InputError
        If such a point, or an interval that holds one, is found; the message names it.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> refuse_undefined(parse("log(1+exp(-x))"))
    """
    if facts(phi) is not None:
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
    if facts(divisor) is None:
        return
    balls = [(x, quantity_at(divisor, LogRational(Fraction(x))).ball) for x in range(-_REACH, _REACH + 1)]
    for (a, left), (b, right) in pairwise(balls):
        if (left < 0 and right > 0) or (left > 0 and right < 0):
            raise InputError(
                f"{part} is not defined at some x between {a} and {b}; phi must be finite for every real x"
            )


def _fails(e: Expression, x: LogRational) -> bool:
    if e.op == "divide":
        return quantity_at(e.args[1], x).is_zero()
    if e.op not in ("log", "sqrt", "power"):
        return False
    u = quantity_at(e.args[0], x)
    below = u.exact.sign() < 0 if u.exact is not None else bool(u.ball < 0)
    if e.op == "log":
        return below or u.is_zero()
    exponent = Fraction(1, 2) if e.op == "sqrt" else e.exponent
    return (below and exponent.denominator > 1) or (u.is_zero() and exponent < 0)


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
