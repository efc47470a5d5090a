"""What the certificate means for the ranking."""

from collections.abc import Iterator

from consistency_lab.certify.minimizers import holds_of_every_minimizer
from consistency_lab.kernel import STRICT
from consistency_lab.report.proof.case import Case
from consistency_lab.report.text import Line, listed, number, paragraph, short


def failure(case: Case) -> Iterator[Line]:
    """The wrong pairs and the regret; or that the order is right."""
    found = case.witness.failure
    if found is None:
        yield from paragraph(
            "The scores lie in A(p) and every α outside A(p) has a larger W, by at least the gap: at this "
            "distribution the surrogate is right. This says nothing about other distributions."
        )
        return
    if found.pairs:
        yield from paragraph("Every optimal order keeps these pairs, and the scores do not:")
    for pair in found.pairs:
        low, high = case.score(pair.preferred), case.score(pair.over)
        scored = f"{low} < {high}" if pair.scored == "below" else f"{low} = {high}"
        yield from paragraph(
            f"{case.edge(pair.preferred, pair.over)}, preferred by {number(pair.difference)}, yet {scored}",
            5,
            2,
        )
    if not found.pairs:
        yield from paragraph("No single pair is wrong in every optimal order, but the order as a whole is.")
    if found.kind == STRICT:
        of = (
            "every minimizer of W, and whatever nearly minimizes it, is wrong too."
            if holds_of_every_minimizer(case.document)
            else "that is proved of this minimizer, and not of every other one."
        )
        yield from paragraph(
            "This is a strict inversion: whichever way ties in the scores are broken, "
            f"the order is not optimal; {of}"
        )
    else:
        yield from paragraph(
            "This is a tie: broken the other way it would be optimal, but the rule puts the higher index "
            "first (DMJ10 Eq. 8), so an algorithm that cannot know the answer may return the wrong order."
        )
    optimum = case.witness.optimum
    yield from paragraph(
        f"The regret is {short(optimum.loss_of_scores)} - {short(optimum.loss)} = {number(optimum.regret)}"
        f", a share of {number(optimum.normalized_regret)} of the weight of all preferences."
    )
    conditions = listed([name for name, holds in case.verified.conditions.items() if holds])
    yield from paragraph(
        f"So {case.verified.surrogate} is INCONSISTENT under every condition that holds here: {conditions}."
    )
