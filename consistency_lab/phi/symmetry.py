"""Whether a function is a line plus an even function: then phi'(x) + phi'(-x) is constant.

Rules that compose: log(1 + exp(a x)) = a x/2 + log(2 cosh(a x/2)), constants are even, sums and constant
multiples keep the property. A piecewise polynomial is decided by its difference from its mirror image.
"""

from fractions import Fraction
from typing import Final

from consistency_lab.core.phi.expression import Expression, X, build, number
from consistency_lab.phi.piecewise import PiecewisePolynomial

_ONE: Final = number(1)


def is_line_plus_even(e: Expression) -> bool:
    """Whether phi(x) - c x is proved to be even for some c; False proves nothing but for polynomials.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> [is_line_plus_even(parse(text)) for text in ("3*log(1+exp(-x/2))", "(1-x)**2", "exp(-x)")]
    [True, True, False]
    """
    if PiecewisePolynomial.of(e) is not None:
        # phi(x) - phi(-x) is a multiple of x.
        odd = PiecewisePolynomial.of(e - _mirrored(e))
        return odd is not None and not odd.breakpoints and odd.degree <= 1 and not odd.value(Fraction(0))
    if e.op in ("add", "subtract", "negate"):
        return all(map(is_line_plus_even, e.args))
    if e.op == "multiply":
        left, right = e.args
        return (_constant(left) and is_line_plus_even(right)) or (
            _constant(right) and is_line_plus_even(left)
        )
    if e.op == "divide":
        return _constant(e.args[1]) and is_line_plus_even(e.args[0])
    return _constant(e) or _is_softplus(e)


def _mirrored(e: Expression) -> Expression:
    """The function phi(-x)."""
    if e == X:
        return -X
    return build(e.op, *map(_mirrored, e.args)) if e.args else e


def _is_softplus(e: Expression) -> bool:
    """Whether it is log(1 + exp(a x))."""
    if e.op != "log" or e.args[0].op != "add":
        return False
    rest = [part for part in e.args[0].args if part != _ONE]
    if len(rest) != 1 or rest[0].op != "exp":
        return False
    line = PiecewisePolynomial.of(rest[0].args[0])
    if line is None or line.breakpoints:
        return False
    return len(line.pieces[0]) == 2 and line.pieces[0][0] == Fraction(0)


def _constant(e: Expression) -> bool:
    return e.op != "variable" and all(map(_constant, e.args))
