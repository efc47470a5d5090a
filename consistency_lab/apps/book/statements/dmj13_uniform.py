"""What refutes the false variants on the page of NDCG and ERR, uniformly."""

from fractions import Fraction

from consistency_lab.apps.book.statement import Refutation
from consistency_lab.apps.book.statements.dmj13_gains import dependent, rising, wrong_mean

__all__ = ["dependent", "half_of_the_excess", "rising", "wrong_mean"]


def half_of_the_excess() -> Refutation:
    theta, discounts = (Fraction(3, 4), Fraction(1, 4)), (Fraction(1), Fraction(1, 2))
    gap = theta[0] - theta[1]
    lost = gap * (discounts[0] - discounts[1])
    middle = sum(theta) / 2
    excess = sum((x - middle) ** 2 for x in theta)
    bound = 2 * lost**2 / (2 * (discounts[0] - discounts[1]) ** 2)
    return Refutation(
        excess < bound,
        f"F = (1, 2), θ = (3/4, 1/4), both scores {middle}: regret {lost}, excess {excess} < {bound}",
    )
