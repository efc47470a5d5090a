"""Expected rank utility (Breese, Heckerman and Kadie 1998; RAT13 §5)."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.tasks.formulas import discounts_of
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.real import Real
from consistency_lab.model.tasks.target import EXCHANGE, Asked, Remedy, Target
from consistency_lab.model.tasks.task import PositionalTask
from consistency_lab.phi import parse


@final
@dataclass(frozen=True)
class ExpectedRankUtility(PositionalTask):
    """- sum_i max(y_i - v, 0) 2^((1 - position of i)/(w - 1)): RAT13's loss without its constant z.

    Parameters
    ----------
    space
        Relevance vectors.
    v
        The neutral grade.
    w
        The half-life: after w - 1 positions the utility has halved.

    Examples
    --------
    >>> ExpectedRankUtility(Grades(2, (0, 1, 2))).loss((2, 1), (0, 1))
    Fraction(-5, 2)
    """

    space: Grades
    v: Fraction = Fraction(0)
    w: Fraction = Fraction(2)
    target: ClassVar[str] = "eru"
    citation: ClassVar[str] = "RAT13 §5"

    def __post_init__(self) -> None:
        if self.w <= 1:
            raise InputError(f"the half-life w of the rank utility is {self.w}; it must be above 1")
        if self.v < 0:
            raise InputError(f"the neutral grade v of the rank utility is {self.v}; it must be at least 0")

    @cached_property
    def discounts(self) -> tuple[Real, ...]:
        return discounts_of(parse(f"2**((j-1)/({self.w - 1}))", "j"), self.space.m)

    @property
    def rational(self) -> bool:
        return all(isinstance(x, Fraction) for x in self.discounts)

    def gains(self, label: Label) -> tuple[Fraction, ...]:
        return tuple(max(y - self.v, Fraction(0)) for y in label)

    def describe(self) -> dict[str, object]:
        return {"loss": self.target, "labels": self.space.describe(), "v": str(self.v), "w": str(self.w)}

    @property
    def title(self) -> str:
        return "expected rank utility"


def _eru(asked: Asked) -> ExpectedRankUtility:
    v = Fraction(0) if asked.v is None else asked.v
    return ExpectedRankUtility(asked.grades((0, 1, 2)), v, Fraction(2) if asked.w is None else asked.w)


ERU: Final = Target(
    "eru",
    "expected rank utility",
    ExpectedRankUtility,
    "- sum_i max(y_i - v, 0) 2^((1 - position of i)/(w - 1))",
    "-sum_i max(y_i - v, 0) 2^((1 - position of i)/(w - 1)), v = {v}, w = {w}",
    ("labels", "v", "w"),
    _eru,
    EXCHANGE,
    (Remedy("regression", on="gain"),),
)
