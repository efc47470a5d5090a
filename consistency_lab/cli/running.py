"""Run one command: every way in which it can end becomes an exit code and at most one sentence."""

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from consistency_lab.cli.exit_codes import BAD_QUESTION, BROKEN_PIPE, INCONSISTENT, INTERRUPTED, OWN_ERROR
from consistency_lab.cli.streams import prepare_streams, warn
from consistency_lab.cli.verification import plain_files, verify_files
from consistency_lab.errors import ConsistencyLabError, RejectedError


def main() -> NoReturn:
    """Run the command that the process was started with."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return the exit code.

    Examples
    --------
    >>> run(["--version"])  # doctest: +ELLIPSIS
    consistency-lab ...
    0
    """
    prepare_streams()
    try:
        code = _run(list(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        warn("interrupted before there was an answer")
        return INTERRUPTED
    except Exception:  # an error of ours must not end with a code that reads as an answer
        traceback.print_exc()
        warn("this is an error of consistency-lab itself; please report it with the lines above")
        return OWN_ERROR
    return code


def _run(arguments: list[str]) -> int:
    try:
        files = plain_files(arguments)
        if files is not None:
            return verify_files(files)
        # Typer takes longer to import than the kernel takes to check a file.
        from consistency_lab.cli.application import dispatch

        return dispatch(arguments)
    except RejectedError as error:
        warn(f"REJECTED {error}")
        return INCONSISTENT
    except ConsistencyLabError as error:
        warn(str(error))
        return BAD_QUESTION


def _forget_stdout() -> None:
    """Nobody reads stdout any more: let what is still in its buffer vanish without a complaint at exit."""
    with suppress(OSError, ValueError):  # it may not be a real file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
