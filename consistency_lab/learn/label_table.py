"""Labels, query by query, as flat arrays that a compiled loop can walk along."""

from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.aggregate import Clicks, Preferences, Structure
from consistency_lab.errors import InputError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@final
class LabelTable(NamedTuple):
    """What was said, sorted by query.

    Query q has the rows ``rows[row_start[q]:row_start[q + 1]]`` of the features, its items, those of which
    anything was said first, `compared` in number; and the labels numbered
    ``label_start[q], ..., label_start[q + 1] - 1``, which count ``said_start[q + 1] - said_start[q]``
    together. Label l has the entries
    ``entry_start[l], ..., entry_start[l + 1] - 1``: item `first` was preferred to item `second` with `weight`
    (items are numbered within their query) or, if they are clicks, item `first` was examined, and clicked if
    the weight is 1.
    """

    rows: Ints
    row_start: Ints
    label_start: Ints
    compared: Ints
    entry_start: Ints
    first: Ints
    second: Ints
    weight: Floats
    said_start: Floats


def label_table(said: Preferences | Clicks, structure: Structure) -> LabelTable:
    """Sort what was said by query and label.

    Parameters
    ----------
    said
        Preferences, or clicks.
    structure
        What they are aggregated to.

    Raises
    ------
    InputError
        If the structure is one of clicks and these are preferences, or the other way round, or if nothing was
        said.

    Examples
    --------
    >>> from consistency_lab.aggregate import BTLLogOdds
    >>> table = label_table(Preferences([2, 0], [3, 1], [7, 7, 5, 5]), BTLLogOdds())
    >>> table.rows.tolist(), table.label_start.tolist(), table.first.tolist()
    ([0, 1, 2, 3], [0, 1, 2], [0, 0])
    """
    clicks = isinstance(said, Clicks)
    if clicks != (structure.kind == "clicks"):
        raise InputError(
            f"{structure.name} takes {'clicks' if structure.kind == 'clicks' else 'preferences'}, "
            f"and these are {'clicks' if clicks else 'preferences'}"
        )
    if isinstance(said, Clicks):
        label, first, clicked = examined(said)
        second, weight, total = first, clicked.astype(np.float64), np.ones(said.clicked.size)
    else:
        label, first, second, total = said.labels, said.winners, said.losers, said.totals
        weight = said.counts if structure.shares else said.weights
    if not first.size or not (isinstance(said, Clicks) or weight.any()):
        raise InputError("nothing was preferred to anything; at least one judgment is needed")
    _, query = np.unique(said.queries, return_inverse=True)
    silent = np.ones(query.size, np.bool_)
    silent[first] = silent[second] = False
    rows = np.lexsort((silent, query))
    row_start = _starts(query[rows])
    place = np.empty(rows.size, np.int64)
    place[rows] = np.arange(rows.size) - row_start[query[rows]]
    order = np.lexsort((label, query[first]))
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


def _starts(sorted_codes: NDArray[np.int64], count: int | None = None) -> Ints:
    """Where each of the codes 0, 1, ... begins in a sorted array, and its length."""
    count = int(sorted_codes[-1]) + 1 if count is None else count
    return np.searchsorted(sorted_codes, np.arange(count + 1)).astype(np.int64)


def examined(said: Clicks) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Session and row of everything that was examined, and whether it was clicked."""
    session = np.repeat(np.arange(said.clicked.size), np.diff(said.starts))
    position = np.arange(said.rows.size) - said.starts[session]
    click = said.clicked[session]
    seen = (click < 0) | (position <= click)
    return session[seen], said.rows[seen], (position == click)[seen]
