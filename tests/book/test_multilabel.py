"""What the page on several relevant labels proves, tried at random ballots."""

from fractions import Fraction
from itertools import permutations
from random import Random

from consistency_lab.apps.book.rat13 import sorted_orders
from consistency_lab.apps.book.statement import Cases, tried
from consistency_lab.apps.book.statements.multilabel import rank_loss, relevance


def test_exactly_the_orders_of_the_weighted_relevance_are_optimal() -> None:
    def holds(rng: Random, r: int) -> bool:
        sets = [frozenset(i for i in range(r) if rng.random() < 1 / 2) for _ in range(5)]
        ballots = [(s, Fraction(rng.randint(1, 9), 45)) for s in sets]
        lost = {t: rank_loss(ballots, t) for t in permutations(range(r))}
        best = min(lost.values())
        return {t for t in lost if lost[t] == best} == set(sorted_orders(relevance(ballots, r)))

    assert tried(holds, (2, 3, 4), 8, 2012) == Cases(24, 24)
