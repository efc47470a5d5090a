"""How far a command is, on stderr."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from consistency_lab.cli.streams import warn


@contextmanager
def progress() -> Iterator[Callable[[str], None] | None]:
    """A function that says what is being searched; None where nobody looks at stderr.

    The line vanishes at the end.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        bar.console.show_cursor(True)  # a command that is killed would leave the terminal without one
        task = bar.add_task("starting", total=None)

        def tell(text: str) -> None:
            bar.update(task, description=escape(text))

        yield tell


@contextmanager
def told() -> Iterator[Callable[[str], None]]:
    """How far a run is: on a terminal one line that changes, else a line on stderr for each piece of work."""
    if not sys.stderr.isatty():
        yield warn
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:
        yield status.update


@contextmanager
def bar(total: int) -> Iterator[Callable[[str], None]]:
    """A function that is told of each piece of work that is done, of a known number.

    On a terminal a bar with the time that is left, which vanishes at the end; elsewhere nothing is shown.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    shown = Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
        transient=True,
    )
    with shown:
        shown.console.show_cursor(True)  # as above
        task = shown.add_task("starting", total=total)

        def tell(text: str) -> None:
            shown.update(task, advance=1, description=escape(text))

        yield tell
