"""An order of least pairwise disagreement for any number of items, with evidence of how good it is.

Strong components of the difference graph are ordered alone, each by `branching`; what lies between two
components costs nothing more, because no order inside them contradicts it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from typing import Final, final

from consistency_lab.core.orders import (
    DEEPEST,
    NO_CYCLES,
    Cycles,
    Evidence,
    Order,
    Split,
    closure,
    cost,
    lower_bound,
)
from consistency_lab.errors import InputError
from consistency_lab.solve.connectivity import strong_components
from consistency_lab.solve.ordering.branching import Effort, branched

Matrix = Sequence[Sequence[Fraction]]

_MOST_WORK: Final = 10_000_000
"""Most cases times pairs of items in one piece of evidence: the core adds up no more than twice as many."""


@final
@dataclass(frozen=True, slots=True)
class KemenyOrder:
    """A good order, and what every order is proved to cost at least.

    Parameters
    ----------
    order
        Items from top to bottom.
    cost
        What it costs.
    lower
        What every order costs at least, as `core.orders.lower_bound` adds up the evidence.
    evidence
        Multipliers on cycles, and cases.
    unit
        The costs of two orders differ by a multiple of it: it divides all a_ij - a_ji. 0 if it is not known.
    """

    order: Order
    cost: Fraction
    lower: Fraction
    evidence: Evidence
    unit: Fraction = Fraction(0)

    @property
    def at_least(self) -> Fraction:
        """What every order costs at least: the least cost from `lower` up that an order can have.

        Examples
        --------
        >>> str(KemenyOrder((0, 1), Fraction(7), Fraction(9, 2), NO_CYCLES, Fraction(1)).at_least)
        '5'
        """
        return self.cost - (self.cost - self.lower) // self.unit * self.unit if self.unit else self.lower

    @property
    def is_optimal(self) -> bool:
        """Whether the order is proved to be optimal."""
        return self.cost == self.at_least


def kemeny(a: Matrix, effort: Effort | None = None) -> KemenyOrder:
    """An order of little pairwise disagreement, the least there is if `is_optimal`.

    Parameters
    ----------
    a
        The m x m aggregate: an order with j above i pays a_ij.
    effort
        How far to go where triangles do not suffice.

    Raises
    ------
    InputError
        If `a` is not a square matrix of numbers of at least 0.

    Examples
    --------
    >>> one, zero = Fraction(1), Fraction(0)
    >>> found = kemeny([[zero, one, zero], [zero, zero, one], [2 * one, zero, zero]])
    >>> found.order, str(found.cost), found.is_optimal, found.evidence
    ((1, 2, 0), '1', True, Cycles(parts=((Fraction(1, 1), (0, 1, 2)),)))
    """
    m = len(a)
    if any(len(row) != m for row in a) or any(x < 0 for row in a for x in row):
        raise InputError("the aggregate must be a square matrix of numbers of at least 0")
    d, unit = _differences(a)
    order: list[int] = []
    evidence: Evidence = NO_CYCLES
    effort, leaves, depth = effort or Effort(), 1, 0
    for part in strong_components(((i, j) for i in range(m) for j in range(m) if d[i][j] > 0), m):
        if len(part) < 3:
            order += part
            continue
        # Cases of one component stand inside those of the others, so they multiply.
        most = max(1, _MOST_WORK // (leaves * m * m))
        inside = [[d[i][j] for j in part] for i in part]
        best, found = branched(inside, replace(effort, cases=min(effort.cases, most)), DEEPEST - depth)
        order += [part[k] for k in best]
        evidence = _together(evidence, _renamed(found, part, unit))
        leaves, depth = leaves * _leaves(found), depth + _depth(found)
    costs = {(i, j): x for i, row in enumerate(a) for j, x in enumerate(row) if x and i != j}
    lower = lower_bound(costs, closure(m, ()), evidence)
    return KemenyOrder(tuple(order), cost(costs, order), lower, evidence, unit)


def _differences(a: Matrix) -> tuple[list[list[int]], Fraction]:
    """a_ij - a_ji as whole multiples of a unit, the largest that there is."""
    scale = lcm(*{x.denominator for row in a for x in row})
    whole = [[x.numerator * (scale // x.denominator) for x in row] for row in a]
    d = [[x - whole[j][i] for j, x in enumerate(row)] for i, row in enumerate(whole)]
    common = gcd(*(x for row in d for x in row)) or 1
    return [[x // common for x in row] for row in d], Fraction(common, scale)


def _renamed(evidence: Evidence, part: Sequence[int], unit: Fraction) -> Evidence:
    if isinstance(evidence, Split):
        i, j = evidence.pair
        above, below = (_renamed(case, part, unit) for case in (evidence.above, evidence.below))
        return Split((part[i], part[j]), above, below)
    return Cycles(tuple((y * unit, tuple(part[k] for k in cycle)) for y, cycle in evidence.parts))


def _together(first: Evidence, second: Evidence) -> Evidence:
    """Evidence on two sets of items with no pair in common."""
    if isinstance(first, Split):
        return Split(first.pair, _together(first.above, second), _together(first.below, second))
    if isinstance(second, Split):
        return Split(second.pair, _together(first, second.above), _together(first, second.below))
    return Cycles(first.parts + second.parts)


def _leaves(evidence: Evidence) -> int:
    return 1 if isinstance(evidence, Cycles) else _leaves(evidence.above) + _leaves(evidence.below)


def _depth(evidence: Evidence) -> int:
    return 0 if isinstance(evidence, Cycles) else 1 + max(_depth(evidence.above), _depth(evidence.below))
