"""Terms of a U-statistic risk in machine code: drawn, aggregated, differentiated."""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple, final

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from consistency_lab.apps.learn.aggregate import Clicks, Preferences, Structure
from consistency_lab.errors import InputError
from consistency_lab.numbers.arrays import Floats, Whole, in_order
from consistency_lab.numbers.compiling import entry, inlined
from consistency_lab.solve.structure_kernels import row_sums

# --- Labels, query by query, as flat arrays that a compiled loop can walk along --------------------------


@final
class LabelTable(NamedTuple):
    """The judgments, sorted by query.

    Query q has the rows ``rows[row_start[q]:row_start[q + 1]]`` of the features, its items, those of which
    anything was said first, `compared` in number; and the labels numbered
    ``label_start[q], ..., label_start[q + 1] - 1``, which count ``said_start[q + 1] - said_start[q]``
    together. Label l has the entries
    ``entry_start[l], ..., entry_start[l + 1] - 1``: item `first` was preferred to item `second` with `weight`
    (items are numbered within their query) or, if they are clicks, item `first` was examined, and clicked if
    the weight is 1.
    """

    rows: Whole
    row_start: Whole
    label_start: Whole
    compared: Whole
    entry_start: Whole
    first: Whole
    second: Whole
    weight: Floats
    said_start: Floats


def label_table(said: Preferences | Clicks, structure: Structure) -> LabelTable:
    """Sort the judgments by query and label."""
    clicks = isinstance(said, Clicks)
    if clicks != (structure.kind == "clicks"):
        raise InputError(
            f"{structure.name} takes {'clicks' if structure.kind == 'clicks' else 'preferences'}, "
            f"got {'clicks' if clicks else 'preferences'}"
        )
    if isinstance(said, Clicks):
        label, first, clicked = said.examined()
        second, weight, total = first, clicked.astype(np.float64), np.ones(said.clicked.size)
    else:
        label, first, second, total = said.labels, said.winners, said.losers, said.totals
        weight = said.counts if structure.shares else said.weights
    if not first.size or not (isinstance(said, Clicks) or weight.any()):
        raise InputError("there are no preferences; at least one is needed")
    _, query = np.unique(said.queries, return_inverse=True)
    silent = np.ones(query.size, np.bool_)
    silent[first] = silent[second] = False
    rows = np.lexsort((silent, query))
    row_start = _starts(query[rows])
    place = np.empty(rows.size, np.int64)
    place[rows] = np.arange(rows.size) - row_start[query[rows]]
    order = in_order(label)
    order = order[in_order(query[first][order])]
    label, first, second, weight = label[order], first[order], second[order], weight[order]
    begins = np.flatnonzero(np.r_[True, (np.diff(label) != 0) | (np.diff(query[first]) != 0)])
    query_of_label, queries = query[first[begins]], row_start.size - 1
    by_query = np.bincount(query_of_label, total[label[begins]], minlength=queries)
    return LabelTable(
        rows.astype(np.int64),
        row_start,
        _starts(query_of_label, queries),
        np.bincount(query[~silent], minlength=queries).astype(np.int64),
        np.r_[begins, first.size].astype(np.int64),
        place[first],
        place[second],
        np.ascontiguousarray(weight, np.float64),
        np.r_[0.0, np.cumsum(by_query)],
    )


def _starts(sorted_codes: NDArray[np.int64], count: int | None = None) -> Whole:
    """Where each of the codes 0, 1, ... begins in a sorted array, and its length."""
    count = int(sorted_codes[-1]) + 1 if count is None else count
    return np.searchsorted(sorted_codes, np.arange(count + 1)).astype(np.int64)


# --- Terms of a U-statistic risk in machine code ---------------------------------------------------------
# Drawn, aggregated, differentiated, and followed downhill.
#
# Kernels of structures and losses are called through pointers, so one compiled loop serves all of them, even
# user-defined ones. All other formulas are in this file, since numba notices changes only there.

MATRIX, SCORES, CLICKS = 0, 1, 2
NO_PENALTY, L2, L2_BALL, L1_BALL = 0, 1, 2, 3


@final
class FeatureRows(NamedTuple):
    """Row i has ``data[start[i]:start[i + 1]]``, in all columns if dense, else in those of `indices`."""

    dense: bool
    data: Floats
    indices: Whole
    start: Whole


