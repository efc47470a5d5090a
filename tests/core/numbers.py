"""Expressions in floats, by a reader of their own."""

import ast
import math
import operator
from functools import cache

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_CALLS = {
    "log": math.log,
    "log2": math.log2,
    "exp": lambda x: math.exp(min(x, 700.0)),
    "sqrt": math.sqrt,
    "abs": abs,
    "max": max,
    "min": min,
}


def evaluate(text: str, x: float = math.nan) -> float:
    """The value of an expression in x."""
    return _value(_tree(text), x)


@cache
def _tree(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _value(node: ast.expr, x: float) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.Name(id="x"):
            return x
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, x)
        case ast.BinOp(left=left, op=op, right=right):
            return float(_BINARY[type(op)](_value(left, x), _value(right, x)))
        case ast.Call(func=ast.Name(id=name), args=args):
            return float(_CALLS[name](*(_value(arg, x) for arg in args)))
    raise ValueError(ast.dump(node))
