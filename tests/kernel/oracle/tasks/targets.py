"""The table of target losses: their keys, the labels they take, and how each is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final, final

from consistency_lab.core.numbers import Real
from consistency_lab.core.reading import array, fraction, one_of, record
from consistency_lab.errors import InputError

from . import graded
from .labels import Label, Space, read_space
from .target import Prediction, Target


@final
@dataclass(frozen=True, slots=True)
class Disagreement(Target):
    """The number of edges i → j of the label with j ranked above i, divided by a constant."""

    space: Space
    divisor: int
    loss_name: str

    def loss(self, label: Label, prediction: Prediction) -> Real:
        place = {item: n for n, item in enumerate(prediction)}
        return Fraction(sum(place[i] > place[j] for i, j in self.space.edges(label)), self.divisor)


@final
@dataclass(frozen=True, slots=True)
class Matrix(Target):
    """A loss written out: one row a label, one column a prediction."""

    space: Space
    rows: tuple[tuple[Fraction, ...], ...]
    loss_name: str = "matrix"

    @property
    def ranks(self) -> bool:
        return False

    @property
    def predictions(self) -> tuple[Prediction, ...]:
        return tuple((k,) for k in range(len(self.rows[0])))

    def loss(self, label: Label, prediction: Prediction) -> Real:
        return self.rows[label[0]][prediction[0]]


@final
@dataclass(frozen=True, slots=True)
class ZeroOne(Target):
    """1 unless the predicted class is the label."""

    space: Space
    loss_name: str = "zero-one"

    @property
    def ranks(self) -> bool:
        return False

    @property
    def predictions(self) -> tuple[Prediction, ...]:
        return tuple((k,) for k in range(self.space.m))

    def loss(self, label: Label, prediction: Prediction) -> Real:
        return Fraction(label != prediction)


Fields = Mapping[str, object]
Reader = Callable[[Fields, Space, str], Target]


def _pairwise(fields: Fields, space: Space, where: str) -> Target:
    return Disagreement(space, 1, "pairwise")


def _kendall(fields: Fields, space: Space, where: str) -> Target:
    return Disagreement(space, space.m * (space.m - 1) // 2, "kendall")


def _zero_one(fields: Fields, space: Space, where: str) -> Target:
    return ZeroOne(space)


def _matrix(fields: Fields, space: Space, where: str) -> Target:
    rows = array(fields["rows"], f"{where}.rows", lambda line, at: array(line, at, fraction))
    if len(rows) != space.m or not rows[0] or any(len(line) != len(rows[0]) for line in rows):
        raise InputError(f"{where}.rows must be {space.m} rows of one length, one a label")
    return Matrix(space, rows)


GRADES: Final = ("grades",)

TARGETS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...], Reader]]] = MappingProxyType(
    {
        "ndcg": (("gain", "discount", "k"), GRADES, graded.ndcg),
        "precision": (("q",), GRADES, graded.precision),
        "wta": ((), GRADES, graded.winner),
        "err": (("gain", "discount"), GRADES, graded.reciprocal_rank),
        "mrr": (("k", "v"), GRADES, graded.first_relevant),
        "map": ((), GRADES, graded.average_precision),
        "eru": (("v", "w"), GRADES, graded.rank_utility),
        "pairwise": ((), ("grades", "rankings", "dags"), _pairwise),
        "kendall": ((), ("rankings",), _kendall),
        "zero-one": ((), ("classes",), _zero_one),
        "matrix": (("rows",), ("rows",), _matrix),
    }
)
"""Targets by name: their keys apart from loss and labels, the kinds of labels they take, and the reader."""


def read_target(value: object, where: str) -> Target:
    """The ``target`` entry; numbers that are not rational are enclosed at the working precision.

    Examples
    --------
    >>> labels = {"kind": "grades", "items": 3, "grades": [0, 1]}
    >>> read_target({"loss": "map", "labels": labels}, "target").loss((1, 0, 1), (0, 1, 2))
    Fraction(1, 6)
    """
    loss = value.get("loss") if isinstance(value, dict) else None
    if isinstance(value, dict) and "loss" in value:
        loss = one_of(loss, f"{where}.loss", TARGETS)
    keys, kinds, reader = TARGETS[loss if isinstance(loss, str) else "wta"]
    fields = record(value, where, ("loss", "labels", *keys))
    return reader(fields, read_space(fields["labels"], f"{where}.labels", kinds), where)
