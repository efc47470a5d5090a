"""What `check` tells a person about a surrogate, for preference graphs, a target or a library's objective."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final

from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import TIE
from consistency_lab.decide.answers import (
    COUNTS,
    SUPPORT,
    Answer,
    Decision,
    LibraryDecision,
    Prescription,
    Verdict,
)
from consistency_lab.decide.remedies import task_words
from consistency_lab.model.designs import design
from consistency_lab.model.labels import Grades
from consistency_lab.model.properties import Property, Status
from consistency_lab.model.surrogates import LinearSurrogate, Surrogate
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.surrogates.tasks.libraries import PairEntry
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.surrogates.tasks.shipped import LibraryLoss
from consistency_lab.model.tasks.positional import Ndcg
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.phi import parse
from consistency_lab.show.answer import (
    ANSWER,
    EFFORT,
    ON_SCREEN,
    PRESCRIPTION,
    TARGET,
    WITNESS_ON_LABELS,
    asked_about,
    witness_document,
)
from consistency_lab.show.documents import Record
from consistency_lab.show.text import Line, flush, inset, listed, paragraph, plain, tabular
from consistency_lab.show.witness import (
    WORDS,
    Files,
    certificate_line,
    saved,
    surrogate_lines,
    surrogate_title,
    target_lines,
    witness_block,
)

_REMEDIES: Final = 2
"""So many losses to use instead are told; --json has the rest."""

_STATUS: Final[Mapping[Status, str]] = {Status.PROVED: "yes", Status.REFUTED: "no", Status.UNKNOWN: "unknown"}


def heading(decision: Decision) -> Iterator[Line]:
    """The surrogate, its target, and what is known of its scalar function."""
    surrogate = decision.surrogate
    yield from surrogate_lines(surrogate, decision.target)
    yield from target_lines(decision.target)
    if not isinstance(surrogate, Surrogate):
        yield ""
        return
    if decision.compared is not None:
        yield from flush(f"It was {decision.compared.sentence}.")
    if decision.design.startswith(COUNTS):
        of = decision.design.removeprefix(COUNTS)
        yield from paragraph(f"Design: each pair is compared as often as in {of}.", 0)
    elif decision.design.startswith(SUPPORT):
        of = decision.design.removeprefix(SUPPORT)
        yield from paragraph(f"Design: the pairs compared in {of}, each any number of times.", 0)
    elif decision.design != "any":
        yield f"Design: {decision.design}, {design(decision.design).words}."
    letter = "r" if type(surrogate) is LinearSurrogate else "phi"
    rows = [
        [name.replace("phi", letter), _STATUS[known.status], _how(known).replace("phi", letter)]
        for name, known in decision.properties.items()
        if known.status is not Status.PROVED
    ]
    yield ""
    if rows:
        yield f"Not proved of {letter}(x) = {surrogate.functions[-1]}:"
        yield from (*tabular(rows, 2, head=False), "")


def _noise(condition: str) -> str:
    return "any noise" if condition == "any" else condition


def _how(known: Property) -> str:
    word = "" if known.status is Status.UNKNOWN else f"{known.status.value}, "
    value = "" if known.value is None else f"; {known.value}"
    return f"{word}{known.how}{value}"


def noise_of(answer: Answer) -> str:
    """Without its design, and the number of items, a claim would be too strong."""
    design = "" if answer.design == "any" else f"design {answer.design}"
    limits = ", ".join(filter(None, (design, "" if answer.scope == "all m" else answer.scope)))
    return _noise(answer.condition) + (f" ({limits})" if limits else "")


def evidence(
    decision: Decision, proofs: Mapping[str, Mapping[str, object]], files: Files, shown: Witness | None = None
) -> Iterator[Line]:
    """What a screen that shows one example leaves out: theorems, proofs, witnesses, what to use instead."""
    yield from theorems(decision.answers)
    yield from _reasons(decision, shown)
    yield from infeasible(proofs, files)
    yield from witnesses(decision, files, shown)
    yield from instead(decision)


def _reasons(decision: Decision, shown: Witness | None) -> Iterator[Line]:
    """Why the rest is right or open, each reason once; a screen without an example says why it is open."""
    open_too = shown is not None and (decision.frontier is not None or decision.target is not None)
    by: dict[str, list[str]] = {}
    for one in decision.answers:
        undecided = one.verdict is Verdict.UNDECIDED
        if one.witness is None and (open_too if undecided else one.evidence is None):
            by.setdefault(f"{WORDS[one.verdict]}: {one.reason}", []).append(_noise(one.condition))
    for said, names in by.items():
        yield from (*flush(f"Under {listed(names)} {said}."), "")


def theorems(answers: Iterable[Answer]) -> Iterator[Line]:
    """The hypotheses of the theorems that were used, each once, as they were checked."""
    for known in dict.fromkeys(answer.evidence for answer in answers if answer.evidence is not None):
        source = known.citation[:1].upper() + known.citation[1:]
        yield from flush(f"{source}, for {known.scope}. Its hypotheses and how each was checked:")
        for statement, how in known.hypotheses:
            yield from inset(f"{plain(statement)}: {how}")
        yield ""


def infeasible(proofs: Mapping[str, Mapping[str, object]], files: Files) -> Iterator[Line]:
    """Where the multipliers of the exact infeasibility proofs are."""
    for condition, document in proofs.items():
        if document["digest"] in files:
            yield f"The systems for {condition} and the multipliers that refute them:"
            yield from saved(str(document["digest"]), files)
            yield ""


def witnesses(decision: Decision, files: Files, shown: Witness | None = None) -> Iterator[Line]:
    """Each witness in a few lines, with what it adds to the others; of the one shown, why it is certain."""
    for witness in decision.witnesses:
        conditions = [
            answer.condition
            for answer in decision.answers
            if answer.witness is not None and answer.witness.digest == witness.digest
        ]
        title = _title(decision, witness, conditions)
        more = []
        if decision.target is None and conditions and witness.failure == TIE:
            m = None if decision.strict is None else decision.strict.distribution.m
            known = f"A strict inversion exists too, with {m} items; see below."
            more += inset("No strict inversion was found." if m is None else known)
        if witness is decision.universal:
            more += inset(
                "At this distribution no convex phi with phi'(0) < 0 is right; the file has the multipliers "
                "that prove it."
            )
        if witness is not shown:
            yield from (*witness_block(title, witness, files, more), "")
        elif decision.target is None:
            yield from (f"{title}, the example above:", *inset(certificate_line(witness)), *more, "")


# --- What to use instead, and how to train it with a library ---------------------------------------------

TITLES: Final = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "catboost": "CatBoost"}
DEFAULTS: Final[Mapping[str, str]] = MappingProxyType(
    {"lightgbm": "lambdarank", "xgboost": "rank:ndcg", "catboost": "YetiRank"}
)
"""What each library ships for rankings."""
_LOGISTIC: Final = parse("log(1+exp(-x))")


def fits(surrogate: Loss, task: Task, library: str) -> bool:
    """Whether there is a program: least squares in each library, a custom objective of lists in three."""
    if not isinstance(task.space, Grades):
        return False
    if type(surrogate) is PairsSurrogate:
        return surrogate.weights.startswith("zhang") and surrogate.phi == _LOGISTIC and library != "catboost"
    return type(surrogate) is Regression


def code_command(advice: Prescription, library: str) -> str | None:
    """What prints a program for a prescription, None if there is none."""
    task = advice.target
    if task is None or not fits(advice.surrogate, task, library):
        return None
    words = task_words(task)
    del words[: 2 * (words[:1] == ["--items"])]  # it is for lists of any length
    if isinstance(task, Ndcg) and task.k and "--k" not in words:  # so many positions count in longer lists
        words += ["--k", str(task.k)]
    asked = ["consistency-lab", "recommend", advice.surrogate.name, "--target", task.target, *words]
    return shlex.join([*asked, "--library", library])


def instead(decision: Decision, library: str = "lightgbm") -> Iterator[Line]:
    """What to use instead, what it costs, why, how to check that, and how to train it with a library."""
    for advice in decision.prescriptions[:_REMEDIES]:
        title = surrogate_title(advice.surrogate, advice.target)
        yield from flush(f"Use instead: {title}, {advice.how}.")
        yield from inset(f"Proved for {advice.condition}: {advice.reason}.")
        yield f"  Check: {advice.command}"
        code = code_command(advice, library)
        if code is not None:
            yield f"  Code: {code}"
        yield ""


def _title(decision: Decision, witness: Witness, conditions: list[str]) -> str:
    if conditions:
        against = "" if decision.target is None else f"against {decision.surrogate.name} "
        what = "Witness" if witness.inconsistent or decision.target else "Equilibrium in a wrong order"
        return f"{what} {against}for {', '.join(conditions)}"
    if witness in (decision.strict, decision.universal):
        return "A strict inversion" if witness is decision.strict else "A witness for every convex phi"
    pairs = () if decision.frontier is None else decision.frontier.wrong
    return f"Witness for {listed([noise_of(one) for one in pairs if one.witness == witness])}"


# --- An objective of a library: the plain loss, and what is shipped ---------------------------------------

WRONG: Final = "WRONG EQUILIBRIUM"
NONE_FOUND: Final = "none found"
NOT_DECIDED: Final = "not decided"


def finding(decision: LibraryDecision) -> tuple[str, str]:
    """The word in the row of a shipped default that is no fixed loss, and the evidence."""
    assert not isinstance(decision.shipped, Decision)
    if decision.shipped is None:
        return NOT_DECIDED, "see the note"
    return NONE_FOUND if decision.shipped.witness is None else WRONG, decision.shipped.reason


def library_heading(decision: LibraryDecision, task: Task) -> Iterator[Line]:
    """What was read, the losses, the target, and what a user should know."""
    entry = decision.entry
    yield from read_lines(entry)
    if decision.plain is not None:
        yield from surrogate_lines(decision.plain.surrogate, task, "plain loss ")
    if isinstance(decision.shipped, Decision):
        yield from surrogate_lines(decision.shipped.surrogate, task, "shipped loss ")
    yield from target_lines(task)
    yield from (*paragraph(f"Note: {entry.note}", indent=0, hanging=3), "")


def read_lines(entry: LibraryLoss | PairEntry) -> Iterator[Line]:
    """What was read, and where."""
    yield from paragraph(f"{entry.name}: {entry.formula}", indent=0, hanging=3)
    yield from paragraph(f"read from {entry.citation}", indent=3)
    if entry.defaults:
        told = ", ".join(f"{name} = {value}" for name, value in entry.defaults.items())
        yield from paragraph(f"defaults: {told}", indent=3, hanging=3)


def pair_lines(entry: PairEntry) -> Iterator[Line]:
    """What was read, and what a user should know; before it the verdict where nothing here decides it."""
    if entry.loss is None:
        yield f"{entry.name} is {Verdict.UNDECIDED}: no theorem or certificate here covers it."
    yield ""
    yield from read_lines(entry)
    yield from paragraph(f"Note: {entry.note}", indent=0, hanging=3)


def library_evidence(decision: LibraryDecision, files: Files, shown: Witness | None) -> Iterator[Line]:
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


library_document: Final = Record(
    LibraryDecision,
    "library=entry target=. verdict plain shipped=. effort=.",
    format="consistency-lab/check-library/1",
    may=ON_SCREEN,
    library=Record(LibraryLoss, "name formula citation version=release.version defaults shipped note"),
    target=(Annotated[Any, TARGET], lambda _, files, task: TARGET(task)),
    plain=_PLAIN,
    shipped=_shipped,
    effort=(Annotated[Any, EFFORT, None], lambda one: (of := one.plain or one.shipped) and EFFORT(of.effort)),
)
"""The answers about an objective of a library, with where files are, and the target."""
