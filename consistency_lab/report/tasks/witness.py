"""A witness about a task as a person reads it: labels, scores, two predictions and their expected losses."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

from consistency_lab.certify.minimizers import proof_holds_of_every_minimizer
from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import TIE
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.decoders import DECODERS
from consistency_lab.model.tasks.real import Real
from consistency_lab.report.proof.tasks.formulas import LINKS
from consistency_lab.report.reached import reached, sentence
from consistency_lab.report.tasks.numbers import real, rounded
from consistency_lab.report.text import Line, columns, decimal, paragraph
from consistency_lab.report.witness import OF_THIS_ONE, saved

SHOWN: Final = 12
"""More labels, or scores, than this are left to the file."""

_DIGITS: Final = 12

_KINDS: Final = {
    "strict": "strict: every prediction that the decoder may return here is worse",
    "tie": "a tie: the decoder may break it either way, and one way is wrong",
}


def means(witness: Witness) -> tuple[Real, ...] | None:
    """E f(y), where the risk is least at a function of it."""
    found, surrogate = witness.found, witness.found.surrogate
    return surrogate.mean(found.task, found.weights) if isinstance(surrogate, MeanSurrogate) else None


def losses(witness: Witness) -> tuple[Real, Real]:
    """The expected losses of what the decoder may return, and of what is better."""
    found, expected = witness.found, witness.found.task.expected_loss
    return expected(found.weights, found.prediction), expected(found.weights, found.better)


def witness_block(title: str, witness: Witness, files: Mapping[str, Path]) -> Iterator[Line]:
    """Labels with probabilities, scores, what is wrong, and why that is certain."""
    found, task, costs = witness.found, witness.found.task, losses(witness)
    count = len(found.weights)
    yield from paragraph(f"{title}: {count} label{'s' if count > 1 else ''}", indent=0, hanging=2)
    yield from _labels_and_scores(witness)
    yield from paragraph(_certificate(witness), indent=2, hanging=2)
    decoder = DECODERS[found.surrogate.decoder].title
    rows = [
        ["the decoder may return", task.prediction_text(found.prediction), real(costs[0])],
        ["better", task.prediction_text(found.better), real(costs[1])],
    ]
    yield f"  Expected losses (decoder: {decoder}):"
    yield from columns(rows, indent=4, right=[2])
    yield f"  Regret {regret_text(witness)}."
    kind = str(witness.failure)
    alone = "" if kind == TIE or proof_holds_of_every_minimizer(witness.verified) else OF_THIS_ONE
    yield from paragraph(f"The failure is {_KINDS[kind]}{alone}.", indent=2, hanging=2)
    path = files.get(witness.digest)
    if path is not None:
        yield from saved(path)
    yield ""


def regret_text(witness: Witness) -> str:
    """The difference of the expected losses, or a bound that is certainly below it."""
    left, right = losses(witness)
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return real(left - right)
    return f"at least {witness.document['proof']['regret']}"


def _scores(witness: Witness) -> list[tuple[str, tuple[str, ...]]]:
    """Rows about the scores, each with one text a coordinate."""
    if witness.found.box is not None:
        bounds = (*witness.found.box, (Fraction(0), Fraction(0)))
        return [
            ("score from", tuple(_short(low) for low, _ in bounds)),
            ("to", tuple(_short(high) for _, high in bounds)),
        ]
    mean = means(witness)
    name, values = ("score", witness.scores) if mean is None else ("E f", mean)
    return [(name, tuple(map(real, values))), ("≈", tuple(map(rounded, values)))]


def _labels_and_scores(witness: Witness) -> Iterator[Line]:
    found, task = witness.found, witness.found.task
    coordinates, scores = found.surrogate.coordinates(task), _scores(witness)
    shown = tuple(found.weights.items())[:SHOWN]
    if task.space.kind == "grades":
        rows = [["probability", *(f"item {i + 1}" for i in range(task.space.m))]]
        rows += [[real(p), *map(str, label)] for label, p in shown]
        if len(coordinates) == task.space.m:
            rows += [[name, *texts] for name, texts in scores]
            scores = []
        yield from columns(rows, indent=4, right=range(task.space.m + 1))
    else:
        yield from columns(
            [["probability", "label"], *([real(p), task.space.text(y)] for y, p in shown)], 4, [0]
        )
    if len(found.weights) > len(shown):
        yield f"    ({len(found.weights) - len(shown)} more labels are in the file)"
    if scores:
        yield from _score_table(coordinates, scores)


def _score_table(coordinates: Sequence[str], scores: Sequence[tuple[str, tuple[str, ...]]]) -> Iterator[Line]:
    names = [f"u_{name.replace(',', '')}" for name in coordinates]
    rows = [["score", *(name for name, _ in scores)]]
    rows += [list(row) for row in zip(names, *(texts for _, texts in scores), strict=True)][:SHOWN]
    yield from columns(rows, indent=4, right=range(1, len(scores) + 1))
    if len(names) > SHOWN:
        yield f"    ({len(names) - SHOWN} more scores follow from the file)"


def _short(bound: Fraction) -> str:
    """A bound in full if its decimal ends soon."""
    if bound.denominator == 1:
        return str(bound)
    text = decimal(bound, _DIGITS).rstrip("0").rstrip(".")
    return text if Fraction(text) == bound else f"≈{text}"


def _certificate(witness: Witness) -> str:
    if witness.found.box is not None:
        drawn = (
            "Scores nearby are drawn to it."
            if witness.verified.attracting
            else "It is not proved that scores nearby are drawn to it."
        )
        return (
            "The field is zero at some scores between these bounds (interval Newton test), and all scores "
            f"between them are in one order. {drawn} {sentence(bool(reached(witness.document)))}"
        )
    surrogate = witness.found.surrogate
    if isinstance(surrogate, MeanSurrogate):
        return f"The risk is least at {LINKS[surrogate.link]}; f(y) is what the surrogate fits to a label."
    return "The risk is least at these scores: the slopes there add up to zero exactly."
