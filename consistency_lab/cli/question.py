"""What several commands are asked: the options of a target, a profile, a search, the columns of a table."""

from abc import ABC
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from consistency_lab.cli.arguments import chosen_items, label_values, seconds, whole
from consistency_lab.cli.command import JSON, Command, option
from consistency_lab.cli.streams import progress, warn
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.model.tasks.task import Task
    from consistency_lab.search.effort import Effort
    from consistency_lab.show.witness import Files

TASKS: Final = "For ranking tasks (with --target or --matrix)"
GRAPHS: Final = "For preference graphs (without --target)"
PROFILE: Final = "At one distribution"
"""Panels of the help; `check` refuses the options of one panel where those of the other are given."""

WITNESSES: Final = Path("witnesses")

of_tasks = partial(option, panel=TASKS)
_at_one = partial(option, panel=PROFILE)


class Target(Command, ABC):
    """A target loss."""

    target: str | None = of_tasks(
        "A target loss, such as ndcg@10; see list targets.", metavar="NAME", tables=("targets",)
    )
    labels: str | None = of_tasks("The grades, or rankings, dags, graphs.", metavar="0..2|KIND")
    gain: str | None = of_tasks("The gain G(s) of a grade s, such as '2**s-1'.", metavar="EXPR", rare=True)
    discount: str | None = of_tasks(
        "The discount F(j) of a position j, such as 'log2(1+j)'.", metavar="EXPR", rare=True
    )
    k: int | None = of_tasks("How many positions count.", metavar="K", rare=True)
    v: str | None = of_tasks("eru, mrr: the neutral grade (0).", metavar="Q", rare=True)
    w: str | None = of_tasks("eru: the half-life (2).", metavar="Q", rare=True)

    def task(self, items: int | None = None, *, alike: bool = False) -> "Task":
        """The task of so many items or classes, the usual number if None; all orders may be `alike`."""
        from consistency_lab.model.tasks.catalogue import any_target, target
        from consistency_lab.model.tasks.task import ITEMS, TargetOptions
        from consistency_lab.numbers.exact import rational

        given: dict[str, Any] = {
            "items": ITEMS if items is None else items,
            "labels": None if self.labels is None else label_values("--labels", self.labels),
            "gain": self.gain,
            "discount": self.discount,
            "k": self.k,
            "v": None if self.v is None else rational(self.v, "--v"),
            "w": None if self.w is None else rational(self.w, "--w"),
        }
        name = (self.target or "").lower()
        return any_target(name, TargetOptions(**given)) if alike else target(name, **given)


class Profiled(Command, ABC):
    """One distribution, and how its file is read."""

    profile: str | None = _at_one(
        "Decide this one: ballots, pairs or grades in a file.", metavar="FILE", also=("--at",)
    )
    unranked: Literal["last", "unknown"] | None = _at_one(
        "What a ballot says about the items it does not rank (last).", rare=True
    )
    select: str | None = _at_one(
        'Keep these items of the profile, in this order; quote a name that has a comma: "Lee, Sue".',
        metavar="A,B,C",
        rare=True,
    )

    def selected(self) -> tuple[str, ...] | None:
        """The items to keep."""
        return None if self.select is None else chosen_items("--select", self.select)


# --- A search, its effort, and the witnesses that it finds -----------------------------------------------


def counted(default: float) -> Any:
    """The option of a budget."""
    return option("Work, counted: 1 takes about 1 s.", default, metavar="SECONDS", read=seconds)


class Budgeted(Command, ABC):
    """How long to compute."""

    budget: float = counted(20.0)
    stop_after: float | None = option(
        "Stop after this time even if budget is left (no limit).", metavar="SECONDS", read=seconds, rare=True
    )

    @contextmanager
    def effort(self) -> "Iterator[Effort]":
        """A budget, with a line on stderr while it is spent."""
        from consistency_lab.search.effort import Effort

        with progress() as report:
            yield Effort(seconds=self.budget, report=report, clock=self.stop_after)


