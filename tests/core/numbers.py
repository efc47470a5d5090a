"""Expressions in floats, at many points at once, by a reader of their own."""

import ast
import math
import operator
from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import numpy as np

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_CALLS: dict[str, Callable[..., Any]] = {
    "log": np.log,
    "log2": np.log2,
    "exp": lambda x: np.exp(np.minimum(x, 700.0)),
    "sqrt": np.sqrt,
    "abs": np.abs,
    "max": lambda *values: reduce(np.maximum, values),
    "min": lambda *values: reduce(np.minimum, values),
}


def evaluate(text: str, x: Any = math.nan) -> Any:
    """The value of an expression in x, a float or an array."""
    return _value(_tree(text), x)


@cache
def _tree(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _value(node: ast.expr, x: Any) -> Any:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.Name(id="x"):
            return x
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, x)
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_value(left, x), _value(right, x))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _CALLS[name](*(_value(arg, x) for arg in args))
    raise ValueError(ast.dump(node))
