"""Newton's method in machine code, for batches so large that loading a compiler pays."""

from math import factorial, inf
from typing import Final

import numpy as np

from consistency_lab.numbers.arrays import Booleans, Floats, Whole
from consistency_lab.numbers.compiling import entry, inlined
from consistency_lab.solve.machine import EXPONENTIAL, LOGISTIC, PARABOLA, Packed, in_pieces

# --- exp and log as polynomials --------------------------------------------------------------------------
# Inlined, they let the loops around them run over whole vector registers; a call of the mathematical library
# would keep a loop to one number at a time.

_LARGEST_EXPONENT: Final = 700.0
_ROUNDER: Final = 1.5 * 2.0**52
"""Adding it leaves the nearest whole number in the lowest bits."""

_PER_LOG_2: Final = 1.4426950408889634
_LOG_2: Final = (0.6931471803691238, 1.9082149292705877e-10)
"""log 2 as a sum whose first part has zeros at its end: a small multiple of it is exact."""

_ONE: Final = 1023 << 52
_TAYLOR: Final = tuple(1.0 / factorial(k) for k in range(13, -1, -1))
_ATANH_HIGH: Final = tuple(2.0 / (2 * k + 1) for k in range(16, 7, -1))
_ATANH_LOW: Final = tuple(2.0 / (2 * k + 1) for k in range(7, -1, -1))


@inlined
def exponential(x: float) -> float:
    """exp(x) = 2**k exp(r) with |r| <= log(2) / 2, as a Taylor polynomial."""
    x = max(-_LARGEST_EXPONENT, min(_LARGEST_EXPONENT, x))
    rounded = x * _PER_LOG_2 + _ROUNDER
    k = rounded - _ROUNDER
    r = x - k * _LOG_2[0] - k * _LOG_2[1]
    total = _TAYLOR[0]
    for c in _TAYLOR[1:]:
        total = total * r + c
    bits = (np.float64(rounded).view(np.int64) << 52) + _ONE
    return total * float(np.int64(bits).view(np.float64))


@inlined
def logarithm(z: float) -> float:
    """log(1 + z) = 2 artanh(z / (2 + z)) for 0 <= z <= 1."""
    s = z / (2.0 + z)
    square = s * s
    total = 0.0
    for c in _ATANH_HIGH:
        total = total * square + c
    for c in _ATANH_LOW:
        total = total * square + c
    return total * s


# --- Newton's method in machine code, 64 risks side by side ----------------------------------------------
# Every quantity of a risk is a row of `LANES` numbers, so that each inner loop runs over whole vector
# registers; exp and log are polynomials, which can be inlined there. A lane whose risk is done takes the next
# one, so that a slow risk holds up no other.
#
# All functions that `shape_of` knows are convex, so a step that does not overshoot (the slope along it is
# still falling at its end) goes down, and no values are needed on the way. A step that overshoots far is cut
# where the slope, were it linear, would vanish. Only a small gradient at the end counts as converged.

Constants = tuple[float, float, float, float, float]

LANES: Final = 64

_LAST_STEP: Final = 1e-6
"""A full step as short as this is the last one: its error is about its square."""

_FLAT: Final = 1e-3
"""A gradient so much smaller than wanted ends the descent: the minimum may lie at infinity."""

_OVERSHOT: Final = 0.5
"""A step is cut if the slope along it comes back with more than this share of its size."""

_SHORTEST_CUT: Final = 0.1
_STALLED: Final = 1e-15
_LONGEST: Final = 100.0
_FAR: Final = 1e9
_SINGULAR: Final = 1e-13
_FORCELESS: Final = 1e-13
_LEAST_NORMAL: Final = 2.0**-1022
"""The inverse of a smaller number may overflow."""


@inlined
def _slopes_and_bends(
    kind: int,
    numbers: Constants,
    ahead: Floats,
    behind: Floats,
    x: Floats,
    y: Floats,
    slope: Floats,
    bend: Floats,
) -> None:
    """Slope and curvature of ahead phi(d) + behind phi(-d) at d = x - y."""
    if kind == LOGISTIC:
        for lane in range(LANES):
            d = x[lane] - y[lane]
            e = exponential(-abs(d))
            large = 1.0 / (1.0 + e)
            small = e * large
            up = large if d >= 0.0 else small
            down = small if d >= 0.0 else large
            slope[lane] = behind[lane] * up - ahead[lane] * down
            bend[lane] = (ahead[lane] + behind[lane]) * (large * small)
    elif kind == EXPONENTIAL:
        for lane in range(LANES):
            e = exponential(y[lane] - x[lane])
            falling = ahead[lane] * e
            rising = behind[lane] / e
            slope[lane] = rising - falling
            bend[lane] = rising + falling
    else:
        factor, vertex, _, low, high = numbers
        for lane in range(LANES):
            d = x[lane] - y[lane]
            u = min(max(d - vertex, low), high)
            v = min(max(-d - vertex, low), high)
            slope[lane] = factor * (ahead[lane] * u - behind[lane] * v)
            curved = (ahead[lane] if u == d - vertex else 0.0) + (behind[lane] if v == -d - vertex else 0.0)
            bend[lane] = factor * curved


