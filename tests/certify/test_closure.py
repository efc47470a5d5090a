"""Two orders are enough to see whether breaking ties can go wrong."""

from fractions import Fraction
from itertools import pairwise, permutations, product

from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.certify.closure import closure_proof
from consistency_lab.core import verify_proof
from consistency_lab.core.orders import cost
from consistency_lab.exact import LogRational
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.minimize import minimize

LINEAR = surrogate("linear")


@given(st.lists(st.integers(0, 2), min_size=12, max_size=12))
def test_what_all_ways_to_break_ties_say(counts: list[int]) -> None:
    entries = iter(counts)
    a = [[0 if i == j else next(entries) for j in range(4)] for i in range(4)]
    p = Distribution.from_aggregate(a)
    terms, names = LINEAR.risk_terms(p), p.items
    costs = {(i, j): Fraction(a[i][j]) for i, j in product(range(4), repeat=2) if a[i][j]}
    least, better = min((cost(costs, t), t) for t in permutations(range(4)))
    scores = minimize(terms, 4).exact
    assert scores is not None
    ways = [t for t in permutations(range(4)) if all(scores[j] <= scores[i] for i, j in pairwise(t))]
    wrong = [cost(costs, t) > least for t in ways]
    proof = closure_proof(terms, costs, names, scores, better)
    assert (proof is not None) == any(wrong)
    if proof is not None:
        assert verify_proof(proof).failure == ("strict" if all(wrong) else "tie")


def test_many_ties_take_no_longer_and_do_not_depend_on_names() -> None:
    """Twelve items that the linear loss ties: a ring, so that most orders are not optimal."""
    m = 12
    costs = {(i, (i + 1) % m): Fraction(1) for i in range(m)}
    a = [[costs.get((i, j), Fraction(0)) for j in range(m)] for i in range(m)]
    terms = LINEAR.risk_terms(Distribution.from_aggregate(a))
    nought = [LogRational(Fraction(0))] * m
    proof = closure_proof(terms, costs, [str(k) for k in range(m)], nought, tuple(range(m)))
    assert proof is not None and proof["regret"] == str(m - 2)
