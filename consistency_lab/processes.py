"""Work done elsewhere: in processes of this machine, or on a Dask cluster that runs already.

Each process of this machine has one pipe, one piece of work at a time, and one core: a pool of
`concurrent.futures` would break as a whole when one is killed, and would leave the others behind if this one
is. Dask gives the work of a worker that dies to others.
"""

import os
import re
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Final, TypeVar

from consistency_lab.errors import InputError, need, reason
from consistency_lab.frozen import frozen

_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_WATCH: Final = "the parent"

_Message = TypeVar("_Message")
_Answer = TypeVar("_Answer")


@frozen
class ProcessDied:
    """A piece of work over which its processes have died."""

    exit_code: int | None  #: That of the last of them, negative for a signal.


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def at_once(
    work: Callable[[_Message], _Answer], messages: Sequence[_Message], processes: int, *, attempts: int = 1
) -> Generator[tuple[int, _Answer | ProcessDied], None, None]:
    """Do several pieces of work at once: the number and the answer of each, as they finish.

    `work` is a function of a module, for it runs in another process. `attempts` processes may die over one
    message. Close the iterator to stop the processes that still work.
    """
    waiting = list(reversed(range(len(messages))))
    lost = Counter[int]()
    running: dict[Connection, tuple[SpawnProcess, int]] = {}

    def hand_out(connection: Connection, process: SpawnProcess) -> None:
        number = waiting.pop()
        running[connection] = process, number
        with suppress(OSError):  # a process that has died is noticed when its answer is read
            connection.send(messages[number])

    try:
        while waiting or running:
            while waiting and len(running) < processes:
                hand_out(*_new_process(work))
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                process, number = running.pop(ready)
                try:
                    answer: _Answer | ProcessDied = ready.recv()
                except (EOFError, OSError):
                    process.join()
                    _stop(ready, process)
                    lost[number] += 1
                    if lost[number] < attempts:
                        waiting.append(number)
                        continue
                    answer = ProcessDied(process.exitcode)
                else:
                    if waiting:
                        hand_out(ready, process)
                    else:
                        _stop(ready, process)
                yield number, answer
    finally:
        for connection, (process, _) in running.items():
            _stop(connection, process)


def _new_process(work: Callable[[Any], object]) -> tuple[Connection, SpawnProcess]:
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, work), daemon=True)
    with _interrupts_ignored():
        process.start()
    there.close()
    return here, process


def _stop(connection: Connection, process: SpawnProcess) -> None:
    process.terminate()
    process.join()
    connection.close()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ctrl-C reaches all processes of a terminal: a new one must not even begin to listen to it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


def _serve(connection: Connection, work: Callable[[Any], object]) -> None:
    """Do what the other end asks for, until it hangs up or its process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in _THREADS:
        os.environ[name] = "1"  # there is one process a core already
    sys.stdout = sys.stderr  # what a solver prints must not get between the lines of the answer
    threading.Thread(target=_end_with_parent, name=_WATCH, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            connection.send(work(connection.recv()))


def _end_with_parent() -> None:
    """A process whose parent was killed would go on with work that nobody waits for."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


# --- On a cluster -------------------------------------------------------------------------------------------

_TIMEOUT: Final = 5.0
"""Seconds in which the scheduler must answer."""

_AHEAD: Final = 200
"""So much work at most is on the cluster at once: more would only fill its memory."""

_ADDRESS: Final = re.compile(r"((tcp|tls|ws|wss)://)?([\w.-]+|\[[0-9a-fA-F:.]+\]):([0-9]{1,5})/?", re.ASCII)
_LAST_PORT: Final = 65535

_ONE: Final = threading.Lock()
"""Exact arithmetic has one precision a process, so the threads of a worker take turns."""


@frozen
class Undone:
    """A piece of work that returned nothing, and why, in words."""

    reason: str


def check_address(scheduler: str) -> None:
    """Refuse what cannot be the address of a scheduler; nothing is connected to."""
    found = _ADDRESS.fullmatch(scheduler)
    if found is None or not 1 <= int(found[4]) <= _LAST_PORT:
        raise InputError(f"--scheduler is {scheduler!r}; it must be an address such as tcp://127.0.0.1:8786")


def on_cluster(
    work: Callable[[_Message], _Answer], messages: Sequence[_Message], scheduler: str
) -> Generator[tuple[int, _Answer | Undone], None, None]:
    """Do pieces of work on the cluster of a scheduler: the number and the answer of each, as they finish.

    `work` is a function of a module, and this package must be installed there. Close the iterator to cancel
    what is not finished.
    """
    check_address(scheduler)
    need("distributed", "--scheduler")
    import asyncio

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
