"""What refutes the false variants on the page of what is right at every distribution."""

from fractions import Fraction
from typing import Final

from consistency_lab.apps.book.rat13 import refuted_on_task
from consistency_lab.apps.book.risk import by_core, refuted_by_core
from consistency_lab.apps.book.statement import Refutation
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.surrogates.tasks.means import SmoothPositions, SoftPairs
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.search.designs import constructions


def at_two(phi: str) -> Refutation:
    found = by_core(f"phi={phi}", "12:2 21:1", "any")
    return Refutation(found.refuted, f"φ(x) = {phi}, a = (2, 1): {found.witness}")


def triangle() -> Refutation:
    loss = surrogate("logistic")
    for one in constructions(loss.functions[0], "acyclic", "balanced", 3):
        found = refuted_by_core(loss, one.aggregate, "acyclic", strict=one.strict)
        if found.refuted:
            return Refutation(True, f"the logistic loss, {found.witness}")
    return Refutation(False, "no construction")


def early() -> Refutation:
    def phi(x: int) -> int:
        return max(0, min(1, -x))

    at_tie = 2 * phi(0) + phi(0)
    return Refutation(
        at_tie == 0 and min(map(phi, range(-3, 4))) == 0,
        "a_12 = 2, a_21 = 1: α = (0, 0) has W = 0, the least value, and both orders sort it",
    )


def whole_regret() -> Refutation:
    a, b = Fraction(2), Fraction(1)
    excess = (a + b) / 2 - b
    return Refutation(
        excess < a - b, f"a = (2, 1), φ(x) = 1/(1 + e^x), α = (0, 0): regret {a - b}, excess {excess}"
    )


_AT_A_TENTH: Final = SmoothPositions("ndcg", Fraction(1, 10))


def other_gains() -> Refutation:
    return refuted_on_task(_AT_A_TENTH, target("ndcg", gain="s"))


def other_discount() -> Refutation:
    return refuted_on_task(_AT_A_TENTH, target("ndcg", discount="j"))


def smooth_mrr() -> Refutation:
    return refuted_on_task(SmoothPositions("mrr"), target("ndcg"))


def soft_pairs(task: str, *weights: str) -> Refutation:
    return refuted_on_task(SoftPairs(*weights), target(task))
