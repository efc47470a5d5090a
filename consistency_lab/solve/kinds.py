"""How a scalar function can be minimized: which engine its shape allows."""

from collections.abc import Iterable
from enum import Enum, unique
from functools import lru_cache
from typing import Final

from consistency_lab.phi import Expression, PiecewisePolynomial, facts

_BENDING: Final = frozenset({"max", "min", "abs"})


@unique
class Kind(Enum):
    """The shape of a scalar function, as far as an engine cares; the value is a phrase for people."""

    STRAIGHT = "a straight line"
    PIECEWISE_LINEAR = "piecewise linear"
    SMOOTH = "with a continuous slope"
    OTHER = "with kinks, and not piecewise linear"


@lru_cache(maxsize=512)
def kind_of(e: Expression) -> Kind:
    """The kind of a function.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> [kind_of(parse(text)).name for text in ("1-x", "max(0,1-x)", "max(0,1-x)**2", "abs(x)+exp(x)")]
    ['STRAIGHT', 'PIECEWISE_LINEAR', 'SMOOTH', 'OTHER']
    """
    form = piecewise(e)
    if form is None:
        return Kind.SMOOTH if _has_continuous_slope(e) else Kind.OTHER
    if form.degree <= 1:
        return Kind.PIECEWISE_LINEAR if form.breakpoints else Kind.STRAIGHT
    return Kind.SMOOTH if _joins_smoothly(form) else Kind.OTHER


@lru_cache(maxsize=512)
def piecewise(e: Expression) -> PiecewisePolynomial | None:
    """`PiecewisePolynomial.of`, remembered."""
    return PiecewisePolynomial.of(e)


@lru_cache(maxsize=512)
def is_analytic(e: Expression) -> bool:
    """Whether the function is proved to be a power series around every point.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> is_analytic(parse("log(1+exp(-x))")), is_analytic(parse("max(0,1-x)**2"))
    (True, False)
    """
    form = piecewise(e)
    if form is not None:
        return not form.breakpoints
    return facts(e).smooth and not _BENDING & set(_operations(e))


@lru_cache(maxsize=512)
def is_convex(e: Expression) -> bool:
    """Whether the function is proved convex."""
    form = piecewise(e)
    return facts(e).convex if form is None else form.is_convex()


def _joins_smoothly(form: PiecewisePolynomial) -> bool:
    return all(left == right for left, right in map(form.slope, form.breakpoints))


def _has_continuous_slope(e: Expression) -> bool:
    form = piecewise(e)
    if form is not None:
        return _joins_smoothly(form)
    known = facts(e)
    if known.smooth:
        return True
    if not known.defined or e.op in _BENDING:
        return False
    children = e.args[:1] if e.op == "power" else e.args
    if e.op == "sqrt" or (e.op == "power" and e.exponent.denominator > 1):
        return facts(children[0]).positive and _has_continuous_slope(children[0])
    return all(map(_has_continuous_slope, children))


def _operations(e: Expression) -> Iterable[str]:
    yield e.op
    for child in e.args:
        yield from _operations(child)
