"""Numbers written out: exact constants, and what a formula does with scores, as a program for the core.

The formula of a field, run on scores of this kind, leaves behind the steps that it takes. Constants are
numbers of the same kind with a ball around them, so that floats see the very constants that a proof has.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.core.field import DIFFERENCE, Program, Step
from consistency_lab.exact import Ball, enclose

Origin = Fraction | tuple[int, int] | str
"""A rational; (i, j) for u_i - u_j; or the name of an operation of the core."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """A number with the way in which it is made, and a ball around it where no score is in it.

    Arithmetic on rationals is carried out, and x - x, 0 + x, 0 x, 1 x and x / 1 are what they are.

    Parameters
    ----------
    origin
        How it is made.
    enclosure
        A ball at the precision at which the number was made; None if it depends on scores.
    parts
        What the operation is done with.

    Examples
    --------
    >>> half = whole(2).log() / whole(4).log()
    >>> round(float(half), 9), program([half * (whole(3) - whole(2))]).steps
    (0.5, (Fraction(2, 1), ('log', 0), Fraction(4, 1), ('log', 2), ('divide', 1, 3)))
    """

    origin: Origin
    enclosure: Ball | None
    parts: tuple["Written", ...] = ()

    @property
    def ball(self) -> Ball:
        """A ball around a constant."""
        assert self.enclosure is not None, "a number with scores in it has no ball"
        return self.enclosure

    def __float__(self) -> float:
        return float(self.ball)

    def __neg__(self) -> "Written":
        return ZERO - self

    def __add__(self, other: "Written", /) -> "Written":
        x, y = self.origin, other.origin
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return whole(x + y)
        if x == 0 or y == 0:
            return other if x == 0 else self
        return _of_two("add", Ball.__add__, self, other)

    def __sub__(self, other: "Written", /) -> "Written":
        x, y = self.origin, other.origin
        if self is other or (isinstance(x, tuple) and x == y):
            return ZERO
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return whole(x - y)
        if y == 0:
            return self
        if isinstance(y, tuple) and x == 0:
            return Written(y[::-1], None)
        if isinstance(x, tuple) and isinstance(y, tuple) and x[1] == y[1]:
            return Written((x[0], y[0]), None)
        return _of_two("subtract", Ball.__sub__, self, other)

    def __mul__(self, other: "Written", /) -> "Written":
        x, y = self.origin, other.origin
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return whole(x * y)
        if x == 0 or y == 0:
            return ZERO
        if x == 1 or y == 1:
            return other if x == 1 else self
        return _of_two("multiply", Ball.__mul__, self, other)

    def __truediv__(self, other: "Written", /) -> "Written":
        x, y = self.origin, other.origin
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return whole(x / y)
        if x == 0:
            return ZERO
        if y == 1:
            return self
        return _of_two("divide", Ball.__truediv__, self, other)

    def constant(self, value: "Written") -> "Written":
        """The constant itself."""
        return value

    def scaled(self, factor: "Written") -> "Written":
        """A constant times this number."""
        return factor * self

    def shifted(self, constant: "Written") -> "Written":
        """The sum with a constant."""
        return self + constant

    def exp(self) -> "Written":
        """Its exponential."""
        if self.origin == 0:
            return ONE
        return Written("exp", None if self.enclosure is None else self.enclosure.exp(), (self,))

    def log(self) -> "Written":
        """Its logarithm; it must be positive."""
        if self.origin == 1:
            return ZERO
        return Written("log", None if self.enclosure is None else self.enclosure.log(), (self,))

    def log1p(self) -> "Written":
        """The logarithm of 1 plus this number."""
        return (self + ONE).log()


def whole(value: Fraction | int) -> Written:
    """A rational, written out.

    Examples
    --------
    >>> (whole(2) / whole(6)).origin
    Fraction(1, 3)
    """
    return Written(Fraction(value), enclose(value))


ZERO: Final = whole(0)
ONE: Final = whole(1)


def program(entries: Sequence[Written]) -> Program:
    """The steps that make these numbers, each step once, and only those that are needed.

    Examples
    --------
    >>> first, _ = differences(2)
    >>> program([first * first + (ZERO - first) * first.exp()])  # doctest: +NORMALIZE_WHITESPACE
    Program(steps=(('difference', 0, 1), ('multiply', 0, 0), ('difference', 1, 0), ('exp', 0),
                   ('multiply', 2, 3), ('add', 1, 4)),
            gradient=(5,))
    """
    steps: dict[Step, int] = {}
    places: dict[Written, int] = {}  # by identity
    waiting = list(reversed(entries))
    while waiting:
        node = waiting[-1]
        missing = [part for part in node.parts if part not in places]
        if missing:
            waiting.extend(reversed(missing))
            continue
        waiting.pop()
        places[node] = steps.setdefault(_step(node, places), len(steps))
    return Program(tuple(steps), tuple(places[entry] for entry in entries))


def differences(m: int) -> tuple[Written, ...]:
    """The scores of m items, written as their differences from the last, which is 0."""
    return (*(Written((i, m - 1), None) for i in range(m - 1)), ZERO)


def _of_two(name: str, operation: Callable[[Ball, Ball], Ball], x: Written, y: Written) -> Written:
    known = x.enclosure is not None and y.enclosure is not None
    return Written(name, operation(x.ball, y.ball) if known else None, (x, y))


def _step(node: Written, places: Mapping[Written, int]) -> Step:
    match node.origin:
        case Fraction():
            return node.origin
        case (i, j):
            return DIFFERENCE, i, j
        case name:
            if len(node.parts) == 1:
                return name, places[node.parts[0]]
            return name, places[node.parts[0]], places[node.parts[1]]
