"""What is right at every distribution: two items and forests, and smooth or bounded stand-ins for a loss.

A Plackett-Luce order with weights w is drawn item by item, with chances in proportion to w among those left.
"""

from fractions import Fraction
from typing import Final

from consistency_lab.apps.book.rat13 import not_on_task
from consistency_lab.apps.book.risk import refuted_by_core, weights
from consistency_lab.apps.book.statement import (
    FalseVariant,
    Refutation,
    Statement,
    Step,
    check,
    false,
    step,
)
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.surrogates.tasks.means import SmoothPositions, SoftPairs
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.search.designs import constructions

_OURS: Final = "ours"
_RISK: Final = r"\(W = \sum h_{ij} \phi(\alpha_i - \alpha_j)\), \(h_{ij} = a_{ij}\) or \([d_{ij}]_+\)"
_ANY: Final = "all m, every p"


# --- Forests, and two items among them -------------------------------------------------------------------


def _one_pair() -> Step:
    return step(
        "A pair alone is ordered as a_ij and a_ji say",
        "every a, b ≥ 0; φ convex with φ'(0) < 0",
        "the slope at 0, by SymPy",
        "Let W(δ) = aφ(δ) + bφ(−δ), a > b, δ = α_i − α_j. Then W'(0) is",
        ticked("aφ'(0) − bφ'(0) = (a − b)φ'(0) < 0 for φ'(0) = −s, a = b + x, s, x > 0"),
        "so W falls from 0 to some δ > 0 and, convex, does not fall before 0: its infimum over δ ≤ 0 is",
        "W(0) > W*. For a < b exchange the items; for a = b both orders are optimal.",
        "If the compared pairs form no cycle, the differences α_i − α_j of the pairs can be chosen freely,",
        "so inf W is the sum of the infima of the pairs, and W near it has every pair near its own.",
    )


def _at_two(statement: str, phi: str) -> FalseVariant:
    """A variant without one hypothesis, false at two items."""

    def refute() -> Refutation:
        found = refuted_by_core(surrogate(phi=phi), weights(2, {(1, 2): 2, (2, 1): 1}), "any")
        return Refutation(found.refuted, f"φ(x) = {phi}, a = (2, 1): {found.witness}")

    return FalseVariant(statement, refute)


@false("One cycle of compared pairs does no harm: three items.")
def _triangle() -> Refutation:
    for one in constructions(surrogate("logistic").functions[0], "acyclic", "balanced", 3):
        found = refuted_by_core(surrogate("logistic"), one.aggregate, "acyclic", strict=one.strict)
        if found.refuted:
            return Refutation(True, f"the logistic loss, {found.witness}")
    return Refutation(False, "no construction")


FORESTS: Final = Statement(
    latex=(
        r"If \(m = 2\), \(W\) is consistent at every p for \(\phi\) convex with \(\phi'(0) < 0\);"
        r" if the compared pairs form no cycle, for \(\phi\) bounded below too."
    ),
    plain="Two items, and any pairs that form no cycle, are ordered correctly.",
    hypotheses=(_RISK, r"\(\phi\) is convex, \(\phi'(0) < 0\)", "compared pairs form no cycle"),
    citation=_OURS,
    check=check(
        "all m, all forests, all φ convex and bounded below with φ'(0) < 0; bounded or not for m = 2",
        lambda: [_one_pair()],
        "Kinks away from 0 do no harm.",
    ),
    variants=(
        _at_two("φ may have a kink at 0.", "max(0,-x)"),
        _at_two("φ'(0) = 0 will do.", "x**2"),
        _triangle,
    ),
)


# --- Plackett-Luce orders --------------------------------------------------------------------------------


_PLACKETT_LUCE: Final = step(
    "In a Plackett-Luce order i is above j with chance w_i/(w_i + w_j); sorted orders have at least 1/m!",
    "all m",
    "the chances of pairs are proved in Coq (luce_pair); the rest by hand",
    "At each draw of an order sorted by w its item is one of the heaviest left, so its chance is at",
    "least 1 over their number.",
)


def _least(claim: str, mean: str, *more: str) -> Step:
    return step(
        claim,
        _ANY,
        "by hand, from the Plackett-Luce order",
        mean,
        "A mean over orders is at least min ℓ, and more by (ℓ(t) − min ℓ)/m! for any order t that sorts",
        "the scores. Scores far apart in an optimal order come as near to min ℓ as one likes. So W* =",
        "min ℓ, and the excess is at least the regret over m!, for every rule for ties.",
        *more,
    )


# --- Bounded stand-ins -----------------------------------------------------------------------------------


def _ramps() -> Step:
    return step(
        "If φ = c on (−∞, 0] and φ falls to 0, the excess is at least c times the regret",
        _ANY,
        "by hand",
        "ℓ(t) = Σ h_ij over j above i is the target loss, up to a constant if h = [d]₊.",
        "A pair with α_i ≥ α_j costs at least c h_ji, and c (h_ij + h_ji) at a tie: W(α) ≥ c ℓ(t) for every",
        "order t that sorts α. Scores far apart in an order t have W → c ℓ(t), so W* = c min ℓ.",
        "If f never falls and is bounded below, Σ a_ij f(α_i) added to W is at least its infimum, which a",
        "shift of all scores towards −∞ comes near, without changing W or any order: right all the same.",
    )


