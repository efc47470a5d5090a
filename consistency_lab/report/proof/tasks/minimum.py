"""Where the surrogate leads: a mean, a minimum, or an equilibrium of a field."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.core.document import Equilibrium, Minimum
from consistency_lab.core.risk import Atom, Direction, LogSumExp, Max, Slope, Term, total
from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.phi import exact_slopes
from consistency_lab.report.proof.tasks.case import TaskCase, compact, real
from consistency_lab.report.proof.tasks.formulas import DECODERS, LINKS, surrogate_formula
from consistency_lab.report.reached import reached, sentence
from consistency_lab.report.text import Line, as_decimal, columns, combination, listed, paragraph, short

_WIDEST: Final = 6
"""More coordinates than this do not fit into a row."""

_TERMS: Final = 40
"""More summands than this are left to the file."""


def minimum(case: TaskCase) -> Iterator[Line]:
    """The loss, its certificate, and what the decoder makes of the scores."""
    entry, decoder = case.named["surrogate"], case.named["decoder"]
    family_name = "" if entry["family"] == entry["name"] else f" (family {entry['family']})"
    yield from paragraph(f"Surrogate {entry['name']}{family_name}: {surrogate_formula(entry)}.")
    certificate = case.proof.certificate
    if isinstance(case.question.surrogate, MeanSurrogate):
        yield from _mean(case, case.question.surrogate)
    if isinstance(certificate, Minimum):
        yield from _stationary(case, certificate)
    if isinstance(certificate, Equilibrium):
        yield from _equilibrium(case, certificate)
    yield from paragraph(
        f"The decoder {decoder} {DECODERS[decoder]}; it may return "
        f"{case.prediction(case.predicted('prediction'))}."
    )


def _mean(case: TaskCase, surrogate: MeanSurrogate) -> Iterator[Line]:
    shape = "not convex" if surrogate.link == "limit" else "convex"
    yield from paragraph(f"It is {shape}, and its risk is least at {LINKS[surrogate.link]}.")
    task = case.question.task
    found = surrogate.mean(task, case.question.weights)
    names = [name.replace(",", "") for name in surrogate.coordinates(task)]
    if len(found) > _WIDEST:
        yield from paragraph("The means E f(y):")
        yield from columns([[f"E f_{name}", "=", real(x)] for name, x in zip(names, found, strict=True)], 5)
        return
    yield from paragraph("The features f(y) and their means:")
    yield from case.table(
        [f"f_{name}" for name in names],
        lambda label: [real(x) for x in surrogate.vector(task, label)],
        [real(x) for x in found],
    )


def _stationary(case: TaskCase, certificate: Minimum) -> Iterator[Line]:
    scores = case.proof.scores
    assert scores is not None
    yield from _scores(scores)
    yield from paragraph(
        "The risk is convex, so it is least where the gradients of its summands add up to zero. With the "
        "probabilities of the labels these are, along each score:"
    )
    found = list(zip(case.verified.atoms, certificate.slopes, strict=True))
    gradients = [atom.gradient(slope, scores) for atom, slope in found]
    parts = list(zip(found, gradients, strict=True))[:_TERMS]
    rows = [["summand", "slope", *(f"u_{name}" for name in case.proof.coordinates)]]
    rows += [[*_summand(case, *pair, scores), *_entries(part, len(scores))] for pair, part in parts]
    if len(found) > len(parts):
        rest = total(gradients[len(parts) :])
        rows.append([f"({len(found) - len(parts)} more)", "", *_entries(rest, len(scores))])
    rows.append(["sum", "", *_entries(total(gradients), len(scores))])
    yield from columns(rows, 5, range(2, len(scores) + 2))
    if any(isinstance(atom, LogSumExp) for atom, _ in found):
        yield from paragraph("A log-sum-exp has the slopes exp(u_i)/sum_j exp(u_j), which are rational here.")
    yield from paragraph("So the scores minimize the risk.")


def _entries(direction: Direction, d: int) -> list[str]:
    by_coordinate = dict(direction)
    return [compact(by_coordinate.get(k, Fraction(0))) for k in range(d)]


def _summand(case: TaskCase, atom: Atom, slope: Slope, scores: Sequence[LogRational]) -> tuple[str, str]:
    """A summand of the risk, and the slope that is taken of it."""
    names, c = case.proof.coordinates, "" if atom.c == 1 else f"{compact(atom.c)} "
    match atom:
        case Term():
            parts = sorted(atom.v, key=lambda entry: -entry[1])
            inner = combination((n, f"u_{names[k]}") for k, n in parts)
            inner += f" - ({atom.b})" if atom.b.sign() else ""
            point = atom.at(scores)
            left, right = exact_slopes(atom.phi, point)
            chosen = "" if left == right else f", chosen in [{left}, {right}]"
            return f"{c}φ({inner})", f"{slope} at {short(point)}{chosen}"
        case LogSumExp():
            return f"{c}log sum exp over {listed([f'u_{names[k]}' for k in atom.over])}", ""
        case Max():
            weights = slope if isinstance(slope, tuple) else ()
            return f"{c}maximum of {len(atom.pieces)} pieces", f"weights {listed(list(map(str, weights)))}"
        case _:
            return "linear part", ""


def _equilibrium(case: TaskCase, certificate: Equilibrium) -> Iterator[Line]:
    hidden = ("family", "name")
    entry = {k: v for k, v in case.named["surrogate"].items() if k not in hidden}
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
