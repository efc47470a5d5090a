"""What the page on DMJ10 §2 and §3 read closely computes, and what refutes its false variants."""

from fractions import Fraction
from typing import Final

from consistency_lab.apps.book.risk import (
    enclosed_risk,
    rational_scores,
    refuted_where_right,
    score_orders,
    weights,
    witnesses,
    wrong,
)
from consistency_lab.apps.book.statement import Line, Refutation
from consistency_lab.apps.book.statements.dmj10_linear_loss import without_differentiability
from consistency_lab.apps.book.statements.edge_losses import RISING, rising_case, single_edges
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.distribution import Distribution, scores_loss
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact import Matrix, certainly_less, enclose
from consistency_lab.solve.optimal import optimal_orders

# --- Two items -------------------------------------------------------------------------------------------

_RAMP: Final = "max(0,min(1,1-x))"


def bent(h: str) -> Distribution:
    """Two items, 1 → 2 of weight 4 against 2 → 1 of weight 1, at which this h turns the preference round."""
    odds = Fraction(1, 8) if h in {"a**2", "a+a**3"} else Fraction(1, 3)
    chance = odds / (1 + odds)
    return Distribution.of(2, [(chance, {(0, 1): 4}), (1 - chance, {(1, 0): 1})])


def ramp_costs_more(phi: str, p: Distribution, reach: int) -> bool:
    """Whether W ≥ ℓ at every weak order of scores, and W = ℓ* at an optimal order with gaps of `reach`."""
    terms, best = surrogate(phi=phi).risk_terms(p), optimal_orders(p.aggregate)
    above = all(
        not certainly_less(
            enclosed_risk(terms, rational_scores(x)), enclose(scores_loss(p.aggregate, rational_scores(x)))
        )
        for x in score_orders(p.m)
    )
    order = next(best.orders(1))
    spread = enclosed_risk(terms, rational_scores([-reach * order.index(i) for i in range(p.m)]))
    return above and not certainly_less(enclose(best.loss), spread)


def bent_h(h: str) -> Refutation:
    found = wrong(bent(h), surrogate("logistic", h=h))
    regret = found.verified.regret if found is not None else "not certified"
    return Refutation(
        found is not None, f"h(a) = {h.replace('**2', '²')}: logistic is wrong at two items, regret {regret}"
    )


# --- DMJ10 after Definition 8: low noise leaves no cycle -------------------------------------------------


def acyclic_only() -> Refutation:
    held = conditions_of(_mirrored({(1, 2): 1, (2, 3): 1}))
    return Refutation(held["acyclic"] and not held["low-noise"], "d_12 = d_23 = 1, d_13 = 0 < d_12 + d_23")


def only_edges() -> Refutation:
    d = _mirrored({(1, 2): 1, (2, 3): 1, (3, 1): 1})
    asked = [c for c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) if d[c[0]][c[2]] > 0]
    held = conditions_of(d)
    return Refutation(not asked and not held["acyclic"], "the cycle 1 → 2 → 3 → 1 has no such triple")


def _mirrored(edges: dict[tuple[int, int], int]) -> Matrix:
    return Distribution.from_aggregate(weights(3, edges)).difference


# --- Theorems 11 and 12 for every m >= 3 and every convex phi ----------------------------------------------


def one_distribution(m: int) -> Distribution:
    """Items 1, 2 and m − 2 others, which are alike: the distribution that refutes every convex phi."""
    w = 2 * m - 1
    odds = {(0, 1, Fraction(1)): w}
    for k in range(2, m):
        odds |= {(0, k, Fraction(1)): 2 * w + 1, (1, k, Fraction(1)): 1, (k, 0, Fraction(1)): w}
    whole = sum(odds.values())
    return Distribution.single_edges({edge: Fraction(n, whole) for edge, n in odds.items()}, m)


def four_and_five() -> list[dict[str, str] | Line]:
    wide = {m: one_distribution(m) for m in (4, 5)}
    return witnesses(
        [
            (f"{name}, m = {m}", p, surrogate(name))
            for m, p in wide.items()
            for name in ("logistic", "hinge", "margin-logistic", "margin-hinge")
        ]
    )


def rising() -> Refutation:
    return refuted_where_right(rising_case(), surrogate(phi=RISING, h="a**2"), "a φ that rises at 0")


def ramp() -> Refutation:
    p = single_edges(Fraction(1))
    stands = ramp_costs_more(_RAMP, p, 1)
    return Refutation(stands, f"φ(x) = {_RAMP} has W ≥ ℓ, and W = ℓ* at (2, 1, 0): it is right there")


# --- DMJ10 Theorem 13 and Corollary 15 as printed: false -------------------------------------------------


def printed() -> tuple[Line, bool]:
    found = without_differentiability()
    held = conditions_of(Distribution.from_aggregate(weights(2, {(1, 2): Fraction(1, 2)})).difference)
    return Line(found.witness, found.refuted), held["net-order"] and held["low-noise"] and held["additive"]
