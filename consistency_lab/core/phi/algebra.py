"""One pass over a tree, in any algebra: values and slopes, polynomials on an interval, bounds and shape.

Six operations are enough. The others follow: u - v = u + (-v), u/v = u v**-1, the root is the power 1/2,
|u| = max(u, -u, 0) and min(u, v) = -max(-u, -v).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Generic, TypeVar

from consistency_lab.core.phi.expression import Expression

T = TypeVar("T")

_HALF: Final = Fraction(1, 2)


class Algebra(ABC, Generic[T]):
    """What the operations do to things of one kind."""

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
        case "add", [u, v]:
            return algebra.add(u, v)
        case "subtract", [u, v]:
            return algebra.add(u, algebra.negate(v))
        case "multiply", [u, v]:
            # A square is seen to be one: it is nonnegative, and convex where u is affine.
            return algebra.power(u, Fraction(2)) if e.args[0] == e.args[1] else algebra.multiply(u, v)
        case "divide", [u, v]:
            return algebra.divide(u, v)
        case "power", [u, _]:
            return algebra.power(u, e.exponent)
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
