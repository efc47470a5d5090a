"""``consistency-lab reproduce``: check the statements of the theorem book."""

from contextlib import closing
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Final

from consistency_lab.cli.arguments import process_number
from consistency_lab.cli.exit_codes import CONSISTENT, INCONSISTENT, INTERRUPTED
from consistency_lab.cli.grammar import Argument, Option
from consistency_lab.cli.streams import say_json, say_report, warn
from consistency_lab.extras import need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consistency_lab.report.theorem_run import Examined

JOBS: Final = 2


def reproduce(
    statements: Annotated[
        list[str] | None,
        Argument(metavar="STATEMENT", help="Names, see list theorems; all without one."),
    ] = None,
    explain: Annotated[
        bool,
        Option(help="Print the proofs as they were found, and refute false variants."),
    ] = False,
    jobs: Annotated[
        int | None, Option(metavar="N", help=f"Statements checked at once (cores, at most {JOBS}).")
    ] = None,
    json: Annotated[bool, Option(help="Print one JSON document.")] = False,
) -> int:
    """Check the theorems of the papers by machine, and say what was checked and how.

    Exit code 0: every outcome is as the book claims; 1: one is not.
    """
    from consistency_lab.report.theorem_book import chosen

    names = chosen(statements or ())
    need("z3", "the theorem book")
    start = perf_counter()
    book = _checked(names, _jobs(jobs), explain)
    if json:
        from consistency_lab.report.theorem_book import book_document

        say_json(book_document(book, len(names), perf_counter() - start))
    else:
        _print(book, len(names), explain)
    warn(f"checked {len(book)} of {len(names)} in {perf_counter() - start:.1f} s")
    if len(book) < len(names):
        warn("interrupted: this is what was finished")
        return INTERRUPTED
    return CONSISTENT if all(one.as_claimed for one in book) else INCONSISTENT


def _jobs(asked: int | None) -> int:
    if asked is None:
        from consistency_lab.processes import cores

        return min(JOBS, cores())
    return process_number(asked)


def _checked(names: "Sequence[str]", jobs: int, variants: bool) -> "list[Examined]":
    """In the order of the names; after Ctrl-C those that were finished."""
    from consistency_lab.cli.finished import watched
    from consistency_lab.cli.workers import examine_all

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
    from consistency_lab.cli.tables import say_table
    from consistency_lab.report.theorem_book import explanation, outcomes_table, remarks, summary, troubles

    if explain:
        for one in book:
            say_report(explanation(one))
    say_table(outcomes_table(book))
    say_report(summary(book, asked))
    say_report(troubles(book))
    if not explain:
        say_report(remarks(book))
