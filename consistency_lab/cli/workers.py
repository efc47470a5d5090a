"""Check statements one after the other, or several at once in processes of their own."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Final

from consistency_lab.report.theorem_run import Examined, examine, failed

_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Started = Callable[[str], None]
"""Is told the name of a statement when its check begins."""


def examine_all(
    names: Sequence[str], jobs: int, started: Started, variants: bool = False
) -> Generator[Examined, None, None]:
    """What becomes of each statement, in the order in which they finish.

    Close the iterator to stop the checks that still run.

    Parameters
    ----------
    names
        The statements.
    jobs
        How many may be checked at once; with 1 they are checked in this process.
    started
        Is told what is being checked.
    variants
        Whether the false variants are checked too.
    """
    if min(jobs, len(names)) <= 1:
        return _one_by_one(names, started, variants)
    return _at_once(names, min(jobs, len(names)), started, variants)


def _one_by_one(names: Sequence[str], started: Started, variants: bool) -> Generator[Examined, None, None]:
    for name in names:
        started(name)
        yield examine(name, variants)


def _at_once(
    names: Sequence[str], jobs: int, started: Started, variants: bool
) -> Generator[Examined, None, None]:
    waiting = list(reversed(names))
    running: dict[Connection, tuple[SpawnProcess, str]] = {}

    def hand_out(connection: Connection, process: SpawnProcess) -> None:
        name = waiting.pop()
        running[connection] = process, name
        started(name)
        with suppress(OSError):  # a process that has died is noticed when its answer is read
            connection.send((name, variants))

    try:
        for _ in range(jobs):
            hand_out(*_new_process())
        while running:
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                process, name = running.pop(ready)
                found = _answer(ready, process, name)
                if waiting:
                    hand_out(*((ready, process) if process.is_alive() else _new_process()))
                else:
                    _stop(ready, process)
                yield found
    finally:
        for connection, (process, _) in running.items():
            _stop(connection, process)


def _answer(connection: Connection, process: SpawnProcess, name: str) -> Examined:
    try:
        found = connection.recv()
        assert isinstance(found, Examined)
        return found
    except (EOFError, OSError):
        process.join()
        return failed(name, f"its process ended without an answer (exit code {process.exitcode})")


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
    """Check what the other end asks for, until it hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in _THREADS:
        os.environ.setdefault(name, "1")  # there is one process a core already
    # What a solver prints must not get between the lines of the answer.
    sys.stdout = sys.stderr
    with suppress(EOFError, OSError):
        while True:
            name, variants = connection.recv()
            connection.send(examine(name, variants))
