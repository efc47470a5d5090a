"""The minimum of an edge loss on the aggregate alone, for hundreds of items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.numbers.arrays import Floats, Indices
from consistency_lab.numbers.phi import Expression, facts
from consistency_lab.solve.connectivity import Trend, growth
from consistency_lab.solve.kinds import Kind, is_convex, kind_of, mirror_slope
from consistency_lab.solve.machine import LOGISTIC, pays, shape_of
from consistency_lab.solve.numeric import ScalarFunction, raw

# W(alpha) = sum over i, j of h_ij phi(alpha_i - alpha_j) (DMJ10 Eq. 9) has the gradient and the Hessian of a
# graph: each pair adds to two entries of the one and four of the other, so a Newton step takes O(m^2) plus
# one factorization, and no term is an object of its own. SciPy takes as long to import as all else, so it
# waits until it is needed; the logistic loss does without.

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Weights: TypeAlias = "Floats | csr_array"

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

_LARGE: Final = 500
_SPARSE: Final = 0.1
"""From so many items on, of which no larger share of m^2 pairs met, steps are conjugate gradients."""

_AT_ONCE: Final = 8
"""So many items are looked at together: where most met, they reach all others."""

_ROUGH: Final = 1e-2
_MOST_TURNS: Final = 10_000


@final
@dataclass(frozen=True, eq=False, slots=True)
class EdgeMinimum:
    """The minimum of one edge loss."""

    #: Shape (m,), a minimizer; items that no chain of comparisons links to others have the mean zero. If none
    #: exists: the minimizers of the strong components, each with mean zero; along `levels` they move apart
    #: forever.
    scores: Floats
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
    phi: Expression, h: "Weights | Sequence[Sequence[float]]", start: Floats | None = None
) -> EdgeMinimum:
    """Minimize sum of h_ij phi(alpha_i - alpha_j) over i != j, phi being convex with a continuous slope.

    The coefficients may be a sparse array; with many items of which few met they are made one.
    """
    weights = _checked(h)
    if kind_of(phi) not in (Kind.SMOOTH, Kind.STRAIGHT) or not is_convex(phi):
        raise UnsupportedError(f"{phi} is not known to be convex with a continuous slope")
    m = weights.shape[0]
    attained, levels, components = escape(phi, weights > 0)
    inside, lost = _inside(weights, levels) if attained is False else (weights, 0.0)
    risk = EdgeRisk.of(phi, inside)
    scores = risk.descend(start)
    if len(components) == 1:
        scores = scores - scores.mean()
    elif m:
        from scipy.sparse.csgraph import connected_components

        # Between items that nothing links steps may have driven them anywhere.
        scores = centered(scores, connected_components(inside, directed=False)[1])
    value, gradient, _ = risk.expand(scores)
    if lost:
        lower = facts(phi).lower
        value += -np.inf if lower is None else float(lower) * lost
    return EdgeMinimum(
        scores,
        value,
        float(np.abs(gradient).max(initial=0.0)) / ((float(weights.max()) if m else 0.0) or 1.0),
        attained,
        risk.is_pinned(scores) if attained else False,
        components,
        tuple(levels.tolist()),
    )


def centered(scores: Floats, part: Indices) -> Floats:
    """The scores less the mean of those with the same number."""
    number = np.unique(part, return_inverse=True)[1]
    return np.asarray(scores - (np.bincount(number, scores) / np.bincount(number))[number])


def escape(
    phi: Expression, support: "NDArray[np.bool_] | csr_array"
) -> tuple[bool | None, Indices, tuple[tuple[int, ...], ...]]:
    """`attained`, `levels` and `components` of `EdgeMinimum`: the support (m, m) alone determines them."""
    levels, components = _components(phi, support)
    trend = growth(phi)
    i, j = support.nonzero() if len(components) > 1 else (levels[:0], levels[:0])
    above, below = levels[i], levels[j]
    fades = (trend.ahead is Trend.FADES and bool((above > below).any())) or (
        trend.behind is Trend.FADES and bool((above < below).any())
    )
    unclear = {Trend.FALLS, Trend.UNKNOWN} & {trend.ahead, trend.behind}
    return None if unclear else not fades, levels, components


def _components(
    phi: Expression, support: "NDArray[np.bool_] | csr_array"
) -> tuple[Indices, tuple[tuple[int, ...], ...]]:
    """How far up each item escapes, and the strong components of the support (`solve.connectivity`)."""
    m = support.shape[0]
    if isinstance(support, np.ndarray):
        leads = _leading(phi, support)
        if _reaches_all(leads) and _reaches_all(leads.T):
            return np.zeros(m, dtype=np.intp), (tuple(range(m)),)
        low, high = leads.nonzero()
    else:
        low, high = (part.astype(np.intp) for part in _leading(phi, support).tocsr().nonzero())
    levels, parts = _stacked(low, high, m)
    first = np.unique(parts, return_index=True)[1]
    members = np.split(np.argsort(parts, kind="stable"), np.cumsum(np.bincount(parts))[:-1])
    upwards = sorted(range(len(first)), key=lambda k: (-levels[first[k]], first[k]))
    return levels, tuple(tuple(members[k].tolist()) for k in upwards)


def _leading(phi: Expression, support: Any) -> Any:
    """Which items hold down which others, for supports (..., m, m)."""
    trend, back = growth(phi), support.T if support.ndim == 2 else support.transpose(0, 2, 1)
    grown = [arcs for grows, arcs in ((trend.ahead, support), (trend.behind, back)) if grows is Trend.GROWS]
    return sum(grown[1:], grown[0]) if grown else support * False


def placed(phi: Expression, supports: NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """How far up each item escapes, and its component, each of shape (b, m), for supports (b, m, m)."""
    leads = _leading(phi, supports)
    whole = np.array([_reaches_all(one) and _reaches_all(one.T) for one in leads], dtype=np.bool_)
    levels, parts = np.zeros((2, *leads.shape[:2]), dtype=np.intp)
    if not whole.all():
        levels[~whole], parts[~whole] = _all_placed(leads[~whole])
    return levels, parts


def _all_placed(graphs: NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """The same of the arcs that lead from item to item, each graph looked at once."""
    bits = np.packbits(graphs.reshape(len(graphs), -1), axis=1)
    numbers = dict[bytes, int]()  # to sort rows this long, as `unique` does, takes longer than the fits
    alike = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in bits], dtype=np.intp)
    first = np.unique(alike, return_index=True)[1]
    leads = graphs[first]
    m = leads.shape[-1]
    # All supports make one graph, whose parts have nothing to do with each other.
    low, j = np.divmod(np.flatnonzero(leads), m)
    levels, parts = _stacked(low, low // m * m + j, len(first) * m)
    return levels.reshape(-1, m)[alike], parts.reshape(-1, m)[alike]


def _stacked(low: Indices, high: Indices, n: int) -> tuple[Indices, Indices]:
    """Levels as in `connectivity.condensed`, and component numbers; the arcs are sorted by `low`."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    starts = np.concatenate([[0], np.cumsum(np.bincount(low, minlength=n))])
    graph = csr_array((np.ones(len(low)), high.astype(np.int32), starts.astype(np.int32)), shape=(n, n))
    part = connected_components(graph, connection="strong")[1]
    low, high = part[low], part[high]
    level, across = np.zeros(n, dtype=np.intp), low != high
    while across.any():
        low, high = low[across], high[across]
        waits = np.zeros(n, dtype=np.bool_)
        waits[high] = True
        level += waits  # what still has something below it, when all that had nothing are gone
        across = waits[low]
    return level[part], part.astype(np.intp)


