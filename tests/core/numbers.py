"""Expressions in floats, at many points at once, by a reader of their own."""

import ast
import math
import operator
from functools import cache, reduce

import numpy as np

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_CALLS = {
    "log": np.log,
    "log2": np.log2,
    "exp": lambda x: np.exp(np.minimum(x, 700.0)),
    "sqrt": np.sqrt,
    "abs": np.abs,
    "max": lambda *values: reduce(np.maximum, values),
    "min": lambda *values: reduce(np.minimum, values),
}


def evaluate(text, x=math.nan):
    """The value of an expression in x, a float or an array."""
    return _value(_tree(text), x)


@cache
def _tree(text):
    return ast.parse(text, mode="eval").body


def _value(node, x):
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
