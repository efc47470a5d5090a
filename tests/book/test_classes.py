"""What the page on losses of several classes proves, tried at random p."""

from fractions import Fraction
from random import Random

import pytest

from consistency_lab.apps.book.rat13 import law
from consistency_lab.apps.book.statement import Cases, tried
from consistency_lab.apps.book.statements.classes import divergence, excess_of_hinges
from consistency_lab.numbers.exact import LogRational, certainly_less, enclose
from consistency_lab.numbers.phi import exact_slopes, named


def _drawn(rng: Random, m: int) -> tuple[Fraction, ...]:
    weights = [rng.randint(0, 9) for _ in range(m)]
    weights[rng.randrange(m)] += 1
    return tuple(law({(k,): w for k, w in enumerate(weights)}).values())


def test_a_pair_in_the_wrong_order_costs_half_the_square_of_its_gap() -> None:
    def holds(rng: Random, m: int) -> bool | None:
        p, weights = _drawn(rng, m), [Fraction(rng.randint(1, 9)) for _ in range(m)]
        excess = divergence(p, [w / sum(weights) for w in weights])
        gap = max(p[i] - p[j] for i in range(m) for j in range(m) if weights[i] <= weights[j])
        return certainly_less(enclose(gap**2 / 2), excess) if gap else None

    assert tried(holds, (2, 3, 4, 5), 8, 2004) == Cases(25, 25)


@pytest.mark.parametrize("name", ["logistic", "square", "squared-hinge"])
def test_the_more_probable_class_has_the_larger_score(name: str) -> None:
    def holds(rng: Random, name: str) -> bool | None:
        p, q = sorted(Fraction(rng.randint(1, 19), 20) for _ in range(2))
        lower, upper = (
            LogRational(Fraction(0), x / (1 - x)) if name == "logistic" else LogRational(2 * x - 1)
            for x in (p, q)
        )
        a, b, c, d = (
            Fraction(str(exact_slopes(named(name).expression, u)[0])) for u in (lower, -lower, upper, -upper)
        )
        return p * a == (1 - p) * b and q * c == (1 - q) * d and lower < upper if p < q else None

    assert tried(holds, (name,), 12, 2005).holds


def test_the_excess_of_lee_lin_and_wahba_is_at_least_the_regret() -> None:
    def holds(rng: Random, m: int) -> bool:
        p, v = _drawn(rng, m), [Fraction(rng.randint(-6, 9), 2) for _ in range(m)]
        v = [x + 1 - sum(v, Fraction(0)) / m for x in v]
        return excess_of_hinges(p, v) >= max(p) - p[v.index(max(v))]

    assert tried(holds, (2, 3, 4, 5), 8, 2006) == Cases(32, 32)
