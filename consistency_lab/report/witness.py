"""A witness about preference graphs as a person reads it: matrix, scores, what is wrong, and why."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from shlex import quote
from typing import Final

from consistency_lab.certify.minimizers import holds_of_every_minimizer
from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import TIE
from consistency_lab.exact import integer_multiple
from consistency_lab.report.text import Line, chain, columns, decimal, matrix, number, paragraph, short

_KINDS: Final[Mapping[str, str]] = {
    "strict": "a strict inversion, wrong under every rule for ties",
    "tie": "a tie: an order that breaks it is wrong, and so are scores as close to these as one likes",
}

OF_THIS_ONE: Final = "; that is proved of this minimizer, and not of every other one"
"""Where W may have more minimizers than the scores of a witness."""


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


def saved(digest: str, files: Mapping[str, Path]) -> Iterator[str]:
    """Where a witness lies and how to read it, if it was saved."""
    path = files.get(digest)
    if path is not None:
        yield f"  Saved as {path}"
        yield f"  Read the proof: consistency-lab show {quote(str(path))}"


def percent(share: Fraction) -> str:
    """A share in percent."""
    return f"{decimal(share * 100, 2)} %"


def gap(witness: Witness | None) -> str | None:
    """The certified gap of a separation as the file has it; a minimum has none."""
    found = None if witness is None else witness.document["proof"]["certificate"].get("gap")
    return None if found is None else str(found)
