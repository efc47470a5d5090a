"""The conditional risk with its numbers put in, and the scores."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from consistency_lab.model.surrogates import FORMS, WITHOUT_PHI
from consistency_lab.phi import convexity_proof
from consistency_lab.report.proof.case import Case
from consistency_lab.report.text import Line, as_decimal, chain, columns, number, paragraph


def risk(case: Case) -> Iterator[Line]:
    """The formula, W term by term, the scores and their order."""
    yield from paragraph(f"Surrogate {case.verified.surrogate}: {_family(case.named)}.")
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
    family = described.get("family", "terms")
    citation = _CITATIONS.get(family, "")
    return _FORMULAS[family].format_map(described) + (f" ({citation})" if citation else "")


_FORMULAS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "edge": "sum over edges i → j of h(a) φ(α_i - α_j), h(a) = {h}",
        "margin": "sum over edges i → j of φ(α_i - α_j - h(a)), h(a) = {h}",
        "linear": "sum over edges i → j of a (α_j - α_i), and ν sum_i r(α_i) with ν = {nu}",
        "difference": "sum over the edges of the difference graph of d_ij φ(α_i - α_j)",
        "regression": "sum_i (α_i - f_i(G))², with f_i(G) = sum_j (a^G_ij - a^G_ji)",
        "terms": "a loss of one's own, known by its terms alone",
    }
)
"""By family; the parameters are those of the file."""

_CITATIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{name: form.citation for name, form in FORMS.items()},
        **{name: citation for name, (_, citation) in WITHOUT_PHI.items()},
    }
)
