"""Numbers that remember how they are made: constants that stay exact, and formulas that are run only once.

A formula for a loss or a gradient is plain Python on such numbers. What it leaves behind is walked in balls,
in floats, backwards for slopes, into an expression, or step by step into a program that the core reads.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import groupby
from operator import add, mul, sub, truediv
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

from consistency_lab.errors import UnsupportedError
from consistency_lab.numbers.exact import Ball, LogRational, enclose, working_precision
from consistency_lab.numbers.expression import Algebra, Expression, X, build, fold, number
from consistency_lab.numbers.values import enclose_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consistency_lab.numbers.arrays import Floats


_BITS: Final = 1024
"""Of constants: sums of logarithms with large factors may cancel most of their digits."""

ALONE: Final = -1
"""(i, ALONE) is the score u_i itself, which only floats may see."""


@final
@dataclass(frozen=True, eq=False)
class Number:
    """A number that is not known to be rational: a constant, or one that depends on scores.

    x - x, 0 + x, 0 x, 1 x and x / 1 are what they are. Comparisons are true where that is certain. Two such
    numbers are equal only if they are the same object.

    Examples
    --------
    >>> from consistency_lab.numbers.expression import parse
    >>> half = Fraction(1, 2) - Number.of(parse("1/log2(3)"))
    >>> str(half), round(float(half), 6), half < 0
    ('1/2-1/(log(3)/log(2))', -0.13093, True)
    """

    #: An operation of `parts`; an expression without a variable; or (i, j) for the difference u_i - u_j.
    op: str | Expression | tuple[int, int]
    parts: tuple["Real", ...] = ()

    @staticmethod
    def of(expression: Expression) -> "Number":
        """The number that an expression without a variable stands for."""
        return Number(expression)

    @cached_property
    def ball(self) -> Ball:
        """What certainly contains a constant."""
        waiting = [self]
        while waiting:  # those of the parts before, in a loop: a sum over labels is too deep for recursion
            node = waiting[-1]
            if missing := [x for x in node.parts if isinstance(x, Number) and "ball" not in vars(x)]:
                waiting.extend(missing)
            elif waiting.pop() is not self:
                _ = node.ball
        with working_precision(_BITS):
            if isinstance(self.op, Expression):
                return enclose_value(self.op, LogRational(Fraction(0)))
            assert isinstance(self.op, str)
            return _ON_BALLS[self.op](*map(as_ball, self.parts))

    @property
    def expression(self) -> Expression:
        """How a constant is written, or a function of one score."""

        def leaf(of: Fraction | Expression | tuple[int, int]) -> Expression:
            return X if isinstance(of, tuple) else number(of) if isinstance(of, Fraction) else of

        return walked([self], leaf, build)[0]

    def __str__(self) -> str:
        return str(self.expression)

    def __float__(self) -> float:
        return float(self.ball)

    def __neg__(self) -> "Real":
        return 0 - self

    def __add__(self, other: "Real | int") -> "Real":
        return self if other == 0 else Number("add", (self, _exact(other)))

    def __radd__(self, other: Fraction | int) -> "Real":
        return self if other == 0 else Number("add", (_exact(other), self))

    def __sub__(self, other: "Real | int") -> "Real":
        if isinstance(other, Number):
            match self.op, other.op:
                case (i, j), (k, l) if j == l:
                    return Fraction(0) if i == k else Number((i, k))
        if self is other:
            return Fraction(0)
        return self if other == 0 else Number("subtract", (self, _exact(other)))

    def __rsub__(self, other: Fraction | int) -> "Real":
        match self.op:
            case (i, j) if other == 0 and j != ALONE:
                return Number((j, i))
        return Number("subtract", (_exact(other), self))

    def __mul__(self, other: "Real | int") -> "Real":
        return Number("multiply", (self, other)) if isinstance(other, Number) else self.__rmul__(other)

    def __rmul__(self, other: Fraction | int) -> "Real":
        if other == 0:
            return Fraction(0)
        return self if other == 1 else Number("multiply", (_exact(other), self))

    def __truediv__(self, other: "Real | int") -> "Real":
        return self if other == 1 else Number("divide", (self, _exact(other)))

    def __rtruediv__(self, other: Fraction | int) -> "Real":
        return Fraction(0) if other == 0 else Number("divide", (_exact(other), self))

    def __gt__(self, other: "Real | int") -> bool:
        return bool(self.ball > as_ball(other))

    def __lt__(self, other: "Real | int") -> bool:
        return bool(self.ball < as_ball(other))


Real = Fraction | Number
"""A number that is known exactly, or else as it is made."""


def _exact(value: Real | int) -> Real:
    return Fraction(value) if isinstance(value, int) else value


def exp(x: Real) -> Real:
    """The exponential."""
    return Fraction(1) if x == 0 else Number("exp", (x,))


def log(x: Real | int) -> Real:
    """The logarithm of a positive number."""
    return Fraction(0) if x == 1 else Number("log", (_exact(x),))


def total(parts: Sequence[Real]) -> Real:
    """The sum of some numbers, from left to right."""
    return reduce(add, parts, Fraction(0))


def softmax(x: Sequence[Real]) -> list[Real]:
    """exp(x_i) / sum_j exp(x_j), as 1 / sum_j exp(x_j - x_i)."""
    return [1 / total([exp(y - one) for y in x]) for one in x]


def log_softmax(x: Sequence[Real]) -> list[Real]:
    """The logarithms of these, without a quotient."""
    return [-log(total([exp(y - one) for y in x])) for one in x]


@final
class _At(Algebra[Real]):
    """A smooth function of one variable at a number."""

    def __init__(self, x: Real) -> None:
        self._x = x

    def number(self, value: Fraction) -> Real:
        return value

    def variable(self) -> Real:
        return self._x

    def add(self, u: Real, v: Real) -> Real:
        return u + v

    def multiply(self, u: Real, v: Real) -> Real:
        return u * v

    def divide(self, u: Real, v: Real) -> Real:
        return u / v

    def exp(self, u: Real) -> Real:
        return exp(u)

    def log(self, u: Real) -> Real:
        return log(u)

    def power(self, u: Real, exponent: Fraction) -> Real:
        if exponent.denominator > 1:
            return exp(exponent * log(u))
        product: Real = reduce(mul, [u] * abs(exponent.numerator), Fraction(1))
        return product if exponent > 0 else 1 / product

    def maximum(self, parts: Sequence[Real]) -> Real:
        raise UnsupportedError("a function with kinks has no slope everywhere")


def at(phi: Expression, x: Real) -> Real:
    """phi(x), for a smooth phi."""
    return fold(phi, _At(x))


# --- Walks over what a formula leaves behind -------------------------------------------------------------

T = TypeVar("T")


def ordered(entries: Sequence[Real]) -> Iterator[Real]:
    """All numbers that these are made of, each once and after its parts."""
    seen: set[int] = set()
    waiting = list(reversed(entries))
    while waiting:
        missing = [part for part in _parts(waiting[-1]) if id(part) not in seen]
        if missing:
            waiting.extend(reversed(missing))
        elif id(node := waiting.pop()) not in seen:
            seen.add(id(node))
            yield node


def _parts(node: Real) -> tuple[Real, ...]:
    return node.parts if isinstance(node, Number) else ()


def walked(entries: Sequence[Real], leaf: Callable[[Any], T], act: Callable[..., T]) -> list[T]:
    """These numbers in other terms: of a rational, an expression or two scores, and of an operation."""
    found: dict[int, T] = {}
    for node in ordered(entries):
        parts = [found[id(part)] for part in _parts(node)]
        op = node.op if isinstance(node, Number) else node
        found[id(node)] = act(op, *parts) if parts else leaf(op)
    return [found[id(entry)] for entry in entries]


_ON_BALLS: Final[Mapping[str, Callable[..., Ball]]] = MappingProxyType(
    {"add": add, "subtract": sub, "multiply": mul, "divide": truediv, "exp": Ball.exp, "log": Ball.log}
)


def as_ball(value: Real | Ball | int) -> Ball:
    """The number as a ball."""
    if isinstance(value, Number):
        return value.ball
    return enclose(value) if isinstance(value, Fraction | int) else value


def slopes(loss: Real, m: int) -> list[Real]:
    """The gradient of a loss in m scores, walked backwards."""
    to: dict[int, Real] = {id(loss): Fraction(1)}
    gradient: list[Real] = [Fraction(0)] * m
    for node in reversed(list(ordered([loss]))):
        d = to.get(id(node), Fraction(0))
        if not isinstance(node, Number) or isinstance(node.op, Expression):
            continue
        given: list[tuple[Real, Real]] = []
        match node.op, node.parts:
            case (i, j), _:
                gradient[i], gradient[j] = gradient[i] + d, gradient[j] - d
            case "add", (x, y):
                given = [(x, d), (y, d)]
            case "subtract", (x, y):
                given = [(x, d), (y, -d)]
            case "multiply", (x, y):
                given = [(x, d * y), (y, d * x)]
            case "divide", (x, y):
                given = [(x, d / y), (y, -(d * node / y))]
            case "exp", (x,):
                given = [(x, d * node)]
            case "log", (x,):
                given = [(x, d / x)]
        for part, more in given:
            if isinstance(part, Number):
                to[id(part)] = to.get(id(part), Fraction(0)) + more
    return gradient


_Form = dict[int, float]
"""A linear combination of rows."""


@final
class _Rows:
    """Numbers in floats, row by row: m scores, then 1, sums of rows before, and operations on rows before."""

    def __init__(self, m: int) -> None:
        self.one = m
        self.steps: dict[tuple[Any, ...], int] = {("score", i): i for i in range(m + 1)}
        self.depth = [0] * (m + 1)
        self._forms: dict[int, _Form] = {}

    def _row(self, *step: Any) -> int:
        if step not in self.steps:
            before = [row for row, _ in step[1:]] if step[0] == "sum" else step[1:]
            self.depth.append(1 + max(self.depth[row] for row in before))
            self.steps[step] = len(self.steps)
        return self.steps[step]

    def of(self, form: _Form) -> int:
        """The row of a linear combination."""
        match [(row, c) for row, c in form.items() if c] or [(self.one, 0.0)]:
            case [(row, 1.0)]:
                return row
            case rest:
                return self._row("sum", *sorted(rest))

    def add(self, node: Real) -> _Form:
        """The number as a combination of rows, its parts being known."""
        parts = [self._forms[id(part)] for part in _parts(node)]
        self._forms[id(node)] = self._form(node, *parts)
        return self._forms[id(node)]

    def _form(self, node: Real, x: _Form | None = None, y: _Form | None = None) -> _Form:
        if not isinstance(node, Number) or isinstance(node.op, Expression):
            return {self.one: float(node)}
        if isinstance(node.op, tuple):
            i, j = node.op
            return {i: 1.0} if j == ALONE else {i: 1.0, j: -1.0}
        assert x is not None
        if self._known(x) and (y is None or self._known(y)):
            return {self.one: float(node)}  # each constant is rounded once
        match node.op, y:
            case "add" | "subtract", dict():
                sign = -1.0 if node.op == "subtract" else 1.0
                return {row: x.get(row, 0.0) + sign * y.get(row, 0.0) for row in x | y}
            case "multiply", dict() if self._known(x):
                return {row: x[self.one] * c for row, c in y.items()}
            case "divide", dict() if self._known(y):
                return {row: c / y[self.one] for row, c in x.items()}
            case "log", None if x.get(self.one) == 1:  # keeps the digits of small numbers
                return {self._row("log1p", self.of(x | {self.one: 0.0})): 1.0}
        return {self._row(node.op, self.of(x), *(() if y is None else (self.of(y),))): 1.0}

    def _known(self, form: _Form) -> bool:
        return form.keys() == {self.one}


def in_floats(entries: Sequence[Real], m: int) -> "Callable[[Floats], Floats]":
    """A function that takes scores (B, m) to these numbers (n, B).

    Equal operations are done once, and all of one kind at the same depth in one call of NumPy.

    Examples
    --------
    >>> import numpy as np
    >>> gap = Number((0, 1))
    >>> in_floats([gap, exp(gap)], 2)(np.array([[1.0, 1.0], [3.0, 2.0]])).round(3).tolist()
    [[0.0, 1.0], [1.0, 2.718]]
    """
    import numpy as np

    rows = _Rows(m)
    forms = {id(node): rows.add(node) for node in ordered(entries)}
    wanted = [rows.of(forms[id(entry)]) for entry in entries]
    level = {step: (rows.depth[row], step[0]) for step, row in rows.steps.items()}
    steps = sorted(rows.steps, key=level.__getitem__)
    place = {rows.steps[step]: k for k, step in enumerate(steps)}
    calls: list[tuple[str, Floats | tuple[NDArray[np.int64], ...], slice]] = []
    for (_, name), group in groupby(steps[m + 1 :], key=level.__getitem__):
        alike = [step[1:] for step in group]
        start = place[rows.steps[(name, *alike[0])]]
        out = slice(start, start + len(alike))
        if name == "sum":
            factors = np.zeros((len(alike), start))
            for k, form in enumerate(alike):
                for row, c in form:
                    factors[k, place[row]] = c
            calls.append((name, factors, out))
        else:
            calls.append((name, tuple(np.array([[place[row] for row in step] for step in alike]).T), out))
    last = np.array([place[row] for row in wanted])

    def run(u: "Floats") -> "Floats":
        table = np.empty((len(steps), len(u)))
        table[:m], table[m] = u.T, 1.0
        for name, given, out in calls:
            if isinstance(given, np.ndarray):
                np.matmul(given, table[: out.start], out=table[out])
            elif name == "exp":
                np.exp(np.minimum(table[given[0]], 700.0), out=table[out])
            else:
                getattr(np, name)(*(table[part] for part in given), out=table[out])
        return np.asarray(table[last])

    return run
