"""What the pages on classes, relevant labels, exchanges and structures prove, tried at random."""

from fractions import Fraction
from itertools import pairwise, permutations

import pytest

from consistency_lab import Distribution, surrogate, target
from consistency_lab.apps.book.rat13 import law, losses, sorted_orders
from consistency_lab.apps.book.risk import close, exact_risk, rational_scores
from consistency_lab.apps.book.statement import Cases, tried
from consistency_lab.apps.book.statements.classes import divergence, excess_of_hinges
from consistency_lab.apps.book.statements.multilabel import rank_loss, relevance
from consistency_lab.apps.book.statements.structures_of_odds import matrices
from consistency_lab.apps.book.statements.structures_of_pairs import rates
from consistency_lab.certify.witness import certify
from consistency_lab.core.document import CONSISTENT_AT_P
from consistency_lab.decide.theorems.difference import exchangeable
from consistency_lab.model.conditions import conditions_of, net
from consistency_lab.numbers.exact import LogRational, certainly_less, enclose
from consistency_lab.numbers.phi import exact_slopes, named
from consistency_lab.solve.structure_kernels import least_squares
from consistency_lab.solve.structures import AmmarShah


def _drawn(rng, m):
    weights = [rng.randint(0, 9) for _ in range(m)]
    weights[rng.randrange(m)] += 1
    return tuple(law({(k,): w for k, w in enumerate(weights)}).values())


def test_a_pair_in_the_wrong_order_costs_half_the_square_of_its_gap():
    def holds(rng, m):
        p, weights = _drawn(rng, m), [Fraction(rng.randint(1, 9)) for _ in range(m)]
        excess = divergence(p, [w / sum(weights) for w in weights])
        gap = max(p[i] - p[j] for i in range(m) for j in range(m) if weights[i] <= weights[j])
        return certainly_less(enclose(gap**2 / 2), excess) if gap else None

    assert tried(holds, (2, 3, 4, 5), 8, 2004) == Cases(25, 25)


@pytest.mark.parametrize("name", ["logistic", "square", "squared-hinge"])
def test_the_more_probable_class_has_the_larger_score(name):
    def holds(rng, name):
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


def test_the_excess_of_lee_lin_and_wahba_is_at_least_the_regret():
    def holds(rng, m):
        p, v = _drawn(rng, m), [Fraction(rng.randint(-6, 9), 2) for _ in range(m)]
        v = [x + 1 - sum(v, Fraction(0)) / m for x in v]
        return excess_of_hinges(p, v) >= max(p) - p[v.index(max(v))]

    assert tried(holds, (2, 3, 4, 5), 8, 2006) == Cases(32, 32)


def test_exactly_the_orders_of_the_weighted_relevance_are_optimal():
    def holds(rng, r):
        sets = [frozenset(i for i in range(r) if rng.random() < 1 / 2) for _ in range(5)]
        ballots = [(s, Fraction(rng.randint(1, 9), 45)) for s in sets]
        lost = {t: rank_loss(ballots, t) for t in permutations(range(r))}
        best = min(lost.values())
        return {t for t in lost if lost[t] == best} == set(sorted_orders(relevance(ballots, r)))

    assert tried(holds, (2, 3, 4), 8, 2012) == Cases(24, 24)


def test_sorting_the_means_is_optimal_where_exchanges_make_labels_less_likely():
    task = target("pairwise", labels=(0, 1, 2))

    def holds(rng, f):
        worth = sorted((Fraction(rng.randint(1, 9)) for _ in range(3)), reverse=True)
        p = law({y: worth[0] ** y[0] * worth[1] ** y[1] * worth[2] ** y[2] for y in task.space.labels})
        means = [sum((q * f[y[i]] for y, q in p.items()), Fraction(0)) for i in range(3)]
        lost = losses(task, p)
        return all(lost[t] == min(lost.values()) for t in sorted_orders(means))

    assert tried(holds, ((0, 1, 3), (0, 1, 2), (0, 1, 9)), 6, 2012) == Cases(18, 18)


def test_the_risk_is_the_same_when_exchangeable_items_change_places():
    def holds(rng, m):
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


def test_where_every_item_is_a_component_the_core_accepts_that_it_is_right():
    def holds(rng, m):
        a = [[Fraction(rng.randint(1, 9) if i < j else 0) for j in range(m)] for i in range(m)]
        found = certify(surrogate("logistic"), Distribution.from_aggregate(a))
        return found is not None and found.verified.claim == CONSISTENT_AT_P

    assert tried(holds, (3, 4), 4, 1972) == Cases(8, 8)


def test_row_sums_fall_along_every_edge_exactly_under_eq_16_of_dmj10():
    def agree(rng, m):
        a = [[rng.randint(0, 6) if i != j else 0 for j in range(m)] for i in range(m)]
        d = Distribution.from_aggregate(a).difference
        sums = list(map(sum, d))
        is_right = all(sums[i] > sums[j] for i in range(m) for j in range(m) if d[i][j] > 0)
        return conditions_of(d)["net-order"] is is_right and list(net(d)) == sums

    assert tried(agree, (3, 4, 5), 12, 13) == Cases(36, 36)


def test_win_rates_of_bradley_terry_luce_are_in_the_order_of_the_strengths():
    def agree(rng, m):
        s = sorted((rng.randint(1, 9) for _ in range(m)), reverse=True)
        wins = [[0.0] * m for _ in range(m)]
        for i in range(m):
            for j in range(i):
                rate = rng.randint(1, 50)
                wins[i][j], wins[j][i] = float(rate * s[i]), float(rate * s[j])
        limit = rates([[Fraction(x, x + y) for y in s] for x in s])
        return close(AmmarShah().scores(wins), limit) and all(x >= y for x, y in pairwise(limit))

    assert tried(agree, (2, 3, 4, 6), 5, 52) == Cases(20, 20)


def test_least_squares_recover_scores_on_every_connected_design():
    def agree(rng, m):
        t = [rng.randint(-9, 9) * m for _ in range(m)]
        pairs = frozenset((rng.randrange(j), j) for j in range(1, m)) | frozenset(
            (i, j) for j in range(m) for i in range(j) if rng.random() < 1 / 4
        )
        assert least_squares(*matrices(t, pairs)) == pytest.approx([x - sum(t) / m for x in t], abs=1e-9)
        return True

    assert tried(agree, (2, 3, 5, 8), 6, 51) == Cases(24, 24)
