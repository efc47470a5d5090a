"""How a scalar function can be minimized: which engine its shape allows."""

from collections.abc import Iterable, Mapping
from enum import Enum, unique
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import log
from typing import Final

from consistency_lab.numbers.phi import Expression, PiecewisePolynomial, facts

# --- Which functions are straight lines, positive sums of exponentials, or mirror themselves -------------

_MOST_TERMS: Final = 64

Line = tuple[Fraction, Fraction]
"""(a, r) for a + r x."""


@lru_cache(maxsize=512)
def piecewise(e: Expression) -> PiecewisePolynomial | None:
    """`PiecewisePolynomial.of`, remembered."""
    return PiecewisePolynomial.of(e)


def affine(e: Expression) -> Line | None:
    """(a, r) if e is a + r x, else None."""
    form = piecewise(e)
    if form is None or form.degree > 1 or form.breakpoints:
        return None
    a, r, *_ = (*form.pieces[0], Fraction(0), Fraction(0))
    return a, r


def exponential_sum(e: Expression) -> tuple[tuple[float, float], ...] | None:
    """((a_k, r_k), ...) if e is the sum of exp(a_k + r_k x), that is, of c exp(r x) with c > 0; else None."""
    terms = _terms(e)
    if terms is None:
        return None
    return tuple((log(c) + float(a) if c != 1 else float(a), float(r)) for (a, r), c in terms.items())


def _terms(e: Expression) -> Mapping[Line, Fraction] | None:
    """{(a, r): c} for the sum of c exp(a + r x), c > 0."""
    if e.value is not None:
        return {(Fraction(0), Fraction(0)): e.value} if e.value > 0 else None
    if e.op == "exp":
        line = affine(e.args[0])
        return None if line is None else {line: Fraction(1)}
    if e.op == "power" and e.exponent.denominator == 1:
        return _power(_terms(e.args[0]), int(e.exponent))
    if e.op not in ("add", "multiply", "divide"):
        return None
    left, right = _terms(e.args[0]), _terms(e.args[1])
    if left is None or right is None:
        return None
    if e.op == "add":
        return _added([*left.items(), *right.items()])
    if e.op == "divide":
        right = _power(right, -1)
    return None if right is None else _product(left, right)


def _added(items: list[tuple[Line, Fraction]]) -> Mapping[Line, Fraction]:
    total: dict[Line, Fraction] = {}
    for line, c in items:
        total[line] = total.get(line, Fraction(0)) + c
    return total


def _product(left: Mapping[Line, Fraction], right: Mapping[Line, Fraction]) -> Mapping[Line, Fraction] | None:
    if len(left) * len(right) > _MOST_TERMS:
        return None
    pairs = product(left.items(), right.items())
    return _added([((a + b, r + s), c * d) for ((a, r), c), ((b, s), d) in pairs])


def _power(base: Mapping[Line, Fraction] | None, p: int) -> Mapping[Line, Fraction] | None:
    """A power of a single term; those of longer sums are left as they are."""
    if base is None or len(base) != 1:
        return None
    ((a, r), c), *_ = base.items()
    return {(a * p, r * p): c**p}


def mirror_slope(e: Expression) -> Fraction | None:
    """The number r with phi(-x) = phi(x) + r x for every x, if it can be found; else None."""
    form = piecewise(e)
    if form is not None:
        (*_, piece) = form.pieces
        if form.breakpoints or any(piece[3::2]):
            return None
        return -2 * piece[1] if len(piece) > 1 else Fraction(0)
    if e.op == "log":
        return _log_mirror(_terms(e.args[0]))
    if e.op not in ("add", "subtract", "negate", "multiply", "divide"):
        return None
    left, right = mirror_slope(e.args[0]), mirror_slope(e.args[-1])
    if left is None or right is None:
        return None
    match e.op:
        case "add":
            return left + right
        case "subtract":
            return left - right
        case "negate":
            return -left
        case "divide" if e.args[1].value is not None:
            return left / e.args[1].value
        case "multiply":
            for factor, other in ((e.args[0].value, right), (e.args[1].value, left)):
                if factor is not None:
                    return factor * other
    return None


def _log_mirror(terms: Mapping[Line, Fraction] | None) -> Fraction | None:
    """log sum c exp(a + r x): turning x around turns the rates around; a shift must bring them back."""
    if terms is None:
        return None
    rates = [r for _, r in terms]
    shift = -min(rates) - max(rates)
    turned = {(a, -r): c for (a, r), c in terms.items()}
    return shift if turned == {(a, r + shift): c for (a, r), c in terms.items()} else None


# --- How a scalar function can be minimized: which engine its shape allows -------------------------------

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
    """The kind of a function."""
    form = piecewise(e)
    if form is not None and form.degree <= 1:
        return Kind.PIECEWISE_LINEAR if form.breakpoints else Kind.STRAIGHT
    return Kind.SMOOTH if _has_continuous_slope(e) else Kind.OTHER


@lru_cache(maxsize=512)
def is_analytic(e: Expression) -> bool:
    """Whether the function is proved to be a power series around every point."""
    form = piecewise(e)
    if form is not None:
        return not form.breakpoints
    return facts(e).smooth and not _BENDING & set(_operations(e))


@lru_cache(maxsize=512)
def is_convex(e: Expression) -> bool:
    """Whether the function is proved convex."""
    form = piecewise(e)
    return facts(e).convex if form is None else form.is_convex()


def _has_continuous_slope(e: Expression) -> bool:
    form = piecewise(e)
    if form is not None:
        return all(left == right for left, right in map(form.slope, form.breakpoints))
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
