"""Prediction tasks: labels, predictions, a loss; smaller tasks inside one; and what a target loss is."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations
from typing import Any, ClassVar, Final, NamedTuple, final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Dags, Grades, Label, LabelSpace, Rankings
from consistency_lab.numbers.exact import working_precision
from consistency_lab.numbers.phi import Expression, parse
from consistency_lab.numbers.tape import Real

# --- Prediction tasks: labels, predictions and an exact loss between them (RAT13 Definition 1) -----------

Prediction = tuple[int, ...]
"""A ranking: items from top to bottom. A class or a column: one number."""

PRECISION: Final = 256
"""Bits of the balls around irrational losses."""


class Task(ABC):
    """A finite prediction task."""

    target: ClassVar[str]  #: The name of the loss.
    decoder: ClassVar[str] = "sort"  #: How scores usually become a prediction here.
    citation: ClassVar[str]  #: Where the loss is defined.
    space: LabelSpace

    @cached_property
    def predictions(self) -> tuple[Prediction, ...]:
        """All predictions: unless said otherwise, the rankings of the items, in lexicographic order."""
        return tuple(permutations(range(self.space.m)))

    @property
    def rational(self) -> bool:
        """Whether all losses are known as rationals."""
        return True

    @abstractmethod
    def loss(self, label: Label, prediction: Prediction) -> Real:
        """The loss l(y, t)."""

    def scale(self, label: Label) -> Real:
        """The positive factor 1/Z(y) of a label; 1 for a target that divides by nothing."""
        return Fraction(1)

    @property
    def normalized(self) -> bool:
        """Whether the scale depends on the label."""
        return False

    def describe(self) -> dict[str, object]:
        """The ``target`` entry of a witness document: the labels, and the fields of the class."""
        assert is_dataclass(self)
        names = [field.name for field in fields(self) if field.name != "space"]
        parameters = {name: _written(name, getattr(self, name)) for name in names}
        if isinstance(k := parameters.get("k"), int) and k > self.space.m:
            parameters["k"] = None
        return {"loss": self.target, "labels": self.space.describe(), **parameters}

    def on(self, space: LabelSpace) -> "Task":
        """The same loss and formulas on another label space."""
        assert is_dataclass(self)
        return replace(self, space=space)

    @property
    def title(self) -> str:
        """The target with its parameters, as a person reads it."""
        return self.target

    @property
    def size(self) -> str:
        """How large it is, in words."""
        return f"{self.space.m} {self.space.unit}"

    def prediction_text(self, prediction: Prediction) -> str:
        """The prediction as a person reads it."""
        return " > ".join(str(item + 1) for item in prediction)

    def expected_loss(self, weights: Mapping[Label, Fraction], prediction: Prediction) -> Real:
        """The expected loss sum_y p_y l(y, t), exact if all its parts are."""
        with working_precision(PRECISION):
            return combination((p, self.loss(label, prediction)) for label, p in weights.items())


def _written(name: str, value: object) -> object:
    """A parameter as documents have it; a gain is an expression in s, a discount in j."""
    if isinstance(value, Expression):
        return value.text("s" if name == "gain" else "j")
    return str(value) if isinstance(value, Fraction) else value


class PositionalTask(Task):
    """offset(y) - scale(y) sum_k gains(y)[t_k] discounts[k]: best sorted by sum_y p_y scale(y) gains(y)."""

    @abstractmethod
    def gains(self, label: Label) -> tuple[Fraction, ...]:
        """What each item is worth, at least 0."""

    def offset(self, label: Label) -> Real:
        """What does not depend on the prediction."""
        return Fraction(0)

    @property
    @abstractmethod
    def discounts(self) -> tuple[Real, ...]:
        """The factor of each position, from the top; never rising, at least 0."""

    @property
    def rational(self) -> bool:
        return all(isinstance(x, Fraction) for x in self.discounts)

    @cached_property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """The pairs of positions k < l that count differently, or are not known to count the same."""
        factors = self.discounts
        return tuple(
            (k, n)
            for k, n in combinations(range(len(factors)), 2)
            if factors[k] is not factors[n]
            and not (isinstance(factors[k], Fraction) and factors[k] == factors[n])
        )

    def loss(self, label: Label, prediction: Prediction) -> Real:
        gains = self.gains(label)
        with working_precision(PRECISION):
            earned = combination(
                (gains[item], factor) for item, factor in zip(prediction, self.discounts, strict=True)
            )
            return self.offset(label) - self.scale(label) * earned


def combination(parts: Iterable[tuple[Real, Real]]) -> Real:
    """The sum of products, exact if all its parts are."""
    found: Real = Fraction(0)
    for left, right in parts:
        found = found + left * right
    return found


def certainly_above(left: Real, right: Real) -> bool:
    """Whether left > right is certain."""
    return left > right


# --- Smaller tasks inside a task: shorter lists, and fewer grades ----------------------------------------
# Lists of 3 items occur wherever lists of 5 do, and the same loss ranks them: NDCG@10 of 3 items is NDCG.
# What is wrong there is said to be wrong on lists of 3; no item is added to them, for a score would have to
# be found for it too. Fewer grades of as many items are a part of the labels, so what is wrong there is wrong
# in the task itself as soon as it is written for all grades, which the core checks again.

_SIZES: Final = (3, 2, 4, 5)
"""Where witnesses are found most often, and fast, first."""

_FEW_GRADES: Final = 3


def contained(task: Task) -> Iterator[Task]:
    """The same loss on shorter lists and on the lowest grades, those that are searched fast first."""
    known = {task.space}
    for few in (True, False):
        for m in _SIZES:
            if m > task.space.m:
                continue
            space = _resized(task.space, m, few)
            if space is None or space in known:
                continue
            known.add(space)
            try:
                smaller = task.on(space)
            except (InputError, UnsupportedError):  # precision@3 of 2 items, for instance
                continue
            if not isinstance(smaller, PositionalTask) or smaller.steps:  # else all rankings are alike
                yield smaller


def of_size(task: Task, m: int) -> Task:
    """The same loss on lists of m items with all of its grades."""
    space = _resized(task.space, m, few=False)
    return task if space is None else task.on(space)


def _resized(space: LabelSpace, m: int, few: bool) -> LabelSpace | None:
    """The labels of m items, perhaps with the lowest grades only; None for what is not about items."""
    if isinstance(space, Grades):
        return Grades(m, space.grades[:_FEW_GRADES] if few else space.grades)
    return type(space)(m) if isinstance(space, Rankings | Dags) else None


# --- What a target is: all that is known of a loss, told once beside its class ---------------------------

ITEMS: Final = 3
"""Items, or classes, by default."""

EXCHANGE: Final = ("rank-differentiable", "any")
"""The conditions under which losses of graded lists are usually studied."""


@frozen
class TargetOptions:
    """What a user says about a target, all optional."""

    items: int = ITEMS  #: The number of items or classes.
    labels: tuple[int, ...] | str | None = None  #: Grades, or the words "rankings" and "dags".
    #: G(s) and F(j).
    gain: str | None = None
    discount: str | None = None
    k: int | None = None  #: How many positions count.
    #: Neutral grade and half-life of the expected rank utility; grades above v are relevant for MRR.
    v: Fraction | None = None
    w: Fraction | None = None

    def grades(self, usual: tuple[int, ...]) -> Grades:
        """The relevance vectors, with the usual grades by default."""
        if isinstance(self.labels, str):
            raise InputError(
                f"the labels {self.labels!r} do not fit: this target has grades, such as 0..2 (in Python "
                "range(3))"
            )
        return Grades(self.items, self.labels or usual)

    def given(self, *options: str) -> dict[str, Any]:
        """Some of the options as keywords, nothing for what is not given."""
        return {key: x for key in options if (x := getattr(self, key)) is not None}

    def formulas(self) -> dict[str, Expression]:
        """The gain and the discount as keywords, nothing for what is not given."""
        given = {"gain": (self.gain, "s"), "discount": (self.discount, "j")}
        return {key: parse(text, variable) for key, (text, variable) in given.items() if text is not None}


@final
class Remedy(NamedTuple):
    """A surrogate to try instead: its name, what it is on, and its decoder."""

    name: str
    on: str | None = None
    decode: str | None = None


@frozen
class Target:
    """One line of the table."""

    #: What the command line and what a table calls it.
    name: str
    title: str
    task: type[Task]  #: The class of its tasks.
    formula: str  #: The loss.
    words: str  #: The loss with the parameters of `Task.describe` in braces, as a proof states it.
    options: tuple[str, ...]  #: What of `TargetOptions` it understands besides the number of items.
    build: Callable[[TargetOptions], Task]  #: Makes the task.
    usual: tuple[str, ...]  #: The conditions decided by default, the largest last.
    remedies: tuple[Remedy, ...] = ()  #: What to try where a surrogate is inconsistent, the cheapest first.

    @property
    def citation(self) -> str:
        """Its source."""
        return self.task.citation
