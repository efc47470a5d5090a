"""``python -m tests.mutation FILE...``: mutants of these files (of all in the map, without one) that survive.

Each mutant runs in a process forked from one that has imported all that the tests need; the tests that the
map names for the file run there until one fails. Survivors that `survivors.txt` explains are counted and not
shown. Exit code 1: others survive.
"""

import argparse
import importlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from tests.mutation.mutants import Mutant, install, module_of, mutants
from tests.mutation.survivors import explained
from tests.mutation.targets import TARGETS

_SILENT = ("-x", "-q", "--no-header", "-p", "no:cacheprovider", "--assert=plain")


def main() -> int:
    """Try the files of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("files", nargs="*", default=list(TARGETS), metavar="FILE")
    parser.add_argument("--tests", nargs="+", help="tests to run instead of those in the map")
    parser.add_argument("--lines", default="1-1000000", help="only mutants on these lines, such as 40-60")
    given = parser.parse_args()
    first, last = map(int, given.lines.split("-"))
    fresh = [_try(file, given.tests or TARGETS[file], range(first, last + 1)) for file in given.files]
    return int(any(fresh))


def _try(file: str, tests: Sequence[str], lines: Sequence[int]) -> bool:
    """Whether mutants survive that nobody has explained."""
    _pytest("--collect-only", *tests)
    importlib.import_module(module_of(file))
    start = time.monotonic()
    if _survives(None, file, tests, 3600) is False:
        sys.exit(f"{file}: its tests fail without a mutant")
    limit = 10 + 5 * (time.monotonic() - start)
    reasons = explained(file)
    tried = [mutant for mutant in mutants(file) if mutant.line in lines]
    known = fresh = 0
    for mutant in tried:
        if _survives(mutant, file, tests, limit):
            if mutant.key in reasons:
                known += 1
            else:
                fresh += 1
                print(f"{file}:{mutant.line}: {mutant.key}", flush=True)
    print(f"{file}: {len(tried)} mutants; {known + fresh} survive, {known} of them explained", flush=True)
    return fresh > 0


def _survives(mutant: Mutant | None, file: str, tests: Sequence[str], limit: float) -> bool:
    """Whether the tests pass, and in time."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(round(limit))
            if mutant is not None:
                install(file, mutant)
            code = _pytest(*tests)
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def _pytest(*arguments: str) -> int:
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
    ):
        return int(pytest.main([*_SILENT, *arguments]))


if __name__ == "__main__":
    sys.exit(main())
