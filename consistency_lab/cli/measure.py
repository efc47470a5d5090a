"""``consistency-lab measure``: the worst case, the smallest witness, the rate of failures."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, final

from consistency_lab.cli.arguments import item_numbers, process_number, whole
from consistency_lab.cli.atlas import FOLDER, say_cells
from consistency_lab.cli.codes import CONSISTENT, INCONSISTENT, INTERRUPTED, STOPPED, UNDECIDED
from consistency_lab.cli.grammar import option
from consistency_lab.cli.question import (
    WITNESSES,
    GraphSurrogate,
    SavedSearch,
    command_line,
    counted,
    refuse_without_target,
    say_effort,
)
from consistency_lab.cli.streams import say_json, say_report, told, warn
from consistency_lab.errors import InputError, UnsupportedError

if TYPE_CHECKING:
    from consistency_lab.certify.witness import Witness
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.report.answer import Files
    from consistency_lab.report.text import Line
    from consistency_lab.search.effort import Effort

CONDITION: Final = "low-noise"


@final
class _Answer(NamedTuple):
    """What was found: whether that is a witness, or a proof that there is none, and how it reads."""

    wrong: bool
    proved: bool
    document: "Mapping[str, object]"
    report: "Iterable[Line]"
    witness: "Witness | None"


@final
class Measure(SavedSearch, GraphSurrogate):
    """How wrong a surrogate is under a noise condition: --worst, --smallest and --rate, one or several.

    Without any of the three: --smallest. Witnesses are certified; upper ends of brackets, and that no witness
    is smaller, are proved; a rate is an estimate with an interval.

    Exit code 1: there is a witness; 0: it is proved that there is none; 3: neither.
    """

    surrogates: str | None = option("Several surrogates at once: an atlas.", metavar="A,B,C")
    condition: tuple[str, ...] = option(
        f"A noise condition ({CONDITION}).", (), metavar="NAME", tables=("conditions",)
    )
    items: str = option("The number of items.", "3", metavar="M")
    worst: bool = option("The worst normalized regret: a bracket, and a witness near it.", False)
    smallest: bool = option("The smallest witness, and the proof that none is smaller.", False)
    rate: bool = option("The share of distributions on which it fails.", False)
    samples: int = option(
        "How many distributions --rate draws.", 100_000, metavar="N", read=whole(1, 10_000_000)
    )
    scheduler: str | None = option("For an atlas: the Dask cluster that makes it.", metavar="ADDRESS")
    jobs: int | None = option(
        "For an atlas: how many cells are made at once (cores).", metavar="N", read=process_number
    )
    out: Path | None = option(f"Where witnesses ({WITNESSES}) or cells ({FOLDER}) go.", metavar="DIR")
    budget: float = counted(60.0)

    def run(self) -> int:
        """Several surrogates, conditions or numbers of items make an atlas."""
        from consistency_lab.model.conditions import condition

        numbers = item_numbers("--items", self.items)
        conditions = tuple(condition(one).name for one in self.condition or [CONDITION])
        wanted = {"worst": self.worst, "smallest": self.smallest, "rate": self.rate}
        parts = tuple(part for part, flag in wanted.items() if flag)
        if len(numbers) > 1 or len(conditions) > 1 or self.given("surrogates", "scheduler", "jobs"):
            return self._atlas(conditions, numbers, parts)
        surrogate = self.surrogate("measure")
        self.prepare()
        return self._asked(surrogate, conditions[0], numbers[0], parts or ("smallest",))

    def _asked(self, surrogate: "Surrogate", condition: str, m: int, parts: Sequence[str]) -> int:
        """Ask each part in its own budget, show what is found, and return the exit code."""
        from consistency_lab.decide.cases import illustrated_theorem
        from consistency_lab.decide.surrogate import known_properties
        from consistency_lab.report.answer import EFFORT
        from consistency_lab.report.measure import search_document, search_heading

        known_properties(surrogate)
        command, citation = self._command(condition, m, parts), illustrated_theorem(surrogate)
        provenance = {"command": command, "citation": citation}
        document: dict[str, object] = dict(search_document(surrogate, condition, m))
        answers: list[_Answer] = []
        known: Witness | None = None
        stopped = False
        for part in parts:
            try:
                with self.effort() as effort:
                    found = self._part(part, surrogate, condition, m, known, effort, provenance)
            except UnsupportedError as error:
                if len(parts) == 1:
                    raise
                document[part] = {"unsupported": str(error)}
                warn(f"--{part} is left out: {error}")
                continue
            if not self.json and not answers:
                say_report(search_heading(surrogate))
            answers.append(found)
            known = found.witness or known
            document[part] = {**found.document, "effort": EFFORT(effort)}
            if not self.json:
                say_report(["", *found.report])
            say_effort(effort)
            stopped |= effort.stopped
            if effort.interrupted:
                break
        if self.json:
            say_json(document)
        if any(found.wrong for found in answers):
            return INCONSISTENT
        if any(found.proved for found in answers):
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
        from consistency_lab.report import measure as report

        if part == "worst":
            from consistency_lab.measure.worst import worst_case

            worst = worst_case(surrogate, condition, m, effort=effort, provenance=provenance)
            files = self._saved(worst.witness)
            document, text = report.worst_document(worst, files), report.worst_report(worst, files)
            return _Answer(worst.witness is not None, worst.upper == 0, document, text, worst.witness)
        if part == "smallest":
            from consistency_lab.measure.smallest import smallest

            least = smallest(surrogate, condition, m, effort=effort, provenance=provenance, known=known)
            files = self._saved(least.witness, least.strict)
            document, text = report.smallest_document(least, files), report.smallest_report(least, files)
            return _Answer(least.witness is not None, least.proved, document, text, least.witness)
        from consistency_lab.measure.rate import rate

        share = rate(
            surrogate,
            condition,
            m,
            samples=self.samples,
            seed=self.seed,
            effort=effort,
            provenance=provenance,
        )
        files = self._saved(*share.witnesses)
        document, text = report.rate_document(share, files), report.rate_report(share, files)
        return _Answer(bool(share.witnesses), share.proved_zero is not None, document, text, None)

    def _saved(self, *witnesses: "Witness | None") -> "Files":
        return self.saved(witness.document for witness in witnesses if witness is not None)

    def _atlas(self, conditions: Sequence[str], items: Sequence[int], parts: Sequence[str]) -> int:
        for given in self.made_of():
            raise InputError(f"{given} does not fit: the surrogates of an atlas are named; leave it out")
        if self.name is not None and self.surrogates is not None:
            raise InputError(
                f"give the surrogates in one place: add {self.name} to --surrogates, or leave it out"
            )
        if self.stop_after is not None:
            raise InputError(
                "--stop-after does not fit: cells of an atlas are the same everywhere; leave it out"
            )
        if not self.save:
            raise InputError("--no-save does not fit: an atlas is kept in its folder; leave it out")
        named = self.name if self.surrogates is None else self.surrogates
        surrogates = [one.strip() for one in (named or "").split(",") if one.strip()]
        if not surrogates:
            raise InputError("an atlas needs surrogates; give some as in --surrogates hinge,logistic")
        for one in surrogates:
            refuse_without_target(one, asked="an atlas")
            if ":" in one:
                raise InputError(
                    f"an atlas takes surrogates by name (list surrogates), and {one} is none; ask about a "
                    "class of yours with one --condition and one number of --items"
                )
        from consistency_lab.atlas import PARTS, run_atlas

        folder = self.out or FOLDER
        with told() as report:
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
        warn(f"{made} cells made, {kept} were there, {missing} are missing")
        if summary.interrupted:
            warn("interrupted: what is finished is kept, and the same command goes on")
            return INTERRUPTED
        return UNDECIDED if missing else CONSISTENT

    def _command(self, condition: str, m: int, parts: Sequence[str]) -> str:
        """What to type for the same answer."""
        options = self.made_of() | {"--condition": condition, "--items": m}
        options |= {"--samples": self.samples} if "rate" in parts else {}
        options |= {"--seed": self.seed} if self.seed else {}
        return " ".join([command_line("measure", self.name, options), *(f"--{part}" for part in parts)])