@final
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


@final
class Kernels(NamedTuple):
    """The five kernels, of which a setting calls two."""

    matrix: Any
    scores: Any
    clicks: Any
    of_matrix: Any
    of_scores: Any


@final
class Descent(NamedTuple):
    """The penalty, the size of the steps (the first has 1 / curvature), and when the mean begins.

    ``L2``: lam |w|^2/2 is added. ``L2_BALL``, ``L1_BALL``: the weights stay in a ball. ``NO_PENALTY``.
    """

    penalty: int
    lam: float
    radius: float
    curvature: float
    average_from: int


@final
class Scratch(NamedTuple):
    """Memory reused by every step, and the structure of all labels of a query, once it is `known`.

    Query q has the room ``kept[kept_start[q]:kept_start[q + 1]]``, perhaps none.
    """

    labels: Whole
    slot: Whole
    items: Whole
    scores: Floats
    slopes: Floats
    kept: Floats
    kept_start: Whole
    known: Whole


# One term --------------------------------------------------------------------------------------------
#
# What touches a row of the features takes arrays and not the tuples that hold them: to take an array out of a
# tuple costs as much as ten additions.


@inlined
def _draw(said_start: Floats, label_start: Whole, labels: Whole, k: int, rng: Any) -> tuple[int, int, int]:
    """A query with probability n_q/n, and where in `labels` k of its labels are, all sets equally likely."""
    query = np.searchsorted(said_start, rng.random() * said_start[-1], side="right") - 1
    begin = label_start[query]
    count = label_start[query + 1] - begin
    taken = min(k, count)
    if taken < count:
        for i in range(taken):
            j = begin + i + int(rng.random() * (count - i))
            labels[begin + i], labels[j] = labels[j], labels[begin + i]
    return query, begin, begin + taken


@inlined
def _number(item: int, slot: Whole, items: Whole, count: int) -> int:
    """Give an item the next number if it has none."""
    if slot[item] >= 0:
        return count
    slot[item] = count
    items[count] = item
    return count + 1


@inlined
def _gather(said: LabelTable, scratch: Scratch, begin: int, end: int, m: int) -> tuple[int, int]:
    """Number the items: first the t that the labels name, then all others below m; t, and how many."""
    labels, slot, items = scratch.labels, scratch.slot, scratch.items
    entries, first, second = said.entry_start, said.first, said.second
    t = 0
    for at in range(begin, end):
        for place in range(entries[labels[at]], entries[labels[at] + 1]):
            t = _number(first[place], slot, items, t)
            t = _number(second[place], slot, items, t)
    size = t
    for item in range(m):
        size = _number(item, slot, items, size)
    return t, size


@inlined
def _wins(said: LabelTable, scratch: Scratch, begin: int, end: int, size: int) -> Floats:
    labels, slot, entries = scratch.labels, scratch.slot, said.entry_start
    first, second, weight = said.first, said.second, said.weight
    wins = np.zeros((size, size))
    for at in range(begin, end):
        for place in range(entries[labels[at]], entries[labels[at] + 1]):
            wins[slot[first[place]], slot[second[place]]] += weight[place]
    return wins


@inlined
def _aggregate(
    said: LabelTable,
    scratch: Scratch,
    begin: int,
    end: int,
    t: int,
    size: int,
    total: float,
    setting: Setting,
    kernels: Kernels,
    nothing: Floats,
) -> tuple[Floats, Floats]:
    """The structure of the labels, a matrix of the first t items or of all, or scores; and nothing."""
    if setting.kind == MATRIX:
        matrix = kernels.matrix(_wins(said, scratch, begin, end, t), total, setting.smoothing)
        if not setting.scores:
            return matrix, nothing[0]
        vector = np.zeros(size)
        sums = row_sums(matrix)
        for i in range(t):
            vector[i] = sums[i] / size
        return nothing, vector
    if setting.kind == SCORES:
        vector = kernels.scores(_wins(said, scratch, begin, end, size), total, setting.smoothing)
    else:
        labels, slot, entries = scratch.labels, scratch.slot, said.entry_start
        clicked, seen = np.zeros(size), np.zeros(size)
        for at in range(begin, end):
            for place in range(entries[labels[at]], entries[labels[at] + 1]):
                item = slot[said.first[place]]
                clicked[item] += said.weight[place]
                seen[item] += 1.0
        vector = kernels.clicks(clicked, seen)
    if setting.scores:
        return nothing, vector
    return vector.reshape(-1, 1) - vector, nothing[0]