@inlined
def _add_values(
    kind: int, numbers: Constants, ahead: Floats, behind: Floats, x: Floats, y: Floats, value: Floats
) -> None:
    """Add ahead phi(d) + behind phi(-d) at d = x - y."""
    if kind == LOGISTIC:
        for lane in range(LANES):
            d = x[lane] - y[lane]
            straight = ahead[lane] * max(-d, 0.0) + behind[lane] * max(d, 0.0)
            value[lane] += (ahead[lane] + behind[lane]) * logarithm(exponential(-abs(d))) + straight
    elif kind == EXPONENTIAL:
        for lane in range(LANES):
            e = exponential(y[lane] - x[lane])
            value[lane] += ahead[lane] * e + behind[lane] / e
    else:
        factor, vertex, bottom, low, high = numbers
        for lane in range(LANES):
            u = x[lane] - y[lane] - vertex
            v = y[lane] - x[lane] - vertex
            bent_u, bent_v = min(max(u, low), high), min(max(v, low), high)
            curved = ahead[lane] * bent_u * (u - 0.5 * bent_u) + behind[lane] * bent_v * (v - 0.5 * bent_v)
            value[lane] += factor * curved + bottom * (ahead[lane] + behind[lane])


@inlined
def _expand(
    kind: int, numbers: Constants, pairs: Whole, weights: Floats, x: Floats, gradient: Floats, hessian: Floats
) -> None:
    """The gradient, and the lower triangle of the Hessian."""
    slope = np.empty(LANES)
    bend = np.empty(LANES)
    gradient[:] = 0.0
    hessian[:] = 0.0
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        _slopes_and_bends(kind, numbers, weights[p, 0], weights[p, 1], x[i], x[j], slope, bend)
        for lane in range(LANES):
            gradient[i, lane] += slope[lane]
            gradient[j, lane] -= slope[lane]
            hessian[i, i, lane] += bend[lane]
            hessian[j, j, lane] += bend[lane]
            hessian[j, i, lane] -= bend[lane]


@inlined
def _direction(gradient: Floats, hessian: Floats, x: Floats, step: Floats, work: Floats) -> None:
    """Solve hessian @ step = -gradient by L D L^T, the last score being pinned; see `newton_direction`."""
    n = len(x) - 1
    reach, share = work[0], work[1]
    reach[:] = 1.0
    for i in range(n):
        for lane in range(LANES):
            reach[lane] = max(reach[lane], 1.0 + abs(x[i, lane]))
            work[2 + i, lane] = hessian[i, i, lane]
            step[i, lane] = -gradient[i, lane]
    for k in range(n):
        for lane in range(LANES):
            force = abs(step[k, lane])
            refilled = force / reach[lane] if force > _FORCELESS else inf
            lost = hessian[k, k, lane] <= _SINGULAR * work[2 + k, lane]
            hessian[k, k, lane] = 1.0 / (refilled if lost else hessian[k, k, lane])
        for j in range(k + 1, n):
            for lane in range(LANES):
                share[lane] = hessian[j, k, lane] * hessian[k, k, lane]
                step[j, lane] -= share[lane] * step[k, lane]
            for i in range(j, n):
                for lane in range(LANES):
                    hessian[i, j, lane] -= share[lane] * hessian[i, k, lane]
    size = work[1]
    size[:] = 0.0
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            for lane in range(LANES):
                step[k, lane] -= hessian[j, k, lane] * step[j, lane]
        for lane in range(LANES):
            step[k, lane] *= hessian[k, k, lane]
            size[lane] = max(size[lane], abs(step[k, lane]))
    for i in range(n):
        for lane in range(LANES):
            step[i, lane] *= min(1.0, _LONGEST * reach[lane] / size[lane])


@inlined
def _load(C: Floats, row: int, pairs: Whole, weights: Floats, lane: int) -> float:
    """Put the coefficients of a risk, divided by the largest, into a lane; return the largest."""
    scale = 0.0
    for t in range(C.shape[1]):
        scale = max(scale, C[row, t])
    scale = max(scale, _LEAST_NORMAL) if scale > 0.0 else 1.0
    share = 1.0 / scale
    for p in range(len(pairs)):
        for side in range(2):
            column = pairs[p, 2 + side]
            weights[p, side, lane] = C[row, column] * share if column >= 0 else 0.0
    return scale


