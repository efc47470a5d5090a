"""``consistency-lab reproduce``: check the statements of the theorem book."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final, Literal, final

from consistency_lab.cli.arguments import process_number
from consistency_lab.cli.codes import CONSISTENT, INCONSISTENT, INTERRUPTED
from consistency_lab.cli.command import JSON, Command, argument, option
from consistency_lab.cli.streams import need_stdout, progress, say, say_json, say_report, warn
from consistency_lab.errors import InputError, printed

if TYPE_CHECKING:
    from consistency_lab.apps.book.book import Examined

JOBS: Final = 2


def _statements() -> Iterator[str]:
    from consistency_lab.apps.book.book import statements

    return (one.name for one in statements())


@final
class Reproduce(Command):
    """Check the theorems of the papers by machine.

    Exit code 0: every outcome is as the book claims; 1: some outcome is not.
    """

    statements: tuple[str, ...] = argument(
        "Names (see list theorems); all statements if none is given.",
        (),
        metavar="STATEMENT",
        tables=(_statements,),
    )
    explain: bool = option("Print the proofs found, and refute false variants.", False)
    details: bool = option("Print a table of all that was checked, and remarks on printed texts.", False)
    formal: bool = option("Print what Coq proves about them: theorem, file, axioms.", False)
    jobs: int | None = option(
        f"Number of statements checked at once (cores, at most {JOBS}).", metavar="N", read=process_number
    )
    json: bool = JSON

    def run(self) -> int:
        """Check, show, and compare with what is claimed."""
        from consistency_lab.apps.book.report import book_document, chosen
        from consistency_lab.processes import cores

        names = chosen(self.statements)
        start = perf_counter()
        book = _checked(names, self.jobs or min(JOBS, cores()), self.explain)
        if self.json:
            say_json(book_document(book, len(names)))
        else:
            _print(book, len(names), self)
        longest = max(book, key=lambda one: one.seconds)
        took = f"{perf_counter() - start:.1f} s; longest: {longest.name}, {longest.seconds:.1f} s"
        warn(f"checked {len(book)} of {len(names)} in {took}")
        if len(book) < len(names):
            warn("interrupted: these statements were finished")
            return INTERRUPTED
        return CONSISTENT if all(one.as_claimed for one in book) else INCONSISTENT


@final
class Export(Command):
    """Check a witness file and export its proof to Coq.

    A file for Coq compiles beside the folder formal of the sources: coqc -Q formal ConsistencyLab OUT.v.
    """

    file: str = argument("A witness file.", metavar="FILE")
    format: Literal["coq"] = option("The proof checker.", "coq")
    out: Path | None = option("The file to write.", metavar="OUT.v")

    def run(self) -> int:
        """Check it first."""
        from consistency_lab.apps.book.coq.export import coq
        from consistency_lab.files import check_file, write_atomic

        if self.out is not None:
            check_file(self.out, "--out", [Path(self.file)])
            if self.out.suffix != ".v" or not self.out.stem.isidentifier():
                raise InputError(
                    f"--out is {printed(str(self.out))}; Coq requires a name of letters, digits and _, such "
                    "as Replay.v"
                )
        else:
            need_stdout()
        written = {"coq": coq}[self.format](self.file)
        if self.out is None:
            say(written.rstrip("\n"))
        else:
            write_atomic(self.out, written)
            say(f"{self.out} written")
        return CONSISTENT


def _checked(names: Sequence[str], jobs: int, variants: bool) -> "list[Examined]":
    """In the order of the names; after Ctrl-C those that were finished."""
    found: dict[str, Examined] = {}
    try:
        with progress(len(names)) as tell, closing(examine_all(names, jobs, variants)) as every:
            for examined in every:
                found[examined.name] = examined
                tell(examined.name)
    except KeyboardInterrupt:
        if not found:
            raise
    return [found[name] for name in names if name in found]


def _print(book: "Sequence[Examined]", asked: int, how: Reproduce) -> None:
    from consistency_lab.apps.book.report import (
        explanation,
        formal,
        outcomes_table,
        remarks,
        screen,
        summary,
        troubles,
    )

    if not (how.explain or how.formal or how.details):
        say_report(screen(book, asked))
        return
    say_report([*summary(book, asked), *troubles(book), outcomes_table(book)])
    for one in book if how.formal else ():
        say_report(formal(one))
    for one in book if how.explain else ():
        say_report(explanation(one))
    if how.details:
        say_report(remarks(book))


# --- Check statements one after the other, or several at once in processes of their own ------------------


def examine_all(names: Sequence[str], jobs: int, variants: bool = False) -> "Generator[Examined, None, None]":
    """What becomes of each statement, in the order in which they finish.

    Close the iterator to stop the checks that still run.
    """
    from consistency_lab.apps.book.book import examine, failed
    from consistency_lab.processes import ProcessDied, at_once

    if min(jobs, len(names)) <= 1:
        for name in names:
            yield examine(name, variants)
        return
    with closing(at_once(_examined, [(name, variants) for name in names], jobs)) as found:
        for number, answer in found:
            if isinstance(answer, ProcessDied):
                why = f"its process ended without a result (exit code {answer.exit_code})"
                yield failed(names[number], why)
            else:
                yield answer


def _examined(asked: tuple[str, bool]) -> "Examined":
    from consistency_lab.apps.book.book import examine

    return examine(*asked)
