"""Irrational numbers that stay written out: how a number was made, and a ball that certainly contains it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul, sub, truediv
from types import MappingProxyType
from typing import Final, final

from consistency_lab.numbers.exact import Ball, LogRational, enclose
from consistency_lab.numbers.phi import Expression, build, enclose_value, number

_STEPS: Final[Mapping[str, Callable[[Ball, Ball], Ball]]] = MappingProxyType(
    {"add": add, "subtract": sub, "multiply": mul, "divide": truediv}
)

_LARGEST_PRIME: Final = 1000


@final
@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """A number that is not known to be rational.

    Arithmetic computes balls at the working precision; the expression is written out when it is asked for.
    Comparisons are true where that is certain. Two such numbers are equal only if they are the same object.

    Examples
    --------
    >>> from consistency_lab.numbers.phi import parse
    >>> half = Fraction(1, 2) - Exact.of(parse("1/log2(3)"))
    >>> str(half), round(float(half), 6), half < 0
    ('1/2-1/(log(3)/log(2))', -0.13093, True)
    """

    ball: Ball  #: What certainly contains it.
    #: An expression without a variable; or an operation and two numbers.
    made: "Expression | tuple[str, Real, Real]"

    @staticmethod
    def of(expression: Expression) -> "Exact":
        """The number that an expression without a variable stands for."""
        return Exact(enclose_value(expression, LogRational(Fraction(0))), expression)

    @property
    def expression(self) -> Expression:
        """How it is written."""
        if isinstance(self.made, Expression):
            return self.made
        word, *parts = self.made
        return build(word, *(x.expression if isinstance(x, Exact) else number(x) for x in parts))

    def __str__(self) -> str:
        return str(self.expression)

    def __float__(self) -> float:
        return float(self.ball)

    def __add__(self, other: "Real") -> "Real":
        return self if _is(other, 0) else _made("add", self, other)

    def __radd__(self, other: Fraction | int) -> "Real":
        return self if _is(other, 0) else _made("add", Fraction(other), self)

    def __sub__(self, other: "Real") -> "Real":
        return self if _is(other, 0) else _made("subtract", self, other)

    def __rsub__(self, other: Fraction | int) -> "Real":
        return _made("subtract", Fraction(other), self)

    def __mul__(self, other: "Real") -> "Real":
        return self.__rmul__(other) if isinstance(other, Fraction) else _made("multiply", self, other)

    def __rmul__(self, other: Fraction | int) -> "Real":
        if _is(other, 0):
            return Fraction(0)
        return self if _is(other, 1) else _made("multiply", Fraction(other), self)

    def __truediv__(self, other: "Real") -> "Real":
        return _made("divide", self, other)

    def __rtruediv__(self, other: Fraction | int) -> "Real":
        return Fraction(0) if _is(other, 0) else _made("divide", Fraction(other), self)

    def __gt__(self, other: "Real | int") -> bool:
        return bool(self.ball > as_ball(other))

    def __lt__(self, other: "Real | int") -> bool:
        return bool(self.ball < as_ball(other))


Real = Fraction | Exact
"""A number that is known exactly, or else written exactly and enclosed."""

_Sum = dict[tuple[tuple[str, int], ...], Fraction]
"""A sum of products of powers of numbers that are told by their names, each product with its factor."""


def certainly_equal(left: Real, right: Real) -> bool:
    """Whether two numbers are proved equal: both are the same sum of products of logarithms and inverses.

    Examples
    --------
    >>> from consistency_lab.numbers.phi import parse
    >>> x, y = (Exact.of(parse(text)) for text in ("1/(1+1/log2(3))", "3/(3/log2(2)+3/log2(3))"))
    >>> certainly_equal(x, y), certainly_equal(x, Fraction(1, 2))
    (True, False)
    """
    return left is right or _sum(left - right) == {}


def _sum(x: "Real | Expression") -> _Sum:
    if isinstance(x, Exact):
        word, *parts = (x.made,) if isinstance(x.made, Expression) else x.made
        return _sum(word) if isinstance(word, Expression) else _step(word, *map(_sum, parts))
    value = x.value if isinstance(x, Expression) else x
    if value is not None:
        return {(): value} if value else {}
    assert isinstance(x, Expression)
    if x.op in _STEPS:
        return _step(x.op, *map(_sum, x.args))
    whole = x.args[0].value if x.op == "log" else None
    if whole is not None and whole.denominator == 1 and whole > 0:
        return {((f"log {p}", 1),): Fraction(power) for p, power in _factors(whole.numerator).items()}
    return {((str(x), 1),): Fraction(1)}


def _step(word: str, left: _Sum, right: _Sum) -> _Sum:
    if word == "divide":
        return _step("multiply", left, _inverse(right))
    if word == "multiply":
        parts = [(_product(s, t), a * b) for s, a in left.items() for t, b in right.items()]
    else:
        parts = [*left.items(), *((s, -a if word == "subtract" else a) for s, a in right.items())]
    found: _Sum = {}
    for product, factor in parts:
        found[product] = found.get(product, Fraction(0)) + factor
    return {product: factor for product, factor in found.items() if factor}


def _inverse(x: _Sum) -> _Sum:
    """1/x: of several summands one number more, told by their proportions."""
    product, factor = min(x.items())
    if len(x) == 1:
        return {tuple((name, -power) for name, power in product): 1 / factor}
    return {((str(sorted((s, str(a / factor)) for s, a in x.items())), -1),): 1 / factor}


def _product(
    left: tuple[tuple[str, int], ...], right: tuple[tuple[str, int], ...]
) -> tuple[tuple[str, int], ...]:
    powers = dict(left)
    for name, power in right:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def _factors(n: int) -> dict[int, int]:
    """The primes of n and their powers; what is left of a number with large ones counts as one."""
    found: dict[int, int] = {}
    for p in range(2, _LARGEST_PRIME):
        while n % p == 0:
            found[p], n = found.get(p, 0) + 1, n // p
    return found if n == 1 else {**found, n: 1}


def as_ball(value: Real | Ball | int) -> Ball:
    """The number as a ball."""
    if isinstance(value, Exact):
        return value.ball
    return enclose(value) if isinstance(value, Fraction | int) else value


def _made(word: str, left: Real, right: Real) -> Exact:
    return Exact(_STEPS[word](as_ball(left), as_ball(right)), (word, left, right))


def _is(value: object, whole: int) -> bool:
    return isinstance(value, Fraction | int) and value == whole
