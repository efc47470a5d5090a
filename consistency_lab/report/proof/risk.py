"""The conditional risk with its numbers put in, and the scores."""

from collections.abc import Iterator, Mapping

from consistency_lab.model.surrogates import FAMILIES
from consistency_lab.phi import convexity_proof
from consistency_lab.report.proof.case import Case
from consistency_lab.report.text import Line, as_decimal, chain, columns, number, paragraph


def risk(case: Case) -> Iterator[Line]:
    """The formula, W term by term, the scores and their order."""
    yield from paragraph(f"Surrogate {case.verified.called}: {_family(case.named)}.")
    for phi, letter in case.letters.items():
        yield from paragraph(f"{letter}(x) = {phi}, convex ({convexity_proof(phi)}).")
    sum_text = " + ".join(map(case.weighted, case.terms))
    yield from paragraph(f"W(α) = {sum_text}", 3, 7)
    yield from paragraph("Scores:")
    scores = case.witness.scores
    rows = [
        [case.score(i), "=", str(x), "" if x.q == 1 and x.a.denominator == 1 else as_decimal(x)]
        for i, x in enumerate(scores)
    ]
    yield from columns(rows, indent=5)
    witness = case.witness
    tied = len(set(scores)) < len(scores)
    how = "With their ties broken one way they order" if tied else "They order"
    yield from paragraph(
        f"{how} the items {chain(case.names, witness.prediction)}, at the loss "
        f"{number(witness.loss)}; the least loss is {number(witness.optimum.loss)}."
    )


def _family(described: Mapping[str, str]) -> str:
    known = next((one for one in FAMILIES.values() if one.name == described.get("family")), None)
    if known is None:
        return "a loss of one's own, known by its terms alone"
    return f"{(known.words or known.formula).format_map(described)} ({known.citation})"
