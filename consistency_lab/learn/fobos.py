"""Composite stochastic gradient: one term a step, a proximal step, the mean of the iterates (DMJ13 §6.1)."""

from collections.abc import Iterator
from typing import Any, ClassVar, Final, final

import numpy as np

from consistency_lab.learn.compiled import MATRIX, Descent, Features, Scratch, compiled, curvature, steps
from consistency_lab.learn.terms import Terms

MOST_KEPT: Final = 2**25
"""Most numbers that are kept of aggregated queries (256 MB); what is beyond is aggregated at every step."""


def features_of(matrix: Any) -> Features:
    """Rows of a dense array, or of a CSR matrix, as the compiled loop reads them."""
    dense = isinstance(matrix, np.ndarray)
    if dense:
        indices, starts = np.empty(0, np.int64), np.arange(matrix.shape[0] + 1) * matrix.shape[1]
    else:
        indices, starts = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    data = np.ascontiguousarray(matrix if dense else matrix.data, np.float64).reshape(-1)
    read = data[:]
    read.flags.writeable = False
    return Features(dense, read, indices, starts)


@final
class Walk:
    """Weights on their way downhill: composite stochastic gradient (FOBOS, DMJ13 §6.1).

    Parameters
    ----------
    width
        How many weights there are; they begin at 0.
    descent
        Penalty and size of the steps; without a curvature, the bound is taken that some terms give at first.
    rng
        What draws the terms.
    """

    draws: ClassVar[int] = 100
    """How many terms bound the curvature."""

    parts: ClassVar[int] = 20
    """In how many parts the steps are taken, so that they can be watched and stopped."""

    def __init__(self, width: int, descent: Descent, rng: np.random.Generator) -> None:
        self.weights, self.mean, self.done = np.zeros(width), np.zeros(width), 0
        self.descent, self.rng, self.curvature = descent, rng, descent.curvature

    def go(self, features: Features, made: Terms, count: int, verbose: bool) -> list[float]:
        """Take some steps; the mean of the terms met in each twentieth of them."""
        scratch = _scratch(made)
        self.curvature = self.descent.curvature or self.curvature
        if not self.curvature:
            width = self.weights.size
            found = compiled(curvature)(*made.parts, features, scratch, self.rng, width, self.draws)
            self.curvature = found or 1.0
        descent = self.descent._replace(curvature=self.curvature)
        ends = np.unique(np.linspace(0, count, min(count, self.parts) + 1).astype(np.int64))
        means, go_on = [], compiled(steps)
        for block in _told(np.diff(ends).tolist(), verbose):
            state = self.rng, self.weights, self.mean, self.done
            means.append(go_on(*made.parts, features, descent, scratch, *state, block))
            self.done += block
        return means


def _told(blocks: list[int], verbose: bool) -> Iterator[int]:
    """The blocks of steps, with a bar on stderr where it is asked for."""
    if not verbose:
        yield from blocks
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("steps"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=sum(blocks))
        for block in blocks:
            yield block
            bar.advance(task, block)


def _scratch(made: Terms) -> Scratch:
    """Memory of the steps, with room for the structures of the queries that have one term."""
    said, setting = made.said, made.setting
    size = np.diff(said.row_start)
    widest = int(size.max())
    buffers = np.full(widest, -1), np.empty(widest, np.int64), np.empty(widest), np.empty(widest)
    wide = said.compared if setting.kind == MATRIX and not setting.scores else size
    room = np.where(np.diff(said.label_start) <= setting.k, wide if setting.scores else wide**2, 0)
    room[np.cumsum(room) > MOST_KEPT] = 0
    kept = np.empty(int(room.sum())), np.r_[0, np.cumsum(room)], np.zeros(size.size, np.int64)
    return Scratch(np.arange(said.label_start[-1]), *buffers, *kept)
