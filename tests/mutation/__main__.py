"""``python -m tests.mutation FILE...``: mutants of these files (of all in the map, without one) that survive.

The tests that the map names for a file are collected once. Each mutant is tried in a forked process, until a
test fails, those first that noticed most mutants so far. Survivors that `survivors.txt` explains are counted
and not shown. Exit code 1: others survive. What a file of tests computes while it is imported is computed
before there is a mutant: it belongs into a test.
"""

import argparse
import importlib
import os
import resource
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from itertools import zip_longest
from pathlib import Path
from typing import TextIO

import pytest
from hypothesis import Phase, settings

from tests.mutation.mutants import Mutant, install, module_of, mutants
from tests.mutation.survivors import explained
from tests.mutation.targets import TARGETS

_SILENT = (
    *("-x", "-q", "-s", "--no-header", "-p", "no:cacheprovider"),
    *("--assert=plain", "--hypothesis-profile=found"),
)
# One failure is enough: it is not made small.
settings.register_profile("found", derandomize=True, deadline=None, phases=(Phase.explicit, Phase.generate))


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
    trials = _Trials(file, tests, lines, sys.stdout)
    _pytest(*tests, plugin=trials)
    if trials.failure is not None:
        sys.exit(f"{file}: {trials.failure}")
    return trials.fresh > 0


class _Trials:
    """Collects the tests once, and tries each mutant on them in a process of its own."""

    failure: str | None = "its tests cannot be collected"
    fresh = 0

    def __init__(self, file: str, tests: Sequence[str], lines: Sequence[int], out: TextIO) -> None:
        self._file, self._tests, self._lines, self._out = file, tests, lines, out
        self._noticed = Counter[str]()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try all mutants in place of running the tests."""
        importlib.import_module(module_of(self._file))
        before = _seconds()
        self.failure = None if self._survives(None, session, 3600) else "its tests fail without a mutant"
        if self.failure is not None:
            return True
        limit = 2 + 2 * (_seconds() - before)
        reasons = explained(self._file)
        tried = [mutant for mutant in mutants(self._file) if mutant.line in self._lines]
        known = 0
        for mutant in tried:
            if not self._survives(mutant, session, limit):
                continue
            if mutant.key in reasons:
                known += 1
            else:
                self.fresh += 1
                self._tell(f"{self._file}:{mutant.line}: {mutant.key}")
        survive = f"{known + self.fresh} survive, {known} of them explained"
        self._tell(f"{self._file}: {len(tried)} mutants; {survive}")
        return True

    def _tell(self, line: str) -> None:
        print(line, file=self._out, flush=True)

    def _survives(self, mutant: Mutant | None, session: pytest.Session, limit: float) -> bool:
        """Whether the tests pass, and in time; the one that does not is counted as telling."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                signal.setitimer(signal.ITIMER_PROF, limit)
                first = _TellingFirst(self._noticed, writing)
                if mutant is None or install(self._file, mutant):
                    code = first.run(session)
                else:
                    code = _pytest(*self._tests, plugin=first)
            finally:
                os._exit(code)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as told:
            self._noticed.update(told.read().splitlines())
        return os.waitpid(child, 0)[1] == 0


class _TellingFirst:
    """Runs the tests that noticed most first, and writes down which one fails."""

    def __init__(self, noticed: Counter[str], told: int) -> None:
        self._noticed, self._told = noticed, told

    def run(self, session: pytest.Session) -> int:
        """Run the tests of a session that has collected them, until one fails."""
        session.config.pluginmanager.register(self)
        self.pytest_collection_modifyitems(session.items)
        for item, following in zip_longest(session.items, session.items[1:]):
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                return 1
        return 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Sort the tests."""
        items.sort(key=lambda item: -self._noticed[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell the parent of a failure."""
        if report.failed:
            os.write(self._told, f"{report.nodeid}\n".encode())


def _seconds() -> float:
    """Of processors, which all processes that have ended took."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def _pytest(*arguments: str, plugin: object) -> int:
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
    ):
        return int(pytest.main([*_SILENT, "--hypothesis-profile=found", *arguments], plugins=[plugin]))


if __name__ == "__main__":
    sys.exit(main())
