"""From conditions on three items to the order of net preferences: DMJ10 Lemma 14 as linear algebra.

On an edge (i, k), N_i - N_k = 2 d_ik + sum over the other items j of (d_ij + d_jk). A condition that is about
three items at a time, like low noise, holds for i, j, k by themselves; and for each shape that their
difference graph can have, d_ij + d_jk < 0 is shown impossible by Farkas multipliers. Added up over j, those
multipliers give N_i > N_k for any number of items.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Final, final

from consistency_lab.core.farkas import check_farkas
from consistency_lab.model.cones import Cone, LinearForm, combined, form, net_gap
from consistency_lab.model.posets import Relation, is_transitive, posets
from consistency_lab.solve.exact_lp import FloatSolver, LPStatus, solve_lp
from consistency_lab.theorems.triples import directed

RowsOf = Callable[[Relation, int], Cone]
"""What a condition says of a shape on m items, as `model.cones.low_noise_rows` does."""

Vector = Sequence[Fraction]

_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)
_PAIRS: Final = tuple(combinations(range(3), 2))


def larger_rows(relation: Relation, m: int) -> Cone:
    """d_ik >= d_ij and d_ik >= d_jk along every path of two edges: weaker than low noise.

    Examples
    --------
    >>> from consistency_lab.model.posets import chain
    >>> [{pair: int(c) for pair, c in row.items()} for row in larger_rows(chain(3), 3).inequalities]
    [{(0, 2): 1, (0, 1): -1}, {(0, 2): 1, (1, 2): -1}]
    """
    pairs = sorted(relation)
    paths = [(i, j, k) for i, j in pairs for h, k in pairs if h == j]
    rows = [form({(i, k): 1, part: -1}) for i, j, k in paths for part in ((i, j), (j, k))]
    return Cone((), tuple(rows), ())


@final
@dataclass(frozen=True, slots=True)
class System:
    """Linear inequalities A x <= b in the weights x >= 0 of a difference graph's edges.

    Parameters
    ----------
    rows, right
        A and b.
    """

    rows: tuple[tuple[Fraction, ...], ...]
    right: tuple[Fraction, ...]

    def check(self, y: Vector) -> None:
        """Let the core check Farkas multipliers, which prove that there is no solution.

        Raises
        ------
        RejectedError
            If it does not accept them.
        """
        check_farkas(self.rows, self.right, [], [], y, [])

    def multipliers(self, solver: FloatSolver) -> tuple[Fraction, ...] | None:
        """Farkas multipliers from a linear program, or None if there is a solution."""
        solution = solve_lp([_ZERO] * len(self.rows[0]), A_ub=self.rows, b_ub=self.right, solver=solver)
        return solution.dual_ub if solution.status is LPStatus.INFEASIBLE else None


@final
@dataclass(frozen=True, slots=True)
class Case:
    """The shape of a difference graph on m items, naturally labeled, and one edge (i, k) of it."""

    m: int
    relation: Relation
    edge: tuple[int, int]

    @property
    def name(self) -> str:
        """The edges of the shape with items numbered from 1, and the one that it is about."""
        shape = " ".join(f"{i + 1}{j + 1}" for i, j in sorted(self.relation))
        return f"{shape}: {self.edge[0] + 1}{self.edge[1] + 1}"

    def third_item(self, rows_of: RowsOf) -> System:
        """For three items: the condition, and d_ij + d_jk <= -1 for the third item j."""
        i, k = self.edge
        j = 3 - i - k
        target = combined([(_ONE, directed(i, j)), (_ONE, directed(j, k))])
        return self._system(rows_of, [(target, 1)], [-_ONE])

    def wrong_order(self, rows_of: RowsOf) -> System:
        """The condition, N_i - N_k <= 0, and d_ik >= 1."""
        gap = net_gap(*self.edge, self.m)
        return self._system(rows_of, [(gap, 1), (form({self.edge: 1}), -1)], [_ZERO, -_ONE])

    def summed(self, rows_of: RowsOf, known: "Mapping[Case, Vector]") -> tuple[Fraction, ...]:
        """Multipliers for `wrong_order`, added up from those of `third_item` over the other items.

        Parameters
        ----------
        known
            Multipliers of the systems of `triples`.
        """
        rows = [_key(row) for row in rows_of(self.relation, self.m).inequalities]
        total = dict.fromkeys(rows, _ZERO)
        for j in (j for j in range(self.m) if j not in self.edge):
            items = sorted((*self.edge, j))
            inside = frozenset((a, b) for a, b in _PAIRS if (items[a], items[b]) in self.relation)
            three = Case(3, inside, (items.index(self.edge[0]), items.index(self.edge[1])))
            *used, scale = known[three]
            for weight, row in zip(used, rows_of(inside, 3).inequalities, strict=True):
                total[_key({(items[a], items[b]): c for (a, b), c in row.items()})] += weight / scale
        # Equal rows would share one total; it is given to the first of them.
        weights = [total.pop(row, _ZERO) for row in rows]
        return (*weights, _ONE, Fraction(2))

    def _system(
        self, rows_of: RowsOf, more: Sequence[tuple[LinearForm, int]], right: Sequence[Fraction]
    ) -> System:
        pairs = sorted(self.relation)
        rows = [(row, -1) for row in rows_of(self.relation, self.m).inequalities]
        return System(
            tuple(tuple(sign * row.get(pair, _ZERO) for pair in pairs) for row, sign in (*rows, *more)),
            (*(_ZERO for _ in rows), *right),
        )


def triples() -> Iterator[Case]:
    """Every transitive shape on three items with i < j on its edges, and every edge of it.

    Examples
    --------
    >>> len(list(triples()))
    10
    """
    shapes = (frozenset(chosen) for n in (1, 2, 3) for chosen in combinations(_PAIRS, n))
    return (Case(3, shape, edge) for shape in shapes if is_transitive(shape) for edge in sorted(shape))


def cases(m: int) -> Iterator[Case]:
    """Every poset on m items up to isomorphism, and every edge of it.

    Examples
    --------
    >>> [len(list(cases(m))) for m in (2, 3, 4)]
    [1, 8, 52]
    """
    return (Case(m, relation, edge) for relation in posets(m) for edge in sorted(relation))


def _key(row: LinearForm) -> tuple[tuple[tuple[int, int], Fraction], ...]:
    return tuple(sorted(row.items()))
