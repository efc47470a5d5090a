"""Exact linear programs over all distributions on the binary labels of a few items (RAT13 §6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import final

from consistency_lab.book.tasks.rat13_laws import Law
from consistency_lab.book.tasks.rat13_map import feature, map_task
from consistency_lab.model.tasks.task import Prediction
from consistency_lab.solve.exact_lp import FloatSolver, LPStatus, solve_lp

_ZERO = Fraction(0)
_ONE = Fraction(1)


@final
@dataclass(frozen=True, slots=True)
class Worst:
    """The greatest regret of sorting by the diagonal, and a distribution that attains it.

    Parameters
    ----------
    regret
        Against the best order.
    p
        Where it is attained.
    better
        An order that is better by so much.
    programs
        How many programs were solved: one for each other order.
    """

    regret: Fraction
    p: Law
    better: Prediction
    programs: int


def worst_diagonal(r: int, *, reinforced: bool) -> Worst | None:
    """Maximize the regret of the order 1 > 2 > … > r over the p with u_11 ≥ … ≥ u_rr.

    By symmetry it is the worst regret of any order sorted by the diagonal. With `reinforced` the p are those
    of P_reinforce with this order, where (u_jγ − u_iγ)_+ is a variable n ≥ 0 with n ≥ u_jγ − u_iγ. Every
    optimum is exact, with multipliers that prove it.

    Returns
    -------
    Worst
        None if a program was not settled.

    Examples
    --------
    >>> worst_diagonal(3, reinforced=False).regret, worst_diagonal(3, reinforced=True).regret
    (Fraction(1, 18), Fraction(0, 1))
    """
    task, solver = map_task(r), FloatSolver()
    labels = task.space.labels
    falls = [(i, j, g) for i, j in combinations(range(r), 2) for g in range(r) if g not in (i, j)]

    def row(values: Sequence[Fraction], on: dict[tuple[int, int, int], Fraction]) -> list[Fraction]:
        return [*values, *(on.get(fall, _ZERO) for fall in falls)]

    rows = []
    for i, j in combinations(range(r), 2):
        others = [fall for fall in falls if fall[:2] == (i, j)]
        gap = [feature(y, j, j) - feature(y, i, i) for y in labels]
        rows.append(row(gap, dict.fromkeys(others, _ONE) if reinforced else {}))
        rows += [
            row([feature(y, j, g) - feature(y, i, g) for y in labels], {(i, j, g): -_ONE}) for *_, g in others
        ]
    total = [row([_ONE] * len(labels), {})]
    first, *rivals = task.predictions
    worst: Worst | None = None
    for rival in rivals:
        costs = row([task.loss(y, rival) - task.loss(y, first) for y in labels], {})
        found = solve_lp(costs, total, [_ONE], rows, [_ZERO] * len(rows), solver)
        if found.status is not LPStatus.OPTIMAL or found.value is None:
            return None
        if worst is None or -found.value > worst.regret:
            p = {y: weight for y, weight in zip(labels, found.x, strict=False) if weight}
            worst = Worst(-found.value, p, rival, len(rivals))
    return worst
