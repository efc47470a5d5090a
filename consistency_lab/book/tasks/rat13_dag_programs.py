"""Exact linear programs over P_DAG, which is a union of polytopes: d ≥ 0 along some order (RAT13 §7)."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import final

from consistency_lab.book.tasks.rat13_laws import Law
from consistency_lab.book.tasks.rat13_pairwise import Feature
from consistency_lab.model.tasks.conditions import differences
from consistency_lab.model.tasks.pairwise import PairwiseDisagreement
from consistency_lab.model.tasks.task import Prediction
from consistency_lab.solve.exact_lp import FloatSolver, LPStatus, solve_lp

_ZERO = Fraction(0)
_ONE = Fraction(1)
Row = list[Fraction]


@final
@dataclass(frozen=True)
class Programs:
    """The programs for one task on a small label space.

    Parameters
    ----------
    task
        Pairwise disagreement.

    Examples
    --------
    >>> from consistency_lab.model.tasks.labels import Dags
    >>> from consistency_lab.book.tasks.rat13_pairwise import net_feature
    >>> programs = Programs(PairwiseDisagreement(Dags(3)))
    >>> programs.along_worst()
    Fraction(0, 1)
    >>> programs.sorted_worst(net_feature(programs.task.space))[0]
    Fraction(1, 2)
    """

    task: PairwiseDisagreement

    def difference(self, i: int, j: int) -> Row:
        """d_ij as a linear form in p."""
        return [differences(self.task.space, {y: _ONE})[i][j] for y in self.task.space.labels]

    def along(self, order: Prediction) -> list[Row]:
        """−d_ij for i before j: with right-hand side 0 they say that d ≥ 0 along the order."""
        return [self.difference(j, i) for i, j in combinations(order, 2)]

    def along_worst(self) -> Fraction | None:
        """The greatest regret of 1 > 2 > … > r over the p with d ≥ 0 along it; None if one is not settled."""
        first = self.task.predictions[0]
        values = [value for value, _ in self._regrets(first, self.along(first))]
        return None if None in values else max(value for value in values if value is not None)

    def sorted_worst(self, f: Feature) -> tuple[Fraction | None, Law]:
        """The greatest regret over P_DAG of 1 > 2 > … > r where it sorts E f, and where it is attained.

        For an f that moves with the items this is the greatest regret of regression on f over P_DAG.
        """
        order, *_ = self.task.predictions
        scores = [f(y) for y in self.task.space.labels]
        falling = [[x[j] - x[i] for x in scores] for i, j in pairwise(order)]
        worst: tuple[Fraction | None, Law] = (_ZERO, {})
        for way in self.task.predictions:
            for value, p in self._regrets(order, [*falling, *self.along(way)]):
                if value is None or worst[0] is None:
                    return None, {}
                if value > worst[0]:
                    worst = value, p
        return worst

    def _regrets(self, order: Prediction, rows: list[Row]) -> Iterator[tuple[Fraction | None, Law]]:
        """For each other order, the greatest excess of the loss of `order`, where `rows` are at most 0."""
        solver, labels = FloatSolver(), self.task.space.labels
        for rival in self.task.predictions:
            if rival == order:
                continue
            costs = [self.task.loss(y, rival) - self.task.loss(y, order) for y in labels]
            total = [[_ONE] * len(labels)]
            found = solve_lp(costs, total, [_ONE], rows, [_ZERO] * len(rows), solver)
            if found.status is not LPStatus.OPTIMAL or found.value is None:
                yield None, {}
            else:
                yield -found.value, {y: x for y, x in zip(labels, found.x, strict=True) if x}