@inlined
def _structure(
    said: LabelTable,
    scratch: Scratch,
    query: int,
    begin: int,
    end: int,
    setting: Setting,
    kernels: Kernels,
    nothing: Floats,
) -> tuple[int, Floats, Floats]:
    """How many items enter, which `items` says, and the structure of the labels; of all labels it is kept."""
    m = said.row_start[query + 1] - said.row_start[query] if setting.everything else 0
    count = said.label_start[query + 1] - said.label_start[query]
    kept, begun, room = scratch.kept, 0, 0
    if end - begin == count:
        t = said.compared[query]
        size = max(t, m)
        for i in range(size):
            scratch.slot[i] = scratch.items[i] = i
        if kept.size:
            begun, room = scratch.kept_start[query], scratch.kept_start[query + 1] - scratch.kept_start[query]
        if room and scratch.known[query]:
            if setting.scores:
                return size, nothing, kept[begun : begun + room]
            n = t if setting.kind == MATRIX else size
            return size, kept[begun : begun + room].reshape(n, n), nothing[0]
    else:
        t, size = _gather(said, scratch, begin, end, m)
    total = (end - begin) * (said.said_start[query + 1] - said.said_start[query]) / count
    matrix, vector = _aggregate(said, scratch, begin, end, t, size, total, setting, kernels, nothing)
    if room:
        kept[begun : begun + room] = vector if setting.scores else matrix.reshape(-1)
        scratch.known[query] = 1
    return size, matrix, vector


def term(
    said: LabelTable,
    setting: Setting,
    of_wins: Any,
    to_scores: Any,
    of_clicks: Any,
    of_matrix: Any,
    of_scores: Any,
    query: int,
    chosen: Whole,
    scores: Floats,
    slope: Floats,
    share: float,
) -> float:
    """One term of the risk at scores (N,) of all rows; `share` times its gradient is added to `slope`."""
    kernels = Kernels(of_wins, to_scores, of_clicks, of_matrix, of_scores)
    base, m = said.row_start[query], said.row_start[query + 1] - said.row_start[query]
    nothing, rows, items = np.empty((1, 0)), said.rows, np.empty(m, np.int64)
    scratch = Scratch(
        chosen, np.full(m, -1), items, nothing[0], nothing[0], nothing[0], said.compared, said.compared
    )
    size, matrix, vector = _structure(said, scratch, query, 0, chosen.size, setting, kernels, nothing)
    part, alpha = np.zeros(size), np.empty(size)
    for i in range(size):
        alpha[i] = scores[rows[base + items[i]]]
    value: float = (
        of_scores(vector, alpha, part, setting.nu)
        if setting.scores
        else of_matrix(matrix, alpha, part, setting.nu)
    )
    for i in range(size):
        slope[rows[base + items[i]]] += share * part[i]
    return value


# Features --------------------------------------------------------------------------------------------


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def _full_dot(data: Floats, begin: int, weights: Floats) -> float:
    # A slice, or each index might be negative for all that LLVM knows, and nothing would be vectorized.
    total, row = 0.0, data[begin : begin + weights.size]
    for j in range(weights.size):
        total += row[j] * weights[j]
    return total


@inlined
def _dot(dense: bool, data: Floats, indices: Whole, begin: int, end: int, weights: Floats) -> float:
    if dense:
        return _full_dot(data, begin, weights)
    total = 0.0
    for j in range(begin, end):
        total += data[j] * weights[indices[j]]
    return total


@inlined
def _add(
    dense: bool, data: Floats, indices: Whole, begin: int, end: int, factor: float, weights: Floats
) -> None:
    if dense:
        row = data[begin:end]
        for j in range(weights.size):
            weights[j] += factor * row[j]
    else:
        for j in range(begin, end):
            weights[indices[j]] += factor * data[j]


# Steps -----------------------------------------------------------------------------------------------


