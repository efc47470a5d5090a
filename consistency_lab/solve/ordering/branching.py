"""Branch and bound over forced pairs: where triangles do not suffice, both ways of a pair are tried.

The case with the least bound goes first, so the bound of all rises as fast as it can, and a number of cases
is all the effort there is: no clock decides how far the search goes.
"""

from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.core.orders import (
    Below,
    Cycles,
    Evidence,
    Order,
    Pair,
    Split,
    lower_bound,
    with_pair,
)
from consistency_lab.solve.ordering.descent import Order as Permutation
from consistency_lab.solve.ordering.descent import descend, excess, kicked
from consistency_lab.solve.ordering.packing import Integers, packed
from consistency_lab.solve.ordering.relaxation import Relaxation, Relaxed

Array = NDArray[np.float64]

KICKS: Final = 100
_ROUNDING: Final = 1e-9


@final
@dataclass(frozen=True, slots=True)
class Effort:
    """How far the search may go; counted, so that the same question has the same answer everywhere.

    Parameters
    ----------
    cases
        How many linear programs are solved, for pairs that are forced.
    iterations
        How many iterations of the simplex method all of them take together.
    """

    cases: int = 500
    iterations: int = 60_000


@final
@dataclass(eq=False, slots=True)
class _Case:
    """Some forced pairs, what the program says of them, and the pair that is tried both ways, if any."""

    below: Below
    depth: int
    relaxed: Relaxed
    proved: Cycles | None = None
    split: "tuple[Pair, _Case, _Case] | None" = None


def branched(d: Integers, effort: Effort, deepest: int) -> tuple[Order, Evidence]:
    """A good order of items, and evidence of what all orders cost; the best order if the two agree.

    Parameters
    ----------
    d
        Shape (m, m), antisymmetric, whole numbers: what an order with j above i pays more than one with i
        above j.
    effort
        How far to go.
    deepest
        Most cases inside each other.
    """
    search = _Search(d, effort, deepest)
    search.run()
    return tuple(search.best.tolist()), search.evidence(search.root)


@final
class _Search:
    def __init__(self, d: Integers, effort: Effort, deepest: int) -> None:
        self._deepest = deepest
        self._d = d
        self._floats = np.array(d, dtype=np.float64)
        self._costs = {(i, j): Fraction(x) for i, row in enumerate(d) for j, x in enumerate(row) if x > 0}
        self._relaxation = Relaxation(self._floats, effort.iterations)
        self._left = effort.cases
        self.best = descend(self._floats, np.argsort(-self._floats.sum(axis=1), kind="stable"))
        self.least = excess(self._floats, self.best)
        self.root = self._case((0,) * len(d))

    def run(self) -> None:
        """Split cases, the one with the least bound first, until none can hold a better order."""
        waiting: list[tuple[float, int, _Case]] = [(self.root.relaxed.excess, 0, self.root)]
        names = count(1)
        while waiting and self._left > 0 and self._relaxation.iterations > 0:
            _, _, case = heappop(waiting)
            if case is self.root and not self._is_closed(case):
                self._improve(kicked(self._floats, self.best, KICKS))
            pair = None if self._is_closed(case) else self._pair(case)
            if pair is None:
                continue
            (i, j), cases = pair, []
            for above, below in ((i, j), (j, i)):
                cases.append(self._case(with_pair(case.below, above, below), case))
                heappush(waiting, (cases[-1].relaxed.excess, next(names), cases[-1]))
            case.split = (pair, cases[0], cases[1])

    def evidence(self, case: _Case) -> Evidence:
        """Of a case and all that it was split into."""
        if case.split is not None:
            pair, above, below = case.split
            return Split(pair, self.evidence(above), self.evidence(below))
        return case.proved or packed(case.relaxed.triangles, self._d, case.below)

    def _case(self, below: Below, before: _Case | None = None) -> _Case:
        relaxed = self._relaxation.solve(below, self.least, before and before.relaxed)
        self._left -= 1
        self._improve(descend(self._floats, np.argsort(-relaxed.x.sum(axis=1), kind="stable")))
        return _Case(below, 0 if before is None else before.depth + 1, relaxed)

    def _improve(self, order: Permutation) -> None:
        found = excess(self._floats, order)
        if found < self.least:
            self.best, self.least = order, found

    def _is_closed(self, case: _Case) -> bool:
        """Whether evidence shows that the case holds no order better than the best one."""
        if case.proved is None and case.relaxed.excess >= self.least * (1 - _ROUNDING):
            proved = packed(case.relaxed.triangles, self._d, case.below)
            if lower_bound(self._costs, case.below, proved) >= round(self.least):
                case.proved = proved
        return case.proved is not None

    def _pair(self, case: _Case) -> Pair | None:
        """The free pair that the program is least decided on, the dearest of several."""
        if case.depth >= self._deepest:
            return None
        m, d, x = len(self._d), self._d, case.relaxed.x.tolist()
        free = [
            (i, j)
            for i in range(m)
            for j in range(i + 1, m)
            if not (case.below[i] >> j | case.below[j] >> i) & 1
        ]
        return max(
            free,
            key=lambda pair: (
                round(min(x[pair[0]][pair[1]], x[pair[1]][pair[0]]), 6),
                abs(d[pair[0]][pair[1]]),
            ),
            default=None,
        )
