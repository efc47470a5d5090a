"""Work done on a Dask cluster that runs already; Dask gives the work of a worker that dies to others."""

import asyncio
import re
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Final, TypeVar

from consistency_lab.errors import InputError, need, reason
from consistency_lab.frozen import frozen

_TIMEOUT: Final = 5.0
"""Seconds in which the scheduler must answer."""

_AHEAD: Final = 200
"""So much work at most is on the cluster at once: more would only fill its memory."""

_ADDRESS: Final = re.compile(r"((tcp|tls|ws|wss)://)?([\w.-]+|\[[0-9a-fA-F:.]+\]):([0-9]{1,5})/?", re.ASCII)
_LAST_PORT: Final = 65535

_ONE: Final = threading.Lock()
"""Exact arithmetic has one precision a process, so the threads of a worker take turns."""

_Message = TypeVar("_Message")
_Answer = TypeVar("_Answer")


@frozen
class Undone:
    """A piece of work that returned nothing, and why, in words."""

    reason: str


def check_address(scheduler: str) -> None:
    """Refuse what cannot be the address of a scheduler; nothing is connected to.

    Examples
    --------
    >>> check_address("tcp://127.0.0.1:8786")
    """
    found = _ADDRESS.fullmatch(scheduler)
    if found is None or not 1 <= int(found[4]) <= _LAST_PORT:
        raise InputError(f"--scheduler is {scheduler!r}; it must be an address such as tcp://127.0.0.1:8786")


def on_cluster(
    work: Callable[[_Message], _Answer], messages: Sequence[_Message], scheduler: str
) -> Generator[tuple[int, _Answer | Undone], None, None]:
    """Do pieces of work on the cluster of a scheduler: the number and the answer of each, as they finish.

    Close the iterator to cancel what is not finished.

    Parameters
    ----------
    work
        What is done with a message: a function of a module, and this package must be installed there.
    messages
        Plain data, one for each piece of work.
    scheduler
        Its address, such as tcp://127.0.0.1:8786.

    Raises
    ------
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
    futures: dict[Any, int] = {}

    def submit(numbers: Iterator[int]) -> Any:
        """The next piece of work, or None if there is none."""
        for number in numbers:
            future = client.submit(alone, work, messages[number], pure=False)
            futures[future] = number
            return future
        return None

    try:
        waiting = iter(range(len(messages)))
        first = [future for _ in range(_AHEAD) if (future := submit(waiting)) is not None]
        finished = as_completed(first, loop=client.loop)
        # Neither has references to futures that are done, so answers leave the cluster one by one.
        del first
        for future in finished:
            number = futures.pop(future)
            if (following := submit(waiting)) is not None:
                finished.add(following)
            yield number, _answer(future)
    finally:
        client.cancel(list(futures), force=True)
        client.close()


async def _identity(scheduler: str) -> None:
    """Ask a scheduler who it is."""
    from distributed.core import rpc

    async with rpc(scheduler, timeout=_TIMEOUT) as remote:
        await remote.identity()


def alone(work: Callable[[_Message], _Answer], message: _Message) -> _Answer:
    """Do a piece of work while no other thread of this process does one."""
    with _ONE:
        return work(message)


def _answer(future: Any) -> Any:
    if future.status == "finished":
        return future.result()
    if future.status == "cancelled":
        return Undone("the connection to the scheduler was lost")
    return Undone(reason(future.exception()))
