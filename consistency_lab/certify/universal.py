"""Proofs that no convex phi with phi'(0) < 0 has its minimizer in A(p) (DMJ10 Lemma 10).

Write g_ij for a slope of phi at alpha_i - alpha_j and g_0 for one at 0. If scores alpha in the order of the
items were stationary, then sum_j (h_ij g_ij - h_ji g_ji) = 0 for every i, and slopes at smaller arguments
were at most those at larger ones. Which arguments are smaller depends on the face of an arrangement of
hyperplanes that alpha lies on. On each face multipliers y (free) and z >= 0 with

    sum_i y_i sum_j (h_ij g_ij - h_ji g_ji) + sum z_tu (g_u - g_t) = g_0    identically in g,

over comparisons t < u of that face, make g_0 >= 0: a contradiction with phi'(0) < 0. The multipliers of a
face serve every face that has its comparisons and more, so the smallest faces are looked at first.

See docs/theory.md, All convex functions at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

from consistency_lab.errors import UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact import integer_multiple, rational_text
from consistency_lab.numbers.exact.linear import null_space
from consistency_lab.solve.connectivity import strong_components
from consistency_lab.solve.lp import FloatSolver, LPStatus, solve_lp

_MOST: Final = 5
"""Most items."""

Slot = tuple[int, int] | None
"""The slope g_ij, or g_0 (None)."""

_Point = tuple[int, ...]
"""The gaps alpha_k - alpha_{k+1} between neighbors: a point of the cone."""


def universal_proof(
    h: Sequence[Sequence[Fraction]], names: Sequence[str] | None = None
) -> list[dict[str, Any]] | None:
    """The ``universal`` entry of a proof, multipliers for every face (UnsupportedError beyond 5 items).

    The caller sees to it that the order of the items is the one optimal order. None if the support of `h` is
    not strongly connected (then W need not attain its minimum), or if some monotone slopes are stationary.
    """
    m = len(h)
    if m > _MOST:
        raise UnsupportedError(f"{m} items have too many faces to go through; the limit is {_MOST} items")
    labels = names or [str(i + 1) for i in range(m)]
    pairs = [(i, j) for i in range(m) for j in range(m) if h[i][j]]
    if len(strong_components(pairs, m)) > 1:
        return None
    problem = _Problem(h, pairs)
    entries: list[_Multipliers] = []
    solver = FloatSolver()
    for levels in problem.smallest_faces():
        if any(entry.serves(levels) for entry in entries):
            continue
        entry = problem.multipliers(levels, solver)
        if entry is None:
            return None
        entries.append(entry)
    return [entry.written(labels) for entry in entries]


@frozen
class _Multipliers:
    """Farkas multipliers: y of the stationarity of each item, (t, u, z) of g_t <= g_u."""

    balance: tuple[Fraction, ...]
    monotone: tuple[tuple[Slot, Slot, Fraction], ...]

    def serves(self, levels: dict[Slot, int]) -> bool:
        """Whether all its comparisons hold on the face."""
        return all(levels[t] < levels[u] for t, u, _ in self.monotone)

    def written(self, names: Sequence[str]) -> dict[str, Any]:
        """As the proof has it."""

        def slot(t: Slot) -> object:
            return "0" if t is None else [names[i] for i in t]

        return {
            "balance": [rational_text(y) for y in self.balance],
            "monotone": [[slot(t), slot(u), rational_text(z)] for t, u, z in self.monotone],
        }


@frozen
class _Problem:
    """The coefficients and the pairs at which phi has a slope."""

    h: Sequence[Sequence[Fraction]]
    pairs: list[tuple[int, int]]

    def smallest_faces(self) -> list[dict[Slot, int]]:
        """Faces (as ranks of the arguments), fewest comparisons first; every face has one in its closure."""
        levels = map(self._levels, _smallest_points(self._rays()))
        faces = {tuple(one.values()): one for one in levels}
        return sorted(faces.values(), key=lambda one: len(_comparisons(one)))

    def multipliers(self, levels: dict[Slot, int], solver: FloatSolver) -> _Multipliers | None:
        """Multipliers on one face, of least total size, or None if there are none."""
        m = len(self.h)
        compared = _comparisons(levels)
        rows = []
        for slot in levels:
            row = [Fraction(0)] * m
            if slot is not None:
                i, j = slot
                row[i], row[j] = self.h[i][j], -self.h[i][j]
            rows.append([*row, *(Fraction((u == slot) - (t == slot)) for t, u in compared)])
        right = [Fraction(slot is None) for slot in levels]
        # Only differences of the y count, so y >= 0 costs nothing.
        solution = solve_lp([Fraction(1)] * (m + len(compared)), rows, right, solver=solver)
        if solution.status is not LPStatus.OPTIMAL:
            return None
        monotone = [(t, u, z) for (t, u), z in zip(compared, solution.x[m:], strict=True) if z]
        return _Multipliers(solution.x[:m], tuple(monotone))

    def _levels(self, point: _Point) -> dict[Slot, int]:
        """The rank of 0 and of each argument alpha_i - alpha_j at the point; equal arguments share it."""
        places = [sum(point[:i]) for i in range(len(self.h))]
        arguments: dict[Slot, int] = {None: 0, **{(i, j): places[j] - places[i] for i, j in self.pairs}}
        ranks = {value: rank for rank, value in enumerate(sorted(set(arguments.values())))}
        return {slot: ranks[value] for slot, value in arguments.items()}

    def _rays(self) -> set[_Point]:
        """The rays, in the closed cone, along which hyperplanes of the arrangement and walls meet."""
        size = len(self.h) - 1
        walls = [tuple(int(k == wall) for k in range(size)) for wall in range(size)]
        vectors = [tuple(0 for _ in range(size)), *(_gaps(i, j, size) for i, j in self.pairs)]
        normals = set(walls)
        for s, t in combinations(vectors, 2):
            normal = tuple(a - b for a, b in zip(s, t, strict=True))
            # A normal without two signs vanishes in the cone only where walls do.
            if min(normal) < 0 < max(normal):
                normals.add(max(normal, tuple(-x for x in normal)))
        rays: set[_Point] = set()
        for chosen in combinations(sorted(normals), size - 1):
            space = null_space([[Fraction(x) for x in normal] for normal in chosen], size)
            if len(space) == 1:
                ray, _ = integer_multiple(space[0])
                if min(ray) >= 0 or max(ray) <= 0:
                    rays.add(tuple(map(abs, ray)))
        return rays


def _smallest_points(rays: Iterable[_Point]) -> Iterator[_Point]:
    """Points inside the cone, such that every face inside the cone has one in its closure.

    The rays in the closure of a face add up to a point inside the cone. Leave rays out as long as the sum
    stays inside: it is still in the closure, and each ray that is left is needed to get off some wall.
    """
    ordered = sorted(rays)
    size = len(ordered[0])
    everything = (1 << size) - 1
    supports = [sum(1 << k for k, x in enumerate(ray) if x) for ray in ordered]

    def grow(start: int, chosen: list[int], covered: int) -> Iterator[_Point]:
        if covered == everything:
            yield tuple(sum(ordered[k][n] for k in chosen) for n in range(size))
            return
        if len(chosen) == size:
            return
        for k in range(start, len(ordered)):
            if supports[k] & ~covered:
                yield from grow(k + 1, [*chosen, k], covered | supports[k])

    return grow(0, [], 0)


def _comparisons(levels: dict[Slot, int]) -> list[tuple[Slot, Slot]]:
    return [(t, u) for t in levels for u in levels if levels[t] < levels[u]]


def _gaps(i: int, j: int, size: int) -> _Point:
    """alpha_i - alpha_j as a sum of gaps."""
    low, high, sign = (i, j, 1) if i < j else (j, i, -1)
    return tuple(sign if low <= k < high else 0 for k in range(size))
