"""Terms of a U-statistic risk in machine code: drawn, aggregated, differentiated, and followed downhill.

Kernels of structures and losses are called through pointers, so one compiled loop serves all of them, also
those that somebody else wrote. All other formulas stand in this file, for a change is noticed only there.
"""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from consistency_lab.aggregate.kernels import row_sums
from consistency_lab.learn.judgments import Judgments
from consistency_lab.solve.compiled.jit import entry, inlined

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MATRIX, SCORES, CLICKS = 0, 1, 2
NO_PENALTY, L2, L2_BALL, L1_BALL = 0, 1, 2, 3


class Features(NamedTuple):
    """Row i has ``data[start[i]:start[i + 1]]``, in all columns if dense, else in those of `indices`."""

    dense: bool
    data: Floats
    indices: Ints
    start: Ints


class Setting(NamedTuple):
    """Which term is made of k labels: what they are aggregated to, and the numbers of the kernels.

    `kind` is that of the structure, `scores` says whether the loss takes scores, `everything` whether items
    that were not compared enter.
    """

    kind: int
    scores: bool
    everything: bool
    k: int
    smoothing: float
    nu: float
    curvature: float


class Kernels(NamedTuple):
    """The five kernels, of which a setting calls two."""

    matrix: Any
    scores: Any
    clicks: Any
    of_matrix: Any
    of_scores: Any


class Descent(NamedTuple):
    """The penalty, and the size of the steps."""

    penalty: int
    lam: float
    radius: float
    curvature: float
    average_from: int


class Scratch(NamedTuple):
    """Memory that every step uses anew."""

    labels: Ints
    slot: Ints
    items: Ints


# The draw --------------------------------------------------------------------------------------------


@inlined
def _draw(said: Judgments, labels: Ints, k: int, rng: Any) -> tuple[int, int, int]:
    """A query with probability n_q/n, and where in `labels` k of its labels are, all sets equally likely."""
    query = said.query_of_label[int(rng.random() * labels.size)]
    begin = said.label_start[query]
    count = said.label_start[query + 1] - begin
    taken = min(k, count)
    if taken < count:
        for i in range(taken):
            j = begin + i + int(rng.random() * (count - i))
            labels[begin + i], labels[j] = labels[j], labels[begin + i]
    return query, begin, begin + taken


# One term --------------------------------------------------------------------------------------------


@inlined
def _gather(
    said: Judgments, query: int, chosen: Ints, everything: bool, slot: Ints, items: Ints
) -> tuple[int, int]:
    """Number the items: first the t that the labels name, then the others if they enter; t, and how many."""
    t = 0
    for label in chosen:
        for said_at in range(said.entry_start[label], said.entry_start[label + 1]):
            for item in (said.first[said_at], said.second[said_at]):
                if slot[item] < 0:
                    slot[item] = t
                    items[t] = item
                    t += 1
    size = t
    if everything:
        for item in range(said.row_start[query + 1] - said.row_start[query]):
            if slot[item] < 0:
                slot[item] = size
                items[size] = item
                size += 1
    return t, size


@inlined
def _aggregate(
    said: Judgments, chosen: Ints, slot: Ints, t: int, size: int, setting: Setting, kernels: Kernels
) -> tuple[Floats, Floats]:
    """The structure of the labels: a matrix of the first t items or of all, or scores; the other is empty."""
    vector = np.empty(0)
    if setting.kind == CLICKS:
        clicked, examined = np.zeros(size), np.zeros(size)
        for label in chosen:
            for said_at in range(said.entry_start[label], said.entry_start[label + 1]):
                clicked[slot[said.first[said_at]]] += said.weight[said_at]
                examined[slot[said.first[said_at]]] += 1.0
        vector = kernels.clicks(clicked, examined)
    else:
        known = size if setting.kind == SCORES else t
        wins = np.zeros((known, known))
        for label in chosen:
            for said_at in range(said.entry_start[label], said.entry_start[label + 1]):
                wins[slot[said.first[said_at]], slot[said.second[said_at]]] += said.weight[said_at]
        if setting.kind == SCORES:
            vector = kernels.scores(wins, float(chosen.size), setting.smoothing)
        else:
            matrix = kernels.matrix(wins, float(chosen.size), setting.smoothing)
            if not setting.scores:
                return matrix, vector
            vector = np.zeros(size)
            vector[:t] = row_sums(matrix) / size
    if setting.scores:
        return np.empty((0, 0)), vector
    matrix = np.empty((size, size))
    for i in range(size):
        for j in range(size):
            matrix[i, j] = vector[i] - vector[j]
    return matrix, vector


@inlined
def _value(
    matrix: Floats, vector: Floats, alpha: Floats, slope: Floats, setting: Setting, kernels: Kernels
) -> float:
    if setting.scores:
        value: float = kernels.of_scores(vector, alpha, slope, setting.nu)
    else:
        value = kernels.of_matrix(matrix, alpha, slope, setting.nu)
    return value


