"""``consistency-lab measure``, ``atlas`` and ``calibration``: how wrong, how often, at what cost."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from consistency_lab.cli.arguments import item_numbers, one_number, process_number, whole
from consistency_lab.cli.codes import CONSISTENT, INCONSISTENT, INTERRUPTED, STOPPED, UNDECIDED
from consistency_lab.cli.command import JSON, Command, argument, option
from consistency_lab.cli.losses import MADE_OF, GraphSurrogate, refuse_without_target, shipped
from consistency_lab.cli.question import (
    WITNESSES,
    Budgeted,
    SavedSearch,
    Target,
    checked_picture,
    command_line,
    counted,
    say_effort,
)
from consistency_lab.cli.streams import progress, say, say_json, say_report, warn
from consistency_lab.errors import InputError, UnsupportedError

if TYPE_CHECKING:
    from consistency_lab.apps.measure.atlas.folder import Summary
    from consistency_lab.certify.witness import Witness
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.search.effort import Effort
    from consistency_lab.show.text import Line

CONDITION: Final = "low-noise"
_ITEMS: Final = "3"
FOLDER: Final = Path("atlas")
_OF_TARGET: Final = ("labels", "gain", "discount", "k", "v", "w")
WIDTH: Final = Fraction(1, 100)
"""Of the brackets of --over, beside the lower end."""


@final
class _Answer(NamedTuple):
    """What was found: a witness, or a proof that there is none, and how it reads."""

    proved: bool
    document: "Mapping[str, object]"
    report: "Iterable[Line]"
    witness: "Witness | None"


@final
class Measure(SavedSearch, GraphSurrogate, Target):
    """Find the smallest data that fool a loss, or the worst, or the share.

    Witnesses are certified, brackets and minimality proved; a rate is an estimate with an interval.
    Exit code 1: a witness was found; 0: proved that none exists; 3: neither.
    """

    surrogates: str | None = option(
        "Measure several surrogates and save an atlas.", metavar="A,B,C", rare=True
    )
    condition: tuple[str, ...] = option(
        f"A noise condition ({CONDITION}).", (), metavar="NAME", tables=("conditions",)
    )
    items: str = option("The number of items.", _ITEMS, metavar="M")
    design: str | None = option(
        "With --worst: how often each pair is compared: balanced, ratio:R (any).", metavar="NAME", rare=True
    )
    over: str | None = option(
        "With --worst: tabulate over these ratios of counts, or the usual ones.",
        metavar="ratio[:R,R]",
        rare=True,
    )
    plot: Path | None = option(
        "With --over: also draw the table and save it to this file.", metavar="OUT.svg|png", rare=True
    )
    worst: bool = option("Bracket the worst normalized regret.", False)
    smallest: bool = option("Find the smallest witness (the default).", False)
    details: bool = option("Print certificates and all that was gone through.", False)
    rate: bool = option("Estimate the share of distributions on which it fails.", False)
    samples: int = option(
        "Number of distributions that --rate draws.",
        100_000,
        metavar="N",
        read=whole(1, 10_000_000),
        rare=True,
    )
    scheduler: str | None = option("For an atlas: the Dask cluster to run on.", metavar="ADDRESS", rare=True)
    jobs: int | None = option(
        "For an atlas: number of cells computed at once (cores).", metavar="N", read=process_number, rare=True
    )
    out: Path | None = option(
        f"Folder for witnesses ({WITNESSES}) or cells ({FOLDER}).", metavar="DIR", rare=True
    )
    budget: float = counted(60.0)

    def run(self) -> int:
        """Several surrogates, conditions or numbers of items make an atlas."""
        from consistency_lab.model.conditions import condition

        if self.target is not None:
            return self._of_labels(one_number("--items", self.items))
        self.refuse(": it describes a ranking task; give --target too", *_OF_TARGET)
        numbers = item_numbers("--items", self.items)
        conditions = tuple(condition(one).name for one in self.condition or [CONDITION])
        wanted = {"worst": self.worst, "smallest": self.smallest, "rate": self.rate}
        parts = tuple(part for part, flag in wanted.items() if flag)
        if self.given("design", "over") and parts != ("worst",):
            typed = next(iter(self.given("design", "over")))
            raise InputError(
                f"{typed} applies to the worst case only; give --worst without --smallest and --rate"
            )
        if self.plot is not None and self.over is None:
            raise InputError("--plot draws the worst case over ratios; add --over ratio")
        if self.over is not None:
            return self._over(conditions, numbers)
        if len(numbers) > 1 or len(conditions) > 1 or self.given("surrogates", "scheduler", "jobs"):
            return self._atlas(conditions, numbers, parts)
        surrogate = self.surrogate("measure")
        self.prepare()
        return self._asked(surrogate, conditions[0], numbers[0], parts or ("smallest",))

    def _of_labels(self, m: int) -> int:
        """How much of a target can be lost."""
        from consistency_lab.apps.measure.lost import lost_document, lost_line, lost_screen, most_lost
        from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
        from consistency_lab.model.surrogates.tasks.libraries import entry, full_name, is_library_name

        parts = ("worst", "smallest", "rate", "over", "plot", "surrogates", "scheduler", "jobs")
        self.refuse(
            ": with --target the most is measured that is lost at any labels; leave it out",
            *(*parts, "condition", "design", "form", "h", "r", "nu", "phi"),
        )
        if self.name is None:
            raise InputError("--target needs the name of a surrogate, as in measure softmax --target ndcg")
        task, name = self.task(m), full_name(self.name)
        loss = shipped(entry(name), task) if is_library_name(name) else task_surrogate(name)
        loss.check(task)
        self.prepare()
        command = command_line("measure", self.name, self.given("target", "items", *_OF_TARGET))
        with self.effort() as effort:
            lost = most_lost(loss, task, effort, command=command, seed=self.seed)
        files = self.saved([] if lost.witness is None else [lost.witness.document])
        if self.json:
            say_json(lost_document(lost, files) | {"line1": lost_line(lost, self.name)})
        else:
            library = name.partition(":")[0] if is_library_name(name) else "lightgbm"
            say_report(lost_screen(lost, self.name, files, library))
        say_effort(effort)
        if lost.witness is not None:
            return INCONSISTENT
        return CONSISTENT if lost.proof else UNDECIDED

    def _over(self, conditions: Sequence[str], numbers: Sequence[int]) -> int:
        """A table of the worst case over ratios, the largest first: its scores are near the next one's."""
        from consistency_lab.apps.measure.report import over_document, over_plot, over_report
        from consistency_lab.apps.measure.worst import RATIOS, Ends, OverRatio, nested, worst_case
        from consistency_lab.model.designs import design as named_design
        from consistency_lab.model.surrogates import surrogate
        from consistency_lab.numbers.exact import rational

        self.refuse(" --over; leave it out", "design", "scheduler", "jobs", "out")
        if len(conditions) > 1:
            raise InputError("--over takes one --condition")
        named = self._named()
        kind, given, text = (self.over or "").partition(":")
        if kind != "ratio" or (given and not text):
            raise InputError(
                f"--over is {self.over!r}; it must be ratio, or ratio:R,R,... such as ratio:1,2,5"
            )
        ratios = sorted({rational(one, "--over") for one in text.split(",")}) if given else RATIOS
        for ratio in ratios:
            named_design(f"ratio:{ratio}")  # refused before the first long search
        checked_picture(self.plot)
        several = [] if self.surrogates is None else [surrogate(one) for one in named]
        losses = several or [self.surrogate("measure")]
        ends: list[Ends] = []
        for loss, m in ((loss, m) for loss in losses for m in numbers):
            near = None
            of_loss = []
            for ratio in reversed(ratios):
                with self.effort() as effort:
                    near = worst_case(
                        loss, conditions[0], m, design=f"ratio:{ratio}", width=WIDTH, near=near, effort=effort
                    )
                of_loss.append(Ends(loss.name, m, ratio, near.lower, near.upper))
                if effort.interrupted:
                    return INTERRUPTED
            ends.extend(nested(of_loss[::-1]))
        over = OverRatio(conditions[0], tuple(ends))
        if self.plot is not None:
            over_plot(over).save(self.plot)
        if self.json:
            say_json(over_document(over))
        else:
            say_report(over_report(over))
            if self.plot is not None:
                say(f"\nThe picture: {self.plot}")
        if any(end.lower for end in ends):
            return INCONSISTENT
        return CONSISTENT if all(end.upper == 0 for end in ends) else UNDECIDED

    def _named(self) -> list[str]:
        """The surrogates that are named, in one place."""
        if self.name is not None and self.surrogates is not None:
            raise InputError(
                f"surrogates are named in two places; add {self.name} to --surrogates, or leave it out"
            )
        named = self.name if self.surrogates is None else self.surrogates
        return [one.strip() for one in (named or "").split(",") if one.strip()]

    def _asked(self, surrogate: "Surrogate", condition: str, m: int, parts: Sequence[str]) -> int:
        """Ask each part in its own budget, show what is found, and return the exit code."""
        from consistency_lab.apps.measure.report import search_document
        from consistency_lab.decide.cases import illustrated_theorem
        from consistency_lab.decide.surrogate import known_properties
        from consistency_lab.show.answer import EFFORT
        from consistency_lab.show.text import inset

        known_properties(surrogate)
        command, citation = self._command(condition, m, parts), illustrated_theorem(surrogate)
        provenance = {"command": command, "citation": citation}
        design = self.design or "any"
        document: dict[str, object] = dict(search_document(surrogate, condition, m, design))
        answers: list[_Answer] = []
        known: Witness | None = None
        stopped = False
        for part in parts:
            try:
                with self.effort() as effort:
                    answer = self._part(part, surrogate, condition, m, known, effort, provenance)
            except UnsupportedError as error:
                if len(parts) == 1:
                    raise
                document[part] = {"unsupported": str(error)}
                warn(f"--{part} is left out: {error}")
                continue
            if not self.json:
                say_report([*([""] if answers else []), *answer.report])
                if self.details:
                    say_report(inset(f"{surrogate.name}: {surrogate.text}"))
            answers.append(answer)
            known = answer.witness or known
            document[part] = {**answer.document, "effort": EFFORT(effort)}
            say_effort(effort, self.details)
            stopped |= effort.stopped
            if effort.interrupted:
                break
        if self.json:
            say_json(document)
        if any(answer.witness is not None for answer in answers):
            return INCONSISTENT
        if any(answer.proved for answer in answers):
            return CONSISTENT
        return STOPPED if stopped else UNDECIDED

    def _part(
        self,
        part: str,
        surrogate: "Surrogate",
        condition: str,
        m: int,
        known: "Witness | None",
        effort: "Effort",
        provenance: dict[str, str],
    ) -> "_Answer":
        """Ask one of the three, and save the witnesses; `known` is one that an earlier part has found."""
        from consistency_lab.apps.measure import report

        asked = (surrogate, condition, m)
        spent: dict[str, Any] = {"effort": effort, "provenance": provenance}
        found: Any
        witnesses: Sequence[Witness | None]
        if part == "worst":
            from consistency_lab.apps.measure.worst import worst_case

            found = worst_case(*asked, **spent, design=self.design or "any")
            proved, witnesses = found.upper == 0, (found.witness,)
        elif part == "smallest":
            from consistency_lab.apps.measure.smallest import smallest

            found = smallest(*asked, **spent, known=known)
            proved, witnesses = found.proved, (found.witness, found.strict)
        else:
            from consistency_lab.apps.measure.rate import rate

            found = rate(*asked, **spent, samples=self.samples, seed=self.seed)
            proved, witnesses = found.proved_zero is not None, found.witnesses
        certified = [witness for witness in witnesses if witness is not None]
        files = self.saved(witness.document for witness in certified)
        document = getattr(report, f"{part}_document")(found, files)
        text = getattr(report, f"{part}_report")(found, files, self.details)
        if self.details:
            text = (*text, "", *getattr(report, f"{part}_details")(found, files))
        return _Answer(proved, document, text, next(iter(certified), None))

    def _atlas(self, conditions: Sequence[str], items: Sequence[int], parts: Sequence[str]) -> int:
        self.refuse(": an atlas takes surrogates by name; leave it out", *MADE_OF)
        surrogates = self._named()
        self.refuse(": an atlas has conditions only; leave it out", "design")
        self.refuse(": an atlas must come out the same on every machine; leave it out", "stop_after")
        if not self.save:
            raise InputError("--no-save does not fit: an atlas is always saved in its folder; leave it out")
        if not surrogates:
            raise InputError("an atlas needs surrogates; name some, as in --surrogates hinge,logistic")
        for one in surrogates:
            refuse_without_target(one, asked="an atlas")
            if ":" in one:
                raise InputError(
                    f"an atlas takes surrogates by name (list surrogates), and {one} is not one; measure "
                    "your own class with one --condition and one number of --items"
                )
        from consistency_lab.apps.measure.atlas.cell import PARTS
        from consistency_lab.apps.measure.atlas.folder import run_atlas

        folder = self.out or FOLDER
        with progress(otherwise=warn) as report:
            summary = run_atlas(
                surrogates,
                conditions,
                items,
                folder,
                scheduler=self.scheduler,
                jobs=self.jobs,
                budget_per_cell=self.budget,
                samples=self.samples,
                seed=self.seed,
                parts=parts or PARTS,
                report=report,
                warn=warn,
            )
        say_cells(summary, folder, self.json)
        made, kept, missing = map(len, (summary.made, summary.kept, summary.missing))
        warn(f"{made} cells made, {kept} already there, {missing} missing")
        if summary.interrupted:
            warn("interrupted: finished cells are kept; run the same command to go on")
            return INTERRUPTED
        return UNDECIDED if missing else CONSISTENT

    def _command(self, condition: str, m: int, parts: Sequence[str]) -> str:
        """What to type for the same answer."""
        options = self.given(*MADE_OF) | {"--condition": condition, "--items": m}
        options |= {"--samples": self.samples} if "rate" in parts else {}
        options |= {"--seed": self.seed} if self.seed else {}
        options |= self.given("design")
        return " ".join([command_line("measure", self.one_name(), options), *(f"--{part}" for part in parts)])