def _reaches_all(leads: NDArray[np.bool_]) -> bool:
    """Whether the arcs i -> j, shape (m, m), lead from the first item to all others."""
    reached = np.arange(len(leads)) == 0
    waiting = reached.copy()
    while not reached.all() and len(some := np.flatnonzero(waiting)[:_AT_ONCE]):
        waiting[some] = False
        fresh = leads[some].any(axis=0) & ~reached
        reached |= fresh
        waiting |= fresh
    return bool(reached.all())


def _checked(h: "Weights | Sequence[Sequence[float]]") -> "Weights":
    """The coefficients without a diagonal: a sparse array if it is given, or if few of many items met."""
    weights = np.array(h, dtype=np.float64) if not hasattr(h, "tocsr") else h.tocsr().astype(np.float64)
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise InputError(f"the coefficients must be a square matrix, not an array of shape {weights.shape}")
    m = weights.shape[0]
    if isinstance(weights, np.ndarray):
        np.fill_diagonal(weights, 0.0)
        place = np.flatnonzero(weights) if m >= _LARGE else np.zeros(0, dtype=np.intp)
        if m >= _LARGE and len(place) < 2 * _SPARSE * m * m:
            from scipy.sparse import csr_array

            weights = csr_array((weights.ravel()[place], np.divmod(place, m)), shape=(m, m))
    elif weights.diagonal().any():
        weights.setdiag(0.0)
    values = weights if isinstance(weights, np.ndarray) else weights.data
    if not (np.isfinite(values) & (values >= 0)).all():
        raise InputError("the coefficients of an edge loss must be finite numbers of at least 0")
    return weights


