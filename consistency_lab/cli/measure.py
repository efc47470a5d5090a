"""``consistency-lab measure``: the worst case, the smallest witness, the rate of failures."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, final

from consistency_lab.cli.arguments import budget_seconds, clock_seconds, item_numbers
from consistency_lab.cli.atlas import FOLDER, make_atlas
from consistency_lab.cli.check import Run, say_effort
from consistency_lab.cli.grammar import CONSISTENT, INCONSISTENT, STOPPED, UNDECIDED, Option
from consistency_lab.cli.question import (
    WITNESSES,
    Form,
    GraphName,
    H,
    Json,
    Nu,
    Phi,
    R,
    Save,
    Seed,
    StopAfter,
)
from consistency_lab.cli.streams import say_json, say_report, warn
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen

if TYPE_CHECKING:
    from consistency_lab.certify.witness import Witness
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.report.answer import Files
    from consistency_lab.report.text import Line
    from consistency_lab.search.effort import Effort


# --- The command itself: it reads the options and finds out what is asked --------------------------------

BUDGET: Final = 60.0
CONDITION: Final = "low-noise"
SAMPLES: Final = 100_000
_MOST_SAMPLES: Final = 10_000_000

Condition = Annotated[list[str] | None, Option(metavar="NAME", help=f"A noise condition ({CONDITION}).")]
Items = Annotated[str, Option(metavar="M", help="The number of items.")]
Worst = Annotated[bool, Option(help="The worst normalized regret: a bracket, and a witness near it.")]
Smallest = Annotated[bool, Option(help="The smallest witness, and the proof that none is smaller.")]
Rate = Annotated[bool, Option(help="The share of distributions on which it fails.")]
Samples = Annotated[int, Option(metavar="N", help="How many distributions --rate draws.")]
Surrogates = Annotated[str | None, Option(metavar="A,B,C", help="Several surrogates at once: an atlas.")]
Scheduler = Annotated[
    str | None, Option(metavar="ADDRESS", help="For an atlas: the Dask cluster that makes it.")
]
Jobs = Annotated[
    int | None, Option(metavar="N", help="For an atlas: how many cells are made at once (cores).")
]
Folder = Annotated[
    Path | None,
    Option(metavar="DIR", help=f"Where witnesses ({WITNESSES}) or cells ({FOLDER}) go."),
]
Budget = Annotated[
    float, Option(metavar="SECONDS", help="What each question may do: counted, 1 takes about a second.")
]


def measure(
    name: GraphName = None,
    surrogates: Surrogates = None,
    phi: Phi = None,
    form: Form = None,
    h: H = None,
    r: R = None,
    nu: Nu = None,
    condition: Condition = None,
    items: Items = "3",
    worst: Worst = False,
    smallest: Smallest = False,
    rate: Rate = False,
    samples: Samples = SAMPLES,
    scheduler: Scheduler = None,
    jobs: Jobs = None,
    out: Folder = None,
    save: Save = True,
    budget: Budget = BUDGET,
    stop_after: StopAfter = None,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """How wrong a surrogate is under a noise condition: --worst, --smallest and --rate, one or several.

    Without any of the three: --smallest. Witnesses are certified; upper ends of brackets, and that no witness
    is smaller, are proved; a rate is an estimate with an interval.

    Exit code 1: there is a witness; 0: it is proved that there is none; 3: neither.
    """
    budget_seconds(budget)
    if not 1 <= samples <= _MOST_SAMPLES:
        raise InputError(f"--samples is {samples}; it must be between 1 and {_MOST_SAMPLES}")
    from consistency_lab.model.conditions import condition as condition_named
    from consistency_lab.search.forward import LARGEST

    numbers = item_numbers(items, LARGEST)
    wanted = {"worst": worst, "smallest": smallest, "rate": rate}
    conditions = tuple(condition_named(one).name for one in condition or [CONDITION])
    if (
        surrogates is not None
        or scheduler is not None
        or jobs is not None
        or len(numbers) > 1
        or len(conditions) > 1
    ):
        for option, value in {"--phi": phi, "--form": form, "--h": h, "--r": r, "--nu": nu}.items():
            if value is not None:
                raise InputError(f"{option} does not fit: the surrogates of an atlas are named; leave it out")
        if name is not None and surrogates is not None:
            raise InputError(f"give the surrogates in one place: add {name} to --surrogates, or leave it out")
        if stop_after is not None:
            raise InputError(
                "--stop-after does not fit: cells of an atlas are the same everywhere; leave it out"
            )
        if not save:
            raise InputError("--no-save does not fit: an atlas is kept in its folder; leave it out")
        return make_atlas(
            tuple(one.strip() for one in (surrogates or name or "").split(",") if one.strip()),
            conditions,
            numbers,
            out or FOLDER,
            parts=tuple(part for part, flag in wanted.items() if flag),
            scheduler=scheduler,
            jobs=jobs,
            budget=budget,
            samples=samples,
            seed=seed,
            json=json,
        )
    from consistency_lab.cli.question import graph_surrogate

    asked = graph_surrogate(name, phi, form, h, r, nu, asked="measure")
    parts = tuple(part for part, flag in wanted.items() if flag) or ("smallest",)
    given = {"--phi": phi, "--form": form, "--h": h, "--r": r, "--nu": nu}
    given |= {"--condition": conditions[0], "--items": str(numbers[0])}
    given |= {"--samples": str(samples) if rate else None, "--seed": str(seed) if seed else None}
    command = _command(name, given, parts)
    folder = out or WITNESSES
    if save:
        from consistency_lab.files import check_writable

        check_writable(folder)
    run = Run(budget, clock_seconds(stop_after), seed, folder if save else None, command, json)
    return answer(Question(asked, conditions[0], numbers[0], samples), parts, run)


def _command(name: str | None, given: Mapping[str, str | None], parts: Sequence[str]) -> str:
    """What to type for the same answer."""
    words = ["consistency-lab", "measure", *([name] if name is not None else [])]
    for option, value in given.items():
        if value is not None:
            words += [option, value]
    return shlex.join([*words, *(f"--{part}" for part in parts)])


# --- The three questions of ``measure`` ------------------------------------------------------------------
# Asked one after the other, shown, and summed up in an exit code.


@frozen
class Question:
    """What is searched."""

    #: The surrogate, the noise condition and the number of items.
    surrogate: "Surrogate"
    condition: str
    m: int
    samples: int  #: How many distributions a rate is estimated from.
    known: "Witness | None" = None  #: A witness that an earlier part has found.


@final
class _Answer(NamedTuple):
    """What was found: whether that is a witness, or a proof that there is none, and how it reads."""

    wrong: bool
    proved: bool
    document: "Mapping[str, object]"
    report: "Iterable[Line]"
    witness: "Witness | None"


def answer(question: Question, parts: Sequence[str], run: Run) -> int:
    """Ask each part in its own budget, show what is found, and return the exit code."""
    from consistency_lab.decide.surrogate import known_properties
    from consistency_lab.report.answer import effort_document
    from consistency_lab.report.measure import search_document, search_heading

    known_properties(question.surrogate)
    heading = search_document(question.surrogate, question.condition, question.m)
    document: dict[str, object] = dict(heading)
    answers: list[_Answer] = []
    stopped = False
    for part in parts:
        try:
            with run.search() as effort:
                found = _PARTS[part](question, effort, run)
        except UnsupportedError as error:
            if len(parts) == 1:
                raise
            document[part] = {"unsupported": str(error)}
            warn(f"--{part} is left out: {error}")
            continue
        if not run.json and not answers:
            say_report(search_heading(question.surrogate))
        answers.append(found)
        question = replace(question, known=found.witness or question.known)
        document[part] = {**found.document, "effort": effort_document(effort)}
        if not run.json:
            say_report(["", *found.report])
        say_effort(effort)
        stopped |= effort.stopped
        if effort.interrupted:
            break
    if run.json:
        say_json(document)
    if any(found.wrong for found in answers):
        return INCONSISTENT
    if any(found.proved for found in answers):
        return CONSISTENT
    return STOPPED if stopped else UNDECIDED


def _provenance(question: Question, run: Run) -> dict[str, str]:
    from consistency_lab.decide.cases import illustrated_theorem

    return {"command": run.command, "citation": illustrated_theorem(question.surrogate)}


def _saved(run: Run, witnesses: "Iterable[Witness | None]") -> "Files":
    return run.save(witness.document for witness in witnesses if witness is not None)


def _worst(question: Question, effort: "Effort", run: Run) -> _Answer:
    from consistency_lab.measure.worst import worst_case
    from consistency_lab.report.measure import worst_document, worst_report

    found = worst_case(
        question.surrogate,
        question.condition,
        question.m,
        effort=effort,
        provenance=_provenance(question, run),
    )
    files = _saved(run, [found.witness])
    wrong, none = found.witness is not None, found.upper == 0
    return _Answer(wrong, none, worst_document(found, files), worst_report(found, files), found.witness)


def _smallest(question: Question, effort: "Effort", run: Run) -> _Answer:
    from consistency_lab.measure.smallest import smallest
    from consistency_lab.report.measure import smallest_document, smallest_report

    found = smallest(
        question.surrogate,
        question.condition,
        question.m,
        effort=effort,
        provenance=_provenance(question, run),
        known=question.known,
    )
    files = _saved(run, [found.witness, found.strict])
    wrong = found.witness is not None
    document, report = smallest_document(found, files), smallest_report(found, files)
    return _Answer(wrong, found.proved, document, report, found.witness)


def _rate(question: Question, effort: "Effort", run: Run) -> _Answer:
    from consistency_lab.measure.rate import rate
    from consistency_lab.report.measure import rate_document, rate_report

    found = rate(
        question.surrogate,
        question.condition,
        question.m,
        samples=question.samples,
        seed=run.seed,
        effort=effort,
        provenance=_provenance(question, run),
    )
    files = _saved(run, found.witnesses)
    none = found.proved_zero is not None
    document, report = rate_document(found, files), rate_report(found, files)
    return _Answer(bool(found.witnesses), none, document, report, None)


_PARTS: Final[Mapping[str, Callable[[Question, "Effort", Run], _Answer]]] = MappingProxyType(
    {"worst": _worst, "smallest": _smallest, "rate": _rate}
)
