"""What the file says about the target loss: the optimum, the regret, and how the scores are wrong."""

from collections.abc import Sequence
from fractions import Fraction

from consistency_lab.core.numbers import same, shown
from consistency_lab.errors import RejectedError
from consistency_lab.proofs.format_1.distribution import Matrix
from consistency_lab.proofs.format_1.document import (
    CONSISTENT_AT_P,
    INCONSISTENT,
    STRICT,
    TIE,
    Failure,
    StatedOptimum,
    WrongPair,
)
from consistency_lab.proofs.format_1.orders import Costs, Optimum


def check_optimum(
    stated: StatedOptimum,
    costs: Costs,
    optimum: Optimum,
    loss_of_scores: Fraction,
    regret: Fraction,
    total: Fraction,
) -> None:
    """Check the ``optimum`` entry; `total` is the sum of the aggregate.

    Raises
    ------
    RejectedError
        If a number in it is wrong, or the order is not optimal.
    """
    same("the optimal loss", stated.loss, optimum.loss)
    same("the loss of the scores", stated.loss_of_scores, loss_of_scores)
    same("the regret", stated.regret, regret)
    same("the normalized regret", stated.normalized_regret, regret / total if total else Fraction(0))
    same("the number of optimal orders", stated.orders, optimum.count)
    same("the loss of the stated optimal order", costs.loss(stated.order), optimum.loss)


def failure_of(d: Matrix, costs: Costs, optimum: Optimum, levels: Sequence[int]) -> Failure:
    """How scores that are not optimal are wrong; levels rise as scores fall."""
    everyone = range(costs.m)
    higher = [sum(1 << above for above in everyone if levels[above] < level) for level in levels]
    kind = STRICT if costs.extreme(min, higher) != optimum.loss else TIE
    # Of two equal scores the higher index comes first, so a tie is wrong only for a pair in index order.
    pairs = [
        WrongPair(i, j, d[i][j], "below" if levels[i] > levels[j] else "equal")
        for i in everyone
        for j in everyone
        if d[i][j] > 0 and optimum.forced(i, j) and (levels[i], j) > (levels[j], i)
    ]
    return Failure(kind, tuple(pairs))


def check_claim(
    claim: str, stated: Failure | None, regret: Fraction, derived: Failure | None, names: Sequence[str]
) -> None:
    """Check that the claim fits the regret, and that the failure is described rightly.

    Raises
    ------
    RejectedError
        If not.
    """
    if claim == INCONSISTENT and not regret:
        raise RejectedError("the scores are optimal for the target loss, so they witness no inconsistency")
    if claim == CONSISTENT_AT_P and regret:
        raise RejectedError(
            f"the scores have the regret {shown(regret)}, so they do not show consistency at p"
        )
    if stated is None or derived is None:
        same("the failure", _presence(stated), _presence(derived))
        return
    same("the kind of failure", stated.kind, derived.kind)
    if stated.pairs != derived.pairs:
        given, right = _pairs_text(stated, names), _pairs_text(derived, names)
        raise RejectedError(f"the list of wrong pairs is stated as {given}, but is {right}")


def _presence(failure: Failure | None) -> str:
    return "none" if failure is None else failure.kind


def _pairs_text(failure: Failure, names: Sequence[str]) -> str:
    pairs = [
        f"{names[p.preferred]} → {names[p.over]} ({shown(p.difference)}, {p.scored})" for p in failure.pairs
    ]
    return shown(f"[{', '.join(pairs)}]")
