"""What `check` tells a person about a surrogate, for preference graphs or for a target."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import TIE
from consistency_lab.decide import Answer, Decision, ProfileDecision, Strongest, Verdict
from consistency_lab.decide.answers import COUNTS, SUPPORT
from consistency_lab.model.conditions import whole
from consistency_lab.model.designs import design
from consistency_lab.model.properties import Property, Status
from consistency_lab.model.surrogates import LinearSurrogate, Surrogate
from consistency_lab.report.answer import Files
from consistency_lab.report.gallery import weights_text
from consistency_lab.report.recommend import code_command
from consistency_lab.report.text import Line, flush, inset, listed, paragraph, plain, table, tabular
from consistency_lab.report.witness import (
    saved,
    surrogate_lines,
    surrogate_title,
    target_lines,
    witness_block,
)

if TYPE_CHECKING:
    from rich.table import Table

COLORS: Final[Mapping[Verdict, str]] = {
    Verdict.CONSISTENT: "bold green",
    Verdict.INCONSISTENT: "bold red",
    Verdict.UNDECIDED: "bold yellow",
}

_STATUS: Final[Mapping[Status, str]] = {
    Status.PROVED: "yes",
    Status.REFUTED: "no",
    Status.UNKNOWN: "unknown",
}


def opening(decision: Decision) -> list[Line]:
    """The answer in a sentence."""
    counts = "" if decision.design == "any" else f", with the design {decision.design}"
    same = "" if decision.compared is None else f" It was {decision.compared.sentence}."
    return flush(f"{decision.name} is {told(decision.answers)}{counts}{caveat(decision)}.{same}")


def heading(decision: Decision) -> Iterator[Line]:
    """The surrogate, its target, and what is known of its scalar function."""
    surrogate = decision.surrogate
    yield from surrogate_lines(surrogate, decision.target)
    yield from target_lines(decision.target)
    if not isinstance(surrogate, Surrogate):
        yield ""
        return
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
    ]
    yield ""
    yield f"Known about {letter}(x) = {surrogate.functions[-1]}:"
    yield from (*tabular(rows, 2, head=False), "")


def caveat(found: Decision | Strongest | ProfileDecision) -> str:
    """What a proof leaves open where the loss is not convex, for the end of the sentence that tells it."""
    of = (found.verdict,) if isinstance(found, ProfileDecision) else (one.verdict for one in found.answers)
    if found.convex or Verdict.CONSISTENT not in of:
        return ""
    proved = "" if found.convex is False else "proved "
    return f", at the infimum of W; it is not {proved}convex, so training can stop elsewhere"


def told(answers: Iterable[Answer]) -> str:
    """The verdicts in a phrase, each with its conditions, and a proof with the sizes that it covers."""
    by: dict[str, list[str]] = {}
    for one in answers:
        scope = f" ({one.scope})" if one.verdict is Verdict.CONSISTENT and one.scope else ""
        by.setdefault(f"{one.verdict}{scope}", []).append(_noise(one.condition))
    return listed([f"{said} under {listed(names)}" for said, names in by.items()]) or Verdict.UNDECIDED


def _noise(condition: str) -> str:
    return "any noise" if condition == "any" else condition


def _how(known: Property) -> str:
    word = "" if known.status is Status.UNKNOWN else f"{known.status.value}, "
    value = "" if known.value is None else f"; {known.value}"
    return f"{word}{known.how}{value}"


def answers_table(decision: Decision) -> "Table":
    """Condition, verdict, evidence and scope; why several are undecided is said at the first of them."""
    heads = {"condition": {"no_wrap": True}, "verdict": {"no_wrap": True}, "evidence": {}}
    first: dict[str, str] = {}
    rows = []
    for answer in decision.answers:
        said = first.setdefault(answer.reason, answer.condition)
        again = answer.verdict is Verdict.UNDECIDED and said != answer.condition
        reason = f"as under {said}" if again else answer.reason
        rows.append((answer.condition, colored(answer.verdict), reason, answer.scope))
    return table({**heads, "scope": {"no_wrap": decision.target is None}}, rows)


def strongest_table(found: Strongest) -> "Table":
    """The largest pairs with a proof, the smallest with a witness, and all with neither, by reason."""
    heads = {"condition": {}, "design": {"no_wrap": True}, "verdict": {"no_wrap": True}}
    rows = [
        (one.condition, one.design, colored(one.verdict), _brief(one), one.scope)
        for one in (*found.right, *found.right_of_few, *found.wrong)
    ]
    for reason in dict.fromkeys(one.reason for one in found.undecided):
        pairs = [one.pair for one in found.undecided if one.reason == reason]
        of_design: dict[tuple[str, ...], list[str]] = {}
        for row in dict.fromkeys(row for _, row in pairs):
            names = tuple(condition for condition, of in pairs if of == row)
            of_design.setdefault(names, []).append(row)
        for names, designs in of_design.items():
            rows.append((", ".join(names), "\n".join(designs), colored(Verdict.UNDECIDED), reason, ""))
    return table({**heads, "evidence": {}, "scope": {"no_wrap": True}}, rows)


def _brief(answer: Answer) -> str:
    if answer.witness is None:
        return answer.citation.removesuffix(" (docs/theory.md, Designs)")
    total = sum(map(sum, whole(answer.witness.distribution.aggregate)))
    how = "an inversion" if answer.witness.failure == "strict" else "a tie"
    return f"{total:,} comparison{'s' if total > 1 else ''}, {how}"


def strongest_opening(found: Strongest) -> list[Line]:
    """The largest conditions with a proof and the smallest with a witness, each with its design."""
    known = (
        ("right", found.right),
        ("right for few items", found.right_of_few),
        ("wrong", found.wrong),
    )
    said = [f"{how} under {listed(sorted(map(noise_of, of)))}" for how, of in known if of]
    return flush(f"{found.surrogate.name} is {'; '.join(said) or 'UNDECIDED'}{caveat(found)}.")


def noise_of(answer: Answer) -> str:
    """Without its design, and the number of items, a claim would be too strong."""
    design = "" if answer.design == "any" else f"design {answer.design}"
    limits = ", ".join(filter(None, (design, "" if answer.scope == "all m" else answer.scope)))
    return _noise(answer.condition) + (f" ({limits})" if limits else "")


def strongest_evidence(found: Strongest, files: Files) -> Iterator[Line]:
    """The loss, how to read the table, and where its witnesses are."""
    yield from (*surrogate_lines(found.surrogate, None), "")
    yield from flush(
        "A CONSISTENT line also covers every narrower condition and design, within its scope; an "
        "INCONSISTENT line also covers every wider one. Add --condition and --design to see the hypotheses "
        "of a theorem."
    )
    yield ""
    for witness in found.witnesses:
        pairs = [" and ".join(one.pair) for one in found.wrong if one.witness == witness]
        weights = weights_text(witness.distribution.items, witness.distribution.aggregate)
        yield from flush(f"Witness for {', '.join(pairs)}: {weights}.")
        yield from saved(witness.digest, files)
        yield ""


def colored(verdict: Verdict) -> tuple[str, str]:
    """A verdict in its color, for a table."""
    return str(verdict), COLORS[verdict]


def evidence(decision: Decision, proofs: Mapping[str, Mapping[str, object]], files: Files) -> Iterator[Line]:
    """Theorems with their hypotheses, exact proofs, witnesses, and what to use instead."""
    yield from theorems(decision.answers)
    yield from infeasible(proofs, files)
    yield from witnesses(decision, files)
    yield from instead(decision)


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


def witnesses(decision: Decision, files: Files) -> Iterator[Line]:
    """Each different witness in a few lines, with what it adds to the others."""
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
        yield from (*witness_block(title, witness, files, more), "")


def instead(decision: Decision, library: str = "lightgbm") -> Iterator[Line]:
    """What to use instead, what it costs, why, how to check that, and how to train it with a library."""
    for advice in decision.prescriptions:
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
    return "A strict inversion" if witness is decision.strict else "A witness for every convex phi"
