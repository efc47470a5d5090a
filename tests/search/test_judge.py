"""The batched judge agrees with the exact optimal set, tie rule included."""

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.model.distribution import loss, scores_loss
from consistency_lab.numbers.exact import LogRational
from consistency_lab.search.forward import compare_with_optimum
from consistency_lab.solve.optimal import optimal_orders

entries = st.lists(st.integers(0, 5), min_size=12, max_size=12)
levels = st.lists(st.integers(0, 3), min_size=4, max_size=4)


@given(entries, levels)
def test_judge_agrees_with_the_dynamic_program(weights, scores):
    a = np.zeros((4, 4), dtype=int)
    a[~np.eye(4, dtype=bool)] = weights
    rational = tuple(tuple(Fraction(int(x)) for x in row) for row in a)
    exact = [LogRational(Fraction(s)) for s in scores]
    best = optimal_orders(rational).loss
    verdict = compare_with_optimum(a[None], np.array([scores], dtype=float))
    assert bool(verdict.wrong[0]) == (scores_loss(rational, exact) > best)
    kept = (t for t in permutations(range(4)) if all(scores[i] >= scores[j] for i, j in combinations(t, 2)))
    assert bool(verdict.strict[0]) == (min(loss(rational, order) for order in kept) > best)
    assert float(verdict.regret[0]) == float(scores_loss(rational, exact) - best)
