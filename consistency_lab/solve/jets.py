"""Value, slope and curvature of a whole array at once: the pieces that scalar functions are built of."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consistency_lab.phi import PiecewisePolynomial

Array = NDArray[np.float64]
Jet = tuple[Array, Array, Array]
"""Value, first and second derivative (the right ones at a kink)."""

JetFunction = Callable[[Array], Jet]


def polynomials(piecewise: PiecewisePolynomial) -> JetFunction:
    """A piecewise polynomial."""
    pieces = [[float(c) for c in piece] or [0.0] for piece in piecewise.pieces]
    breakpoints = [float(x) for x in piecewise.breakpoints]
    derivatives = [(piece, _derivative(piece), _derivative(_derivative(piece))) for piece in pieces]

    def evaluate(x: Array) -> Jet:
        jets = [tuple(_horner(c, x) for c in triple) for triple in derivatives]
        value, slope, curvature = jets[0]
        for at, (value_after, slope_after, curvature_after) in zip(breakpoints, jets[1:], strict=True):
            before = x < at
            value = np.where(before, value, value_after)
            slope = np.where(before, slope, slope_after)
            curvature = np.where(before, curvature, curvature_after)
        return _full(value, x), _full(slope, x), _full(curvature, x)

    return evaluate


def _derivative(coefficients: Sequence[float]) -> list[float]:
    return [k * c for k, c in enumerate(coefficients)][1:] or [0.0]


def _horner(coefficients: Sequence[float], x: Array) -> Any:
    value: Any = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        value = value * x
        if c:
            value = value + c
    return value


def _full(value: Any, x: Array) -> Array:
    return value if isinstance(value, np.ndarray) and value.shape == x.shape else np.full(x.shape, value)


def straight(constant: Fraction, rate: Fraction) -> JetFunction:
    """The line constant + rate x."""
    a, r = float(constant), float(rate)

    def evaluate(x: Array) -> Jet:
        return r * x + a, np.full(x.shape, r), np.zeros(x.shape)

    return evaluate


def log_sum_exp(terms: Sequence[tuple[float, float]]) -> JetFunction:
    """log sum_k exp(a_k + r_k x) for the pairs (a_k, r_k)."""
    if len(terms) == 2:
        return softplus(terms[0], terms[1])
    a = np.array([term[0] for term in terms])
    r = np.array([term[1] for term in terms])

    def evaluate(x: Array) -> Jet:
        column = (slice(None),) + (None,) * x.ndim
        lines = a[column] + r[column] * x
        top = lines.max(axis=0)
        weights = np.exp(lines - top)
        total = weights.sum(axis=0)
        slope = np.tensordot(r, weights, 1) / total
        spread = r[column] - slope
        return top + np.log(total), slope, (weights * spread * spread).sum(axis=0) / total

    return evaluate


def softplus(first: tuple[float, float], second: tuple[float, float]) -> JetFunction:
    """log(exp(a + r x) + exp(b + s x)) = a + r x + log(1 + exp(t)), t = b - a + (s - r) x."""
    # The steeper line goes last, so that a constant first one leaves log(1 + exp(t)) alone.
    (a, r), (b, s) = sorted((first, second), key=lambda term: abs(term[1]))
    shift, rate = b - a, s - r
    square = rate * rate

    def evaluate(x: Array) -> Jet:
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


def pure_exponential(constant: float, rate: float) -> JetFunction:
    """exp(constant + rate x)."""

    def evaluate(x: Array) -> Jet:
        value = x * rate
        if constant:
            value += constant
        np.exp(value, out=value)
        slope = value * rate
        return value, slope, slope * rate

    return evaluate


def exponential(inner: JetFunction) -> JetFunction:
    """exp(u)."""

    def evaluate(x: Array) -> Jet:
        value, slope, curvature = inner(x)
        outer = np.exp(value)
        # exp(-infinity) stays 0 whatever the slopes are, as it should far out.
        return outer, _damped(outer, slope), _damped(outer, slope * slope + curvature)

    return evaluate


def _damped(outer: Array, factor: Array) -> Array:
    return np.where(outer == 0, 0.0, outer * factor)


def logarithm(inner: JetFunction) -> JetFunction:
    """log(u)."""

    def evaluate(x: Array) -> Jet:
        value, slope, curvature = inner(x)
        ratio = slope / value
        return np.log(value), ratio, curvature / value - ratio * ratio

    return evaluate


def scaled(inner: JetFunction, factor: float) -> JetFunction:
    """factor u."""

    def evaluate(x: Array) -> Jet:
        value, slope, curvature = inner(x)
        return factor * value, factor * slope, factor * curvature

    return evaluate


def power(inner: JetFunction, p: float) -> JetFunction:
    """u**p."""

    def evaluate(x: Array) -> Jet:
        value, slope, curvature = inner(x)
        if p == 0:
            return np.ones(x.shape), np.zeros(x.shape), np.zeros(x.shape)
        once = p * value ** (p - 1)
        twice = p * (p - 1) * value ** (p - 2) if p != 1 else np.zeros(x.shape)
        return value**p, once * slope, twice * slope * slope + once * curvature

    return evaluate


def summed(sign: float) -> Callable[[JetFunction, JetFunction], JetFunction]:
    """The rule for u + sign v."""

    def rule(left: JetFunction, right: JetFunction) -> JetFunction:
        def evaluate(x: Array) -> Jet:
            u, du, ddu = left(x)
            v, dv, ddv = right(x)
            return u + sign * v, du + sign * dv, ddu + sign * ddv

        return evaluate

    return rule


def times(left: JetFunction, right: JetFunction) -> JetFunction:
    """u v."""

    def evaluate(x: Array) -> Jet:
        u, du, ddu = left(x)
        v, dv, ddv = right(x)
        return u * v, du * v + u * dv, ddu * v + 2 * du * dv + u * ddv

    return evaluate


def quotient(left: JetFunction, right: JetFunction) -> JetFunction:
    """u / v."""
    return times(left, power(right, -1.0))


def larger(sign: float) -> Callable[[JetFunction, JetFunction], JetFunction]:
    """The maximum (sign 1) or minimum (-1); at a tie the slope, then the curvature, decides."""

    def rule(left: JetFunction, right: JetFunction) -> JetFunction:
        def evaluate(x: Array) -> Jet:
            u, v = left(x), right(x)
            gaps = [sign * (p - q) for p, q in zip(u, v, strict=True)]
            first = np.where(gaps[0] != 0, gaps[0], np.where(gaps[1] != 0, gaps[1], gaps[2])) >= 0
            value, slope, curvature = (np.where(first, p, q) for p, q in zip(u, v, strict=True))
            return value, slope, curvature

        return evaluate

    return rule


def absolute(inner: JetFunction) -> JetFunction:
    """The absolute value of u."""
    return larger(1.0)(inner, scaled(inner, -1.0))