@inlined
def _row() -> Floats:
    """One number a lane, in memory of its own: rows of one array might overlap, for all that LLVM knows."""
    return np.zeros(LANES)


@inlined
def _rows(m: int) -> Floats:
    return np.zeros((m, LANES))


@entry
def descend(
    C: Floats,
    pairs: Whole,
    kind: int,
    numbers: Constants,
    tolerance: float,
    iterations: int,
    start: int,
    stop: int,
    scores: Floats,
) -> None:
    """Write minimizers of the risks from `start` to before `stop` into `scores`, the last of each 0."""
    m = scores.shape[1]
    weights = np.zeros((len(pairs), 2, LANES))
    x, trial, step, fresh, gradient = _rows(m), _rows(m), _rows(m), _rows(m), _rows(m)
    hessian = np.empty((m, m, LANES))
    work = np.empty((m + 1, LANES))
    length, along, promised, promising, taken, last = _row(), _row(), _row(), _row(), _row(), _row()
    norm, size, far = _row(), _row(), _row()
    turns = np.zeros(LANES, dtype=np.int64)
    rows = np.full(LANES, -1)
    waiting, busy = start, 0
    while True:
        for lane in range(LANES):
            if rows[lane] < 0 and waiting < stop:
                _load(C, waiting, pairs, weights, lane)
                for i in range(m):
                    x[i, lane] = step[i, lane] = 0.0
                promised[lane] = 0.0
                rows[lane], turns[lane] = waiting, 0
                waiting += 1
                busy += 1
        if not busy:
            return
        for i in range(m):
            for lane in range(LANES):
                trial[i, lane] = x[i, lane] + length[lane] * step[i, lane]
        _expand(kind, numbers, pairs, weights, trial, gradient, hessian)
        _direction(gradient, hessian, trial, fresh, work)
        for row in (along, promising, norm, size, far):
            row[:] = 0.0
        for i in range(m):
            for lane in range(LANES):
                along[lane] += gradient[i, lane] * step[i, lane]
                promising[lane] -= gradient[i, lane] * fresh[i, lane]
                norm[lane] = max(norm[lane], abs(gradient[i, lane]))
                size[lane] = max(size[lane], abs(fresh[i, lane]))
                far[lane] = max(far[lane], abs(trial[i, lane]))
        for lane in range(LANES):
            good = along[lane] <= _OVERSHOT * promised[lane]
            cut = promised[lane] / (promised[lane] + along[lane])
            length[lane] = 1.0 if good else length[lane] * (cut if cut > _SHORTEST_CUT else _SHORTEST_CUT)
            promised[lane] = promising[lane] if good else promised[lane]
            taken[lane] = 1.0 if good else 0.0
            last[lane] = 1.0 if good and size[lane] <= _LAST_STEP else 0.0
        for i in range(m):
            for lane in range(LANES):
                end = trial[i, lane] + (fresh[i, lane] if last[lane] else 0.0)
                x[i, lane] = end if taken[lane] else x[i, lane]
                step[i, lane] = fresh[i, lane] if taken[lane] else step[i, lane]
        for lane in range(LANES):
            turns[lane] += 1
            flat = norm[lane] <= _FLAT * tolerance or far[lane] > _FAR
            done = last[lane] or (taken[lane] and flat) or turns[lane] >= iterations
            if done and rows[lane] >= 0:
                for i in range(m):
                    scores[rows[lane], i] = x[i, lane]
                rows[lane] = -1
                busy -= 1


@entry
def measure(
    C: Floats,
    pairs: Whole,
    kind: int,
    numbers: Constants,
    start: int,
    stop: int,
    scores: Floats,
    value: Floats,
    norm: Floats,
) -> None:
    """Move the scores to mean zero, and write their values and gradient norms."""
    m = scores.shape[1]
    weights = np.zeros((len(pairs), 2, LANES))
    x, gradient = _rows(m), _rows(m)
    slope, bend, total, scale, size = _row(), _row(), _row(), _row(), _row()
    for block in range(start, stop, LANES):
        filled = min(LANES, stop - block)
        for lane in range(filled):
            scale[lane] = _load(C, block + lane, pairs, weights, lane)
            mean = 0.0
            for i in range(m):
                mean += scores[block + lane, i] / m
            for i in range(m):
                x[i, lane] = scores[block + lane, i] = scores[block + lane, i] - mean
        gradient[:] = 0.0
        total[:] = 0.0
        for p in range(len(pairs)):
            i, j = pairs[p, 0], pairs[p, 1]
            _slopes_and_bends(kind, numbers, weights[p, 0], weights[p, 1], x[i], x[j], slope, bend)
            for lane in range(LANES):
                gradient[i, lane] += slope[lane]
                gradient[j, lane] -= slope[lane]
            _add_values(kind, numbers, weights[p, 0], weights[p, 1], x[i], x[j], total)
        size[:] = 0.0
        for i in range(m):
            for lane in range(LANES):
                size[lane] = max(size[lane], abs(gradient[i, lane]))
        for lane in range(filled):
            value[block + lane] = total[lane] * scale[lane]
            norm[block + lane] = size[lane]


