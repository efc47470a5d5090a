"""``consistency-lab measure``: the worst case, the smallest witness, the rate of failures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, final

from consistency_lab.cli.arguments import item_numbers, process_number, whole
from consistency_lab.cli.atlas import FOLDER, make_atlas
from consistency_lab.cli.codes import CONSISTENT, INCONSISTENT, STOPPED, UNDECIDED
from consistency_lab.cli.grammar import option
from consistency_lab.cli.question import (
    WITNESSES,
    GraphSurrogate,
    SavedSearch,
    command_line,
    counted,
    say_effort,
)
from consistency_lab.cli.streams import say_json, say_report, warn
from consistency_lab.errors import InputError, UnsupportedError

if TYPE_CHECKING:
    from consistency_lab.certify.witness import Witness
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.report.answer import Files
    from consistency_lab.report.text import Line
    from consistency_lab.search.effort import Effort

CONDITION: Final = "low-noise"


@final
class Measure(SavedSearch, GraphSurrogate):
    """How wrong a surrogate is under a noise condition: --worst, --smallest and --rate, one or several.

    Without any of the three: --smallest. Witnesses are certified; upper ends of brackets, and that no witness
    is smaller, are proved; a rate is an estimate with an interval.

    Exit code 1: there is a witness; 0: it is proved that there is none; 3: neither.
    """

    surrogates: str | None = option("Several surrogates at once: an atlas.", metavar="A,B,C")
    condition: tuple[str, ...] = option(f"A noise condition ({CONDITION}).", (), metavar="NAME")
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
        provenance = {
            "command": self._command(condition, m, parts),
            "citation": illustrated_theorem(surrogate),
        }
        question = Question(self, surrogate, condition, m, provenance)
        document: dict[str, object] = dict(search_document(surrogate, condition, m))
        answers: list[_Answer] = []
        stopped = False
        for part in parts:
            try:
                with self.effort() as effort:
                    found = _PARTS[part](question, effort)
            except UnsupportedError as error:
                if len(parts) == 1:
                    raise
                document[part] = {"unsupported": str(error)}
                warn(f"--{part} is left out: {error}")
                continue
            if not self.json and not answers:
                say_report(search_heading(surrogate))
            answers.append(found)
            question = question._replace(known=found.witness or question.known)
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
        return make_atlas(
            tuple(one.strip() for one in (named or "").split(",") if one.strip()),
            conditions,
            items,
            self.out or FOLDER,
            parts=parts,
            scheduler=self.scheduler,
            jobs=self.jobs,
            budget=self.budget,
            samples=self.samples,
            seed=self.seed,
            json=self.json,
        )

    def _command(self, condition: str, m: int, parts: Sequence[str]) -> str:
        """What to type for the same answer."""
        options = self.made_of() | {"--condition": condition, "--items": m}
        options |= {"--samples": self.samples} if "rate" in parts else {}
        options |= {"--seed": self.seed} if self.seed else {}
        return " ".join([command_line("measure", self.name, options), *(f"--{part}" for part in parts)])


# --- The three questions ---------------------------------------------------------------------------------


@final
class Question(NamedTuple):
    """What is searched, and for whom."""

    asked: Measure
    surrogate: "Surrogate"
    condition: str
    m: int
    provenance: dict[str, str]  #: What a witness says of where it is from.
    known: "Witness | None" = None  #: A witness that an earlier part has found.


@final
class _Answer(NamedTuple):
    """What was found: whether that is a witness, or a proof that there is none, and how it reads."""

    wrong: bool
    proved: bool
    document: "Mapping[str, object]"
    report: "Iterable[Line]"
    witness: "Witness | None"


def _saved(question: Question, witnesses: "Iterable[Witness | None]") -> "Files":
    return question.asked.saved(witness.document for witness in witnesses if witness is not None)


def _worst(question: Question, effort: "Effort") -> _Answer:
    from consistency_lab.measure.worst import worst_case
    from consistency_lab.report.measure import worst_document, worst_report

    found = worst_case(
        question.surrogate,
        question.condition,
        question.m,
        effort=effort,
        provenance=question.provenance,
    )
    files = _saved(question, [found.witness])
    wrong, none = found.witness is not None, found.upper == 0
    return _Answer(wrong, none, worst_document(found, files), worst_report(found, files), found.witness)


def _smallest(question: Question, effort: "Effort") -> _Answer:
    from consistency_lab.measure.smallest import smallest
    from consistency_lab.report.measure import smallest_document, smallest_report

    found = smallest(
        question.surrogate,
        question.condition,
        question.m,
        effort=effort,
        provenance=question.provenance,
        known=question.known,
    )
    files = _saved(question, [found.witness, found.strict])
    wrong = found.witness is not None
    document, report = smallest_document(found, files), smallest_report(found, files)
    return _Answer(wrong, found.proved, document, report, found.witness)


def _rate(question: Question, effort: "Effort") -> _Answer:
    from consistency_lab.measure.rate import rate
    from consistency_lab.report.measure import rate_document, rate_report

    found = rate(
        question.surrogate,
        question.condition,
        question.m,
        samples=question.asked.samples,
        seed=question.asked.seed,
        effort=effort,
        provenance=question.provenance,
    )
    files = _saved(question, found.witnesses)
    none = found.proved_zero is not None
    document, report = rate_document(found, files), rate_report(found, files)
    return _Answer(bool(found.witnesses), none, document, report, None)


_PARTS: Final[Mapping[str, Callable[[Question, "Effort"], _Answer]]] = MappingProxyType(
    {"worst": _worst, "smallest": _smallest, "rate": _rate}
)
