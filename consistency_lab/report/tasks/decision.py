"""What `check --target` tells a person about a surrogate."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from consistency_lab.decide.tasks import Prescription, TaskAnswer, TaskDecision
from consistency_lab.model.surrogates.tasks.decoders import DECODERS
from consistency_lab.report.answer import Files
from consistency_lab.report.decision import COLORS
from consistency_lab.report.tasks.heading import surrogate_lines, surrogate_title, target_lines
from consistency_lab.report.tasks.witness import witness_block
from consistency_lab.report.text import Line, paragraph, plain

if TYPE_CHECKING:
    from rich.table import Table


def heading(decision: TaskDecision) -> Iterator[Line]:
    """The surrogate and the target."""
    yield from surrogate_lines(decision.surrogate, decision.task)
    yield from target_lines(decision.task)


def answers_table(decision: TaskDecision) -> "Table":
    """Condition, verdict, evidence and scope."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, expand=False)
    table.add_column("condition", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("evidence")
    table.add_column("scope")
    for answer in decision.answers:
        table.add_row(
            answer.condition,
            Text(str(answer.verdict), COLORS[answer.verdict]),
            Text(answer.reason),
            Text(answer.scope),
        )
    return table


def evidence(decision: TaskDecision, files: Files) -> Iterator[Line]:
    """Theorems with their hypotheses, witnesses, and what to use instead."""
    yield from findings(decision, files)
    yield from remedy(decision)


def findings(decision: TaskDecision, files: Files) -> Iterator[Line]:
    """Theorems with their hypotheses, and witnesses."""
    yield from hypotheses(decision.answers)
    yield from witnesses(decision, files)


def hypotheses(answers: Iterable[TaskAnswer]) -> Iterator[Line]:
    """The hypotheses of the theorems that were used, each once, as they were checked."""
    for known in dict.fromkeys(answer.evidence for answer in answers if answer.evidence is not None):
        source = known.citation[:1].upper() + known.citation[1:]
        yield from paragraph(
            f"{source}, for {known.scope}. What it asks, and how it was checked:", indent=0, hanging=2
        )
        for statement, how in known.hypotheses:
            yield from paragraph(f"{plain(statement)}: {how}", indent=2, hanging=2)
        yield ""


def witnesses(decision: TaskDecision, files: Files) -> Iterator[Line]:
    """Each different witness, with the conditions that it is for."""
    for witness in decision.witnesses:
        digest = witness.digest
        conditions = [
            answer.condition
            for answer in decision.answers
            if answer.witness is not None and answer.witness.digest == digest
        ]
        title = f"Witness against {decision.surrogate.name} for {', '.join(conditions)}"
        yield from witness_block(title, witness, files)


def remedy(decision: TaskDecision) -> Iterator[Line]:
    """What to use instead, what it costs, why, and how to check that."""
    for advice in decision.prescriptions:
        yield from _advice(advice)


def _advice(advice: Prescription) -> Iterator[Line]:
    title = surrogate_title(advice.surrogate, advice.task)
    scores = f"{advice.dimension} score{'s' if advice.dimension > 1 else ''}"
    decoder = DECODERS[advice.surrogate.decoder]
    yield from paragraph(
        f"Use instead: {title}, {scores}, decoder: {decoder.title} (cost: {decoder.cost}).",
        indent=0,
        hanging=2,
    )
    yield from paragraph(f"Proved for {advice.condition}: {advice.reason}.", indent=2, hanging=2)
    yield f"  Check: {advice.command}"
    yield ""
