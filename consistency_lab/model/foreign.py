"""Code that is not ours: it may loop, sleep, catch what ends it, or call what lets no signal through."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from queue import SimpleQueue
from types import FrameType
from typing import Final, Literal, NoReturn, TypeVar

from consistency_lab.errors import terminate

_Answer = TypeVar("_Answer")

# --- An end by counting steps: no clock, so the outcome is the same everywhere ---------------------------
# Counted is what Python runs. A single operation inside a compiled function is not cut short: whoever hands
# over numbers has to bound their size.

_Event = Literal["call", "opcode"]

CALLS: Final = "call"
"""Count the functions that are called: cheap."""

OPERATIONS: Final = "opcode"
"""Count every operation of Python's machine: this ends a loop without calls, on a single line, too."""


_GRACE: Final = 10_000
"""So many calls may clean up before the work is told again to end."""


class _TooMany(BaseException):
    """Not an `Exception`, so that the work does not catch it."""


def within(
    limit: int, each: _Event, work: Callable[[], _Answer], over: Callable[[], object] = lambda: None
) -> _Answer | None:
    """What the work returns, or None if it takes more than `limit` steps; then `over` is called first."""
    # Work that catches every exception is told again at its later calls. Under a tool that traces Python
    # nothing is counted.
    if sys.gettrace() is not None:
        return work()
    left, late = limit, 0

    def step(frame: FrameType, event: str, argument: object) -> object:
        nonlocal left
        if event == each:
            left -= 1
            if left < 0:
                over()
                sys.setprofile(insist)
                raise _TooMany
        if each == CALLS:
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return step

    def insist(frame: FrameType, event: str, argument: object) -> None:
        # A hook that raises is removed, so the two kinds of hooks take turns.
        nonlocal late
        if event == "call":
            late += 1
            if late % _GRACE == 0:
                (sys.settrace if late // _GRACE % 2 else sys.setprofile)(insist)
                raise _TooMany

    report = sys.unraisablehook  # Python reports what it ignores in a finalizer; this is ours
    sys.unraisablehook = lambda met: None if met.exc_type is _TooMany else report(met)
    sys.settrace(step)  # type: ignore[arg-type]
    try:
        found = work()
        return found if left >= 0 else None
    except _TooMany:
        return None
    finally:
        sys.settrace(None)
        if left < 0:
            sys.setprofile(None)
        sys.unraisablehook = report


# --- An end from outside, and in a thread of its own -----------------------------------------------------


@contextmanager
def endable() -> Iterator[None]:
    """While foreign code runs, SIGTERM ends the command: no handler has a turn in an operation of C."""
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
    """What the work returns, or None if it takes too many operations; then its thread is left behind."""
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
