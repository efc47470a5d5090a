"""Make cells on a Dask cluster that runs already; Dask gives the cells of a worker that dies to others."""

import threading
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final

from consistency_lab.atlas.cell import Cell
from consistency_lab.atlas.make import tried
from consistency_lab.atlas.outcome import Failed, Outcome, outcome, reason
from consistency_lab.errors import InputError

EXTRA: Final = "cluster"
"""The extra of this package that brings Dask."""

_TIMEOUT: Final = 10.0
"""Seconds in which the scheduler must answer."""

_ONE: Final = threading.Lock()
"""Exact arithmetic has one precision a process, so the threads of a worker take turns."""


def make_on_cluster(cells: Sequence[Cell], scheduler: str) -> Generator[Outcome, None, None]:
    """Make cells on the cluster of a scheduler; what becomes of each, in the order in which they finish.

    Close the iterator to cancel the cells that are not finished.

    Parameters
    ----------
    cells
        What to make. Workers are sent plain data, and this package must be installed there.
    scheduler
        Its address, such as tcp://127.0.0.1:8786.

    Raises
    ------
    InputError
        If Dask is not installed, or nothing answers at the address.
    """
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise InputError(
            f"--scheduler needs Dask, which is not installed here; install the extra consistency-lab[{EXTRA}]"
        ) from None
    try:
        client = Client(scheduler, timeout=_TIMEOUT, set_as_default=False)
    except (OSError, TimeoutError, ValueError, ImportError) as error:
        raise InputError(
            f"no Dask scheduler answers at {scheduler} ({reason(error)}); start one with: dask scheduler"
        ) from None
    futures: dict[Any, Cell] = {}
    try:
        futures = {client.submit(tried_alone, cell.parameters(), pure=False): cell for cell in cells}
        # The iterator has no references to futures that are done, so documents leave the cluster one by one.
        for future in as_completed(list(futures), loop=client.loop):
            cell = futures.pop(future)
            yield _outcome(future, cell)
    finally:
        client.cancel(list(futures), force=True)
        client.close()


def tried_alone(parameters: Mapping[str, object]) -> tuple[dict[str, object] | None, str]:
    """Make a cell while no other thread of this process makes one."""
    with _ONE:
        return tried(parameters)


def _outcome(future: Any, cell: Cell) -> Outcome:
    """The document, or why there is none."""
    if future.status == "finished":
        return outcome(cell, *future.result())
    if future.status == "cancelled":
        return Failed(cell, "the connection to the scheduler was lost")
    return Failed(cell, reason(future.exception()))
