"""An end to work that is not ours, by counting its steps: no clock, so the outcome is the same everywhere.

Counted is what Python runs. A single operation inside a compiled function is not cut short: whoever hands
over numbers has to bound their size.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Final, Literal, TypeVar

_Answer = TypeVar("_Answer")
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
    """What the work returns, or None if it takes more than `limit` steps.

    Work that catches every exception, or meets it in a finalizer, where Python ignores it, is told again at
    its later calls; `model.foreign` leaves behind what does not heed even that. Under a debugger or another
    tool that traces Python nothing is counted. `over` is called before the work is told to end.
    """
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
