r"""For which h some convex phi has a minimizer in the order 1, ..., m: the slopes eliminated, for any m.

Fix a face of the cone alpha_1 > ... > alpha_m, that is, an order of the numbers delta_ij = alpha_i - alpha_j,
and scale slopes so that g_0 = -1. Monotone slopes on the face are -1 everywhere, plus nonnegative multiples
of the indicators of sets U of positive delta with everything above each member, minus such multiples for sets
of negative delta with everything below each member. So stationary slopes exist if and only if

    N = sum_U lambda_U v_U  with all lambda_U >= 0,      N_i = sum_j (h_ij - h_ji),

    v_U = sum over ij in U of h_ij (e_i - e_j), turned round for the negative ones:

N lies in a cone with finitely many generators. If it does, a sum of hinges with these slopes has a minimizer
there; if it does not, there are integers y with y·N > 0 >= y·v_U for every U, and no convex phi with
phi'(0) < 0 has one. The smallest faces (fewest strict comparisons) have the largest cones, so they suffice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Final, final

from consistency_lab.core.faces import face_points
from consistency_lab.exact import integer_multiple
from consistency_lab.model.conditions import net
from consistency_lab.model.distribution import difference
from consistency_lab.solve.exact_lp import LPStatus, solve_lp

Aggregate = Sequence[Sequence[Fraction]]
Pair = tuple[int, int]
Point = tuple[int, ...]

_ZERO: Final = Fraction(0)


def smallest_faces(m: int) -> tuple[Point, ...]:
    """A point alpha on each face of alpha_1 > ... > alpha_m that has no smaller face in its closure.

    Raises
    ------
    InputError
        For more items than the faces are listed for.

    Examples
    --------
    >>> smallest_faces(3)
    ((2, 1, 0),)
    >>> smallest_faces(4)
    ((3, 2, 1, 0), (4, 3, 2, 0), (4, 2, 1, 0))
    """
    points = face_points(m)
    known = {point: _comparisons(point) for point in points}
    return tuple(p for p in points if not any(known[q] < known[p] for q in points))


def covers_every_face(m: int, points: Sequence[Point]) -> bool:
    """Whether what holds between the delta at one of these points holds on every face for one of them."""
    known = [_comparisons(point) for point in points]
    return all(any(few <= _comparisons(point) for few in known) for point in face_points(m))


def generators(h: Aggregate, point: Point) -> list[tuple[Fraction, ...]]:
    """The vectors v_U of the face of a point, nonzero ones, each once.

    Examples
    --------
    >>> four_edges = [[Fraction(x) for x in row] for row in ((0, 3, 8), (0, 0, 1), (4, 0, 0))]
    >>> [tuple(map(int, v)) for v in generators(four_edges, (2, 1, 0))]
    [(8, 0, -8), (11, -3, -8), (8, 1, -9), (11, -2, -9), (4, 0, -4)]
    """
    found: dict[tuple[Fraction, ...], None] = {}
    for sign in (1, -1):
        for chosen in closed_sets(point):
            v = generator(h, sign, chosen, len(point))
            if any(v):
                found[v] = None
    return list(found)


def generator(h: Aggregate, sign: int, chosen: Sequence[Pair], m: int) -> tuple[Fraction, ...]:
    """v_U of the pairs i < j in U, or of the pairs ji if the sign is negative."""
    v = [_ZERO] * m
    for i, j in chosen:
        weight = h[i][j] if sign > 0 else h[j][i]
        v[i] += weight
        v[j] -= weight
    return tuple(v)


@final
@dataclass(frozen=True, slots=True)
class Separation:
    """Why no convex phi has a minimizer on a face: y·N > 0 >= y·v for every generator v.

    Parameters
    ----------
    point
        A point of the face.
    y
        Integers.
    """

    point: Point
    y: tuple[int, ...]

    def holds(self, h: Aggregate) -> bool:
        """Check it in exact arithmetic."""
        return dot(self.y, net(difference(h))) > 0 and all(
            dot(self.y, v) <= 0 for v in generators(h, self.point)
        )


def separation(h: Aggregate, point: Point) -> Separation | None:
    """Integers y that separate N from the generators; None if N lies in their cone.

    Examples
    --------
    >>> four_edges = [[Fraction(x) for x in row] for row in ((0, 3, 8), (0, 0, 1), (4, 0, 0))]
    >>> separation(four_edges, (2, 1, 0)).y
    (8, 0, 11)
    """
    vectors = generators(h, point)
    n = net(difference(h))
    size = len(point)
    # y = p - q with p, q >= 0: least p + q with y·v <= 0 and y·N >= 1.
    rows = [[*v, *(-x for x in v)] for v in vectors] + [[*(-x for x in n), *n]]
    right = [_ZERO] * len(vectors) + [Fraction(-1)]
    solution = solve_lp([Fraction(1)] * (2 * size), A_ub=rows, b_ub=right)
    if solution.status is not LPStatus.OPTIMAL:
        return None
    y, _ = integer_multiple([solution.x[i] - solution.x[size + i] for i in range(size)])
    low = min(y)
    found = Separation(point, tuple(value - low for value in y))
    return found if found.holds(h) else None


def dot(y: Sequence[int], v: Sequence[Fraction]) -> Fraction:
    """The inner product."""
    return sum((a * b for a, b in zip(y, v, strict=True)), _ZERO)


def closed_sets(point: Point) -> Iterator[tuple[Pair, ...]]:
    """Nonempty sets of pairs i < j that contain every pair of larger delta than one of them.

    Equal delta are not compared, so such a set is all pairs above some value and any pairs at that value.
    """
    pairs = [(i, j) for i in range(len(point)) for j in range(i + 1, len(point))]
    values = sorted({point[i] - point[j] for i, j in pairs}, reverse=True)
    above: tuple[Pair, ...] = ()
    for value in values:
        level = [(i, j) for i, j in pairs if point[i] - point[j] == value]
        for size in range(1, len(level) + 1):
            for some in combinations(level, size):
                yield (*above, *some)
        above = (*above, *level)


def _comparisons(point: Point) -> frozenset[tuple[Pair, Pair]]:
    """The strict comparisons between positive delta at a point; the negative ones mirror them."""
    pairs = [(i, j) for i in range(len(point)) for j in range(i + 1, len(point))]
    return frozenset(
        (t, u) for t in pairs for u in pairs if point[t[0]] - point[t[1]] < point[u[0]] - point[u[1]]
    )
