"""The three questions of ``measure``: asked one after the other, shown, and summed up in an exit code."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, final

from consistency_lab.cli.check.run import Run, say_effort
from consistency_lab.cli.exit_codes import CONSISTENT, INCONSISTENT, STOPPED, UNDECIDED
from consistency_lab.cli.streams import say_json, say_report, warn
from consistency_lab.errors import UnsupportedError

if TYPE_CHECKING:
    from consistency_lab.certify.witness import Witness
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.report.answer import Files
    from consistency_lab.report.text import Line
    from consistency_lab.search.effort import Effort


@final
@dataclass(frozen=True, slots=True)
class Question:
    """What is searched.

    Parameters
    ----------
    surrogate, condition, m
        The surrogate, the noise condition and the number of items.
    samples
        How many distributions a rate is estimated from.
    known
        A witness that an earlier part has found.
    """

    surrogate: "Surrogate"
    condition: str
    m: int
    samples: int
    known: "Witness | None" = None


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
    from consistency_lab.decide.hypotheses import known_properties
    from consistency_lab.report.answer import effort_document
    from consistency_lab.report.measure.search import search_document, search_heading

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
    from consistency_lab.decide.hypotheses import illustrated_theorem

    return {"command": run.command, "citation": illustrated_theorem(question.surrogate)}


def _saved(run: Run, witnesses: "Iterable[Witness | None]") -> "Files":
    return run.save(witness.document for witness in witnesses if witness is not None)


def _worst(question: Question, effort: "Effort", run: Run) -> _Answer:
    from consistency_lab.measure.worst import worst_case
    from consistency_lab.report.measure.worst import worst_document, worst_report

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
    from consistency_lab.report.measure.smallest import smallest_document, smallest_report

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
    from consistency_lab.report.measure.rate import rate_document, rate_report

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
