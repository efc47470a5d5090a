"""What a witness about a prediction task says: plain data, nothing of which is believed yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.exact import LogRational

from .atoms import Slope
from .conditions import Condition
from .family import Family
from .labels import Label
from .target import Prediction, Target


@final
@dataclass(frozen=True, slots=True)
class Mean:
    """The family's minimizer follows from E f(y)."""


@final
@dataclass(frozen=True, slots=True)
class Balance:
    """A slope for each Term, weights for each Max: the gradient at the scores is zero."""

    slopes: tuple[Slope, ...]


@final
@dataclass(frozen=True, slots=True)
class Equilibrium:
    """A box that holds a zero of the field; the last score is 0."""

    box: tuple[tuple[Fraction, Fraction], ...]
    attracting: bool


@final
@dataclass(frozen=True, slots=True)
class TaskWitness:
    """A document of the right form; nothing in it is believed yet."""

    claim: str
    target: Target
    surrogate: Family
    name: str
    decoder: str
    distribution: tuple[tuple[Label, Fraction], ...]
    condition: Condition
    scores: tuple[LogRational, ...] | None
    prediction: Prediction
    better: Prediction
    regret: Fraction
    failure: str
    certificate: Mean | Balance | Equilibrium

    @property
    def p(self) -> Mapping[Label, Fraction]:
        """The probabilities by label."""
        return dict(self.distribution)
