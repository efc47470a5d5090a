"""Precision among the first positions, and winner-takes-all (RAT13 §4)."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.tasks.formulas import check_counted
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.target import EXCHANGE, Asked, Remedy, Target
from consistency_lab.model.tasks.task import PositionalTask


@final
@dataclass(frozen=True)
class Precision(PositionalTask):
    """1 - (1/q) sum_i y_i 1(position of i <= q), for labels of 0 and 1 (RAT13 §4).

    Parameters
    ----------
    space
        Relevance vectors of 0 and 1.
    q
        How many positions count, fewer than there are items; winner-takes-all is q = 1.

    Examples
    --------
    >>> Precision(Grades(3, (0, 1)), 2).loss((1, 1, 0), (0, 2, 1))
    Fraction(1, 2)
    """

    space: Grades
    q: int = 1
    target: ClassVar[str] = "precision"
    citation: ClassVar[str] = "RAT13 §4"

    def __post_init__(self) -> None:
        check_binary(self.space, "precision@q")
        check_counted(self.q)
        if self.q >= self.space.m:
            raise InputError(
                f"precision@{self.q} of {self.space.m} items is 1 - (relevant items)/{self.q} whatever the "
                "ranking, so nothing can be ranked wrongly; ask for a k below the number of items"
            )

    @cached_property
    def discounts(self) -> tuple[Fraction, ...]:
        return tuple(Fraction(1 if k < self.q else 0, self.q) for k in range(self.space.m))

    def gains(self, label: Label) -> tuple[Fraction, ...]:
        return tuple(Fraction(y) for y in label)

    def offset(self, label: Label) -> Fraction:
        return Fraction(1)

    def describe(self) -> dict[str, object]:
        return {"loss": self.target, "labels": self.space.describe(), "q": self.q}

    @property
    def title(self) -> str:
        return f"precision@{self.q}"


def check_binary(space: Grades, what: str) -> None:
    """Refuse grades other than 0 and 1.

    Raises
    ------
    InputError
        If there are others.
    """
    if space.grades != (0, 1):
        raise InputError(
            f"{what} is about relevant and irrelevant items; its labels are 0..1, not "
            f"{space.grades[0]}..{space.grades[-1]}"
        )


def _precision(asked: Asked) -> Precision:
    return Precision(asked.grades((0, 1)), 1 if asked.k is None else asked.k)


def _winner(asked: Asked) -> Precision:
    return Precision(asked.grades((0, 1)), 1)


PRECISION: Final = Target(
    "precision",
    "precision@k",
    Precision,
    "1 - (1/k) sum_i y_i 1(position of i <= k)",
    "1 - (1/q) sum_i y_i 1(position of i ≤ q), q = {q}",
    ("labels", "k"),
    _precision,
    EXCHANGE,
    (Remedy("regression", on="gain"),),
)

WINNER: Final = Target(
    "wta",
    "winner takes all",
    Precision,
    "precision@1",
    "1 - y_i for the item i at the top",
    ("labels",),
    _winner,
    EXCHANGE,
    PRECISION.remedies,
)
