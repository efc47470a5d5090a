"""Expected reciprocal rank: a reader stops at an item with a chance that depends on its grade."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.tasks.formulas import discounts_of, gains_of
from consistency_lab.model.tasks.labels import Grades, Label, LabelSpace
from consistency_lab.model.tasks.target import Asked, Remedy, Target
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.phi import Expression, parse

POSITION: Final = parse("j", "j")


@final
@dataclass(frozen=True)
class ExpectedReciprocalRank(Task):
    """1 - sum_i (1/F(i)) G(s at i) prod_{k<i} (1 - G(s at k)) (Chapelle et al. 2009; DMJ13).

    Parameters
    ----------
    space
        Relevance vectors.
    gain
        G, a chance: between 0 and 1. Unless given, (2**s - 1)/2**S with S the largest grade.
    discount
        F, rational at every position.

    Examples
    --------
    >>> ExpectedReciprocalRank(Grades(2, (0, 1))).loss((1, 1), (0, 1))
    Fraction(3, 8)
    """

    space: Grades
    gain: Expression | None = None
    discount: Expression = POSITION
    target: ClassVar[str] = "err"
    citation: ClassVar[str] = "DMJ13; Chapelle, Metzler, Zhang and Grinspan 2009"

    def __post_init__(self) -> None:
        for grade, chance in self.table.items():
            if chance > 1:
                raise InputError(
                    f"the gain {self.chance.text('s')} is {chance} at the grade {grade}; for ERR it is a "
                    "chance, at most 1"
                )
        _ = self.discounts

    def on(self, space: LabelSpace) -> "ExpectedReciprocalRank":
        # The usual gain is divided by that of the largest grade, which other labels need not have.
        assert isinstance(space, Grades)
        return replace(self, space=space, gain=self.chance)

    @property
    def chance(self) -> Expression:
        """G."""
        return self.gain or parse(f"(2**s-1)/{2 ** self.space.grades[-1]}", "s")

    @cached_property
    def table(self) -> dict[int, Fraction]:
        """G of each grade."""
        return gains_of(self.chance, self.space.grades)

    @cached_property
    def discounts(self) -> tuple[Fraction, ...]:
        """1/F of each position."""
        found = discounts_of(self.discount, self.space.m)
        rational = tuple(x for x in found if isinstance(x, Fraction))
        if len(rational) < len(found):
            raise UnsupportedError(
                f"the discount {self.discount.text('j')} is not known to be rational; ERR needs one such as j"
            )
        return rational

    def loss(self, label: Label, prediction: Prediction) -> Fraction:
        stopped, going = Fraction(0), Fraction(1)
        for item, factor in zip(prediction, self.discounts, strict=True):
            chance = self.table[label[item]]
            stopped += factor * going * chance
            going *= 1 - chance
        return 1 - stopped

    def describe(self) -> dict[str, object]:
        return {
            "loss": self.target,
            "labels": self.space.describe(),
            "gain": self.chance.text("s"),
            "discount": self.discount.text("j"),
        }

    @property
    def title(self) -> str:
        return "ERR"


def _err(asked: Asked) -> Task:
    return ExpectedReciprocalRank(asked.grades((0, 1, 2)), **asked.formulas())


ERR: Final = Target(
    "err",
    "expected reciprocal rank",
    ExpectedReciprocalRank,
    "1 - sum_i (1/F(i)) G(s at i) prod_{k<i} (1 - G(s at k))",
    "1 - sum over positions i of (1/F(i)) G(y at i) prod_(k<i) (1 - G(y at k)), G(s) = {gain}, "
    "F(i) = {discount}",
    ("labels", "gain", "discount"),
    _err,
    ("independent", "rank-differentiable", "any"),
    (Remedy("regression", on="gain"), Remedy("constructed")),
)
