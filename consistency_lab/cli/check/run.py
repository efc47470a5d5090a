"""What every question of ``check`` has in common: the search's budget, saving, and the exit code."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from consistency_lab.cli.exit_codes import CONSISTENT, INCONSISTENT, STOPPED, UNDECIDED
from consistency_lab.cli.streams import warn
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.decide import Verdict
    from consistency_lab.report.answer import Files
    from consistency_lab.search.effort import Effort

CODES: Final[Mapping[str, int]] = {
    "CONSISTENT": CONSISTENT,
    "INCONSISTENT": INCONSISTENT,
    "UNDECIDED": UNDECIDED,
}


@final
@dataclass(frozen=True, slots=True)
class Run:
    """How an answer is found, kept and shown.

    Parameters
    ----------
    budget
        What all searches may do, in seconds of an ordinary machine.
    clock
        Seconds by the clock after which they are stopped; None for never.
    seed
        Seed of the search.
    folder
        Where witnesses are saved; None to save nothing.
    command
        What to type for the same answer.
    json
        Whether to print JSON.
    """

    budget: float
    clock: float | None
    seed: int
    folder: Path | None
    command: str
    json: bool

    @contextmanager
    def search(self) -> "Iterator[Effort]":
        """A budget, with a bar on stderr while it is spent."""
        from consistency_lab.cli.progress import progress
        from consistency_lab.search.effort import Effort

        with progress() as report:
            yield Effort(seconds=self.budget, report=report, clock=self.clock)

    def save(self, documents: "Iterable[Mapping[str, object]]") -> "Files":
        """Save documents; the files by digest.

        An answer is shown even if the disk is full by now.
        """
        if self.folder is None:
            return {}
        from consistency_lab.report.saving import save

        files: dict[str, Path] = {}
        for document in documents:
            try:
                files[str(document["digest"])] = save(document, self.folder)
            except InputError as error:
                warn(f"a witness is not saved: {error}")
        return files


def say_effort(effort: "Effort") -> None:
    """Say on stderr what the search cost."""
    if effort.interrupted:
        warn("interrupted: this is the best so far")
    elif effort.stopped:
        warn(f"{effort.ending.removesuffix('; ')}: this is the best so far, and another run may find more")
    warn(f"searched: {effort.summary()} in {effort.elapsed:.1f} s")


def exit_code(verdict: "Verdict", effort: "Effort | None" = None) -> int:
    """The exit code of a verdict; where the clock ended the search, one that says so of what is undecided."""
    code = CODES[str(verdict)]
    return STOPPED if code == UNDECIDED and effort is not None and effort.stopped else code