def minimizers(risks: Packed, C: Floats, tolerance: float, iterations: int) -> tuple[Floats, Floats, Floats]:
    """Scores of shape (B, m) with mean zero, their values, and the gradient norms.

    A risk with a large gradient norm has not converged, and its scores may be anything.
    """
    scores = np.zeros((len(C), risks.m))
    value, norm = np.empty((2, len(C)))
    about = np.ascontiguousarray(C), risks.pairs, risks.shape.kind, risks.shape.numbers

    def piece(start: int, stop: int) -> None:
        descend(*about, tolerance, iterations, start, stop, scores)
        measure(*about, start, stop, scores, value, norm)

    in_pieces(piece, len(C))
    return scores, value, norm


# --- One risk after the other, each with as few factorizations as it takes -------------------------------
# Votes that are drawn again have nearly the same minimizer and the same Hessian there. So the factor of the
# Hessian where they start serves all of them, and a step takes m^2 operations; a risk makes its own factor
# where steps shrink too slowly. If they shrink at the rate r, what is left after a step s is r / (1 - r) |s|.

_STALE: Final = 0.3
"""Steps that shrink no faster than at this rate ask for a new factor."""

_SETTLED: Final = 1e-11
"""The distance to the minimizer, as a share of the spread of the scores: far below that of tied ones."""


@inlined
def _pull(
    kind: int,
    numbers: Constants,
    ahead: Floats,
    behind: Floats,
    x: Floats,
    slope: Floats,
    bend: Floats,
    curved: bool,
) -> None:
    """The slopes of ahead_j phi(x_0 - x_j) + behind_j phi(x_j - x_0), and if asked for the curvatures.

    Instead of x it is given exp(x), unless phi is a parabola.
    """
    own = x[0]
    if kind == LOGISTIC:
        for j in range(1, len(x)):
            down = x[j] / (own + x[j])
            slope[j] = behind[j] - (ahead[j] + behind[j]) * down
            if curved:
                bend[j] = (ahead[j] + behind[j]) * (down * (1.0 - down))
    elif kind == EXPONENTIAL:
        for j in range(1, len(x)):
            rising = behind[j] * (own / x[j])
            falling = ahead[j] * (x[j] / own)
            slope[j] = rising - falling
            if curved:
                bend[j] = rising + falling
    else:
        factor, vertex, _, low, high = numbers
        for j in range(1, len(x)):
            d = own - x[j] - vertex
            e = x[j] - own - vertex
            u = min(max(d, low), high)
            v = min(max(e, low), high)
            slope[j] = factor * (ahead[j] * u - behind[j] * v)
            if curved:
                bend[j] = factor * ((ahead[j] if u == d else 0.0) + (behind[j] if v == e else 0.0))


@inlined
def _gradient(
    kind: int, numbers: Constants, ahead: Floats, behind: Floats, x: Floats, work: Floats, gradient: Floats
) -> None:
    """Write the gradient."""
    m, at, slope = len(x), work[0], work[1]
    _strengths(kind, x, at)
    gradient[:] = 0.0
    for i in range(m):
        _pull(kind, numbers, ahead[i, i:], behind[i, i:], at[i:], slope[i:], slope[i:], False)
        total = 0.0
        for j in range(i + 1, m):
            gradient[j] -= slope[j]
            total += slope[j]
        gradient[i] += total


@inlined
def _strengths(kind: int, x: Floats, at: Floats) -> None:
    """exp(x) for `_pull`, or x itself."""
    top = x.max()
    for i in range(len(x)):
        at[i] = x[i] if kind == PARABOLA else exponential(x[i] - top)


