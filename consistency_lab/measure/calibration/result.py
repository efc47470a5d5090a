"""What is known of a calibration function, exactly or between bounds.

DMJ10 Eq. 3 takes the infimum over distributions p on graphs whose weights are given, so regret is in the
units of the weights, and these are free. Here the graphs have any weights, and a law H(eps) = c eps^k is
stated for all eps >= 0 with regret in these units. If the total weight sum_ij a_ij is 1 at most, as it is
where regret is a share of all preferences, then there are fewer distributions: H(eps) >= c eps^k still, and
equality is proved up to the `reach` of the law.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.certify.witness import Witness
from consistency_lab.exact import LogRational
from consistency_lab.model.distribution import Matrix
from consistency_lab.model.surrogates import Surrogate

EXACT: Final = "exact"
CLOSED_FORM: Final = "closed form"
BRACKET: Final = "bracket"
NONE: Final = "none"
"""The kinds: quadratic programs solved exactly; a formula with a proof; bounds; nothing beyond a witness."""

Constant = Fraction | LogRational


@final
@dataclass(frozen=True, slots=True)
class Attained:
    """Where a law holds with equality, or where it is approached.

    Parameters
    ----------
    d
        The differences, in units of the regret: the regret is 1.
    scores
        Scores with this regret whose excess surrogate risk is c, exactly or in the limit; None where some of
        them tend to infinity.
    order
        The order to which they are assigned, best item first.
    approached
        Why it is a limit, one clause; "" if it is attained.
    """

    d: Matrix
    scores: tuple[Fraction, ...] | None
    order: tuple[int, ...]
    approached: str = ""

    @property
    def reach(self) -> Fraction:
        """The largest regret at which such a distribution has total weight 1 or less."""
        return 1 / sum((max(x, Fraction(0)) for row in self.d for x in row), Fraction(0))


@final
@dataclass(frozen=True, slots=True)
class Law:
    """H(eps) = c eps^degree for all eps, the total weight being free.

    Parameters
    ----------
    degree
        1 or 2.
    lower, upper
        Proved bounds on c, lower <= c <= upper; None where there is none above.
    c
        The constant itself, if it is known exactly.
    attained
        Where c, or `upper`, comes from.
    cases
        How many convex programs `lower` rests on; 0 for a proof on paper.
    """

    degree: int
    lower: Fraction
    upper: Fraction | None
    c: Constant | None
    attained: Attained | None
    cases: int = 0


@final
@dataclass(frozen=True, slots=True)
class Point:
    """Proved bounds lower <= H(regret) <= upper where the total weight is 1.

    Parameters
    ----------
    regret
        A share of the total weight.
    lower, upper
        The bounds.
    boxes
        How many boxes of scores `lower` rests on.
    """

    regret: Fraction
    lower: Fraction
    upper: Fraction
    boxes: int


@final
@dataclass(frozen=True, slots=True)
class Calibration:
    """A calibration function H_m (DMJ10 Eq. 3) under a condition.

    Parameters
    ----------
    surrogate, condition, m
        The question.
    kind
        "exact", "closed form", "bracket" or "none".
    law
        H(eps) = c eps^k, if that is its form.
    zero_up_to
        H is 0 for normalized regrets up to here, by the witness; 0 if that is not known.
    witness
        A distribution, accepted by the core, with minimizing scores of this regret.
    points
        Bounds at increasing normalized regrets, for surrogates without a law.
    note
        What else is to be said, in sentences.
    positive_above
        H is above 0 for every larger normalized regret, which is proved; None if that is not known.
    """

    surrogate: Surrogate
    condition: str
    m: int
    kind: str
    law: Law | None = None
    zero_up_to: Fraction = Fraction(0)
    witness: Witness | None = None
    points: tuple[Point, ...] = ()
    note: str = ""
    positive_above: Fraction | None = None

    @property
    def answered(self) -> bool:
        """Whether something is proved of H beyond H >= 0."""
        return self.law is not None or bool(self.points) or self.zero_up_to > 0
