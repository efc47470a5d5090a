"""The condition, and what the certificate means for the target loss."""

from collections.abc import Iterator

from consistency_lab.certify.minimizers import task_holds_of_every_minimizer
from consistency_lab.kernel import STRICT, WRONG_EQUILIBRIUM
from consistency_lab.model.tasks.conditions import TASK_CONDITIONS
from consistency_lab.report.proof.tasks.case import TaskCase
from consistency_lab.report.text import Line, paragraph


def condition(case: TaskCase) -> Iterator[Line]:
    """What the condition asks; the kernel has derived that it holds. Nothing for "any"."""
    entry = case.document["condition"]
    if entry["name"] != "any":
        f = f", f = {entry['f']}" if "f" in entry else ""
        yield from paragraph(
            f"{entry['name']} holds at this distribution (the kernel has derived it): "
            f"{TASK_CONDITIONS[entry['name']].words}{f}."
        )


def failure(case: TaskCase) -> Iterator[Line]:
    """The regret, the kind of failure, and the claim."""
    witness, entry = case.witness, case.document
    if witness.failure == STRICT:
        yield from paragraph(
            f"Everything that the decoder may return has a larger expected loss than "
            f"{case.prediction(witness.better)}: however ties are broken, the prediction is wrong."
        )
        if not task_holds_of_every_minimizer(witness):
            yield from paragraph("That is proved of this minimizer, and not of every other one.")
    else:
        yield from paragraph(
            "This is a tie: the decoder might also return something no worse than "
            f"{case.prediction(witness.better)}, but nothing in the scores tells it to."
        )
    yield from paragraph(f"The regret is at least {entry['regret']}.")
    name = case.verified.surrogate
    under = "" if witness.condition.name == "any" else f" under the condition {witness.condition.name}"
    if entry["claim"] == WRONG_EQUILIBRIUM:
        yield from paragraph(
            f"So the field {name} can come to rest where its order is wrong for {case.verified.target}"
            f"{under}. This says nothing about where a loss is least."
        )
        return
    yield from paragraph(
        f"So {name} with the decoder {witness.decoder} is INCONSISTENT for {case.verified.target}{under}: "
        "its risk is least, or approaches its infimum, where the prediction is worse than another one "
        "(RAT13 Definition 1)."
    )
