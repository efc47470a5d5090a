"""What `check` tells a person about an objective of a library: the plain loss, and what is shipped."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

from consistency_lab.certify.witness import Witness
from consistency_lab.decide.answers import Decision, LibraryDecision, Verdict
from consistency_lab.model.surrogates.tasks.libraries import PairEntry
from consistency_lab.model.surrogates.tasks.shipped import Entry
from consistency_lab.model.tasks.task import Task
from consistency_lab.show.answer import (
    ANSWER,
    EFFORT,
    ON_SCREEN,
    PRESCRIPTION,
    TARGET,
    WITNESS_ON_LABELS,
    Files,
    asked_about,
    witness_document,
)
from consistency_lab.show.decision import instead, theorems, witnesses
from consistency_lab.show.documents import Record
from consistency_lab.show.listing import defaults_text
from consistency_lab.show.recommend import DEFAULTS
from consistency_lab.show.text import Line, paragraph
from consistency_lab.show.witness import surrogate_lines, target_lines

WRONG: Final = "WRONG EQUILIBRIUM"
NONE_FOUND: Final = "none found"
NOT_DECIDED: Final = "not decided"


def finding(decision: LibraryDecision) -> tuple[str, str]:
    """The word in the row of a shipped default that is no fixed loss, and the evidence."""
    assert not isinstance(decision.shipped, Decision)
    if decision.shipped is None:
        return NOT_DECIDED, "see the note"
    return NONE_FOUND if decision.shipped.witness is None else WRONG, decision.shipped.reason


def heading(decision: LibraryDecision, task: Task) -> Iterator[Line]:
    """What was read, the losses, the target, and what a user should know."""
    entry = decision.entry
    yield from read_lines(entry)
    if decision.plain is not None:
        yield from surrogate_lines(decision.plain.surrogate, task, "plain loss ")
    if isinstance(decision.shipped, Decision):
        yield from surrogate_lines(decision.shipped.surrogate, task, "shipped loss ")
    yield from target_lines(task)
    yield from (*paragraph(f"Note: {entry.note}", indent=0, hanging=3), "")


def read_lines(entry: Entry | PairEntry) -> Iterator[Line]:
    """What was read, and where."""
    yield from paragraph(f"{entry.name}: {entry.formula}", indent=0, hanging=3)
    yield from paragraph(f"read from {entry.citation}", indent=3)
    if entry.defaults:
        yield from paragraph(f"defaults: {defaults_text(entry)}", indent=3, hanging=3)


def pair_lines(entry: PairEntry) -> Iterator[Line]:
    """What was read, and what a user should know; before it the verdict where nothing here decides it."""
    if entry.loss is None:
        yield f"{entry.name} is {Verdict.UNDECIDED}: no theorem or certificate here covers it."
    yield ""
    yield from read_lines(entry)
    yield from paragraph(f"Note: {entry.note}", indent=0, hanging=3)


def evidence(decision: LibraryDecision, files: Files, shown: Witness | None) -> Iterator[Line]:
    """What is known of the plain loss, then of the shipped default, and what to use instead."""
    for decided in (decision.plain, decision.shipped):
        if isinstance(decided, Decision):
            yield from theorems(decided.answers)
            yield from witnesses(decided, files, shown)
    if decision.plain is not None:
        shipped_by = decision.entry.library
        yield from instead(decision.plain, shipped_by if shipped_by in DEFAULTS else "lightgbm")


_PLAIN: Final = Record(
    Decision,
    "surrogate=. convex verdict answers prescriptions",
    surrogate=asked_about,
    answers=ANSWER,
    prescriptions=PRESCRIPTION,
)
_SHIPPED: Final = Record(
    LibraryDecision,
    "finding=. reason=. parameters=shipped witness=shipped",
    finding=(str, lambda decision: finding(decision)[0].lower()),
    reason=(str, lambda decision: finding(decision)[1]),
    parameters=(dict[str, object], lambda shipped: {} if shipped is None else shipped.field.parameters),
    witness=(
        Annotated[Any, WITNESS_ON_LABELS, None],
        lambda shipped, files: witness_document(None if shipped is None else shipped.witness, files),
    ),
)


def _shipped(decision: LibraryDecision, files: Files) -> Annotated[Any, _PLAIN, _SHIPPED, None]:
    if decision.entry.shipped == "same":
        return None
    if isinstance(decision.shipped, Decision):
        return _PLAIN(decision.shipped, files)
    return _SHIPPED(decision, files)


def _effort(decision: LibraryDecision) -> Annotated[Any, EFFORT, None]:
    known = decision.plain or decision.shipped
    return None if known is None else EFFORT(known.effort)


library_document: Final = Record(
    LibraryDecision,
    "library=entry target=. verdict plain shipped=. effort=.",
    format="consistency-lab/check-library/1",
    may=ON_SCREEN,
    library=Record(Entry, "name formula citation version=release.version defaults shipped note"),
    target=(Annotated[Any, TARGET], lambda _, files, task: TARGET(task)),
    plain=_PLAIN,
    shipped=_shipped,
    effort=_effort,
)
"""The answers about an objective of a library, with where files are, and the target."""
