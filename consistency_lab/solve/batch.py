"""Thousands of risks of one structure in one call."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates import Term
from consistency_lab.numbers.arrays import Floats
from consistency_lab.solve.kinds import Kind, kind_of
from consistency_lab.solve.machine import packed, pays
from consistency_lab.solve.newton import NewtonResult, NewtonSolver
from consistency_lab.solve.numeric import RiskStructure
from consistency_lab.solve.straight import lattice_of


@final
@dataclass(frozen=True, eq=False)
class BatchMinimum:
    """Minimizers of B risks."""

    scores: Floats  #: Shape (B, m); mean zero where a shift of all scores changes nothing.
    value: Floats  #: Shape (B,): W at the scores.
    #: Shape (B,): the largest entry of the gradient (for functions with kinks: of the least subgradient)
    #: divided by the largest coefficient; 0 where the scores are a vertex.
    gradient_norm: Floats
    #: Shape (B,), bool. It does not say that the minimum is attained: where the support is not strongly
    #: connected the gradient may vanish at infinity (see `connectivity`).
    converged: NDArray[np.bool_]


def minimize_batch(
    structure: RiskStructure,
    C: Floats,
    *,
    tolerance: float = 1e-10,
    iterations: int = 100,
    compiled: bool | None = None,
    middle: bool = False,
) -> BatchMinimum:
    """Minimize W = sum_t C[b, t] phi_t(<v_t, alpha> - b_t) for every row b.

    Functions with a continuous slope go to a batched Newton method, in machine code for large batches of
    well-known ones; piecewise linear ones of score differences to the evaluation of a small lattice; all
    others are minimized one at a time. A function that is not convex is taken to a stationary point by
    Newton, and to its minimum by the lattice. With `middle`, the mean of the points of a lattice that tie is
    taken, so that no minimizer depends on the order of the items.
    """
    C = np.asarray(C, dtype=np.float64)
    if C.ndim != 2 or C.shape[1] != len(structure.V):
        raise InputError(
            f"the coefficients have shape {C.shape}; expected {len(structure.V)} columns, one per term"
        )
    if not (C.min(initial=0.0) >= 0 and C.max(initial=0.0) < np.inf):
        raise InputError("a coefficient is negative or not finite; coefficients must be at least 0")
    kinds = {kind_of(phi) for phi in structure.functions}
    if kinds <= {Kind.SMOOTH, Kind.STRAIGHT}:
        minimum = _smooth(structure, C, tolerance, iterations, compiled)
        return BatchMinimum(
            minimum.scores, minimum.value, minimum.gradient_norm, minimum.gradient_norm <= tolerance
        )
    lattice = lattice_of(structure) if kinds <= {Kind.PIECEWISE_LINEAR, Kind.STRAIGHT} else None
    if lattice is not None:
        scores, value = lattice.minimize(C, middle)
        scores = scores - scores.mean(axis=1, keepdims=True)
        return BatchMinimum(scores, value, np.zeros(len(C)), np.ones(len(C), dtype=bool))
    return _one_at_a_time(structure, C, tolerance)


def _smooth(
    structure: RiskStructure, C: Floats, tolerance: float, iterations: int, compiled: bool | None
) -> NewtonResult:
    """Minimize smooth risks: in machine code if it is wanted and knows the functions, else in NumPy."""
    wanted = pays(structure.m, len(C)) if compiled is None else compiled
    risks = packed(structure) if wanted else None
    if risks is None:
        return NewtonSolver(structure).solve(C, tolerance, iterations)
    from consistency_lab.solve.newton_kernels import minimizers

    scores, value, norm = minimizers(risks, C, tolerance, iterations)
    late = np.flatnonzero(~(norm <= tolerance))
    if len(late):
        again = NewtonSolver(structure).solve(C[late], tolerance, iterations)
        scores[late], value[late], norm[late] = again.scores, again.value, again.gradient_norm
    return NewtonResult(scores, value, norm)


def _one_at_a_time(structure: RiskStructure, C: Floats, tolerance: float) -> BatchMinimum:
    from consistency_lab.solve.minimize import minimize

    minima = [minimize(_terms(structure, row), structure.m, exact=False) for row in C]
    norm = np.array([minimum.gradient_norm for minimum in minima], dtype=np.float64)
    return BatchMinimum(
        np.array([minimum.scores for minimum in minima]).reshape(len(C), structure.m),
        np.array([minimum.value for minimum in minima], dtype=np.float64),
        norm,
        norm <= tolerance,
    )


def _terms(structure: RiskStructure, row: Floats) -> list[Term]:
    return [
        Term(
            Fraction(float(c)),
            structure.functions[k],
            tuple((item, int(n)) for item, n in enumerate(v) if n),
            b,
        )
        for c, k, v, b in zip(row, structure.function_index, structure.V, structure.offsets, strict=True)
        if c
    ]