def term(
    said: Judgments,
    setting: Setting,
    of_wins: Any,
    to_scores: Any,
    of_clicks: Any,
    of_matrix: Any,
    of_scores: Any,
    query: int,
    chosen: Ints,
    scores: Floats,
    slope: Floats,
) -> float:
    """One term of the risk at scores (N,) of all rows; its gradient in them is added to `slope`."""
    kernels = Kernels(of_wins, to_scores, of_clicks, of_matrix, of_scores)
    m = said.row_start[query + 1] - said.row_start[query]
    slot, items = np.full(m, -1), np.empty(m, np.int64)
    t, size = _gather(said, query, chosen, setting.everything, slot, items)
    matrix, vector = _aggregate(said, chosen, slot, t, size, setting, kernels)
    rows = said.rows[said.row_start[query] + items[:size]]
    part = np.zeros(size)
    value = _value(matrix, vector, scores[rows], part, setting, kernels)
    for i in range(size):
        slope[rows[i]] += part[i]
    return value


def structure_of(
    said: Judgments,
    setting: Setting,
    of_wins: Any,
    to_scores: Any,
    of_clicks: Any,
    of_matrix: Any,
    of_scores: Any,
    query: int,
    chosen: Ints,
) -> Floats:
    """What a closed form needs of one term: the scores, or the row sums of A - A^T, of all items in order."""
    kernels = Kernels(of_wins, to_scores, of_clicks, of_matrix, of_scores)
    m = said.row_start[query + 1] - said.row_start[query]
    slot, items = np.full(m, -1), np.empty(m, np.int64)
    t, size = _gather(said, query, chosen, True, slot, items)
    matrix, vector = _aggregate(said, chosen, slot, t, size, setting, kernels)
    found = np.zeros(m)
    if setting.scores:
        found[items[:size]] = vector
    else:
        found[items[: matrix.shape[0]]] = 2.0 * row_sums(matrix)
    return found


# Features --------------------------------------------------------------------------------------------


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def _full_dot(data: Floats, begin: int, weights: Floats) -> float:
    total = 0.0
    for j in range(weights.size):
        total += data[begin + j] * weights[j]
    return total


@inlined
def _dot(features: Features, row: int, weights: Floats) -> float:
    if features.dense:
        return _full_dot(features.data, features.start[row], weights)
    total = 0.0
    for j in range(features.start[row], features.start[row + 1]):
        total += features.data[j] * weights[features.indices[j]]
    return total


@inlined
def _add(features: Features, row: int, factor: float, weights: Floats) -> None:
    begin = features.start[row]
    if features.dense:
        for j in range(weights.size):
            weights[j] += factor * features.data[begin + j]
    else:
        for j in range(begin, features.start[row + 1]):
            weights[features.indices[j]] += factor * features.data[j]


# Steps -----------------------------------------------------------------------------------------------


@inlined
def _project(weights: Floats, radius: float, penalty: int) -> None:
    """The nearest weights in a ball; for the l1 ball a threshold grows until it is right (Michelot)."""
    if penalty == L2_BALL:
        norm = np.sqrt(np.sum(weights * weights))
        if norm > radius:
            weights *= radius / norm
    elif penalty == L1_BALL and np.sum(np.abs(weights)) > radius:
        threshold, count = 0.0, -1
        while True:
            total, kept = 0.0, 0
            for w in weights:
                if abs(w) > threshold:
                    total += abs(w)
                    kept += 1
            if kept == count:
                break
            threshold, count = (total - radius) / kept, kept
        for j in range(weights.size):
            weights[j] = np.sign(weights[j]) * max(0.0, abs(weights[j]) - threshold)


def steps(
    said: Judgments,
    setting: Setting,
    of_wins: Any,
    to_scores: Any,
    of_clicks: Any,
    of_matrix: Any,
    of_scores: Any,
    features: Features,
    descent: Descent,
    scratch: Scratch,
    rng: Any,
    weights: Floats,
    mean: Floats,
    done: int,
    count: int,
) -> float:
    """Take the steps done + 1, ..., done + count; the mean of the terms that were met."""
    kernels = Kernels(of_wins, to_scores, of_clicks, of_matrix, of_scores)
    labels, slot, items = scratch
    total = 0.0
    for step in range(done + 1, done + count + 1):
        query, begin, end = _draw(said, labels, setting.k, rng)
        chosen = labels[begin:end]
        t, size = _gather(said, query, chosen, setting.everything, slot, items)
        matrix, vector = _aggregate(said, chosen, slot, t, size, setting, kernels)
        first = said.row_start[query]
        alpha, slope = np.empty(size), np.zeros(size)
        for i in range(size):
            alpha[i] = _dot(features, said.rows[first + items[i]], weights)
        total += _value(matrix, vector, alpha, slope, setting, kernels)
        if descent.penalty == L2:
            eta = 1.0 / (descent.curvature + descent.lam * step)
        else:
            eta = 1.0 / (descent.curvature * np.sqrt(step))
        for i in range(size):
            slot[items[i]] = -1
            if slope[i] != 0.0:
                _add(features, said.rows[first + items[i]], -eta * slope[i], weights)
        if descent.penalty == L2:
            weights /= 1.0 + eta * descent.lam
        elif descent.penalty != NO_PENALTY:
            _project(weights, descent.radius, descent.penalty)
        if step > descent.average_from:
            mean += (weights - mean) / (step - descent.average_from)
    return total / count


