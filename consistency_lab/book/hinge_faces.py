r"""Where the hinge's minimizers can invert an edge strictly: one linear program for each order of the scores.

Let W(alpha) = sum a_ij max(0, 1 - alpha_i + alpha_j). Scores minimize W if and only if there are flows f_ij,
equal to a_ij where alpha_i - alpha_j < 1, between 0 and a_ij where it is 1, and 0 where it is more, that
balance at every item. For fixed scores this is linear in (a, f), and so is a noise condition once the shape
of the difference graph is fixed; so "can these scores be minimal although alpha_i < alpha_j on an edge i → j"
is a linear program.

The reduction to integral scores. Let alpha minimize W with alpha_i < alpha_j on an edge i → j, so that
a_ij > 0. Let P be the polyhedron of all beta with beta_k - beta_l <= 1, = 1 or >= 1, for a_kl > 0, as alpha
has it < 1, = 1 or > 1. W is affine on P and least at alpha, inside P relative to its dimension, so W is
constant on P. Fix one score in each component of the graph of a. P then contains no line; at a vertex, the
tight constraints join each component by differences of 1, so its vertices are integral, with consecutive
levels in each component. Along a direction r of P, W is constant, so r_k = r_l where alpha_k - alpha_l < 1,
in particular r_i = r_j. So alpha_i - alpha_j < 0 is a mean of the differences at vertices, and is negative at
one of them: a minimizer with integral scores. The components can be shifted to have their lowest score at 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from typing import Final, final

from consistency_lab.book.score_orders import score_orders
from consistency_lab.core.farkas import check_farkas
from consistency_lab.errors import RejectedError
from consistency_lab.model.conditions import cone, orientations_for
from consistency_lab.model.cones import LinearForm
from consistency_lab.model.posets import Relation
from consistency_lab.solve.exact_lp import FloatSolver, LPSolution, LPStatus, solve_lp

Vector = Sequence[Fraction]
Edge = tuple[int, int]

_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)


@final
@dataclass(frozen=True, slots=True)
class Face:
    """A shape of the difference graph, and scores that are to minimize W there and invert an edge of it.

    Parameters
    ----------
    condition
        The noise condition.
    relation
        The shape, naturally labeled.
    scores
        The scores.
    """

    condition: str
    relation: Relation
    scores: tuple[Fraction, ...]

    @property
    def m(self) -> int:
        """The number of items."""
        return len(self.scores)

    @property
    def name(self) -> str:
        """The edges of the shape, items from 1, and the scores."""
        edges = " ".join(f"{i + 1}{j + 1}" for i, j in sorted(self.relation))
        return f"{edges}: {' '.join(map(str, self.scores))}"

    @property
    def inverted(self) -> tuple[Edge, ...]:
        """The edges i → j with alpha_i < alpha_j."""
        return tuple((i, j) for i, j in sorted(self.relation) if self.scores[i] < self.scores[j])

    @property
    def pairs(self) -> tuple[Edge, ...]:
        """The unknowns a_ij, which come first."""
        return tuple(permutations(range(self.m), 2))

    @property
    def kinks(self) -> tuple[Edge, ...]:
        """The pairs with alpha_i - alpha_j = 1: their flows are the other unknowns."""
        return tuple((i, j) for i, j in self.pairs if self.scores[i] - self.scores[j] == 1)

    def solve(self, solver: FloatSolver) -> LPSolution:
        """The least total weight at which the inverted edges have differences that sum to 1."""
        rows, right, equal = self._system()
        cost = [_ONE] * len(self.pairs) + [_ZERO] * len(self.kinks)
        return solve_lp(cost, equal, [_ZERO] * len(equal), rows, right, solver)

    def check(self, y: Vector, z: Vector) -> None:
        """Let the core check Farkas multipliers: these scores are never minimal and wrong there.

        Raises
        ------
        RejectedError
            If it does not accept them.
        """
        rows, right, equal = self._system()
        check_farkas(rows, right, equal, [_ZERO] * len(equal), y, z)

    def excluded(self, solver: FloatSolver) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]] | None:
        """Farkas multipliers (y, z) that the core accepts, or None if there are none."""
        solution = self.solve(solver)
        if solution.status is not LPStatus.INFEASIBLE:
            return None
        y, z = solution.dual_ub, tuple(-u for u in solution.dual_eq)
        try:
            self.check(y, z)
        except RejectedError:
            return None
        return y, z

    def _system(self) -> tuple[list[list[Fraction]], list[Fraction], list[list[Fraction]]]:
        """A x <= b, and rows of E x = 0, in x = (a, f) >= 0."""
        place = {pair: n for n, pair in enumerate(self.pairs)}
        flow = {pair: len(place) + n for n, pair in enumerate(self.kinks)}
        width = len(place) + len(flow)

        def row(entries: dict[int, Fraction]) -> list[Fraction]:
            return [entries.get(n, _ZERO) for n in range(width)]

        def on_differences(linear: LinearForm, sign: int) -> list[Fraction]:
            entries: dict[int, Fraction] = {}
            for (i, j), c in linear.items():
                entries[place[i, j]] = entries.get(place[i, j], _ZERO) + sign * c
                entries[place[j, i]] = entries.get(place[j, i], _ZERO) - sign * c
            return row(entries)

        known = cone(self.condition, self.relation, self.m)
        balance = []
        for item in range(self.m):
            entries = {}
            for pair in self.pairs:
                if item in pair and self.scores[pair[0]] - self.scores[pair[1]] <= 1:
                    entries[flow.get(pair, place[pair])] = _ONE if pair[0] == item else -_ONE
            balance.append(row(entries))
        capacity = [row({flow[pair]: _ONE, place[pair]: -_ONE}) for pair in self.kinks]
        inside = [on_differences(linear, -1) for linear in known.inequalities]
        wrong = on_differences(dict.fromkeys(self.inverted, _ONE), -1)
        equal = [*balance, *(on_differences(linear, 1) for linear in known.equalities)]
        return [*capacity, *inside, wrong], [*[_ZERO] * (len(capacity) + len(inside)), -_ONE], equal


def integral_faces(condition: str, m: int) -> Iterator[Face]:
    """Every shape with every integral score vector that inverts one of its edges.

    Examples
    --------
    >>> len(list(integral_faces("acyclic", 3)))
    37
    """
    return _inverting(condition, m, [tuple(map(Fraction, scores)) for scores in score_orders(m)])


def three_item_faces(condition: str) -> Iterator[Face]:
    """Every shape on three items with a score vector from every face of the lines alpha_i - alpha_j = 0, 1.

    Sorted scores have gaps u and v, and a face is given by how u, v and u + v compare with 0 and 1.

    Examples
    --------
    >>> len(list(three_item_faces("acyclic")))
    279
    """
    third, half = Fraction(1, 3), Fraction(1, 2)
    gaps = (_ZERO, third, half, 2 * third, _ONE, 3 * half)
    found: dict[tuple[tuple[bool, ...], ...], tuple[Fraction, ...]] = {}
    for order, u, v in product(permutations(range(3)), gaps, gaps):
        scores = [_ZERO] * 3
        scores[order[1]], scores[order[0]] = v, u + v
        deltas = [scores[i] - scores[j] for i, j in permutations(range(3), 2)]
        found.setdefault(tuple((d < 0, d < 1, d == 1) for d in deltas), tuple(scores))
    return _inverting(condition, 3, list(found.values()))


def _inverting(condition: str, m: int, vectors: Sequence[tuple[Fraction, ...]]) -> Iterator[Face]:
    shapes = orientations_for(condition, m)
    assert shapes is not None  # every condition but "any" is a union of shapes
    for relation in shapes:
        for scores in vectors:
            face = Face(condition, relation, scores)
            if face.inverted:
                yield face


def flows(a: Sequence[Sequence[Fraction]], scores: Vector, on: dict[Edge, Fraction]) -> bool:
    """Whether flows with these values on the pairs with difference 1 show that the scores minimize W.

    Examples
    --------
    >>> one, zero = Fraction(1), Fraction(0)
    >>> flows([[zero, one], [zero, zero]], [one, zero], {(0, 1): zero})
    True
    """
    m = range(len(a))
    flow = {}
    for i, j in permutations(m, 2):
        difference = scores[i] - scores[j]
        flow[i, j] = a[i][j] if difference < 1 else on.get((i, j), _ZERO) if difference == 1 else _ZERO
    within = all(0 <= flow[pair] <= a[pair[0]][pair[1]] for pair in flow)
    return within and all(sum((flow[i, j] - flow[j, i] for j in m if j != i), _ZERO) == 0 for i in m)
