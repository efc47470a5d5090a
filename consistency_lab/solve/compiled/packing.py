"""Risks of score differences, packed for the machine code."""

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.frozen import frozen
from consistency_lab.phi import Expression
from consistency_lab.solve.kinds import Kind, exponential_sum, is_convex, kind_of, piecewise
from consistency_lab.solve.numeric import RiskStructure

# --- The scalar functions that the machine code knows, as a few numbers ----------------------------------

LOGISTIC: Final = 0
EXPONENTIAL: Final = 1
PARABOLA: Final = 2


@frozen
class Shape:
    """A scalar function of one of three kinds."""

    #: `LOGISTIC`: log(1 + exp(-x)); `EXPONENTIAL`: exp(-x); `PARABOLA`: a parabola that goes on as its
    #: tangents, bottom + bend (u (x - vertex) - u**2 / 2) with u = x - vertex cut to [low, high].
    kind: int
    #: The numbers of the last kind.
    bend: float = 0.0
    vertex: float = 0.0
    bottom: float = 0.0
    low: float = -inf
    high: float = inf

    @property
    def numbers(self) -> tuple[float, float, float, float, float]:
        """All but the kind."""
        return self.bend, self.vertex, self.bottom, self.low, self.high


@lru_cache(maxsize=512)
def shape_of(phi: Expression) -> Shape | None:
    """The shape of a function, or None if the machine code does not know it.

    Examples
    --------
    >>> from consistency_lab.phi import named, parse
    >>> shape_of(named("huberized-hinge").expression)
    Shape(kind=2, bend=2.0, vertex=1.0, bottom=0.0, low=-2.0, high=0.0)
    >>> shape_of(parse("log(exp(-x)+1)")).kind, shape_of(parse("x**4-x"))
    (0, None)
    """
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
    return Shape(
        PARABOLA,
        float(2 * square),
        float(vertex),
        float(constant - rate * rate / (4 * square)),
        -inf if low is None else float(low - vertex),
        inf if high is None else float(high - vertex),
    )


# --- Risks of score differences, packed for the machine code: opposite terms of one pair side by side ----

Integers = NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False)
class Packed:
    """W = sum_p ahead_p phi(alpha_i - alpha_j) + behind_p phi(alpha_j - alpha_i) over pairs p, i < j."""

    m: int  #: The number of items.
    shape: Shape  #: phi.
    #: Shape (P, 4): i, j and the columns of the coefficients ahead and behind, -1 for one that is absent.
    pairs: Integers


def packed(structure: RiskStructure) -> Packed | None:
    """The packed form, or None if there are several functions, offsets, or other directions than e_i - e_j.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from consistency_lab.model.surrogates import pair
    >>> from consistency_lab.phi import parse
    >>> phi = parse("exp(-x)")
    >>> risk = [pair(Fraction(1), phi, 1, 0), pair(Fraction(1), phi, 0, 1), pair(Fraction(1), phi, 2, 0)]
    >>> packed(RiskStructure.of(risk, 3)).pairs.tolist()
    [[0, 1, 1, 0], [0, 2, -1, 2]]
    """
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
