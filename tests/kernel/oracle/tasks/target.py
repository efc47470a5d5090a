"""What a target loss is to the kernel."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations

from consistency_lab.core.numbers import Real, ball, times, total
from consistency_lab.errors import RejectedError

from .labels import Grades, Label, Space

Prediction = tuple[int, ...]
"""Items from top to bottom; or the number of a class or column."""

Distribution = Mapping[Label, Fraction]


def inverse(x: Real) -> Real:
    """1/x for a number that is not zero."""
    return 1 / x if isinstance(x, Fraction) else 1 / ball(x)


class Target(ABC):
    """A target loss on a label space."""

    space: Space
    loss_name: str

    @property
    def ranks(self) -> bool:
        """Whether predictions are orders of the items."""
        return True

    @property
    def predictions(self) -> tuple[Prediction, ...]:
        """All predictions; the orders of the items unless said otherwise."""
        return tuple(permutations(range(self.space.m)))

    @abstractmethod
    def loss(self, label: Label, prediction: Prediction) -> Real:
        """The loss of a prediction."""

    def gains(self, label: Label) -> tuple[Fraction, ...]:
        """What each item is worth to the target; its grade where the target says nothing else."""
        if not isinstance(self.space, Grades):
            raise RejectedError(f"the labels of the target {self.loss_name} give items no gains")
        return tuple(map(Fraction, label))

    def scale(self, label: Label) -> Real:
        """The factor 1/Z of a label, 1 where nothing is normalized."""
        return Fraction(1)

    def expected_loss(self, p: Distribution, prediction: Prediction) -> Real:
        """The sum of p_y times the loss."""
        return total(times(weight, self.loss(label, prediction)) for label, weight in p.items())
