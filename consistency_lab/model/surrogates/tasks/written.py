"""Numbers written out: formulas for gradients, run once, leave behind programs for the core."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from operator import add, mul, sub, truediv
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeVar, final

from consistency_lab.core.equilibrium import DIFFERENCE, Program, Step
from consistency_lab.errors import UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Label
from consistency_lab.model.tasks.task import Prediction
from consistency_lab.numbers.exact import Ball, enclose
from consistency_lab.numbers.expression import Algebra, Expression, fold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


# --- Numbers written out ---------------------------------------------------------------------------------
# Exact constants, and what a formula does with scores, as a program for the core.
#
# The formula of a field, run on scores of this kind, leaves behind the steps that it takes. Constants are
# numbers of the same kind with a ball around them, so that floats see the very constants that a proof has.

Origin = Fraction | tuple[int, int] | str
"""A rational; (i, j) for u_i - u_j; or the name of an operation of the core."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """A number with the way in which it is made, and a ball around it where no score is in it.

    Arithmetic on rationals is carried out, and x - x, 0 + x, 0 x, 1 x and x / 1 are what they are.

    Examples
    --------
    >>> half = whole(2).log() / whole(4).log()
    >>> round(float(half), 9), program([half * (whole(3) - whole(2))]).steps
    (0.5, (Fraction(2, 1), ('log', 0), Fraction(4, 1), ('log', 2), ('divide', 1, 3)))
    """

    origin: Origin  #: How it is made.
    #: A ball at the precision at which the number was made; None if it depends on scores.
    enclosure: Ball | None
    parts: tuple["Written", ...] = ()  #: What the operation is done with.

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
        if self.origin == 0 or other.origin == 0:
            return other if self.origin == 0 else self
        return _of_two("add", add, self, other)

    def __sub__(self, other: "Written", /) -> "Written":
        x, y = self.origin, other.origin
        if self is other or (isinstance(x, tuple) and x == y):
            return ZERO
        if y == 0:
            return self
        if isinstance(y, tuple) and x == 0:
            return Written(y[::-1], None)
        if isinstance(x, tuple) and isinstance(y, tuple) and x[1] == y[1]:
            return Written((x[0], y[0]), None)
        return _of_two("subtract", sub, self, other)

    def __mul__(self, other: "Written", /) -> "Written":
        x, y = self.origin, other.origin
        if x == 0 or y == 0:
            return ZERO
        if x == 1 or y == 1:
            return other if x == 1 else self
        return _of_two("multiply", mul, self, other)

    def __truediv__(self, other: "Written", /) -> "Written":
        if self.origin == 0 and other.origin != 0:
            return ZERO
        return self if other.origin == 1 else _of_two("divide", truediv, self, other)

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


_NO_SCORE: Final = -1


def variables(m: int) -> tuple[Written, ...]:
    """The scores of m items, each by itself: only floats may see more of them than their differences."""
    return tuple(Written((i, _NO_SCORE), None) for i in range(m))


def differences(m: int) -> tuple[Written, ...]:
    """The scores of m items, written as their differences from the last, which is 0."""
    return (*(Written((i, m - 1), None) for i in range(m - 1)), ZERO)


def evaluated(entries: Sequence[Written], scores: "Array") -> "Array":
    """These numbers in floats at scores of shape (..., m), each constant rounded once.

    Examples
    --------
    >>> import numpy as np
    >>> i, j = variables(2)
    >>> evaluated([i - j, (i - j).exp()], np.array([[1.0, 1.0], [3.0, 2.0]])).round(3).tolist()
    [[0.0, 1.0], [1.0, 2.718]]
    """
    import numpy as np

    operations = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}
    known: dict[Written, Any] = {}  # by identity

    def value(node: Written) -> Any:
        if node not in known:
            parts = [value(part) for part in node.parts] if node.enclosure is None else []
            match node.origin:
                case _ if node.enclosure is not None:
                    known[node] = np.full(scores.shape[:-1], float(node))
                case (i, j):
                    known[node] = scores[..., i] - (0.0 if j == _NO_SCORE else scores[..., j])
                case "exp":
                    known[node] = np.exp(np.minimum(parts[0], 700.0))
                case "log" if node.parts[0].origin == "add" and node.parts[0].parts[1] is ONE:
                    known[node] = np.log1p(known[node.parts[0].parts[0]])
                case "log":
                    known[node] = np.log(parts[0])
                case name:
                    known[node] = operations[str(name)](*parts)
        return known[node]

    return np.stack([value(entry) for entry in entries], axis=-1)


def _of_two(name: str, operation: Callable[[Any, Any], Any], x: Written, y: Written) -> Written:
    if isinstance(x.origin, Fraction) and isinstance(y.origin, Fraction):
        return whole(operation(x.origin, y.origin))
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


# --- What a formula for a gradient may do with scores ----------------------------------------------------


class Number(Protocol):
    """What `Written` can do, and other numbers on which a formula may run."""

    def __neg__(self) -> Self: ...
    def __add__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...
    def __mul__(self, other: Self, /) -> Self: ...
    def __truediv__(self, other: Self, /) -> Self: ...
    def constant(self, value: Written, /) -> Self:
        """A constant among numbers of this kind."""

    def scaled(self, factor: Written, /) -> Self:
        """A constant times this number."""

    def shifted(self, constant: Written, /) -> Self:
        """The sum with a constant."""

    def exp(self) -> Self:
        """Its exponential."""

    def log1p(self) -> Self:
        """The logarithm of 1 plus this number."""


N = TypeVar("N", bound=Number)


def total(parts: Sequence[N]) -> N:
    """The sum of one number or more."""
    return reduce(add, parts)


@final
class _Slopes(Algebra[tuple[Written, Written]]):
    """A smooth function of a written number, and its slope there."""

    def __init__(self, x: Written) -> None:
        self._x = x

    def number(self, value: Fraction) -> tuple[Written, Written]:
        return whole(value), ZERO

    def variable(self) -> tuple[Written, Written]:
        return self._x, ONE

    def add(self, u: tuple[Written, Written], v: tuple[Written, Written]) -> tuple[Written, Written]:
        return u[0] + v[0], u[1] + v[1]

    def multiply(self, u: tuple[Written, Written], v: tuple[Written, Written]) -> tuple[Written, Written]:
        return u[0] * v[0], u[0] * v[1] + u[1] * v[0]

    def divide(self, u: tuple[Written, Written], v: tuple[Written, Written]) -> tuple[Written, Written]:
        ratio = u[0] / v[0]
        return ratio, (u[1] - ratio * v[1]) / v[0]

    def power(self, u: tuple[Written, Written], exponent: Fraction) -> tuple[Written, Written]:
        if exponent.denominator > 1:
            return self.exp(self.multiply(self.number(exponent), self.log(u)))
        product = reduce(self.multiply, [u] * abs(exponent.numerator), self.number(Fraction(1)))
        return product if exponent > 0 else self.divide(self.number(Fraction(1)), product)

    def exp(self, u: tuple[Written, Written]) -> tuple[Written, Written]:
        value = u[0].exp()
        return value, value * u[1]

    def log(self, u: tuple[Written, Written]) -> tuple[Written, Written]:
        return u[0].log(), u[1] / u[0]

    def maximum(self, parts: Sequence[tuple[Written, Written]]) -> tuple[Written, Written]:
        raise UnsupportedError("a function with kinks has no slope everywhere")


def of_pairs(phi: Expression, weights: Sequence[tuple[tuple[int, int], Fraction]], m: int) -> Program:
    """The gradient of sum c phi(u_i - u_j) over pairs (i, j) with weights c, in all scores but the last.

    Examples
    --------
    >>> from consistency_lab.numbers.expression import parse
    >>> of_pairs(parse("exp(-x)"), [((0, 1), Fraction(2))], 2).steps  # doctest: +NORMALIZE_WHITESPACE
    (Fraction(2, 1), Fraction(-1, 1), ('difference', 0, 1), ('multiply', 1, 2), ('exp', 3),
     ('multiply', 4, 1), ('multiply', 0, 5))
    """
    scores, gradient = differences(m), [ZERO] * m
    for (i, j), weight in weights:
        slope = fold(phi, _Slopes(scores[i] - scores[j]))[1].scaled(whole(weight))
        gradient[i], gradient[j] = gradient[i] + slope, gradient[j] - slope
    return program(gradient[:-1])


def softmax(logits: Sequence[N]) -> list[N]:
    """exp(x_i) / sum_j exp(x_j), as 1 / sum_j exp(x_j - x_i)."""
    sums = [total([(other - x).exp() for other in logits]) for x in logits]
    one = logits[0].constant(ONE)
    return [one / whole for whole in sums]


# --- Rules that turn a label into a gradient field, smooth inside each strict order of the scores --------


Descent = Callable[["Array"], tuple["Array", "Array"]]
"""From scores of shape (..., m) to a mean gradient, and to the mean of what the library divides it by."""


class Piece(ABC):
    """The gradient of one label where the scores have one strict order; smooth there."""

    def floats(self, scores: "Array") -> "Array":
        """The gradient at scores of shape (..., m), in floats."""
        return evaluated(_at_any_scores(self, scores.shape[-1]), scores)

    def curvature(self, scores: "Array") -> "Array":
        """What the library divides an item's gradient by, averaged over labels as the gradient is, in floats.

        Gradient boosting takes the step -G/H of an item, H the sum of its second derivatives as the objective
        states them; libraries that descend along the gradient divide by nothing. No zero depends on it.
        """
        import numpy as np

        return np.ones_like(scores)

    @classmethod
    def together(cls, pieces: "Sequence[tuple[float, Piece]]") -> Descent:
        """The mean of pieces of this class with these shares."""
        import numpy as np

        return lambda scores: (
            np.sum([share * piece.floats(scores) for share, piece in pieces], axis=0),
            np.sum([share * piece.curvature(scores) for share, piece in pieces], axis=0),
        )

    @abstractmethod
    def entries(self, scores: Sequence[N]) -> tuple[N, ...]:
        """The gradient by the arithmetic of the scores, which must be of the piece's order for certain.

        On `Written` numbers it leaves a program behind.
        """

    def program(self, m: int) -> Program:
        """The gradient in all scores but the last, which is minus their sum, as the core reads it."""
        return program(self.entries(differences(m))[:-1])


@lru_cache(maxsize=1024)
def _at_any_scores(piece: Piece, m: int) -> tuple[Written, ...]:
    return piece.entries(variables(m))


Rule = Callable[[Label, Prediction], Piece]
"""How a library makes a gradient: of a label, where `ranking` sorts the scores, from top to bottom."""


# --- Losses that are smooth inside every strict order of the scores, by formulas for their gradients -----
# These fields are gradients of fixed losses. They are here because the losses are not convex, or because no
# other family holds them: an equilibrium says that descent can stand still, not that the loss is least there.


class Gradient(Protocol):
    """The gradient of one label's loss inside one order of the scores."""

    def __call__(self, scores: Sequence[N], /) -> Sequence[N]:
        """One number an item."""


@frozen
class SmoothPiece(Piece):
    """The formula at one label and in one order."""

    gradient: Gradient

    def entries(self, scores: Sequence[N]) -> tuple[N, ...]:
        return tuple(self.gradient(scores))
