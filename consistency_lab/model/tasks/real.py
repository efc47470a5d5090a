"""Irrational numbers that stay written out: how a number was made, and a ball that certainly contains it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul, sub, truediv
from types import MappingProxyType
from typing import Final, final

from consistency_lab.exact import Ball, LogRational, enclose
from consistency_lab.phi import Expression, build, enclose_value, number

_STEPS: Final[Mapping[str, Callable[[Ball, Ball], Ball]]] = MappingProxyType(
    {"add": add, "subtract": sub, "multiply": mul, "divide": truediv}
)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """A number that is not known to be rational.

    Arithmetic computes balls at the working precision; the expression is written out when it is asked for.
    Comparisons are true where that is certain. Two such numbers are equal only if they are the same object.

    Parameters
    ----------
    ball
        What certainly contains it.
    made
        An expression without a variable; or an operation and two numbers.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> half = Fraction(1, 2) - Exact.of(parse("1/log2(3)"))
    >>> str(half), round(float(half), 6), half < 0
    ('1/2-1/(log(3)/log(2))', -0.13093, True)
    """

    ball: Ball
    made: "Expression | tuple[str, Real, Real]"

    @staticmethod
    def of(expression: Expression) -> "Exact":
        """The number that an expression without a variable stands for."""
        return Exact(enclose_value(expression, LogRational(Fraction(0))), expression)

    @property
    def expression(self) -> Expression:
        """How it is written.

        Raises
        ------
        InputError
            If a rational in it is longer than an expression may have it.
        """
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


def as_ball(value: Real | Ball | int) -> Ball:
    """The number as a ball."""
    if isinstance(value, Exact):
        return value.ball
    return enclose(value) if isinstance(value, Fraction | int) else value


def _made(word: str, left: Real, right: Real) -> Exact:
    return Exact(_STEPS[word](as_ball(left), as_ball(right)), (word, left, right))


def _is(value: object, whole: int) -> bool:
    return isinstance(value, Fraction | int) and value == whole
