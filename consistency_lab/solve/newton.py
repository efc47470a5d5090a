"""Damped Newton for thousands of smooth risks at once, and the way to exact minimizers from it."""

from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.numbers.phi import Expression
from consistency_lab.solve.kinds import affine, mirror_slope
from consistency_lab.solve.numeric import RiskStructure, ScalarFunction, compiled, raw
from consistency_lab.solve.stationary import jumps, least_subgradient

# --- Small linear algebra for a whole batch: matrices as rows of numbers, the batch as the last axis -----


_SERIAL: Final = 1 << 17
"""Larger products wake the threads of the linear algebra library, which wait for each other longer than
they work, and far longer on a busy machine."""

_LONGEST: Final = 100.0
"""Steps are cut to this many times the size of the scores."""

_SINGULAR: Final = 1e-13
"""A pivot that keeps so little of its diagonal entry is rounding."""

_FORCELESS: Final = 1e-13
"""So is a gradient of this size, the largest coefficient being 1."""


def product(left: Floats, right: Floats, out: Floats | None = None) -> Floats:
    """``left @ right`` in slices of the batch, each small enough to be multiplied by one thread."""
    columns = right.shape[1]
    result = np.empty((len(left), columns)) if out is None else out
    width = max(1, _SERIAL // max(1, left.size))
    for start in range(0, columns, width):
        np.matmul(left, right[:, start : start + width], out=result[:, start : start + width])
    return result


def newton_direction(triangle: Floats, gradient: Floats, alpha: Floats) -> Floats:
    """Solve ``hessian @ step == -gradient`` for every risk by L D L^T, gradients having shape (n, B).

    The lower triangles of the Hessians, (n (n + 1) / 2, B), column after column, are overwritten.
    """
    n = len(gradient)
    starts = np.cumsum([0, *range(n, 0, -1)])
    diagonal = np.abs(triangle[starts[:-1]])
    step = -gradient
    reach = 1.0 + np.abs(alpha).max(axis=0)
    for k in range(n):
        pivot, column = triangle[starts[k]], triangle[starts[k] + 1 : starts[k + 1]]
        _refill(pivot, diagonal[k], step[k], reach)
        np.reciprocal(pivot, out=pivot)
        share = column * pivot
        for j in range(k + 1, n):
            triangle[starts[j] : starts[j + 1]] -= column[j - k - 1 :] * share[j - k - 1]
        column[:] = share
        step[k + 1 :] -= share * step[k]
    for k in reversed(range(n)):
        step[k] *= triangle[starts[k]]
        if k + 1 < n:
            step[k] -= np.einsum("nb,nb->b", triangle[starts[k] + 1 : starts[k + 1]], step[k + 1 :])
    size = np.abs(step).max(axis=0)
    if not (size <= _LONGEST * reach).all():
        step *= np.minimum(1.0, _LONGEST * reach / size)
        lost = ~np.isfinite(step).all(axis=0)  # the curvature left the range of floats: plain descent
        steepest = np.abs(gradient[:, lost]).max(axis=0)
        step[:, lost] = -gradient[:, lost] / np.where(steepest > 0, steepest, 1.0)
    return step


def _refill(pivot: Floats, diagonal: Floats, residual: Floats, reach: Floats) -> None:
    """Replace a pivot that vanishes, or is negative, so that the step there is as long as `reach`."""
    vanishing = pivot <= _SINGULAR * diagonal
    if vanishing.any():
        force = np.abs(residual)
        pivot[vanishing] = np.where(force > _FORCELESS, force / reach, np.inf)[vanishing]


# --- Fewer terms for the same risk: straight lines apart, and terms that mirror each other as one --------
# For the logistic loss phi(-x) = phi(x) + x, so a_ij phi(alpha_i - alpha_j) + a_ji phi(alpha_j - alpha_i) is
# (a_ij + a_ji) phi(alpha_i - alpha_j) and a straight line: half as many functions to evaluate.


@final
@dataclass(frozen=True, eq=False)
class CurvedTerms:
    """The same risk with P <= T curved terms and a straight line."""

    #: As in `RiskStructure`, of shapes (P,), (P, m) and (P,), grouped by function.
    function_index: Whole
    V: Whole
    b: Floats
    #: Shape (P,): the terms whose coefficients add up to that of each curved term; `second` is -1 if there is
    #: only one.
    first: Whole
    second: Whole
    #: Shapes (T, m) and (T,): the straight line that each term brings.
    lines: Floats
    constants: Floats

    def coefficients(self, C: Floats) -> Floats:
        """The coefficients of the curved terms, shape (P, B), from those of all terms, shape (B, T)."""
        curved = C[:, self.first]
        paired = np.flatnonzero(self.second >= 0)
        if len(paired) == len(self.second):
            curved += C[:, self.second]
        elif len(paired):
            curved[:, paired] += C[:, self.second[paired]]
        return np.ascontiguousarray(curved.T)


def curved_terms(structure: RiskStructure) -> CurvedTerms:
    """Take the straight lines apart, and join terms that mirror each other."""
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
    return CurvedTerms(
        np.array([k for k, _, _ in keys], dtype=np.int64),
        np.array([v for _, v, _ in keys], dtype=np.int64).reshape(len(keys), structure.m),
        np.array([b for _, _, b in keys], dtype=np.float64) + 0.0,
        np.array([sources[key][0] for key in keys], dtype=np.int64),
        np.array([sources[key][1] if len(sources[key]) > 1 else -1 for key in keys], dtype=np.int64),
        lines,
        constants,
    )


# --- Damped Newton for thousands of smooth risks at once -------------------------------------------------
# All arrays have the batch as their last axis, so that every NumPy call works on long contiguous rows; the
# small linear systems are solved by an L D L^T elimination written out over the items, vectorized over the
# batch. Functions need a continuous slope only: where the curvature jumps or vanishes (squared and smoothed
# hinges) the elimination replaces a vanishing pivot, which is a Levenberg step in that direction.

_BLOCK: Final = 14_000
"""Numbers in one working array: a few of them stay in the cache, and the allocator keeps their memory."""

_BATCH: Final = 1400
"""At least this many risks go together, to spread the cost of each call."""

_SHRINK: Final = 4
"""When one in this many risks is done, the others continue alone."""

_LAST_STEP: Final = 1e-6
"""A Newton step as short as this is the last one: its error is about its square."""

_SURE_STEP: Final = 1e-12
"""The same where the first descent has missed."""

_FLAT: Final = 1e-3
"""A gradient so much smaller than wanted ends the descent: the minimum may lie at infinity."""

_STALLED: Final = 1e-15
_ARMIJO: Final = 1e-4
"""A step must bring this share of what the slope promises."""

_BACKTRACK: Final = 0.25
_NOISE: Final = 1e-14
_FAR: Final = 1e9


@final
@dataclass(frozen=True, eq=False)
class NewtonResult:
    """Minimizers found, one per row."""

    scores: Floats  #: Shape (B, m), with mean zero if the risk is shift-invariant.
    value: Floats  #: Shape (B,).
    #: Shape (B,): the largest entry of the gradient, divided by the largest coefficient.
    gradient_norm: Floats


@final
class NewtonSolver:
    """Damped Newton for the risks of one structure; where that is shift-invariant the last score stays 0."""

    def __init__(self, structure: RiskStructure) -> None:
        self.structure = structure
        curved = curved_terms(structure)
        free = structure.m - 1 if structure.shift_invariant else structure.m
        self._free = free
        self._curved = curved
        self._lines = np.ascontiguousarray(curved.lines[:, :free].T)
        V = np.ascontiguousarray(curved.V[:, :free], dtype=np.float64)
        self._VT = np.ascontiguousarray(V.T)
        high, low = np.triu_indices(free)
        self._QT = np.ascontiguousarray((V[:, low] * V[:, high]).T)
        self._width = max(_BATCH, _BLOCK // max(1, len(V)))
        most = max(1, _BLOCK // self._width)
        self._parts = _parts(structure.functions, curved.function_index, V, curved.b, most)

    def solve(self, C: Floats, tolerance: float, iterations: int) -> NewtonResult:
        """Minimize rows of coefficients (B, T) >= 0, each to the tolerance or for so many iterations."""
        batch = C.shape[0]
        scale = C.max(axis=1, initial=0.0)
        scale[scale == 0] = 1.0
        scores = np.zeros((batch, self.structure.m))
        value = np.empty(batch)
        norm = np.empty(batch)
        with np.errstate(all="ignore"):
            for start in range(0, batch, self._width):
                block = slice(start, min(batch, start + self._width))
                C_block = C[block]
                C_curved = self._curved.coefficients(C_block)
                C_curved /= scale[block]
                line = product(self._lines, C_block.T)
                line /= scale[block]
                problem = _Problem.of(C_curved, line)
                alpha, value[block], norm[block] = self._settle(problem, tolerance, iterations)
                scores[block, : self._free] = alpha.T
        value *= scale
        value += C @ self._curved.constants
        if self.structure.shift_invariant:
            scores -= scores.mean(axis=1, keepdims=True)
        return NewtonResult(scores, value, norm)

    def _settle(
        self, problem: "_Problem", tolerance: float, iterations: int
    ) -> tuple[Floats, Floats, Floats]:
        """Minimizers, values and gradient norms."""
        alpha = self._descend(problem, tolerance, iterations)
        value, norm = self._measure(problem, alpha)
        late = np.flatnonzero(norm > tolerance)
        if len(late):
            again = problem.kept(norm > tolerance)
            closer = self._descend(again, tolerance, iterations, alpha[:, late])
            lower, less = self._measure(again, closer)
            better = less < norm[late]
            chosen = late[better]
            alpha[:, chosen] = closer[:, better]
            value[chosen], norm[chosen] = lower[better], less[better]
        return alpha, value, norm

    def _measure(self, problem: "_Problem", alpha: Floats) -> tuple[Floats, Floats]:
        """Values and gradient norms."""
        total, gradient = self._slopes(problem, alpha)
        return total, np.abs(gradient).max(axis=0, initial=0.0)

    def _expand(self, problem: "_Problem", alpha: Floats) -> tuple[Floats, Floats, Floats]:
        """Value, gradient, lower triangle of the Hessian by columns, in memory the next call overwrites."""
        total, gradient = self._slopes(problem, alpha)
        return total, gradient, product(self._QT, problem.curvatures, problem.triangle)

    def _slopes(self, problem: "_Problem", alpha: Floats) -> tuple[Floats, Floats]:
        """Value and gradient; the terms' own slopes and curvatures stay in the problem."""
        total = np.einsum("nb,nb->b", problem.line, alpha)
        for part in self._parts:
            value, slope, curvature = part.expand(alpha)
            C = problem.C[part.rows]
            total += np.einsum("tb,tb->b", C, value)
            np.multiply(slope, C, out=problem.slopes[part.rows])
            np.multiply(curvature, C, out=problem.curvatures[part.rows])
        gradient = product(self._VT, problem.slopes)
        gradient += problem.line
        return total, gradient

    def _begin(self, problem: "_Problem") -> tuple[Floats, Floats, Floats]:
        """`_expand` at zero, where the functions are evaluated once for the whole batch."""
        expansions = [part.expand(np.zeros((self._free, 1))) for part in self._parts]
        value, slope, curvature = (
            np.concatenate([np.empty(0), *(x[:, 0] for x in rows)])
            for rows in ([expansion[k] for expansion in expansions] for k in range(3))
        )
        gradient = product(self._VT * slope, problem.C)
        gradient += problem.line
        triangle = product(self._QT * curvature, problem.C, problem.triangle)
        return value @ problem.C, gradient, triangle

    def _descend(
        self, problem: "_Problem", tolerance: float, iterations: int, start: Floats | None = None
    ) -> Floats:
        """Minimizers, shape (n, B); from a given start on only steps as short as rounding end the descent."""
        batch = problem.C.shape[1]
        answer = np.zeros((self._free, batch))
        if not self._free or not batch:
            return answer
        where = np.arange(batch)
        last_step = _LAST_STEP if start is None else _SURE_STEP
        alpha = answer.copy() if start is None else start
        value, gradient, hessian = self._begin(problem) if start is None else self._expand(problem, start)
        step = newton_direction(hessian, gradient, alpha)
        length = np.ones(batch)
        for _ in range(iterations):
            size = length * np.abs(step).max(axis=0)
            far = np.abs(alpha).max(axis=0)
            last = (size <= last_step) & (length == 1)
            done = last | (np.abs(gradient).max(axis=0) <= _FLAT * tolerance)
            done |= (size <= _STALLED * (1.0 + far)) | (far > _FAR)
            finished = np.count_nonzero(done)
            if finished == len(where):
                break
            if finished * _SHRINK > len(where):
                answer[:, where[done]] = alpha[:, done] + step[:, done] * last[done]
                keep = ~done
                problem = problem.kept(keep)
                where, value, length = where[keep], value[keep], length[keep]
                alpha, gradient, step = (x.compress(keep, axis=1) for x in (alpha, gradient, step))
            trial = alpha + length * step
            reached, slope, hessian = self._expand(problem, trial)
            promised = np.einsum("nb,nb->b", gradient, step)
            # Rounding counts against what was added up, which may be far more than the sum.
            size = np.abs(value) + np.abs(np.einsum("nb,nb->b", problem.line, alpha))
            size += np.abs(alpha).max(axis=0)
            good = reached <= value + _ARMIJO * length * promised + _NOISE * size
            if good.all():
                alpha, value, gradient = trial, reached, slope
                step = newton_direction(hessian, gradient, alpha)
                length = np.ones(len(where))
                continue
            alpha = np.where(good, trial, alpha)
            value = np.where(good, reached, value)
            gradient = np.where(good, slope, gradient)
            step = np.where(good, newton_direction(hessian, slope, alpha), step)
            length = np.where(good, 1.0, length * _BACKTRACK)
        last = np.abs(step).max(axis=0) <= last_step
        answer[:, where] = alpha + step * last
        return answer


@final
@dataclass(frozen=True, eq=False)
class _Problem:
    """Risks of one structure, and the working memory to evaluate them.

    The coefficients of the curved terms have shape (P, B), those of the straight line (n, B).
    """

    C: Floats
    line: Floats
    slopes: Floats
    curvatures: Floats
    triangle: Floats

    @staticmethod
    def of(C: Floats, line: Floats) -> "_Problem":
        n, batch = line.shape
        triangle = np.empty((n * (n + 1) // 2, batch))
        return _Problem(C, line, np.empty_like(C), np.empty_like(C), triangle)

    def kept(self, which: NDArray[np.bool_]) -> "_Problem":
        return _Problem.of(self.C.compress(which, axis=1), self.line.compress(which, axis=1))


@final
@dataclass(frozen=True, eq=False)
class _Part:
    """Some curved terms of one function, with their directions and the products of their entries."""

    rows: slice
    function: ScalarFunction
    V: Floats
    b: Floats

    def expand(self, alpha: Floats) -> tuple[Floats, Floats, Floats]:
        x = self.V @ alpha
        x -= self.b
        return self.function(x)


def _parts(functions: tuple[Expression, ...], index: Whole, V: Floats, b: Floats, most: int) -> list[_Part]:
    """The terms in parts of at most `most`, each of one function."""
    parts = []
    for k, phi in enumerate(functions):
        chosen = np.flatnonzero(index == k)
        for rows in np.array_split(chosen, -(-len(chosen) // most)) if len(chosen) else []:
            where = slice(int(rows[0]), int(rows[-1]) + 1)
            parts.append(_Part(where, raw(phi), V[where], b[where, None]))
    return parts


# --- From six digits to all: Newton steps on the smooth pieces, the active kinks held as equations -------

_STEPS: Final = 6
_REACHES: Final = (1e-7, 1e-6, 1e-5, 1e-4)
"""How far from an argument a kink is looked for, in turn."""

_NEAR: Final = 1e-2
"""Steps that lead farther than this refine nothing."""

_HALVINGS: Final = 50


def refined(structure: RiskStructure, C: Floats, scores: Floats) -> Floats:
    """Scores nearer to the minimizer than these, right to a few digits; the same ones if none are found."""
    best, norm = scores, least_subgradient(structure, C, scores)
    for reach in _REACHES:
        trial = scores
        for _ in range(_STEPS):
            trial = _step(structure, C, trial, reach)
            if not (np.abs(trial - scores) <= _NEAR * (1 + np.abs(scores))).all():
                break
            reached = least_subgradient(structure, C, trial)
            if reached < norm:
                best, norm = trial, reached
    return best


def _step(structure: RiskStructure, C: Floats, scores: Floats, reach: float) -> Floats:
    """One step of Newton's method on the equations: gradient zero, active kinks met."""
    x = structure.V @ scores - structure.b
    slope, curvature, kink = np.empty_like(x), np.empty_like(x), np.full_like(x, np.nan)
    for k, phi in enumerate(structure.functions):
        function = compiled(phi)
        for t in np.flatnonzero(structure.function_index == k):
            here = x[t : t + 1]
            _, slope[t : t + 1], curvature[t : t + 1] = function(here)
            low, high = here - reach, here + reach
            if jumps(function(low)[1], function(high)[1], reach).all():
                kink[t] = _kink(function, low, high)
    active = np.flatnonzero(~np.isnan(kink))
    slope[active] = curvature[active] = 0.0
    held = structure.V[active].astype(np.float64)
    hessian = structure.V.T @ (structure.V * (C * curvature)[:, None])
    corner = np.zeros((len(active), len(active)))
    matrix = np.block([[hessian, held.T], [held, corner]])
    right = np.concatenate([-structure.V.T @ (C * slope), (kink - x)[active]])
    return np.asarray(scores + np.linalg.lstsq(matrix, right, rcond=None)[0][: structure.m])


def _kink(function: ScalarFunction, low: Floats, high: Floats) -> float:
    """Where between two points the slope jumps, by halving."""
    below, above = function(low)[1], function(high)[1]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if function(middle)[1] - below > above - function(middle)[1]:
            high = middle
        else:
            low = middle
    return float(high[0])