class Search(Budgeted, ABC):
    """How long to search, from which seed, and how to print the answer."""

    seed: int = option(
        "Seed of the search; the same seed finds the same witness.", 0, metavar="N", read=whole(0), rare=True
    )
    json: bool = JSON


class Saved(Command, ABC):
    """An answer whose proofs are saved."""

    out: Path | None = option(f"Folder for the witnesses ({WITNESSES}).", metavar="DIR", rare=True)
    save: bool = option("Save the witnesses found.", True, rare=True)

    def prepare(self) -> None:
        """Find out before a long search whether witnesses can be written."""
        if self.save:
            from consistency_lab.files import check_writable

            check_writable(self.out or WITNESSES)

    def saved(self, documents: "Iterable[Mapping[str, object]]") -> "Files":
        """Save documents; the files by digest. An answer is shown even if the disk is full by now."""
        if not self.save:
            return {}
        from consistency_lab.certify.proofs.file import save

        files: dict[str, Path] = {}
        for document in documents:
            try:
                files[str(document["digest"])] = save(document, self.out or WITNESSES)
            except InputError as error:
                warn(f"a witness was not saved: {error}")
        return files


class SavedSearch(Saved, Search, ABC):
    """A search whose witnesses are saved."""


def say_effort(effort: "Effort", details: bool = True) -> None:
    """Say on stderr if the search ended early and, with details, what it cost."""
    if effort.interrupted:
        warn("interrupted: this is the best so far")
    elif effort.stopped:
        warn(f"{effort.ending.removesuffix('; ')}: this is the best so far; another run may find more")
    if details:
        warn(f"searched: {effort.summary()} in {effort.elapsed:.1f} s")


_PATHS: Final = ("--matrix", "--profile", "--features", "--reference")


def command_line(command: str, name: str | None, options: Mapping[str, object]) -> str:
    """What to type for the same answer, with files by their names alone."""
    words = ["consistency-lab", command, *([] if name is None else [name])]
    for typed, value in options.items():
        for one in value if isinstance(value, tuple) else [value]:
            shown = Path(str(one)).name if typed in _PATHS else str(one)
            words += [typed] if one is True else [typed, shown]
    from shlex import join

    return join(words)


def checked_picture(file: Path | None) -> None:
    """Find out before the work whether a picture can be written into the file, if one is wanted."""
    if file is not None:
        from consistency_lab.files import check_file
        from consistency_lab.show.canvas import picture_format

        picture_format(file)
        check_file(file)


# --- The columns of a table of judgments, for `audit` and `aggregate` --------------------------------------

PAIRS: Final = "Columns of pairs"
GRADES: Final = "Columns of grades"

of_pairs = partial(option, metavar="COLUMN", panel=PAIRS)
of_grades = partial(option, metavar="COLUMN", panel=GRADES)


class Columns(Command, ABC):
    """A table of judgments: who won against whom, or who gave which grade."""

    winner: str | None = of_pairs("The winner; with --a and --b: who won.")
    loser: str | None = of_pairs("The loser.")
    a: str | None = of_pairs("The first of the two compared.")
    b: str | None = of_pairs("The second of the two compared.")
    count: str | None = of_pairs("The number of comparisons (1).", rare=True)
    ties: Literal["half", "drop", "both"] = option(
        "What a tie counts for each side.", "half", panel=PAIRS, rare=True
    )
    query: str | None = option("The query; without it, all rows belong to one.", metavar="COLUMN")
    item: str | None = of_grades("The item graded, rated or shown.", rare=True)
    judge: str | None = of_grades("The judge; all grades of a judge for a query are one label.", rare=True)
    grade: str | None = of_grades("The grade, a number.", rare=True)
    bad_rows: Literal["report", "fail"] = option("What to do with unreadable rows.", "report", rare=True)
