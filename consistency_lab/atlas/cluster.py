"""Make cells on a Dask cluster that runs already; Dask gives the cells of a worker that dies to others."""

import asyncio
import re
import threading
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final

from consistency_lab.atlas.cell import Cell
from consistency_lab.atlas.make import tried
from consistency_lab.atlas.outcome import Failed, Outcome, outcome, reason
from consistency_lab.errors import InputError
from consistency_lab.extras import need

"""The extra of this package that brings Dask."""

_TIMEOUT: Final = 5.0
"""Seconds in which the scheduler must answer."""

_ADDRESS: Final = re.compile(r"((tcp|tls|ws|wss)://)?([\w.-]+|\[[0-9a-fA-F:.]+\]):([0-9]{1,5})/?", re.ASCII)
_LAST_PORT: Final = 65535

_ONE: Final = threading.Lock()
"""Exact arithmetic has one precision a process, so the threads of a worker take turns."""


def check_address(scheduler: str) -> None:
    """Refuse what cannot be the address of a scheduler; nothing is connected to.

    Raises
    ------
    InputError
        If it is not HOST:PORT, with or without a protocol of Dask.

    Examples
    --------
    >>> check_address("tcp://127.0.0.1:8786")
    """
    found = _ADDRESS.fullmatch(scheduler)
    if found is None or not 1 <= int(found[4]) <= _LAST_PORT:
        raise InputError(f"--scheduler is {scheduler!r}; it must be an address such as tcp://127.0.0.1:8786")


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
        If that is no address, or no scheduler answers.
    UnsupportedError
        If Dask is not installed.
    """
    check_address(scheduler)
    need("distributed", "--scheduler")
    from distributed import Client, as_completed

    try:
        # A client that does not come about would take twenty seconds to go, with a traceback, or for ever.
        asyncio.run(asyncio.wait_for(_identity(scheduler), _TIMEOUT))
        client = Client(scheduler, timeout=_TIMEOUT, set_as_default=False)
    except Exception as error:  # each protocol of Dask fails in ways of its own
        why = f"nothing of Dask's within {_TIMEOUT:g} s" if isinstance(error, TimeoutError) else reason(error)
        raise InputError(
            f"no Dask scheduler answers at {scheduler} ({why}); start one with: dask scheduler"
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


async def _identity(scheduler: str) -> None:
    """Ask a scheduler who it is."""
    from distributed.core import rpc

    async with rpc(scheduler, timeout=_TIMEOUT) as remote:
        await remote.identity()


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
