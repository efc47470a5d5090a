"""The minimum of an edge loss on the aggregate alone, for hundreds of items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.numbers.phi import Expression, facts
from consistency_lab.solve.connectivity import Trend, condensed, growth
from consistency_lab.solve.kinds import Kind, is_convex, kind_of, mirror_slope
from consistency_lab.solve.machine import LOGISTIC, Packed, pays, shape_of
from consistency_lab.solve.numeric import ScalarFunction, raw

# W(alpha) = sum over i, j of h_ij phi(alpha_i - alpha_j) (DMJ10 Eq. 9) has the gradient and the Hessian of a
# graph: each pair adds to two entries of the one and four of the other, so a Newton step takes O(m^2) plus
# one factorization, and no term is an object of its own. SciPy takes as long to import as all else, so it
# waits until it is needed; the logistic loss does without.

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

_ITERATIONS: Final = 200
_LAST_STEP: Final = 1e-8
"""A full Newton step as short as this is the last one: its error is about its square."""

_BALANCED: Final = 1e-14
"""A gradient below this share of the largest coefficient that falls no more is rounding."""

_STALLED: Final = 1e-15
_ARMIJO: Final = 1e-4
_BACKTRACK: Final = 0.25
_NOISE: Final = 1e-14
_LONGEST: Final = 100.0
"""Steps are cut to this many times the size of the scores."""

_RIDGE: Final = 1e-12
_NEAR: Final = 1e-6
_UNDAMPED: Final = 30
_FLAT: Final = 1e-9
"""A curvature below this share of the largest is none."""


@final
@dataclass(frozen=True, eq=False, slots=True)
class EdgeMinimum:
    """The minimum of one edge loss."""

    #: Shape (m,), a minimizer with mean zero. If none exists: the minimizers of the strong components, each
    #: with mean zero; along `levels` they move apart forever.
    scores: Array
    value: float  #: W at the scores; its infimum if no minimizer exists, -inf if nothing bounds it.
    #: The largest entry of the gradient, inside the components, divided by the largest coefficient.
    gradient_norm: float
    #: Whether the minimum is proved to be attained (True), or not to be (False); None if undecided.
    attained: bool | None
    #: Whether the minimizer is the only one up to shifts, as far as floats can tell; None if they cannot.
    unique: bool | None
    #: The strong components of the support, those that escape upwards first.
    components: tuple[tuple[int, ...], ...]
    #: For each item how far up its component escapes: larger above smaller, equal inside a component. Two
    #: components of equal level, or that no comparisons lead from one to the other, have no order.
    levels: tuple[int, ...]


def minimize_edges(
    phi: Expression, h: Array | Sequence[Sequence[float]], start: Array | None = None
) -> EdgeMinimum:
    """Minimize sum of h_ij phi(alpha_i - alpha_j) over i != j, phi being convex with a continuous slope."""
    weights = _checked(h)
    if kind_of(phi) not in (Kind.SMOOTH, Kind.STRAIGHT) or not is_convex(phi):
        raise UnsupportedError(f"{phi} is not known to be convex with a continuous slope")
    m = len(weights)
    attained, levels, components = escape(phi, weights > 0)
    across = np.not_equal.outer(levels, levels) if attained is False else np.zeros(0, dtype=np.bool_)
    risk = EdgeRisk.of(phi, np.where(across, 0.0, weights) if across.any() else weights)
    scores = risk.descend(start)
    for part in components if attained is False else (tuple(range(m)),):
        scores[list(part)] -= scores[list(part)].mean()
    value, gradient, _ = risk.expand(scores)
    if across.any() and weights[across].any():
        lower = facts(phi).lower
        value += -np.inf if lower is None else float(lower) * float(weights[across].sum())
    return EdgeMinimum(
        scores,
        value,
        float(np.abs(gradient).max(initial=0.0)) / (float(weights.max(initial=0.0)) or 1.0),
        attained,
        risk.is_pinned(scores) if attained else False,
        components,
        tuple(levels.tolist()),
    )


def escape(
    phi: Expression, support: NDArray[np.bool_]
) -> tuple[bool | None, Integers, tuple[tuple[int, ...], ...]]:
    """`attained`, `levels` and `components` of `EdgeMinimum`: the support (m, m) alone determines them."""
    levels, components = _components(phi, support)
    trend = growth(phi)
    i, j = np.nonzero(support) if len(components) > 1 else (levels[:0], levels[:0])
    above, below = levels[i], levels[j]
    fades = (trend.ahead is Trend.FADES and bool((above > below).any())) or (
        trend.behind is Trend.FADES and bool((above < below).any())
    )
    unclear = {Trend.FALLS, Trend.UNKNOWN} & {trend.ahead, trend.behind}
    return None if unclear else not fades, levels, components


def _components(phi: Expression, support: NDArray[np.bool_]) -> tuple[Integers, tuple[tuple[int, ...], ...]]:
    """How far up each item escapes, and the strong components of the support (`solve.connectivity`)."""
    m, trend = len(support), growth(phi)
    leads = np.zeros_like(support)
    for grows, arcs in ((trend.ahead, support), (trend.behind, support.T)):
        if grows is Trend.GROWS:
            leads |= arcs
    if _reaches_all(leads) and _reaches_all(leads.T):
        return np.zeros(m, dtype=np.intp), (tuple(range(m)),)
    low, high = np.nonzero(leads)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    label = connected_components(csr_array(leads), connection="strong")[1]
    # Components are named by their first item.
    place = np.unique(label, return_index=True)[1][label]
    across = place[low] != place[high]
    firsts, place = np.unique(place, return_inverse=True)
    between = np.unique(np.stack((place[low[across]], place[high[across]]), axis=1), axis=0)
    levels, parts = condensed({(a, b) for a, b in between.tolist()}, len(firsts))
    members = [tuple(np.flatnonzero(place == k).tolist()) for k in range(len(firsts))]
    return np.array(levels, dtype=np.intp)[place], tuple(members[k] for (k,) in parts)


def _reaches_all(leads: NDArray[np.bool_]) -> bool:
    """Whether the arcs i -> j, shape (m, m), lead from the first item to all others."""
    reached = np.arange(len(leads)) == 0
    fresh = reached
    while fresh.any() and not reached.all():
        fresh = leads[fresh].any(axis=0) & ~reached
        reached = reached | fresh
    return bool(reached.all())


def _checked(h: Array | Sequence[Sequence[float]]) -> Array:
    weights = np.array(h, dtype=np.float64)
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise InputError(f"the coefficients must be a square matrix, not an array of shape {weights.shape}")
    np.fill_diagonal(weights, 0.0)
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise InputError("the coefficients of an edge loss must be finite numbers of at least 0")
    return weights


@final
@dataclass(frozen=True, eq=False, slots=True)
class EdgeRisk:
    """W as arrays: c_t phi(alpha_i - alpha_j) for the pairs t = (i, j), each once, and a straight line."""

    phi: ScalarFunction
    m: int
    i: Integers
    j: Integers
    c: Array
    line: Array
    wins: Array | None = None  #: Shape (m, m): all coefficients, if phi is the logistic function.

    @staticmethod
    def of(phi: Expression, h: Array) -> "EdgeRisk":
        """The risk of coefficients (m, m) of diagonal 0; a phi that mirrors itself has one term a pair."""
        mirror, shape, line, once = mirror_slope(phi), shape_of(phi), np.zeros(len(h)), h
        if mirror is not None:
            # (i, j) with i > j: phi(x) = phi(-x) + r (-x), and -x = alpha_j - alpha_i.
            back = np.tril(h)
            line = float(mirror) * (back.sum(axis=0) - back.sum(axis=1))
            once = np.triu(h) + back.T
        place = np.flatnonzero(once)
        i, j = np.divmod(place, len(h))
        wins = h if shape is not None and shape.kind == LOGISTIC else None
        return EdgeRisk(raw(phi), len(h), i, j, once.ravel()[place], line, wins)

    def expand(self, alpha: Array) -> tuple[float, Array, Array]:
        """Value, gradient, and the curvature of each pair."""
        with np.errstate(all="ignore"):
            value, slope, curvature = self.phi(alpha[self.i] - alpha[self.j])
            slope = self.c * slope
            gradient = np.bincount(self.i, slope, self.m) - np.bincount(self.j, slope, self.m) + self.line
            # Not `@`: dot products this long wake the threads of the linear algebra library for nothing.
            total = float(np.einsum("t,t->", self.c, value) + np.einsum("i,i->", self.line, alpha))
            return total, gradient, self.c * curvature

    def laplacian(self, curvature: Array) -> Array:
        matrix = np.zeros((self.m, self.m))
        # A pair may appear once in each direction.
        matrix[self.i, self.j] = -curvature
        matrix += matrix.T
        matrix[np.diag_indices(self.m)] = -matrix.sum(axis=1)
        return matrix

    def is_pinned(self, alpha: Array) -> bool | None:
        """Whether pairs that bend connect all, so that only shifts keep W; None if a bend is too near."""
        x = alpha[self.i] - alpha[self.j]
        sides = (-_NEAR, _NEAR) if self.wins is None else (0.0,)  # the logistic function bends everywhere
        with np.errstate(all="ignore"):
            bends = [self.c * self.phi(x + side)[2] for side in sides]
        least, most = np.minimum.reduce(bends), np.maximum.reduce(bends)
        if self._connects(least > _FLAT * most.max(initial=0.0)):
            return True
        return None if self._connects(most > _FLAT * most.max(initial=0.0)) else False

    def _connects(self, chosen: NDArray[np.bool_]) -> bool:
        linked = np.zeros((self.m, self.m), dtype=np.bool_)
        linked[self.i[chosen], self.j[chosen]] = True
        return _reaches_all(linked | linked.T)

    def descend(self, start: Array | None = None) -> Array:
        """A minimizer by damped Newton steps from `start`, or from zero."""
        settled = None if self.wins is None else _bradley_terry(self.wins, start)
        if settled is not None:
            return settled
        alpha = np.zeros(self.m) if start is None else np.array(start, dtype=np.float64)
        value, gradient, curvature = self.expand(alpha)
        balanced = _BALANCED * float(self.c.max(initial=0.0))
        for _ in range(_ITERATIONS):
            step = self._step(gradient, curvature, alpha)
            length, promised = 1.0, float(gradient @ step)
            size = float(np.abs(step).max(initial=0.0))
            noise = _NOISE * (
                abs(value) + float(np.abs(self.line) @ np.abs(alpha)) + float(np.abs(alpha).max())
            )
            while True:
                trial = alpha + length * step
                reached = self.expand(trial)
                if reached[0] <= value + _ARMIJO * length * promised + noise:
                    break
                length *= _BACKTRACK
                if length * size <= _STALLED * (1.0 + float(np.abs(alpha).max())):
                    return alpha
            before = float(np.abs(gradient).max(initial=0.0))
            alpha, (value, gradient, curvature) = trial, reached
            # Where the Hessian is nearly singular, rounding alone keeps steps from ever becoming short.
            if (
                length * size <= _LAST_STEP
                or before / 2 < float(np.abs(gradient).max(initial=0.0)) <= balanced
            ):
                break
        return alpha

    def _step(self, gradient: Array, curvature: Array, alpha: Array) -> Array:
        from scipy.linalg.lapack import dposv

        matrix = self.laplacian(curvature)
        mean = float(np.trace(matrix)) / self.m
        # Shifts change nothing: along them any curvature will do.
        matrix += mean / self.m if mean > 0 else 1.0
        ridge = _RIDGE * (mean if mean > 0 else 1.0)
        while True:
            _, step, failed = dposv(matrix, -gradient)
            if not failed:
                break
            matrix[np.diag_indices(self.m)] += ridge
            ridge *= 100.0
        step -= step.mean()
        longest = _LONGEST * (1.0 + float(np.abs(alpha).max()))
        return np.asarray(step) * min(1.0, longest / max(float(np.abs(step).max()), _STALLED))


def _bradley_terry(wins: Array, start: Array | None) -> Array | None:
    """A minimizer for the logistic function by undamped Newton steps; None where these do not settle.

    With strengths w = exp(alpha) the slope of a pair is w_j / (w_i + w_j), so a step takes one division for
    each pair, and no exponential; and the share of its wins tells about how strong an item is.
    """
    m, met, lost, some = len(wins), wins + wins.T, wins.sum(axis=0), 0.5 * wins.max(initial=0.0)
    with np.errstate(all="ignore"):
        alpha = np.log((wins.sum(axis=1) + some) / (lost + some)) if start is None else start
        size = _LONGEST
        for _ in range(_UNDAMPED):
            strength = np.exp(alpha - alpha.max(initial=0.0))
            lose = np.add.outer(strength, strength)
            np.divide(strength, lose, out=lose)
            flow = met * lose
            gradient = lost - flow.sum(axis=1)
            lose -= 1.0
            flow *= lose  # less the curvature of each pair
            bends = -flow.sum(axis=1)
            # Shifts, and those of parts that never met, change nothing: there any curvature will do.
            flow += float(bends.sum()) / m**2
            flow.flat[:: m + 1] += (1.0 + _RIDGE) * bends
            try:
                step = np.linalg.solve(flow, -gradient)
            except np.linalg.LinAlgError:
                return None
            alpha = alpha + (step - step.mean())
            before, size = size, float(np.abs(step).max(initial=0.0))
            if not size < before:  # nor if it is not a number
                return None
            if size <= _LAST_STEP:
                return np.asarray(alpha)
    return None


# --- The minimizers of one edge loss at many aggregates, as of votes that are drawn again and again ------

MOST_ITEMS: Final = 128
"""The Hessians of 64 risks side by side no longer stay in the cache: of 300 items that is twice slower."""

_SAVED: Final = 1e-3
"""Seconds that machine code saves on each risk of more items than the batch in NumPy takes."""

_TOLERANCE: Final = 1e-10
_REFIT_ITERATIONS: Final = 100


def refitted(
    phi: Expression, h: Array, compiled: bool | None = None
) -> tuple[Array, NDArray[np.bool_]] | None:
    """Minimize sum of h_ij phi(alpha_i - alpha_j) for each of many matrices h, side by side in machine code.

    The matrices, shape (b, m, m), have zero diagonals. None where one after the other is as good: for few
    matrices or many items (unless `compiled` says which), or if the machine code does not know the function.

    Scores have shape (b, m) and mean zero. Where `converged` is false they may be anything; where it is true,
    the minimum need not be attained, and `minimize_edges` may order items otherwise that nothing relates.
    """
    b, m = h.shape[:2]
    wanted = (m <= MOST_ITEMS and pays(m, b, _SAVED)) if compiled is None else compiled
    shape = shape_of(phi) if wanted else None
    if shape is None:
        return None
    from consistency_lab.solve.newton_kernels import minimizers

    i, j = np.triu_indices(m, 1)
    # The coefficients are the matrices as they are: entry (i, j) is at i m + j.
    risks = Packed(m, shape, np.stack((i, j, i * m + j, j * m + i), axis=1).astype(np.int64))
    scores, _, norm = minimizers(
        risks, np.ascontiguousarray(h.reshape(b, m * m)), _TOLERANCE, _REFIT_ITERATIONS
    )
    return scores, norm <= _TOLERANCE
