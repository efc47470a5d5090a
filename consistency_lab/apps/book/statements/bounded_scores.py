"""What the page on classes of bounded differences computes: the hinge, exactly."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from consistency_lab.apps.book.statement import Line, Refutation
from consistency_lab.apps.book.statements.alignment import falls, right_weights

_ZERO = Fraction(0)
_ONE = Fraction(1)


def _hinge(t: Fraction) -> Fraction:
    return max(_ZERO, 1 - t)


def least_excess(eps: Fraction, b: Fraction) -> Fraction:
    """H_b(ε) of the hinge: W is least at a kink or at an end."""
    kinks = {-b, b, *(t for t in (-_ONE, _ZERO, _ONE) if abs(t) <= b)}
    costs = {t: (1 + eps) / 2 * _hinge(t) + (1 - eps) / 2 * _hinge(-t) for t in kinks}
    return min(cost for t, cost in costs.items() if t <= 0) - min(costs.values())


def hinges() -> Iterator[Mapping[str, str] | bool]:
    tried = [(Fraction(k, 8), Fraction(n, 4)) for k in range(9) for n in range(1, 9)]
    yield {"tried": str(len(tried))}
    yield all(least_excess(eps, b) == eps * min(_ONE, b) for eps, b in tried)


def hinge_loses(eps: str, b: str) -> Refutation:
    lost, excess = Fraction(eps), least_excess(Fraction(eps), Fraction(b))
    return Refutation(excess < lost, f"b = {b}: a tie, or t just below 0, has regret {lost}, excess {excess}")


def hinge_bounds(b: str) -> Refutation:
    right = all(
        least_excess(Fraction(k, 8), Fraction(b) + n) == Fraction(k, 8) for k in range(9) for n in (0, 1)
    )
    return Refutation(right, "H_b(ε) = ε, convex, so R − R* ≤ R_φ − R_φ* (ranking-with-abstention)")


def shared_weights() -> Refutation:
    found = all(one.holds for one in falls("7/10", "18/25") if isinstance(one, Line))
    fewest = 5  # one person against each of five pairs, nobody against D above C
    return Refutation(
        found and right_weights("-3", "4").refuted,
        f"ge-2024, with all inputs apart: near inf W, C is above D, and at least {fewest + 4} preferences are"
        f" contradicted; w = (−3, 4) contradicts {fewest}",
    )
