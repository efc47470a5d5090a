"""Run one command: every way in which it can end becomes an exit code and at most one sentence."""

import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from consistency_lab.cli.exit_codes import (
    ANSWER_LOST,
    BAD_QUESTION,
    BROKEN_PIPE,
    INCONSISTENT,
    INTERRUPTED,
    OWN_ERROR,
    TERMINATED,
)
from consistency_lab.cli.streams import AnswerLostError, prepared_streams, warn
from consistency_lab.cli.verification import plain_files, verify_files
from consistency_lab.errors import ConsistencyLabError, NotWrittenError, RejectedError
from consistency_lab.foreign import Terminated, terminate


def main() -> NoReturn:
    """Run the command that the process was started with."""
    signal.signal(signal.SIGTERM, terminate)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, as after nohup
        signal.signal(signal.SIGINT, _interrupt)
    sys.exit(run(sys.argv[1:]))


def _interrupt(number: int, _: FrameType | None) -> NoReturn:
    """The first Ctrl-C; that there was one can be told by the handler that it leaves."""
    signal.signal(number, _interrupt_again)
    raise KeyboardInterrupt


def _interrupt_again(_: int, __: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return the exit code.

    Examples
    --------
    >>> run(["--version"])  # doctest: +ELLIPSIS
    consistency-lab ...
    0
    """
    with prepared_streams():
        try:
            return _ended(list(arguments))
        except AnswerLostError as error:
            if isinstance(error.cause, BrokenPipeError):  # as in `| head`: nobody is left to be told
                return BROKEN_PIPE
            warn(str(error))
            return ANSWER_LOST


def _ended(arguments: list[str]) -> int:
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except AnswerLostError:
        raise
    except KeyboardInterrupt:
        warn("interrupted before there was an answer")
        return INTERRUPTED
    except Terminated:
        warn("terminated before there was an answer")
        return TERMINATED
    except BaseException:  # an error of ours must not end with a code that reads as an answer
        if signal.getsignal(signal.SIGINT) is _interrupt_again:
            # NumPy, while it is imported, makes another error of it.
            warn("interrupted before there was an answer")
            return INTERRUPTED
        import traceback

        traceback.print_exc()
        warn("this is an error of consistency-lab itself; please report it with the lines above")
        return OWN_ERROR
    return code


def _run(arguments: list[str]) -> int:
    try:
        files = plain_files(arguments)
        if files is not None:
            return verify_files(files)
        # To read options takes about as long as to check a file.
        from consistency_lab.cli.application import dispatch

        return dispatch(arguments)
    except RejectedError as error:
        warn(f"REJECTED {error}")
        return INCONSISTENT
    except NotWrittenError as error:
        warn(str(error))
        return ANSWER_LOST
    except ConsistencyLabError as error:
        warn(str(error))
        return BAD_QUESTION
    except SystemExit as ending:  # nothing here calls exit, so its code is no answer of ours
        warn(f"the code that is asked about calls exit({ending.code!r}); it must return, or raise an error")
        return BAD_QUESTION
