"""A line on stderr while a search runs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
