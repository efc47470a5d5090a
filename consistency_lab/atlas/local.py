"""Make cells in processes of this machine, one thread each; a process that dies takes nothing along.

Each process has one pipe and works on one cell at a time. A pool of `concurrent.futures` would break as a
whole when one process is killed, and would leave the others behind if this one is.
"""

import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Final

from consistency_lab.atlas.cell import Cell
from consistency_lab.atlas.make import tried
from consistency_lab.atlas.outcome import Failed, Outcome, outcome

ATTEMPTS: Final = 3
"""So many processes may die over a cell; then it has failed."""

_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_WATCH: Final = "the parent"


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def make_locally(cells: Sequence[Cell], jobs: int) -> Generator[Outcome, None, None]:
    """Make cells, `jobs` at once; what becomes of each, in the order in which they finish.

    Close the iterator to stop the processes that still work.
    """
    waiting = list(reversed(cells))
    lost = Counter[Cell]()
    running: dict[Connection, tuple[SpawnProcess, Cell]] = {}

    def hand_out(connection: Connection, process: SpawnProcess) -> None:
        cell = waiting.pop()
        running[connection] = process, cell
        with suppress(OSError):  # a process that has died is noticed when its answer is read
            connection.send(cell.parameters())

    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                hand_out(*_new_process())
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                process, cell = running.pop(ready)
                found = _answer(ready, process, cell)
                if found is None:
                    _stop(ready, process)
                    lost[cell] += 1
                    if lost[cell] < ATTEMPTS:
                        waiting.append(cell)
                        continue
                    code = process.exitcode
                    yield Failed(cell, f"{ATTEMPTS} processes ended over it, the last with exit code {code}")
                    continue
                if waiting:
                    hand_out(ready, process)
                else:
                    _stop(ready, process)
                yield found
    finally:
        for connection, (process, _) in running.items():
            _stop(connection, process)


def _answer(connection: Connection, process: SpawnProcess, cell: Cell) -> Outcome | None:
    """What the process says of its cell; None if it has died."""
    try:
        return outcome(cell, *connection.recv())
    except (EOFError, OSError):
        process.join()
        return None


def _new_process() -> tuple[Connection, SpawnProcess]:
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there,), daemon=True)
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


def _serve(connection: Connection) -> None:
    """Make the cells that the other end asks for, until it hangs up or its process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in _THREADS:
        os.environ[name] = "1"  # there is one process a core already
    sys.stdout = sys.stderr  # what a solver prints must not get between the lines of the answer
    threading.Thread(target=_end_with_parent, name=_WATCH, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            connection.send(tried(connection.recv()))


def _end_with_parent() -> None:
    """A process whose parent was killed would go on with a cell that nobody waits for."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
