"""Reading a scalar function from a text that a person typed.

The text is first cut into tokens, each of which must be on a whitelist, and only then given to `ast.parse`,
which builds a tree and runs nothing; of that tree a few node types are translated and every other one is
refused by name.
"""

import ast
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.core.phi.expression import FUNCTIONS, Expression, X, build, number
from consistency_lab.errors import InputError
from consistency_lab.exact import rational

MAX_LENGTH: Final = 500
"""Longest text, in characters."""

MAX_DEPTH: Final = 40
"""Most levels of a tree, and most parentheses inside each other."""

MAX_NODES: Final = 200
"""Most operations, constants and variables."""

_MAX_AST_DEPTH: Final = 4 * MAX_DEPTH
_LOG_2: Final = build("log", number(Fraction(2)))
_WRITTEN: Final[Mapping[str, Callable[[Expression], Expression]]] = MappingProxyType(
    {"log2": lambda e: build("divide", build("log", e), _LOG_2)}
)
"""Functions of one argument that may be written; the tree has them in terms of the others."""

_CALLABLE: Final = (*FUNCTIONS, *_WRITTEN)
_FUNCTION_LIST: Final = ", ".join(_CALLABLE)
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?P<glued>[\w.]*)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<operator>\*\*|[-+*/(),])|(?P<other>\S))",
    re.ASCII,
)
_NO_NUMBER: Final = "is not a number; write 3, 0.3 or 3/10"
_BINARY: Final[Mapping[type[ast.AST], str]] = MappingProxyType(
    {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}
)
_UNARY: Final[Mapping[type[ast.AST], Callable[[Expression], Expression]]] = MappingProxyType(
    {ast.USub: lambda e: build("negate", e), ast.UAdd: lambda e: e}
)


def parse(text: str, variable: str = "x") -> Expression:
    """Read an expression in one variable.

    Parameters
    ----------
    text
        Numbers (``3``, ``0.3``, ``3/10``; exact), the variable, ``+ - * / **``, parentheses, and the
        functions exp, log, log2, sqrt, abs, max and min. Powers with the variable in the exponent have a
        positive constant base: ``2**x`` is read as ``exp(x*log(2))``.
    variable
        How the variable is called.

    Raises
    ------
    InputError
        If the text is anything else, or exceeds `MAX_LENGTH`, `MAX_DEPTH`, `MAX_NODES` or the limits on
        exponents and digits.

    Examples
    --------
    >>> parse("log( 1 + exp(-0.5*x) )")
    Expression('log(1+exp(-1/2*x))')
    >>> parse("a**2", "a").text("a")
    'a**2'
    >>> parse("2**s - 1", "s").text("s")
    'exp(s*log(2))-1'
    """
    if not isinstance(variable, str):
        raise InputError(f"the variable is {variable!r}; pass its name")
    if not isinstance(text, str):
        raise InputError(f"an expression is a text such as log(1+exp(-x)), not a {type(text).__name__}")
    source = " ".join(text.split()) if len(text) <= MAX_LENGTH else text
    if len(source) > MAX_LENGTH:
        raise InputError(f"the expression has {len(source)} characters; at most {MAX_LENGTH} are read")
    if not source:
        raise InputError(f"the expression is empty; write one in {variable}, such as log(1+exp(-{variable}))")
    _check_tokens(source, variable)
    try:
        tree = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise InputError(
            f"{_short(source)} is not a complete expression; check its operators and parentheses"
        ) from None
    result = _translate(tree, source, variable, 1)
    for size, most, words in (
        (result.depth, MAX_DEPTH, "is nested {} levels deep"),
        (result.nodes, MAX_NODES, "has {} parts"),
        (len(str(result)), MAX_LENGTH, "has {} characters when written with exact fractions"),
    ):
        if size > most:
            raise InputError(f"{_short(source)} {words.format(size)}; at most {most} are read")
    return result


def _check_tokens(source: str, variable: str) -> None:
    """Refuse, by name, everything that cannot be part of an expression."""
    depth, place = 0, 0
    while match := _TOKEN.match(source, place):
        place = match.end()
        if (other := match["other"]) is not None:
            hint = "write ** for powers" if other == "^" else f"write + - * / ** ( ) and {_FUNCTION_LIST}"
            raise InputError(f"{other!r} is not allowed in an expression; {hint}")
        if glued := match["glued"]:
            lacking = glued in (variable, *_CALLABLE)
            hint = f"lacks a sign; write {match['number']}*{glued}" if lacking else _NO_NUMBER
            raise InputError(f"{match['number'] + glued!r} {hint}")
        if (name := match["name"]) is not None:
            _check_name(name, source[place:].lstrip().startswith("("), variable)
        depth += {"(": 1, ")": -1}.get(match["operator"] or "", 0)
        if depth > MAX_DEPTH:
            raise InputError(f"the expression has more than {MAX_DEPTH} parentheses inside each other")


def _check_name(name: str, called: bool, variable: str) -> None:
    if name == variable and called:
        raise InputError(f"{name!r} is the variable, not a function; write {name}*(...) for a product")
    if name == variable or (name in _CALLABLE and called):
        return
    if name in _CALLABLE:
        raise InputError(f"{name!r} is a function without an argument; write {name}({variable})")
    close = get_close_matches(name.lower(), (variable, *_CALLABLE), n=1, cutoff=0.5)
    guess = f"; did you mean {close[0]}?" if close else ""
    known = f"functions are {_FUNCTION_LIST}" if called else f"the variable is {variable}"
    what = "a call that is not allowed" if called else "not a known name"
    raise InputError(f"{name!r} is {what}; {known}{guess}")


def _translate(node: ast.expr, source: str, variable: str, depth: int) -> Expression:
    if depth > _MAX_AST_DEPTH:
        raise InputError(f"the expression is nested more than {MAX_DEPTH} levels deep; write it flatter")
    match node:
        case ast.Constant():
            return number(rational(source[node.col_offset : node.end_col_offset], "a constant"))
        case ast.Name() if node.id == variable:
            return X
        case ast.UnaryOp() if type(node.op) in _UNARY:
            return _UNARY[type(node.op)](_translate(node.operand, source, variable, depth + 1))
        case ast.BinOp() if type(node.op) in _BINARY:
            left = _translate(node.left, source, variable, depth + 1)
            right = _translate(node.right, source, variable, depth + 1)
            if type(node.op) is ast.Pow and right.value is None and left.value is not None:
                return _exponential(left, right)
            return build(_BINARY[type(node.op)], left, right)
        case ast.Call(func=ast.Name(id=name), args=[part]) if name in _WRITTEN and not node.keywords:
            return _WRITTEN[name](_translate(part, source, variable, depth + 1))
        case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS and not node.keywords:
            return build(name, *(_translate(part, source, variable, depth + 1) for part in node.args))
    shown = _short(source[node.col_offset : node.end_col_offset])
    raise InputError(f"{shown} is not allowed in an expression; {_kind(node)}")


def _exponential(base: Expression, exponent: Expression) -> Expression:
    if base.value is None or base.value <= 0:
        raise InputError(f"the base {base} of a power with a variable exponent must be a positive number")
    return build("exp", build("multiply", exponent, build("log", base)))


def _kind(node: ast.expr) -> str:
    if isinstance(node, ast.Tuple):
        return "commas stand only between the arguments of max and min"
    if isinstance(node, ast.Call):
        return f"only {_FUNCTION_LIST} can be called, with plain arguments"
    return f"write + - * / ** ( ) and {_FUNCTION_LIST}"


def _short(source: str) -> str:
    return repr(source if len(source) <= 40 else source[:37] + "...")
