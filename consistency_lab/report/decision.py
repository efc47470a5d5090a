"""What `check` tells a person about a surrogate."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from consistency_lab.certify.minimizers import holds_of_every_minimizer
from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import TIE
from consistency_lab.decide import Decision, Verdict
from consistency_lab.exact import integer_multiple
from consistency_lab.model.properties import Property, Status
from consistency_lab.model.surrogates import LinearSurrogate
from consistency_lab.report.answer import Files, gap
from consistency_lab.report.formula import formula
from consistency_lab.report.text import Line, chain, columns, decimal, matrix, number, paragraph, plain, short

if TYPE_CHECKING:
    from rich.table import Table

COLORS: Final[Mapping[Verdict, str]] = {
    Verdict.CONSISTENT: "bold green",
    Verdict.INCONSISTENT: "bold red",
    Verdict.UNDECIDED: "bold yellow",
}

_KINDS: Final[Mapping[str, str]] = {
    "strict": "a strict inversion, wrong under every rule for ties",
    "tie": "a tie: an order that breaks it is wrong, and so are scores as close to these as one likes",
}

OF_THIS_ONE: Final = "; that is proved of this minimizer, and not of every other one"
"""Where W may have more minimizers than the scores of a witness."""

_STATUS: Final[Mapping[Status, str]] = {
    Status.PROVED: "yes",
    Status.REFUTED: "no",
    Status.UNKNOWN: "unknown",
}


def heading(decision: Decision) -> list[Line]:
    """The surrogate and what is known of its scalar function."""
    phi = decision.surrogate.functions[-1]
    letter = "r" if type(decision.surrogate) is LinearSurrogate else "phi"
    rows = [
        [name.replace("phi", letter), _STATUS[known.status], _how(known).replace("phi", letter)]
        for name, known in decision.properties.items()
    ]
    return [
        *paragraph(f"{decision.surrogate.name}: {formula(decision.surrogate)}", indent=0, hanging=2),
        "",
        f"What is known of {letter}(x) = {phi}:",
        *columns(rows, indent=2),
    ]


def _how(known: Property) -> str:
    word = "" if known.status is Status.UNKNOWN else f"{known.status.value}, "
    value = "" if known.value is None else f"; {known.value}"
    return f"{word}{known.how}{value}"


def answers_table(decision: Decision) -> "Table":
    """Condition, verdict, evidence and scope; why several are undecided is said at the first of them."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, expand=False)
    table.add_column("condition", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("evidence")
    table.add_column("scope", no_wrap=True)
    first: dict[str, str] = {}
    for answer in decision.answers:
        said = first.setdefault(answer.reason, answer.condition)
        again = answer.verdict is Verdict.UNDECIDED and said != answer.condition
        table.add_row(
            answer.condition,
            Text(str(answer.verdict), COLORS[answer.verdict]),
            Text(f"as under {said}" if again else answer.reason),
            answer.scope,
        )
    return table


def theorems(decision: Decision) -> Iterator[Line]:
    """The hypotheses of the theorems that were used, each once."""
    shown = set()
    for answer in decision.answers:
        evidence = answer.evidence
        if evidence is None or evidence in shown:
            continue
        shown.add(evidence)
        yield from paragraph(
            f"{evidence.citation}, for {evidence.scope}. What it asks, and how it was checked:", 0
        )
        for statement, how in evidence.hypotheses:
            yield from paragraph(f"{plain(statement)}: {how}", indent=2, hanging=2)
        yield ""


def infeasible(proofs: Mapping[str, Mapping[str, object]], files: Files) -> Iterator[Line]:
    """Where the multipliers of the exact infeasibility proofs are."""
    for condition, document in proofs.items():
        path = files.get(str(document["digest"]))
        if path is not None:
            yield f"The systems for {condition}, with the multipliers that refute them:"
            yield from saved(path)
            yield ""


def witnesses(decision: Decision, files: Files) -> Iterator[Line]:
    """Each different witness in a few lines, with what it adds to the others."""
    for witness in decision.witnesses:
        conditions = [answer.condition for answer in decision.answers if answer.witness is witness]
        yield from witness_block(_title(decision, witness, conditions), witness)
        if conditions and witness.verified.failure == TIE:
            yield from paragraph(_about_strict(decision), indent=2, hanging=2)
        if witness is decision.universal:
            yield from paragraph(
                "At this distribution no convex phi with phi'(0) < 0 is right, whatever it is: "
                "the file carries the multipliers of the proof.",
                indent=2,
                hanging=2,
            )
        path = files.get(witness.digest)
        if path is not None:
            yield from saved(path)
        yield ""


def instead(decision: Decision) -> Iterator[Line]:
    """What to use instead, why, and how to check that."""
    for remedy in decision.prescriptions:
        yield from paragraph(f"Use instead: {remedy.name}, {remedy.how}.", indent=0, hanging=2)
        yield from paragraph(f"Proved for {remedy.condition}: {remedy.reason}.", indent=2, hanging=2)
        yield f"  Check: {remedy.command}"
        yield ""


def _title(decision: Decision, witness: Witness, conditions: list[str]) -> str:
    if conditions:
        return "Witness for " + ", ".join(conditions)
    return "A strict inversion" if witness is decision.strict else "A witness for every convex phi"


def _about_strict(decision: Decision) -> str:
    if decision.strict is not None:
        return f"A strict inversion exists too: with {decision.strict.distribution.m} items, see below."
    return "No strict inversion was found."


def witness_block(title: str, witness: Witness) -> Iterator[Line]:
    """Matrix, scores, what is wrong, and why that is certain."""
    p, names = witness.distribution, witness.distribution.items
    yield f"{title}: {p.m} items, {len(p.graphs)} graph{'s' if len(p.graphs) > 1 else ''}"
    whole, scale = integer_multiple(x for row in p.aggregate for x in row)
    rows = [[Fraction(x) for x in whole[i * p.m : (i + 1) * p.m]] for i in range(p.m)]
    body = matrix(rows, names, indent=0)
    scores = [
        ["score", ""],
        *([decimal(score), str(score) if short(score) == str(score) else ""] for score in witness.scores),
    ]
    unit = "" if scale == 1 else f", in units of {1 / scale}"
    yield f"  preferences (row over column{unit}) and scores:"
    yield from columns([[a, *b] for a, b in zip(body, scores, strict=True)], indent=4, right=[1])
    for line in wrong_pairs(witness, scale):
        yield from paragraph(line, indent=2, hanging=2)
    kind = failure_sentence(witness)
    if kind:
        yield from paragraph(kind, indent=2, hanging=2)
    regret = number(witness.verified.regret * scale)
    costly = "the scores" if witness.verified.failure != TIE else chain(names, witness.prediction)
    yield from paragraph(
        f"An optimal order is {chain(names, witness.better)}; {costly} cost{'s' * (costly != 'the scores')} "
        f"{regret} more, {percent(witness.normalized_regret)} of all preferences (normalized regret).",
        indent=2,
        hanging=2,
    )
    yield from paragraph(certificate_line(witness), indent=2, hanging=2)


def failure_sentence(witness: Witness) -> str:
    """How the scores fail, and whether that is proved of them alone; "" if they do not."""
    kind = witness.verified.failure
    if kind is None:
        return ""
    alone = "" if kind == TIE or holds_of_every_minimizer(witness) else OF_THIS_ONE
    return f"The failure is {_KINDS[kind]}{alone}."


def wrong_pairs(witness: Witness, scale: Fraction) -> Iterator[str]:
    """One sentence for each pair that the scores have wrong; differences times `scale`."""
    names = witness.distribution.items
    for i, j in witness.wrong_pairs:
        difference = number(witness.distribution.difference[i][j] * scale)
        low, high = (decimal(witness.scores[k]) for k in (i, j))
        tied = witness.scores[i] == witness.scores[j]
        scored = "scored equal to it" if tied else f"scored below it ({low} < {high})"
        yield f"{names[i]} is preferred to {names[j]} by {difference}, yet {scored}."
    if witness.inconsistent and not witness.wrong_pairs:
        yield "No single pair is wrong in every optimal order, yet the order as a whole is not optimal."


def certificate_line(witness: Witness) -> str:
    """Why that is certain, in one sentence."""
    found = gap(witness)
    if found is None:
        return "Certificate: a minimum; the slopes at these scores add up to zero exactly."
    where = "inside" if witness.inconsistent else "outside"
    return (
        f"Certificate: separation; everywhere {where} A(p), W is larger than at these scores, "
        f"by at least {found}."
    )


def saved(path: Path) -> Iterator[str]:
    """Where it lies and how to read it."""
    yield f"  Saved as {path}"
    yield f"  Read the proof: consistency-lab show {quote(str(path))}"


def percent(share: Fraction) -> str:
    """A share in percent."""
    return f"{decimal(share * 100, 2)} %"
