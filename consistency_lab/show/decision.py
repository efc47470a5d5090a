"""What `check` tells a person about a surrogate, for preference graphs or for a target."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import TIE
from consistency_lab.decide.answers import (
    COUNTS,
    SUPPORT,
    Answer,
    Decision,
    ProfileDecision,
    Strongest,
    Verdict,
)
from consistency_lab.model.designs import design
from consistency_lab.model.properties import Property, Status
from consistency_lab.model.surrogates import LinearSurrogate, Surrogate
from consistency_lab.show.answer import Files
from consistency_lab.show.recommend import code_command
from consistency_lab.show.text import Line, flush, inset, listed, paragraph, plain, tabular
from consistency_lab.show.witness import (
    certificate_line,
    saved,
    surrogate_lines,
    surrogate_title,
    target_lines,
    witness_block,
)

WORDS: Final[Mapping[Verdict, str]] = MappingProxyType(
    {Verdict.CONSISTENT: "right", Verdict.INCONSISTENT: "wrong", Verdict.UNDECIDED: "open"}
)
"""The verdict of a row."""

_REMEDIES: Final = 2
"""So many losses to use instead are told; --json has the rest."""

_STATUS: Final[Mapping[Status, str]] = {
    Status.PROVED: "yes",
    Status.REFUTED: "no",
    Status.UNKNOWN: "unknown",
}


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


def caveat(answer: Decision | Strongest | ProfileDecision) -> str:
    """What a proof leaves open where the loss is not convex, for the end of the sentence that tells it."""
    of = (answer.verdict,) if isinstance(answer, ProfileDecision) else (one.verdict for one in answer.answers)
    if answer.convex or Verdict.CONSISTENT not in of:
        return ""
    proved = "" if answer.convex is False else "proved "
    return f", at the infimum of W; it is not {proved}convex, so training can stop elsewhere"


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
    decision: Decision,
    proofs: Mapping[str, Mapping[str, object]],
    files: Files,
    shown: Witness | None = None,
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
