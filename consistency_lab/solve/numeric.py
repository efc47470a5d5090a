"""Scalar functions and risks in floats: value, slope and curvature of a whole array at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from types import MappingProxyType
from typing import Any, Final, final

import numpy as np

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates import Term
from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import Expression, PiecewisePolynomial
from consistency_lab.solve.kinds import affine, exponential_sum, piecewise

# --- The pieces that scalar functions are built of -------------------------------------------------------

Derivatives = tuple[Floats, Floats, Floats]
"""Value, first and second derivative (the right ones at a kink)."""

ScalarFunction = Callable[[Floats], Derivatives]


def polynomials(piecewise: PiecewisePolynomial) -> ScalarFunction:
    """A piecewise polynomial."""
    pieces = [[float(c) for c in piece] or [0.0] for piece in piecewise.pieces]
    breakpoints = [float(x) for x in piecewise.breakpoints]
    derivatives = [(piece, _derivative(piece), _derivative(_derivative(piece))) for piece in pieces]

    def evaluate(x: Floats) -> Derivatives:
        expansions = [tuple(_horner(c, x) for c in triple) for triple in derivatives]
        value, slope, curvature = expansions[0]
        for at, (value_after, slope_after, curvature_after) in zip(breakpoints, expansions[1:], strict=True):
            before = x < at
            value = np.where(before, value, value_after)
            slope = np.where(before, slope, slope_after)
            curvature = np.where(before, curvature, curvature_after)
        return _full(value, x), _full(slope, x), _full(curvature, x)

    return evaluate


def _derivative(coefficients: Sequence[float]) -> list[float]:
    return [k * c for k, c in enumerate(coefficients)][1:] or [0.0]


def _horner(coefficients: Sequence[float], x: Floats) -> Any:
    value: Any = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        value = value * x
        if c:
            value = value + c
    return value


def _full(value: Any, x: Floats) -> Floats:
    return value if isinstance(value, np.ndarray) and value.shape == x.shape else np.full(x.shape, value)


def log_sum_exp(terms: Sequence[tuple[float, float]]) -> ScalarFunction:
    """log sum_k exp(a_k + r_k x) for the pairs (a_k, r_k)."""
    if len(terms) == 2:
        return softplus(terms[0], terms[1])
    a = np.array([term[0] for term in terms])
    r = np.array([term[1] for term in terms])

    def evaluate(x: Floats) -> Derivatives:
        column = (slice(None),) + (None,) * x.ndim
        lines = a[column] + r[column] * x
        top = lines.max(axis=0)
        weights = np.exp(lines - top)
        total = weights.sum(axis=0)
        slope = np.tensordot(r, weights, 1) / total
        spread = r[column] - slope
        return top + np.log(total), slope, (weights * spread * spread).sum(axis=0) / total

    return evaluate


def softplus(first: tuple[float, float], second: tuple[float, float]) -> ScalarFunction:
    """log(exp(a + r x) + exp(b + s x)) = a + r x + log(1 + exp(t)), t = b - a + (s - r) x."""
    # The steeper line goes last, so that a constant first one leaves log(1 + exp(t)) alone.
    (a, r), (b, s) = sorted((first, second), key=lambda term: abs(term[1]))
    shift, rate = b - a, s - r
    square = rate * rate

    def evaluate(x: Floats) -> Derivatives:
        t = x * rate
        if shift:
            t += shift
        small = np.copysign(t, -1.0)
        np.exp(small, out=small)  # exp(-|t|), never above 1
        share = small + 1.0
        np.reciprocal(share, out=share)
        value = np.log1p(small)
        small *= share
        small *= share  # sigma(t) (1 - sigma(t))
        # exp(min(t, 0)) / (1 + exp(-|t|)) is sigma(t) without cancellation, and without a branch.
        slope = np.minimum(t, 0.0)
        np.exp(slope, out=slope)
        slope *= share
        value += np.maximum(t, 0.0, out=t)
        slope *= rate
        if square != 1.0:
            small *= square
        if r:
            value += r * x
            slope += r
        if a:
            value += a
        return value, slope, small

    return evaluate


def pure_exponential(constant: float, rate: float) -> ScalarFunction:
    """exp(constant + rate x)."""

    def evaluate(x: Floats) -> Derivatives:
        value = x * rate
        if constant:
            value += constant
        with np.errstate(over="ignore"):
            np.exp(value, out=value)
        slope = value * rate
        return value, slope, slope * rate

    return evaluate


def exponential(inner: ScalarFunction) -> ScalarFunction:
    """exp(u)."""

    def evaluate(x: Floats) -> Derivatives:
        value, slope, curvature = inner(x)
        with np.errstate(over="ignore"):
            outer = np.exp(value)
        # exp(-infinity) stays 0 whatever the slopes are, as it should far away.
        return outer, _damped(outer, slope), _damped(outer, slope * slope + curvature)

    return evaluate


def _damped(outer: Floats, factor: Floats) -> Floats:
    return np.where(outer == 0, 0.0, outer * factor)


def logarithm(inner: ScalarFunction) -> ScalarFunction:
    """log(u)."""

    def evaluate(x: Floats) -> Derivatives:
        value, slope, curvature = inner(x)
        ratio = slope / value
        return np.log(value), ratio, curvature / value - ratio * ratio

    return evaluate


def scaled(inner: ScalarFunction, factor: float) -> ScalarFunction:
    """factor u."""

    def evaluate(x: Floats) -> Derivatives:
        value, slope, curvature = inner(x)
        return factor * value, factor * slope, factor * curvature

    return evaluate


def power(inner: ScalarFunction, p: float) -> ScalarFunction:
    """u**p."""

    def evaluate(x: Floats) -> Derivatives:
        value, slope, curvature = inner(x)
        if p == 0:
            return np.ones(x.shape), np.zeros(x.shape), np.zeros(x.shape)
        once = p * value ** (p - 1)
        twice = p * (p - 1) * value ** (p - 2) if p != 1 else np.zeros(x.shape)
        return value**p, once * slope, twice * slope * slope + once * curvature

    return evaluate


def summed(sign: float) -> Callable[[ScalarFunction, ScalarFunction], ScalarFunction]:
    """The rule for u + sign v."""

    def rule(left: ScalarFunction, right: ScalarFunction) -> ScalarFunction:
        def evaluate(x: Floats) -> Derivatives:
            u, du, ddu = left(x)
            v, dv, ddv = right(x)
            return u + sign * v, du + sign * dv, ddu + sign * ddv

        return evaluate

    return rule


def times(left: ScalarFunction, right: ScalarFunction) -> ScalarFunction:
    """u v."""

    def evaluate(x: Floats) -> Derivatives:
        u, du, ddu = left(x)
        v, dv, ddv = right(x)
        return u * v, du * v + u * dv, ddu * v + 2 * du * dv + u * ddv

    return evaluate


def larger(sign: float) -> Callable[[ScalarFunction, ScalarFunction], ScalarFunction]:
    """The maximum (sign 1) or minimum (-1); at a tie the slope, then the curvature, decides."""

    def rule(left: ScalarFunction, right: ScalarFunction) -> ScalarFunction:
        def evaluate(x: Floats) -> Derivatives:
            u, v = left(x), right(x)
            gaps = [sign * (p - q) for p, q in zip(u, v, strict=True)]
            first = np.where(gaps[0] != 0, gaps[0], np.where(gaps[1] != 0, gaps[1], gaps[2])) >= 0
            value, slope, curvature = (np.where(first, p, q) for p, q in zip(u, v, strict=True))
            return value, slope, curvature

        return evaluate

    return rule


# --- Scalar functions assembled from the pieces ----------------------------------------------------------
# Exponentials overflow long before the losses built from them do, so sums of exponentials are kept as
# logarithms wherever a logarithm, a quotient or a power asks for it: log(1 + exp(-x)) is computed as
# max(-x, 0) + log1p(exp(-|x|)), and 1/(1 + exp(x)) as the exponential of minus such a term.


def compiled(e: Expression) -> ScalarFunction:
    """A vectorized function ``x -> (value, slope, curvature)`` for a scalar function.

    At a kink the slope and the curvature are those on the right. Where a value leaves the range of floats
    it is infinite, without a warning; where the function is undefined it is NaN.
    """
    inner = raw(e)

    def evaluate(x: Floats) -> Derivatives:
        with np.errstate(all="ignore"):
            return inner(np.asarray(x, dtype=np.float64))

    return evaluate


@lru_cache(maxsize=512)
def raw(e: Expression) -> ScalarFunction:
    """`compiled` without the guard: the caller silences the warnings, once for many calls."""
    form = piecewise(e)
    return _tree(e) if form is None else polynomials(form)


def _tree(e: Expression) -> ScalarFunction:
    form = piecewise(e)
    if form is not None and affine(e) is not None:
        return polynomials(form)
    terms = exponential_sum(e)
    if terms is not None and len(terms) == 1:
        return pure_exponential(*terms[0])
    if e.op == "exp":
        return exponential(_tree(e.args[0]))
    if e.op == "log":
        log_sum = _logarithm(e.args[0])
        return log_sum if log_sum is not None else logarithm(_tree(e.args[0]))
    if e.op == "divide":
        below = _logarithm(e.args[1])
        if below is not None:
            return times(_tree(e.args[0]), exponential(scaled(below, -1.0)))
    if e.op == "power":
        base = _logarithm(e.args[0]) if e.exponent < 0 or e.exponent.denominator > 1 else None
        if base is not None:
            return exponential(scaled(base, float(e.exponent)))
        return power(_tree(e.args[0]), float(e.exponent))
    if e.op == "sqrt":
        return power(_tree(e.args[0]), 0.5)
    parts = [_tree(child) for child in e.args]
    if e.op == "negate":
        return scaled(parts[0], -1.0)
    if e.op == "abs":
        parts.append(scaled(parts[0], -1.0))
    return reduce(_RULES[e.op], parts)


def _logarithm(e: Expression) -> ScalarFunction | None:
    """log(e) without overflow, if e is made of positive sums of exponentials; else None."""
    terms = exponential_sum(e)
    if terms is not None:
        return log_sum_exp(terms)
    if e.op == "exp":
        return _tree(e.args[0])
    if e.op in ("multiply", "divide"):
        left, right = _logarithm(e.args[0]), _logarithm(e.args[1])
        if left is None or right is None:
            return None
        return _RULES["add" if e.op == "multiply" else "subtract"](left, right)
    if e.op in ("power", "sqrt"):
        base = _logarithm(e.args[0])
        return None if base is None else scaled(base, 0.5 if e.op == "sqrt" else float(e.exponent))
    return None


_RULES: Final[Mapping[str, Callable[[ScalarFunction, ScalarFunction], ScalarFunction]]] = MappingProxyType(
    {
        "add": summed(1.0),
        "subtract": summed(-1.0),
        "multiply": times,
        "divide": lambda left, right: times(left, power(right, -1.0)),
        "max": larger(1.0),
        "abs": larger(1.0),
        "min": larger(-1.0),
    }
)


# --- What many risks have in common: the functions, directions and offsets of their terms, as arrays -----


@final
@dataclass(frozen=True, eq=False)
class RiskStructure:
    """The terms of W(alpha) = sum_t c_t phi_t(<v_t, alpha> - b_t) without their coefficients.

    Build one with `of` or `stack`; then a risk is a row of coefficients, and a batch is a matrix.
    """

    m: int  #: The number of items.
    functions: tuple[Expression, ...]  #: The distinct scalar functions.
    function_index: Whole  #: Shape (T,): which function each term has.
    V: Whole  #: Shape (T, m): the directions v_t.
    b: Floats  #: Shape (T,): the offsets in floats.
    offsets: tuple[LogRational, ...]  #: The offsets exactly.

    @staticmethod
    def of(terms: Sequence[Term], m: int) -> "RiskStructure":
        """The structure of one risk; terms that share function, direction and offset are one."""
        return stack([terms], m)[0]

    @cached_property
    def shift_invariant(self) -> bool:
        """Whether adding a constant to all scores changes nothing: every v_t sums to 0."""
        return not self.V.sum(axis=1).any()

    def value(self, C: Floats, scores: Floats) -> Floats:
        """W at a row of `scores` for each row of coefficients; infinite or NaN where floats do not reach."""
        with np.errstate(over="ignore", invalid="ignore"):
            x = scores @ self.V.T - self.b
            values = np.empty_like(x)
            for k, phi in enumerate(self.functions):
                chosen = self.function_index == k
                values[:, chosen] = compiled(phi)(x[:, chosen])[0]
            return np.asarray(np.einsum("bt,bt->b", C, values))


def stack(term_lists: Sequence[Sequence[Term]], m: int) -> tuple[RiskStructure, Floats]:
    """The structure of all terms of several risks, in order of appearance; and their coefficients by rows."""
    place: dict[tuple[Expression, tuple[tuple[int, int], ...], LogRational], int] = {}
    for terms in term_lists:
        for term in terms:
            place.setdefault(term.key, len(place))
    functions: dict[Expression, int] = {}
    V = np.zeros((len(place), m), dtype=np.int64)
    for t, (phi, v, _) in enumerate(place):
        functions.setdefault(phi, len(functions))
        for item, n in v:
            if not 0 <= item < m:
                raise InputError(f"a term names item {item}, but items are 0..{m - 1}")
            V[t, item] = n
    C = np.zeros((len(term_lists), len(place)))
    for row, terms in enumerate(term_lists):
        for term in terms:
            C[row, place[term.key]] += float(term.c)
    offsets = tuple(b for _, _, b in place)
    index = np.array([functions[phi] for phi, _, _ in place], dtype=np.int64)
    b = np.array([float(x) for x in offsets], dtype=np.float64)
    return RiskStructure(m, tuple(functions), index, V, b, offsets), C