def _inside(weights: "Weights", levels: Indices) -> "tuple[Weights, float]":
    """The coefficients between items of one level, and the sum of the others."""
    i, j = weights.nonzero()
    across = levels[i] != levels[j]
    inside = weights.copy()
    inside[i[across], j[across]] = 0.0
    return inside, float(weights[i[across], j[across]].sum())


@final
@dataclass(frozen=True, eq=False, slots=True)
class EdgeRisk:
    """W as arrays: c_t phi(alpha_i - alpha_j) for the pairs t = (i, j), each once, and a straight line."""

    phi: ScalarFunction
    m: int
    i: Indices
    j: Indices
    c: Floats
    line: Floats
    wins: Floats | None = None  #: Shape (m, m): all coefficients, if phi is the logistic function.
    sparse: bool = False  #: Whether steps are found by conjugate gradients.

    @staticmethod
    def of(phi: Expression, h: "Weights") -> "EdgeRisk":
        """The risk of coefficients (m, m) of diagonal 0; a phi that mirrors itself has one term a pair."""
        mirror, shape, m = mirror_slope(phi), shape_of(phi), h.shape[0]
        dense, line, once = isinstance(h, np.ndarray), np.zeros(m), cast("Any", h)
        if mirror is not None:
            # (i, j) with i > j: phi(x) = phi(-x) + r (-x), and -x = alpha_j - alpha_i.
            from scipy.sparse import tril, triu

            back = np.tril(h) if dense else tril(h)
            line = float(mirror) * (back.sum(axis=0) - back.sum(axis=1))
            once = (np.triu(h) if dense else triu(h)) + back.T
        if not dense:
            once = once.tocsr().tocoo()  # sorted by rows
            i, j = (part.astype(np.intp) for part in once.coords)
            return EdgeRisk(raw(phi), m, i, j, once.data, line, sparse=True)
        place = np.flatnonzero(once)
        i, j = np.divmod(place, m)
        wins = h if shape is not None and shape.kind == LOGISTIC else None
        return EdgeRisk(raw(phi), m, i, j, once.ravel()[place], line, wins)

    def expand(self, alpha: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient, and the curvature of each pair."""
        with np.errstate(all="ignore"):
            value, slope, curvature = self.phi(alpha[self.i] - alpha[self.j])
            slope = self.c * slope
            gradient = np.bincount(self.i, slope, self.m) - np.bincount(self.j, slope, self.m) + self.line
            # Not `@`: dot products this long wake the threads of the linear algebra library for nothing.
            total = float(np.einsum("t,t->", self.c, value) + np.einsum("i,i->", self.line, alpha))
            return total, gradient, self.c * curvature

    def laplacian(self, curvature: Floats) -> Floats:
        matrix = np.zeros((self.m, self.m))
        # A pair may appear once in each direction.
        matrix[self.i, self.j] = -curvature
        matrix += matrix.T
        matrix[np.diag_indices(self.m)] = -matrix.sum(axis=1)
        return matrix

    def is_pinned(self, alpha: Floats) -> bool | None:
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
        if self.sparse:
            from scipy.sparse import csr_array
            from scipy.sparse.csgraph import connected_components

            pairs = self.i[chosen], self.j[chosen]
            linked = csr_array((np.ones(len(pairs[0])), pairs), shape=(self.m, self.m))
            return bool(connected_components(linked, directed=False)[0] == 1)
        linked = np.zeros((self.m, self.m), dtype=np.bool_)
        linked[self.i[chosen], self.j[chosen]] = True
        return _reaches_all(linked | linked.T)

    def descend(self, start: Floats | None = None) -> Floats:
        """A minimizer by damped Newton steps from `start`, or from zero."""
        settled = None if self.wins is None else _bradley_terry(self.wins, start)
        if settled is not None:
            return settled
        alpha = np.zeros(self.m) if start is None else np.array(start, dtype=np.float64)
        value, gradient, curvature = self.expand(alpha)
        balanced = _BALANCED * float(self.c.max(initial=0.0))
        for _ in range(_ITERATIONS):
            step = (self._sparse_step if self.sparse else self._step)(gradient, curvature, alpha)
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

    def _step(self, gradient: Floats, curvature: Floats, alpha: Floats) -> Floats:
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

    def _sparse_step(self, gradient: Floats, curvature: Floats, alpha: Floats) -> Floats:
        """The step as far as the gradient is large: the nearer the minimum, the more digits it has."""
        from scipy.sparse import csr_array
        from scipy.sparse.linalg import LinearOperator, cg

        bends: Floats = np.bincount(self.i, curvature, self.m).astype(np.float64)
        bends += np.bincount(self.j, curvature, self.m)
        bends[bends <= 0] = 1.0
        square, starts = (self.m, self.m), np.searchsorted(self.i, np.arange(self.m + 1))
        beside = csr_array((curvature, self.j, starts), shape=square)
        opposite, largest = beside.T, float(self.c.max(initial=0.0)) or 1.0
        step, _ = cg(
            LinearOperator(square, matvec=lambda z: bends * z - beside @ z - opposite @ z, dtype=np.float64),
            -gradient,
            rtol=min(_ROUGH, float(np.abs(gradient).max(initial=0.0)) / largest),
            atol=_BALANCED * largest,
            M=LinearOperator(square, matvec=lambda z: z / bends, dtype=np.float64),
            maxiter=_MOST_TURNS,
        )
        step -= step.mean()
        longest = _LONGEST * (1.0 + float(np.abs(alpha).max()))
        return np.asarray(step) * min(1.0, longest / max(float(np.abs(step).max()), _STALLED))


def _bradley_terry(wins: Floats, start: Floats | None) -> Floats | None:
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

_SAVED: Final = 4e-7
"""Seconds that machine code saves on each risk of m items, divided by m^2."""

_REFIT_ITERATIONS: Final = 100


def refitted(
    phi: Expression, h: Floats, compiled: bool | None = None
) -> tuple[Floats, NDArray[np.bool_]] | None:
    """Minimize sum of h_ij phi(alpha_i - alpha_j) for each of many matrices h, in machine code.

    The matrices, shape (b, m, m), have zero diagonals. None where one after the other is as good: for few
    matrices (unless `compiled` says which), or if the machine code does not know the function.

    Scores have shape (b, m) and mean zero. Each descent starts at the fit of all matrices together; of
    several minimizers it finds the one that is downhill from there. Where `settled` is false they may be
    anything; a risk without a minimum may seem settled.
    """
    b, m = h.shape[:2]
    wanted = pays(m, b, _SAVED * m * m) if compiled is None else compiled
    shape = shape_of(phi) if wanted else None
    if shape is None:
        return None
    from consistency_lab.solve.newton_kernels import settle

    start = minimize_edges(phi, h.mean(axis=0)).scores
    scores, settled = np.zeros((b, m)), np.zeros(b, dtype=np.bool_)
    settle(np.ascontiguousarray(h), start, shape.kind, shape.numbers, _REFIT_ITERATIONS, scores, settled)
    scores -= scores.mean(axis=1, keepdims=True)
    return scores, settled
