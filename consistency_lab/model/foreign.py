"""Code that is not ours: it may loop, sleep, catch what ends it, or call what lets no signal through."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from queue import SimpleQueue
from typing import NoReturn, TypeVar

from consistency_lab.errors import terminate
from consistency_lab.model.counting import OPERATIONS, within

_Answer = TypeVar("_Answer")


@contextmanager
def endable() -> Iterator[None]:
    """While foreign code runs, SIGTERM ends the command at once, by the system's own hand.

    A handler gets no turn during one long operation in C, and foreign code may catch what it raises. Nothing
    of ours is half done meanwhile. Only the command is ended so: a program that uses this package keeps its
    handlers.
    """
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGTERM) is not terminate:
        yield
        return
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, terminate)


def apart(limit: int, work: Callable[[], _Answer]) -> _Answer | None:
    """What the work returns, or None as soon as it takes more than `limit` operations of Python.

    It runs in a thread of its own. One that does not end although it is told to is left behind, and ends with
    the process; so nothing that the work catches makes anybody wait. Under a debugger it runs in this thread.
    """
    if sys.gettrace() is not None:
        return work()
    answers = SimpleQueue[Callable[[], _Answer | None]]()

    def attempt() -> None:
        try:
            found = within(limit, OPERATIONS, work, lambda: answers.put(lambda: None))
        except BaseException as error:  # it is raised again, in the thread that asked
            answers.put(_raising(error))
        else:
            answers.put(lambda: found)

    with endable():
        threading.Thread(target=copy_context().run, args=(attempt,), daemon=True).start()
        answer = answers.get()
    return answer()


def _raising(error: BaseException) -> Callable[[], NoReturn]:
    def again() -> NoReturn:
        raise error

    return again
