"""The NDCG family: gains of grades, discounted by position, divided by the best attainable sum."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Final, final

from consistency_lab.exact import working_precision
from consistency_lab.model.tasks.formulas import check_counted, discounts_of, gains_of
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.real import Real
from consistency_lab.model.tasks.target import EXCHANGE, Asked, Remedy, Target
from consistency_lab.model.tasks.task import PRECISION, PositionalTask, combination
from consistency_lab.phi import Expression, parse

GAIN: Final = parse("2**s-1", "s")
DISCOUNT: Final = parse("log2(1+j)", "j")


@final
@dataclass(frozen=True)
class Ndcg(PositionalTask):
    """1 - (1/Z(s)) sum_j G(s_j)/F(position of j), positions after k not counted (DMJ13).

    Z(s) is the sum in the best order; a label without gain has loss 0 (docs/theory.md, Prediction tasks).

    Parameters
    ----------
    space
        Relevance vectors.
    gain
        G, an expression in s that does not fall.
    discount
        F, an expression in j, positive, that does not fall.
    k
        How many positions count; all if None. More than there are items is the same as None.

    Examples
    --------
    >>> task = Ndcg(Grades(2, (0, 1)), discount=parse("j", "j"))
    >>> task.loss((0, 1), (0, 1)), task.loss((0, 1), (1, 0))
    (Fraction(1, 2), Fraction(0, 1))
    """

    space: Grades
    gain: Expression = GAIN
    discount: Expression = DISCOUNT
    k: int | None = None
    target: ClassVar[str] = "ndcg"
    citation: ClassVar[str] = "DMJ13 (NDCG family); Järvelin and Kekäläinen 2002"

    def __post_init__(self) -> None:
        check_counted(self.k)
        _ = self.table, self.discounts

    @property
    def complete(self) -> bool:
        """Whether every position counts."""
        return self.k is None or self.k >= self.space.m

    @cached_property
    def table(self) -> dict[int, Fraction]:
        """G of each grade."""
        return gains_of(self.gain, self.space.grades)

    @cached_property
    def discounts(self) -> tuple[Real, ...]:
        return discounts_of(self.discount, self.space.m, self.k)

    @property
    def normalized(self) -> bool:
        return True

    @property
    def rational(self) -> bool:
        return all(isinstance(x, Fraction) for x in self.discounts)

    def gains(self, label: Label) -> tuple[Fraction, ...]:
        return tuple(self.table[grade] for grade in label)

    def scale(self, label: Label) -> Real:
        return self._scales[tuple(sorted(label))]

    @cached_property
    def _scales(self) -> dict[Label, Real]:
        found: dict[Label, Real] = {}
        with working_precision(PRECISION):
            for label in self.space.labels:
                grades = tuple(sorted(label))
                if grades not in found:
                    best = sorted(self.gains(grades), reverse=True)
                    ideal = combination(zip(best, self.discounts, strict=True))
                    found[grades] = 1 / ideal if best[0] else Fraction(1)
        return found

    def offset(self, label: Label) -> Real:
        return Fraction(1 if any(self.gains(label)) else 0)

    def describe(self) -> dict[str, object]:
        return {
            "loss": self.target,
            "labels": self.space.describe(),
            "gain": self.gain.text("s"),
            "discount": self.discount.text("j"),
            "k": None if self.k is not None and self.k > self.space.m else self.k,
        }

    @property
    def title(self) -> str:
        if self.k is None:
            return "NDCG"
        return f"NDCG@{self.k}" + (f" (NDCG for {self.space.m} items)" if self.k > self.space.m else "")


def _ndcg(asked: Asked) -> Ndcg:
    return Ndcg(asked.grades((0, 1, 2)), k=asked.k, **asked.formulas())


NDCG: Final = Target(
    "ndcg",
    "NDCG",
    Ndcg,
    "1 - (1/Z(s)) sum_j G(s_j)/F(position of j)",
    "1 - (1/Z(y)) sum_j G(y_j)/F(position of j), G(s) = {gain}, F(j) = {discount}, Z(y) the sum in the best "
    "order",
    ("labels", "gain", "discount", "k"),
    _ndcg,
    EXCHANGE,
    (Remedy("regression", on="gain/Z"), Remedy("zhang")),
)
