"""Make cells on a Dask cluster that runs already."""

from collections.abc import Generator, Sequence
from contextlib import closing

from consistency_lab.atlas.cell import Cell
from consistency_lab.atlas.make import tried
from consistency_lab.atlas.outcome import Failed, Outcome, outcome
from consistency_lab.cluster import Undone, on_cluster


def make_on_cluster(cells: Sequence[Cell], scheduler: str) -> Generator[Outcome, None, None]:
    """Make cells on the cluster of a scheduler; what becomes of each, in the order in which they finish.

    Close the iterator to cancel the cells that are not finished.

    Raises
    ------
    InputError
        If that is no address, or no scheduler answers.
    UnsupportedError
        If Dask is not installed.
    """
    messages = [cell.parameters() for cell in cells]
    with closing(on_cluster(tried, messages, scheduler)) as found:
        for number, answer in found:
            if isinstance(answer, Undone):
                yield Failed(cells[number], answer.reason)
            else:
                yield outcome(cells[number], *answer)
