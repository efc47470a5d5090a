"""Work done in processes of this machine: each has one pipe, one piece of work at a time, and one core.

A pool of `concurrent.futures` would break as a whole when one process is killed, and would leave the others
behind if this one is.
"""

import os
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

from consistency_lab.errors import UnsupportedError
from consistency_lab.frozen import frozen

_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_WATCH: Final = "the parent"

ROOM: Final = 640 << 20
"""The address space, in bytes, that NumPy and SciPy take, with what they are loaded for."""

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


def need_room(size: int = ROOM) -> None:
    """Refuse to load libraries into a limited address space: they would spin, deaf to SIGTERM, or crash.

    Raises
    ------
    UnsupportedError
        If less than this is allowed.
    """
    if sys.platform == "win32":
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    if limit < size:
        raise UnsupportedError(
            f"the address space is limited to {limit >> 20:,} MB, and this needs {size >> 20:,} MB; allow "
            f"it, as by ulimit -v {size >> 10}"
        )
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread takes 80 MB


def at_once(
    work: Callable[[_Message], _Answer],
    messages: Sequence[_Message],
    processes: int,
    *,
    attempts: int = 1,
) -> Generator[tuple[int, _Answer | ProcessDied], None, None]:
    """Do several pieces of work at once: the number and the answer of each, as they finish.

    Close the iterator to stop the processes that still work.

    Parameters
    ----------
    work
        What is done with a message: a function of a module, for it runs in another process.
    messages
        Plain data, one for each piece of work.
    processes
        How many work at once.
    attempts
        So many processes may die over one message; then it is lost.

    Examples
    --------
    >>> sorted(at_once(str.upper, ["a", "b"], 2))
    [(0, 'A'), (1, 'B')]
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
