"""Fewer terms for the same risk: straight lines apart, and terms that mirror each other as one.

For the logistic loss phi(-x) = phi(x) + x, so a_ij phi(alpha_i - alpha_j) + a_ji phi(alpha_j - alpha_i) is
(a_ij + a_ji) phi(alpha_i - alpha_j) and a straight line: half as many functions to evaluate.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.solve.exponentials import affine, mirror_slope
from consistency_lab.solve.structure import Integers, RiskStructure

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class FoldedStructure:
    """The same risk with P <= T curved terms and a straight line.

    Parameters
    ----------
    function_index, V, b
        As in `RiskStructure`, of shapes (P,), (P, m) and (P,), grouped by function.
    first, second
        Shape (P,): the terms whose coefficients add up to that of each curved term; `second` is -1 if there
        is only one.
    lines, constants
        Shapes (T, m) and (T,): the straight line that each term brings.
    """

    function_index: Integers
    V: Integers
    b: Array
    first: Integers
    second: Integers
    lines: Array
    constants: Array

    def coefficients(self, C: Array) -> Array:
        """The coefficients of the curved terms, shape (P, B), from those of all terms, shape (B, T)."""
        curved = C[:, self.first]
        paired = np.flatnonzero(self.second >= 0)
        if len(paired) == len(self.second):
            curved += C[:, self.second]
        elif len(paired):
            curved[:, paired] += C[:, self.second[paired]]
        return np.ascontiguousarray(curved.T)


def fold(structure: RiskStructure) -> FoldedStructure:
    """Fold a structure."""
    straight = [affine(phi) for phi in structure.functions]
    mirrors = [mirror_slope(phi) for phi in structure.functions]
    lines = np.zeros(structure.V.shape)
    constants = np.zeros(len(structure.V))
    sources: dict[tuple[int, tuple[int, ...], float], list[int]] = {}
    for t, (k, v, b) in enumerate(zip(structure.function_index, structure.V, structure.b, strict=True)):
        line, mirror = straight[k], mirrors[k]
        if line is not None:
            constants[t] = float(line[0]) - float(line[1]) * b
            lines[t] = float(line[1]) * v
            continue
        if mirror is not None and tuple(v) < tuple(-v):
            v, b = -v, -b
            constants[t] = -float(mirror) * b
            lines[t] = float(mirror) * v
        sources.setdefault((int(k), tuple(v.tolist()), float(b)), []).append(t)
    keys = sorted(sources, key=lambda key: key[0])
    return FoldedStructure(
        np.array([k for k, _, _ in keys], dtype=np.int64),
        np.array([v for _, v, _ in keys], dtype=np.int64).reshape(len(keys), structure.m),
        np.array([b for _, _, b in keys], dtype=np.float64) + 0.0,
        np.array([sources[key][0] for key in keys], dtype=np.int64),
        np.array([sources[key][1] if len(sources[key]) > 1 else -1 for key in keys], dtype=np.int64),
        lines,
        constants,
    )
