"""Scalar functions phi as small trees: read from text, and walked in any algebra."""

import ast
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Generic, TypeVar, final

from consistency_lab.errors import InputError
from consistency_lab.numbers.exact import rational

# --- Scalar functions as small immutable trees -----------------------------------------------------------
# A tree is data: nothing in this package ever evaluates text. Trees are kept in one canonical shape
# (arithmetic on rational constants is carried out when a tree is built), so that two texts that differ only
# in how constants are written give equal trees, and ``parse(str(e)) == e``.

MAX_EXPONENT: Final = 16
"""Largest absolute value of an exponent, and of its denominator."""

MAX_NUMBER_DIGITS: Final = 30
"""Longest numerator or denominator of a constant."""

ARITY: Final[Mapping[str, tuple[int, int | None]]] = MappingProxyType(
    {
        "number": (0, 0),
        "variable": (0, 0),
        "add": (2, 2),
        "subtract": (2, 2),
        "multiply": (2, 2),
        "divide": (2, 2),
        "power": (2, 2),
        "negate": (1, 1),
        "exp": (1, 1),
        "log": (1, 1),
        "sqrt": (1, 1),
        "abs": (1, 1),
        "max": (2, None),
        "min": (2, None),
    }
)
"""Every operation, with the least and the largest number of its arguments."""

