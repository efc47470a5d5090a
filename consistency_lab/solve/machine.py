"""Machine code for large batches: what it knows, when it pays, and how it is called.

Nothing here imports the compiler before it is needed. Risks of which `newton_kernels` does not know the
functions, or finds no minimum, are left to NumPy.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Final, final

import numpy as np

from consistency_lab.frozen import frozen
from consistency_lab.numbers.arrays import Whole
from consistency_lab.numbers.compiling import is_installed
from consistency_lab.numbers.phi import Expression
from consistency_lab.solve.kinds import Kind, exponential_sum, is_convex, kind_of, piecewise
from consistency_lab.solve.numeric import RiskStructure

# --- The scalar functions that the machine code knows, as a few numbers ----------------------------------

LOGISTIC: Final = 0
EXPONENTIAL: Final = 1
PARABOLA: Final = 2


@frozen
class Shape:
    """A scalar function of one of three kinds."""

    #: `LOGISTIC`: log(1 + exp(-x)); `EXPONENTIAL`: exp(-x); `PARABOLA`: a parabola that continues as its
    #: tangents, bottom + bend (u (x - vertex) - u**2 / 2) with u = x - vertex clipped to [low, high].
    kind: int
    #: Of a parabola: bend, vertex, bottom, low and high.
    numbers: tuple[float, float, float, float, float] = (0.0,) * 5


@lru_cache(maxsize=512)
def shape_of(phi: Expression) -> Shape | None:
    """The shape of a function, or None if the machine code does not know it."""
    if list(exponential_sum(phi) or ()) == [(0.0, -1.0)]:
        return Shape(EXPONENTIAL)
    if phi.op == "log" and sorted(exponential_sum(phi.args[0]) or ()) == [(0.0, -1.0), (0.0, 0.0)]:
        return Shape(LOGISTIC)
    return _parabola(phi)


def _parabola(phi: Expression) -> Shape | None:
    form = piecewise(phi)
    if form is None or form.degree != 2 or kind_of(phi) is not Kind.SMOOTH or not is_convex(phi):
        return None
    curved = [k for k, piece in enumerate(form.pieces) if len(piece) > 2]
    if len(curved) > 1:
        return None
    (k,) = curved
    constant, rate, square = form.pieces[k]
    vertex = -rate / (2 * square)
    ends = [None, *form.breakpoints, None]
    low, high = ends[k], ends[k + 1]
    reach = -inf if low is None else float(low - vertex), inf if high is None else float(high - vertex)
    return Shape(
        PARABOLA, (float(2 * square), float(vertex), float(constant - rate * rate / (4 * square)), *reach)
    )


# --- Risks of score differences, packed for the machine code: opposite terms of one pair side by side ----


@final
@dataclass(frozen=True, eq=False)
class Packed:
    """W = sum_p ahead_p phi(alpha_i - alpha_j) + behind_p phi(alpha_j - alpha_i) over pairs p, i < j."""

    m: int  #: The number of items.
    shape: Shape  #: phi.
    #: Shape (P, 4): i, j and the columns of the coefficients ahead and behind, -1 for one that is absent.
    pairs: Whole


def packed(structure: RiskStructure) -> Packed | None:
    """The packed form; None for several functions, offsets, or other directions than e_i - e_j."""
    shapes = [shape_of(phi) for phi in structure.functions]
    if len(shapes) != 1 or shapes[0] is None or structure.b.any():
        return None
    V = structure.V
    if (np.abs(V).sum(axis=1) != 2).any() or V.sum(axis=1).any():
        return None
    columns: dict[tuple[int, int], list[int]] = {}
    for t, (up, down) in enumerate(zip(V.argmax(axis=1).tolist(), V.argmin(axis=1).tolist(), strict=True)):
        columns.setdefault((min(up, down), max(up, down)), [-1, -1])[up > down] = t
    pairs = [[i, j, *both] for (i, j), both in sorted(columns.items())]
    return Packed(structure.m, shapes[0], np.array(pairs, dtype=np.int64))


# --- When machine code pays, and calling it on all processors ---------------------------------------------

_PIECE: Final = 4096
"""A thread gets this many risks at a time; fewer need no threads."""

_START: Final = 0.7
"""Seconds to import the compiler and to load what it has kept on disk."""

_SAVED: Final = (1.2e-7, 6e-10)
"""Seconds saved on one risk of m items: this times m**2, and times m**4, where caches overflow."""

_FEW: Final = 16
"""Fewer risks are not even worth a call."""


def pays(m: int, count: int, saved: float | None = None) -> bool:
    """Whether machine code solves this many risks of m items sooner than NumPy, its start included.

    `saved` is the seconds saved on each risk, if known better than from the number of items.
    """
    if "consistency_lab.solve.newton_kernels" in sys.modules:
        return count >= _FEW
    saved = _SAVED[0] * m**2 + _SAVED[1] * m**4 if saved is None else saved
    return saved * count > _START and is_installed()


def in_pieces(work: Callable[[int, int], None], size: int) -> None:
    """Call ``work(start, stop)`` on pieces of ``range(size)``, on all processors.

    The threads live for one call: a forked process would lose a pool that is kept, or wait for it forever.
    """
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    starts = range(0, size, _PIECE)
    if processors == 1 or len(starts) < 2:
        work(0, size)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(processors, len(starts))) as pool:
        for _ in pool.map(work, starts, (min(size, start + _PIECE) for start in starts)):
            pass