@inlined
def _factored(
    kind: int,
    numbers: Constants,
    ahead: Floats,
    behind: Floats,
    x: Floats,
    gradient: Floats,
    work: Floats,
    factor: Floats,
) -> None:
    """Write U and 1/D with U^T D U the Hessian at x, U having ones on its diagonal; see `_direction`."""
    m, at, bend, diagonal, force = len(x), work[0], work[1], work[2], work[3]
    _strengths(kind, x, at)
    diagonal[:] = 0.0
    for i in range(m):
        _pull(kind, numbers, ahead[i, i:], behind[i, i:], at[i:], bend[i:], factor[i, i:], True)
        for j in range(i + 1, m):
            diagonal[i] += factor[i, j]
            diagonal[j] += factor[i, j]
            factor[i, j] = -factor[i, j]
    reach = 1.0 + np.abs(x).max()
    for i in range(m):
        factor[i, i] = diagonal[i]
        force[i] = gradient[i]
    for k in range(m):
        pivot = factor[k, k]
        if pivot <= _SINGULAR * diagonal[k]:
            factor[k, k] = reach / abs(force[k]) if abs(force[k]) > _FORCELESS else 0.0
        else:
            factor[k, k] = 1.0 / pivot
        for j in range(k + 1, m):
            share = factor[k, j] * factor[k, k]
            force[j] -= share * force[k]
            if share != 0.0:
                for i in range(j, m):
                    factor[j, i] -= share * factor[k, i]
        for j in range(k + 1, m):
            factor[k, j] *= factor[k, k]


@inlined
def _solved(factor: Floats, gradient: Floats, step: Floats) -> float:
    """Write the step that U^T D U takes to -gradient, and return its largest entry."""
    m = len(step)
    for k in range(m):
        step[k] = -gradient[k]
    for k in range(m):
        for j in range(k + 1, m):
            step[j] -= factor[k, j] * step[k]
    size = 0.0
    for k in range(m - 1, -1, -1):
        total = step[k] * factor[k, k]
        for j in range(k + 1, m):
            total -= factor[k, j] * step[j]
        step[k] = total
        size = max(size, abs(total))
    return size


@entry
def settle(
    C: Floats,
    start: Floats,
    kind: int,
    numbers: Constants,
    iterations: int,
    scores: Floats,
    settled: Booleans,
) -> None:
    """Write minimizers of risks with coefficients (b, m, m), each from `start`, and which are sure."""
    m = len(start)
    ahead, behind, shared, own = np.zeros((m, m)), np.zeros((m, m)), np.zeros((m, m)), np.zeros((m, m))
    work = np.zeros((4, m))
    x, trial, step, gradient, reached = np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m)
    for row in range(len(C)):
        for i in range(m):
            for j in range(i + 1, m):
                ahead[i, j] += C[row, i, j]
                behind[i, j] += C[row, j, i]
    scale = max(ahead.max(), behind.max()) / len(C)
    share = 1.0 / max(scale, _LEAST_NORMAL)
    ahead *= share / len(C)
    behind *= share / len(C)
    _gradient(kind, numbers, ahead, behind, start, work, gradient)
    _factored(kind, numbers, ahead, behind, start, gradient, work, shared)
    for row in range(len(C)):
        for i in range(m):
            for j in range(i + 1, m):
                ahead[i, j] = C[row, i, j] * share
                behind[i, j] = C[row, j, i] * share
        x[:] = start
        _gradient(kind, numbers, ahead, behind, x, work, gradient)
        factor, before, short = shared, 0.0, True
        for _ in range(iterations):
            size = _solved(factor, gradient, step)
            rate = size / before if before > 0.0 else 1.0
            far, spread = 1.0 + max(x.max(), -x.min()), x.max() - x.min()
            if size <= _STALLED * far or (rate < 1.0 and size * rate <= (1.0 - rate) * _SETTLED * spread):
                for i in range(m):
                    x[i] += step[i]
                settled[row] = True
                break
            if (before > 0.0 and rate > _STALE) or not short:
                _factored(kind, numbers, ahead, behind, x, gradient, work, own)
                factor = own
                size = _solved(factor, gradient, step)
            promised = 0.0
            for i in range(m):
                step[i] *= min(1.0, _LONGEST * far / size)
                promised -= gradient[i] * step[i]
            length, short = 1.0, True
            while length > _STALLED:
                along = 0.0
                for i in range(m):
                    trial[i] = x[i] + length * step[i]
                _gradient(kind, numbers, ahead, behind, trial, work, reached)
                for i in range(m):
                    along += reached[i] * step[i]
                if along <= _OVERSHOT * promised:
                    break
                cut = promised / (promised + along)
                length *= cut if cut > _SHORTEST_CUT else _SHORTEST_CUT
                short = False
            if not length > _STALLED:
                break
            before = size
            x[:] = trial
            gradient[:] = reached
        scores[row] = x