FUNCTIONS: Final = ("exp", "log", "sqrt", "abs", "max", "min")
"""The operations that are written as calls."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A function of one real variable, as a tree. Build trees with `parse` or `build`.

    Examples
    --------
    >>> 2 * X - 1
    Expression('2*x-1')
    """

    op: str  #: A key of `ARITY`.
    args: tuple["Expression", ...] = ()  #: The arguments.
    value: Fraction | None = None  #: The value of a ``number``, else None.
    _hash: int = field(init=False, repr=False, default=0)

    def __post_init__(self) -> None:
        if type(self.op) is not str or self.op not in ARITY:
            raise InputError(f"{self.op!r} is not an operation; operations are {', '.join(ARITY)}")
        if type(self.args) is not tuple or any(type(child) is not Expression for child in self.args):
            raise InputError(f"the arguments of {self.op} must be a tuple of expressions")
        least, most = ARITY[self.op]
        if len(self.args) < least or (most is not None and len(self.args) > most):
            wanted = str(least) if least == most else f"at least {least}"
            raise InputError(f"{self.op} has {len(self.args)} arguments; it takes {wanted}")
        if type(self.value) is not (Fraction if self.op == "number" else type(None)):
            raise InputError("a number, and nothing else in an expression, has a value")
        if self.op == "power":
            _check_exponent(self.args[1])
        # Trees are keys of large tables, so the hash is worked out once.
        object.__setattr__(self, "_hash", hash((self.op, self.args, self.value)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Expression):
            return self is other
        mine, others = (self._hash, self.op, self.value), (other._hash, other.op, other.value)
        return mine == others and self.args == other.args

    def __reduce__(self) -> tuple[object, ...]:
        # The hash of a text differs from process to process: it must not travel.
        return Expression, (self.op, self.args, self.value)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Expression({self.text()!r})"

    def text(self, variable: str = "x") -> str:
        """The canonical text, with the variable called `variable`; `parse` reads it back.

        Examples
        --------
        >>> (1 - X).text("a")
        '1-a'
        """
        return _text(self, variable)[0]

    @property
    def depth(self) -> int:
        """The number of levels of the tree (1 for a constant)."""
        return 1 + max((child.depth for child in self.args), default=0)

    @property
    def nodes(self) -> int:
        """The number of operations, constants and variables in the tree."""
        return 1 + sum(child.nodes for child in self.args)

    @property
    def exponent(self) -> Fraction:
        """The constant exponent of a ``power``."""
        value = self.args[1].value if self.op == "power" else None
        if value is None:
            raise InputError(f"{self} is not a power")
        return value

    def __add__(self, other: "Expression | Fraction | int") -> "Expression":
        return build("add", self, _coerce(other))

    def __radd__(self, other: Fraction | int) -> "Expression":
        return build("add", number(other), self)

    def __sub__(self, other: "Expression | Fraction | int") -> "Expression":
        return build("subtract", self, _coerce(other))

    def __rsub__(self, other: Fraction | int) -> "Expression":
        return build("subtract", number(other), self)

    def __mul__(self, other: "Expression | Fraction | int") -> "Expression":
        return build("multiply", self, _coerce(other))

    def __rmul__(self, other: Fraction | int) -> "Expression":
        return build("multiply", number(other), self)

    def __truediv__(self, other: "Expression | Fraction | int") -> "Expression":
        return build("divide", self, _coerce(other))

    def __rtruediv__(self, other: Fraction | int) -> "Expression":
        return build("divide", number(other), self)

    def __pow__(self, exponent: Fraction | int) -> "Expression":
        return build("power", self, number(exponent))

    def __neg__(self) -> "Expression":
        return build("negate", self)


def number(value: Fraction | int) -> Expression:
    """The constant function."""
    exact = Fraction(value)
    if max(abs(exact.numerator), exact.denominator) >= 10**MAX_NUMBER_DIGITS:
        raise InputError(f"a constant has more than {MAX_NUMBER_DIGITS} digits; round it to fewer")
    return Expression("number", (), exact)


X: Final = Expression("variable")
"""The identity function."""


def build(op: str, *args: Expression) -> Expression:
    """The canonical tree of an operation: rational constants are computed at once."""
    tree = Expression(op, args)
    if op == "divide" and args[1].value == 0:
        raise InputError(f"{tree} divides by zero; divide by something that is never zero")
    if op == "power" and args[0].value == 0 and tree.exponent < 0:
        raise InputError(f"{tree} divides by zero; give 0 an exponent that is not negative")
    values = [child.value for child in args if child.value is not None]
    fold = _FOLD.get(op)
    if fold is None or len(values) < len(args):
        return tree
    if op == "power" and tree.exponent.denominator > 1:
        return tree
    return number(fold(values))


def _coerce(value: Expression | Fraction | int) -> Expression:
    return value if isinstance(value, Expression) else number(value)


def _check_exponent(exponent: Expression) -> None:
    value = exponent.value
    if value is None:
        raise InputError(
            f"the exponent {exponent} is not a constant; write exp({exponent}*log(2)) for a power of 2"
        )
    if abs(value) > MAX_EXPONENT or value.denominator > MAX_EXPONENT:
        raise InputError(
            f"the exponent {value} is too large; exponents and their denominators go up to {MAX_EXPONENT}"
        )


_FOLD: Final[Mapping[str, Callable[[list[Fraction]], Fraction]]] = MappingProxyType(
    {
        "add": lambda v: v[0] + v[1],
        "subtract": lambda v: v[0] - v[1],
        "multiply": lambda v: v[0] * v[1],
        "divide": lambda v: v[0] / v[1],
        "power": lambda v: v[0] ** int(v[1]),
        "negate": lambda v: -v[0],
        "abs": lambda v: abs(v[0]),
        "max": max,
        "min": min,
    }
)
"""Operations that take rationals to rationals."""

_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(5)
"""How tightly a text binds, as in Python: x+y, x*y, -x, x**y, and x or f(x)."""

_INFIX: Final[Mapping[str, tuple[str, int]]] = MappingProxyType(
    {"add": ("+", _SUM), "subtract": ("-", _SUM), "multiply": ("*", _PRODUCT), "divide": ("/", _PRODUCT)}
)


def _text(e: Expression, variable: str) -> tuple[str, int]:
    """The text of a tree and how tightly it binds."""
    if e.value is not None:
        if e.value.denominator > 1:
            return str(e.value), _PRODUCT
        return str(e.value), _ATOM if e.value >= 0 else _SIGN
    if e.op == "variable":
        return variable, _ATOM
    parts = [_text(child, variable) for child in e.args]
    if e.op in _INFIX:
        sign, level = _INFIX[e.op]
        return f"{_wrap(parts[0], level)}{sign}{_wrap(parts[1], level + 1)}", level
    if e.op == "power":
        return f"{_wrap(parts[0], _ATOM)}**{_wrap(parts[1], _ATOM)}", _POWER
    if e.op == "negate":
        return f"-{_wrap(parts[0], _SIGN)}", _SIGN
    return f"{e.op}({','.join(text for text, _ in parts)})", _ATOM


def _wrap(part: tuple[str, int], least: int) -> str:
    text, level = part
    return text if level >= least else f"({text})"


# --- One pass over a tree, in any algebra ----------------------------------------------------------------
# Values and slopes, polynomials on an interval, bounds and shape.
#
# Six operations are enough. The others follow: u - v = u + (-v), u/v = u v**-1, the root is the power 1/2,
# |u| = max(u, -u, 0) and min(u, v) = -max(-u, -v).

T = TypeVar("T")

_HALF: Final = Fraction(1, 2)


class Algebra(ABC, Generic[T]):
    """How the operations act on values of one kind."""

    @abstractmethod
    def number(self, value: Fraction) -> T:
        """A constant."""

    @abstractmethod
    def variable(self) -> T:
        """The variable x."""

    @abstractmethod
    def add(self, u: T, v: T) -> T:
        """u + v."""

    @abstractmethod
    def multiply(self, u: T, v: T) -> T:
        """u v."""

    @abstractmethod
    def power(self, u: T, exponent: Fraction) -> T:
        """u to a rational constant; u**0 = 1, and fractional exponents need u >= 0."""

    @abstractmethod
    def exp(self, u: T) -> T:
        """e to the u."""

    @abstractmethod
    def log(self, u: T) -> T:
        """The natural logarithm."""

    @abstractmethod
    def maximum(self, parts: Sequence[T]) -> T:
        """The largest of some."""

    def negate(self, u: T) -> T:
        """-u."""
        return self.multiply(self.number(Fraction(-1)), u)

    def divide(self, u: T, v: T) -> T:
        """u/v."""
        return self.multiply(u, self.power(v, Fraction(-1)))

    def minimum(self, parts: Sequence[T]) -> T:
        """The smallest of some."""
        return self.negate(self.maximum([self.negate(u) for u in parts]))


def fold(e: Expression, algebra: Algebra[T]) -> T:
    """What a tree stands for in an algebra."""
    return apply(e, [fold(child, algebra) for child in e.args], algebra)


def apply(e: Expression, parts: Sequence[T], algebra: Algebra[T]) -> T:
    """What a tree stands for, given what its arguments stand for."""
    match e.op, parts:
        case "number", _:
            return algebra.number(e.value or Fraction(0))
        case "variable", _:
            return algebra.variable()
        case "multiply", [u, _] if e.args[0] == e.args[1]:
            # A square is seen to be one: it is nonnegative, and convex where u is affine.
            return algebra.power(u, Fraction(2))
        case "power", [u, _]:
            return algebra.power(u, e.exponent)
    return act(e.op, parts, algebra)


def act(op: str, parts: Sequence[T], algebra: Algebra[T]) -> T:
    """What an operation other than a power makes of things of one kind."""
    match op, parts:
        case "add", [u, v]:
            return algebra.add(u, v)
        case "subtract", [u, v]:
            return algebra.add(u, algebra.negate(v))
        case "multiply", [u, v]:
            return algebra.multiply(u, v)
        case "divide", [u, v]:
            return algebra.divide(u, v)
        case "sqrt", [u]:
            return algebra.power(u, _HALF)
        case "negate", [u]:
            return algebra.negate(u)
        case "exp", [u]:
            return algebra.exp(u)
        case "log", [u]:
            return algebra.log(u)
        case "abs", [u]:
            return algebra.maximum([u, algebra.negate(u), algebra.number(Fraction(0))])
        case "min", _:
            return algebra.minimum(parts)
    return algebra.maximum(parts)


# --- Reading a scalar function from a text that a person typed -------------------------------------------
# The text is first cut into tokens, each of which must be on a whitelist, and only then given to `ast.parse`,
# which builds a tree and runs nothing; of that tree a few node types are translated and every other one is
# refused by name.

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

CALLABLE: Final = (*FUNCTIONS, *_WRITTEN)
_FUNCTION_LIST: Final = ", ".join(CALLABLE)
TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?P<glued>[\w.]*)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<operator>\*\*|[-+*/(),])|(?P<other>\S))",
    re.ASCII,
)
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
    """Refuse everything that cannot be part of an expression."""
    depth, place = 0, 0
    while match := TOKEN.match(source, place):
        place = match.end()
        word, called = match["name"], source[place:].lstrip().startswith("(")
        known = word is None or (not called if word == variable else called and word in CALLABLE)
        if match["other"] or match["glued"] or not known:
            raise InputError(f"{match[0].strip()!r} is not allowed in an expression in {variable}")
        depth += {"(": 1, ")": -1}.get(match["operator"] or "", 0)
        if depth > MAX_DEPTH:
            raise InputError(f"the expression has more than {MAX_DEPTH} parentheses inside each other")


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
