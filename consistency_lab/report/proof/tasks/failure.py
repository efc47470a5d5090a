"""The condition, and what the certificate means for the target loss."""

from collections.abc import Iterator

from consistency_lab.certify.minimizers import proof_holds_of_every_minimizer
from consistency_lab.core.document import STRICT, WRONG_EQUILIBRIUM
from consistency_lab.model.surrogates.tasks.features import FEATURES
from consistency_lab.model.tasks.conditions import TASK_CONDITIONS
from consistency_lab.proofs.task_names import OF
from consistency_lab.report.proof.tasks.case import TaskCase
from consistency_lab.report.text import Line, paragraph


def condition(case: TaskCase) -> Iterator[Line]:
    """What the conditions ask that were recomputed. Nothing if none was."""
    for called in _conditions(case):
        word, _, f = called.partition(OF)
        about = f", f = {FEATURES[f].formula}" if f in FEATURES else ""
        what = f": {TASK_CONDITIONS[word].words}{about}" if word in TASK_CONDITIONS else ""
        yield from paragraph(f"{called} holds at this distribution (recomputed exactly){what}.")


def _conditions(case: TaskCase) -> list[str]:
    return [called for called, holds in case.verified.conditions.items() if holds and called != "any"]


def failure(case: TaskCase) -> Iterator[Line]:
    """The regret, the kind of failure, and the claim."""
    verified, task = case.verified, case.question.task
    better = case.prediction(case.predicted("better"))
    if verified.failure == STRICT:
        yield from paragraph(
            f"Everything that the decoder may return has a larger expected loss than {better}: however ties "
            "are broken, the prediction is wrong."
        )
        if not proof_holds_of_every_minimizer(verified):
            yield from paragraph("That is proved of this minimizer, and not of every other one.")
    else:
        yield from paragraph(
            f"This is a tie: the decoder might also return something no worse than {better}, but nothing in "
            "the scores tells it to."
        )
    yield from paragraph(f"The regret is at least {case.document['proof']['regret']}.")
    name, called = verified.called, _conditions(case)
    under = f" under the condition {' and '.join(called)}" if called else ""
    if verified.claim == WRONG_EQUILIBRIUM:
        yield from paragraph(
            f"So the field {name} can come to rest where its order is wrong for {task.title}{under}. This "
            "says nothing about where a loss is least."
        )
        return
    yield from paragraph(
        f"So {name} with the decoder {case.named['decoder']} is INCONSISTENT for {task.title}{under}: its "
        "risk is least, or approaches its infimum, where the prediction is worse than another one "
        "(RAT13 Definition 1)."
    )
