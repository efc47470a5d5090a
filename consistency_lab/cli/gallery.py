"""``consistency-lab gallery``: a folder of curated witnesses and its index."""

from pathlib import Path
from typing import Annotated, Final

from consistency_lab.cli.arguments import budget_seconds
from consistency_lab.cli.grammar import CONSISTENT, INCONSISTENT, Argument, Option
from consistency_lab.cli.streams import say, warn
from consistency_lab.errors import InputError

FOLDER: Final = Path("counterexamples")
BUDGET: Final = 20.0


def gallery(
    folder: Annotated[Path, Argument(metavar="DIR", help="The folder.")] = FOLDER,
    search: Annotated[
        bool,
        Option(help="First find the smallest witness for each named surrogate."),
    ] = False,
    check: Annotated[bool, Option(help="Change nothing; exit 1 if the index is out of date.")] = False,
    budget: Annotated[
        float, Option(metavar="SECONDS", help="With --search: what each surrogate may take, counted.")
    ] = BUDGET,
) -> int:
    """Verify every witness file in a folder and write its index README.md again."""
    from consistency_lab.files import check_writable
    from consistency_lab.report.gallery import INDEX, index_text, is_current

    budget_seconds(budget)
    if check:
        if search:
            raise InputError("--check changes nothing and --search writes files; give one of the two")
        if is_current(folder):
            say(f"{folder / INDEX} is up to date")
            return CONSISTENT
        say(f"{folder / INDEX} is out of date; write it with: consistency-lab gallery {folder}")
        return INCONSISTENT
    check_writable(folder)
    if search:
        _search(folder, budget)
    from consistency_lab.files import write_atomic

    write_atomic(folder / INDEX, index_text(folder))
    say(f"{folder / INDEX} written")
    return CONSISTENT


def _search(folder: Path, budget: float) -> None:
    from consistency_lab.atlas.gallery import curate
    from consistency_lab.cli.streams import progress

    with progress() as report:
        for line in curate(folder, budget, report):
            warn(line)
