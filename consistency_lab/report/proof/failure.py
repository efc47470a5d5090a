"""What the certificate means for the ranking."""

from collections.abc import Iterator

from consistency_lab.certify.minimizers import holds_of_every_minimizer
from consistency_lab.core.document import STRICT
from consistency_lab.report.proof.case import Case
from consistency_lab.report.text import Line, chain, listed, number, paragraph, short


def failure(case: Case) -> Iterator[Line]:
    """The wrong pairs and the regret; or that the order is right."""
    witness, verified = case.witness, case.verified
    if not witness.inconsistent:
        yield from paragraph(
            "Every order that keeps these pairs is optimal, so wherever the order is wrong W is larger than "
            "at the scores, by at least the gap: at this distribution the surrogate is right. This says "
            "nothing about other distributions."
        )
        return
    prediction, better = (chain(case.names, order) for order in (witness.prediction, witness.better))
    if witness.wrong_pairs:
        yield from paragraph(f"Every optimal order keeps these pairs, and {prediction} does not:")
    for i, j in witness.wrong_pairs:
        sign = "=" if witness.scores[i] == witness.scores[j] else "<"
        scored = f"{case.score(i)} {sign} {case.score(j)}"
        yield from paragraph(f"{case.edge(i, j)}, preferred by {number(case.d[i][j])}, yet {scored}", 5, 2)
    if not witness.wrong_pairs:
        yield from paragraph("No single pair is wrong in every optimal order, but the order as a whole is.")
    if verified.failure == STRICT:
        of = (
            "every minimizer of W, and whatever nearly minimizes it, is wrong too."
            if holds_of_every_minimizer(witness)
            else "that is proved of this minimizer, and not of every other one."
        )
        yield from paragraph(
            "This is a strict inversion: whichever way ties in the scores are broken, "
            f"the order is not optimal; {of}"
        )
    else:
        yield from paragraph(
            f"This is a tie: an order that breaks it is wrong, such as {prediction}. Scores of that order "
            "come as near to these as one likes, and W with them as near to its infimum, so the infimum of W "
            "over the scores outside A(p) is that of W (DMJ10 Definition 2)."
        )
    yield from paragraph(
        f"The regret of {prediction} is {short(witness.loss)} - {short(witness.loss - verified.regret)} = "
        f"{number(verified.regret)}, a share of {number(witness.normalized_regret)} of the weight of all "
        f"preferences; {better} is better."
        + (
            f" Whatever comes near the infimum of W loses at least {number(verified.least_regret)}."
            if verified.every and verified.least_regret is not None
            else ""
        )
    )
    conditions = listed([name for name, holds in verified.conditions.items() if holds])
    yield from paragraph(
        f"So {verified.called} is INCONSISTENT under every condition that holds here: {conditions}."
    )
