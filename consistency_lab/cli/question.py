"""What several commands are asked: the options of a surrogate, a target and a search, and what these name."""

from abc import ABC
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from consistency_lab.cli.arguments import chosen_items, label_values, seconds, whole
from consistency_lab.cli.grammar import JSON, Command, argument, option
from consistency_lab.cli.streams import progress, warn
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
    from consistency_lab.model.surrogates.tasks.shipped import Entry
    from consistency_lab.model.tasks.task import Task
    from consistency_lab.search.effort import Effort
    from consistency_lab.show.answer import Files

TASKS: Final = "For ranking tasks (with --target or --matrix)"
GRAPHS: Final = "For preference graphs (without --target)"
PROFILE: Final = "At one distribution"
"""Panels of the help; `check` refuses the options of one panel where those of the other are given."""

WITNESSES: Final = Path("witnesses")

of_tasks = partial(option, panel=TASKS)
_of_graphs = partial(option, panel=GRAPHS)
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


def shipped(objective: "Entry", task: "Task") -> "TaskSurrogate":
    """What a library trains for a target: a loss, or a gradient field in place of one."""
    from consistency_lab.model.surrogates.tasks.catalogue import ShippedField

    objective.check(task)
    if objective.field is not None:
        return ShippedField(objective.field)
    loss = objective.plain if objective.shipped == "same" else objective.default
    if loss is None:
        raise InputError(f"{objective.name} is not decided here as shipped: {objective.note}")
    return loss


MADE_OF: Final = ("phi", "form", "h", "r", "nu")
"""The options of a surrogate of preference graphs, beside a name."""


class GraphSurrogate(Command, ABC):
    """A surrogate of preference graphs: a name, or what it is made of."""

    name: str | None = argument(
        "A surrogate (list surrogates), or file.py:function of yours.",
        None,
        metavar="SURROGATE",
        tables=("surrogates",),
    )
    phi: str | None = option("In place of a name, such as 'log(1+exp(-2*x))'.", metavar="EXPR")
    form: str | None = _of_graphs(
        "How to build the loss from phi (edge).", metavar="edge|margin|difference", rare=True
    )
    h: str | None = _of_graphs("h(a): the weight or the margin of an edge (a).", metavar="EXPR", rare=True)
    r: str | None = _of_graphs("linear: the regularizer r(x) (x**2/2).", metavar="EXPR", rare=True)
    nu: str | None = _of_graphs("linear: the rational weight of the regularizer (1).", metavar="Q", rare=True)

    def surrogate(self, asked: str = "check") -> "Surrogate":
        """The surrogate, or a class of the user's own, for this command."""
        from consistency_lab.model.surrogates import surrogate
        from consistency_lab.model.surrogates.own import load_surrogate

        if self.name is not None:
            refuse_without_target(self.name, asked=asked)
        from consistency_lab.model.surrogates.tasks.libraries import is_pair_name

        made_of = self.given(*MADE_OF)
        if self.name is not None and (":" in self.name or is_pair_name(self.name) or not made_of):
            for given in made_of:
                raise InputError(f"{given} does not apply to {self.name}; leave it out")
            return load_surrogate(self.name)
        weight: dict[str, object] = {} if self.nu is None else {"nu": self.nu}
        return surrogate(self.name, phi=self.phi, form=self.form, h=self.h, r=self.r, **weight)

    def one_name(self) -> str | None:
        """The name that this package gives to what is asked, so that all of its names lead to one file."""
        from consistency_lab.model.surrogates.own import load_surrogate

        if self.name is not None and not self.given(*MADE_OF):
            with suppress(InputError):
                asked = self.surrogate()
                if load_surrogate(asked.name) == asked:
                    return asked.name
        return self.name


class Profiled(Command, ABC):
    """One distribution, and how its file is read."""

    profile: str | None = _at_one(
        "Decide this one: ballots, pairs or grades in a file.",
        metavar="FILE",
        also=("--at",),
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
    return option(
        "Work, counted: 1 takes about 1 s.",
        default,
        metavar="SECONDS",
        read=seconds,
    )


class Search(Command, ABC):
    """How long is searched, from where, and how the answer is printed."""

    budget: float = counted(20.0)
    stop_after: float | None = option(
        "Stop after this time even if budget is left (no limit).", metavar="SECONDS", read=seconds, rare=True
    )
    seed: int = option(
        "Seed of the search; the same seed finds the same witness.", 0, metavar="N", read=whole(0), rare=True
    )
    json: bool = JSON

    @contextmanager
    def effort(self) -> "Iterator[Effort]":
        """A budget, with a line on stderr while it is spent."""
        from consistency_lab.search.effort import Effort

        with progress() as report:
            yield Effort(seconds=self.budget, report=report, clock=self.stop_after)


class SavedSearch(Search, ABC):
    """A search whose witnesses are saved."""

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
        from consistency_lab.certify.document import save

        files: dict[str, Path] = {}
        for document in documents:
            try:
                files[str(document["digest"])] = save(document, self.out or WITNESSES)
            except InputError as error:
                warn(f"a witness was not saved: {error}")
        return files


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


# --- Which question a surrogate's name belongs to, for those who ask the other one -----------------------


def refuse_without_target(name: str, *, asked: str = "check") -> None:
    """Refuse a name that means something with a target only."""
    from consistency_lab.model.surrogates.tasks.catalogue import is_task_surrogate
    from consistency_lab.model.surrogates.tasks.libraries import entry, full_name, is_library_name

    if is_library_name(full_name(name)):
        entry(full_name(name))  # refuses an objective that the library does not have
        what = "an objective of a library"
    elif not _is_of_graphs(name) and is_task_surrogate(name):
        what = "a surrogate of labels"
    else:
        return
    if asked == "check":
        raise InputError(f"{name} is {what} and needs a target; give one, as in --target ndcg")
    raise InputError(
        f"{name} is {what}, and {asked} takes surrogates of preference graphs only (list surrogates); "
        f"consistency-lab check {name} --target ndcg decides it for a target"
    )


def refuse_with_target(name: str) -> None:
    """Refuse a name that means something without a target only."""
    from difflib import get_close_matches

    from consistency_lab.model.surrogates.tasks.catalogue import is_task_surrogate
    from consistency_lab.model.surrogates.tasks.libraries import is_pair_name, library_names

    if is_pair_name(name):
        raise InputError(f"{name} is a loss of pairs of answers and takes no target; leave --target out")
    library = name.partition(":")[0].strip().lower()
    if ":" in name and not get_close_matches(library, library_names(), n=1):
        raise InputError(
            f"{name} is neither an objective of {', '.join(library_names())} nor decided for a target; your "
            "own class is a surrogate of preference graphs, so leave --target out"
        )
    if ":" not in name and not is_task_surrogate(name) and _is_of_graphs(name):
        raise InputError(
            f"{name} is a surrogate of preference graphs, whose target is pairwise with --labels graphs (or "
            "no --target); see list task-surrogates for other targets"
        )


def _is_of_graphs(name: str) -> bool:
    from consistency_lab.model.surrogates import surrogate as catalogue

    with suppress(InputError):
        return bool(catalogue(name))
    return False
