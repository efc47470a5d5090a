"""What a formula for a gradient may do with scores: one formula serves floats and programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Protocol, Self, TypeVar, final

from consistency_lab.model.surrogates.tasks.fields.written import ONE, Written

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


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


@final
@dataclass(frozen=True, slots=True)
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
