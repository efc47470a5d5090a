"""Piecewise linear convex risks: as a linear program, or on a lattice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, product
from math import comb, lcm
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates import Term
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.exact import ZERO, integer_multiple
from consistency_lab.solve.kinds import Kind, kind_of, piecewise
from consistency_lab.solve.numeric import RiskStructure, compiled

# --- Piecewise linear convex risks: the minimum as a linear program, in floats or exactly ----------------
# Each function is its first line plus the largest of 0 and what its other lines exceed the first by, so W is
# a linear function of the scores plus one variable z >= 0 a term:
#
#     minimize    sum_t c_t (s_t0 <v_t, alpha> + z_t)
#     subject to  z_t >= (s_tk - s_t0) (<v_t, alpha> - b_t) + i_tk - i_t0.


@frozen
class ExactVertex:
    """A minimizer, exactly."""

    scores: tuple[Fraction, ...] | None  #: The scores, or None if W falls without bound.
    #: Slopes s_t in the subdifferentials with sum_t c_t s_t v_t = 0, aligned with the terms.
    slopes: tuple[Fraction, ...]
    direction: tuple[int, ...] | None  #: If W falls without bound: integers along which it does.


@frozen
class _Program:
    """The program in rationals; scores are p - q with p, q >= 0, or p alone where shifts are free."""

    c: list[Fraction]
    rows: list[list[Fraction]]
    right: list[Fraction]
    owners: list[tuple[int, Fraction]]
    columns: int

    @staticmethod
    def of(terms: Sequence[Term], offsets: Sequence[Fraction], m: int) -> "_Program":
        free = all(sum(n for _, n in term.v) == 0 for term in terms)
        columns = m if free else 2 * m
        size = columns + len(terms)
        c = [ZERO] * columns + [term.c for term in terms]
        rows: list[list[Fraction]] = []
        right: list[Fraction] = []
        owners: list[tuple[int, Fraction]] = []
        for t, (term, b) in enumerate(zip(terms, offsets, strict=True)):
            (start, base), *others = lines(term)
            for i, n in term.v:
                c[i] += term.c * base * n
            for constant, slope in others:
                row = [ZERO] * size
                row[columns + t] = Fraction(-1)
                for i, n in term.v:
                    row[i] = (slope - base) * n
                rows.append(row)
                right.append((slope - base) * b - (constant - start))
                owners.append((t, slope - base))
        if not free:
            for i in range(m):
                c[m + i] = -c[i]
                for row in rows:
                    row[m + i] = -row[i]
        return _Program(c, rows, right, owners, columns)

    def scores(self, x: Sequence[Fraction], m: int) -> tuple[Fraction, ...]:
        if self.columns == m:
            return tuple(x[:m])
        return tuple(x[i] - x[m + i] for i in range(m))


def lines(term: Term) -> list[tuple[Fraction, Fraction]]:
    """(constant, slope) of the lines of a piecewise linear function, left to right."""
    form = piecewise(term.phi)
    assert form is not None  # the caller asked for its kind
    return [(a, r) for a, r, *_ in ((*piece, ZERO, ZERO) for piece in form.pieces)]


def exact_vertex(terms: Sequence[Term], m: int) -> ExactVertex | None:
    """Minimize exactly; None if an offset is irrational or the program stays undecided."""
    from consistency_lab.solve.lp import LPStatus, solve_lp

    offsets = [b for term in terms if (b := term.b.as_rational()) is not None]
    if len(offsets) < len(terms):
        return None
    program = _Program.of(terms, offsets, m)
    solution = solve_lp(program.c, A_ub=program.rows, b_ub=program.right)
    if solution.status is LPStatus.UNBOUNDED:
        integers, _ = integer_multiple(program.scores(solution.ray, m))
        return ExactVertex(None, (), tuple(integers))
    if solution.status is not LPStatus.OPTIMAL:
        return None
    slopes = [lines(term)[0][1] for term in terms]
    for (t, extra), multiplier in zip(program.owners, solution.dual_ub, strict=True):
        slopes[t] += extra * multiplier / terms[t].c
    return ExactVertex(program.scores(solution.x, m), tuple(slopes), None)


def float_vertex(terms: Sequence[Term], m: int) -> NDArray[np.float64] | None:
    """A minimizer in floats, or None if there is none or the solver gives up."""
    from consistency_lab.solve.lp import FloatSolver, LPStatus

    offsets = [Fraction(float(term.b)) for term in terms]
    program = _Program.of(terms, offsets, m)
    size = len(program.c)
    solution = FloatSolver().solve(
        np.array(program.c, dtype=np.float64),
        np.empty((0, size)),
        np.empty(0),
        np.array(program.rows, dtype=np.float64).reshape(len(program.rows), size),
        np.array(program.right, dtype=np.float64),
    )
    if solution.status is not LPStatus.OPTIMAL:
        return None
    return solution.x[:m] if program.columns == m else solution.x[:m] - solution.x[m : 2 * m]


# --- Piecewise linear losses of score differences: the minimizers among finitely many lattice points -----
# W is linear on each cell of the arrangement {alpha_i - alpha_j = beta + b}, beta a breakpoint, so if it is
# bounded below it is least at a vertex. At a vertex such equations connect all items; with a common
# denominator D of all beta + b the scores lie in (1/D)Z, and sorted scores have gaps of at most K/D = max
# |beta + b|. So W need only be evaluated there, which for thousands of risks is one matrix product (convex or
# not).


_MOST_POINTS: Final = 50_000
_BLOCK: Final = 1 << 21
_TIED: Final = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Lattice:
    """The points at which a structure's risks need to be evaluated."""

    scores: Floats  #: Shape (L, m), integers over a common denominator.
    values: Floats  #: Shape (T, L): each term's function at each point.

    def minimize(self, C: Floats, middle: bool = False) -> tuple[Floats, Floats]:
        """Minimizers (B, m) and least values (B,) for rows of coefficients (B, T).

        Among points that tie, the one with the fewest levels, so the most ties in the scores, is taken;
        with `middle` their mean, which follows the items wherever they stand.
        """
        minimizers = np.empty((len(C), self.scores.shape[1]))
        least = np.empty(len(C))
        width = max(1, _BLOCK // len(self.scores))
        for start in range(0, len(C), width):
            block = slice(start, start + width)
            risks = C[block] @ self.values
            bottom = risks.min(axis=1)
            # Rounding must not choose between points that tie: the first in order does.
            slack = _TIED * (C[block] @ np.abs(self.values).max(axis=1, initial=0.0))
            best = risks <= (bottom + slack)[:, None]
            minimizers[block] = (
                best @ self.scores / best.sum(axis=1)[:, None]
                if middle
                else self.scores[np.argmax(best, axis=1)]
            )
            least[block] = bottom
        return minimizers, least


def lattice_of(structure: RiskStructure) -> Lattice | None:
    """The lattice of a structure, or None if the argument above does not apply or there are too many points.

    It applies if all functions are piecewise linear and bounded below, all directions are e_i - e_j, and
    breakpoints and offsets are rational.
    """
    reach = _reach(structure)
    if reach is None:
        return None
    denominator, gap = reach
    if count_points(structure.m, gap) > _MOST_POINTS:
        return None
    scores = _points(structure.m, gap) / denominator
    x = structure.V @ scores.T - structure.b[:, None]
    values = np.empty_like(x)
    for k, phi in enumerate(structure.functions):
        chosen = structure.function_index == k
        values[chosen] = compiled(phi)(x[chosen])[0]
    return Lattice(scores, values)


def _reach(structure: RiskStructure) -> tuple[int, int] | None:
    """The common denominator D, and D times the largest |beta + b|."""
    rows = np.sort(structure.V, axis=1)
    if (
        structure.m < 2
        or not ((rows[:, 0] == -1) & (rows[:, -1] == 1) & (np.abs(rows).sum(axis=1) == 2)).all()
    ):
        return None
    places: set[Fraction] = set()
    for k, offset in set(zip(structure.function_index.tolist(), structure.offsets, strict=True)):
        phi, b = structure.functions[k], offset.as_rational()
        form = piecewise(phi)
        if b is None or form is None or kind_of(phi) not in (Kind.PIECEWISE_LINEAR, Kind.STRAIGHT):
            return None
        if form.lower_bound() is None:
            return None
        places.update(x + b for x in form.breakpoints)
    denominator = lcm(*(x.denominator for x in places))
    return denominator, max((int(abs(x) * denominator) for x in places), default=0)


def count_points(m: int, gap: int) -> int:
    """How many points there are: k levels with gaps 1..gap between them, each level used."""
    return sum(_surjections(m, k) * gap ** (k - 1) for k in range(1, m + 1))


def _surjections(m: int, k: int) -> int:
    return sum((-1) ** j * comb(k, j) * (k - j) ** m for j in range(k + 1))


@lru_cache(maxsize=32)
def _points(m: int, gap: int) -> NDArray[np.int64]:
    """All the points times D, lowest score 0, those with few levels first."""
    return np.array(
        [point for k in range(1, m + 1) for point in _points_on_levels(m, k, gap)], dtype=np.int64
    )


def _points_on_levels(m: int, k: int, gap: int) -> Iterator[tuple[int, ...]]:
    gaps = list(product(range(1, gap + 1), repeat=k - 1))
    for levels in product(range(k), repeat=m):
        if len(set(levels)) == k:
            for steps in gaps:
                heights = [0, *accumulate(steps)]
                yield tuple(heights[level] for level in levels)
