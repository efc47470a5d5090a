"""Scalar functions as small immutable trees.

A tree is data: nothing in this package ever evaluates text. Trees are kept in one canonical shape
(arithmetic on rational constants is carried out when a tree is built), so that two texts that differ only
in how constants are written give equal trees, and ``parse(str(e)) == e``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Final, final

from consistency_lab.errors import InputError

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

    Parameters
    ----------
    op
        A key of `ARITY`.
    args
        The arguments.
    value
        The value of a ``number``, else None.

    Raises
    ------
    InputError
        If the shape is wrong, for instance an exponent that is not a constant.

    Examples
    --------
    >>> 2 * X - 1
    Expression('2*x-1')
    """

    op: str
    args: tuple["Expression", ...] = ()
    value: Fraction | None = None
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
    """The constant function.

    Raises
    ------
    InputError
        If its numerator or denominator is longer than `MAX_NUMBER_DIGITS`.
    """
    exact = Fraction(value)
    if max(abs(exact.numerator), exact.denominator) >= 10**MAX_NUMBER_DIGITS:
        raise InputError(f"a constant has more than {MAX_NUMBER_DIGITS} digits; round it to fewer")
    return Expression("number", (), exact)


X: Final = Expression("variable")
"""The identity function."""


def build(op: str, *args: Expression) -> Expression:
    """The canonical tree of an operation: rational constants are computed at once.

    Raises
    ------
    InputError
        If the operation is unknown, has the wrong number of arguments, divides by the constant 0, or has an
        exponent that is not a rational constant of size at most `MAX_EXPONENT`.

    Examples
    --------
    >>> build("divide", number(1), number(2)) == number(Fraction(1, 2))
    True
    """
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
    {
        "add": ("+", _SUM),
        "subtract": ("-", _SUM),
        "multiply": ("*", _PRODUCT),
        "divide": ("/", _PRODUCT),
    }
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
