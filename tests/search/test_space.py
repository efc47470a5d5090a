"""The integer distributions of a condition, complete and only those; how they are judged; paths in graphs."""

from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.distribution import difference, loss, scores_loss
from consistency_lab.numbers.exact import LogRational
from consistency_lab.search.forward import compare_with_optimum, space
from consistency_lab.search.size import reachable
from consistency_lab.solve.optimal import optimal_orders


def exact(a):
    return [[Fraction(int(x)) for x in row] for row in a]


@pytest.mark.parametrize("condition", list(CONDITIONS))
def test_every_listed_aggregate_fulfils_the_condition(condition):
    aggregates = space(condition, 3, True)
    seen = 0
    for total in range(1, 7):
        for block in aggregates.of_weight(total):
            for a in block:
                assert a.sum() == total
                assert CONDITIONS[condition].holds(exact(a))
                seen += 1
    assert seen > (0 if condition == "auc" else 10)  # all six weights are positive, 6 in all


@pytest.mark.parametrize("condition", [name for name in CONDITIONS if name != "any"])
def test_none_is_left_out(condition):
    """Against brute force over all 3-item matrices whose differences run along the item order."""
    total = 5
    listed = {tuple(a.ravel()) for block in space(condition, 3, True).of_weight(total) for a in block}
    brute = set()
    for entries in product(range(total + 1), repeat=6):
        if sum(entries) != total or np.gcd.reduce(entries) != 1:
            continue
        a = np.zeros((3, 3), dtype=int)
        a[0, 1], a[0, 2], a[1, 0], a[1, 2], a[2, 0], a[2, 1] = entries
        d = difference(exact(a))
        if min(d[0][1], d[0][2], d[1][2]) >= 0 and CONDITIONS[condition].holds(exact(a)):
            brute.add(tuple(a.ravel()))
    assert listed == brute


def test_count_agrees_with_listing():
    aggregates = space("low-noise", 3, True)
    vectors = [n for n in product(range(5), repeat=6) if int(np.dot(n, aggregates.costs)) == 4]
    assert aggregates.count(4) == len(vectors)


ENTRIES, LEVELS = (st.lists(st.integers(0, n), min_size=k, max_size=k) for n, k in ((5, 12), (3, 4)))


@given(ENTRIES, LEVELS)
def test_the_batched_judge_agrees_with_the_dynamic_program(weights, scores):
    a = np.zeros((4, 4), dtype=int)
    a[~np.eye(4, dtype=bool)] = weights
    rational = exact(a)
    exactly = [LogRational(Fraction(s)) for s in scores]
    best = optimal_orders(rational).loss
    verdict = compare_with_optimum(a[None], np.array([scores], dtype=float))
    assert bool(verdict.wrong[0]) == (scores_loss(rational, exactly) > best)
    kept = (t for t in permutations(range(4)) if all(scores[i] >= scores[j] for i, j in combinations(t, 2)))
    assert bool(verdict.strict[0]) == (min(loss(rational, order) for order in kept) > best)
    assert float(verdict.regret[0]) == float(scores_loss(rational, exactly) - best)


@pytest.mark.parametrize("m", [1, 2, 3, 5, 8])
def test_reachable_is_the_reflexive_transitive_closure(m):
    arcs = np.random.default_rng(m).random((200, m, m)) < 1.5 / m
    before, found = arcs.copy(), reachable(arcs)
    assert (arcs == before).all()
    for b in range(len(arcs)):
        expected = arcs[b] | np.eye(m, dtype=bool)
        for k in range(m):  # Warshall
            expected |= expected[:, k : k + 1] & expected[k]
        assert (found[b] == expected).all()
    assert (reachable(np.eye(m, k=1, dtype=bool)[None])[0] == np.triu(np.ones((m, m), dtype=bool))).all()