def curvature(
    said: Judgments,
    setting: Setting,
    of_wins: Any,
    to_scores: Any,
    of_clicks: Any,
    of_matrix: Any,
    of_scores: Any,
    features: Features,
    scratch: Scratch,
    rng: Any,
    width: int,
    draws: int,
) -> float:
    """The largest bound of the second derivative of a term in the weights, over some terms that are drawn.

    Of pairs: sum_ij |s_ij| phi'' |x_i - x_j|^2, where |x_i - x_j|^2 <= 2|x_i - c|^2 + 2|x_j - c|^2 with the
    mean c of the items. Of scores: the sum (regression: mean) of |x_i|^2.
    """
    kernels = Kernels(of_wins, to_scores, of_clicks, of_matrix, of_scores)
    labels, slot, items = scratch
    largest = 0.0
    for _ in range(draws):
        query, begin, end = _draw(said, labels, setting.k, rng)
        chosen = labels[begin:end]
        t, size = _gather(said, query, chosen, setting.everything, slot, items)
        matrix, _ = _aggregate(said, chosen, slot, t, size, setting, kernels)
        first = said.row_start[query]
        center = np.zeros(width)
        known = matrix.shape[0]
        for i in range(known):
            _add(features, said.rows[first + items[i]], 1.0 / known, center)
        norm = np.sum(center * center)
        bound = 0.0
        for i in range(size):
            slot[items[i]] = -1
            row = said.rows[first + items[i]]
            square = 0.0
            for j in range(features.start[row], features.start[row + 1]):
                square += features.data[j] * features.data[j]
            bound += setting.nu * square
            if setting.scores:
                bound += setting.curvature * square / size
            elif i < known:
                apart = max(0.0, square - 2.0 * _dot(features, row, center) + norm)
                weight = np.sum(np.abs(matrix[i])) + np.sum(np.abs(matrix[:, i]))
                bound += 2.0 * setting.curvature * weight * apart
        largest = max(largest, bound)
    return largest


# Calling it ------------------------------------------------------------------------------------------

_tuple: Final[Any] = types.BaseTuple.from_types
_VECTOR: Final = types.float64[::1]
_SQUARE: Final = types.float64[:, ::1]
_INTS: Final = types.int64[::1]
_READ: Final = types.Array(types.float64, 1, "C", readonly=True)
_ROWS: Final = _tuple((types.boolean, _READ, _INTS, _INTS), Features)
_SAID: Final = _tuple((*7 * (_INTS,), _VECTOR), Judgments)
_MADE: Final = (
    _SAID,
    _tuple((types.int64, *2 * (types.boolean,), types.int64, *3 * (types.float64,)), Setting),
    types.FunctionType(_SQUARE(_SQUARE, types.float64, types.float64)),
    types.FunctionType(_VECTOR(_SQUARE, types.float64, types.float64)),
    types.FunctionType(_VECTOR(_VECTOR, _VECTOR)),
    types.FunctionType(types.float64(_SQUARE, _VECTOR, _VECTOR, types.float64)),
    types.FunctionType(types.float64(_VECTOR, _VECTOR, _VECTOR, types.float64)),
)
_DESCENT: Final = _tuple((types.int64, *3 * (types.float64,), types.int64), Descent)
_SCRATCH: Final = _tuple(3 * (_INTS,), Scratch)
_RNG: Final = types.npy_rng
_SIGNATURES: Final[Mapping[Callable[..., Any], tuple[Any, ...]]] = MappingProxyType(
    {
        term: (*_MADE, types.int64, _INTS, _VECTOR, _VECTOR),
        structure_of: (*_MADE, types.int64, _INTS),
        curvature: (*_MADE, _ROWS, _SCRATCH, _RNG, types.int64, types.int64),
        steps: (*_MADE, _ROWS, _DESCENT, _SCRATCH, _RNG, _VECTOR, _VECTOR, types.int64, types.int64),
    }
)


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`term`, `structure_of`, `curvature` or `steps` as machine code, which `__pycache__` keeps."""
    return entry(function, _SIGNATURES[function])
