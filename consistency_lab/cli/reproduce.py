"""``consistency-lab reproduce``: check the statements of the theorem book."""

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Final, Protocol, final

from consistency_lab.cli.arguments import process_number
from consistency_lab.cli.codes import CONSISTENT, INCONSISTENT, INTERRUPTED
from consistency_lab.cli.grammar import Command, argument, option
from consistency_lab.cli.streams import say_json, say_report, say_table, warn
from consistency_lab.extras import need

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

    from consistency_lab.book.book import Examined

JOBS: Final = 2


@final
class Reproduce(Command):
    """Check the theorems of the papers by machine, and say what was checked and how.

    Exit code 0: every outcome is as the book claims; 1: one is not.
    """

    statements: tuple[str, ...] = argument(
        "Names, see list theorems; all without one.", (), metavar="STATEMENT"
    )
    explain: bool = option("Print the proofs as they were found, and refute false variants.", False)
    jobs: int | None = option(
        f"Statements checked at once (cores, at most {JOBS}).", metavar="N", read=process_number
    )
    json: bool = option("Print one JSON document.", False)

    def run(self) -> int:
        """Check, show, and compare with what is claimed."""
        from consistency_lab.processes import cores
        from consistency_lab.report.theorem_book import book_document, chosen

        names = chosen(self.statements)
        need("z3", "the theorem book")
        start = perf_counter()
        book = _checked(names, self.jobs or min(JOBS, cores()), self.explain)
        if self.json:
            say_json(book_document(book, len(names), perf_counter() - start))
        else:
            _print(book, len(names), self.explain)
        warn(f"checked {len(book)} of {len(names)} in {perf_counter() - start:.1f} s")
        if len(book) < len(names):
            warn("interrupted: this is what was finished")
            return INTERRUPTED
        return CONSISTENT if all(one.as_claimed for one in book) else INCONSISTENT


def _checked(names: Sequence[str], jobs: int, variants: bool) -> "list[Examined]":
    """In the order of the names; after Ctrl-C those that were finished."""
    found: dict[str, Examined] = {}
    try:
        with (
            watched(len(names)) as watcher,
            closing(examine_all(names, jobs, watcher.started, variants)) as all_,
        ):
            for examined in all_:
                found[examined.name] = examined
                watcher.finished(examined)
    except KeyboardInterrupt:
        if not found:
            raise
    return [found[name] for name in names if name in found]


def _print(book: "Sequence[Examined]", asked: int, explain: bool) -> None:
    from consistency_lab.report.theorem_book import explanation, outcomes_table, remarks, summary, troubles

    if explain:
        for one in book:
            say_report(explanation(one))
    say_table(outcomes_table(book))
    say_report(summary(book, asked))
    say_report(troubles(book))
    if not explain:
        say_report(remarks(book))


# --- On stderr, the statements that are checked so far, while the others are being checked ---------------

_ROOM: Final = 4
"""Lines of the terminal that are left for what is being checked."""


class Watcher(Protocol):
    """Is told how far the book is."""

    def started(self, name: str) -> None:
        """A check begins."""

    def finished(self, examined: "Examined") -> None:
        """A check has ended."""


@final
class _Nobody:
    def started(self, name: str) -> None: ...

    def finished(self, examined: "Examined") -> None: ...


@final
class _Rows:
    """What has finished, and what is running; Rich draws it again and again."""

    def __init__(self, total: int, height: int) -> None:
        from rich.spinner import Spinner

        self._total = total
        self._height = height
        self._running: list[str] = []
        self._finished: list[Examined] = []
        self._spinner = Spinner("dots")

    def started(self, name: str) -> None:
        self._running.append(name)

    def finished(self, examined: "Examined") -> None:
        self._running.remove(examined.name)
        self._finished.append(examined)

    def __rich__(self) -> "Group":
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        from consistency_lab.report.theorem_book import elapsed, style, verdict

        rows = Table.grid(padding=(0, 2))
        rows.add_column(no_wrap=True)
        rows.add_column(no_wrap=True)
        rows.add_column(justify="right", no_wrap=True)
        for one in self._finished[-max(1, self._height - _ROOM) :]:
            rows.add_row(one.name, Text(verdict(one), style(one)), elapsed(one.seconds))
        count = f"{len(self._finished)} of {self._total}; checking {', '.join(self._running)}"
        self._spinner.update(text=Text(count, overflow="ellipsis", no_wrap=True))
        parts: list[RenderableType] = [rows] if self._finished else []
        return Group(*parts, self._spinner)


@contextmanager
def watched(total: int) -> Iterator[Watcher]:
    """Rows appear as checks finish, and vanish at the end; nothing where nobody looks at stderr."""
    if not sys.stderr.isatty():
        yield _Nobody()
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    rows = _Rows(total, console.size.height)
    with Live(rows, console=console, transient=True, refresh_per_second=8):
        yield rows


# --- Check statements one after the other, or several at once in processes of their own ------------------

Started = Callable[[str], None]
"""Is told the name of a statement when its check begins."""


def examine_all(
    names: Sequence[str], jobs: int, started: Started, variants: bool = False
) -> "Generator[Examined, None, None]":
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
    from consistency_lab.book.book import examine, failed
    from consistency_lab.processes import Lost, at_once

    if min(jobs, len(names)) <= 1:
        for name in names:
            started(name)
            yield examine(name, variants)
        return
    messages = [(name, variants) for name in names]
    with closing(at_once(_examined, messages, jobs, started=lambda number: started(names[number]))) as found:
        for number, answer in found:
            if isinstance(answer, Lost):
                why = f"its process ended without an answer (exit code {answer.exit_code})"
                yield failed(names[number], why)
            else:
                yield answer


def _examined(asked: tuple[str, bool]) -> "Examined":
    from consistency_lab.book.book import examine

    return examine(*asked)
