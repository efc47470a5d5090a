"""What the page on exchanging two items proves, tried at random labels and counts."""

from fractions import Fraction
from random import Random

from consistency_lab.apps.book.rat13 import law, losses, sorted_orders
from consistency_lab.apps.book.risk import exact_risk, rational_scores
from consistency_lab.apps.book.statement import Cases, tried
from consistency_lab.certify.witness import certify
from consistency_lab.core.document import CONSISTENT_AT_P
from consistency_lab.decide.theorems.difference import exchangeable
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.tasks.catalogue import target


def test_sorting_the_means_is_optimal_where_exchanges_make_labels_less_likely() -> None:
    task = target("pairwise", labels=(0, 1, 2))

    def holds(rng: Random, f: tuple[int, int, int]) -> bool:
        worth = sorted((Fraction(rng.randint(1, 9)) for _ in range(3)), reverse=True)
        p = law({y: worth[0] ** y[0] * worth[1] ** y[1] * worth[2] ** y[2] for y in task.space.labels})
        means = [sum((q * f[y[i]] for y, q in p.items()), Fraction(0)) for i in range(3)]
        lost = losses(task, p)
        return all(lost[t] == min(lost.values()) for t in sorted_orders(means))

    assert tried(holds, ((0, 1, 3), (0, 1, 2), (0, 1, 9)), 6, 2012) == Cases(18, 18)


def test_the_risk_is_the_same_when_exchangeable_items_change_places() -> None:
    def holds(rng: Random, m: int) -> bool | None:
        counts = [[Fraction(rng.randint(0, 2) if i != j else 0) for j in range(m)] for i in range(m)]
        found = exchangeable(surrogate("difference-square"), counts)
        if found is None:
            return None
        i, j = found
        scores = [Fraction(rng.randint(-4, 4)) for _ in range(m)]
        moved = [scores[j if k == i else i if k == j else k] for k in range(m)]
        terms = surrogate("difference-square").risk_terms(Distribution.from_aggregate(counts))
        return exact_risk(terms, rational_scores(scores)) == exact_risk(terms, rational_scores(moved))

    assert tried(holds, (3, 4), 500, 10) == Cases(45, 45)


def test_where_every_item_is_a_component_the_core_accepts_that_it_is_right() -> None:
    def holds(rng: Random, m: int) -> bool:
        a = [[Fraction(rng.randint(1, 9) if i < j else 0) for j in range(m)] for i in range(m)]
        found = certify(surrogate("logistic"), Distribution.from_aggregate(a))
        return found is not None and found.verified.claim == CONSISTENT_AT_P

    assert tried(holds, (3, 4), 4, 1972) == Cases(8, 8)
