"""Smooth stand-ins for a ranking loss itself: approximate NDCG and MRR, and the soft zero-one loss of pairs.

Draw a ranking from the Plackett-Luce model with the weights exp(u_i/T): item j comes before i with chance
sigma((u_j - u_i)/T). So the soft count of wrong pairs is the expected number of wrong pairs of that ranking,
and 1 + sum_j sigma((u_j - u_i)/T) is the expected position of item i; a convex discount of the expected
position is at most the expected discount (Jensen). Hence, with the loss l' that is smoothed,

    E psi(y, u) >= mean of E l'(y, ranking) >= min l' + (E l'(y, t) - min l') / m!  for every t that sorts u,

since t has a chance of at least 1/m!: at each draw its item is one of the heaviest left. Far out in the order
of t, E psi tends to E l'(y, t). So the risk comes near its infimum in the orders that minimize E l' alone.
It is not convex: descent may stop elsewhere.
"""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from itertools import permutations
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError
from consistency_lab.exact import working_precision
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates.tasks.base import NORMALIZED, Choice, Family, MeanSurrogate
from consistency_lab.model.surrogates.tasks.least_squares import PairFactor
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.positional import DISCOUNT, discounts_of
from consistency_lab.model.tasks.real import Real
from consistency_lab.model.tasks.task import PRECISION, Task, combination

_ZERO: Final = Fraction(0)


def _ndcg(label: Label) -> tuple[Real, ...]:
    gains = [Fraction(2**grade - 1) for grade in label]
    if not any(gains):
        return tuple(gains)
    with working_precision(PRECISION):
        discounts = discounts_of(DISCOUNT, len(label), None)
        scale = 1 / combination(zip(sorted(gains, reverse=True), discounts, strict=True))
        return tuple(gain * scale for gain in gains)


def _reciprocal_rank(label: Label) -> tuple[Real, ...]:
    return tuple(Fraction(grade, sum(label) or 1) for grade in label)


METRICS: Final[Mapping[str, Choice]] = MappingProxyType(
    {
        "ndcg": Choice("sum_i (2^s_i - 1)/Z / log2(1 + r_i)", _ndcg),
        "mrr": Choice("sum_i (s_i / sum s) / r_i", _reciprocal_rank),
    }
)
"""What is smoothed, and what weighs the discount of each item. Both discounts are convex."""


@frozen
class SmoothPositions(MeanSurrogate):
    """A metric of positions at smooth positions r_i = 1 + sum_{j != i} sigma((u_j - u_i)/T).

    The infimum is approached by scores far apart in an order that sorts E f, f the weights of the discounts.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(x) for x in SmoothPositions("mrr").features(target("ndcg"), (2, 0, 1))]
    ['2/3', '0', '1/3']
    """

    metric: str = "ndcg"  #: A name of `METRICS`.
    temperature: Fraction = Fraction(1)  #: T, positive; what is approached does not depend on it.
    name: str = "approx-ndcg"
    family = Family(
        "smooth-positions",
        "- {metric}, r_i = 1 + sum over j != i of 1/(1 + exp((u_i - u_j)/T)), T = {temperature}",
        "Qin, Liu and Li 2010; its limit orders are ours",
        {"metric": METRICS},
        link="limit",
        risk="positions",
    )

    def __post_init__(self) -> None:
        MeanSurrogate.__post_init__(self)
        if self.temperature <= 0:
            raise InputError(f"the temperature is {self.temperature}; it must be positive")

    def features(self, task: Task, label: Label) -> tuple[Real, ...]:
        return tuple(METRICS[self.metric].values(label))

    def determined_by(self, task: Task, label: Label) -> tuple[Hashable, ...]:
        """f_i depends on the grade of the item, and on the grades of all items in any order."""
        return tuple((grade, tuple(sorted(label))) for grade in label)


@frozen
class SoftPairs(PairFactor):
    """The sum over preferred pairs i, j of 1/(1 + exp(u_i - u_j)).

    The infimum is approached by scores far apart in an order with the fewest wrong pairs on average.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(x) for x in SoftPairs("pairs").features(target("pairwise", items=3), (1, 0, 0))]
    ['1/2', '1/2', '0', '0', '0', '0']
    """

    normalized: str = "none"  #: "pairs" divides a label's sum by its number of pairs, "none" does not.
    name: str = "soft-zero-one"
    decoder = "linear"
    family = Family(
        "soft-pairs",
        "sum over s_i > s_j of 1/(1 + exp(u_i - u_j)){normalized}",
        "libraries call it the pairwise soft zero-one loss; its limit orders are ours",
        {"normalized": NORMALIZED},
        link="limit",
        risk="soft-pairs",
    )

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        edges = {(i, j) for i, j, _ in task.space.preferences(label)}
        share = Fraction(1, len(edges) or 1) if self.normalized == "pairs" else Fraction(1)
        return tuple(share if pair in edges else _ZERO for pair in permutations(range(task.space.m), 2))
