"""A witness about a task as a person reads it: labels, scores, two predictions and their expected losses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, final

from consistency_lab.certify.minimizers import proof_holds_of_every_minimizer
from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import TIE
from consistency_lab.core.field import Box
from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.decoders import DECODERS
from consistency_lab.model.tasks.real import Real
from consistency_lab.model.tasks.task import Prediction
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


@final
@dataclass(frozen=True)
class Facts:
    """What follows from a witness, for texts and for JSON.

    Parameters
    ----------
    witness
        The witness.
    weights
        The labels with their probabilities.
    means
        E f(y), where the risk is least at a function of it.
    link
        That function, in words.
    scores
        The exact scores, where the file has some.
    box
        The bounds on the scores of an equilibrium; the last one is 0.
    reached
        Whether training from zero scores ends at that equilibrium, in floats; None where there is no box.
    prediction, better
        What the decoder may return, and what is better.
    losses
        The expected losses of the two.
    every
        Whether this is proved of every minimizer.
    """

    witness: Witness
    weights: tuple[tuple[tuple[int, ...], Fraction], ...]
    means: tuple[Real, ...] | None
    link: str
    scores: tuple[LogRational, ...] | None
    box: Box | None
    reached: bool | None
    prediction: Prediction
    better: Prediction
    losses: tuple[Real, Real]
    every: bool

    @staticmethod
    def of(witness: Witness) -> "Facts":
        """Read them from what was certified."""
        found, surrogate = witness.found, witness.found.surrogate
        mean = surrogate if isinstance(surrogate, MeanSurrogate) else None
        expected = witness.found.task.expected_loss
        return Facts(
            witness,
            tuple(found.weights.items()),
            None if mean is None else mean.mean(witness.found.task, found.weights),
            "" if mean is None else LINKS[mean.link],
            found.scores,
            found.box,
            reached(witness.document),
            found.prediction,
            found.better,
            (expected(found.weights, found.prediction), expected(found.weights, found.better)),
            proof_holds_of_every_minimizer(witness.verified),
        )


def witness_block(title: str, witness: Witness, files: Mapping[str, Path]) -> Iterator[Line]:
    """Labels with probabilities, scores, what is wrong, and why that is certain."""
    facts, task = Facts.of(witness), witness.found.task
    count = len(facts.weights)
    yield from paragraph(f"{title}: {count} label{'s' if count > 1 else ''}", indent=0, hanging=2)
    yield from _labels_and_scores(facts)
    yield from paragraph(_certificate(facts), indent=2, hanging=2)
    decoder = DECODERS[witness.found.surrogate.decoder].title
    rows = [
        ["the decoder may return", task.prediction_text(facts.prediction), real(facts.losses[0])],
        ["better", task.prediction_text(facts.better), real(facts.losses[1])],
    ]
    yield f"  Expected losses (decoder: {decoder}):"
    yield from columns(rows, indent=4, right=[2])
    yield f"  Regret {regret_text(facts)}."
    kind = str(witness.failure)
    alone = "" if kind == TIE or facts.every else OF_THIS_ONE
    yield from paragraph(f"The failure is {_KINDS[kind]}{alone}.", indent=2, hanging=2)
    path = files.get(witness.digest)
    if path is not None:
        yield from saved(path)
    yield ""


def regret_text(facts: Facts) -> str:
    """The difference of the expected losses, or a bound that is certainly below it."""
    left, right = facts.losses
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return real(left - right)
    return f"at least {facts.witness.document['proof']['regret']}"


def score_rows(facts: Facts) -> list[tuple[str, tuple[str, ...]]]:
    """Rows about the scores, each with one text a coordinate."""
    if facts.box is not None:
        bounds = (*facts.box, (Fraction(0), Fraction(0)))
        return [
            ("score from", tuple(_short(low) for low, _ in bounds)),
            ("to", tuple(_short(high) for _, high in bounds)),
        ]
    if facts.means is not None:
        return [("E f", tuple(map(real, facts.means))), ("≈", tuple(map(rounded, facts.means)))]
    assert facts.scores is not None
    return [("score", tuple(map(real, facts.scores))), ("≈", tuple(map(rounded, facts.scores)))]


def _labels_and_scores(facts: Facts) -> Iterator[Line]:
    task = facts.witness.found.task
    coordinates = facts.witness.found.surrogate.coordinates(task)
    scores = score_rows(facts)
    shown = facts.weights[:SHOWN]
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
    if len(facts.weights) > len(shown):
        yield f"    ({len(facts.weights) - len(shown)} more labels are in the file)"
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


def _certificate(facts: Facts) -> str:
    if facts.box is not None:
        drawn = (
            "Scores nearby are drawn to it."
            if facts.witness.verified.attracting
            else "It is not proved that scores nearby are drawn to it."
        )
        return (
            "The field is zero at some scores between these bounds (interval Newton test), and all scores "
            f"between them are in one order. {drawn} {sentence(bool(facts.reached))}"
        )
    if facts.means is not None:
        return f"The risk is least at {facts.link}; f(y) is what the surrogate fits to a label."
    return "The risk is least at these scores: the slopes there add up to zero exactly."
