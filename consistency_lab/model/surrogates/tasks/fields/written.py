"""Gradient fields traced once: the numbers of their formulas, written out as a straight-line program."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import add
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol, Self, TypeVar, final

from consistency_lab.core.equilibrium import DIFFERENCE, Program, Step
from consistency_lab.errors import InputError
from consistency_lab.exact import Ball, enclose, rational, rational_text
from consistency_lab.frozen import frozen
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.task import Prediction, Task

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


# --- What a formula for a gradient may do with scores: one formula serves floats and programs ------------


class Number(Protocol):
    """What `Column` and `Written` can do."""

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


@frozen
class Column:
    """Many floats at once.

    Examples
    --------
    >>> import numpy as np
    >>> (Column(np.array([1.0, 2.0])) * Column(np.array([3.0, 4.0]))).value.tolist()
    [3.0, 8.0]
    """

    value: "Array"

    def __neg__(self) -> "Column":
        return Column(-self.value)

    def __add__(self, other: "Column", /) -> "Column":
        return Column(self.value + other.value)

    def __sub__(self, other: "Column", /) -> "Column":
        return Column(self.value - other.value)

    def __mul__(self, other: "Column", /) -> "Column":
        return Column(self.value * other.value)

    def __truediv__(self, other: "Column", /) -> "Column":
        return Column(self.value / other.value)

    def constant(self, value: Written, /) -> "Column":
        """A constant among such numbers."""
        import numpy as np

        return Column(np.full_like(self.value, float(value)))

    def scaled(self, factor: Written, /) -> "Column":
        """A constant times these numbers."""
        return Column(float(factor) * self.value)

    def shifted(self, constant: Written, /) -> "Column":
        """The sums with a constant."""
        return Column(self.value + float(constant))

    def exp(self) -> "Column":
        """The exponentials, of at most 700."""
        import numpy as np

        return Column(np.exp(np.minimum(self.value, 700.0)))

    def log1p(self) -> "Column":
        """The logarithms of 1 plus these numbers."""
        import numpy as np

        return Column(np.log1p(self.value))


def total(parts: Sequence[N]) -> N:
    """The sum of one number or more."""
    return reduce(add, parts)


def softmax(logits: Sequence[N]) -> list[N]:
    """exp(x_i) / sum_j exp(x_j), as 1 / sum_j exp(x_j - x_i)."""
    sums = [total([(other - x).exp() for other in logits]) for x in logits]
    one = logits[0].constant(ONE)
    return [one / whole for whole in sums]


# --- Rules that turn a label into a gradient field, smooth inside each strict order of the scores --------


class Piece(ABC):
    """The gradient of one label where the scores have one strict order; smooth there."""

    @abstractmethod
    def floats(self, scores: "Array") -> "Array":
        """The gradient at scores of shape (..., m), in floats."""

    def curvature(self, scores: "Array") -> "Array":
        """What the library divides an item's gradient by, averaged over labels as the gradient is, in floats.

        Gradient boosting takes the step -G/H of an item, H the sum of its second derivatives as the objective
        states them; libraries that descend along the gradient divide by nothing. No zero depends on it.
        """
        import numpy as np

        return np.ones_like(scores)

    @abstractmethod
    def entries(self, scores: Sequence[N]) -> tuple[N, ...]:
        """The gradient by the arithmetic of the scores, which must be of the piece's order for certain.

        On `Written` numbers it leaves a program behind.
        """

    def program(self, m: int) -> Program:
        """The gradient in all scores but the last, which is minus their sum, as the core reads it."""
        return program(self.entries(differences(m))[:-1])


Rule = Callable[[Label, Prediction], Piece]
"""How a library makes a gradient: of a label, where `ranking` sorts the scores, from top to bottom."""


# --- The parameters of shipped objectives: their names, their defaults, and what a value may be ----------

Value = bool | int | str | tuple[str, ...]
"""A value as JSON has it; rationals are texts."""


@frozen
class Parameter:
    """One parameter of a library."""

    default: Value  #: What the library ships.
    wanted: str  #: What is right, in words.
    read: Callable[[object], Value | None]  #: The value in its one spelling, or None if it is not right.


def _truth(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 1 <= value < 2**31 else None


def _method(value: object) -> str | None:
    return value if isinstance(value, str) and value in ("topk", "mean") else None


def _number(value: object) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, int | str | Fraction):
        return None
    try:
        return rational(value)
    except InputError:
        return None


def _positive(value: object) -> str | None:
    number = _number(value)
    return rational_text(number) if number is not None and number > 0 else None


def _gains(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list | tuple):
        return None
    found = [number for number in map(_number, value) if number is not None]
    rising = found == sorted(found) and all(number >= 0 for number in found)
    return tuple(map(rational_text, found)) if rising and len(found) == len(value) != 1 else None


PARAMETERS: Final[Mapping[str, Parameter]] = MappingProxyType(
    {
        "lambdarank_pair_method": Parameter("topk", "'topk' or 'mean'", _method),
        "lambdarank_num_pair_per_sample": Parameter(32, "a positive integer", _count),
        "lambdarank_normalization": Parameter(True, "true or false", _truth),
        "lambdarank_score_normalization": Parameter(True, "true or false", _truth),
        "ndcg_exp_gain": Parameter(True, "true or false", _truth),
        "sigmoid": Parameter("1", "a positive rational", _positive),
        "temperature": Parameter("1", "a positive rational", _positive),
        "alpha": Parameter("1", "a positive rational", _positive),
        "epsilon": Parameter("1", "a positive rational", _positive),
        "lambdarank_norm": Parameter(True, "true or false", _truth),
        "lambdarank_truncation_level": Parameter(30, "a positive integer", _count),
        "label_gain": Parameter((), "empty, or two or more rationals from 0 on that do not fall", _gains),
    }
)
"""Parameters by the names that their libraries use."""


def read_parameter(name: str, value: object) -> Value:
    """The value of a parameter in its one spelling.

    Examples
    --------
    >>> read_parameter("sigmoid", "4/2")
    '2'
    """
    found = PARAMETERS[name].read(value)
    if found is None:
        raise InputError(f"{name} is {str(value)[:60]!r}; it must be {PARAMETERS[name].wanted}")
    return found


# --- Gradient fields: the updates that a library really makes, where they come from no loss --------------


@final
@dataclass(frozen=True)
class GradientField:
    """A gradient g(y, u) for each label: training descends along sum_y p_y g(y, u).

    Where that sum is zero training stands still; no risk needs to have its minimum there. Fields are smooth
    inside every strict order of the scores, and jump between orders if their weights look at the ranking.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.fields.catalogue import field
    >>> import numpy as np
    >>> pairwise = field("xgboost:rank:pairwise", lambdarank_normalization=False)
    >>> up, down = pairwise.gradient((1, 0), np.array([0.5, 0]))
    >>> round(float(up), 6), round(float(down), 6)  # 1/(1 + exp(1/2)) / (1/2 + 1/100)
    (-0.740276, 0.740276)
    """

    name: str  #: Library and objective, "xgboost:rank:pairwise".
    version: str  #: The release it was read from.
    #: g(y, u), and the source.
    formula: str
    citation: str
    note: str  #: Why this is not the minimization of a fixed loss.
    highest: int  #: The highest grade the objective takes.
    parameters: Mapping[str, Value]  #: By the names that the library uses.
    build: Callable[[Mapping[str, Value]], Rule]  #: Makes the rule from the parameters.

    @property
    def library(self) -> str:
        """The library: the name up to its first colon."""
        return self.name.partition(":")[0]

    @property
    def objective(self) -> str:
        """What the library calls it."""
        return self.name.partition(":")[2]

    def with_parameters(self, **values: object) -> "GradientField":
        """The same objective with other parameters."""
        read = dict(self.parameters)
        for key, value in values.items():
            if key not in read:
                known = ", ".join(read) or "none"
                raise InputError(f"{self.name} has no parameter {key!r}; its parameters are: {known}")
            read[key] = read_parameter(key, value)
        return replace(self, parameters=MappingProxyType(read))

    @property
    def most(self) -> int:
        """The highest grade that it takes with these parameters."""
        gains = self.parameters.get("label_gain")
        return len(gains) - 1 if isinstance(gains, tuple) and gains else self.highest

    def check(self, task: Task) -> None:
        """Refuse a task that it does not fit."""
        if not isinstance(task.space, Grades):
            raise InputError(f"{self.name} needs graded labels, such as 0..2; these are {task.space.kind}")
        if task.space.grades[-1] > self.most:
            raise InputError(f"{self.name} takes grades up to {self.most}; there are {task.space.grades[-1]}")

    def describe(self) -> dict[str, object]:
        """The ``surrogate`` entry of a witness document: enough to derive the field again."""
        return {
            "family": "field",
            "name": self.name,
            "library": self.library,
            "objective": self.objective,
            **{
                key: list(value) if isinstance(value, tuple) else value
                for key, value in self.parameters.items()
            },
        }

    def piece(self, label: Label, ranking: Prediction) -> Piece:
        """The gradient of a label where `ranking` sorts the scores, from top to bottom."""
        return self.build(self.parameters)(label, ranking)

    def gradient(self, label: Label, scores: "Array") -> "Array":
        """g(y, u) in floats at scores of shape (..., m); equal scores rank in the order of the items."""
        import numpy as np

        rows = np.asarray(scores, dtype=float)
        flat = rows.reshape(-1, rows.shape[-1])
        orders, which = np.unique(np.argsort(-flat, axis=1, kind="stable"), axis=0, return_inverse=True)
        found = np.empty_like(flat)
        for k, order in enumerate(orders):
            mine = which.reshape(-1) == k
            found[mine] = self.piece(label, tuple(map(int, order))).floats(flat[mine])
        return found.reshape(rows.shape)


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

    def floats(self, scores: "Array") -> "Array":
        import numpy as np

        columns = [Column(scores[..., i]) for i in range(scores.shape[-1])]
        return np.stack([part.value for part in self.gradient(columns)], axis=-1)

    def entries(self, scores: Sequence[N]) -> tuple[N, ...]:
        return tuple(self.gradient(scores))