# --- What is known of many surrogates, kept in a folder of cells ------------------------------------------


@final
class Atlas(Command):
    """Show an atlas made by measure --surrogates.

    The core verifies every witness in it first.
    """

    folder: Path = argument("The folder of the atlas.", FOLDER, metavar="DIR")
    render: Path | None = option(
        "Also write a page with the table, and a heat map next to it.", metavar="FILE.md"
    )
    details: bool = option("Print verdicts, failures and rates too.", False)
    json: bool = JSON

    def run(self) -> int:
        from consistency_lab.apps.measure.atlas.folder import entries
        from consistency_lab.apps.measure.atlas.report import (
            atlas_document,
            atlas_report,
            picture_of,
            write_page,
        )

        if self.render is not None:
            from consistency_lab.files import check_file

            check_file(picture_of(self.render))
            check_file(self.render)
        found = entries(self.folder)
        if self.render is not None:
            picture = write_page(found, self.folder, self.render)
            warn(f"written: {self.render} and {picture}")
        if self.json:
            say_json(atlas_document(found))
        else:
            say_report(atlas_report(found, self.details))
        return CONSISTENT


def say_cells(summary: "Summary", folder: Path, json: bool) -> None:
    """The cells of this run that are there, which need not be all in the folder."""
    from consistency_lab.apps.measure.atlas.folder import Store, entry, read_cell
    from consistency_lab.apps.measure.atlas.report import atlas_document, atlas_report

    store, missing = Store(folder), {*summary.missing}
    shown = [entry(read_cell(store.path(cell))) for cell in summary.asked if cell not in missing]
    if json:
        say_json(
            {
                **atlas_document(shown),
                "failed": [{**one.cell.parameters(), "reason": one.reason} for one in summary.failed],
                "missing": len(summary.missing),
                "interrupted": summary.interrupted,
            }
        )
    elif shown:
        say_report(atlas_report(shown))
        say(f"\nThe cells: {folder}")


