"""Scalar functions in floats: value, slope and curvature of a whole array at once.

Exponentials overflow long before the losses built from them do, so sums of exponentials are kept as
logarithms wherever a logarithm, a quotient or a power asks for it: log(1 + exp(-x)) is computed as
max(-x, 0) + log1p(exp(-|x|)), and 1/(1 + exp(x)) as the exponential of minus such a term.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from types import MappingProxyType
from typing import Final

import numpy as np

from consistency_lab.phi import Expression
from consistency_lab.solve import jets
from consistency_lab.solve.exponentials import affine, exponential_sum
from consistency_lab.solve.jets import Array, Jet, JetFunction
from consistency_lab.solve.kinds import piecewise


def compiled(e: Expression) -> JetFunction:
    """A vectorized function ``x -> (value, slope, curvature)`` for a scalar function.

    At a kink the slope and the curvature are those on the right. Where a value leaves the range of floats
    it is infinite, without a warning; where the function is undefined it is NaN.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> value, slope, _ = compiled(parse("log(1+exp(-x))"))(np.array([-800.0, 0.0, 800.0]))
    >>> [float(x) for x in slope]
    [-1.0, -0.5, -0.0]
    """
    inner = raw(e)

    def evaluate(x: Array) -> Jet:
        with np.errstate(all="ignore"):
            return inner(np.asarray(x, dtype=np.float64))

    return evaluate


@lru_cache(maxsize=512)
def raw(e: Expression) -> JetFunction:
    """`compiled` without the guard: the caller silences the warnings, once for many calls."""
    form = piecewise(e)
    return _tree(e) if form is None else jets.polynomials(form)


def _tree(e: Expression) -> JetFunction:
    line = affine(e)
    if line is not None:
        return jets.straight(*line)
    terms = exponential_sum(e)
    if terms is not None and len(terms) == 1:
        return jets.pure_exponential(*terms[0])
    if e.op == "exp":
        return jets.exponential(_tree(e.args[0]))
    if e.op == "log":
        logarithm = _logarithm(e.args[0])
        return logarithm if logarithm is not None else jets.logarithm(_tree(e.args[0]))
    if e.op == "divide":
        below = _logarithm(e.args[1])
        if below is not None:
            return jets.times(_tree(e.args[0]), jets.exponential(jets.scaled(below, -1.0)))
    if e.op == "power":
        base = _logarithm(e.args[0]) if e.exponent < 0 or e.exponent.denominator > 1 else None
        if base is not None:
            return jets.exponential(jets.scaled(base, float(e.exponent)))
        return jets.power(_tree(e.args[0]), float(e.exponent))
    if e.op == "sqrt":
        return jets.power(_tree(e.args[0]), 0.5)
    parts = [_tree(child) for child in e.args]
    return _UNARY[e.op](parts[0]) if len(parts) == 1 else reduce(_RULES[e.op], parts)


def _logarithm(e: Expression) -> JetFunction | None:
    """log(e) without overflow, if e is made of positive sums of exponentials; else None."""
    terms = exponential_sum(e)
    if terms is not None:
        return jets.log_sum_exp(terms)
    if e.op == "exp":
        return _tree(e.args[0])
    if e.op in ("multiply", "divide"):
        left, right = _logarithm(e.args[0]), _logarithm(e.args[1])
        if left is None or right is None:
            return None
        return _RULES["add" if e.op == "multiply" else "subtract"](left, right)
    if e.op in ("power", "sqrt"):
        base = _logarithm(e.args[0])
        return None if base is None else jets.scaled(base, 0.5 if e.op == "sqrt" else float(e.exponent))
    return None


_RULES: Final[Mapping[str, Callable[[JetFunction, JetFunction], JetFunction]]] = MappingProxyType(
    {
        "add": jets.summed(1.0),
        "subtract": jets.summed(-1.0),
        "multiply": jets.times,
        "divide": jets.quotient,
        "max": jets.larger(1.0),
        "min": jets.larger(-1.0),
    }
)

_UNARY: Final[Mapping[str, Callable[[JetFunction], JetFunction]]] = MappingProxyType(
    {"negate": lambda inner: jets.scaled(inner, -1.0), "abs": jets.absolute}
)
