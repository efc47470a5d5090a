"""Numbers with slopes in Arb balls: formulas run on them directly, an oracle for the programs of the core."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from flint import arb

from consistency_lab.model.surrogates.tasks.written import Written
from consistency_lab.numbers.exact import Ball


@final
@dataclass(frozen=True, slots=True)
class Dual:
    """A ball around a number and balls around its slopes in a few variables.

    Examples
    --------
    >>> x, y = variables([Ball(2), Ball(3)])
    >>> product = x * y
    >>> int(product.value.unique_fmpz()), [int(slope.unique_fmpz()) for slope in product.slopes]
    (6, [3, 2])
    """

    value: Ball
    slopes: tuple[Ball, ...]

    def __neg__(self) -> "Dual":
        return Dual(-self.value, tuple(map(arb.__neg__, self.slopes)))

    def __add__(self, other: "Dual") -> "Dual":
        return Dual(self.value + other.value, tuple(map(arb.__add__, self.slopes, other.slopes)))

    def __sub__(self, other: "Dual") -> "Dual":
        return self + -other

    def __mul__(self, other: "Dual") -> "Dual":
        slopes = (self.value * b + a * other.value for a, b in zip(self.slopes, other.slopes, strict=True))
        return Dual(self.value * other.value, tuple(slopes))

    def __truediv__(self, other: "Dual") -> "Dual":
        ratio = self.value / other.value
        slopes = ((a - ratio * b) / other.value for a, b in zip(self.slopes, other.slopes, strict=True))
        return Dual(ratio, tuple(slopes))

    def constant(self, value: Written) -> "Dual":
        """A constant among numbers of this kind."""
        return Dual(value.ball, (arb(0),) * len(self.slopes))

    def scaled(self, factor: Written) -> "Dual":
        """A constant times this number."""
        ball = factor.ball
        return Dual(ball * self.value, tuple(ball * slope for slope in self.slopes))

    def shifted(self, constant: Written) -> "Dual":
        """The sum with a constant."""
        return Dual(self.value + constant.ball, self.slopes)

    def exp(self) -> "Dual":
        """Its exponential."""
        value = self.value.exp()
        return Dual(value, tuple(value * slope for slope in self.slopes))

    def log1p(self) -> "Dual":
        """The logarithm of 1 plus this number, which must be above -1."""
        base = self.value + 1
        return Dual(self.value.log1p(), tuple(slope / base for slope in self.slopes))


def variables(values: Sequence[Ball]) -> tuple[Dual, ...]:
    """The variables themselves: the slope of each in itself is 1."""
    n = len(values)
    return tuple(Dual(x, tuple(arb(int(i == j)) for j in range(n))) for i, x in enumerate(values))
