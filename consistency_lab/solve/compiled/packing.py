"""Risks of score differences, packed for the machine code: opposite terms of one pair side by side."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.solve.compiled.shapes import Shape, shape_of
from consistency_lab.solve.structure import RiskStructure

Integers = NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False)
class Packed:
    """W = sum_p ahead_p phi(alpha_i - alpha_j) + behind_p phi(alpha_j - alpha_i) over pairs p of items i < j.

    Parameters
    ----------
    m
        The number of items.
    shape
        phi.
    pairs
        Shape (P, 4): i, j and the columns of the coefficients ahead and behind, -1 for one that is absent.
    """

    m: int
    shape: Shape
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
