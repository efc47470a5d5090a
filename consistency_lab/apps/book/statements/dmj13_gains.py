"""What refutes the false variants on the page of gains by position."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import Final

from consistency_lab.apps.book.rat13 import law, losses, refuted_at
from consistency_lab.apps.book.statement import Refutation
from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.everywhere import LEE_LIN_WAHBA
from consistency_lab.model.labels import Weights
from consistency_lab.model.surrogates.tasks.atoms import LeeLinWahba, PairsSurrogate
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.positional import ExpectedReciprocalRank
from consistency_lab.model.tasks.task import Prediction, certainly_above
from consistency_lab.numbers.exact import LogRational, lower_decimal
from consistency_lab.numbers.phi import named, parse
from consistency_lab.numbers.tape import as_ball


def wrong_mean(feature: str, *chances: str) -> Refutation:
    """Two items that a regression puts in the wrong order for the standard NDCG."""
    shares = [chance.split(": ") for chance in chances]
    weights = {tuple(map(int, label.split())): Fraction(p) for label, p in shares}
    surrogate = Regression(feature)
    task = target("ndcg", items=2)
    first, second = (
        sum((p * surrogate.features(task, label)[j] for label, p in weights.items()), Fraction(0))
        for j in range(2)
    )
    lost = task.expected_loss(weights, (0, 1)) - task.expected_loss(weights, (1, 0))
    shown = ", ".join(f"p{task.space.text(label)} = {p}" for label, p in weights.items())
    return Refutation(
        first > second and certainly_above(lost, Fraction(0)),
        f"{shown}: the minimizer ({first}, {second}) says 1 > 2, which loses at least"
        f" {float(lower_decimal(as_ball(lost), 3))} to 2 > 1",
    )


def precision() -> Refutation:
    zero_one, precision = target("zero-one", items=3), target("wta", items=3)
    proof = LEE_LIN_WAHBA.applies(LeeLinWahba(), "any", zero_one)
    one_hot = [tuple(int(i == k) for i in range(3)) for k in range(3)]
    same = all(
        precision.loss(y, t) == zero_one.loss((k,), t[:1])
        for k, y in enumerate(one_hot)
        for t in precision.predictions
    )
    p, scores = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (2, -1, -1)
    risk = sum(((1 - q) * max(0, 1 + u) for q, u in zip(p, scores, strict=True)), Fraction(0))
    # Its proof in `theorems.everywhere`: W >= (1 - max p) m wherever the scores sum to 0.
    minimal = sum(scores) == 0 and risk == (1 - max(p)) * 3
    return Refutation(
        isinstance(proof, Evidence) and same and minimal,
        "one relevant item, p = (1/2, 1/3, 1/6), precision@1: the calibrated loss of Lee, Lin and Wahba is"
        f" minimal, {risk}, at (2, −1, −1), which does not tell 2 and 3 apart",
    )


def earned(theta: Sequence[Fraction], discounts: Sequence[Fraction], order: Prediction) -> Fraction:
    """1 - L for independent grades."""
    total, going = Fraction(0), Fraction(1)
    for item, factor in zip(order, discounts, strict=True):
        total += factor * going * theta[item]
        going *= 1 - theta[item]
    return total


def dependent() -> Refutation:
    task = target("err", items=3, labels=(0, 1))
    assert isinstance(task, ExpectedReciprocalRank)
    p: Weights = {(1, 1, 0): Fraction(3, 5), (0, 0, 1): Fraction(2, 5)}
    lost = losses(task, p)
    by_mean = [lost[0, 1, 2], lost[1, 0, 2]]
    return Refutation(
        min(by_mean) > lost[0, 2, 1],
        "p(1, 1, 0) = 3/5, p(0, 0, 1) = 2/5, G = s/2: E G = (3/10, 3/10, 1/5), but the orders with 3 last"
        f" lose {min(by_mean)}, and 1 > 3 > 2 only {lost[0, 2, 1]}",
    )


def rising() -> Refutation:
    theta, discounts = (Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 2), Fraction(1))
    sorted_value, other = (earned(theta, discounts, order) for order in permutations(range(2)))
    return Refutation(
        sorted_value < other,
        f"F = (2, 1), E G = (3/4, 1/4): 1 > 2 earns {sorted_value}, and 2 > 1 earns {other}",
    )


def certain() -> Refutation:
    theta = (Fraction(1), Fraction(1, 2), Fraction(1, 4))
    discounts = tuple(Fraction(1, j) for j in (1, 2, 3))
    values = {order: earned(theta, discounts, order) for order in permutations(range(3))}
    return Refutation(
        values[0, 2, 1] == max(values.values()),
        f"F(j) = j, E G = (1, 1/2, 1/4): 1 > 3 > 2 earns {values[0, 2, 1]}, as much as any order",
    )


def _numbers(*values: str) -> list[LogRational]:
    return [LogRational.parse(value) for value in values]


def flat() -> Refutation:
    loss = PairsSurrogate("flat", parse("max(0,-x)**2"), "zhang")
    task = target("ndcg", items=2, labels=(0, 1), discount="j")
    return refuted_at(loss, task, {(1, 0): Fraction(1)}, _numbers("0", "0"), (0, 1))


def kink() -> Refutation:
    loss = PairsSurrogate("hinge", named("hinge").expression, "zhang")
    task = target("ndcg", items=3, labels=(0, 1), discount="j")
    p = law({(1, 0, 0): 3, (0, 1, 0): 2, (0, 0, 1): 4})
    slopes = {(2, 0): Fraction(-1), (2, 1): Fraction(-1, 4)}
    return refuted_at(loss, task, p, _numbers("0", "0", "1"), (2, 0, 1), slopes)


def unbounded() -> Refutation:
    theta = (Fraction(3, 6), Fraction(2, 6), Fraction(1, 6))
    direction = (2, 3, -5)
    # For phi(x) = -x, W(alpha) = sum_l alpha_l (sum_j theta_j - m theta_l) is linear.
    slope = sum(((1 - 3 * weight) * v for weight, v in zip(theta, direction, strict=True)), Fraction(0))
    return Refutation(
        slope < 0,
        f"φ(x) = −x, θ = (1/2, 1/3, 1/6): W(tα) = {slope}t → −∞ along α = {direction}, which has 2 above 1",
    )


_RANKNET: Final = PairsSurrogate("ranknet", named("logistic").expression)


def graded() -> Refutation:
    p = law({(2, 1): 3, (0, 1): 2})
    return refuted_at(_RANKNET, target("ndcg", items=2), p, _numbers("log(3/2)", "0"), (1, 0))


def binary() -> Refutation:
    p, scores = law({(1, 0, 1): 3, (0, 1, 0): 2}), _numbers("log(3/2)", "0", "log(3/2)")
    return refuted_at(_RANKNET, target("ndcg", items=3, labels=(0, 1)), p, scores, (1, 0, 2))