@false("φ may fall before 0: max(0, min(1, −x)).")
def _early() -> Refutation:
    def phi(x: int) -> int:
        return max(0, min(1, -x))

    at_tie = 2 * phi(0) + phi(0)
    return Refutation(
        at_tie == 0 and min(map(phi, range(-3, 4))) == 0,
        "a_12 = 2, a_21 = 1: α = (0, 0) has W = 0, the least value, and both orders sort it",
    )


@false("For the sigmoid the excess is at least the regret, without 1/m!.")
def _whole_regret() -> Refutation:
    a, b = Fraction(2), Fraction(1)
    excess = (a + b) / 2 - b
    return Refutation(
        excess < a - b, f"a = (2, 1), φ(x) = 1/(1 + e^x), α = (0, 0): regret {a - b}, excess {excess}"
    )


BOUNDED_STAND_INS: Final = Statement(
    latex=(
        r"\(W\) is consistent at every p if \(\phi(x) = c/(1 + e^{kx})\), \(c, k > 0\), or \(\phi\) is"
        r" nonincreasing, bounded below, constant for \(x \le 0\) and not constant; and so is"
        r" \(W + \sum a_{ij} f(\alpha_i)\), \(f\) nondecreasing and bounded below."
    ),
    plain="The sigmoid and the ramp loss are right at every distribution.",
    hypotheses=(_RISK, r"\(\phi\) as stated"),
    citation=_OURS,
    check=check(
        _ANY,
        lambda: [
            _ramps(),
            _PLACKETT_LUCE,
            _least(
                "For φ(x) = c/(1 + e^(kx)) the excess is at least c/m! times the regret",
                "With weights e^(kα) item j is above i with chance φ(α_i − α_j)/c: W/c is the mean of ℓ.",
            ),
        ],
        "W is not convex, so descent may stop elsewhere.",
    ),
    variants=(_early, _whole_regret, _at_two("The convex hinge that starts at 0 will do.", "max(0,-x)")),
)


# --- Smooth positions and soft pairs ---------------------------------------------------------------------


def _convex_discount() -> Step:
    return step(
        "1/log(1 + r) is convex, so at the expected position it is at most its expectation",
        "all r > 0",
        "the second derivative, by SymPy; Jensen",
        ticked("∂/∂x (∂/∂x (1/log(1 + x))) = (log(1 + x) + 2)/((1 + x)² log(1 + x)³)"),
        "which is above 0, as with s = log(1 + x)",
        ticked("(s + 2)/s³ > 0 for s > 0"),
        "With weights e^(u/T) the expected position of i is 1 + Σ_j σ((u_j − u_i)/T) = r_i.",
    )


_APPROXIMATE: Final = SmoothPositions("ndcg", Fraction(1, 10))

SMOOTH_POSITIONS: Final = Statement(
    latex=(
        r"\(-\sum_i (G(s_i)/Z(s)) / \log_2(1 + r_i)\), \(r_i = 1 + \sum_{j \ne i} \sigma((u_j - u_i)/T)\), is"
        r" calibrated for NDCG with the same \(G\) and the discount \(\log_2(1 + j)\), for every \(T > 0\)."
    ),
    plain="NDCG at smoothed positions is calibrated for NDCG at every temperature.",
    hypotheses=(r"\(G\) and the discount are those of the target", "every position counts"),
    citation="ours, by Jensen's inequality over Plackett-Luce rankings",
    check=check(
        f"{_ANY}, all T > 0",
        lambda: [
            _PLACKETT_LUCE,
            _convex_discount(),
            _least(
                "The excess is at least the regret over m!",
                "Gains are not negative, so the surrogate is at least the mean of the loss −Σ (G/Z)/F.",
            ),
        ],
        "It is not convex, so descent may stop elsewhere.",
    ),
    variants=(
        not_on_task("The target may have other gains.", _APPROXIMATE, target("ndcg", gain="s")),
        not_on_task("The target may have another discount.", _APPROXIMATE, target("ndcg", discount="j")),
        not_on_task("Smooth MRR will do.", SmoothPositions("mrr"), target("ndcg")),
    ),
)

SOFT_PAIRS: Final = Statement(
    latex=r"\(\sum_{s_i > s_j} \sigma(u_j - u_i)\) is calibrated for pairwise disagreement.",
    plain="The soft count of wrong pairs is calibrated for the count of wrong pairs.",
    hypotheses=("each pair has the weight 1",),
    citation="ours, by the mean over Plackett-Luce rankings",
    check=check(
        _ANY,
        lambda: [
            _PLACKETT_LUCE,
            _least(
                "The excess is at least the regret over m!", "With weights e^u it is the mean of the loss."
            ),
        ],
        "It is not convex, so descent may stop elsewhere.",
    ),
    variants=(
        not_on_task(
            "Each label may be divided by its number of pairs.", SoftPairs("pairs"), target("pairwise")
        ),
        not_on_task("It is calibrated for NDCG.", SoftPairs(), target("ndcg")),
    ),
)
