"""``consistency-lab verify``: check witness files."""

from typing import Annotated

from consistency_lab.cli.grammar import Argument, Option
from consistency_lab.cli.verification import verify_files


def verify(
    files: Annotated[list[str], Argument(metavar="FILE", help="Witness files.")],
    json: Annotated[bool, Option(help="Print one JSON document.")] = False,
) -> int:
    """Check witness files, of which nothing is believed; one line a file."""
    return verify_files(files, json)
