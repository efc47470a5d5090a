"""What `align --features` tells a person, and as JSON."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from consistency_lab.apps.align.features import AxiomAnswer, Features, FeaturesDecision
from consistency_lab.decide.answers import Verdict
from consistency_lab.show.answer import asked_about
from consistency_lab.show.documents import Record
from consistency_lab.show.text import Line, chain, decimal, fitted, flush, inset, listed, paragraph
from consistency_lab.show.witness import Files, file_of, path_of, saved, surrogate_lines

_DIGITS: Final = 4
_WITH: Final = {Verdict.CONSISTENT: "with", Verdict.INCONSISTENT: "with", Verdict.UNDECIDED: "for"}
_BLAMED: Final = {
    "loss": " (the loss is to blame)",
    "class": " (the class is to blame, not the loss)",
    None: "",
}


def features_answer(decision: FeaturesDecision, files: Files, details: bool = False) -> Iterable[Line]:
    """The question, the answer about each axiom with its evidence, the order of the minimizer: a screen."""
    pages = ([*_answer(decision, files, whole)] for whole in ((True,) if details else (True, False)))
    return fitted(pages)


def _answer(decision: FeaturesDecision, files: Files, whole: bool) -> Iterator[Line]:
    """All of it; or without formula, weights and multipliers, of each proof how to read it, a reason once."""
    features = decision.features
    alike = groupby(sorted(decision.answers, key=lambda one: one.verdict), key=lambda one: one.verdict)
    verdicts = listed([f"{said} {_WITH[said]} {listed([one.axiom for one in ones])}" for said, ones in alike])
    order = "tested against no axiom; below is what is proved about the order of its minimizer"
    yield from flush(f"{decision.surrogate.name} with scores linear in features is {verdicts or order}.")
    yield ""
    if whole:
        yield from surrogate_lines(decision.surrogate, None)
    yield from flush(f"Scores linear in {', '.join(features.names)} of {len(features.rows)} items.")
    for note in decision.notes:
        yield from flush(f"Note: {note}.")
    yield ""
    for answers in _told_together(decision.answers, whole):
        answer = answers[0]
        axioms = listed([one.axiom for one in answers])
        yield from flush(f"{axioms}: {answer.verdict}{_BLAMED[answer.blame]}")
        yield from paragraph(f"{answer.reason}.", indent=2)
        if answer.right is not None and whole:
            weights = (f"{name} {w}" for name, w in zip(features.names, answer.right, strict=True))
            yield from inset(f"Weights that are right, exactly: {', '.join(weights)}.")
        if answer.multipliers and whole:
            parts = (f"{y} (x({above}) - x({below}))" for above, below, y in answer.multipliers)
            yield from inset(f"Proof: {' + '.join(parts)} = 0.")
        for document in (
            one for told in answers for one in (told.witness and told.witness.document, told.proof)
        ):
            if document is not None:
                yield from [*saved(str(document["digest"]), files)][0 if whole else 1 :]
    if decision.order is not None:
        where = "of every minimizer" if decision.attained else "near the infimum of W"
        names = list(decision.order)
        yield from paragraph(f"Order {where}, proved: {chain(names, range(len(names)))}", 0, 2)
    if decision.attained is False:
        yield from flush("No weights minimize W: it keeps falling along some direction.")
    if not whole:
        yield from flush("More, as weights that are right: --details")
    elif decision.weights is not None:
        told = (
            f"{name} {decimal(w, _DIGITS)}" for name, w in zip(features.names, decision.weights, strict=True)
        )
        yield from flush(f"Weights of a minimizer, to {_DIGITS} digits: {', '.join(told)}")


def _told_together(answers: Iterable[AxiomAnswer], whole: bool) -> list[list[AxiomAnswer]]:
    """Each alone; on a short page those of one reason together."""
    if whole:
        return [[one] for one in answers]
    return [[*ones] for _, ones in groupby(answers, key=lambda one: (one.verdict, one.blame, one.reason))]


features_document: Final = Record(
    FeaturesDecision,
    "surrogate=. features items=distribution.items notes verdict answers order attained weights file=witness",
    format="consistency-lab/check-features/1",
    surrogate=asked_about,
    features=Record(Features, "names rows"),
    answers=Record(
        AxiomAnswer,
        "axiom verdict reason blame right multipliers file=witness proof=.",
        multipliers=(
            list[dict[str, str]],
            lambda found: [{"above": i, "below": j, "multiplier": str(y)} for i, j, y in found],
        ),
        file=(str | None, file_of),
        proof=(str | None, lambda one, files: one.proof and path_of(one.proof, files)),
    ),
    file=(str | None, file_of),
)
"""The answer; where files were saved is null with --no-save."""
