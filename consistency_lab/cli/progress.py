"""A bar on stderr while a search runs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(seconds: float) -> Iterator[Callable[[str], None] | None]:
    """A function that tells the bar what is being searched; None where nobody looks at stderr.

    The bar fills as the budget is used up, and vanishes at the end.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        bar.console.show_cursor(True)  # a command that is killed would leave the terminal without one
        task = bar.add_task("starting", total=seconds)

        def tell(text: str) -> None:
            elapsed = bar.tasks[0].elapsed or 0.0
            bar.update(task, description=escape(text), completed=min(elapsed, seconds))

        yield tell
