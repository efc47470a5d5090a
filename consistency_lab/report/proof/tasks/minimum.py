"""Where the surrogate leads: a mean, a stationary point, or an equilibrium of a field."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from types import MappingProxyType
from typing import Final

from consistency_lab.core.reals import BITS
from consistency_lab.exact import LogRational, working_precision
from consistency_lab.kernel.tasks.atoms import Max, Slope
from consistency_lab.kernel.tasks.balance import gradients
from consistency_lab.kernel.tasks.document import Balance, Equilibrium
from consistency_lab.kernel.tasks.family import AtomFamily, MeanFamily
from consistency_lab.kernel.tasks.mean import means
from consistency_lab.kernel.terms import Term
from consistency_lab.phi import exact_slopes
from consistency_lab.report.proof.tasks.case import TaskCase, compact, real
from consistency_lab.report.proof.tasks.formulas import DECODERS, LINKS, surrogate_formula
from consistency_lab.report.reached import reached, sentence
from consistency_lab.report.text import Line, as_decimal, columns, combination, listed, paragraph, short

_WIDEST: Final = 6
"""More coordinates than this do not fit into a row."""

_TERMS: Final = 40
"""More terms than this are left to the file."""


def minimum(case: TaskCase) -> Iterator[Line]:
    """The loss, its certificate, and what the decoder makes of the scores."""
    entry = case.document["surrogate"]
    family_name = "" if entry["family"] == entry["name"] else f" (family {entry['family']})"
    yield from paragraph(f"Surrogate {entry['name']}{family_name}: {surrogate_formula(entry)}.")
    family, certificate = case.witness.surrogate, case.witness.certificate
    if isinstance(family, MeanFamily):
        yield from _mean(case, family)
    if isinstance(family, AtomFamily) and isinstance(certificate, Balance):
        yield from _stationary(case, family, certificate)
    if isinstance(certificate, Equilibrium):
        yield from _equilibrium(case, certificate)
    yield from paragraph(
        f"The decoder {case.witness.decoder} {DECODERS[case.witness.decoder]}; it may return "
        f"{case.prediction(case.witness.prediction)}."
    )


def _mean(case: TaskCase, family: MeanFamily) -> Iterator[Line]:
    shape = "not convex" if family.link == "limit" else "convex"
    yield from paragraph(f"It is {shape}, and its risk is least at {LINKS[family.link]}.")
    target = case.witness.target
    with working_precision(BITS):
        found = means(family, case.witness)
        names = _coordinates(case.verified.family, target.space.m, len(found))
        if len(found) > _WIDEST:
            yield from paragraph("The means E f(y):")
            rows = [[f"E f_{name}", "=", real(x)] for name, x in zip(names, found, strict=True)]
            yield from columns(rows, 5)
        else:
            yield from paragraph("The features f(y) and their means:")
            yield from case.table(
                [f"f_{name}" for name in names],
                lambda label: [real(x) for x in family.features(target, label)],
                [real(x) for x in found],
            )
    if case.witness.scores is not None and family.link != "identity":
        yield from _scores(case.witness.scores)


def _stationary(case: TaskCase, family: AtomFamily, certificate: Balance) -> Iterator[Line]:
    scores = case.witness.scores
    assert scores is not None
    yield from _scores(scores)
    yield from paragraph(
        "The risk is convex, so it is least where the gradients of the labels' losses, times their "
        "probabilities, add up to zero. They are, along each score:"
    )
    found = list(gradients(family, certificate, case.witness, scores))
    shown = {label for label, _ in case.shown}
    rows = [["label", *(f"u_{i + 1}" for i in range(len(scores)))]]
    rows += [[case.label(label), *map(compact, gradient)] for label, gradient in found if label in shown]
    if len(shown) < len(found):
        rest = [gradient for label, gradient in found if label not in shown]
        sums = [sum(column, Fraction(0)) for column in zip(*rest, strict=True)]
        rows.append([f"({len(rest)} more labels)", *map(compact, sums)])
    total = [sum(column, Fraction(0)) for column in zip(*(g for _, g in found), strict=True)]
    rows.append(["sum", *map(compact, total)])
    yield from columns(rows, 5, range(1, len(scores) + 1))
    yield from _slopes(case, family, certificate, scores)
    yield from paragraph("So the scores minimize the risk.")


def _slopes(
    case: TaskCase, family: AtomFamily, certificate: Balance, scores: Sequence[LogRational]
) -> Iterator[Line]:
    """The slopes behind the gradients, each once; those that were chosen say so."""
    slopes = iter(certificate.slopes)
    rows: dict[tuple[str, ...], None] = {}
    for label in case.witness.p:
        for atom in family.atoms(case.witness.target, label):
            if isinstance(atom, Term):
                rows[_term(atom, next(slopes), scores)] = None
            elif isinstance(atom, Max):
                weights = next(slopes)
                assert isinstance(weights, tuple)
                what = f"the pieces of the maximum of {case.label(label)}"
                rows[what, "", f"weights {listed([str(w) for w in weights])}"] = None
    if not rows:
        yield from paragraph("A log-sum-exp has the slopes exp(u_i)/sum_j exp(u_j), which are rational here.")
        return
    if len(rows) > _TERMS:
        yield from paragraph(f"The {len(rows)} slopes behind them stand in the file.")
        return
    yield from paragraph("The slopes behind them, which the gradients take times weights:")
    yield from columns([["term", "its argument", "slope there"], *rows], 5)


def _term(term: Term, slope: Slope, scores: Sequence[LogRational]) -> tuple[str, str, str]:
    point = term.at(scores)
    inner = combination((Fraction(n), f"u_{i + 1}") for i, n in sorted(term.v, key=lambda entry: -entry[1]))
    if term.b.sign():
        inner += f" - ({term.b})"
    left, right = exact_slopes(term.phi, point)
    chosen = "" if left == right else f", chosen in [{left}, {right}]"
    return f"φ({inner})", short(point), f"{slope}{chosen}"


def _equilibrium(case: TaskCase, certificate: Equilibrium) -> Iterator[Line]:
    entry = {k: v for k, v in case.document["surrogate"].items() if k not in ("family", "name")}
    parameters = ", ".join(f"{key} = {_word(value)}" for key, value in entry.items())
    yield from paragraph(f"Its parameters: {parameters}.")
    yield from paragraph(
        "The field vanishes somewhere in this box (a Newton step of all its points, with enclosures, stays "
        "inside), and all over it the scores have one order; the last score is 0:"
    )
    rows = [
        [f"u_{i + 1}", "from", as_decimal(low).lstrip("=≈ "), "to", as_decimal(high).lstrip("=≈ ")]
        for i, (low, high) in enumerate(certificate.box)
    ]
    yield from columns(rows, 5, [2, 4])
    yield from paragraph(
        "Gradient descent in the scores is drawn to that point from all over the box."
        if certificate.attracting
        else "It is not proved that gradient descent in the scores is drawn to that point."
    )
    yield from paragraph(sentence(bool(reached(case.document))))


def _word(value: object) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _scores(scores: Sequence[LogRational]) -> Iterator[Line]:
    yield from paragraph("Scores:")
    rows = [
        [f"u_{i + 1}", "=", str(x), "" if x.q == 1 and x.a.denominator == 1 else as_decimal(x)]
        for i, x in enumerate(scores)
    ]
    yield from columns(rows, indent=5)


def _coordinates(family: str, m: int, d: int) -> list[str]:
    """Names of d coordinates of a task with m items: numbers, or pairs of them."""
    pairs = _PAIRS.get(family)
    if pairs is None:
        return [str(k + 1) for k in range(d)]
    return [f"{i + 1}{j + 1}" for i, j in pairs(range(m), 2)]


_PAIRS: Final[Mapping[str, Callable[[range, int], Iterable[tuple[int, ...]]]]] = MappingProxyType(
    {"map-full": combinations_with_replacement, "pd-least-squares": permutations}
)
"""Families whose scores belong to pairs of items."""
