"""Tables on stdout: colored on a terminal, plain and wide enough in a pipe."""

import sys
from typing import TYPE_CHECKING

from consistency_lab.cli.streams import page_width

if TYPE_CHECKING:
    from rich.table import Table


def say_table(table: "Table") -> None:
    """Print a table."""
    from io import StringIO

    from rich.console import Console

    target = Console(file=sys.stdout)
    colored = target.is_terminal and not target.no_color
    console = Console(
        file=StringIO(),
        force_terminal=colored,
        color_system=target.color_system if colored else None,  # type: ignore[arg-type]
        width=page_width(),
    )
    console.print(table)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    print("\n".join(line.rstrip() for line in text.splitlines()))
