"""Multipliers for any number of items from multipliers for three (the argument of DMJ10 Lemma 14).

On an edge (i, k), N_i - N_k = 2 d_ik + sum over the other items j of (d_ij + d_jk). Where the condition holds
for every three items by themselves, as for low noise, it is enough to write d_ij + d_jk as a combination of
the rows of the three items i, j, k. There are only a few cases of that, and each is one tiny linear program.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.model.conditions import cone
from consistency_lab.model.cones import LinearForm, combined, form
from consistency_lab.model.posets import Relation
from consistency_lab.solve.exact_lp import FloatSolver, LPStatus, solve_lp

Weighted = tuple[tuple[Fraction, LinearForm], ...]
"""Multiples of linear forms."""


@final
@dataclass(frozen=True, slots=True)
class Multipliers:
    """A combination of a cone's rows: any multiples of zero forms, positive ones of nonnegative forms."""

    equalities: Weighted
    inequalities: Weighted

    def total(self) -> LinearForm:
        """The form that they add up to."""
        return combined([*self.equalities, *self.inequalities])


@final
class Triples:
    """The multipliers of three items for one condition, each worked out once.

    Examples
    --------
    >>> from consistency_lab.model.posets import chain
    >>> Triples("low-noise").multipliers(chain(4), (0, 1), 4).inequalities[0][0]
    Fraction(4, 1)
    """

    def __init__(self, condition_name: str) -> None:
        self._name = condition_name
        self._solver = FloatSolver()
        self._known: dict[tuple[Relation, int, int, int], Multipliers | None] = {}

    def multipliers(self, relation: Relation, edge: tuple[int, int], m: int) -> Multipliers | None:
        """N_i - N_k as a combination of the cone's rows, or None if three items at a time do not do it."""
        i, k = edge
        equalities: list[tuple[Fraction, LinearForm]] = []
        inequalities: list[tuple[Fraction, LinearForm]] = [(Fraction(2), form({edge: 1}))]
        for j in range(m):
            if j in edge:
                continue
            items = tuple(sorted((i, j, k)))
            part = self._three(relation, items, (items.index(i), items.index(j), items.index(k)))
            if part is None:
                return None
            equalities += _moved(part.equalities, items)
            inequalities += _moved(part.inequalities, items)
        return Multipliers(added(equalities), added(inequalities))

    def _three(
        self, relation: Relation, items: tuple[int, ...], places: tuple[int, int, int]
    ) -> Multipliers | None:
        pairs = [(a, b) for a in range(3) for b in range(a + 1, 3)]
        induced = frozenset((a, b) for a, b in pairs if (items[a], items[b]) in relation)
        key = (induced, *places)
        if key not in self._known:
            i, j, k = places
            target = combined([(Fraction(1), directed(i, j)), (Fraction(1), directed(j, k))])
            self._known[key] = self._solve(induced, target, pairs)
        return self._known[key]

    def _solve(
        self, induced: Relation, target: LinearForm, pairs: list[tuple[int, int]]
    ) -> Multipliers | None:
        rows = cone(self._name, induced, 3)
        zero = Fraction(0)
        signs = [1] * len(rows.inequalities) + [1, -1] * len(rows.equalities)
        columns = [*rows.inequalities, *(row for row in rows.equalities for _ in (1, -1))]
        solution = solve_lp(
            [Fraction(1)] * len(columns),
            [[sign * c.get(pair, zero) for sign, c in zip(signs, columns, strict=True)] for pair in pairs],
            [target.get(pair, zero) for pair in pairs],
            solver=self._solver,
        )
        if solution.status is not LPStatus.OPTIMAL:
            return None
        count = len(rows.inequalities)
        weighted = [(sign * x, c) for sign, x, c in zip(signs, solution.x, columns, strict=True)]
        return Multipliers(added(weighted[count:]), added(weighted[:count]))


def directed(i: int, j: int) -> LinearForm:
    """d_ij as a form, whichever of i and j is smaller."""
    return form({(min(i, j), max(i, j)): 1 if i < j else -1})


def added(weighted: Iterable[tuple[Fraction, LinearForm]]) -> Weighted:
    """Equal forms together, multipliers 0 left out."""
    totals: dict[tuple[tuple[tuple[int, int], Fraction], ...], Fraction] = {}
    for weight, row in weighted:
        key = tuple(sorted(row.items()))
        totals[key] = totals.get(key, Fraction(0)) + weight
    return tuple((weight, dict(key)) for key, weight in totals.items() if weight)


def _moved(weighted: Weighted, items: tuple[int, ...]) -> list[tuple[Fraction, LinearForm]]:
    return [(weight, {(items[a], items[b]): c for (a, b), c in row.items()}) for weight, row in weighted]