@inlined
def _descend(
    data: Floats,
    i: int,
    j: int,
    up: float,
    down: float,
    shrunk: float,
    share: float,
    weights: Floats,
    mean: Floats,
) -> None:
    """Add the rows that begin at i and j to the weights, shrink these, and add them to their mean."""
    first, second = data[i : i + weights.size], data[j : j + weights.size]
    for k in range(weights.size):
        weights[k] = (weights[k] + up * first[k] + down * second[k]) * shrunk
        mean[k] += share * (weights[k] - mean[k])


@inlined
def _project(weights: Floats, radius: float, penalty: int) -> None:
    """The nearest weights in a ball; for the l1 ball a threshold grows until it is right (Michelot)."""
    if penalty == L2_BALL:
        norm = np.sqrt(_full_dot(weights, 0, weights))
        if norm > radius:
            weights *= radius / norm
    elif penalty == L1_BALL and radius < np.sum(np.abs(weights)) < np.inf:
        threshold, count = 0.0, -1
        while True:
            total, kept = 0.0, 0
            for w in weights:
                if abs(w) > threshold:
                    total += abs(w)
                    kept += 1
            if kept in (count, 0):  # 0 if rounding lifts the threshold to the largest weight
                break
            threshold, count = (total - radius) / kept, kept
        for j in range(weights.size):
            weights[j] = np.sign(weights[j]) * max(0.0, abs(weights[j]) - threshold)


