"""``consistency-lab verify``: check witness files."""

from typing import Annotated

import typer

from consistency_lab.cli.verification import verify_files


def verify(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Witness files.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Check witness files, of which nothing is believed; one line a file."""
    return verify_files(files, json)