# --- How much excess surrogate risk a regret must cost ----------------------------------------------------


@final
class Calibration(Budgeted, GraphSurrogate):
    """Tell what excess risk can cost: the calibration function H, where a law is known.

    H(eps) is the least excess surrogate risk of scores whose regret is eps or more (DMJ10 Eq. 3). It is known
    for linear losses (quadratic r), regression and losses of the difference graph. Exit code 0: it is known;
    3: it is not.
    """

    condition: str = option("A noise condition.", CONDITION, metavar="NAME", tables=("conditions",))
    items: str = option("The number of items.", _ITEMS, metavar="M")
    class_: str | None = option(
        "Of two items whose scores differ by at most B.", metavar="bounded:B", rare=True
    )
    plot: Path | None = option("Also draw H and the risk bound into this file.", metavar="OUT.svg|png")
    csv: Path | None = option("Also write H into a table.", metavar="FILE.csv")
    budget: float = counted(60.0)
    json: bool = JSON

    def run(self) -> int:
        checked_picture(self.plot)
        if self.csv is not None:
            from consistency_lab.files import check_file

            check_file(self.csv, "--csv")
        numbers = item_numbers("--items", self.items)
        if len(numbers) > 1:
            raise InputError(
                f"--items is {self.items[:40]!r}; a calibration function has one number of items, such as 3"
            )
        surrogate = self.surrogate("calibration")
        if self.class_ is not None:
            return self._bounded(surrogate, self.class_)
        from consistency_lab.apps.measure import calibration_report as report
        from consistency_lab.apps.measure.calibration import calibration

        with self.effort() as effort:
            found = calibration(surrogate, self.condition, numbers[0], effort=effort)
        if found.law is None:
            for typed in self.given("plot", "csv"):
                warn(f"{typed}: nothing is written, since no law is known")
        elif self.plot is not None:
            report.calibration_plot(found, found.law).save(self.plot)
        if self.csv is not None and found.law is not None:
            from consistency_lab.files import csv_text, write_atomic

            write_atomic(self.csv, csv_text(report.calibration_rows(found.law), warn))
            warn(f"written: {self.csv}")
        drawn = found.law is not None and self.plot is not None
        if self.json:
            picture = {"picture": str(self.plot)} if drawn else {}
            say_json({**report.calibration_document(found), **picture})
        else:
            say_report(report.calibration_report(found))
            if drawn:
                say(f"\nThe calibration function: {self.plot}")
            if found.law is None:
                options = self.given(*MADE_OF)
                options |= {} if found.condition == CONDITION else {"--condition": found.condition}
                options |= {} if self.items == _ITEMS else {"--items": found.m}
                say(f"That is: {command_line('measure', self.one_name(), options)} --worst")
        if effort.interrupted:
            warn("interrupted: this was proved so far")
        elif effort.stopped:
            warn(f"{effort.ending.removesuffix('; ')}: this was proved so far")
        return CONSISTENT if found.law is not None else UNDECIDED

    def _bounded(self, surrogate: "Surrogate", given: str) -> int:
        """H of a class of bounded differences."""
        from consistency_lab.apps.measure import calibration_report as report
        from consistency_lab.apps.measure.calibration import bounded_calibration
        from consistency_lab.files import csv_text, write_atomic
        from consistency_lab.numbers.exact import rational

        self.refuse(": --class asks about two items", "plot")
        if self.items not in (_ITEMS, "2") or self.condition != CONDITION:
            raise InputError("--class asks about two items; leave --items and --condition out")
        kind, _, b = given.partition(":")
        if kind != "bounded":
            raise InputError(f"--class is {given[:40]!r}; it must read like bounded:1/2")
        found = bounded_calibration(surrogate, rational(b, "--class bounded"))
        if self.csv is not None:
            write_atomic(self.csv, csv_text(report.bounded_rows(found), warn))
            warn(f"written: {self.csv}")
        if self.json:
            say_json(report.bounded_document(found))
        else:
            say_report(report.bounded_report(found))
        return CONSISTENT
