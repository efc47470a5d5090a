"""On stderr, the statements that are checked so far, while the others are being checked."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol, final

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

    from consistency_lab.report.theorem_run import Examined

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