def steps(
    said: LabelTable,
    setting: Setting,
    of_wins: Any,
    to_scores: Any,
    of_clicks: Any,
    of_matrix: Any,
    of_scores: Any,
    features: FeatureRows,
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
    rows, row_start, label_start, _, entries, first, second, weight, said_start = said
    dense, data, indices, start = features
    penalty, lam, average_from = descent.penalty, descent.lam, descent.average_from
    labels, slot, items, alphas, slopes, _, _, _ = scratch
    nothing = np.empty((1, 0))
    total = 0.0
    # Where each label is one comparison, most have the weight of the last one, and then its matrix too.
    single = (
        entries.size == first.size + 1
        and setting.k == 1
        and setting.kind == MATRIX
        and not (setting.scores or setting.everything)
    )
    pair, known_weight, known_total = np.zeros((2, 2)), np.nan, np.nan
    two_alpha, two_slope, lean = alphas[:2], slopes[:2], single and dense and penalty <= L2
    for step in range(done + 1, done + count + 1):
        query, begin, end = _draw(said_start, label_start, labels, setting.k, rng)
        base, several = row_start[query], label_start[query + 1] - label_start[query]
        if penalty == L2:
            eta = 1.0 / (descent.curvature + lam * step)
        else:
            eta = 1.0 / (descent.curvature * np.sqrt(step))
        shrunk = 1.0 / (1.0 + eta * lam) if penalty == L2 else 1.0
        share = 1.0 / (step - average_from) if step > average_from else 0.0
        if single and several > 1:
            place = labels[begin]
            said_of_label = (said_start[query + 1] - said_start[query]) / several
            if weight[place] != known_weight or said_of_label != known_total:
                known_weight, known_total = weight[place], said_of_label
                one = np.zeros((2, 2))
                one[0, 1] = known_weight
                pair = kernels.matrix(one, said_of_label, setting.smoothing)
            if lean:
                i, j = start[rows[base + first[place]]], start[rows[base + second[place]]]
                two_alpha[0], two_alpha[1] = _full_dot(data, i, weights), _full_dot(data, j, weights)
                two_slope[0] = two_slope[1] = 0.0
                total += of_matrix(pair, two_alpha, two_slope, setting.nu)
                up, down = -eta * two_slope[0], -eta * two_slope[1]
                _descend(data, i, j, up, down, shrunk, share, weights, mean)
                continue
            items[0], items[1], size, matrix, vector = first[place], second[place], 2, pair, nothing[0]
        else:
            size, matrix, vector = _structure(said, scratch, query, begin, end, setting, kernels, nothing)
        alpha, slope = alphas[:size], slopes[:size]
        for i in range(size):
            row = rows[base + items[i]]
            alpha[i] = _dot(dense, data, indices, start[row], start[row + 1], weights)
            slope[i] = 0.0
        if setting.scores:
            total += of_scores(vector, alpha, slope, setting.nu)
        else:
            total += of_matrix(matrix, alpha, slope, setting.nu)
        for i in range(size):
            slot[items[i]] = -1
            if slope[i] != 0.0:
                row = rows[base + items[i]]
                _add(dense, data, indices, start[row], start[row + 1], -eta * slope[i], weights)
        if penalty > L2:
            _project(weights, descent.radius, penalty)
        for j in range(weights.size):
            weights[j] *= shrunk
            mean[j] += share * (weights[j] - mean[j])
    return total / count


def curvature(
    said: LabelTable,
    setting: Setting,
    of_wins: Any,
    to_scores: Any,
    of_clicks: Any,
    of_matrix: Any,
    of_scores: Any,
    features: FeatureRows,
    scratch: Scratch,
    rng: Any,
    width: int,
    draws: int,
) -> float:
    """The largest bound of the second derivative of a term in the weights, over some terms that are drawn.

    Of pairs: sum_ij |s_ij| phi'' |x_i - x_j|^2, where |x_i - x_j|^2 <= 2|x_i - c|^2 + 2|x_j - c|^2 with the
    mean c of the items. Of scores: the mean of |x_i|^2.
    """
    kernels = Kernels(of_wins, to_scores, of_clicks, of_matrix, of_scores)
    rows, row_start, label_start, said_start = said.rows, said.row_start, said.label_start, said.said_start
    dense, data, indices, start = features
    labels, slot, items = scratch.labels, scratch.slot, scratch.items
    nothing = np.empty((1, 0))
    largest = 0.0
    for _ in range(draws):
        query, begin, end = _draw(said_start, label_start, labels, setting.k, rng)
        base = row_start[query]
        size, matrix, _ = _structure(said, scratch, query, begin, end, setting, kernels, nothing)
        paired = 0 if setting.scores else matrix.shape[0]
        center = np.zeros(width)
        for i in range(paired):
            row = rows[base + items[i]]
            _add(dense, data, indices, start[row], start[row + 1], 1.0 / paired, center)
        norm = _full_dot(center, 0, center)
        bound = 0.0
        for i in range(size):
            slot[items[i]] = -1
            row = rows[base + items[i]]
            square = 0.0
            for j in range(start[row], start[row + 1]):
                square += data[j] * data[j]
            bound += setting.nu * square
            if setting.scores:
                bound += setting.curvature * square / size
            elif i < paired:
                along = _dot(dense, data, indices, start[row], start[row + 1], center)
                heavy = 0.0
                for j in range(paired):
                    heavy += abs(matrix[i, j]) + abs(matrix[j, i])
                bound += 2.0 * setting.curvature * heavy * max(0.0, square - 2.0 * along + norm)
        largest = max(largest, bound)
    return largest


# Calling it ------------------------------------------------------------------------------------------

_tuple: Final[Any] = types.BaseTuple.from_types
_VECTOR: Final = types.float64[::1]
_SQUARE: Final = types.float64[:, ::1]
_INTS: Final = types.int64[::1]
_READ: Final = types.Array(types.float64, 1, "C", readonly=True)
_ROWS: Final = _tuple((types.boolean, _READ, _INTS, _INTS), FeatureRows)
_SAID: Final = _tuple((*7 * (_INTS,), *2 * (_VECTOR,)), LabelTable)
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
_SCRATCH: Final = _tuple((*3 * (_INTS,), *3 * (_VECTOR,), *2 * (_INTS,)), Scratch)
_RNG: Final = types.npy_rng
_SIGNATURES: Final[Mapping[Callable[..., Any], tuple[Any, ...]]] = MappingProxyType(
    {
        term: (*_MADE, types.int64, _INTS, _VECTOR, _VECTOR, types.float64),
        curvature: (*_MADE, _ROWS, _SCRATCH, _RNG, types.int64, types.int64),
        steps: (*_MADE, _ROWS, _DESCENT, _SCRATCH, _RNG, _VECTOR, _VECTOR, types.int64, types.int64),
    }
)


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`term`, `curvature` or `steps` as machine code, which `__pycache__` keeps."""
    return entry(function, _SIGNATURES[function])
